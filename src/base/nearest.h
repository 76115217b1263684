/* Base: the existing name that is nearest to a wrong one, for every "did you mean".
 *
 * Compares ASCII letters without regard to case, and keeps pointers to the names that it is given. It writes no message: the
 * caller does. No locale, no allocation.
 */
#ifndef BASE_NEAREST_H
#define BASE_NEAREST_H

#include <stdbool.h>
#include <stddef.h>

enum { NEAREST_MOST = 48 }; /* bytes of a name; longer names are never near */

struct nearest {
	const char *wanted; /* set by the caller, with its length */
	size_t length;
	const char *name; /* the nearest of the offered names; NULL: none is near */
	size_t distance;  /* typing errors between them */
	bool begins;	  /* `name` begins with the wanted text */
};

/* A name is near if it begins with the wanted text, of at least 3 bytes, or differs from it by one or two typing errors (by one,
 * if the wanted name has less than 4 bytes). Names that begin with it are nearer than all others, and the shortest of them is the
 * nearest. If two names are equally near, the first is kept. */
void nearest_offer(struct nearest *nearest, const char *name);

#endif
