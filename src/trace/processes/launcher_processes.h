/* Trace: processes that only start a parallel program: launchers and their daemons.
 *
 * Owns the marks by which their calls can be excluded. Never decides by the calls that a process made. See
 * launcher_processes.c.
 */
#ifndef TRACE_PROCESSES_LAUNCHER_PROCESSES_H
#define TRACE_PROCESSES_LAUNCHER_PROCESSES_H

#include "trace/trace.h"

#include <varve/summary.h>

/* Sets `launcher` of each process of the tree, whose parents are known. */
void launchers_mark(const struct varve_trace *trace, struct varve_tree *tree);

/* Sets marks[i] to 1 for each process i that is a launcher or a daemon of one. */
enum varve_status launchers_find(struct varve_trace *trace, uint8_t *marks,
				 struct varve_causes *causes) MUST_CHECK;

#endif
