/* Base: a path of the preload library that only the loader of glibc resolves: from the program's folder ($ORIGIN) up to the
 * root, and down again. For the loaders of other C libraries (musl), which do not expand $ORIGIN here, it is the path of a
 * missing file, which they skip without a message.
 *
 * For environments whose programs are not inspected before they start. Allocates nothing.
 */
#ifndef BASE_PROGRAM_PRELOAD_PATH_H
#define BASE_PROGRAM_PRELOAD_PATH_H

#include <string.h>

#define PRELOAD_UP_8 "/../../../../../../../.."
#define PRELOAD_UP_32 PRELOAD_UP_8 PRELOAD_UP_8 PRELOAD_UP_8 PRELOAD_UP_8
/* Enough for programs in folders up to this depth: `..` at the root stays at the root. */
#define PRELOAD_UP PRELOAD_UP_32 PRELOAD_UP_32
#define PRELOAD_ORIGIN "$ORIGIN" PRELOAD_UP

/* The library's real path, from a path with or without the prefix, also after expansion by the loader. */
static inline const char *preload_path(const char *path)
{
	const char *up = strstr(path, PRELOAD_UP);
	return up ? up + strlen(PRELOAD_UP) : path;
}

#endif
