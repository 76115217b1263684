/* Write: the rows and definitions of a block. See block_rows.h. */
#include "write/block_rows.h"

#include "base/host/list.h"
#include "base/varint.h"

#include <stdlib.h>
#include <string.h>

enum { FIELDS_MOST = 7 };

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
	if (list_room(&block->rows, block->count, &block->room, 1, sizeof *block->rows) ||
	    list_room(&block->words, block->word_count, &block->word_room, row->words + 1u,
		      sizeof *block->words))
		return cause(causes, VARVE_NO_MEMORY, "no memory for %zu records of a block",
			     block->count);
	*words = block->words + block->word_count;
	block->rows[block->count] = *row;
	block->rows[block->count++].word_at = block->word_count;
	block->word_count += row->words;
	return VARVE_OK;
}

/* Sets the fields of a definition in the order of docs/format.md; returns their number. */
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
	if (list_room(&block->definitions, block->definition_bytes, &block->definition_room, most,
		      1))
		return cause(causes, VARVE_NO_MEMORY, "no memory for the definitions of a block");
	uint8_t *bytes = block->definitions;
	uint8_t *at = bytes + block->definition_bytes;
	*at++ = (uint8_t)(definition->type - DEFINE_FIRST);
	at = varint_put(at, block->partial ? definition->before * 2 + definition->after_gap
					   : definition->before);
	for (unsigned i = 0; i < count; i++)
		at = varint_put(at, field[i]);
	if (definition->text_length)
		memcpy(at, definition->text, definition->text_length);
	block->definition_bytes = (size_t)(at - bytes) + definition->text_length;
	block->definition_count++;
	return VARVE_OK;
}
