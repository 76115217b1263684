/* Trace: what is in a list already. See known.h. */
#include "trace/known.h"

#include <stdlib.h>

enum { ROOM_LEAST = 128 };

size_t known_wanted(const struct known *known)
{
	if (known->count * 2 < known->room)
		return 0;
	return known->room ? known->room * 2 : ROOM_LEAST;
}

struct known_one *known_look(const struct known *known, uint64_t hash, const struct known_one *last)
{
	size_t at = last ? (size_t)(last - known->table) + 1 : (size_t)hash;
	for (at &= known->room - 1; known->table[at].number; at = (at + 1) & (known->room - 1))
		if (known->table[at].hash == hash)
			break;
	return &known->table[at];
}

enum status known_grow(struct known *known, size_t room, struct varve_causes *causes)
{
	struct known larger = {.table = calloc(room, sizeof *larger.table), .room = room};
	if (!larger.table)
		return cause(causes, STATUS_NO_MEMORY, "no memory for a list of %zu", room);
	for (size_t i = 0; i < known->room; i++) {
		if (!known->table[i].number)
			continue;
		size_t at = (size_t)known->table[i].hash & (room - 1);
		while (larger.table[at].number)
			at = (at + 1) & (room - 1);
		larger.table[at] = known->table[i];
	}
	larger.count = known->count;
	known_clear(known);
	*known = larger;
	return STATUS_OK;
}

void known_put(struct known *known, struct known_one *at, uint64_t hash)
{
	*at = (struct known_one){hash, ++known->count};
}

void known_clear(struct known *known)
{
	free(known->table);
	*known = (struct known){0};
}
