/* Varve: filters, which select records, as `--where` of the command does. The language is described in docs/filter.md. */
#ifndef VARVE_FILTER_H
#define VARVE_FILTER_H

#include <varve/trace.h>

#ifdef __cplusplus
extern "C" {
#endif

struct varve_filter;

/* Compiles a filter for a trace. The tables of the trace define the names of functions, arguments and flags. Free the
 * filter before the trace is closed. VARVE_USAGE: the text is wrong; *column is the position of the error (from 0;
 * `column` may be NULL), and causes contain the reason and a correction. A filter does not change, so several cursors of
 * the same trace can share it. */
enum varve_status varve_filter_make(const struct varve_trace *trace, const char *text,
				    struct varve_filter **filter, size_t *column,
				    struct varve_causes *causes);
/* Adds a note for each value in the filter (function, layer, path, region, rank ...) that does not occur in the trace,
 * which is usually a typing error. Adds also a note if the filter tests the calls around a call and the trace is a slice,
 * where these can be missing. Reads headers and definitions. */
enum varve_status varve_filter_absent(struct varve_trace *trace, const struct varve_filter *filter,
				      struct varve_causes *notes);
/* NULL: does nothing. */
void varve_filter_free(struct varve_filter *filter);

/* The fields of the filter language, for completion and help: the name of field number `at`, and one line of help; NULL
 * after the last. */
const char *varve_filter_field(size_t at, const char **help);

#ifdef __cplusplus
}
#endif

#endif
