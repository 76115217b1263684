/* Loop: makes affine blocks of values, and values of blocks.
 *
 * Owns the only rule by which values become blocks. Values are collected greedily into runs: a run ends before the first value
 * that is not on its line. Runs that have the same stride and count, and starts on a line, become a block of two dimensions by
 * the same rule, and so on. A block that ends before it has a second piece cannot become a piece of a larger block: older
 * blocks are emitted first, then it is. No dimension can continue where the one below it ends, because then the one below would
 * not have ended. The rule never looks ahead, so the cost for each value does not depend on the length of a series.
 */
#include "loop/series.h"

#include <stdlib.h>
#include <string.h>

enum { LEVELS = SERIES_DIMENSIONS - 1 };

void series_start(struct series *series, size_t most)
{
	*series = (struct series){.most = most};
}

void series_clear(struct series *series)
{
	free(series->blocks);
	free(series->open);
	series_start(series, series->most);
}

static enum varve_status series_emit(struct series *series, const struct series_block *block)
{
	if (series->count == series->room) {
		/* Most series have one block. */
		size_t room = series->room ? series->room * 4 : 1;
		struct series_block *blocks = realloc(series->blocks, room * sizeof *blocks);
		if (!blocks)
			return VARVE_NO_MEMORY;
		series->blocks = blocks;
		series->room = room;
	}
	struct series_block *last = &series->blocks[series->count++];
	*last = *block;
	if (last->dimensions && last->count[last->dimensions - 1] == 1)
		last->dimensions--;
	for (uint32_t d = last->dimensions; d < SERIES_DIMENSIONS; d++)
		last->count[d] = last->stride[d] = 0;
	return VARVE_OK;
}

static bool blocks_alike(const struct series_block *one, const struct series_block *other,
			 uint32_t dimensions)
{
	for (uint32_t d = 0; d < dimensions; d++)
		if (one->count[d] != other->count[d] || one->stride[d] != other->stride[d])
			return false;
	return true;
}

/* Whether `piece` continues `open`; if so, appends it. The first two pieces always form a line. */
static bool block_grow(struct series_block *open, const struct series_block *piece)
{
	uint32_t d = piece->dimensions;
	if (!blocks_alike(open, piece, d))
		return false;
	if (open->count[d] == 1)
		open->stride[d] = piece->start - open->start;
	else if (piece->start != open->start + open->stride[d] * open->count[d])
		return false;
	open->count[d]++;
	open->values += piece->values;
	return true;
}

static enum varve_status series_leave(struct series *series, uint32_t level);

/* Makes an ended block of level + 1 dimensions a piece of the open block of its level, or the first piece of a new one. */
static enum varve_status series_join(struct series *series, uint32_t level,
				     struct series_block piece)
{
	if (!series->open) {
		series->open = calloc(LEVELS, sizeof *series->open);
		if (!series->open)
			return VARVE_NO_MEMORY;
	}
	for (; level < LEVELS; level++) {
		struct series_block *open = &series->open[level];
		if (level < series->levels && block_grow(open, &piece))
			return VARVE_OK;
		struct series_block ended = *open;
		*open = piece;
		open->dimensions = level + 2;
		open->count[level + 1] = 1;
		if (level >= series->levels) {
			series->levels = level + 1;
			return VARVE_OK;
		}
		if (ended.count[level + 1] == 1) {
			TRY(series_leave(series, level + 1));
			return series_emit(series, &ended);
		}
		piece = ended;
	}
	return series_emit(series, &piece);
}

/* Ends all open blocks from `level` up, and emits them. */
static enum varve_status series_leave(struct series *series, uint32_t level)
{
	uint32_t first = level;
	for (; level < series->levels; level++) {
		struct series_block ended = series->open[level];
		if (ended.count[level + 1] == 1) {
			TRY(series_leave(series, level + 1));
			TRY(series_emit(series, &ended));
			break;
		}
		TRY(series_join(series, level + 1, ended));
	}
	if (series->levels > first)
		series->levels = first;
	return VARVE_OK;
}

static enum varve_status end_run(struct series *series)
{
	struct series_block piece = {.start = series->run.start,
				     .values = series->run.count,
				     .dimensions = 1,
				     .count = {series->run.count},
				     .stride = {series->run.stride}};
	series->run.count = 0;
	if (piece.values > 1)
		return series_join(series, 0, piece);
	TRY(series_leave(series, 0));
	return series_emit(series, &piece);
}

enum varve_status series_put_run(struct series *series, uint64_t start, uint64_t stride,
				 uint64_t count)
{
	series->values += count;
	while (count) {
		uint64_t fit = 1;
		if (!series->run.count) {
			series->run.start = start;
			series->run.stride = stride;
			fit = count;
		} else if (series->run.count == 1) {
			series->run.stride = start - series->run.start;
			if (stride == series->run.stride)
				fit = count;
		} else if (start != series->run.next) {
			TRY(end_run(series));
			continue;
		} else if (stride == series->run.stride) {
			fit = count;
		}
		series->run.count += fit;
		series->run.next = series->run.start + series->run.stride * series->run.count;
		start += stride * fit;
		count -= fit;
	}
	return series->count > series->most ? VARVE_LIMIT : VARVE_OK;
}

