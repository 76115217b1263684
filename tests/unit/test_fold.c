/* Tests: sequences to loops and back, how well they fold, and trees that no fold made. VARVE_LOOP_RUNS: how many sequences of each
 * kind, instead of a number that takes seconds. */
#include "unit/folded.h"

static const size_t windows[] = {2, 8, 1024};

static uint64_t runs(void)
{
	return chance_runs("VARVE_LOOP_RUNS", 3000);
}

/* Conditions for any sequence. Work is counted in comparisons: a clock would measure the machine. */
static bool check_word(const struct word *word, struct chance *chance)
{
	for (size_t w = 0; w < sizeof windows / sizeof *windows; w++) {
		struct fold_tree tree = word_fold(word, windows[w], NULL);
		struct fold_tree pieces = word_fold(word, windows[w], chance);
		bool fine = CHECK(word_is(word, &tree)) && CHECK(same_trees(&tree, &pieces)) &&
			    CHECK(word_skips(word, &tree, chance)) &&
			    CHECK(tree.steps <= 8192 + 200 * word->count) &&
			    CHECK(tree.count <= 2 * word->count);
		if (!fine)
			printf("# %zu symbols, window %zu, %" PRIu64 " steps\n", word->count,
			       windows[w], tree.steps);
		fold_tree_clear(&tree);
		fold_tree_clear(&pieces);
		if (!fine)
			return false;
	}
	return true;
}

CASE(random_words)
{
	struct chance chance = chance_start(30);
	struct word word = {0};
	for (uint64_t i = 0; i < runs(); i++) {
		uint64_t symbols = 1 + chance_below(&chance, chance_once(&chance, 4) ? 64 : 4);
		size_t count = chance_below(&chance, chance_once(&chance, 20) ? 5000 : 120);
		word.count = 0;
		for (size_t k = 0; k < count; k++)
			word_put(&word, (uint32_t)chance_below(&chance, symbols));
		if (!check_word(&word, &chance))
			break;
	}
	free(word.symbols);
}

/* A program: statements in order, some of them loops, with another number of trips each time. */
struct program {
	uint32_t symbol;
	uint64_t least, more; /* trips of a loop */
	size_t count;
	struct program *body;
};

static struct program make_program(struct chance *chance, int depth, uint64_t symbols)
{
	struct program program = {.symbol = (uint32_t)chance_below(chance, symbols), .least = 1};
	if (depth && !chance_once(chance, 3)) {
		program.count = 1 + chance_below(chance, 4);
		program.least = 1 + chance_below(chance, 4);
		program.more = chance_once(chance, 2) ? 0 : chance_below(chance, 5);
		program.body = malloc(program.count * sizeof *program.body);
		for (size_t i = 0; i < program.count; i++)
			program.body[i] = make_program(chance, depth - 1, symbols);
	}
	return program;
}

static void run_program(const struct program *program, struct chance *chance, struct word *word)
{
	if (!program->body)
		word_put(word, program->symbol);
	uint64_t trips = program->least + chance_below(chance, program->more + 1);
	for (uint64_t i = 0; i < trips && word->count < 20000; i++)
		for (size_t k = 0; k < program->count; k++)
			run_program(&program->body[k], chance, word);
}

static void free_program(struct program *program)
{
	for (size_t i = 0; i < program->count; i++)
		free_program(&program->body[i]);
	free(program->body);
}

CASE(random_programs)
{
	struct chance chance = chance_start(31);
	struct word word = {0};
	bool fine = true;
	for (uint64_t i = 0; i < runs() && fine; i++) {
		struct program program =
			make_program(&chance, 1 + (int)chance_below(&chance, 5),
				     2 + chance_below(&chance, chance_once(&chance, 2) ? 3 : 40));
		word.count = 0;
		for (uint64_t k = 1 + chance_below(&chance, 6); k; k--)
			run_program(&program, &chance, &word);
		fine = check_word(&word, &chance);
		free_program(&program);
	}
	free(word.symbols);
}

static void put_fibonacci(struct word *word, size_t count)
{
	size_t before = 1, length = 2;
	word_put(word, 'a');
	word_put(word, 'b');
	word_put(word, 'a');
	for (before = 2, length = 3; word->count < count;) {
		size_t next = length + before;
		for (size_t i = 0; i < before; i++)
			word_put(word, word->symbols[i]);
		before = length;
		length = next;
	}
}

