/* Loop: turns a sequence of symbols into a tree of loops, and back.
 *
 * A symbol stands for the signature of a record. When the newest symbols repeat those before them they become a loop; loops nest.
 * Only the sequence decides: no addresses, times or seeds. Memory: the window, and what has left it. The work for each symbol is
 * bounded by a constant (amortized). Nothing here gives symbols a meaning.
 */
#ifndef LOOP_FOLD_H
#define LOOP_FOLD_H

#include "base/status.h"
#include "loop/series.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { FOLD_WINDOW = 1024, FOLD_CANDIDATES = 16, FOLD_DEPTH_MOST = 32 };
#define FOLD_LOOP UINT32_MAX /* as symbol: the branch is a loop */

/* How often a loop ran, for each visit. */
struct fold_trips {
	struct series series; /* finished */
	uint64_t *raw;	/* when there are more blocks than a series holds: all values; else NULL */
	uint64_t count; /* times that it was visited */
};

/* A tree in preorder: a loop, then its body. `branches[0 .. count)` is a sequence. */
struct fold_branch {
	uint32_t symbol; /* FOLD_LOOP: a loop */
	uint32_t size;	 /* branches of it and all below it: 1 for a leaf */
	uint32_t trips;	 /* of a loop: its place in `trips`, which are in preorder too */
};

struct fold_tree {
	struct fold_branch *branches;
	size_t count;
	struct fold_trips *trips;
	size_t loops;
	uint64_t symbols;    /* that it unfolds to */
	uint64_t overruns;   /* branches that left the window without being folded */
	uint64_t candidates; /* times that more places looked alike than were tried */
	uint64_t steps;	     /* comparisons that folding made, except those with expected symbols */
};

struct fold;
/* `window`: how many branches are compared, 2 or more. */
enum varve_status fold_start(struct fold **fold, size_t window,
			     struct varve_causes *causes) MUST_CHECK;
enum varve_status fold_put(struct fold *fold, uint32_t symbol,
			   struct varve_causes *causes) MUST_CHECK;
/* `count` symbols, as one by one. */
enum varve_status fold_put_all(struct fold *fold, const uint32_t *symbols, size_t count,
			       struct varve_causes *causes) MUST_CHECK;
/* The same symbol `count` times, as one by one, in time that does not grow with the count once it is a loop. */
enum varve_status fold_put_run(struct fold *fold, uint32_t symbol, uint64_t count,
			       struct varve_causes *causes) MUST_CHECK;
/* Returns the tree, which the caller clears. Ends the fold, also on failure. */
enum varve_status fold_finish(struct fold *fold, struct fold_tree *tree,
			      struct varve_causes *causes) MUST_CHECK;
void fold_tree_clear(struct fold_tree *tree);
/* Of it only what is about trip counts. */
void fold_trips_clear(struct fold_tree *tree);

/* A number that is the same for trees of the same shape: bodies, not how often they ran. `X` alone and a loop of X are the
 * same shape. */
uint64_t fold_tree_shape(const struct fold_tree *tree);

/* Walks the leaves of a tree in the order in which they were put. The tree must be well formed: fold_tree_check(). */
struct fold_walk {
	const struct fold_tree *tree;
	size_t branch;	/* next to be looked at */
	uint32_t depth; /* loops around it */
	struct fold_open {
		size_t loop;   /* branch */
		uint64_t left; /* trips after this one */
	} open[FOLD_DEPTH_MOST];
	struct series_cursor *trips; /* one per loop: the next trip count */
	uint64_t *visits;	     /* times that each loop was visited */
	uint64_t **
		sums; /* one per loop, where its trip counts are raw: see fold_skip.c; NULL: not needed yet */
};
enum varve_status fold_walk_start(struct fold_walk *walk, const struct fold_tree *tree,
				  struct varve_causes *causes) MUST_CHECK;
void fold_walk_stop(struct fold_walk *walk);
/* Goes back to the first leaf. */
void fold_walk_rewind(struct fold_walk *walk);
/* The next leaves: branches[*branch] to branches[*branch + *leaves) are leaves side by side, and they come `*times` times one after the
 * other (all of them, then all again). times 0: the end. A loop whose body is nothing but leaves is given at once. */
void fold_walk_next(struct fold_walk *walk, size_t *branch, size_t *leaves, uint64_t *times);
/* Skips the next `*left` leaves, or all that remain, in a time that does not grow with their number; `*left` becomes what is
 * still to skip. `passed` gets the number of skipped leaves by symbol, in any order and in any number of calls. */
typedef enum varve_status fold_passed(void *context, uint32_t symbol, uint64_t count,
				      struct varve_causes *causes);
enum varve_status fold_walk_skip(struct fold_walk *walk, uint64_t *left, fold_passed *passed,
				 void *context, struct varve_causes *causes) MUST_CHECK;
/* For fold_skip.c only. fold_walk_turn() goes back or out where bodies end, and returns the end of the body that the next branch
 * is in. fold_walk_trips() visits a loop and returns how often it runs. fold_walk_visit() counts `times` visits of a loop. */
size_t fold_walk_turn(struct fold_walk *walk);
uint64_t fold_walk_trips(struct fold_walk *walk, uint32_t loop);
void fold_walk_visit(struct fold_walk *walk, uint32_t loop, uint64_t times);

/* Whether a tree that was read is well formed: sizes nest, no loop is empty, the depth is at most FOLD_DEPTH_MOST, no trip count
 * is 0, and it unfolds to `symbols`, which may be a number that no memory could hold. */
enum varve_status fold_tree_check(const struct fold_tree *tree,
				  struct varve_causes *causes) MUST_CHECK;

#endif
