/* Command line: parts of a printed call that text, JSON and CSV share. Only for print_*.c; no stdio, because it is on the
 * hot path of `dump`. */
#ifndef CLI_PRINT_PRINT_VALUES_H
#define CLI_PRINT_PRINT_VALUES_H

#include "cli/print/print.h"

enum { FD_CWD = -100 };

const struct varve_kind *result_kind(const struct varve_trace *trace,
				     const struct varve_call *call);

/* Prints a value that has the same text in every format. */
void put_plain(const struct varve_kind *kind, uint64_t value);

/* Duration of a call that has returned, in ns. If start and end are too far apart, which only a damaged trace can contain,
 * the result is undefined but harmless. */
int64_t call_duration(const struct varve_call *call);

/* Whether the duration of a call is known: the call returned, and its end was recorded. */
bool duration_known(const struct varve_call *call);

void put_function(const struct varve_call *call);
const char *layer_name(const struct varve_trace *trace, const struct varve_call *call);

/* The reason of a failure: the name of its errno or of the error code that it returned; NULL: there is none. */
const char *error_name(const struct varve_trace *trace, const struct varve_call *call);
/* Prints the same; an errno without a name as a number; nothing if there is none. */
void put_error(const struct varve_trace *trace, const struct varve_call *call);

/* "name=value, ..." */
void put_arguments(const struct varve_trace *trace, const struct varve_call *call);

#endif
