/* Base: shell patterns, for paths and for names of functions. No locale, no allocation. */
#ifndef BASE_PATTERN_H
#define BASE_PATTERN_H

#include <stdbool.h>
#include <stddef.h>

/* Whether the pattern matches the whole text. `*` matches any text, including slashes; `?` one byte; `[a-c]` one of these
 * bytes, `[!a-c]` one of all others; a backslash makes the next byte literal. */
bool pattern_fits(const char *pattern, const char *text, size_t length);

/* Whether the pattern matches a path, or one of the folders that contain it. A pattern that begins with neither a slash nor a
 * star may match from behind any slash on. */
bool pattern_fits_path(const char *pattern, const char *path, size_t length);

#endif
