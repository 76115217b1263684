/* Loop: merges two sequences with the same leaves into one.
 *
 * Owns loops while they may grow: their memory, bodies and trip counts. `X` and a loop of X differ only in the trip counts,
 * which are 1 for `X`, so items that were not folded get the structure of those that were. The recursion is as deep as loops
 * nest, which the caller keeps below FOLD_DEPTH_MOST. Never decides what is folded.
 */
#include "loop/fold_state.h"

#include "base/host/list.h"

#include <stdlib.h>
#include <string.h>

/* Bodies of unused loops keep their memory for the next loop, if they have at most this number of items. */
enum { KEPT_ITEMS = 16 };

struct fold_loop *fold_loop_get(struct fold_pool *pool, uint64_t trips)
{
	struct fold_loop *loop = pool->unused;
	if (loop) {
		pool->unused = loop->next_free;
	} else {
		loop = calloc(1, sizeof *loop);
		if (!loop)
			return NULL;
		loop->next_of_all = pool->all;
		pool->all = loop;
		series_start(&loop->earlier, FOLD_BLOCKS_MOST);
	}
	loop->count = 0;
	loop->visits = 1;
	loop->last = loop->total = trips;
	return loop;
}

static void forget_trips(struct fold_loop *loop)
{
	series_clear(&loop->earlier);
	free(loop->raw);
	loop->raw = NULL;
	loop->raw_count = loop->raw_room = 0;
}

static void forget_items(struct fold_loop *loop)
{
	free(loop->items);
	loop->items = NULL;
	loop->room = 0;
}

void fold_loop_put_back(struct fold_pool *pool, struct fold_loop *loop)
{
	if (loop->visits > 1)
		forget_trips(loop);
	if (loop->room > KEPT_ITEMS)
		forget_items(loop);
	loop->next_free = pool->unused;
	pool->unused = loop;
}

void fold_pool_clear(struct fold_pool *pool)
{
	for (struct fold_loop *loop = pool->all, *next; loop; loop = next) {
		next = loop->next_of_all;
		forget_trips(loop);
		forget_items(loop);
		free(loop);
	}
	*pool = (struct fold_pool){0};
}

void fold_loop_shrink(struct fold_loop *loop, size_t count)
{
	loop->count = (uint32_t)count;
	loop->nested = false;
	for (size_t i = 0; i < count; i++)
		loop->nested |= loop->items[i].loop != NULL;
}

enum varve_status fold_loop_fill(struct fold_loop *loop, const struct fold_item *items,
				 size_t count)
{
	if (count > loop->room) {
		size_t room = count < KEPT_ITEMS ? KEPT_ITEMS : count;
		forget_items(loop);
		loop->items = malloc(room * sizeof *loop->items);
		if (!loop->items)
			return VARVE_NO_MEMORY;
		loop->room = (uint32_t)room;
	}
	memcpy(loop->items, items, count * sizeof *items);
	fold_loop_shrink(loop, count);
	return VARVE_OK;
}

static enum varve_status make_raw(struct fold_loop *loop)
{
	struct series *series = &loop->earlier;
	enum varve_status status = series_finish(series);
	if (status != VARVE_OK && status != VARVE_LIMIT)
		return status;
	loop->raw_count = series->values;
	loop->raw_room = series->values * 2;
	loop->raw = malloc(loop->raw_room * sizeof *loop->raw);
	if (!loop->raw)
		return VARVE_NO_MEMORY;
	struct series_cursor cursor;
	series_seek(&cursor, series->blocks, series->count, 0);
	series_take(&cursor, loop->raw_count, loop->raw);
	series_clear(series);
	return VARVE_OK;
}

static enum varve_status put_trips(struct fold_loop *loop, uint64_t start, uint64_t stride,
				   uint64_t count)
{
	if (!loop->raw) {
		enum varve_status status = series_put(&loop->earlier, start, stride, count);
		return status == VARVE_LIMIT ? make_raw(loop) : status;
	}
	TRY(list_room(&loop->raw, loop->raw_count, &loop->raw_room, count, sizeof *loop->raw));
	for (uint64_t i = 0; i < count; i++)
		loop->raw[loop->raw_count++] = start + i * stride;
	return VARVE_OK;
}

