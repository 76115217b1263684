/* Trace: values that have names in the system but not in the tables of a trace.
 *
 * Owns numbers of system calls, options of prctl(), requests of ioctl(), error codes of NetCDF, units of time and ends of
 * processes, by the name of their kind. Reads no trace and prints nothing.
 */
#ifndef TRACE_NAMES_VALUE_WORDS_H
#define TRACE_NAMES_VALUE_WORDS_H

#include <varve/definitions.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* "lseek": the name of a value of this kind, or NULL. */
const char *value_name(const struct varve_kind *kind, uint64_t value);

/* For a kind that counts units of time: the ns of one unit; 0 for any other kind. */
int64_t value_unit(const struct varve_kind *kind);

/* The value of this kind for a text: `lseek`, `exit 7`, `signal 9`, `signal SIGKILL`. False: there is none. */
bool value_of_words(const struct varve_kind *kind, const char *text, uint64_t *value);

#endif
