/* Codec: one column of values to bytes and back.
 *
 * A column is stored in the smallest of a few forms that are cheap to find: constant, a straight line, or byte planes
 * of the values or of their differences, each plane as it is or by zstd. The writer allocates nothing: it runs inside
 * traced programs. The reader trusts nothing.
 */
#ifndef CODEC_COLUMN_H
#define CODEC_COLUMN_H

#include "base/status.h"

#include <stddef.h>
#include <stdint.h>

enum column_encoding {
	ENCODING_CONSTANT = 0, /* varint value */
	ENCODING_LINE = 1,     /* varint start, varint zigzag stride */
	ENCODING_PLANES = 2, /* mode, width, varint base, then `width` planes, lowest byte first */
	ENCODING_BYTES = 3,  /* one plane: the column is bytes */
};

enum plane_encoding { PLANE_CONSTANT = 0, PLANE_STORED = 1, PLANE_ZSTD = 2 };
enum planes_mode { PLANES_VALUES = 0, PLANES_DIFFERENCES = 1 };

/* What bytes are like: decides how zstd is asked. NOISE: few symbols, no repeats worth a search. */
enum plane_nature { NATURE_TEXT, NATURE_NOISE };

struct column_writer {
	void *zstd;	/* static compression context */
	uint8_t *plane; /* room for one plane of the longest column */
	int nature;	/* what the context is set up for */
};

/* Memory that a writer needs, and its start in memory of that size, aligned to 16. */
size_t column_writer_size(void);
void column_writer_start(struct column_writer *writer, void *memory, uint8_t *plane);

/* Each writes at `at` and returns the end; room for twice the input and 64 bytes must be there. */
uint8_t *column_put_constant(uint8_t *at, uint64_t value);
uint8_t *column_put_line(uint8_t *at, uint64_t start, uint64_t stride);
uint8_t *column_put_bytes(struct column_writer *writer, uint8_t *at, const uint8_t *bytes,
			  size_t count, enum plane_nature nature);
uint8_t *column_put_planes(struct column_writer *writer, uint8_t *at, const uint64_t *values,
			   size_t count);

/* Reads `count` values; the stored bytes must be used up exactly. ENCODING_BYTES gives the bytes as values.
 * `values` has room for `count` values and `count` bytes of scratch behind them. */
enum status column_get(enum column_encoding encoding, const uint8_t *stored, size_t size,
		       size_t count, uint64_t *values, struct varve_causes *causes) MUST_CHECK;

/* Reads a column of bytes as bytes. */
enum status column_get_bytes(const uint8_t *stored, size_t size, size_t count, uint8_t *bytes,
			     struct varve_causes *causes) MUST_CHECK;

#endif
