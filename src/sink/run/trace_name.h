/* Sink: the name of a trace from what was asked for, as in "%e.%p.varve". Used by `varve record` and by a library that was
 * preloaded alone; it reads no environment: what is known of the launcher and the user is given.
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

/* The absolute path of the trace. 0, or the letter after a % that means nothing, or -1: too long, -2: no working directory,
 * -3: a % at its end. */
int trace_name_make(const char *name, const struct trace_name *known, char *path, size_t room);

#endif
