/* Tests: sequences of symbols that are folded, unfolded and compared, and a tree as text. */
#ifndef TESTS_UNIT_FOLDED_H
#define TESTS_UNIT_FOLDED_H

#include "loop/fold.h"
#include "unit/chance.h"
#include "unit/harness.h"

#include <stdlib.h>

struct word {
	uint32_t *symbols;
	size_t count, room;
};

static inline void word_put(struct word *word, uint32_t symbol)
{
	if (word->count == word->room) {
		word->room = word->room ? word->room * 2 : 1024;
		word->symbols = realloc(word->symbols, word->room * sizeof *word->symbols);
	}
	word->symbols[word->count++] = symbol;
}

/* Letters; a number after a letter or a bracket repeats it: "(a3b)4c" is aaabaaabaaabaaabc. */
static inline const char *word_text(struct word *word, const char *text)
{
	while (*text && *text != ')') {
		size_t start = word->count;
		if (*text == '(') {
			text = word_text(word, text + 1);
			CHECK(*text == ')');
		} else {
			word_put(word, (uint32_t)*text);
		}
		size_t length = word->count - start;
		char *end;
		unsigned long times = strtoul(text + 1, &end, 10);
		if (end == text + 1)
			times = 1;
		text = end;
		for (size_t i = length; i < length * times; i++)
			word_put(word, word->symbols[start + i % length]);
	}
	return text;
}

/* One by one, or in pieces if there is a random generator. */
static inline struct fold_tree word_fold(const struct word *word, size_t window,
					 struct chance *pieces)
{
	struct varve_causes causes = {0};
	struct fold *fold;
	struct fold_tree tree = {0};
	if (!CHECK_EQ(fold_start(&fold, window, &causes), VARVE_OK))
		return tree;
	for (size_t i = 0, length; i < word->count; i += length) {
		length = 1;
		if (pieces && chance_once(pieces, 3)) {
			length = 1 +
				 chance_below(pieces, word->count - i < 80 ? word->count - i : 80);
			CHECK_EQ(fold_put_all(fold, word->symbols + i, length, &causes), VARVE_OK);
			continue;
		}
		while (pieces && i + length < word->count &&
		       word->symbols[i + length] == word->symbols[i] && !chance_once(pieces, 5))
			length++;
		if (pieces)
			CHECK_EQ(fold_put_run(fold, word->symbols[i], length, &causes), VARVE_OK);
		else
			CHECK_EQ(fold_put(fold, word->symbols[i], &causes), VARVE_OK);
	}
	CHECK_EQ(fold_finish(fold, &tree, &causes), VARVE_OK);
	CHECK_EQ(tree.symbols, word->count);
	CHECK_EQ(fold_tree_check(&tree, &causes), VARVE_OK);
	return tree;
}

/* Whether the tree unfolds to the word. */
static inline bool word_is(const struct word *word, const struct fold_tree *tree)
{
	struct varve_causes causes = {0};
	struct fold_walk walk;
	if (!CHECK_EQ(fold_walk_start(&walk, tree, &causes), VARVE_OK))
		return false;
	size_t at = 0, branch, leaves;
	uint64_t times;
	bool same = true;
	for (;;) {
		fold_walk_next(&walk, &branch, &leaves, &times);
		if (!times || !same)
			break;
		for (; times && same; times--)
			for (size_t i = 0; i < leaves && same; i++, at++)
				same = at < word->count &&
				       tree->branches[branch + i].symbol == word->symbols[at];
	}
	fold_walk_stop(&walk);
	return same && at == word->count;
}

/* Adds or subtracts the skipped symbols: the result is 0 if the word has the same symbols there. */
enum { PASSED_SYMBOLS = 65536 };
static inline enum varve_status word_passed(void *context, uint32_t symbol, uint64_t count,
					    struct varve_causes *causes)
{
	uint64_t *passed = context;
	(void)causes;
	passed[symbol % PASSED_SYMBOLS] += count;
	return VARVE_OK;
}

