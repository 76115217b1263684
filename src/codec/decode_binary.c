/* Codec: records of the plain codec. See decode.h; the form is that of encode_binary.c. */
#include "codec/decode.h"

#include "codec/column.h"

#include <stdlib.h>
#include <string.h>

enum { BINARY_HEAD = 48 };

static uint64_t get64(const uint8_t *at)
{
	uint64_t value;
	memcpy(&value, at, sizeof value);
	return value;
}

enum status decode_binary(const uint8_t *stored, const struct block_column *column,
			  struct batch *batch, struct varve_causes *causes)
{
	size_t size = column->count;
	if (column->encoding != ENCODING_BYTES || batch->count > size / BINARY_HEAD ||
	    size > BLOCK_BYTES_MOST)
		return cause(causes, STATUS_DAMAGED, "records do not fit their bytes");
	batch->rows = malloc(size + 1);
	batch->row_at = calloc(batch->count + 1, sizeof *batch->row_at);
	if (!batch->rows || !batch->row_at)
		return cause(causes, STATUS_NO_MEMORY, "no memory for %zu records", batch->count);
	TRY(column_get_bytes(stored, column->stored, size, batch->rows, causes));
	size_t at = 0;
	for (size_t i = 0; i < batch->count; i++) {
		if (size - at < BINARY_HEAD || batch->rows[at + 4] > RECORD_ARGUMENTS_MOST ||
		    size - at - BINARY_HEAD < (size_t)batch->rows[at + 4] * 8)
			return cause(causes, STATUS_DAMAGED, "a record is cut short");
		batch->row_at[i] = (uint32_t)at;
		at += BINARY_HEAD + (size_t)batch->rows[at + 4] * 8;
	}
	return at == size ? STATUS_OK
			  : cause(causes, STATUS_DAMAGED, "bytes are left over behind the records");
}

void batch_record_binary(const struct batch *batch, size_t at, struct record *record)
{
	const uint8_t *row = batch->rows + batch->row_at[at];
	record->marks = row[0];
	record->depth = row[1];
	memcpy(&record->function, row + 2, sizeof record->function);
	record->words = row[4];
	record->ordinal = get64(row + 8);
	record->entry = (int64_t)get64(row + 16);
	record->exit = (int64_t)get64(row + 24);
	record->result = (int64_t)get64(row + 32);
	record->error = (int32_t)get64(row + 40);
	for (uint32_t i = 0; i < record->words; i++)
		record->word[i] = get64(row + BINARY_HEAD + i * 8);
}
