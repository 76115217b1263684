/* Tests: a whole block decoded to records, with the reader that returns a few rows at a time. */
#ifndef TESTS_UNIT_DECODED_H
#define TESTS_UNIT_DECODED_H

#include "codec/host/decode.h"

#include <stdlib.h>
#include <string.h>

struct decoded {
	size_t count;
	struct record *records;
	struct definitions definitions;
};

static inline void decoded_clear(struct decoded *decoded)
{
	free(decoded->records);
	definitions_clear(&decoded->definitions);
	*decoded = (struct decoded){0};
}

/* Appends `count` rows as records. Columns that were not requested are 0. */
static inline void decoded_add(struct decoded *decoded, const struct record_rows *rows,
			       size_t count)
{
	decoded->records =
		realloc(decoded->records, (decoded->count + count + 1) * sizeof *decoded->records);
	for (size_t i = 0; i < count; i++)
		record_rows_get(rows, i, &decoded->records[decoded->count++]);
}

/* Checks and decodes a block that block_open() accepted, at most `at_once` rows at a time. */
static inline enum varve_status decoded_make(const uint8_t *block,
					     const struct block_header *header,
					     const struct call_row *rows, size_t row_count,
					     unsigned want, size_t at_once, struct decoded *decoded,
					     struct varve_causes *causes)
{
	*decoded = (struct decoded){0};
	TRY(block_check(block, header, causes));
	static struct decoder decoder; /* one for all, as in a reader */
	struct block_reader reader = {0};
	struct record_rows *to = calloc(1, sizeof *to);
	const struct record_columns columns = RECORD_COLUMNS_OF(to);
	enum varve_status status =
		block_reader_open(&reader, &decoder, block, header, rows, row_count, want, causes);
	for (size_t count = at_once; status == VARVE_OK && count;) {
		count = at_once;
		status = block_reader_take(&reader, &columns, &count, causes);
		if (status == VARVE_OK)
			decoded_add(decoded, to, count);
	}
	if (status == VARVE_OK && (want & WANT_DEFINITIONS))
		status = definitions_read(&decoder, block, header, &decoded->definitions, causes);
	block_reader_close(&reader);
	free(to);
	if (status != VARVE_OK)
		decoded_clear(decoded);
	return status;
}

#endif
