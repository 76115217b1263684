/* Base: lists that grow by one thing at a time. Header only; the list, its count and its room are the owner's. */
#ifndef BASE_HOST_LIST_H
#define BASE_HOST_LIST_H

#include "base/status.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Makes room for one more thing of `size` bytes. `list` is the address of the pointer to the list, of whatever type. */
static inline enum varve_status list_room(void *list, size_t count, size_t *room, size_t size)
{
	enum { LEAST = 16 };
	if (count < *room)
		return VARVE_OK;
	void *things;
	memcpy(&things, list, sizeof things);
	size_t wanted = *room ? *room * 2 : LEAST;
	things = reallocarray(things, wanted, size);
	if (!things)
		return VARVE_NO_MEMORY;
	memcpy(list, &things, sizeof things);
	*room = wanted;
	return VARVE_OK;
}

#endif
