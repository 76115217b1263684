/* Analyze: what a run loaded and did that calls alone do not show: its objects, mappings of files, rings.
 *
 * Reads the few records that tell of it; blocks without any are not decoded.
 */
#ifndef ANALYZE_OBJECTS_H
#define ANALYZE_OBJECTS_H

#include "trace/trace.h"

#include <varve/summary.h>

enum varve_status trace_objects_find(struct varve_trace *trace, struct varve_objects *objects,
				     struct varve_causes *causes) MUST_CHECK;
/* packed_objects.c: the same from what a packed trace has stored; false: it has not. */
bool packed_answer_objects(const struct varve_trace *trace, struct varve_objects *objects);
void trace_objects_clear(struct varve_objects *objects);

#endif
