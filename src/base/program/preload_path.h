/* Base: the path of the preload library as the loader of glibc alone finds it: up from the program's folder ($ORIGIN) to the root,
 * and down again. To the loaders of other C libraries (musl) it is the path of a file that is not there, which they leave out
 * without a message.
 *
 * For environments whose programs nobody looks at before they start. Allocates nothing.
 */
#ifndef BASE_PROGRAM_PRELOAD_PATH_H
#define BASE_PROGRAM_PRELOAD_PATH_H

#include <string.h>

#define PRELOAD_UP_8 "/../../../../../../../.."
#define PRELOAD_UP_32 PRELOAD_UP_8 PRELOAD_UP_8 PRELOAD_UP_8 PRELOAD_UP_8
/* For programs that many folders deep; beyond the root it stays at the root. */
#define PRELOAD_UP PRELOAD_UP_32 PRELOAD_UP_32
#define PRELOAD_ORIGIN "$ORIGIN" PRELOAD_UP

/* The library's own path, of one that the loader was given or has made of it. */
static inline const char *preload_path(const char *path)
{
	const char *up = strstr(path, PRELOAD_UP);
	return up ? up + strlen(PRELOAD_UP) : path;
}

#endif
