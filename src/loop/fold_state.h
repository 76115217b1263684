/* Loop, private to folding: the sequence while it is being folded.
 *
 * Owns the structs of the window, and of loops that may still grow. Only fold*.c include it.
 */
#ifndef LOOP_FOLD_STATE_H
#define LOOP_FOLD_STATE_H

#include "loop/fold.h"

/* Trip counts with more blocks than this are stored raw. */
enum { FOLD_BLOCKS_MOST = 64 };

struct fold_loop;

/* An element of a sequence. */
struct fold_item {
	uint32_t symbol;	/* of a leaf; FOLD_LOOP */
	struct fold_loop *loop; /* NULL: a leaf */
};

/* The *leaves* of a loop are those of its body, where a nested loop contributes the leaves of its own body, as if each loop ran
 * once. Two sequences are compared if they have equal leaves, so neither trip counts matter nor whether a sequence was folded. */
struct fold_loop {
	struct fold_item *items;
	uint32_t count, room;
	bool nested;	       /* its body contains loops */
	uint64_t leaves;       /* number of leaves */
	uint64_t hash;	       /* of the leaves */
	uint64_t tail;	       /* the last leaves, as in a place */
	uint64_t visits;       /* number of visits */
	uint64_t total;	       /* trips of all visits */
	uint64_t last;	       /* trips of the last visit, which may still grow */
	struct series earlier; /* trips of the earlier visits */
	uint64_t *raw;	       /* the same if they are not a series; else NULL */
	size_t raw_count, raw_room;
	struct fold_loop *next_free, *next_of_all;
};

/* A place: behind a number of items of the sequence. */
struct fold_place {
	uint64_t hash;	   /* of all leaves before it */
	uint64_t leaves;   /* number of these leaves */
	uint64_t tail;	   /* the last eight of them, 8 bits each, the newest lowest */
	uint64_t previous; /* the place before it whose tail has the same head; 0: none */
};

struct fold_pool {
	struct fold_loop *all, *unused;
};

static inline uint64_t fold_item_leaves(const struct fold_item *item)
{
	return item->loop ? item->loop->leaves : 1;
}

/* Hashes are polynomials modulo 2^61 - 1: modulo a power of two, sequences like that of Thue and Morse would collide. */
#define FOLD_PRIME ((1ull << 61) - 1)
#define FOLD_BASE 0x0b4f5d3ac9e17263ull

static inline uint64_t fold_times(uint64_t a, uint64_t b)
{
	unsigned __int128 product = (unsigned __int128)a * b;
	uint64_t sum = ((uint64_t)product & FOLD_PRIME) + (uint64_t)(product >> 61);
	return sum >= FOLD_PRIME ? sum - FOLD_PRIME : sum;
}

static inline uint64_t fold_plus(uint64_t a, uint64_t b)
{
	return a + b >= FOLD_PRIME ? a + b - FOLD_PRIME : a + b;
}

static inline uint64_t fold_minus(uint64_t a, uint64_t b)
{
	return a >= b ? a - b : a + FOLD_PRIME - b;
}

/* All bits of the result depend on all bits of the symbol. */
static inline uint64_t fold_mix(uint64_t symbol)
{
	symbol = (symbol + 1) * 0x9e3779b97f4a7c15ull;
	symbol = (symbol ^ symbol >> 32) * 0xd6e8feb86659fd93ull;
	return symbol ^ symbol >> 32;
}

static inline uint64_t fold_leaf_hash(uint32_t symbol)
{
	return fold_mix(symbol) >> 4; /* below the prime */
}

/* A loop without items, with one visit of `trips` trips; NULL: no memory. The pool owns it. */
struct fold_loop *fold_loop_get(struct fold_pool *pool, uint64_t trips);
void fold_loop_put_back(struct fold_pool *pool, struct fold_loop *loop);
enum varve_status fold_loop_fill(struct fold_loop *loop, const struct fold_item *items,
				 size_t count) MUST_CHECK;
/* Keeps only its first items. */
void fold_loop_shrink(struct fold_loop *loop, size_t count);
void fold_pool_clear(struct fold_pool *pool);

/* The trip counts of a loop that will not grow any more. */
enum varve_status fold_loop_trips(struct fold_loop *loop, struct fold_trips *trips) MUST_CHECK;

/* Whether two sequences of equal leaves can be merged into one with all their loops: returns the depth that it would have, or
 * -1. Adds the number of visited items to *steps. */
int fold_align(const struct fold_item *a, size_t a_count, const struct fold_item *b, size_t b_count,
	       uint64_t *steps);

/* Merges two sequences that align into one, in place of `a`, with *count items. The first ran `a_times` times, then the second
 * `b_times` times. Loops of `b` that are no longer needed are returned to the pool. */
enum varve_status fold_merge(struct fold_pool *pool, struct fold_item *a, size_t a_count,
			     uint64_t a_times, const struct fold_item *b, size_t b_count,
			     uint64_t b_times, size_t *count) MUST_CHECK;

/* Makes the tree of a sequence. The symbols and counters of `tree` are already set. */
enum varve_status fold_tree_make(struct fold_tree *tree, const struct fold_item *items,
				 size_t count) MUST_CHECK;

#endif
