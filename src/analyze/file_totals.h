/* Analyze: calls, bytes and time of each file, by layer. See <varve/summary.h>; a kind of totals.
 *
 * A call belongs to the file that names_file() finds for it.
 */
#ifndef ANALYZE_FILE_TOTALS_H
#define ANALYZE_FILE_TOTALS_H

#include "analyze/totals.h"

#include <varve/summary.h>

/* The page must have been read with its files. */
enum varve_status file_totals_page(struct totals *totals, const struct varve_trace *trace,
				   const struct page *page, const uint16_t *rows, size_t count,
				   uint64_t scale, struct varve_causes *causes) MUST_CHECK;

/* Totals of the records that the filter selects; NULL: of all. */
enum varve_status file_totals_make(struct varve_trace *trace, const struct varve_filter *where,
				   struct varve_file_totals *result,
				   struct varve_causes *causes) MUST_CHECK;

#endif
