/* Base: which of the names that exist a wrong one may have been meant for: what every "did you mean" is made of.
 *
 * Looks at bytes of ASCII alike in capitals and small letters, keeps the names that it is given, and says nothing: the
 * words of a message are its caller's. No locale, no allocation.
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

/* Near is a name with a slip or two, and, where there is none, the first that begins with what is wanted. Of two names that
 * are equally near the first is kept. */
void nearest_offer(struct nearest *nearest, const char *name);

#endif
