/* Codec: from a block back to records. Input is hostile: every length is checked, nothing is trusted.
 *
 * decode_block() makes a batch; the batch owns its memory until batch_clear(). Columns that are not asked for are
 * not touched.
 */
#ifndef CODEC_DECODE_H
#define CODEC_DECODE_H

#include "codec/block.h"
#include "codec/record.h"
#include "codec/rows.h"

#include <stddef.h>

/* Which parts of records are wanted. Function, depth, marks and ordinal always are. */
enum want { WANT_TIMES = 1, WANT_RESULTS = 2, WANT_WORDS = 4, WANT_DEFINITIONS = 8, WANT_ALL = 15 };

struct batch_shape {
	uint16_t function; /* id */
	uint8_t depth;
	uint8_t marks;
	uint32_t index; /* of the function in the batch */
};

/* Columns of one function; a column that was not asked for or is not there is NULL. */
struct batch_function {
	uint16_t id;
	uint32_t words;
	uint32_t count;
	uint32_t finished;
	uint32_t failed;
	uint64_t *result;
	uint64_t *error;
	uint64_t *word[RECORD_ARGUMENTS_MOST];
};

/* Where a record's values stand in the columns of its function. */
struct batch_place {
	uint32_t record;
	uint32_t finished;
	uint32_t failed;
};

struct batch {
	struct block_header header;
	size_t count; /* records */
	size_t definition_count;
	struct definition *definitions; /* in the order of `before` */
	uint8_t *definition_bytes;
	struct batch_shape *shapes;
	size_t shape_count;
	uint64_t *shape_of;	   /* per record */
	struct batch_place *place; /* per record */
	struct batch_function *functions;
	size_t function_count;
	int64_t *entry;
	int64_t *exit;
	uint64_t *ordinal;
	uint8_t *rows; /* codec binary: the records as they were stored */
	uint32_t *row_at;
	unsigned want;
};

/* Decodes a whole block at `bytes` that block_open accepted; its payload is checked here. On failure the batch is
 * empty. */
enum status decode_block(const uint8_t *bytes, const struct block_header *header,
			 const struct call_row *rows, size_t row_count, unsigned want,
			 struct batch *batch, struct varve_causes *causes) MUST_CHECK;

/* Record `at` of the batch, at < batch->count. */
void batch_record(const struct batch *batch, size_t at, struct record *record);

void batch_clear(struct batch *batch);

/* decode_binary.c, decode_definitions.c: parts of decode_block(). */
enum status decode_binary(const uint8_t *stored, const struct block_column *column,
			  struct batch *batch, struct varve_causes *causes) MUST_CHECK;
void batch_record_binary(const struct batch *batch, size_t at, struct record *record);
enum status decode_definitions(const uint8_t *stored, const struct block_column *column,
			       struct batch *batch, struct varve_causes *causes) MUST_CHECK;

#endif
