/* Trace: the filter language: selects records. docs/filter.md has the grammar.
 *
 * A filter is compiled once for a trace, whose tables name functions, arguments and flags. From a block's header it decides
 * whether the block can contain wanted records; in a page it marks the wanted rows, column by column. It does not change after it
 * was made: several cursors may use it at once.
 */
#ifndef TRACE_FILTER_FILTER_H
#define TRACE_FILTER_FILTER_H

#include "trace/cursor/page.h"

struct varve_filter;

/* On an error, `*column` is its place in `text`, from 0; causes describe it and offer what to write instead. */
enum varve_status filter_make(const struct varve_trace *trace, const char *text,
			      struct varve_filter **result, size_t *column,
			      struct varve_causes *causes) MUST_CHECK;
void filter_free(struct varve_filter *filter);

/* filter_absent.c: notes each value in the filter that nothing in the trace has. */
enum varve_status filter_absent(struct varve_trace *trace, const struct varve_filter *filter,
				struct varve_causes *notes) MUST_CHECK;

/* Whether it was made for this trace; NULL is for any. VARVE_USAGE: it was not. */
enum varve_status filter_fits(const struct varve_filter *filter, const struct varve_trace *trace,
			      struct varve_causes *causes) MUST_CHECK;

/* Whether it uses only functions and processes: then it decides alike for all halves of a call. */
bool filter_steady(const struct varve_filter *filter);

/* The columns that it reads: enum want and enum page_want. */
unsigned filter_wants(const struct varve_filter *filter);

/* By function id (TRACE_FUNCTIONS entries): which of the filter's `inside` terms a call of that function satisfies for what is
 * made in it, a bit each. NULL when the filter has none. */
const uint32_t *filter_inside(const struct varve_filter *filter);

/* The argument word that names what a call of this function is a region of; -1: it is none, or the filter does not use it. */
int filter_region_word(const struct varve_filter *filter, uint16_t function);

enum filter_verdict {
	FILTER_NONE, /* no record of the block is wanted */
	FILTER_SOME,
	FILTER_ALL, /* every record is */
};

/* By the header and the summary rows alone. */
enum filter_verdict filter_block(const struct varve_filter *filter,
				 const struct trace_block *block);

/* The same for the records of one function of the block, whose summary row this is; `continued`: the block continues calls. */
enum filter_verdict filter_function(const struct varve_filter *filter,
				    const struct trace_block *block,
				    const struct block_summary *row, bool continued);

/* Sets keep[i] to 1 for each wanted row of the page, else to 0. */
enum varve_status filter_rows(const struct varve_filter *filter, const struct page *page,
			      uint8_t *keep, struct varve_causes *causes) MUST_CHECK;

/* The name of an enum varve_handle_kind, in filters and wherever it is printed; "unknown" for a number that is none. */
const char *handle_kind_name(uint32_t kind);

/* The fields of the language: name and a line of help; NULL beyond the last. */
const char *filter_field(size_t at, const char **help);

#endif
