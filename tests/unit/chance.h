/* Tests: random numbers that are the same in every run, xorshift64*; a case starts its own series with a number of its own. */
#ifndef TESTS_UNIT_CHANCE_H
#define TESTS_UNIT_CHANCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

struct chance {
	uint64_t state;
};

/* How often something is tried: the value of a variable, otherwise a number that takes seconds. */
static inline uint64_t chance_runs(const char *variable, uint64_t otherwise)
{
	const char *text = getenv(variable);
	return text ? strtoull(text, NULL, 10) : otherwise;
}

static inline struct chance chance_start(uint64_t number)
{
	return (struct chance){number * 0x9e3779b97f4a7c15ull | 1};
}

static inline uint64_t chance_word(struct chance *chance)
{
	chance->state ^= chance->state >> 12;
	chance->state ^= chance->state << 25;
	chance->state ^= chance->state >> 27;
	return chance->state * 0x2545f4914f6cdd1dull;
}

/* Below `most`, which is not 0. */
static inline uint64_t chance_below(struct chance *chance, uint64_t most)
{
	return (chance_word(chance) >> 11) % most;
}

/* True once in `often` times. */
static inline bool chance_once(struct chance *chance, uint64_t often)
{
	return chance_below(chance, often) == 0;
}

/* A number of any width: small ones as likely as large ones. */
static inline uint64_t chance_wide(struct chance *chance)
{
	return chance_word(chance) >> chance_below(chance, 64);
}

static inline void chance_fill(struct chance *chance, void *bytes, size_t length)
{
	for (size_t i = 0; i < length; i++)
		((uint8_t *)bytes)[i] = (uint8_t)(chance_word(chance) >> 32);
}

#endif