/* Appends the visits of `from` to those of `loop`; the last visit of `from` becomes the last of `loop`. */
static enum varve_status put_trips_of(struct fold_loop *loop, struct fold_loop *from)
{
	uint64_t start, stride, count;
	if (from->raw) {
		for (size_t i = 0; i < from->raw_count; i++)
			TRY(put_trips(loop, from->raw[i], 0, 1));
	} else if (from->visits > 1) {
		enum varve_status status = series_finish(&from->earlier);
		if (status != VARVE_OK && status != VARVE_LIMIT)
			return status;
		struct series_cursor cursor;
		series_seek(&cursor, from->earlier.blocks, from->earlier.count, 0);
		while ((count = series_run(&cursor, UINT64_MAX, &start, &stride)) > 0)
			TRY(put_trips(loop, start, stride, count));
	}
	loop->last = from->last;
	loop->visits += from->visits;
	loop->total += from->total;
	return VARVE_OK;
}

/* Adds `times` visits of `loop` with one trip each, after its other visits. */
static enum varve_status put_single_trips(struct fold_loop *loop, uint64_t times)
{
	TRY(put_trips(loop, loop->last, 0, 1));
	TRY(put_trips(loop, 1, 0, times - 1));
	loop->last = 1;
	loop->visits += times;
	loop->total += times;
	return VARVE_OK;
}

/* The same, before all other visits. */
static enum varve_status put_single_trips_before(struct fold_loop *loop, uint64_t times)
{
	struct fold_loop after = *loop;
	series_start(&loop->earlier, FOLD_BLOCKS_MOST);
	loop->raw = NULL;
	loop->raw_count = loop->raw_room = 0;
	loop->visits = loop->total = times;
	enum varve_status status = put_trips(loop, 1, 0, times);
	if (status == VARVE_OK)
		status = put_trips_of(loop, &after);
	forget_trips(&after);
	return status;
}

enum varve_status fold_loop_trips(struct fold_loop *loop, struct fold_trips *trips)
{
	TRY(put_trips(loop, loop->last, 0, 1));
	trips->count = loop->visits;
	struct series series = loop->earlier;
	series_start(&loop->earlier, FOLD_BLOCKS_MOST);
	/* They are raw because of the way in which they were put together: all of them may still be a series. */
	enum varve_status status = VARVE_OK;
	for (size_t i = 0; i < loop->raw_count && status == VARVE_OK; i++)
		status = series_put(&series, loop->raw[i], 0, 1);
	if (status == VARVE_OK)
		status = series_finish(&series);
	if (status == VARVE_LIMIT && !loop->raw) {
		loop->earlier = series;
		status = make_raw(loop);
	} else if (status == VARVE_LIMIT) {
		series_clear(&series);
		status = VARVE_OK;
	} else {
		trips->series = series;
		return status;
	}
	series_start(&trips->series, FOLD_BLOCKS_MOST);
	trips->raw = loop->raw;
	loop->raw = NULL;
	return status;
}

/* The number of items at the beginning that have exactly `leaves` leaves together; 0: a loop extends beyond them. Adds the
 * number of visited items to *steps. */
static size_t items_cover(const struct fold_item *items, size_t count, uint64_t leaves,
			  uint64_t *steps)
{
	for (size_t i = 0; i < count; i++) {
		uint64_t more = fold_item_leaves(&items[i]);
		++*steps;
		if (more > leaves)
			return 0;
		leaves -= more;
		if (!leaves)
			return i + 1;
	}
	return 0;
}

/* How far one step of an alignment goes in both sequences, and which loops it enters. */
struct pair {
	size_t a_count, b_count; /* items; 0: the step is not possible */
	struct fold_loop *a, *b; /* NULL: the items themselves are compared */
};

