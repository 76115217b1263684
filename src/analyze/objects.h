/* Analyze: what a run loaded, and activity of which calls show only a part: loaded objects, mappings of files, rings.
 *
 * Reads only the few records about these; blocks without such records are not decoded.
 */
#ifndef ANALYZE_OBJECTS_H
#define ANALYZE_OBJECTS_H

#include "trace/trace.h"

#include <varve/summary.h>

enum varve_status trace_objects_find(struct varve_trace *trace, struct varve_objects *objects,
				     struct varve_causes *causes) MUST_CHECK;
/* packed_objects.c: the same, from the stored answers of a packed trace; false: it stores none. */
bool packed_answer_objects(const struct varve_trace *trace, struct varve_objects *objects);
void trace_objects_clear(struct varve_objects *objects);

#endif