/* De Bruijn sequence: each word of `order` bits once, preferring ones. */
static void put_de_bruijn(struct word *word, unsigned order)
{
	uint32_t mask = (1u << order) - 1, last = 0;
	bool *seen = calloc((size_t)mask + 1, 1);
	seen[0] = true;
	for (unsigned i = 0; i < order; i++)
		word_put(word, 0);
	for (;;) {
		uint32_t next = (last << 1 & mask) | 1;
		if (seen[next])
			next ^= 1;
		if (seen[next])
			break;
		seen[next] = true;
		word_put(word, next & 1);
		last = next;
	}
	free(seen);
}

CASE(adversarial_words)
{
	enum { COUNT = 40000, KINDS = 9 };
	struct chance chance = chance_start(32);
	for (int kind = 0; kind < KINDS; kind++) {
		struct word word = {0};
		if (kind == 0)
			put_fibonacci(&word, COUNT);
		if (kind == 1)
			put_de_bruijn(&word, 14);
		for (uint32_t i = 0; kind > 1 && word.count < COUNT; i++) {
			uint32_t square = i & (i - 1), ones = (uint32_t)__builtin_popcount(i);
			const uint32_t next[KINDS] = {
				0,     0,	    ones & 1,
				i,     'a',	    i & 1,
				i / 2, square == 0, (uint32_t)__builtin_ctz(i | 1u << 20)};
			word_put(&word, next[kind]);
		}
		if (!check_word(&word, &chance))
			printf("# kind %d\n", kind);
		free(word.symbols);
	}
}

/* q(ba)2 and (qb)2a have the same leaves and cannot be one loop, which shows only after everything before them. Twice, so that the
 * beginning of one is not mistaken for the other. */
static void put_failures(struct word *word, int times)
{
	for (int i = 0; i < times; i++)
		for (uint32_t k = 0; k < 500; k++) {
			word_put(word, 1000 + k);
			if (k % 250 == 249)
				word_text(word, k < 250 ? i & 1 ? "q(ba)2" : "(qb)2a"
						: i & 1 ? "r(dc)2"
							: "(rd)2c");
		}
}

CASE(comparisons_that_fail_cost_no_more)
{
	struct chance chance = chance_start(33);
	struct word word = {0};
	put_failures(&word, 60);
	check_word(&word, &chance);
	struct fold_tree tree = word_fold(&word, FOLD_WINDOW, NULL);
	CHECK(tree.steps < 30 * word.count);
	fold_tree_clear(&tree);

	/* Symbols that are not compared because the budget is used up are not lost: they become part of a loop that is found later,
	 * wherever its body begins. */
	for (int times = 4; times < 16; times++) {
		word.count = 0;
		put_failures(&word, times);
		word_text(&word, "(stuvwxyz)60");
		tree = word_fold(&word, FOLD_WINDOW, NULL);
		CHECK(word_is(&word, &tree));
		CHECK(trips_at(&tree.trips[tree.loops - 1], 0) >= 59);
		fold_tree_clear(&tree);
	}
	free(word.symbols);
}

CASE(words_fold_well)
{
	static const struct {
		const char *word, *tree;
	} pairs[] = {
		{"a", "a"},
		{"a5", "(a){5}"},
		{"(ab)100", "(ab){100}"},
		{"(ab)100a", "(ab){100}a"},
		{"x(ab)100y", "x(ab){100}y"},
		{"a3b4", "(a){3}(b){4}"},
		{"((a3b)4c)5", "(((a){3}b){4}c){5}"},
		{"a8ba4ba2bab", "((a){8,4,2,1}b){4}"},
		{"aba2ba4ba8b", "((a){1,2,4,8}b){4}"},
		{"ba8ba4ba2ba", "(b(a){8,4,2,1}){4}"},
		{"(ab)8c(ab)4c(ab)2cabc", "((ab){8,4,2,1}c){4}"},
		{"x(ab)8x(ab)4x(ab)2xab", "(x(ab){8,4,2,1}){4}"},
		{"((ab)3c)4d((ab)2c)2d", "(((ab){3,2}c){4,2}d){2}"},
		{"(abcabd)50", "(abcabd){50}"},
		{"o(rw)9cx(o(rw)5c)7", "o(rw){9}cx(o(rw){5}c){7}"},
		{"(x(a3b)4)5", "(x((a){3}b){4}){5}"},
		{"(x(a3b)2)5x(ab)9", "(x((a){3,1}b){2,9}){6}"},
		{"(((ab)2c)2(de)3)4", "(((ab){2}c){2}(de){3}){4}"},
	};
	for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
		struct word word = {0};
		word_text(&word, pairs[i].word);
		struct fold_tree tree = word_fold(&word, FOLD_WINDOW, NULL);
		CHECK_STR(tree_text(&tree), pairs[i].tree);
		CHECK(word_is(&word, &tree));
		fold_tree_clear(&tree);
		free(word.symbols);
	}
}

