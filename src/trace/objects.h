/* Trace: what a run loaded and did that calls alone do not show: its objects, mappings of files, rings.
 *
 * Reads the few records that tell of it; blocks without any are not decoded.
 */
#ifndef TRACE_OBJECTS_H
#define TRACE_OBJECTS_H

#include "trace/trace.h"

#include <varve/summary.h>

enum status trace_objects_find(struct varve_trace *trace, struct varve_objects *objects,
			       struct varve_causes *causes) MUST_CHECK;
void trace_objects_clear(struct varve_objects *objects);

#endif
