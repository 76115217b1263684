/* Base: an index by hash for lists in which each element occurs once.
 *
 * The caller owns the list, the hash function and the comparison of elements. If elements are equal exactly when their hashes
 * are equal, no list is needed. Memory: at least two words for each element, four with a list, because at most half of the
 * places are used.
 */
#ifndef BASE_HOST_KNOWN_H
#define BASE_HOST_KNOWN_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* All zero to begin with, except `listed`. */
struct known {
	bool listed;	  /* elements have numbers: their places in the list, from 0 */
	uint64_t *hashes; /* 0: the place is free */
	size_t *numbers;
	size_t room; /* a power of two */
	size_t count;
};

/* The size that the table must be grown to before one more element is added; 0: it is large enough. */
static inline size_t known_wanted(const struct known *known)
{
	enum { LEAST = 128 };
	if (known->count * 2 < known->room)
		return 0;
	return known->room ? known->room * 2 : LEAST;
}
enum varve_status known_grow(struct known *known, size_t room,
			     struct varve_causes *causes) MUST_CHECK;
/* Makes room for one more element, also in its list, whose elements have `size` bytes. `list` is the address of the pointer to the
 * list, of any type. */
enum varve_status known_room(struct known *known, void *list, size_t size,
			     struct varve_causes *causes) MUST_CHECK;

/* The place of the first element with this hash, and of the next one after it. If known_is() returns false, the place is free. */
size_t known_first(const struct known *known, uint64_t hash);
size_t known_next(const struct known *known, uint64_t hash, size_t at);
bool known_is(const struct known *known, size_t at);
size_t known_number(const struct known *known, size_t at);
void known_put(struct known *known, size_t at, uint64_t hash);

void known_clear(struct known *known);

#endif
