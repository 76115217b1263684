/* Fuzzing: changes inputs at random, for the driver. */
#ifndef TESTS_FUZZ_MUTATE_H
#define TESTS_FUZZ_MUTATE_H

#include <stddef.h>
#include <stdint.h>

struct entry {
	uint8_t *bytes;
	size_t size;
};

struct entries {
	struct entry *list;
	size_t count;
};

void entries_add(struct entries *entries, uint8_t *bytes, size_t size);

/* Words of a dictionary in libFuzzer's form: lines of "text with \xNN". False: the file cannot be read. */
int dictionary_read(struct entries *words, const char *path);

/* Makes input number `run` of the series `seed` in `bytes`, which has room for `most`; its size. The same numbers and entries
 * make the same input. */
size_t mutate(const struct entries *corpus, const struct entries *words, uint64_t seed,
	      uint64_t run, uint8_t *bytes, size_t most);

#endif
