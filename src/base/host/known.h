/* Base: an index by hash for lists in which each element occurs once.
 *
 * The caller owns the list, the hash function and the comparison of two elements. When elements are equal exactly if their hashes
 * are, no list is needed. Memory: one word for each element, a second one for its number where there is a list, and as much again
 * as free room.
 */
#ifndef BASE_HOST_KNOWN_H
#define BASE_HOST_KNOWN_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Starts all zero, except `listed`. */
struct known {
	bool listed;	  /* elements have numbers, from 0: their places in the list */
	uint64_t *hashes; /* 0: none */
	size_t *numbers;
	size_t room; /* a power of two */
	size_t count;
};

/* The room that is needed before one more element is put; 0: there is enough. */
static inline size_t known_wanted(const struct known *known)
{
	enum { LEAST = 128 };
	if (known->count * 2 < known->room)
		return 0;
	return known->room ? known->room * 2 : LEAST;
}
enum varve_status known_grow(struct known *known, size_t room,
			     struct varve_causes *causes) MUST_CHECK;

/* The place of the first element with this hash, or of the next one after it. If known_is() is false for it, the place is free.
 */
size_t known_first(const struct known *known, uint64_t hash);
size_t known_next(const struct known *known, uint64_t hash, size_t at);
bool known_is(const struct known *known, size_t at);
size_t known_number(const struct known *known, size_t at);
void known_put(struct known *known, size_t at, uint64_t hash);

void known_clear(struct known *known);

#endif
