/* Base: the existing name that is nearest to a wrong one, for every "did you mean".
 *
 * Compares ASCII letters without regard to case and keeps pointers to the names that it is given. It writes no message: that is
 * the caller's work. No locale, no allocation.
 */
#ifndef BASE_NEAREST_H
#define BASE_NEAREST_H

#include <stddef.h>

enum { NEAREST_MOST = 48 }; /* bytes of a name; none is near to a longer one */

struct nearest {
	const char *wanted; /* set by the caller, with its length */
	size_t length;
	const char *name; /* the nearest of those that were offered; NULL: none is near */
	size_t distance;
};

/* A name is near when one or two slips make it the wanted one. If no name is, the first that begins with the wanted text is
 * taken. Of two names that are equally near, the first is kept. */
void nearest_offer(struct nearest *nearest, const char *name);

#endif
