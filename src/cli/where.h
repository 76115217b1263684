/* Command line: `--where`, the filter that every verb takes that reads records. */
#ifndef CLI_WHERE_H
#define CLI_WHERE_H

#include "cli/verbs.h"

#include <varve/filter.h>

/* Compiles the value of --where for the trace; *filter is NULL when it was not given. When it is wrong it is printed with a
 * mark below the place. EXIT_YES, or the exit status of what went wrong, which has been said then. */
int where_make(const struct arguments *arguments, const struct varve_trace *trace,
	       struct varve_filter **filter) MUST_CHECK;

#endif
