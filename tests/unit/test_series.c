/* Tests: values to affine blocks and back. VARVE_LOOP_RUNS: how many series of each kind, instead of a number that takes a second
 * or two. */
#include "loop/series.h"
#include "unit/chance.h"
#include "unit/harness.h"

#include <stdlib.h>

enum { VALUES_MOST = 4096 };

static uint64_t values[VALUES_MOST], back[VALUES_MOST];

static uint64_t runs(void)
{
	return chance_runs("VARVE_LOOP_RUNS", 3000);
}

/* A line in lines: up to four dimensions with strides of any size. */
static size_t fill_nest(struct chance *chance, size_t room)
{
	uint64_t count[SERIES_DIMENSIONS], stride[SERIES_DIMENSIONS], start = chance_wide(chance);
	uint64_t dimensions = 1 + chance_below(chance, SERIES_DIMENSIONS);
	size_t total = 1;
	for (uint64_t d = 0; d < dimensions; d++) {
		count[d] = 1 + chance_below(chance, 6);
		stride[d] = chance_once(chance, 3) ? chance_below(chance, 4) : chance_wide(chance);
		if (chance_once(chance, 3))
			stride[d] = -stride[d];
		total *= count[d];
	}
	for (size_t i = 0; i < total && i < room; i++) {
		values[i] = start;
		for (uint64_t d = 0, rest = i; d < dimensions; rest /= count[d++])
			values[i] += rest % count[d] * stride[d];
	}
	return total < room ? total : room;
}

/* Several nests, or values of few kinds, or any. */
static size_t fill(struct chance *chance)
{
	size_t count = 0;
	uint64_t kinds = 1 + chance_below(chance, 4);
	switch (chance_below(chance, 4)) {
	case 0:
		return fill_nest(chance, VALUES_MOST);
	case 1:
		while (chance_below(chance, 5) && count < VALUES_MOST / 4) {
			size_t more = fill_nest(chance, VALUES_MOST / 2);
			memmove(back + count, values, more * sizeof *values);
			count += more;
		}
		memcpy(values, back, count * sizeof *values);
		return count;
	default:
		count = chance_below(chance, chance_once(chance, 10) ? VALUES_MOST : 60);
		for (size_t i = 0; i < count; i++)
			values[i] = chance_once(chance, 50) ? chance_wide(chance)
							    : chance_below(chance, kinds);
		return count;
	}
}

static void put_each(struct series *series, size_t most, size_t count)
{
	series_start(series, most);
	for (size_t i = 0; i < count; i++)
		CHECK_EQ(series_put(series, values[i], 0, 1), VARVE_OK);
	CHECK_EQ(series->values, count);
	CHECK_EQ(series_finish(series), VARVE_OK);
}

/* The same values in pieces that are lines but no whole runs. */
static void put_pieces(struct series *series, struct chance *chance, size_t count)
{
	series_start(series, VALUES_MOST);
	for (size_t i = 0, length; i < count; i += length) {
		uint64_t stride = i + 1 < count ? values[i + 1] - values[i] : chance_wide(chance);
		for (length = 1; i + length < count; length++)
			if (values[i + length] != values[i] + length * stride ||
			    chance_once(chance, 8))
				break;
		CHECK_EQ(series_put(series, values[i], stride, length), VARVE_OK);
		CHECK_EQ(series_put(series, chance_wide(chance), 3, 0), VARVE_OK);
	}
	CHECK_EQ(series_finish(series), VARVE_OK);
}

static bool same_blocks(const struct series *one, const struct series *other)
{
	bool same = one->count == other->count && one->values == other->values;
	for (size_t i = 0; same && i < one->count; i++) {
		const struct series_block *a = &one->blocks[i], *b = &other->blocks[i];
		same = a->start == b->start && a->values == b->values &&
		       a->dimensions == b->dimensions &&
		       memcmp(a->count, b->count, sizeof a->count) == 0 &&
		       memcmp(a->stride, b->stride, sizeof a->stride) == 0;
	}
	return same;
}

