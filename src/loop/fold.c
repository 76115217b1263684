/* Loop: folds a sequence while it arrives.
 *
 * Owns the window: the newest items, the places between them, an index from the last few leaves to the places after them, and
 * the loop whose next trip is expected. Most symbols are the expected ones and cost one comparison. Any other symbol is
 * appended; then the newest items are compared with those before them, first by the hash of their leaves, which costs the same
 * for any length, and item by item only if the hashes are equal. The cost of a successful comparison is bounded by the number
 * of items that it removes. Failed comparisons use up a credit to which each symbol adds, so that no input makes a symbol cost
 * more than a constant. Every decision depends on the symbols alone.
 */
#include "loop/fold_state.h"

#include "base/host/list.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* TAIL is the number of leaves in a place's tail. More than LEAVES_MOST leaves do not become a body, so that sizes are 32-bit
 * numbers. */
enum { TAIL = 8, TAIL_BITS = 8, LEAVES_MOST = 1 << 24, POWERS = 1024, WINDOW_MOST = 1 << 24 };
enum { CREDIT_START = 4096, CREDIT_MOST = 1 << 16, CREDIT_PER_SYMBOL = 8 };

struct fold {
	/* The expected symbols. They are the first members, so that they share a cache line. */
	const struct fold_item *expected; /* body of `growing`, only leaves */
	uint64_t matched;		  /* leaves that arrived since the last complete trip */
	uint64_t length;		  /* leaves of the body */
	uint64_t turns;			  /* complete trips that `growing` does not count yet */
	uint64_t symbols;
	struct fold_loop *growing; /* a loop at the very end of the sequence; NULL: none */

	struct fold_item *items; /* the sequence, including what has left the window */
	size_t count, room;
	struct fold_place *places; /* place number `first` and those after it */
	size_t first, places_room;
	size_t base; /* first place in the window */
	size_t window;
	size_t *heads; /* the last place of each hash of tails */
	unsigned heads_shift;
	struct fold_pool pool;
	uint32_t *pending; /* room for the leaves of an unfinished trip */
	size_t pending_room;
	int64_t credit;
	uint64_t overruns, candidates, steps;
	enum varve_status broken; /* the error, after which folding cannot continue */
	uint64_t powers[POWERS];
};

/* The expected item if nothing is expected: no symbol is equal to it. */
static const struct fold_item nothing = {FOLD_LOOP, NULL};

static void fold_expect(struct fold *fold, struct fold_loop *loop)
{
	fold->growing = loop;
	fold->expected = loop ? loop->items : &nothing;
	fold->length = loop ? loop->count : 1;
	fold->matched = fold->turns = 0;
}

static void fold_free(struct fold *fold)
{
	free(fold->items);
	free(fold->places);
	free(fold->heads);
	free(fold->pending);
	fold_pool_clear(&fold->pool);
	free(fold);
}

enum varve_status fold_start(struct fold **fold, size_t window, struct varve_causes *causes)
{
	*fold = NULL;
	if (window < 2 || window > WINDOW_MOST)
		return cause(causes, VARVE_USAGE, "a window of %zu branches is not possible",
			     window);
	struct fold *made = calloc(1, sizeof *made);
	if (!made)
		return cause(causes, VARVE_NO_MEMORY, "no memory to fold");
	made->window = window;
	made->places_room = 64;
	made->places = calloc(made->places_room, sizeof *made->places);
	/* Four times the number of places in the window, so that few of them share a head. */
	made->heads_shift = 64 - 6;
	while ((1ull << (64 - made->heads_shift)) < window * 4)
		made->heads_shift--;
	made->heads = calloc((size_t)1 << (64 - made->heads_shift), sizeof *made->heads);
	if (!made->places || !made->heads) {
		fold_free(made);
		return cause(causes, VARVE_NO_MEMORY, "no memory for a window of %zu branches",
			     window);
	}
	made->powers[0] = 1;
	for (size_t i = 1; i < POWERS; i++)
		made->powers[i] = fold_times(made->powers[i - 1], FOLD_BASE);
	made->credit = CREDIT_START;
	fold_expect(made, NULL);
	*fold = made;
	return VARVE_OK;
}

