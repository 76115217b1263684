/* Base: an index by hash. See known.h. */
#include "base/host/known.h"

#include <stdlib.h>
#include <string.h>

/* A stored hash is never 0, because 0 marks a free place. */
static uint64_t stored_hash(uint64_t hash)
{
	return hash ? hash : 1;
}

static size_t hash_look(const struct known *known, uint64_t hash, size_t from)
{
	size_t at = from & (known->room - 1);
	while (known->hashes[at] && known->hashes[at] != stored_hash(hash))
		at = (at + 1) & (known->room - 1);
	return at;
}

size_t known_first(const struct known *known, uint64_t hash)
{
	return hash_look(known, hash, (size_t)stored_hash(hash));
}

size_t known_next(const struct known *known, uint64_t hash, size_t at)
{
	return hash_look(known, hash, at + 1);
}

bool known_is(const struct known *known, size_t at)
{
	return known->hashes[at] != 0;
}

size_t known_number(const struct known *known, size_t at)
{
	return known->numbers[at];
}

enum varve_status known_grow(struct known *known, size_t room, struct varve_causes *causes)
{
	struct known larger = {.listed = known->listed, .room = room, .count = known->count};
	larger.hashes = calloc(room, sizeof *larger.hashes);
	larger.numbers = known->listed ? malloc(room * sizeof *larger.numbers) : NULL;
	if (!larger.hashes || (known->listed && !larger.numbers)) {
		known_clear(&larger);
		return cause(causes, VARVE_NO_MEMORY, "no memory for a list of %zu entries", room);
	}
	for (size_t i = 0; i < known->room; i++) {
		size_t at = (size_t)known->hashes[i] & (room - 1);
		if (!known->hashes[i])
			continue;
		while (larger.hashes[at])
			at = (at + 1) & (room - 1);
		larger.hashes[at] = known->hashes[i];
		if (larger.numbers)
			larger.numbers[at] = known->numbers[i];
	}
	known_clear(known);
	*known = larger;
	return VARVE_OK;
}

enum varve_status known_room(struct known *known, void *list, size_t size,
			     struct varve_causes *causes)
{
	size_t room = known_wanted(known);
	if (!room)
		return VARVE_OK;
	void *things;
	memcpy(&things, list, sizeof things);
	things = reallocarray(things, room, size);
	if (!things)
		return cause(causes, VARVE_NO_MEMORY, "no memory for a list of %zu entries", room);
	memcpy(list, &things, sizeof things);
	return known_grow(known, room, causes);
}

void known_put(struct known *known, size_t at, uint64_t hash)
{
	known->hashes[at] = stored_hash(hash);
	if (known->numbers)
		known->numbers[at] = known->count;
	known->count++;
}

void known_clear(struct known *known)
{
	free(known->hashes);
	free(known->numbers);
	*known = (struct known){.listed = known->listed};
}
