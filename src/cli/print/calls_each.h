/* Command line: visits the calls of some functions, one after another. */
#ifndef CLI_PRINT_CALLS_EACH_H
#define CLI_PRINT_CALLS_EACH_H

#include <varve/varve.h>

struct calls_each {
	struct varve_trace *trace;
	struct varve_query query; /* its functions are chosen by `wanted` */
	bool (*wanted)(const struct calls_each *each, const struct varve_function *function);
	/* False: there is no memory for it. */
	bool (*see)(const struct calls_each *each, const struct varve_call *call);
	void *context; /* for these */
};

/* Whether the trace has a function that is wanted. */
bool calls_any(const struct calls_each *each);
/* Nothing is read where there is none. */
enum varve_status calls_each(const struct calls_each *each, struct varve_causes *causes);

#endif