static struct fold_place *fold_place_at(const struct fold *fold, size_t at)
{
	return &fold->places[at - fold->first];
}

static size_t *tail_head(const struct fold *fold, uint64_t tail)
{
	return &fold->heads[fold_mix(tail) >> fold->heads_shift];
}

static uint64_t fold_power(const struct fold *fold, uint64_t leaves)
{
	if (LIKELY(leaves < POWERS))
		return fold->powers[leaves];
	uint64_t result = 1, square = FOLD_BASE;
	for (; leaves; leaves >>= 1, square = fold_times(square, square))
		if (leaves & 1)
			result = fold_times(result, square);
	return result;
}

/* Hash of the leaves between two places. */
static uint64_t hash_between(const struct fold_place *from, const struct fold_place *to,
			     uint64_t shift)
{
	return fold_minus(to->hash, fold_times(from->hash, shift));
}

static enum varve_status fold_room(struct fold *fold)
{
	TRY(list_room(&fold->items, fold->count, &fold->room, 1, sizeof *fold->items));
	if (fold->count + 1 - fold->first < fold->places_room)
		return VARVE_OK;
	if (fold->base - fold->first >= fold->window) {
		memmove(fold->places, fold_place_at(fold, fold->base),
			(fold->count - fold->base + 1) * sizeof *fold->places);
		fold->first = fold->base;
		return VARVE_OK;
	}
	struct fold_place *places =
		realloc(fold->places, fold->places_room * 2 * sizeof *fold->places);
	if (!places)
		return VARVE_NO_MEMORY;
	fold->places = places;
	fold->places_room *= 2;
	return VARVE_OK;
}

/* The caller has made room with fold_room(), or has removed items. */
static void fold_push(struct fold *fold, struct fold_item item)
{
	const struct fold_place *before = fold_place_at(fold, fold->count);
	struct fold_place *after = fold_place_at(fold, fold->count + 1);
	fold->items[fold->count++] = item;
	if (item.loop) {
		uint64_t leaves = item.loop->leaves;
		after->hash = fold_plus(fold_times(before->hash, fold_power(fold, leaves)),
					item.loop->hash);
		after->leaves = before->leaves + leaves;
		after->tail = item.loop->tail;
		if (leaves < TAIL) {
			unsigned bits = (unsigned)leaves * TAIL_BITS;
			after->tail &= (1ull << bits) - 1;
			after->tail |= before->tail << bits;
		}
	} else {
		after->hash =
			fold_plus(fold_times(before->hash, FOLD_BASE), fold_leaf_hash(item.symbol));
		after->leaves = before->leaves + 1;
		after->tail = before->tail << TAIL_BITS | fold_mix(item.symbol) >> (64 - TAIL_BITS);
	}
	size_t *last = tail_head(fold, after->tail);
	after->previous = *last;
	*last = fold->count;
}

static void take_off(struct fold *fold, size_t count)
{
	while (fold->count > count) {
		const struct fold_place *top = fold_place_at(fold, fold->count--);
		*tail_head(fold, top->tail) = top->previous;
	}
}

/* What to do with the newest items, those after `middle`. */
struct match {
	size_t middle;
	size_t start; /* without `loop`: the items from here to the middle equal the newest ones */
	struct fold_loop *loop; /* at the end of the items before the middle: it ran once more */
	uint32_t around;	/* number of loops around `loop` */
	uint64_t hash, leaves;	/* of the newest items */
};

/* The body that the newest items form. If they are a single loop, these are the items of its body, repeated `times` times. */
struct newest {
	struct fold_item *items;
	size_t count;
	uint64_t times;
	struct fold_loop *loop;
};

static struct newest newest_after(const struct fold *fold, size_t middle)
{
	struct newest newest = {fold->items + middle, fold->count - middle, 1, NULL};
	struct fold_loop *loop = newest.items->loop;
	if (newest.count == 1 && loop)
		newest = (struct newest){loop->items, loop->count, loop->total, loop};
	return newest;
}

