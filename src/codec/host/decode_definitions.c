/* Codec: the definitions of a block. See decode.h; encode_definitions.c writes this form. */
#include "codec/host/decode.h"

#include "base/varint.h"

#include <stdlib.h>

enum { FIELDS_MOST = 7 };

static enum varve_status definition_damaged(struct varve_causes *causes, const char *what)
{
	return cause(causes, VARVE_DAMAGED, "damaged definitions: %s", what);
}

/* Sets one definition from its fields; false if its type is unknown. */
static bool definition_make(unsigned type, const uint64_t *field, struct definition *made)
{
	made->type = (enum define)(DEFINE_FIRST + type);
	switch (made->type) {
	case DEFINE_FIRST: /* DEFINE_NAME */
		made->id = (uint32_t)field[0];
		made->base_kind = (uint32_t)field[1];
		made->base = (uint32_t)field[2];
		made->text_length = (uint32_t)field[3];
		return true;
	case DEFINE_HANDLE:
		made->id = (uint32_t)field[0];
		made->kind = field[1] & 0xff;
		made->how = field[1] >> 8 & 0xff;
		made->origin = field[1] >> 16 & 0xff;
		made->fd = (int32_t)field[2];
		made->name = (uint32_t)field[3];
		made->other = (uint32_t)field[4];
		made->device = field[5];
		made->inode = field[6];
		return true;
	case DEFINE_IDENTITY:
		made->kind = (uint32_t)field[0];
		made->id = (uint32_t)field[1];
		made->device = field[2];
		made->inode = field[3];
		made->how = (uint32_t)field[4];
		return true;
	case DEFINE_PROCESS:
		made->text_length = (uint32_t)field[0];
		return true;
	case DEFINE_THREAD:
		made->id = (uint32_t)field[0];
		made->fd = (int32_t)field[1];
		made->other = (uint32_t)field[2];
		return true;
	}
	return false;
}

static enum varve_status definitions_parse(struct definitions *definitions, const uint8_t *at,
					   const uint8_t *end, const struct block_header *header,
					   struct varve_causes *causes)
{
	static const uint8_t fields[] = {4, 7, 5, 1, 3};
	bool part = header->version == BLOCK_VERSION_PART;
	uint64_t before = 0;
	for (size_t i = 0; i < definitions->count; i++) {
		struct definition *made = &definitions->list[i];
		uint64_t field[FIELDS_MOST] = {0};
		if (at >= end)
			return definition_damaged(causes, "truncated");
		unsigned type = *at++;
		uint64_t place;
		if (type >= sizeof fields || !varint_get(&at, end, &place) || place < before ||
		    (part ? place >> 1 : place) > header->records)
			return definition_damaged(causes, "an unknown type or place");
		before = place;
		made->before = part ? place >> 1 : place;
		made->after_gap = part && (place & 1);
		for (unsigned word = 0; word < fields[type]; word++)
			if (!varint_get(&at, end, &field[word]))
				return definition_damaged(causes, "truncated");
		if (!definition_make(type, field, made))
			return definition_damaged(causes, "an unknown type");
		if (made->text_length > (size_t)(end - at))
			return definition_damaged(causes, "a text is truncated");
		made->text = (const char *)at;
		at += made->text_length;
	}
	return at == end ? VARVE_OK : definition_damaged(causes, "bytes are left over");
}

enum varve_status definitions_read(struct decoder *decoder, const uint8_t *bytes,
				   const struct block_header *header,
				   struct definitions *definitions, struct varve_causes *causes)
{
	struct block_column row;
	const uint8_t *stored, *text;
	size_t budget = DECODE_BUDGET(header->length), count = header->definitions;
	*definitions = (struct definitions){0};
	if (!count)
		return VARVE_OK;
	if (!block_column_find(bytes, header, COLUMN_DEFINITIONS, &row, &stored))
		return definition_damaged(causes, "they are missing");
	if (count > row.count || count > budget / sizeof *definitions->list)
		return definition_damaged(causes, "their number does not match their size");
	budget -= count * sizeof *definitions->list;
	TRY(block_bytes(decoder, &row, stored, &budget, &text, &definitions->bytes, causes));
	definitions->list = calloc(count, sizeof *definitions->list);
	definitions->count = count;
	enum varve_status status =
		definitions->list
			? definitions_parse(definitions, text, text + row.count, header, causes)
			: cause(causes, VARVE_NO_MEMORY, "no memory for %zu definitions", count);
	size_t size = DECODE_BUDGET(header->length) - budget;
	if (status == VARVE_OK)
		status = decoder_hold(decoder, size, causes);
	if (status != VARVE_OK) {
		definitions_clear(definitions);
		return status;
	}
	definitions->decoder = decoder;
	definitions->held = size;
	return VARVE_OK;
}

void definitions_clear(struct definitions *definitions)
{
	free(definitions->list);
	free(definitions->bytes);
	if (definitions->held)
		definitions->decoder->held -= definitions->held;
	*definitions = (struct definitions){0};
}
