/* Loop: the leaves of a tree, in the order in which they were put.
 *
 * Owns a walk's place in the tree: the loops around it, and for each loop how many of its trip counts were used. Nothing is
 * unfolded in memory: a loop whose body is leaves is one step, however often it ran. The tree is one that fold_tree_check()
 * found well formed; it is never changed.
 */
#include "loop/fold.h"

#include <stdlib.h>

enum status fold_walk_start(struct fold_walk *walk, const struct fold_tree *tree,
			    struct varve_causes *causes)
{
	*walk = (struct fold_walk){.tree = tree};
	walk->trips = calloc(tree->loops + 1, sizeof *walk->trips);
	walk->come = calloc(tree->loops + 1, sizeof *walk->come);
	if (!walk->trips || !walk->come) {
		fold_walk_stop(walk);
		return cause(causes, STATUS_NO_MEMORY, "no memory to walk %zu loops", tree->loops);
	}
	for (size_t i = 0; i < tree->loops; i++) {
		const struct series *series = &tree->trips[i].series;
		series_seek(&walk->trips[i], series->blocks, series->count, 0);
	}
	return STATUS_OK;
}

void fold_walk_stop(struct fold_walk *walk)
{
	free(walk->trips);
	free(walk->come);
	*walk = (struct fold_walk){0};
}

static uint64_t next_trips(struct fold_walk *walk, uint32_t loop)
{
	const struct fold_trips *trips = &walk->tree->trips[loop];
	uint64_t come = walk->come[loop]++, value = 1, stride;
	if (trips->raw)
		return trips->raw[come];
	series_run(&walk->trips[loop], 1, &value, &stride);
	return value;
}

/* Leaves side by side from a node on, before `end`. */
static size_t leaves_at(const struct fold_tree *tree, size_t node, size_t end)
{
	size_t first = node;
	while (node < end && tree->nodes[node].symbol != FOLD_LOOP)
		node++;
	return node - first;
}

/* Goes back or out where bodies end. Where the part ends that the next node is in. */
static size_t turn(struct fold_walk *walk)
{
	const struct fold_tree *tree = walk->tree;
	while (walk->depth) {
		size_t loop = walk->open[walk->depth - 1].loop;
		size_t end = loop + tree->nodes[loop].size;
		if (walk->node < end)
			return end;
		if (walk->open[walk->depth - 1].left) {
			walk->open[walk->depth - 1].left--;
			walk->node = loop + 1;
			return end;
		}
		walk->depth--;
	}
	return tree->count;
}

void fold_walk_next(struct fold_walk *walk, size_t *node, size_t *leaves, uint64_t *times)
{
	const struct fold_tree *tree = walk->tree;
	for (;;) {
		size_t end = turn(walk), at = walk->node;
		*node = at;
		*leaves = leaves_at(tree, at, end);
		*times = *leaves > 0;
		walk->node += *leaves;
		if (*leaves || at == end)
			return;
		size_t size = tree->nodes[at].size;
		uint64_t trips = next_trips(walk, tree->nodes[at].trips);
		*leaves = leaves_at(tree, at + 1, at + size);
		if (*leaves == size - 1) {
			*node = at + 1;
			*times = trips;
			walk->node += size;
			return;
		}
		walk->open[walk->depth].loop = at;
		walk->open[walk->depth++].left = trips - 1;
		walk->node++;
	}
}
