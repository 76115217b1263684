/* Codec: the plain codec `rows`: complete records, one after the other. The reference for the other codecs, and the fallback
 * for a lane with more kinds of records than the columns have room for.
 *
 * Each record: marks, depth, function (2 bytes), words (1 byte), zero (3 bytes), ordinal, entry, exit, result (8 bytes each),
 * errno (4 bytes), zero (4 bytes), then its words.
 */
#include "codec/inprocess/encode_state.h"

#include <string.h>

static uint8_t *put64(uint8_t *at, uint64_t value)
{
	memcpy(at, &value, sizeof value);
	return at + sizeof value;
}

static uint8_t *put_row(uint8_t *at, const struct record *record)
{
	*at++ = record->marks;
	*at++ = record->depth;
	memcpy(at, &record->function, sizeof record->function);
	at += sizeof record->function;
	*at++ = (uint8_t)record->words;
	memset(at, 0, 3);
	at = put64(at + 3, record->ordinal);
	at = put64(at, (uint64_t)record->entry);
	at = put64(at, (uint64_t)record->exit);
	at = put64(at, (uint64_t)record->result);
	at = put64(at, (uint32_t)record->error);
	memcpy(at, record->word, record->words * sizeof *record->word);
	return at + record->words * sizeof *record->word;
}

void encode_rows(struct encode *encode, uint8_t *block)
{
	struct block_column rows[2];
	struct column_rows to = {&encode->writer, rows, 0, block + sizeof encode->header};
	struct plain_pass pass = plain_start(encode);
	uint8_t *first = to.at + 1, *at = first;
	*to.at = PLANE_STORED;
	while (plain_next(&pass))
		at = put_row(at, &pass.record);
	column_rows_done(&to, 0, COLUMN_ROWS, ENCODING_BYTES, (size_t)(at - first), at);
	/* This column exists even if it is empty. */
	size_t count = (size_t)(encode->definitions_end - encode->definitions);
	column_rows_done(
		&to, 0, COLUMN_DEFINITIONS, ENCODING_BYTES, count,
		column_put_bytes(&encode->writer, to.at, encode->definitions, count, NATURE_TEXT));
	plain_finish(&pass, &to, block, CODEC_ROWS);
}
