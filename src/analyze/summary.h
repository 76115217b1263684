/* Analyze: the sums of a whole trace, from the headers of its blocks. Records are decoded only if a filter needs more than
 * the headers contain. */
#ifndef ANALYZE_SUMMARY_H
#define ANALYZE_SUMMARY_H

#include "trace/trace.h"

#include <varve/summary.h>

/* The summary of the records that `where` selects; NULL: of all. `paths`: also count the paths, which decodes definitions. */
enum varve_status summary_make(struct varve_trace *trace, const struct varve_filter *where,
			       bool paths, struct varve_summary *summary,
			       struct varve_causes *causes) MUST_CHECK;
void summary_clear(struct varve_summary *summary);

#endif
