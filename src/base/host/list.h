/* Base: space in lists that grow. Header only: the caller owns the list, its count and its room. */
#ifndef BASE_HOST_LIST_H
#define BASE_HOST_LIST_H

#include "base/status.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Makes room for `more` elements of `size` bytes behind the first `count`. `list` is the address of the pointer to the list,
 * whatever its type. On failure (VARVE_NO_MEMORY) the list is unchanged. */
static inline enum varve_status list_room(void *list, size_t count, size_t *room, size_t more,
					  size_t size)
{
	enum { LEAST = 16 };
	if (*room - count >= more)
		return VARVE_OK;
	void *things;
	memcpy(&things, list, sizeof things);
	size_t wanted = *room ? *room : LEAST;
	while (wanted - count < more) {
		if (wanted > SIZE_MAX / 2)
			return VARVE_NO_MEMORY;
		wanted *= 2;
	}
	things = reallocarray(things, wanted, size);
	if (!things)
		return VARVE_NO_MEMORY;
	memcpy(list, &things, sizeof things);
	*room = wanted;
	return VARVE_OK;
}

#endif
