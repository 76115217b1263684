/* Loop, inside folding: the sequence while it is being folded.
 *
 * Owns the structs of loops that may still grow and of the window. Only fold*.c include it.
 */
#ifndef LOOP_FOLD_STATE_H
#define LOOP_FOLD_STATE_H

#include "loop/fold.h"

/* More blocks of trip counts than this are no regularity. */
enum { FOLD_BLOCKS_MOST = 64 };

struct fold_loop;

/* What a sequence is made of. */
struct fold_item {
	uint32_t symbol;	/* of a leaf; FOLD_LOOP */
	struct fold_loop *loop; /* NULL: a leaf */
};

/* The *leaves* of a loop are those of its body, of loops in it those of their bodies: as if each loop ran once. Equal leaves
 * are what makes two sequences candidates for being one, so that neither trip counts nor whether something was folded
 * because it ran twice make a difference. */
struct fold_loop {
	struct fold_item *items;
	uint32_t count, room;
	bool nested;	       /* there are loops in it */
	uint64_t leaves;       /* their number */
	uint64_t hash;	       /* of the leaves */
	uint64_t tail;	       /* the last leaves, as in a place */
	uint64_t visits;       /* times that it was visited */
	uint64_t total;	       /* trips, of all times */
	uint64_t last;	       /* trips of the last time, which may still become more */
	struct series earlier; /* trips of the times before */
	uint64_t *raw;	       /* those, when they are no series; else NULL */
	size_t raw_count, raw_room;
	struct fold_loop *next_free, *next_of_all;
};

/* After so many items of the sequence. */
struct fold_place {
	uint64_t hash;	   /* of all leaves up to here */
	uint64_t leaves;   /* their number */
	uint64_t tail;	   /* the last eight, the newest lowest, 8 bits of each */
	uint64_t previous; /* place whose tail has the same hash; 0: none */
};

struct fold_pool {
	struct fold_loop *all, *unused;
};

static inline uint64_t fold_item_leaves(const struct fold_item *item)
{
	return item->loop ? item->loop->leaves : 1;
}

/* Hashes are polynomials modulo 2^61 - 1: of a power of two, sequences like Thue and Morse's would collide. */
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

/* All bits depend on all of the symbol. */
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

/* A loop without items that was visited once and ran `trips` times; NULL: no memory. The pool has it. */
struct fold_loop *fold_loop_get(struct fold_pool *pool, uint64_t trips);
void fold_loop_put_back(struct fold_pool *pool, struct fold_loop *loop);
enum varve_status fold_loop_fill(struct fold_loop *loop, const struct fold_item *items,
				 size_t count) MUST_CHECK;
/* It has only its first items now. */
void fold_loop_shrink(struct fold_loop *loop, size_t count);
void fold_pool_clear(struct fold_pool *pool);

/* The trip counts of a loop that will grow no more. */
enum varve_status fold_loop_trips(struct fold_loop *loop, struct fold_trips *trips) MUST_CHECK;

/* Whether two sequences of equal leaves can be one, loops and all: the depth that it would have, or -1. Adds to *steps the
 * items that were looked at. */
int fold_align(const struct fold_item *a, size_t a_count, const struct fold_item *b, size_t b_count,
	       uint64_t *steps);

/* Makes one of two sequences that align, in the place of `a`: *count items. The first ran `a_times` times, then the second
 * `b_times` times. Loops of `b` that are no longer needed go back to the pool. */
enum varve_status fold_merge(struct fold_pool *pool, struct fold_item *a, size_t a_count,
			     uint64_t a_times, const struct fold_item *b, size_t b_count,
			     uint64_t b_times, size_t *count) MUST_CHECK;

/* Makes the tree of a sequence whose symbols and counters are already in it. */
enum varve_status fold_tree_make(struct fold_tree *tree, const struct fold_item *items,
				 size_t count) MUST_CHECK;

#endif
