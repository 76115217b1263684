/* Trace: what a run loaded and did that calls alone do not show: its objects, mappings of files, rings.
 *
 * Reads the few records that tell of it; blocks without any are not decoded.
 */
#ifndef TRACE_OBJECTS_H
#define TRACE_OBJECTS_H

#include "trace/trace.h"

struct trace_object {
	char *path;
	uint64_t namespace; /* 0: the program's own; others hold what dlmopen loaded */
	bool program;	    /* it was executed */
};

struct trace_objects {
	struct trace_object *objects; /* each path once in a namespace */
	size_t count;
	size_t room;
	uint64_t mappings; /* of files, and how much of them */
	uint64_t mapping_bytes;
	uint64_t rings;		/* of io_uring */
	uint64_t ring_requests; /* that were seen to be submitted to them */
	uint64_t deep_loads;	/* dlopen with RTLD_DEEPBIND */
};

enum status trace_objects_find(struct trace *trace, struct trace_objects *objects,
			       struct varve_causes *causes) MUST_CHECK;
void trace_objects_clear(struct trace_objects *objects);

#endif
