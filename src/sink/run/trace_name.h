/* Sink: the name of a trace from a template such as "%e.%p.varve". Used by `varve record` and by a library that is preloaded
 * alone. It does not read the environment: the caller passes what is known about the launcher and the user.
 */
#ifndef SINK_RUN_TRACE_NAME_H
#define SINK_RUN_TRACE_NAME_H

#include <stddef.h>

struct trace_name {
	const char *program; /* %e: its last part */
	const char *rank;    /* %r, NULL: "0" */
	const char *job;     /* %j, NULL: "nojob" */
	const char *user;    /* %u, NULL: "nobody" */
};

/* Writes the absolute path of the trace. Returns 0; or the unknown letter after a %; or -1: too long, -2: no working directory,
 * -3: a % at the end. */
int trace_name_make(const char *name, const struct trace_name *known, char *path, size_t room);

#endif
