/* Base: what is in a list already, by hash: for lists in which each thing is to stand once.
 *
 * The list, the hash and what makes two things the same are the owner's. One whose things are the same when their hashes are
 * needs no list. Memory: a word for each, a second for its number where there is a list, with as much room again.
 */
#ifndef BASE_HOST_KNOWN_H
#define BASE_HOST_KNOWN_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* All zero to begin with, but for `listed`. */
struct known {
	bool listed;	  /* things have numbers, from 0: their places in the list */
	uint64_t *hashes; /* 0: none */
	size_t *numbers;
	size_t room; /* a power of two */
	size_t count;
};

/* How many things there must be room for before one more is put; 0: there is room. */
static inline size_t known_wanted(const struct known *known)
{
	enum { LEAST = 128 };
	if (known->count * 2 < known->room)
		return 0;
	return known->room ? known->room * 2 : LEAST;
}
enum varve_status known_grow(struct known *known, size_t room,
			     struct varve_causes *causes) MUST_CHECK;

/* Where the first thing of this hash is, or the next behind that; or, known_is() says no, where it may be put. */
size_t known_first(const struct known *known, uint64_t hash);
size_t known_next(const struct known *known, uint64_t hash, size_t at);
bool known_is(const struct known *known, size_t at);
size_t known_number(const struct known *known, size_t at);
void known_put(struct known *known, size_t at, uint64_t hash);

void known_clear(struct known *known);

#endif
