/* Codec: records of codec rows. See decode.h; encode_rows.c writes this form. */
#include "codec/host/decode.h"

#include <string.h>

enum { ROW_HEAD = 48 };

static uint64_t get64(const uint8_t *at)
{
	uint64_t value;
	memcpy(&value, at, sizeof value);
	return value;
}

static bool row_fits(const uint8_t *at, const uint8_t *end)
{
	return end - at >= ROW_HEAD && at[4] <= RECORD_ARGUMENTS_MOST &&
	       end - at - ROW_HEAD >= at[4] * 8;
}

/* Checks all rows, so that taking them fails only if the file was changed meanwhile. */
enum varve_status rows_open(struct block_reader *reader, struct varve_causes *causes)
{
	struct block_column row;
	const uint8_t *stored;
	if (!block_column_find(reader->bytes, &reader->header, COLUMN_ROWS, &row, &stored))
		return cause(causes, VARVE_DAMAGED, "damaged block: it has no records");
	if (row.encoding != ENCODING_BYTES || reader->count > row.count / ROW_HEAD)
		return cause(causes, VARVE_DAMAGED,
			     "damaged block: the length of its records is wrong");
	if (!reader->header.columns)
		return VARVE_OK;
	/* The memory is freed with the first column, whichever that is in the header. */
	TRY(block_bytes(reader->decoder, &row, stored, &reader->budget, &reader->long_at,
			&reader->columns[0].memory, causes));
	reader->long_end = reader->long_at + row.count;
	const uint8_t *at = reader->long_at, *end = reader->long_end;
	size_t continued = 0;
	for (size_t i = 0; i < reader->count; i++) {
		if (!row_fits(at, end))
			return cause(causes, VARVE_DAMAGED, "truncated record");
		continued += !!(at[0] & VARVE_CONTINUED);
		at += ROW_HEAD + at[4] * 8;
	}
	if (continued > CONTINUED_MOST)
		return cause(causes, VARVE_DAMAGED,
			     "damaged block: it continues more calls than can be open");
	return at == end ? VARVE_OK
			 : cause(causes, VARVE_DAMAGED,
				 "damaged block: there are bytes after the records");
}

enum varve_status rows_take(struct block_reader *reader, const struct record_columns *to,
			    size_t count, struct varve_causes *causes)
{
	uint32_t next = 0;
	const uint8_t *row = reader->long_at;
	for (size_t i = 0; i < count; i++) {
		if (!row_fits(row, reader->long_end))
			return cause(causes, VARVE_DAMAGED,
				     "damaged block: it changed while it was read");
		uint8_t words = row[4];
		to->marks[i] = row[0];
		to->depth[i] = row[1];
		memcpy(&to->function[i], row + 2, sizeof to->function[i]);
		to->ordinal[i] = get64(row + 8);
		if (reader->want & WANT_TIMES) {
			to->entry[i] = (int64_t)(get64(row + 16) + (uint64_t)reader->shift);
			to->exit[i] = (int64_t)(get64(row + 24) + (uint64_t)reader->shift);
		}
		if (reader->want & WANT_RESULTS) {
			to->result[i] = (int64_t)get64(row + 32);
			memcpy(&to->error[i], row + 40, sizeof to->error[i]);
		}
		row += ROW_HEAD;
		if (reader->want & WANT_WORDS) {
			to->word_at[i] = next;
			to->word_count[i] = words;
			memcpy(to->words + next, row, words * sizeof *to->words);
			next += words;
		}
		row += words * 8;
	}
	reader->long_at = row;
	return VARVE_OK;
}
