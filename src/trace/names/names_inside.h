/* Trace: shared by the files of names. Not for other rooms. */
#ifndef TRACE_NAMES_NAMES_INSIDE_H
#define TRACE_NAMES_NAMES_INSIDE_H

#include "trace/names/names.h"

/* Memory for a text that is valid as long as the block; NULL: beyond the budget or no memory. */
char *names_room(struct names *names, size_t length);

/* The entry of a name, or the unused entry for it, which has no definition. NULL: there are no names. */
struct name_entry *names_find(const struct names *names, uint32_t id);

/* The handle that an argument refers to, or 0. */
static inline uint32_t field_handle(enum varve_style style, uint64_t word)
{
	if (style == VARVE_STYLE_FD || style == VARVE_STYLE_DIRFD)
		return pair_handle(word);
	return style == VARVE_STYLE_HANDLE ? (uint32_t)word : 0;
}

#endif
