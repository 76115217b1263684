/* Trace: what is in a list already, by hash: for lists in which each thing is to stand once.
 *
 * The list, the hash and what makes two things the same are the owner's. Memory: two words for each, with as much room again.
 */
#ifndef TRACE_KNOWN_H
#define TRACE_KNOWN_H

#include "base/status.h"

#include <stddef.h>
#include <stdint.h>

struct known_one {
	uint64_t hash;
	size_t number; /* of the thing, from 1; 0: none */
};

/* All zero to begin with. */
struct known {
	struct known_one *table;
	size_t room; /* a power of two */
	size_t count;
};

/* How many things there must be room for before one more is put; 0: there is room. */
size_t known_wanted(const struct known *known);
enum status known_grow(struct known *known, size_t room, struct varve_causes *causes) MUST_CHECK;

/* The first one of this hash or, behind `last`, the next. When there is none: where it may be put, number 0. */
struct known_one *known_look(const struct known *known, uint64_t hash,
			     const struct known_one *last);
void known_put(struct known *known, struct known_one *at, uint64_t hash);

void known_clear(struct known *known);

#endif
