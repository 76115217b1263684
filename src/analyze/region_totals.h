/* Analyze: number and duration of the calls of each region, phase and function of the program. See <varve/summary.h>; a
 * kind of totals. */
#ifndef ANALYZE_REGION_TOTALS_H
#define ANALYZE_REGION_TOTALS_H

#include "analyze/totals.h"

#include <varve/summary.h>

bool region_totals_wants(const struct varve_trace *trace, const struct varve_function *function);
enum varve_status region_totals_page(struct totals *totals, const struct varve_trace *trace,
				     const struct page *page, const uint16_t *rows, size_t count,
				     uint64_t scale, struct varve_causes *causes) MUST_CHECK;

/* Totals of the records that the filter selects; NULL: of all. */
enum varve_status region_totals_make(struct varve_trace *trace, const struct varve_filter *where,
				     struct varve_region_totals *result,
				     struct varve_causes *causes) MUST_CHECK;

#endif
