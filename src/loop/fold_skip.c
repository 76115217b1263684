/* Loop: skips leaves of a tree without walking them.
 *
 * The number of leaves in complete trips of a loop is a sum over the trip counts of the loops in it. Such a sum does not
 * require to read each count: a series has a formula, and raw counts are added up once. So the cost of finding a place in a
 * trace depends on the tree, not on the number of events before the place. Moves the place of a walk; never changes the tree.
 */
#include "loop/fold.h"

#include <stdlib.h>

/* The function to call for skipped leaves. */
struct passing {
	fold_passed *passed;
	void *context;
	struct varve_causes *causes;
};

/* Adds up raw trip counts: sums[i] is the sum of the first i. */
static enum varve_status sums_make(struct fold_walk *walk, struct varve_causes *causes)
{
	if (walk->sums)
		return VARVE_OK;
	walk->sums = calloc(walk->tree->loops + 1, sizeof *walk->sums);
	for (size_t i = 0; walk->sums && i < walk->tree->loops; i++) {
		const struct fold_trips *trips = &walk->tree->trips[i];
		if (!trips->raw)
			continue;
		uint64_t *sums = malloc(((size_t)trips->count + 1) * sizeof *sums);
		if (!sums)
			return cause(causes, VARVE_NO_MEMORY, "no memory to skip loops");
		walk->sums[i] = sums;
		sums[0] = 0;
		for (uint64_t k = 0; k < trips->count; k++)
			sums[k + 1] = sums[k] + trips->raw[k];
	}
	return walk->sums ? VARVE_OK : cause(causes, VARVE_NO_MEMORY, "no memory to skip loops");
}

/* How many trips a loop has in its next `times` visits together. */
static uint64_t trips_of(const struct fold_walk *walk, uint32_t loop, uint64_t times)
{
	const struct series *series = &walk->tree->trips[loop].series;
	uint64_t visits = walk->visits[loop];
	if (walk->sums[loop])
		return walk->sums[loop][visits + times] - walk->sums[loop][visits];
	return series_sum(series->blocks, series->count, visits + times) -
	       series_sum(series->blocks, series->count, visits);
}

/* The number of leaves in `times` trips of a loop. With `passing` they are skipped: the loops in its body count as visited, and
 * each leaf is reported. */
static enum varve_status body_skip(struct fold_walk *walk, size_t loop, uint64_t times,
				   uint64_t *leaves, const struct passing *passing)
{
	const struct fold_tree *tree = walk->tree;
	struct {
		size_t end;
		uint64_t times;
	} around[FOLD_DEPTH_MOST + 1] = {{loop + tree->branches[loop].size, times}};
	uint32_t depth = 0;
	*leaves = 0;
	for (size_t i = loop + 1; i < around[0].end; i++) {
		const struct fold_branch *branch = &tree->branches[i];
		while (around[depth].end == i)
			depth--;
		uint64_t runs = around[depth].times;
		if (branch->symbol != FOLD_LOOP) {
			*leaves += runs;
			if (passing && runs)
				TRY(passing->passed(passing->context, branch->symbol, runs,
						    passing->causes));
			continue;
		}
		around[++depth].end = i + branch->size;
		around[depth].times = trips_of(walk, branch->trips, runs);
		if (passing)
			fold_walk_visit(walk, branch->trips, runs);
	}
	return VARVE_OK;
}

/* The largest number of the loop's next trips, at most `left`, with no more than `leaves` leaves. Trips are mostly alike, so
 * the first guess is almost always right, and the second one confirms it. */
static uint64_t rounds_in(struct fold_walk *walk, size_t loop, uint64_t left, uint64_t leaves)
{
	uint64_t low = 0, high = left < leaves ? left : leaves, some;
	(void)body_skip(walk, loop, 1, &some, NULL);
	uint64_t guess = some ? leaves / some : high;
	for (bool first = true; low < high; first = false) {
		if (first && guess > high)
			guess = high;
		else if (guess <= low || guess > high)
			guess = high - (high - low) / 2;
		(void)body_skip(walk, loop, guess, &some, NULL);
		bool fit = some <= leaves;
		*(fit ? &low : &high) = fit ? guess : guess - 1;
		guess = first ? fit ? guess + 1 : guess - 1 : 0;
	}
	return low;
}

enum varve_status fold_walk_skip(struct fold_walk *walk, uint64_t *left, fold_passed *passed,
				 void *context, struct varve_causes *causes)
{
	const struct fold_tree *tree = walk->tree;
	const struct passing passing = {passed, context, causes};
	TRY(sums_make(walk, causes));
	while (*left) {
		struct fold_open *open = walk->depth ? &walk->open[walk->depth - 1] : NULL;
		if (open && open->left &&
		    walk->branch == open->loop + tree->branches[open->loop].size) {
			uint64_t leaves, rounds = rounds_in(walk, open->loop, open->left, *left);
			TRY(body_skip(walk, open->loop, rounds, &leaves, &passing));
			open->left -= rounds;
			*left -= leaves;
			if (!*left)
				break;
		}
		if (fold_walk_turn(walk) == walk->branch)
			break; /* the end */
		const struct fold_branch *branch = &tree->branches[walk->branch];
		if (branch->symbol != FOLD_LOOP) {
			TRY(passed(context, branch->symbol, 1, causes));
			walk->branch++;
			--*left;
			continue;
		}
		/* As if it had run once: its trips are skipped from the end of its body. */
		uint64_t trips = fold_walk_trips(walk, branch->trips);
		walk->open[walk->depth++] = (struct fold_open){walk->branch, trips};
		walk->branch += branch->size;
	}
	return VARVE_OK;
}
