/* Loop: all values of one column of a stream: a series if they are regular, else raw parts.
 *
 * A writer takes values in order. Affine values stay in memory as a few blocks; others are moved to a spool in parts of
 * VALUES_PART values. A reader starts at any value; parts are decoded when they are reached. Nothing here gives the values a
 * meaning, or assigns a column to a track (track.h).
 */
#ifndef LOOP_VALUES_H
#define LOOP_VALUES_H

#include "base/host/spool.h"
#include "codec/column.h"
#include "loop/series.h"

enum { VALUES_PART = 16384, VALUES_BLOCKS = 64, VALUES_BLOCKS_FEW = 8 };

/* A stored part: one byte for the encoding (enum column_encoding), then the bytes of the column. */
struct values_part {
	uint64_t offset; /* in the spool, or in the packed file */
	uint32_t stored; /* bytes */
	uint32_t check;	 /* values_check() of these bytes */
	uint64_t
		place; /* while packing: the chunk of its first value; later its position in the data */
};

struct values {
	uint64_t count;
	bool raw;
	bool settled; /* see track_settle() */
	union {	      /* if not raw */
		struct series_block *blocks;
		/* If settled: the dimensions of all blocks (bytes); then for each block the start, and count and stride of each
		 * dimension. The track owns this memory. */
		const uint64_t *numbers;
	};
	size_t block_count;
	struct values_part *parts; /* if raw: VALUES_PART values each, except the last one */
	size_t part_count;
};
void values_clear(struct values *values);

/* Number of words before the numbers of settled blocks. */
static inline size_t values_dimension_words(const struct values *values)
{
	return (values->block_count + 7) / 8;
}

static inline size_t values_parts(uint64_t count)
{
	return (size_t)((count + VALUES_PART - 1) / VALUES_PART);
}

uint32_t values_check(const uint8_t *stored, size_t length);

/* What the writers of a thread share. */
struct values_coder {
	struct column_writer column;
	struct spool *spool;
	uint8_t *stored; /* room for a part */
	void *memory;
	uint64_t chunk; /* chunk of the stream to which the present values belong */
};
enum varve_status values_coder_start(struct values_coder *coder, struct spool *spool,
				     struct varve_causes *causes) MUST_CHECK;
void values_coder_stop(struct values_coder *coder);

struct values_writer {
	struct series series;
	bool raw;
	uint64_t count;
	uint64_t *pending; /* raw values that are not in a part yet */
	size_t pending_count;
	size_t pending_room;
	uint64_t pending_chunk; /* chunk of the first of them */
	uint64_t chunk;		/* chunk of the first of all values */
	struct values_part *parts;
	size_t part_count;
};
/* A column with more than `most` blocks becomes raw; `most` is at most VALUES_BLOCKS. */
void values_start(struct values_writer *writer, size_t most);
enum varve_status values_put(struct values_writer *writer, struct values_coder *coder,
			     uint64_t value, struct varve_causes *causes) MUST_CHECK;
/* `count` values at a distance of `step`, with the same result as one by one. */
enum varve_status values_put_all(struct values_writer *writer, struct values_coder *coder,
				 const uint64_t *values, size_t step, size_t count,
				 struct varve_causes *causes) MUST_CHECK;
/* The writer cannot be used afterwards, even if this fails. */
enum varve_status values_finish(struct values_writer *writer, struct values_coder *coder,
				struct values *values, struct varve_causes *causes) MUST_CHECK;
void values_drop(struct values_writer *writer);

/* Makes one part from values, or from bytes, and puts it into the spool. */
enum varve_status values_part_put(struct values_coder *coder, const uint64_t *values, size_t count,
				  struct values_part *part, struct varve_causes *causes) MUST_CHECK;
enum varve_status values_bytes_put(struct values_coder *coder, const uint8_t *bytes, size_t count,
				   enum plane_nature nature, struct values_part *part,
				   struct varve_causes *causes) MUST_CHECK;

struct values_reader {
	const struct values *values;
	const uint8_t *file; /* to which offsets of parts refer */
	size_t file_size;
	union {
		struct series_cursor cursor;
		struct {			      /* if raw */
			struct column_reader *column; /* of the open part; NULL: not allocated */
			size_t part;
			uint64_t left;
			bool open;
		};
	};
};
/* The values, blocks and parts must stay valid. */
void values_open(struct values_reader *reader, const struct values *values, const uint8_t *file,
		 size_t file_size);
void values_close(struct values_reader *reader);
/* Makes number `at` the next value. */
enum varve_status values_seek(struct values_reader *reader, struct column_decoder *decoder,
			      uint64_t at, struct varve_causes *causes) MUST_CHECK;
/* Reads the next `count` values. */
enum varve_status values_take(struct values_reader *reader, struct column_decoder *decoder,
			      size_t count, uint64_t *values,
			      struct varve_causes *causes) MUST_CHECK;

/* Opens a part with `count` values; for bytes see column_bytes(). Afterwards column_close() is required. */
enum varve_status values_part_open(struct column_reader *column, struct column_decoder *decoder,
				   const struct values_part *part, const uint8_t *file,
				   size_t file_size, size_t count,
				   struct varve_causes *causes) MUST_CHECK;

#endif
