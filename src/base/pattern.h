/* Base: shell patterns, for paths and for names of functions. No locale, no allocation. */
#ifndef BASE_PATTERN_H
#define BASE_PATTERN_H

#include <stdbool.h>
#include <stddef.h>

/* Whether the whole text fits. `*` is any text, with or without a slash; `?` one byte; `[a-c]` one of these, `[!a-c]` one
 * of all others; a backslash takes the next byte as it is. */
bool pattern_fits(const char *pattern, const char *text, size_t length);

/* Whether a path fits, or one of the folders that it is in. A pattern that begins with neither a slash nor a star may begin
 * behind any slash. */
bool pattern_fits_path(const char *pattern, const char *path, size_t length);

#endif
