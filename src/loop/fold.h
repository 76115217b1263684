/* Loop: turns a sequence of symbols into a tree of loops, and back.
 *
 * A symbol stands for the signature of a record. If the newest symbols repeat those before them, they become a loop; loops
 * nest. The result depends only on the sequence, not on addresses, times or seeds. Memory: the window and the items that have
 * left it. The work for each symbol is bounded by a constant (amortized). Nothing here gives symbols a meaning.
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
	uint64_t *raw;	/* all values, if there are more blocks than a series can have; else NULL */
	uint64_t count; /* number of visits */
};

/* A tree in preorder: a loop, then its body. `branches[0 .. count)` is a sequence. */
struct fold_branch {
	uint32_t symbol; /* FOLD_LOOP: a loop */
	uint32_t size;	 /* number of branches in it, including itself: 1 for a leaf */
	uint32_t trips;	 /* of a loop: its index in `trips`, which are also in preorder */
};

struct fold_tree {
	struct fold_branch *branches;
	size_t count;
	struct fold_trips *trips;
	size_t loops;
	uint64_t symbols;    /* number of symbols that it unfolds to */
	uint64_t overruns;   /* branches that have left the window without being folded */
	uint64_t candidates; /* how often there were more similar places than were tried */
	uint64_t steps;	     /* comparisons made by folding, except those with expected symbols */
};

struct fold;
/* `window`: how many branches are compared, at least 2. */
enum varve_status fold_start(struct fold **fold, size_t window,
			     struct varve_causes *causes) MUST_CHECK;
enum varve_status fold_put(struct fold *fold, uint32_t symbol,
			   struct varve_causes *causes) MUST_CHECK;
/* The same as `count` calls of fold_put(). */
enum varve_status fold_put_all(struct fold *fold, const uint32_t *symbols, size_t count,
			       struct varve_causes *causes) MUST_CHECK;
/* The same symbol `count` times; as soon as it is a loop, the time does not grow with the count. */
enum varve_status fold_put_run(struct fold *fold, uint32_t symbol, uint64_t count,
			       struct varve_causes *causes) MUST_CHECK;
/* Returns the tree, which the caller clears. Frees the fold, also on failure. */
enum varve_status fold_finish(struct fold *fold, struct fold_tree *tree,
			      struct varve_causes *causes) MUST_CHECK;
void fold_tree_clear(struct fold_tree *tree);
/* Clears only the trip counts. */
void fold_trips_clear(struct fold_tree *tree);

/* A hash that is equal for trees of the same shape: the same bodies, however often they ran. `X` alone and a loop of X have the
 * same shape. */
uint64_t fold_tree_shape(const struct fold_tree *tree);

/* Walks the leaves of a tree in the order in which they were put. The tree must be well formed: see fold_tree_check(). */
struct fold_walk {
	const struct fold_tree *tree;
	size_t branch;	/* next branch to visit */
	uint32_t depth; /* number of loops around it */
	struct fold_open {
		size_t loop;   /* branch */
		uint64_t left; /* trips after this one */
	} open[FOLD_DEPTH_MOST];
	struct series_cursor *trips; /* one for each loop: the next trip count */
	uint64_t *visits;	     /* number of visits of each loop so far */
	uint64_t **
		sums; /* by loop, if its trip counts are raw: see fold_skip.c; NULL: not needed so far */
};
enum varve_status fold_walk_start(struct fold_walk *walk, const struct fold_tree *tree,
				  struct varve_causes *causes) MUST_CHECK;
void fold_walk_stop(struct fold_walk *walk);
/* Restarts at the first leaf. */
void fold_walk_rewind(struct fold_walk *walk);
/* The next leaves: branches[*branch] to branches[*branch + *leaves) are adjacent leaves, and this sequence occurs `*times`
 * times in a row. times 0: the end. All trips of a loop whose body has only leaves are returned at once. */
void fold_walk_next(struct fold_walk *walk, size_t *branch, size_t *leaves, uint64_t *times);
/* Skips the next `*left` leaves, or all that remain, in a time that does not grow with their number; `*left` becomes the number
 * that is still to skip. `passed` gets the number of skipped leaves by symbol, in any order and in any number of calls. */
typedef enum varve_status fold_passed(void *context, uint32_t symbol, uint64_t count,
				      struct varve_causes *causes);
enum varve_status fold_walk_skip(struct fold_walk *walk, uint64_t *left, fold_passed *passed,
				 void *context, struct varve_causes *causes) MUST_CHECK;
/* For fold_skip.c only. At the end of a body, fold_walk_turn() begins the next trip or leaves the loop; it returns the end of
 * the body that contains the next branch. fold_walk_trips() visits a loop and returns how often it runs. fold_walk_visit()
 * counts `times` visits of a loop. */
size_t fold_walk_turn(struct fold_walk *walk);
uint64_t fold_walk_trips(struct fold_walk *walk, uint32_t loop);
void fold_walk_visit(struct fold_walk *walk, uint32_t loop, uint64_t times);

/* Whether a tree that was read is well formed: sizes nest, no loop is empty, the depth is at most FOLD_DEPTH_MOST, no trip
 * count is 0, and it unfolds to `symbols` symbols, which may be more than any memory could hold. */
enum varve_status fold_tree_check(const struct fold_tree *tree,
				  struct varve_causes *causes) MUST_CHECK;

#endif
