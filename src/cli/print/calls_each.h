/* Command line: visits the calls of some functions one by one. */
#ifndef CLI_PRINT_CALLS_EACH_H
#define CLI_PRINT_CALLS_EACH_H

#include <varve/varve.h>

struct calls_each {
	struct varve_trace *trace;
	struct varve_query query; /* `wanted` selects its functions */
	bool (*wanted)(const struct calls_each *each, const struct varve_function *function);
	/* Called for each call. False: out of memory. */
	bool (*see)(const struct calls_each *each, const struct varve_call *call);
	void *context; /* for `wanted` and `see` */
};

/* Whether the tables of the trace contain a selected function. */
bool calls_any(const struct calls_each *each);
/* Visits the calls; reads nothing if no function is selected. */
enum varve_status calls_each(const struct calls_each *each, struct varve_causes *causes);

#endif
