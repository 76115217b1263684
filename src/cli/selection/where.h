/* Command line: `--where` and `--rank`, options of all verbs that read records. */
#ifndef CLI_SELECTION_WHERE_H
#define CLI_SELECTION_WHERE_H

#include "cli/verbs.h"

#include <varve/filter.h>

/* Whether --rank is a valid list of ranks, and each rank is in one of the traces; otherwise prints a message. */
bool ranks_read(const struct arguments *arguments, struct varve_trace *const *traces, size_t count);

/* Compiles the values of --rank and --where for the trace; *filter is NULL if neither was given. Prints a note about
 * values that do not occur in the trace. Prints an error with a mark under its position. EXIT_YES, or the exit status of
 * the failure, after a message. */
int where_make(const struct arguments *arguments, struct varve_trace *trace,
	       struct varve_filter **filter) MUST_CHECK;

/* --rank, --file, --where and, if it is not NULL, `also` as one filter; to be freed. NULL: no memory. */
char *where_text(const struct arguments *arguments, const char *also);

#endif
