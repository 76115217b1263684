/* Codec: one column of values to bytes and back.
 *
 * A column is stored in the smallest of a few forms that are cheap to find: constant, straight line, or byte planes of the
 * values or of their differences; each plane is stored as it is or compressed with zstd. The writer allocates nothing: it runs
 * inside traced programs. The reader trusts nothing.
 */
#ifndef CODEC_COLUMN_H
#define CODEC_COLUMN_H

#include "base/status.h"

#include <stdbool.h>
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

/* The nature of bytes; selects the parameters of zstd. NOISE: few symbols, no repeats worth searching for. */
enum plane_nature { NATURE_TEXT, NATURE_NOISE };

struct column_writer {
	void *zstd;	/* zstd's static compression context */
	uint8_t *plane; /* room for one plane of the longest column */
	int nature;	/* the nature that the context is set up for */
	bool patient;	/* small output matters more than speed: not used inside a traced program */
};

/* The memory that a writer needs; and its start in memory of that size, aligned to 16. */
size_t column_writer_size(bool patient);
void column_writer_start(struct column_writer *writer, void *memory, uint8_t *plane, bool patient);

/* Each writes at `at` and returns the end. The output needs room for twice the input plus 64 bytes. */
uint8_t *column_put_constant(uint8_t *at, uint64_t value);
uint8_t *column_put_line(uint8_t *at, uint64_t start, uint64_t stride);
uint8_t *column_put_bytes(struct column_writer *writer, uint8_t *at, const uint8_t *bytes,
			  size_t count, enum plane_nature nature);
uint8_t *column_put_planes(struct column_writer *writer, uint8_t *at, const uint64_t *values,
			   size_t count);

/* A column that is read from its start, some values at a time. Constants, lines and uncompressed planes need no memory;
 * compressed planes need a byte for each value. */
struct column_reader {
	uint8_t mode; /* enum planes_mode; PLANES_VALUES for lines and constants */
	uint8_t width;
	uint64_t value;	 /* is added to numbers; with differences: the last value */
	uint64_t stride; /* of a line */
	uint64_t number; /* with differences: what constant planes add to each number */
	size_t at;
	size_t count;
	uint8_t planes;	  /* number of planes that are not constant */
	uint8_t shift[8]; /* position of each of them in a value, in bits */
	const uint8_t *plane[8];
	uint8_t *memory; /* of compressed planes */
};

/* Memory that the readers of one thread share: the context of zstd. */
struct column_decoder {
	void *zstd;
	/* Called when stored bytes are damaged; returns whether it has repaired them. NULL: they cannot be repaired. */
	bool (*mend)(void *context, const uint8_t *bytes, size_t length);
	void *context;
	/* The last part of a packed file that was wrong or missing, as it is listed; length 0: there was none. */
	uint64_t wrong_offset;
	uint32_t wrong_length;
};
void column_decoder_clear(struct column_decoder *decoder);

/* Begins to read a column of `count` values that is stored in `size` bytes, which must stay valid and must be used up exactly.
 * `*budget` is the memory that may be allocated, and is decreased. After VARVE_OK, column_close() is required. */
enum varve_status column_open(struct column_reader *reader, struct column_decoder *decoder,
			      enum column_encoding encoding, const uint8_t *stored, size_t size,
			      size_t count, size_t *budget, struct varve_causes *causes) MUST_CHECK;
void column_close(struct column_reader *reader);

/* Reads the next `count` values; no more than are left. */
void column_take(struct column_reader *reader, size_t count, uint64_t *values);

/* Whether all values are equal to `value`. */
static inline bool column_constant(const struct column_reader *reader)
{
	return !reader->planes && !reader->stride && reader->mode == PLANES_VALUES;
}

/* The bytes of a column of encoding ENCODING_BYTES that was just opened; NULL: all are equal to `value`. */
static inline const uint8_t *column_bytes(const struct column_reader *reader)
{
	return reader->planes ? reader->plane[0] : NULL;
}

#endif
