/* Write: what is kept of a block. See block_rows.h. */
#include "write/block_rows.h"

#include "base/varint.h"

#include <stdlib.h>
#include <string.h>

enum { FIELDS_MOST = 7 };

void *list_room(void *list, size_t count, size_t *room, size_t more, size_t size)
{
	if (*room - count >= more)
		return list;
	size_t wanted = *room ? *room : 256;
	while (wanted - count < more)
		wanted *= 2;
	void *larger = reallocarray(list, wanted, size);
	if (larger)
		*room = wanted;
	return larger;
}

void block_rows_empty(struct block_rows *block)
{
	block->count = block->word_count = block->definition_bytes = 0;
	block->definition_count = 0;
	block->partial = false;
}

void block_rows_clear(struct block_rows *block)
{
	free(block->rows);
	free(block->words);
	free(block->definitions);
	*block = (struct block_rows){0};
}

enum varve_status block_rows_add(struct block_rows *block, const struct block_row *row,
				 uint64_t **words, struct varve_causes *causes)
{
	struct block_row *rows =
		list_room(block->rows, block->count, &block->room, 1, sizeof *block->rows);
	if (rows)
		block->rows = rows;
	uint64_t *all = list_room(block->words, block->word_count, &block->word_room,
				  row->words + 1u, sizeof *block->words);
	if (all)
		block->words = all;
	if (!rows || !all)
		return cause(causes, VARVE_NO_MEMORY, "no memory for %zu records of a block",
			     block->count);
	*words = all + block->word_count;
	rows[block->count] = *row;
	rows[block->count++].word_at = block->word_count;
	block->word_count += row->words;
	return VARVE_OK;
}

/* The fields of a definition in the order of docs/format.md; how many. */
static unsigned definition_fields(const struct definition *definition, uint64_t *field)
{
	uint64_t number = (uint64_t)(int64_t)definition->fd;
	switch (definition->type) {
	case DEFINE_HANDLE: {
		const uint64_t handle[] = {definition->id,
					   definition->kind | definition->how << 8 |
						   definition->origin << 16,
					   number,
					   definition->name,
					   definition->other,
					   definition->device,
					   definition->inode};
		memcpy(field, handle, sizeof handle);
		return sizeof handle / sizeof *handle;
	}
	case DEFINE_IDENTITY: {
		const uint64_t identity[] = {definition->kind, definition->id, definition->device,
					     definition->inode, definition->how};
		memcpy(field, identity, sizeof identity);
		return sizeof identity / sizeof *identity;
	}
	case DEFINE_PROCESS:
		field[0] = definition->text_length;
		return 1;
	case DEFINE_THREAD:
		field[0] = definition->id;
		field[1] = number;
		field[2] = definition->other;
		return 3;
	case DEFINE_FIRST: /* DEFINE_NAME */
	default:
		field[0] = definition->id;
		field[1] = definition->base_kind;
		field[2] = definition->base;
		field[3] = definition->text_length;
		return 4;
	}
}

enum varve_status block_rows_define(struct block_rows *block, const struct definition *definition,
				    struct varve_causes *causes)
{
	uint64_t field[FIELDS_MOST];
	unsigned count = definition_fields(definition, field);
	size_t most = 1 + (FIELDS_MOST + 1) * VARINT_MOST + definition->text_length;
	uint8_t *bytes = list_room(block->definitions, block->definition_bytes,
				   &block->definition_room, most, 1);
	if (!bytes)
		return cause(causes, VARVE_NO_MEMORY, "no memory for the definitions of a block");
	block->definitions = bytes;
	uint8_t *at = bytes + block->definition_bytes;
	*at++ = (uint8_t)(definition->type - DEFINE_FIRST);
	at = varint_put(at, block->partial ? definition->before * 2 + definition->apart
					   : definition->before);
	for (unsigned i = 0; i < count; i++)
		at = varint_put(at, field[i]);
	if (definition->text_length)
		memcpy(at, definition->text, definition->text_length);
	block->definition_bytes = (size_t)(at - bytes) + definition->text_length;
	block->definition_count++;
	return VARVE_OK;
}
