/* Command line: selects records: --process, --stream, --function, --layer, --from, --to and --where, for all verbs that
 * have these options. Messages begin with the name of the verb. */
#ifndef CLI_SELECTION_SELECTION_H
#define CLI_SELECTION_SELECTION_H

#include "cli/verbs.h"

#include <varve/varve.h>

struct selection {
	const char *verb;
	struct varve_trace *trace;
	struct varve_query query;
	bool one_process; /* a process was given; its number may be 0, which no process has */
	bool one_thread;
	uint8_t *functions;
	struct varve_filter *filter;
};

/* Reads the options that do not need the trace; false: after a message. */
bool selection_read(const struct arguments *arguments, struct selection *selection);

/* Reads the others, except --where (see where.h). EXIT_YES, or the exit status of the failure. */
int selection_bind(const struct arguments *arguments, struct varve_trace *trace,
		   struct selection *selection);

void selection_clear(struct selection *selection);

/* Whether records of a function are about the recorder itself (layer varve), not about a call of the program. */
bool is_of_recorder(const struct varve_trace *trace, const struct varve_function *function);

#endif