/* The place with this number of leaves before it, in the window and before `to`; SIZE_MAX: it would be inside an item. */
static size_t find_place(struct fold *fold, uint64_t leaves, size_t to)
{
	uint64_t far = fold_place_at(fold, to)->leaves - leaves;
	size_t from = to - fold->base > far ? to - far : fold->base;
	/* If all items are leaves, the first guess is right. */
	while (fold_place_at(fold, from)->leaves != leaves && from < to) {
		fold->steps++;
		size_t half = from + (to - from + 1) / 2;
		if (fold_place_at(fold, half)->leaves <= leaves)
			from = half;
		else
			to = half - 1;
	}
	return fold_place_at(fold, from)->leaves == leaves ? from : SIZE_MAX;
}

/* Whether the newest items, those after `middle`, are equal to the items before it. */
static bool match_at(struct fold *fold, size_t middle, struct match *match)
{
	const struct fold_place *end = fold_place_at(fold, fold->count),
				*at = fold_place_at(fold, middle);
	uint64_t leaves = end->leaves - at->leaves;
	if (leaves > LEAVES_MOST)
		return false;
	uint64_t shift = fold_power(fold, leaves), hash = hash_between(at, end, shift);
	*match = (struct match){.middle = middle, .hash = hash, .leaves = leaves};

	struct fold_loop *loop = fold->items[middle - 1].loop;
	for (; loop && loop->leaves > leaves; match->around++)
		loop = loop->items[loop->count - 1].loop;
	const struct fold_item *before;
	size_t count;
	if (loop && loop->leaves == leaves) {
		if (loop->hash != hash)
			return false;
		match->loop = loop;
		before = loop->items;
		count = loop->count;
	} else {
		if (at->leaves - fold_place_at(fold, fold->base)->leaves < leaves)
			return false;
		match->around = 0;
		match->start = find_place(fold, at->leaves - leaves, middle);
		if (match->start == SIZE_MAX ||
		    hash_between(fold_place_at(fold, match->start), at, shift) != hash)
			return false;
		before = fold->items + match->start;
		count = middle - match->start;
	}
	/* Comparing few items costs no more than computing their hash. */
	if (fold->credit <= 0 && leaves >= TAIL)
		return false;
	struct newest newest = newest_after(fold, middle);
	uint64_t steps = 0;
	int depth = fold_align(before, count, newest.items, newest.count, &steps);
	fold->steps += steps;
	if (depth >= 0 && (uint32_t)depth + match->around < FOLD_DEPTH_MOST)
		return true;
	fold->credit -= (int64_t)steps;
	return false;
}

/* Finds a body that is shorter than a tail. It cannot be found by the tail, but inside it: the newest leaves are equal to the
 * leaves before them, as far as the tail shows both. */
static bool find_short(struct fold *fold, struct match *match)
{
	const struct fold_place *end = fold_place_at(fold, fold->count);
	const uint64_t ones = ~0ull / UINT8_MAX, tail = end->tail;
	uint64_t differ = tail ^ (tail & UINT8_MAX) * ones;
	/* The high bit is set in each byte that is 0, and sometimes in the byte above it. The lowest byte is the newest leaf
	 * itself. */
	uint64_t equal = (differ - ones) & ~differ & ones << 7 & ~(uint64_t)UINT8_MAX;
	for (; equal; equal &= equal - 1) {
		unsigned leaves = (unsigned)__builtin_ctzll(equal) / TAIL_BITS;
		unsigned shown = leaves < TAIL - leaves ? leaves : TAIL - leaves;
		fold->steps++;
		if ((tail ^ tail >> leaves * TAIL_BITS) << (TAIL - shown) * TAIL_BITS)
			continue;
		if (end->leaves - fold_place_at(fold, fold->base)->leaves <= leaves)
			return false;
		size_t at = find_place(fold, end->leaves - leaves, fold->count);
		if (at != SIZE_MAX && match_at(fold, at, match))
			return true;
	}
	return false;
}

