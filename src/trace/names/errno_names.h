/* Trace: names of errno values. */
#ifndef TRACE_NAMES_ERRNO_NAMES_H
#define TRACE_NAMES_ERRNO_NAMES_H

#include <stddef.h>
#include <stdint.h>

/* "ENOENT", or NULL for a number that has no name. */
const char *errno_name(int32_t error);

/* The number of a name, or 0. */
int32_t errno_number(const char *name, size_t length);

#endif
