/* Analyze: the sums of a whole trace, from the headers of its blocks. Records are decoded only where a filter needs more than
 * headers. */
#ifndef ANALYZE_SUMMARY_H
#define ANALYZE_SUMMARY_H

#include "trace/trace.h"

#include <varve/summary.h>

/* Of the records that `where` selects, or (NULL) of all. `paths`: count the names too, for which definitions are decoded. */
enum varve_status summary_make(struct varve_trace *trace, const struct varve_filter *where,
			       bool paths, struct varve_summary *summary,
			       struct varve_causes *causes) MUST_CHECK;
void summary_clear(struct varve_summary *summary);

#endif