enum varve_status series_finish(struct series *series)
{
	if (series->run.count)
		TRY(end_run(series));
	TRY(series_leave(series, 0));
	free(series->open);
	series->open = NULL;
	/* Unused memory is freed because the series may be kept for long. */
	struct series_block *blocks =
		series->count < series->room
			? realloc(series->blocks, series->count * sizeof *blocks)
			: NULL;
	if (blocks) {
		series->blocks = blocks;
		series->room = series->count;
	}
	return series->count > series->most ? VARVE_LIMIT : VARVE_OK;
}

uint64_t series_block_value(const struct series_block *block, uint64_t at)
{
	/* Most values are on the first line, and a division costs more than everything else here. */
	uint64_t value = block->start;
	for (uint32_t d = 0; at && d < block->dimensions; d++) {
		if (at < block->count[d])
			return value + at * block->stride[d];
		value += at % block->count[d] * block->stride[d];
		at /= block->count[d];
	}
	return value;
}

/* 0 + 1 + ... + (n - 1) */
static uint64_t triangle_number(uint64_t n)
{
	return n % 2 ? (n - 1) / 2 * n : n / 2 * (n - 1);
}

/* The index of a dimension is constant for `held` values, and repeats after `period` values. */
static uint64_t block_sum(const struct series_block *block, uint64_t values)
{
	uint64_t sum = block->start * values, held = 1;
	for (uint32_t d = 0; d < block->dimensions; d++) {
		uint64_t period = held * block->count[d], rest = values % period;
		uint64_t indices = values / period * held * triangle_number(block->count[d]) +
				   held * triangle_number(rest / held) +
				   rest % held * (rest / held);
		sum += block->stride[d] * indices;
		held = period;
	}
	return sum;
}

uint64_t series_sum(const struct series_block *blocks, size_t count, uint64_t values)
{
	uint64_t sum = 0;
	for (size_t i = 0; values && i < count; i++) {
		uint64_t some = values < blocks[i].values ? values : blocks[i].values;
		sum += block_sum(&blocks[i], some);
		values -= some;
	}
	return sum;
}

bool series_check(const struct series_block *blocks, size_t count, uint64_t values)
{
	uint64_t sum = 0;
	for (size_t i = 0; i < count; i++) {
		const struct series_block *block = &blocks[i];
		if (block->dimensions > SERIES_DIMENSIONS)
			return false;
		uint64_t product = 1;
		for (uint32_t d = 0; d < block->dimensions; d++) {
			if (block->count[d] < 2 ||
			    __builtin_mul_overflow(product, block->count[d], &product))
				return false;
			if (d && block->stride[d] == block->stride[d - 1] * block->count[d - 1])
				return false;
		}
		if (product != block->values || __builtin_add_overflow(sum, product, &sum))
			return false;
	}
	return sum == values;
}

bool series_block_range(const struct series_block *block, uint64_t *least, uint64_t *greatest)
{
	__int128 low = block->start, high = block->start;
	for (uint32_t d = 0; d < block->dimensions; d++) {
		/* Below 2^127, and the earlier sum is below 2^63: no overflow. */
		__int128 span = (__int128)(int64_t)block->stride[d] * (block->count[d] - 1);
		*(span < 0 ? &low : &high) += span;
		if (low < 0 || high > INT64_MAX)
			return false;
	}
	*least = (uint64_t)low;
	*greatest = (uint64_t)high;
	return high <= INT64_MAX;
}

void series_seek(struct series_cursor *cursor, const struct series_block *blocks, size_t count,
		 uint64_t value)
{
	*cursor = (struct series_cursor){.blocks = blocks, .count = count, .at = value};
	while (cursor->block < count && cursor->at >= blocks[cursor->block].values)
		cursor->at -= blocks[cursor->block++].values;
}

uint64_t series_run(struct series_cursor *cursor, uint64_t most, uint64_t *start, uint64_t *stride)
{
	if (cursor->block == cursor->count || !most)
		return 0;
	const struct series_block *block = &cursor->blocks[cursor->block];
	uint64_t left = 1;
	*stride = 0;
	if (block->dimensions) {
		left = block->count[0];
		/* For analyzers: series_check() has checked that counts are at least 2. */
		if (!left)
			__builtin_unreachable();
		left -= cursor->at < left ? cursor->at : cursor->at % left;
		*stride = block->stride[0];
	}
	*start = series_block_value(block, cursor->at);
	if (left > most)
		left = most;
	cursor->at += left;
	if (cursor->at == block->values) {
		cursor->block++;
		cursor->at = 0;
	}
	return left;
}

void series_take(struct series_cursor *cursor, size_t count, uint64_t *values)
{
	while (count) {
		uint64_t start, stride, run = series_run(cursor, count, &start, &stride);
		if (!run)
			return;
		for (uint64_t i = 0; i < run; i++)
			*values++ = start + i * stride;
		count -= run;
	}
}
