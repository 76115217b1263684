/* Trace: the filter language: selects records. docs/filter.md has the grammar.
 *
 * A filter is compiled once for a trace, whose tables contain the names of functions, arguments and flags. From the header
 * of a block it decides whether the block can contain selected records; in a page it marks the selected rows, column by
 * column. A filter does not change after it was made, so several cursors can use it at once.
 */
#ifndef TRACE_FILTER_FILTER_H
#define TRACE_FILTER_FILTER_H

#include "trace/cursor/page.h"

struct varve_filter;

/* On an error, `*column` is its position in `text`, from 0; causes contain the reason and a correction. */
enum varve_status filter_make(const struct varve_trace *trace, const char *text,
			      struct varve_filter **result, size_t *column,
			      struct varve_causes *causes) MUST_CHECK;
void filter_free(struct varve_filter *filter);

/* filter_absent.c: adds a note for each value in the filter that does not occur in the trace. */
enum varve_status filter_absent(struct varve_trace *trace, const struct varve_filter *filter,
				struct varve_causes *notes) MUST_CHECK;

/* Whether the filter was made for this trace; NULL is valid for any trace. VARVE_USAGE: it was not. */
enum varve_status filter_fits(const struct varve_filter *filter, const struct varve_trace *trace,
			      struct varve_causes *causes) MUST_CHECK;

/* Whether it uses only functions and processes: then the result is the same for all halves of a call. */
bool filter_steady(const struct varve_filter *filter);

/* The columns that it reads: bits of enum want and enum page_want. */
unsigned filter_wants(const struct varve_filter *filter);

/* By function id (TRACE_FUNCTIONS entries): which `inside` terms of the filter a call of this function satisfies for the
 * calls inside it, one bit each. NULL if the filter has no `inside`. */
const uint32_t *filter_inside(const struct varve_filter *filter);

/* The argument word with the name of the region that a call of this function begins; -1: it begins none, or the filter
 * does not use regions. */
int filter_region_word(const struct varve_filter *filter, uint16_t function);

enum filter_verdict {
	FILTER_NONE, /* no record of the block is selected */
	FILTER_SOME,
	FILTER_ALL, /* every record is selected */
};

/* Decides from the header and the summary rows only. */
enum filter_verdict filter_block(const struct varve_filter *filter,
				 const struct trace_block *block);

/* The same for the records of one function of the block, with its summary row; `continued`: the block continues calls. */
enum filter_verdict filter_function(const struct varve_filter *filter,
				    const struct trace_block *block,
				    const struct block_summary *row, bool continued);

/* Sets keep[i] to 1 for each selected row of the page, and to 0 for the others. */
enum varve_status filter_rows(const struct varve_filter *filter, const struct page *page,
			      uint8_t *keep, struct varve_causes *causes) MUST_CHECK;

/* The name of an enum varve_handle_kind, in filters and in output; "unknown" for any other number. */
const char *handle_kind_name(uint32_t kind);

/* The fields of the language: name and one line of help; NULL after the last. */
const char *filter_field(size_t at, const char **help);

#endif