/* Whether skipping some of the tree's leaves, then walking over some, leads to the same places of the word. */
static inline bool word_skips(const struct word *word, const struct fold_tree *tree,
			      struct chance *chance)
{
	static uint64_t passed[PASSED_SYMBOLS];
	struct varve_causes causes = {0};
	struct fold_walk walk;
	if (!CHECK_EQ(fold_walk_start(&walk, tree, &causes), VARVE_OK))
		return false;
	bool same = true;
	for (size_t at = 0, branch, leaves; same && at < word->count;) {
		size_t wide = chance_once(chance, 3) ? word->count - at : 1 + word->count / 8;
		uint64_t times, left = chance_below(chance, wide + 2), skip = left;
		CHECK_EQ(fold_walk_skip(&walk, &left, word_passed, passed, &causes), VARVE_OK);
		same = left == (skip > word->count - at ? skip - (word->count - at) : 0);
		for (skip -= left; skip; skip--)
			passed[word->symbols[at++] % PASSED_SYMBOLS]--;
		fold_walk_next(&walk, &branch, &leaves, &times);
		for (; times && same; times--)
			for (size_t i = 0; i < leaves && same; i++, at++)
				same = at < word->count &&
				       tree->branches[branch + i].symbol == word->symbols[at];
	}
	for (size_t i = 0; same && i < word->count; i++)
		same = !passed[word->symbols[i] % PASSED_SYMBOLS];
	fold_walk_stop(&walk);
	memset(passed, 0, sizeof passed);
	return same;
}

static inline uint64_t trips_at(const struct fold_trips *trips, uint64_t at)
{
	struct series_cursor cursor;
	uint64_t value = 0;
	if (trips->raw)
		return trips->raw[at];
	series_seek(&cursor, trips->series.blocks, trips->series.count, at);
	series_take(&cursor, 1, &value);
	return value;
}

static inline bool same_trees(const struct fold_tree *one, const struct fold_tree *other)
{
	bool same = one->count == other->count && one->loops == other->loops;
	for (size_t i = 0; same && i < one->count; i++)
		same = memcmp(&one->branches[i], &other->branches[i], sizeof *one->branches) == 0;
	for (size_t i = 0; same && i < one->loops; i++) {
		const struct fold_trips *a = &one->trips[i], *b = &other->trips[i];
		same = a->count == b->count && a->series.count == b->series.count &&
		       !a->raw == !b->raw;
		for (uint64_t k = 0; same && k < a->count; k++)
			same = trips_at(a, k) == trips_at(b, k);
	}
	return same;
}

/* "(a{8,4}b){2}": a loop with its trip counts; equal counts are written once. */
static inline const char *tree_text(const struct fold_tree *tree)
{
	static char text[4096];
	char *at = text, *end = text + sizeof text - 64;
	struct {
		size_t end;
		uint32_t trips;
	} open[FOLD_DEPTH_MOST];
	size_t depth = 0;
	for (size_t i = 0; i <= tree->count && at < end; i++) {
		while (depth && open[depth - 1].end == i && at < end) {
			const struct fold_trips *trips = &tree->trips[open[--depth].trips];
			at += sprintf(at, "){%" PRIu64, trips_at(trips, 0));
			for (uint64_t k = 1; k < trips->count && at < end; k++)
				if (trips_at(trips, k) != trips_at(trips, k - 1))
					at += sprintf(at, ",%" PRIu64, trips_at(trips, k));
			*at++ = '}';
		}
		if (i == tree->count)
			break;
		const struct fold_branch *branch = &tree->branches[i];
		*at++ = branch->symbol == FOLD_LOOP ? '(' : (char)branch->symbol;
		if (branch->symbol == FOLD_LOOP) {
			open[depth].end = i + branch->size;
			open[depth++].trips = branch->trips;
		}
	}
	*at = 0;
	return text;
}

#endif
