/* Command line: `--where` and `--rank`, options of all verbs that read records. */
#ifndef CLI_SELECTION_WHERE_H
#define CLI_SELECTION_WHERE_H

#include "cli/verbs.h"

#include <varve/filter.h>

/* Whether --rank is a list of ranks, and one of the traces has each; else it is said. */
bool ranks_read(const struct arguments *arguments, struct varve_trace *const *traces, size_t count);

/* Compiles the values of --rank and --where for the trace; *filter is NULL when neither was given. What it
 * asks for and nothing in the trace has is printed. When it is wrong it is printed with a
 * mark below the place. EXIT_YES, or the exit status of what went wrong, which has been said then. */
int where_make(const struct arguments *arguments, struct varve_trace *trace,
	       struct varve_filter **filter) MUST_CHECK;

#endif