CASE(values_come_back)
{
	struct chance chance = chance_start(20);
	for (uint64_t i = 0; i < runs() && !harness_failures; i++) {
		struct series series;
		size_t count = fill(&chance);
		put_each(&series, VALUES_MOST, count);
		CHECK(series_check(series.blocks, series.count, count));
		CHECK(!series_check(series.blocks, series.count, count + 1));
		struct series_cursor cursor;
		series_seek(&cursor, series.blocks, series.count, 0);
		/* In two steps: the second continues where the first ended. */
		series_take(&cursor, count * 3 / 7, back);
		series_take(&cursor, count - count * 3 / 7, back + count * 3 / 7);
		CHECK(memcmp(values, back, count * sizeof *values) == 0);
		uint64_t start, stride;
		CHECK_EQ(series_run(&cursor, 1, &start, &stride), 0);
		series_clear(&series);
	}
}

CASE(seek_and_run_agree_with_the_values)
{
	struct chance chance = chance_start(21);
	for (uint64_t i = 0; i < runs() && !harness_failures; i++) {
		struct series series;
		struct series_cursor cursor;
		size_t count = fill(&chance);
		put_each(&series, VALUES_MOST, count);
		for (int k = 0; k < 10 && count; k++) {
			size_t at = chance_below(&chance, count);
			uint64_t most = 1 + chance_below(&chance, 20), start, stride;
			series_seek(&cursor, series.blocks, series.count, at);
			uint64_t run = series_run(&cursor, most, &start, &stride);
			CHECK(run >= 1 && run <= most && at + run <= count);
			for (uint64_t v = 0; v < run; v++)
				CHECK_EQ(start + v * stride, values[at + v]);
			if (at + run < count &&
			    CHECK_EQ(series_run(&cursor, 1, &start, &stride), 1))
				CHECK_EQ(start, values[at + run]);
		}
		series_seek(&cursor, series.blocks, series.count, count);
		uint64_t start, stride;
		CHECK_EQ(series_run(&cursor, 9, &start, &stride), 0);
		series_clear(&series);
	}
}

CASE(sums_are_those_of_the_values)
{
	struct chance chance = chance_start(27);
	for (uint64_t i = 0; i < runs() && !harness_failures; i++) {
		struct series series;
		size_t count = fill(&chance);
		uint64_t sum = 0;
		put_each(&series, VALUES_MOST, count);
		for (size_t k = 0; k <= count; k++) {
			CHECK_EQ(series_sum(series.blocks, series.count, k), sum);
			sum += k < count ? values[k] : 0;
		}
		series_clear(&series);
	}
}

CASE(runs_are_the_same_as_values)
{
	struct chance chance = chance_start(22);
	for (uint64_t i = 0; i < runs() && !harness_failures; i++) {
		struct series one, other;
		size_t count = fill(&chance);
		put_each(&one, VALUES_MOST, count);
		put_pieces(&other, &chance, count);
		CHECK(same_blocks(&one, &other));
		series_clear(&one);
		series_clear(&other);
	}
}

/* Rows of rows are one block, and a dimension that only continues another is not stored. */
CASE(nests_are_one_block)
{
	static const struct {
		uint32_t dimensions;
		uint64_t count[4], stride[4];
		uint32_t left; /* dimensions of the block */
	} nests[] = {
		{1, {4000}, {0}, 1},
		{1, {4000}, {(uint64_t)-3}, 1},
		{2, {10, 400}, {1, 10}, 1},
		{2, {10, 400}, {1, 1000}, 2},
		{2, {2, 2000}, {5, 0}, 2},
		{2, {50, 60}, {0, 1}, 2},
		{3, {10, 10, 10}, {1, 10, 1000}, 2},
		{3, {10, 10, 10}, {1, 100, 1000}, 2},
		{3, {8, 5, 7}, {1ull << 60, 3, 1ull << 62}, 3},
		{4, {5, 6, 7, 8}, {1, 10, 0, 1000}, 4},
		{4, {2, 2, 2, 2}, {1, 7, 70, 700}, 4},
	};
	for (size_t n = 0; n < sizeof nests / sizeof *nests; n++) {
		size_t total = 1;
		for (uint32_t d = 0; d < nests[n].dimensions; d++)
			total *= nests[n].count[d];
		for (size_t i = 0; i < total; i++) {
			values[i] = UINT64_MAX - 5;
			for (uint64_t d = 0, rest = i; d < nests[n].dimensions; d++) {
				values[i] += rest % nests[n].count[d] * nests[n].stride[d];
				rest /= nests[n].count[d];
			}
		}
		struct series series;
		put_each(&series, 1, total);
		if (!CHECK_EQ(series.count, 1) ||
		    !CHECK_EQ(series.blocks[0].dimensions, nests[n].left))
			printf("# nest %zu\n", n);
		CHECK_EQ(series.blocks[0].values, total);
		series_clear(&series);
	}
}