/* Trip counts are not part of a shape, nor is whether a body ran more than once. */
CASE(shapes_are_of_bodies)
{
	static const char *const same[] = {"a8ba4b", "abab", "a2b", "ab", "(a2b)9"};
	static const char *const other[] = {"ba", "a", "abc", "a2b2c", ""};
	uint64_t shape = 0;
	for (size_t i = 0; i < 5; i++) {
		struct word one = {0}, another = {0};
		word_text(&one, same[i]);
		word_text(&another, other[i]);
		struct fold_tree tree = word_fold(&one, FOLD_WINDOW, NULL);
		struct fold_tree different = word_fold(&another, FOLD_WINDOW, NULL);
		if (!i)
			shape = fold_tree_shape(&tree);
		CHECK_EQ(fold_tree_shape(&tree), shape);
		CHECK(fold_tree_shape(&different) != shape);
		fold_tree_clear(&tree);
		fold_tree_clear(&different);
		free(one.symbols);
		free(another.symbols);
	}
}

CASE(size_does_not_grow_with_trips)
{
	size_t branches = 0, blocks = 0;
	for (uint32_t trips = 10; trips <= 1000; trips *= 10) {
		struct word word = {0};
		for (uint32_t i = 0; i < trips; i++) {
			word_put(&word, 'o');
			for (uint32_t k = 0; k < i % 10 + 2; k++)
				word_text(&word, "sw3");
			word_put(&word, 'c');
		}
		struct fold_tree tree = word_fold(&word, FOLD_WINDOW, NULL);
		CHECK(word_is(&word, &tree));
		size_t sum = 0;
		for (size_t i = 0; i < tree.loops; i++) {
			CHECK(!tree.trips[i].raw);
			sum += tree.trips[i].series.count;
		}
		if (trips == 10) {
			branches = tree.count;
			blocks = sum;
		}
		CHECK_EQ(tree.count, branches);
		CHECK(sum <= blocks);
		CHECK_EQ(tree.overruns, 0);
		fold_tree_clear(&tree);
		free(word.symbols);
	}
}

CASE(irregular_trips_are_raw)
{
	struct chance chance = chance_start(34);
	struct word word = {0};
	for (int i = 0; i < 2000; i++) {
		for (uint64_t k = 1 + chance_below(&chance, 20); k; k--)
			word_put(&word, 'a');
		word_put(&word, 'b');
	}
	struct fold_tree tree = word_fold(&word, FOLD_WINDOW, NULL);
	CHECK(word_is(&word, &tree));
	for (int i = 0; i < 100; i++)
		CHECK(word_skips(&word, &tree, &chance));
	CHECK_EQ(tree.count, 4);
	if (CHECK_EQ(tree.loops, 2)) {
		CHECK(!tree.trips[0].raw);
		CHECK(tree.trips[1].raw != NULL);
		CHECK_EQ(tree.trips[1].count, 2000);
	}
	fold_tree_clear(&tree);
	free(word.symbols);
}

/* Half of ((a){2^50}b){100}, and a few more: no walk could reach it. */
static void check_passed_at_once(const struct fold_tree *tree)
{
	static uint64_t passed[PASSED_SYMBOLS];
	struct varve_causes causes = {0};
	struct fold_walk walk;
	uint64_t round = (1ull << 50) + 1, left = 50 * round + 7, times;
	size_t branch, leaves;
	CHECK_EQ(fold_walk_start(&walk, tree, &causes), VARVE_OK);
	CHECK_EQ(fold_walk_skip(&walk, &left, word_passed, passed, &causes), VARVE_OK);
	CHECK_EQ(left, 0);
	CHECK_EQ(passed['a'], 50 * (round - 1) + 7);
	CHECK_EQ(passed['b'], 50);
	fold_walk_next(&walk, &branch, &leaves, &times);
	CHECK_EQ(leaves, 1);
	CHECK_EQ(tree->branches[branch].symbol, 'a');
	CHECK_EQ(times, round - 8);
	left = 50 * round;
	CHECK_EQ(fold_walk_skip(&walk, &left, word_passed, passed, &causes), VARVE_OK);
	CHECK_EQ(left, round - 1);
	fold_walk_next(&walk, &branch, &leaves, &times);
	CHECK_EQ(times, 0);
	fold_walk_stop(&walk);
}