/* Finds the shortest match. */
static bool find_match(struct fold *fold, struct match *match)
{
	if (find_short(fold, match))
		return true;
	const struct fold_place *end = fold_place_at(fold, fold->count);
	size_t tried = 0;
	for (size_t at = end->previous; at > fold->base; at = fold_place_at(fold, at)->previous) {
		fold->steps++;
		if (tried++ == FOLD_CANDIDATES) {
			fold->candidates++;
			return false;
		}
		const struct fold_place *candidate = fold_place_at(fold, at);
		if (candidate->tail == end->tail && end->leaves - candidate->leaves >= TAIL &&
		    match_at(fold, at, match))
			return true;
	}
	return false;
}

/* The loop before the newest items ran once more, or as many times more as they contain. */
static enum varve_status fold_extend(struct fold *fold, const struct match *match)
{
	struct newest newest = newest_after(fold, match->middle);
	struct fold_loop *loop = match->loop;
	size_t count;
	TRY(fold_merge(&fold->pool, loop->items, loop->count, loop->total, newest.items,
		       newest.count, newest.times, &count));
	loop->last += newest.times;
	loop->total += newest.times;
	fold_loop_shrink(loop, count);
	if (newest.loop)
		fold_loop_put_back(&fold->pool, newest.loop);
	take_off(fold, match->middle);
	return VARVE_OK;
}

/* The newest items and those before them become a loop. */
static enum varve_status make_loop(struct fold *fold, const struct match *match)
{
	struct newest newest = newest_after(fold, match->middle);
	struct fold_item *items = fold->items + match->start;
	struct fold_loop *loop = fold_loop_get(&fold->pool, 1 + newest.times);
	size_t count;
	if (!loop)
		return VARVE_NO_MEMORY;
	TRY(fold_merge(&fold->pool, items, match->middle - match->start, 1, newest.items,
		       newest.count, newest.times, &count));
	TRY(fold_loop_fill(loop, items, count));
	loop->leaves = match->leaves;
	loop->hash = match->hash;
	loop->tail = fold_place_at(fold, fold->count)->tail;
	if (newest.loop)
		fold_loop_put_back(&fold->pool, newest.loop);
	take_off(fold, match->start);
	fold_push(fold, (struct fold_item){FOLD_LOOP, loop});
	return VARVE_OK;
}

static enum varve_status fold_append(struct fold *fold, uint32_t symbol)
{
	TRY(fold_room(fold));
	fold_push(fold, (struct fold_item){symbol, NULL});
	if (fold->credit < CREDIT_MOST)
		fold->credit += CREDIT_PER_SYMBOL;
	fold->steps++;
	if (fold->count - fold->base > fold->window)
		fold->overruns += !fold->items[fold->base++].loop;
	struct match match;
	while (find_match(fold, &match)) {
		/* A loop that only ran once more has the same leaves as before, so there is nothing new to find. */
		if (match.loop)
			return fold_extend(fold, &match);
		TRY(make_loop(fold, &match));
	}
	return VARVE_OK;
}

/* A loop that contains only leaves, at the end of the sequence, can continue symbol by symbol. */
static void expect_more(struct fold *fold)
{
	struct fold_loop *loop = fold->count ? fold->items[fold->count - 1].loop : NULL;
	while (loop && loop->items[loop->count - 1].loop)
		loop = loop->items[loop->count - 1].loop;
	fold_expect(fold, loop && !loop->nested ? loop : NULL);
}

/* The expected symbols did not arrive: the symbols of the unfinished trip are appended like any others. */
static enum varve_status fold_settle(struct fold *fold)
{
	struct fold_loop *loop = fold->growing;
	size_t count = fold->matched;
	if (!loop)
		return VARVE_OK;
	loop->last += fold->turns;
	loop->total += fold->turns;
	if (count > fold->pending_room) {
		free(fold->pending);
		fold->pending = malloc(count * sizeof *fold->pending);
		fold->pending_room = fold->pending ? count : 0;
		if (!fold->pending)
			return VARVE_NO_MEMORY;
	}
	for (size_t i = 0; i < count; i++)
		fold->pending[i] = fold->expected[i].symbol;
	fold_expect(fold, NULL);
	for (size_t i = 0; i < count; i++)
		TRY(fold_append(fold, fold->pending[i]));
	if (count)
		expect_more(fold);
	return VARVE_OK;
}

