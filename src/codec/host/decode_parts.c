/* Codec: what can be read from a block without opening it for its records: where a column is, bytes, numbers of records. See
 * decode.h.
 */
#include "codec/host/decode.h"

#include <stdlib.h>
#include <string.h>

static enum varve_status block_damaged(struct varve_causes *causes, const char *what)
{
	return cause(causes, VARVE_DAMAGED, "damaged block: %s", what);
}

static enum varve_status parts_no_memory(struct varve_causes *causes)
{
	return cause(causes, VARVE_NO_MEMORY, "no memory to decode a block");
}

bool block_column_find(const uint8_t *bytes, const struct block_header *header, unsigned column,
		       struct block_column *row, const uint8_t **stored)
{
	size_t at = header->header_length;
	for (uint32_t i = 0; i < header->columns; i++) {
		*row = block_column_at(bytes, header, i);
		if (row->stored > header->length - at)
			return false;
		if (row->function == 0 && row->column == column) {
			*stored = bytes + at;
			return true;
		}
		at += row->stored;
	}
	return false;
}

enum varve_status block_bytes(struct decoder *decoder, const struct block_column *row,
			      const uint8_t *stored, size_t *budget, const uint8_t **bytes,
			      uint8_t **memory, struct varve_causes *causes)
{
	struct column_reader reader;
	*memory = NULL;
	if (row->encoding != ENCODING_BYTES)
		return block_damaged(causes, "bytes in another encoding");
	TRY(column_open(&reader, &decoder->columns, ENCODING_BYTES, stored, row->stored, row->count,
			budget, causes));
	*bytes = column_bytes(&reader);
	*memory = reader.memory;
	if (*bytes)
		return VARVE_OK;
	if (row->count > *budget)
		return block_damaged(causes, "it is too large to have been recorded");
	*budget -= row->count;
	*memory = malloc((size_t)row->count + 1);
	if (!*memory)
		return parts_no_memory(causes);
	memset(*memory, (int)reader.value, row->count);
	*bytes = *memory;
	return VARVE_OK;
}

uint32_t block_continued(const uint8_t *bytes, const struct block_header *header)
{
	struct block_column row;
	const uint8_t *stored;
	if (!block_summarized(header))
		return UINT32_MAX;
	return block_column_find(bytes, header, COLUMN_ORDINALS, &row, &stored) ? row.count : 0;
}

enum varve_status block_ordinals(struct decoder *decoder, const uint8_t *bytes,
				 const struct block_header *header, uint64_t **list, size_t *count,
				 struct varve_causes *causes)
{
	struct block_column row;
	const uint8_t *stored;
	size_t budget = DECODE_BUDGET(header->length);
	*list = NULL;
	*count = 0;
	if (!block_column_find(bytes, header, COLUMN_ORDINALS, &row, &stored))
		return VARVE_OK;
	struct column_reader reader;
	if (row.count > header->records || row.count > CONTINUED_MOST)
		return block_damaged(causes, "it continues more calls than can be open");
	TRY(column_open(&reader, &decoder->columns, (enum column_encoding)row.encoding, stored,
			row.stored, row.count, &budget, causes));
	*list = malloc((size_t)row.count * sizeof **list + 1);
	if (*list) {
		*count = row.count;
		column_take(&reader, row.count, *list);
	}
	column_close(&reader);
	return *list ? VARVE_OK : parts_no_memory(causes);
}

enum varve_status block_ordinals_end(struct decoder *decoder, const uint8_t *bytes,
				     const struct block_header *header, size_t continued,
				     uint64_t *end, struct varve_causes *causes)
{
	struct block_column row;
	const uint8_t *stored;
	size_t budget = DECODE_BUDGET(header->length);
	struct column_reader reader;
	uint64_t values[64];
	*end = header->first_ordinal;
	if (header->records < continued)
		return VARVE_OK;
	if (header->version != BLOCK_VERSION_PART) {
		*end += header->records - continued;
		return VARVE_OK;
	}
	if (!block_column_find(bytes, header, COLUMN_NUMBERS, &row, &stored) || !row.count)
		return VARVE_OK;
	TRY(column_open(&reader, &decoder->columns, (enum column_encoding)row.encoding, stored,
			row.stored, row.count, &budget, causes));
	for (size_t left = row.count; left;) {
		size_t count = left < 64 ? left : 64;
		column_take(&reader, count, values);
		left -= count;
		*end = values[count - 1] + 1;
	}
	column_close(&reader);
	return VARVE_OK;
}