CASE(runs_without_end)
{
	struct varve_causes causes = {0};
	struct fold *fold;
	struct fold_tree tree;
	CHECK_EQ(fold_start(&fold, 8, &causes), VARVE_OK);
	for (int i = 0; i < 100; i++) {
		CHECK_EQ(fold_put_run(fold, 'a', 1ull << 50, &causes), VARVE_OK);
		CHECK_EQ(fold_put_run(fold, 'b', 1, &causes), VARVE_OK);
		CHECK_EQ(fold_put_run(fold, 'c', 0, &causes), VARVE_OK);
	}
	CHECK_EQ(fold_put_run(fold, 'a', 1ull << 63, &causes), VARVE_LIMIT);
	CHECK_EQ(fold_put_run(fold, 'a', INT64_MAX, &causes), VARVE_LIMIT);
	CHECK_EQ(fold_put(fold, FOLD_LOOP, &causes), VARVE_USAGE);
	CHECK_EQ(fold_put_run(fold, FOLD_LOOP, 3, &causes), VARVE_USAGE);
	CHECK_EQ(fold_finish(fold, &tree, &causes), VARVE_OK);
	CHECK_STR(tree_text(&tree), "((a){1125899906842624}b){100}");
	CHECK_EQ(tree.symbols, 100 * ((1ull << 50) + 1));
	CHECK_EQ(fold_tree_check(&tree, &causes), VARVE_OK);
	check_passed_at_once(&tree);
	fold_tree_clear(&tree);
	CHECK_EQ(fold_start(&fold, 1, &causes), VARVE_USAGE);
}

/* Its leaves are 0, 1, 2 ...: 0 alone twice, then 0 1 twice, 0 1 2 and so on. The same leaves each time, and one more loop around
 * some of them. Leaves at the end of other loops continue with those in them. */
CASE(loops_nest_no_deeper_than_is_allowed)
{
	enum { LEAVES = FOLD_DEPTH_MOST + 8 };
	struct chance chance = chance_start(35);
	for (uint32_t around = 0; around < 4; around++) {
		struct word word = {0};
		for (uint32_t i = 0; i < 2 * LEAVES; i++)
			word_put(&word, i % LEAVES);
		for (uint32_t level = 0; level < around; level++) {
			word_put(&word, 0);
			memmove(word.symbols + 1, word.symbols,
				(word.count - 1) * sizeof *word.symbols);
			word.symbols[0] = 1000 + level;
			for (size_t i = 0, count = word.count; i < count; i++)
				word_put(&word, word.symbols[i]);
		}
		for (uint32_t twice = 1; twice <= LEAVES; twice++)
			for (uint32_t i = 0; i < LEAVES + twice; i++)
				word_put(&word, i < twice ? i : i - twice);
		check_word(&word, &chance);
		struct fold_tree tree = word_fold(&word, FOLD_WINDOW, NULL);
		CHECK(tree.loops >= FOLD_DEPTH_MOST);
		fold_tree_clear(&tree);
		free(word.symbols);
	}
}

CASE(counters_tell_poor_folding)
{
	struct word word = {0};
	for (uint32_t i = 0; i < 1000; i++)
		word_put(&word, i);
	struct fold_tree tree = word_fold(&word, 8, NULL);
	CHECK_EQ(tree.overruns, 1000 - 8);
	CHECK_EQ(tree.candidates, 0);
	fold_tree_clear(&tree);
	/* The same eight symbols again and again, and what is between them is never the same. */
	word.count = 0;
	for (uint32_t i = 0; i < 40; i++) {
		word_text(&word, "abcdefgh");
		word_put(&word, 1000 + i);
	}
	tree = word_fold(&word, FOLD_WINDOW, NULL);
	CHECK_EQ(tree.candidates, 40 - FOLD_CANDIDATES - 1);
	fold_tree_clear(&tree);
	free(word.symbols);
}

