/* Loop: a sequence of 64-bit values as a few affine blocks.
 *
 * In loops, numbers almost always change along a line, or along nested lines: offset = start + i * stride, and the next row has
 * another start. A series takes values one by one and keeps blocks of up to SERIES_DIMENSIONS nested strides. The blocks depend
 * only on the values. If there are too many blocks, VARVE_LIMIT is returned, and the caller uses a raw column. Nothing here
 * writes, reads files or gives the values a meaning. Arithmetic is modulo 2^64.
 */
#ifndef LOOP_SERIES_H
#define LOOP_SERIES_H

#include "base/likely.h"
#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SERIES_DIMENSIONS = 4 };

/* start + sum of index[d] * stride[d], 0 <= index[d] < count[d]; dimension 0 changes fastest. Counts are at least 2; a single
 * value has no dimension. No dimension continues where the one below it ends: stride[d + 1] != stride[d] * count[d]. */
struct series_block {
	uint64_t start;
	uint64_t values; /* product of the counts */
	uint32_t dimensions;
	uint64_t count[SERIES_DIMENSIONS];
	uint64_t stride[SERIES_DIMENSIONS];
};

/* The values of a series are those of `blocks`, then those of `open` from the last to the first, then those of `run`. */
struct series {
	struct series_block *blocks;
	size_t count;
	size_t room;
	size_t most;	 /* maximum number of blocks */
	uint64_t values; /* number of values so far; the caller keeps it below 2^64 */
	struct {
		uint64_t start, stride, count, next;
	} run; /* the newest values; count == 0: none */
	/* Blocks that may still grow: the pieces of open[d] have d + 1 dimensions. A series that is a single run does not
	 * allocate memory. */
	struct series_block *open;
	uint32_t levels; /* number of elements of `open` in use */
};

void series_start(struct series *series, size_t most);

/* Adds `count` values start, start + stride ..., with the same result as one by one. VARVE_LIMIT: there are more blocks than
 * `most`; the values were added, and series_finish() still makes blocks of them. VARVE_NO_MEMORY: values are lost. */
static inline enum varve_status series_put(struct series *series, uint64_t start, uint64_t stride,
					   uint64_t count) MUST_CHECK;

/* Of `count` values at a distance of `step`, adds those at the beginning that continue the run; returns their number. */
static inline size_t series_put_expected(struct series *series, const uint64_t *values, size_t step,
					 size_t count);

/* Makes blocks of all values. Nothing may be added afterwards. VARVE_LIMIT: as for series_put(); the blocks are complete. */
enum varve_status series_finish(struct series *series) MUST_CHECK;
void series_clear(struct series *series);

/* Value `at` of a block. */
uint64_t series_block_value(const struct series_block *block, uint64_t at);

/* The sum of the first `values` values of blocks. */
uint64_t series_sum(const struct series_block *blocks, size_t count, uint64_t values);

/* Whether blocks that were read are well formed, and have `values` values. */
bool series_check(const struct series_block *blocks, size_t count, uint64_t values);

/* The smallest and the largest value of a block, with strides as signed numbers; false: values wrap around, or one is above
 * INT64_MAX. */
bool series_block_range(const struct series_block *block, uint64_t *least, uint64_t *greatest);

/* Reads the values of finished blocks from any position on. */
struct series_cursor {
	const struct series_block *blocks;
	size_t count;
	size_t block;
	uint64_t at; /* in the block */
};
void series_seek(struct series_cursor *cursor, const struct series_block *blocks, size_t count,
		 uint64_t value);
/* The rest of the innermost line from here on, at most `most` values: sets *start and *stride, and returns their number; 0: the
 * end. */
uint64_t series_run(struct series_cursor *cursor, uint64_t most, uint64_t *start, uint64_t *stride);
/* Reads the next `count` values, which must exist. */
void series_take(struct series_cursor *cursor, size_t count, uint64_t *values);

/* For series_put(): handles all cases except a longer run. */
enum varve_status series_put_run(struct series *series, uint64_t start, uint64_t stride,
				 uint64_t count) MUST_CHECK;

static inline enum varve_status series_put(struct series *series, uint64_t start, uint64_t stride,
					   uint64_t count)
{
	if (LIKELY(series->run.count >= 2 && start == series->run.next &&
		   (stride == series->run.stride || count == 1))) {
		series->run.count += count;
		series->run.next += series->run.stride * count;
		series->values += count;
		return VARVE_OK;
	}
	return series_put_run(series, start, stride, count);
}

static inline size_t series_put_expected(struct series *series, const uint64_t *values, size_t step,
					 size_t count)
{
	const uint64_t stride = series->run.stride;
	uint64_t next = series->run.next;
	size_t at = 0;
	if (series->run.count < 2)
		return 0;
	for (; at < count && values[at * step] == next; at++)
		next += stride;
	series->run.count += at;
	series->run.next = next;
	series->values += at;
	return at;
}

#endif
