/* Trace: the processes of a run as one tree: parents, how each process began, and how it ended.
 *
 * An exec makes two processes of the trace with one pid: the old program, and the new program as its child. Sources are
 * the definitions of processes, their last calls, the results of wait calls, and the index; records of other calls are not
 * decoded.
 */
#ifndef TRACE_PROCESSES_TREE_H
#define TRACE_PROCESSES_TREE_H

#include "trace/trace.h"

#include <varve/summary.h>

#define TREE_NONE SIZE_MAX

/* How reliable an end is: a later source with less weight is ignored. */
enum tree_weight {
	WEIGHT_EXIT = 1, /* exit() was called */
	WEIGHT_LEFT,	 /* _exit() was called */
	/* the recorder's end of process ran: everything registered for the end was called */
	WEIGHT_END,
	WEIGHT_WAITED, /* the parent's wait call returned it */
	WEIGHT_IMAGE,  /* replaced by exec, or still running */
};

/* `records`: also use records, not only headers and definitions. */
enum varve_status tree_make(struct varve_trace *trace, bool records, struct varve_tree *tree,
			    struct varve_causes *causes) MUST_CHECK;
void tree_clear(struct varve_tree *tree);

/* tree_records.c: how processes began and ended, from records. */
enum varve_status tree_read(struct varve_trace *trace, struct varve_tree *tree,
			    struct varve_causes *causes) MUST_CHECK;

void tree_ended(struct varve_tree_process *process, enum varve_ended ended, int status, int weight);

/* The index of the first process with this pid (its own pid, or the one in the /proc of the run) on the host of process
 * `parent` that began at `ns` or later. */
size_t tree_first(const struct varve_trace *trace, const struct varve_tree *tree, int32_t number,
		  int64_t ns, size_t parent);

/* The last process with this pid that began at `ns` or earlier, children of process `parent` first; TREE_NONE: none. */
size_t tree_child(const struct varve_trace *trace, const struct varve_tree *tree, int32_t number,
		  int64_t ns, size_t parent);

/* The last program in the process that began with program `at`. */
size_t tree_last(const struct varve_tree *tree, size_t at);

#endif