CASE(trees_that_no_fold_made_are_refused)
{
	enum { WRONG = 14 };
	for (int wrong = -1; wrong < WRONG; wrong++) {
		struct varve_causes causes = {0};
		struct word word = {0};
		word_text(&word, "xa8ba4ba2baby");
		struct fold_tree tree = word_fold(&word, FOLD_WINDOW, NULL);
		CHECK_STR(tree_text(&tree), "x((a){8,4,2,1}b){4}y");
		struct series_block *inner = tree.trips[1].series.blocks,
				    *outer = tree.trips[0].series.blocks;
		tree.branches[0].size += wrong == 0;
		tree.branches[1].size += wrong == 1 ? 2 : 0;
		tree.branches[1].size -= wrong == 2 ? 3 : 0;
		tree.branches[2].size = wrong == 3 ? 4 : tree.branches[2].size;
		tree.branches[2].size = wrong == 4 ? 0 : tree.branches[2].size;
		tree.branches[2].trips += wrong == 5;
		tree.branches[1].symbol = wrong == 6 ? 'q' : tree.branches[1].symbol;
		tree.symbols += wrong == 7;
		tree.trips[0].count += wrong == 8;
		/* As many symbols as a tree would unfold to. */
		tree.symbols = wrong == 3 ? 46 : wrong == 9 ? 22 : wrong == 10 ? 13 : tree.symbols;
		outer->start += wrong == 9;
		inner->start = wrong == 10 ? 4 : inner->start; /* and the next is 0 */
		inner->start += wrong == 11;
		inner->dimensions = wrong == 12 ? 9 : inner->dimensions;
		tree.loops -= wrong == 13;
		CHECK_EQ(fold_tree_check(&tree, &causes), wrong < 0 ? VARVE_OK : VARVE_DAMAGED);
		CHECK(wrong < 0 || causes.count == 1);
		tree.loops += wrong == 13;
		fold_tree_clear(&tree);
		free(word.symbols);
	}
}

/* Loops in loops, each with more trips than can be counted, and nested deeper than allowed. */
CASE(trees_that_unfold_without_end_are_refused)
{
	enum { DEEP = FOLD_DEPTH_MOST + 1 };
	for (uint32_t depth = 1; depth <= DEEP; depth++) {
		struct varve_causes causes = {0};
		struct fold_branch branches[DEEP + 1];
		struct fold_trips trips[DEEP] = {0};
		struct series_block blocks[DEEP] = {0};
		uint64_t times = 1;
		for (uint32_t i = 0; i < depth; i++) {
			branches[i] = (struct fold_branch){FOLD_LOOP, depth + 1 - i, i};
			blocks[i] = (struct series_block){.start = 2, .values = times};
			if (times > 1) {
				blocks[i].dimensions = 1;
				blocks[i].count[0] = times;
			}
			trips[i].series.blocks = &blocks[i];
			trips[i].series.count = 1;
			trips[i].count = times;
			times *= 2;
		}
		branches[depth] = (struct fold_branch){'a', 1, 0};
		struct fold_tree tree = {branches, depth + 1, trips, depth, times, 0, 0, 0};
		CHECK_EQ(fold_tree_check(&tree, &causes),
			 depth <= FOLD_DEPTH_MOST ? VARVE_OK : VARVE_DAMAGED);
		blocks[depth - 1].start = INT64_MAX;
		tree.symbols = times / 2 * INT64_MAX;
		CHECK_EQ(fold_tree_check(&tree, &causes), depth <= 2 ? VARVE_OK : VARVE_DAMAGED);
	}
}

/* Each of the loops is valid, but together they have more events than can be counted. */
CASE(trees_with_too_many_symbols_are_refused)
{
	struct varve_causes causes = {0};
	struct fold_branch branches[6];
	struct fold_trips trips[3] = {0};
	struct series_block block = {.start = INT64_MAX, .values = 1};
	for (uint32_t i = 0; i < 3; i++) {
		branches[2 * i] = (struct fold_branch){FOLD_LOOP, 2, i};
		branches[2 * i + 1] = (struct fold_branch){'a', 1, 0};
		trips[i].series.blocks = &block;
		trips[i].series.count = trips[i].count = 1;
	}
	for (uint64_t loops = 1; loops <= 3; loops++) {
		struct fold_tree tree = {branches,	    2 * loops, trips, loops,
					 loops * INT64_MAX, 0,	       0,     0};
		CHECK_EQ(fold_tree_check(&tree, &causes), loops <= 2 ? VARVE_OK : VARVE_DAMAGED);
	}
}

RUN(ENTRY(random_words), ENTRY(random_programs), ENTRY(adversarial_words),
    ENTRY(comparisons_that_fail_cost_no_more), ENTRY(words_fold_well), ENTRY(shapes_are_of_bodies),
    ENTRY(size_does_not_grow_with_trips), ENTRY(irregular_trips_are_raw), ENTRY(runs_without_end),
    ENTRY(loops_nest_no_deeper_than_is_allowed), ENTRY(counters_tell_poor_folding),
    ENTRY(trees_that_no_fold_made_are_refused), ENTRY(trees_that_unfold_without_end_are_refused),
    ENTRY(trees_with_too_many_symbols_are_refused))
