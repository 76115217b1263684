/* Loop: the leaves of a tree, in the order in which they were put.
 *
 * Owns a walk's place in the tree: the loops around it, and for each loop how many of its trip counts were used. Nothing is
 * unfolded in memory: a loop whose body has only leaves is one step, however often it ran. The tree was accepted by
 * fold_tree_check(); it is never changed.
 */
#include "loop/fold.h"

#include <stdlib.h>

enum varve_status fold_walk_start(struct fold_walk *walk, const struct fold_tree *tree,
				  struct varve_causes *causes)
{
	*walk = (struct fold_walk){.tree = tree};
	walk->trips = calloc(tree->loops + 1, sizeof *walk->trips);
	walk->visits = calloc(tree->loops + 1, sizeof *walk->visits);
	if (!walk->trips || !walk->visits) {
		fold_walk_stop(walk);
		return cause(causes, VARVE_NO_MEMORY, "no memory to walk %zu loops", tree->loops);
	}
	fold_walk_rewind(walk);
	return VARVE_OK;
}

void fold_walk_rewind(struct fold_walk *walk)
{
	walk->branch = walk->depth = 0;
	for (size_t i = 0; i < walk->tree->loops; i++) {
		const struct series *series = &walk->tree->trips[i].series;
		walk->visits[i] = 0;
		series_seek(&walk->trips[i], series->blocks, series->count, 0);
	}
}

void fold_walk_stop(struct fold_walk *walk)
{
	free(walk->trips);
	free(walk->visits);
	for (size_t i = 0; walk->sums && i < walk->tree->loops; i++)
		free(walk->sums[i]);
	free(walk->sums);
	*walk = (struct fold_walk){0};
}

uint64_t fold_walk_trips(struct fold_walk *walk, uint32_t loop)
{
	const struct fold_trips *trips = &walk->tree->trips[loop];
	uint64_t visits = walk->visits[loop]++, value = 1, stride;
	if (trips->raw)
		return trips->raw[visits];
	series_run(&walk->trips[loop], 1, &value, &stride);
	return value;
}

void fold_walk_visit(struct fold_walk *walk, uint32_t loop, uint64_t times)
{
	const struct series *series = &walk->tree->trips[loop].series;
	walk->visits[loop] += times;
	if (!walk->tree->trips[loop].raw)
		series_seek(&walk->trips[loop], series->blocks, series->count, walk->visits[loop]);
}

/* Number of adjacent leaves from a branch on, before `end`. */
static size_t leaves_at(const struct fold_tree *tree, size_t branch, size_t end)
{
	size_t first = branch;
	while (branch < end && tree->branches[branch].symbol != FOLD_LOOP)
		branch++;
	return branch - first;
}

size_t fold_walk_turn(struct fold_walk *walk)
{
	const struct fold_tree *tree = walk->tree;
	while (walk->depth) {
		size_t loop = walk->open[walk->depth - 1].loop;
		size_t end = loop + tree->branches[loop].size;
		if (walk->branch < end)
			return end;
		if (walk->open[walk->depth - 1].left) {
			walk->open[walk->depth - 1].left--;
			walk->branch = loop + 1;
			return end;
		}
		walk->depth--;
	}
	return tree->count;
}

void fold_walk_next(struct fold_walk *walk, size_t *branch, size_t *leaves, uint64_t *times)
{
	const struct fold_tree *tree = walk->tree;
	for (;;) {
		size_t end = fold_walk_turn(walk), at = walk->branch;
		struct fold_open *open = walk->depth ? &walk->open[walk->depth - 1] : NULL;
		*branch = at;
		*leaves = leaves_at(tree, at, end);
		*times = *leaves > 0;
		walk->branch += *leaves;
		if (open && at == open->loop + 1 && walk->branch == end) {
			/* Only leaves: all of its trips at once. */
			*times += open->left;
			open->left = 0;
		}
		if (*leaves || at == end)
			return;
		uint64_t trips = fold_walk_trips(walk, tree->branches[at].trips);
		walk->open[walk->depth++] = (struct fold_open){at, trips - 1};
		walk->branch++;
	}
}
