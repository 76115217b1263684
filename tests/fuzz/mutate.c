/* Fuzzing: changes inputs at random. See mutate.h.
 *
 * An entry of the corpus is changed a few times: bits, bytes, words, pieces. Numbers are set to values at which arithmetic goes
 * wrong, in two to eight bytes or as a varint. All random numbers come from the seed and the input's number. */
#include "mutate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CHANGES_MOST = 6, PIECE_MOST = 64 };

struct input {
	uint8_t *bytes;
	size_t size;
	size_t most;
	uint64_t chance;
};

/* splitmix64 */
static uint64_t chance(struct input *input)
{
	uint64_t mix = input->chance += 0x9e3779b97f4a7c15ull;
	mix = (mix ^ mix >> 30) * 0xbf58476d1ce4e5b9ull;
	mix = (mix ^ mix >> 27) * 0x94d049bb133111ebull;
	return mix ^ mix >> 31;
}

static size_t below(struct input *input, size_t limit)
{
	return limit ? (size_t)(chance(input) % limit) : 0;
}

void entries_add(struct entries *entries, uint8_t *bytes, size_t size)
{
	entries->list = realloc(entries->list, (entries->count + 1) * sizeof *entries->list);
	if (!entries->list)
		abort();
	entries->list[entries->count++] = (struct entry){bytes, size};
}

/* The text between the quotes of `line`, in place; its size, or -1. */
static long unquote(char *line)
{
	char *from = strchr(line, '"'), *to = line, *end = strrchr(line, '"');
	if (!from++ || end < from)
		return -1;
	while (from < end) {
		char hex[3] = {0};
		if (from[0] == '\\' && from[1] == 'x' && end - from >= 4) {
			memcpy(hex, from + 2, 2);
			*to++ = (char)strtoul(hex, NULL, 16);
			from += 4;
		} else {
			from += from[0] == '\\' && from + 1 < end;
			*to++ = *from++;
		}
	}
	return to - line;
}

int dictionary_read(struct entries *words, const char *path)
{
	FILE *file = fopen(path, "r");
	char line[256];
	if (!file)
		return 0;
	while (fgets(line, sizeof line, file)) {
		long size = *line == '#' ? -1 : unquote(line);
		uint8_t *copy = size > 0 ? malloc((size_t)size) : NULL;
		if (!copy)
			continue;
		memcpy(copy, line, (size_t)size);
		entries_add(words, copy, (size_t)size);
	}
	fclose(file);
	return 1;
}

/* Values near which arithmetic goes wrong: powers of two, one less, one more, and their negatives. */
static uint64_t odd_number(struct input *input)
{
	uint64_t value = (1ull << below(input, 64)) + below(input, 3) - 1;
	switch (below(input, 4)) {
	case 0:
		return 0 - value;
	case 1:
		return below(input, 40);
	case 2:
		return chance(input);
	default:
		return value;
	}
}

static void insert(struct input *input, size_t at, const uint8_t *piece, size_t size)
{
	if (size > input->most - input->size)
		size = input->most - input->size;
	memmove(input->bytes + at + size, input->bytes + at, input->size - at);
	if (piece)
		memcpy(input->bytes + at, piece, size);
	input->size += size;
}

static void overwrite(struct input *input, size_t at, const uint8_t *piece, size_t size)
{
	if (size > input->size - at)
		size = input->size - at;
	memcpy(input->bytes + at, piece, size);
}

/* Half of the time replaces bytes, half of the time inserts. */
static void put(struct input *input, const uint8_t *piece, size_t size)
{
	if (below(input, 2))
		insert(input, below(input, input->size + 1), piece, size);
	else
		overwrite(input, below(input, input->size + 1), piece, size);
}

/* A number of 2, 4 or 8 bytes, mostly at places with numbers of this size. */
static void put_number(struct input *input)
{
	uint64_t value = odd_number(input);
	size_t size = (size_t)2 << below(input, 3);
	size_t at = below(input, input->size + 1);
	overwrite(input, below(input, 4) ? at / size * size : at, (const uint8_t *)&value, size);
}

static void put_varint(struct input *input)
{
	uint8_t bytes[10];
	uint64_t value = odd_number(input);
	size_t size = 0;
	for (; value >= 0x80; value >>= 7)
		bytes[size++] = (uint8_t)(value | 0x80);
	bytes[size++] = (uint8_t)value;
	put(input, bytes, size);
}

/* Adds a small value to a number: counts and lengths that are wrong by one. */
static void add(struct input *input)
{
	size_t size = (size_t)1 << below(input, 4);
	if (input->size < size)
		return;
	size_t at = below(input, input->size - size + 1);
	uint64_t value = 0;
	memcpy(&value, input->bytes + at, size);
	value += below(input, 17) - 8;
	memcpy(input->bytes + at, &value, size);
}

static void erase(struct input *input)
{
	size_t at = below(input, input->size + 1);
	size_t size = 1 + below(input, below(input, 8) ? 16 : input->size + 1);
	if (size > input->size - at)
		size = input->size - at;
	memmove(input->bytes + at, input->bytes + at + size, input->size - at - size);
	input->size -= size;
}

/* Copies a piece of this input to another place in it. */
static void repeat(struct input *input)
{
	uint8_t piece[PIECE_MOST];
	size_t at = below(input, input->size + 1), size = 1 + below(input, PIECE_MOST);
	if (size > input->size - at)
		size = input->size - at;
	memcpy(piece, input->bytes + at, size);
	put(input, piece, size);
}

/* A piece of another entry; or everything after a place of that entry, in place of the bytes here. */
static void splice(struct input *input, const struct entry *other)
{
	size_t from = below(input, other->size + 1), size = other->size - from;
	if (below(input, 2)) {
		put(input, other->bytes + from, 1 + below(input, size));
		return;
	}
	size_t at = below(input, 2) && from < input->size ? from : below(input, input->size + 1);
	input->size = at;
	insert(input, at, other->bytes + from, size);
}

static void change(struct input *input, const struct entries *corpus, const struct entries *words)
{
	static const uint8_t nothing[1];
	uint8_t byte = (uint8_t)chance(input);
	size_t kind = below(input, 12);
	if (kind <= 2 && input->size) {
		input->bytes[below(input, input->size)] ^= (uint8_t)(1u << byte % 8);
	} else if (kind == 3) {
		put(input, &byte, 1);
	} else if (kind <= 5) {
		put_number(input);
	} else if (kind == 6) {
		put_varint(input);
	} else if (kind == 7) {
		add(input);
	} else if (kind == 8) {
		erase(input);
	} else if (kind == 9) {
		repeat(input);
	} else if (kind == 10 && words->count) {
		const struct entry *word = &words->list[below(input, words->count)];
		put(input, word->bytes, word->size);
	} else if (corpus->count) {
		splice(input, &corpus->list[below(input, corpus->count)]);
	} else {
		put(input, nothing, 1);
	}
}

size_t mutate(const struct entries *corpus, const struct entries *words, uint64_t seed,
	      uint64_t run, uint8_t *bytes, size_t most)
{
	struct input input = {.bytes = bytes, .most = most, .chance = seed};
	input.chance = chance(&input) + run * 0xd6e8feb86659fd93ull;
	if (corpus->count) {
		const struct entry *entry = &corpus->list[below(&input, corpus->count)];
		input.size = entry->size < most ? entry->size : most;
		memcpy(bytes, entry->bytes, input.size);
	}
	for (size_t changes = 1 + below(&input, CHANGES_MOST); changes > 0; changes--)
		change(&input, corpus, words);
	return input.size;
}