static struct pair pair_next(const struct fold_item *a, size_t a_count, const struct fold_item *b,
			     size_t b_count, uint64_t *steps)
{
	struct pair pair = {1, 1, a->loop, b->loop};
	uint64_t a_leaves = fold_item_leaves(a), b_leaves = fold_item_leaves(b);
	if (a->loop && (!b->loop || b_leaves < a_leaves)) {
		pair.b_count = items_cover(b, b_count, a_leaves, steps);
		pair.b = NULL;
	} else if (b->loop && (!a->loop || a_leaves < b_leaves)) {
		pair.a_count = items_cover(a, a_count, b_leaves, steps);
		pair.a = NULL;
	} else if (a->symbol != b->symbol) {
		pair.a_count = 0;
	}
	return pair;
}

int fold_align(const struct fold_item *a, size_t a_count, const struct fold_item *b, size_t b_count,
	       uint64_t *steps)
{
	int depth = 0;
	while (a_count && b_count) {
		struct pair pair = pair_next(a, a_count, b, b_count, steps);
		++*steps;
		if (!pair.a_count || !pair.b_count)
			return -1;
		if (pair.a || pair.b) {
			const struct fold_item *in_a = pair.a ? pair.a->items : a;
			const struct fold_item *in_b = pair.b ? pair.b->items : b;
			int inside = fold_align(in_a, pair.a ? pair.a->count : pair.a_count, in_b,
						pair.b ? pair.b->count : pair.b_count, steps);
			if (inside < 0)
				return -1;
			if (inside >= depth)
				depth = inside + 1;
		}
		a += pair.a_count;
		a_count -= pair.a_count;
		b += pair.b_count;
		b_count -= pair.b_count;
	}
	return depth;
}

/* Merges one item of both. A result never has more items than either side, so it fits into the existing memory. */
static enum varve_status merge_pair(struct fold_pool *pool, struct pair pair, struct fold_item *a,
				    uint64_t a_times, const struct fold_item *b, uint64_t b_times,
				    struct fold_item *result)
{
	size_t count;
	struct fold_loop *loop = pair.a;
	if (pair.a && pair.b) {
		TRY(fold_merge(pool, loop->items, loop->count, loop->total, pair.b->items,
			       pair.b->count, pair.b->total, &count));
		TRY(put_trips(loop, loop->last, 0, 1));
		TRY(put_trips_of(loop, pair.b));
		fold_loop_put_back(pool, pair.b);
	} else if (pair.a) {
		TRY(fold_merge(pool, loop->items, loop->count, loop->total, b, pair.b_count,
			       b_times, &count));
		TRY(put_single_trips(loop, b_times));
	} else {
		loop = pair.b;
		TRY(fold_merge(pool, a, pair.a_count, a_times, loop->items, loop->count,
			       loop->total, &count));
		memcpy(loop->items, a, count * sizeof *a);
		TRY(put_single_trips_before(loop, a_times));
	}
	fold_loop_shrink(loop, count);
	*result = (struct fold_item){FOLD_LOOP, loop};
	return VARVE_OK;
}

enum varve_status fold_merge(struct fold_pool *pool, struct fold_item *a, size_t a_count,
			     uint64_t a_times, const struct fold_item *b, size_t b_count,
			     uint64_t b_times, size_t *count)
{
	struct fold_item *result = a;
	size_t made = 0;
	uint64_t steps = 0;
	while (a_count && b_count) {
		struct pair pair = pair_next(a, a_count, b, b_count, &steps);
		if (pair.a || pair.b)
			TRY(merge_pair(pool, pair, a, a_times, b, b_times, &result[made]));
		else
			result[made] = *a;
		made++;
		a += pair.a_count;
		a_count -= pair.a_count;
		b += pair.b_count;
		b_count -= pair.b_count;
	}
	*count = made;
	return VARVE_OK;
}
