/* Loop: the tree that folding produces, and the check of a tree that was read.
 *
 * Owns trees in their stored form: branches in preorder, and their trip counts. A tree that was read is hostile input until
 * fold_tree_check() has accepted it. The recursion is never deeper than loops may nest.
 */
#include "loop/fold_state.h"

#include <inttypes.h>
#include <stdlib.h>

/* Counts what a sequence needs, so that it is allocated once. */
static void tree_measure(const struct fold_item *items, size_t count, size_t *branches,
			 size_t *loops)
{
	*branches += count;
	for (size_t i = 0; i < count; i++) {
		if (!items[i].loop)
			continue;
		++*loops;
		tree_measure(items[i].loop->items, items[i].loop->count, branches, loops);
	}
}

static enum varve_status tree_store(struct fold_tree *tree, const struct fold_item *items,
				    size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct fold_branch *branch = &tree->branches[tree->count++];
		*branch = (struct fold_branch){.symbol = items[i].symbol, .size = 1};
		if (!items[i].loop)
			continue;
		branch->trips = (uint32_t)tree->loops;
		TRY(fold_loop_trips(items[i].loop, &tree->trips[tree->loops++]));
		TRY(tree_store(tree, items[i].loop->items, items[i].loop->count));
		branch->size = (uint32_t)(tree->branches + tree->count - branch);
	}
	return VARVE_OK;
}

enum varve_status fold_tree_make(struct fold_tree *tree, const struct fold_item *items,
				 size_t count)
{
	size_t branches = 0, loops = 0;
	tree_measure(items, count, &branches, &loops);
	if (loops > UINT32_MAX)
		return VARVE_LIMIT;
	tree->branches = calloc(branches + 1, sizeof *tree->branches);
	tree->trips = calloc(loops + 1, sizeof *tree->trips);
	if (!tree->branches || !tree->trips)
		return VARVE_NO_MEMORY;
	return tree_store(tree, items, count);
}

void fold_trips_clear(struct fold_tree *tree)
{
	for (size_t i = 0; tree->trips && i < tree->loops; i++) {
		series_clear(&tree->trips[i].series);
		free(tree->trips[i].raw);
	}
	free(tree->trips);
	tree->trips = NULL;
}

void fold_tree_clear(struct fold_tree *tree)
{
	fold_trips_clear(tree);
	free(tree->branches);
	*tree = (struct fold_tree){0};
}

/* Loops are not included, because folded and unfolded sequences have the same leaves. */
uint64_t fold_tree_shape(const struct fold_tree *tree)
{
	uint64_t hash = 0;
	for (size_t i = 0; i < tree->count; i++)
		if (tree->branches[i].symbol != FOLD_LOOP)
			hash = fold_plus(fold_times(hash, FOLD_BASE),
					 fold_leaf_hash(tree->branches[i].symbol));
	return hash;
}

/* The sum of all trips of a loop; false: a count is 0, the sum is too large, or the number of counts is wrong. */
static bool sum_trips(const struct fold_trips *trips, uint64_t *sum)
{
	*sum = 0;
	if (trips->raw) {
		for (uint64_t i = 0; i < trips->count; i++)
			if (!trips->raw[i] || __builtin_add_overflow(*sum, trips->raw[i], sum))
				return false;
		return true;
	}
	if (!series_check(trips->series.blocks, trips->series.count, trips->count))
		return false;
	for (size_t i = 0; i < trips->series.count; i++) {
		const struct series_block *block = &trips->series.blocks[i];
		uint64_t least, greatest;
		if (!series_block_range(block, &least, &greatest) || !least)
			return false;
		/* The values of nested lines are symmetric about their middle. */
		unsigned __int128 all = (unsigned __int128)block->values * (least + greatest) / 2;
		if (all > UINT64_MAX || __builtin_add_overflow(*sum, (uint64_t)all, sum))
			return false;
	}
	return true;
}

enum varve_status fold_tree_check(const struct fold_tree *tree, struct varve_causes *causes)
{
	/* For each enclosing loop: where it ends, and how often its body ran. The outermost entry is the tree itself. */
	struct {
		size_t end;
		uint64_t times;
	} around[FOLD_DEPTH_MOST + 1] = {{tree->count, 1}};
	uint32_t depth = 0;
	size_t loops = 0;
	uint64_t symbols = 0;
	for (size_t i = 0; i < tree->count; i++) {
		const struct fold_branch *branch = &tree->branches[i];
		while (around[depth].end == i)
			depth--;
		uint64_t times = around[depth].times;
		if (branch->symbol != FOLD_LOOP) {
			if (branch->size != 1)
				return cause(causes, VARVE_DAMAGED,
					     "a leaf with %" PRIu32 " branches", branch->size);
			if (__builtin_add_overflow(symbols, times, &symbols))
				return cause(causes, VARVE_DAMAGED, "loops with too many trips");
			continue;
		}
		if (branch->size < 2 || branch->size > around[depth].end - i)
			return cause(causes, VARVE_DAMAGED, "a loop with %" PRIu32 " branches",
				     branch->size);
		if (depth == FOLD_DEPTH_MOST)
			return cause(causes, VARVE_DAMAGED, "loops too deep");
		if (loops == tree->loops || branch->trips != loops)
			return cause(causes, VARVE_DAMAGED, "loops and trip counts do not agree");
		const struct fold_trips *trips = &tree->trips[loops++];
		around[++depth].end = i + branch->size;
		if (trips->count != times || !sum_trips(trips, &around[depth].times))
			return cause(causes, VARVE_DAMAGED, "trip counts do not match a loop");
	}
	if (loops != tree->loops || symbols != tree->symbols)
		return cause(causes, VARVE_DAMAGED, "%" PRIu64 " symbols instead of %" PRIu64,
			     symbols, tree->symbols);
	return VARVE_OK;
}