CASE(long_runs_cost_nothing)
{
	struct series series;
	series_start(&series, 4);
	for (int i = 0; i < 1000; i++)
		CHECK_EQ(series_put(&series, (uint64_t)i << 40, 1, 1ull << 40), VARVE_OK);
	CHECK_EQ(series_put(&series, 7, 0, 1ull << 40), VARVE_OK);
	CHECK_EQ(series_finish(&series), VARVE_OK);
	CHECK_EQ(series.count, 2);
	CHECK_EQ(series_block_value(&series.blocks[0], 123456789012), 123456789012);
	CHECK_EQ(series.values, 1001ull << 40);
	uint64_t least, greatest;
	CHECK(series_block_range(&series.blocks[0], &least, &greatest));
	CHECK_EQ(least, 0);
	CHECK_EQ(greatest, (1000ull << 40) - 1);
	series_clear(&series);
}

/* The values stay: a caller whose series has too many blocks stores them elsewhere. */
CASE(too_many_blocks_are_told_and_kept)
{
	struct chance chance = chance_start(23);
	struct series series;
	series_start(&series, 64);
	size_t told = 0;
	for (size_t i = 0; i < 1000; i++) {
		values[i] = chance_word(&chance);
		enum varve_status status = series_put(&series, values[i], 0, 1);
		CHECK(status == VARVE_OK || status == VARVE_LIMIT);
		if (status == VARVE_LIMIT && !told)
			told = i;
	}
	/* Two values are always a line. */
	CHECK(told > 2 * 64 && told < 2 * 64 + 8);
	CHECK_EQ(series_finish(&series), VARVE_LIMIT);
	CHECK(series_check(series.blocks, series.count, 1000));
	struct series_cursor cursor;
	series_seek(&cursor, series.blocks, series.count, 0);
	series_take(&cursor, 1000, back);
	CHECK(memcmp(values, back, 1000 * sizeof *values) == 0);
	series_clear(&series);
}

CASE(blocks_that_no_series_made_are_refused)
{
	struct series_block good = {
		.start = 1, .values = 6, .dimensions = 2, .count = {2, 3}, .stride = {1, 5}};
	struct series_block wrong[] = {good, good, good, good, good};
	CHECK(series_check(&good, 1, 6));
	wrong[0].dimensions = 5;
	wrong[1].count[0] = 1;
	wrong[1].values = 3;
	wrong[2].values = 5;
	wrong[3].stride[1] = 2;
	wrong[4].count[0] = wrong[4].count[1] = 1ull << 32;
	wrong[4].values = 0;
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
		CHECK(!series_check(&wrong[i], 1, wrong[i].values));

	uint64_t least, greatest;
	CHECK(series_block_range(&good, &least, &greatest) && least == 1 && greatest == 12);
	good.stride[1] = (uint64_t)-1;
	CHECK(!series_block_range(&good, &least, &greatest));
	good.start = 2;
	CHECK(series_block_range(&good, &least, &greatest) && least == 0 && greatest == 3);
	good.start = 1ull << 63;
	CHECK(!series_block_range(&good, &least, &greatest));
	good.dimensions = 0;
	CHECK(!series_block_range(&good, &least, &greatest));
	good = (struct series_block){.dimensions = 4};
	for (int d = 0; d < 4; d++) {
		good.count[d] = UINT64_MAX;
		good.stride[d] = INT64_MAX;
	}
	CHECK(!series_block_range(&good, &least, &greatest));
}

RUN(ENTRY(values_come_back), ENTRY(seek_and_run_agree_with_the_values),
    ENTRY(sums_are_those_of_the_values), ENTRY(runs_are_the_same_as_values),
    ENTRY(nests_are_one_block), ENTRY(long_runs_cost_nothing),
    ENTRY(too_many_blocks_are_told_and_kept), ENTRY(blocks_that_no_series_made_are_refused))