static enum varve_status put_unexpected(struct fold *fold, uint32_t symbol,
					struct varve_causes *causes)
{
	if (symbol == FOLD_LOOP)
		return cause(causes, VARVE_USAGE, "%" PRIu32 " is not a symbol", symbol);
	if (fold->broken == VARVE_OK)
		fold->broken = fold_settle(fold);
	if (fold->broken == VARVE_OK && fold->expected->symbol == symbol)
		return fold_put(fold, symbol, causes);
	if (fold->broken == VARVE_OK)
		fold->broken = fold_append(fold, symbol);
	if (fold->broken != VARVE_OK) {
		fold_expect(fold, NULL);
		return cause(causes, fold->broken, "cannot fold any further");
	}
	fold->symbols++;
	expect_more(fold);
	return VARVE_OK;
}

enum varve_status fold_put(struct fold *fold, uint32_t symbol, struct varve_causes *causes)
{
	if (UNLIKELY(fold->expected[fold->matched].symbol != symbol || symbol == FOLD_LOOP))
		return put_unexpected(fold, symbol, causes);
	fold->symbols++;
	if (++fold->matched == fold->length) {
		fold->matched = 0;
		fold->turns++;
	}
	return VARVE_OK;
}

/* Takes symbols as long as they are the expected ones; returns their number. */
static size_t put_expected(struct fold *fold, const uint32_t *symbols, size_t count)
{
	const struct fold_item *expected = fold->expected;
	const uint64_t length = fold->length;
	uint64_t matched = fold->matched, turns = 0;
	size_t at = 0;
	for (; at < count && expected[matched].symbol == symbols[at] && symbols[at] != FOLD_LOOP;
	     at++) {
		if (++matched == length) {
			matched = 0;
			turns++;
		}
	}
	fold->matched = matched;
	fold->turns += turns;
	fold->symbols += at;
	return at;
}

enum varve_status fold_put_all(struct fold *fold, const uint32_t *symbols, size_t count,
			       struct varve_causes *causes)
{
	for (size_t at = put_expected(fold, symbols, count); at < count;
	     at += put_expected(fold, symbols + at, count - at))
		TRY(put_unexpected(fold, symbols[at++], causes));
	return VARVE_OK;
}

enum varve_status fold_put_run(struct fold *fold, uint32_t symbol, uint64_t count,
			       struct varve_causes *causes)
{
	if (count > INT64_MAX || fold->symbols > INT64_MAX - count)
		return cause(causes, VARVE_LIMIT, "more than %" PRId64 " symbols", INT64_MAX);
	for (; count; count--) {
		if (fold->length == 1 && fold->expected->symbol == symbol && symbol != FOLD_LOOP) {
			fold->symbols += count;
			fold->turns += count;
			return VARVE_OK;
		}
		TRY(fold_put(fold, symbol, causes));
	}
	return VARVE_OK;
}

enum varve_status fold_finish(struct fold *fold, struct fold_tree *tree,
			      struct varve_causes *causes)
{
	if (fold->broken == VARVE_OK)
		fold->broken = fold_settle(fold);
	*tree = (struct fold_tree){.symbols = fold->symbols,
				   .overruns = fold->overruns,
				   .candidates = fold->candidates,
				   .steps = fold->steps};
	enum varve_status status = fold->broken;
	if (status == VARVE_OK && fold->symbols > INT64_MAX)
		status = VARVE_LIMIT;
	if (status == VARVE_OK)
		status = fold_tree_make(tree, fold->items, fold->count);
	fold_free(fold);
	if (status != VARVE_OK) {
		fold_tree_clear(tree);
		return cause(causes, status, "no tree of loops can be made");
	}
	return VARVE_OK;
}
