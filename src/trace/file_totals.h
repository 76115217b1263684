/* Trace: what was done with each file, by layer: calls, bytes and time. See <varve/summary.h>.
 *
 * A call belongs to the file that names_file() finds for it. Rows of pages are added up; a packed trace has the sums of each
 * stream stored (packed_totals.c), so that nothing is decoded. Memory: a path and counters for each file and layer.
 */
#ifndef TRACE_FILE_TOTALS_H
#define TRACE_FILE_TOTALS_H

#include "trace/known.h"
#include "trace/page.h"

#include <varve/summary.h>

/* Longer paths are cut: no system has them. */
enum { FILE_PATH_MOST = 16384 };

/* All zero to begin with. */
struct file_totals {
	struct known known; /* by path and layer */
	struct varve_file_total *list;
	uint32_t place
		[PAGE_ROWS]; /* of the page's files, in the list, and one more; 0: not looked up yet */
};
void file_totals_clear(struct file_totals *totals);

/* The place in the list of a file and layer; it is put there when it is new. */
enum status file_totals_find(struct file_totals *totals, uint32_t layer, struct varve_text path,
			     size_t *place, struct varve_causes *causes) MUST_CHECK;

/* Adds these rows of a page, which must have its files. Ticks become `ns` of the counters, `scale` for each. */
enum status file_totals_page(struct file_totals *totals, const struct varve_trace *trace,
			     const struct page *page, const uint16_t *rows, size_t count,
			     uint64_t scale, struct varve_causes *causes) MUST_CHECK;

/* Of the records that the filter wants; NULL: of all. */
enum status file_totals_make(struct varve_trace *trace, const struct varve_filter *where,
			     struct varve_file_totals *result,
			     struct varve_causes *causes) MUST_CHECK;

#endif
