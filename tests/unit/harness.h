/* Tests: the whole harness of a unit test.
 *
 * A test file defines its cases with CASE(name) { ... } and ends with RUN(ENTRY(name), ...), which is its main. A failed check
 * prints its place, and the case continues; each case prints `ok name` or `not ok name`; the exit status is 1 if one failed. With
 * arguments only the named cases are run. */
#ifndef TESTS_UNIT_HARNESS_H
#define TESTS_UNIT_HARNESS_H

#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

struct harness_case {
	const char *name;
	void (*run)(void);
};

static int harness_failures; /* name of the running case */

static inline bool harness_check(bool fine, const char *file, int line, const char *text)
{
	if (!fine) {
		harness_failures++;
		printf("# %s:%d: not so: %s\n", file, line, text);
	}
	return fine;
}

static inline bool harness_equal(int64_t got, int64_t expected, const char *file, int line,
				 const char *text)
{
	if (got != expected) {
		harness_failures++;
		printf("# %s:%d: %s is %" PRId64 " (0x%" PRIx64 "), expected %" PRId64
		       " (0x%" PRIx64 ")\n",
		       file, line, text, got, (uint64_t)got, expected, (uint64_t)expected);
	}
	return got == expected;
}

static inline bool harness_same(const char *got, const char *expected, const char *file, int line,
				const char *text)
{
	bool same = got && expected ? strcmp(got, expected) == 0 : got == expected;
	if (!same) {
		harness_failures++;
		printf("# %s:%d: %s is \"%s\", expected \"%s\"\n", file, line, text,
		       got ? got : "(null)", expected ? expected : "(null)");
	}
	return same;
}

/* Each returns whether it succeeded, so that a loop can stop at the first failure. */
#define CHECK(condition) harness_check((condition), __FILE__, __LINE__, #condition)
#define CHECK_EQ(got, expected)                                                                    \
	harness_equal((int64_t)(got), (int64_t)(expected), __FILE__, __LINE__, #got)
#define CHECK_STR(got, expected) harness_same((got), (expected), __FILE__, __LINE__, #got)

static inline int harness_run(const struct harness_case *cases, size_t count, int argc, char **argv)
{
	int failed = 0, ran = 0;
	setvbuf(stdout, NULL, _IOLBF, 0);
	for (size_t i = 0; i < count; i++) {
		bool wanted = argc < 2;
		for (int a = 1; a < argc; a++)
			wanted |= strcmp(argv[a], cases[i].name) == 0;
		if (!wanted)
			continue;
		harness_failures = 0;
		cases[i].run();
		printf("%s %s\n", harness_failures ? "not ok" : "ok", cases[i].name);
		failed += harness_failures != 0;
		ran++;
	}
	if (!ran)
		printf("# no such case\n");
	return failed || !ran;
}

#define CASE(name) static void case_##name(void)

/* One entry of the table given to RUN. */
#define ENTRY(name)                                                                                \
	{                                                                                          \
#name, case_##name                                                                 \
	}

#define RUN(...)                                                                                   \
	int main(int argc, char **argv)                                                            \
	{                                                                                          \
		const struct harness_case cases[] = {__VA_ARGS__};                                 \
		return harness_run(cases, sizeof cases / sizeof *cases, argc, argv);               \
	}

#endif
