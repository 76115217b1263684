/* Varve: filters: which records are wanted, as `--where` of the command line. docs/filter.md has the language. */
#ifndef VARVE_FILTER_H
#define VARVE_FILTER_H

#include <varve/trace.h>

#ifdef __cplusplus
extern "C" {
#endif

struct varve_filter;

/* Compiles a filter for a trace, whose tables give functions, arguments and flags their names; it must be freed before the
 * trace is closed. VARVE_USAGE: the text is wrong; *column is where (from 0; may be NULL), causes says what is wrong and what
 * to write instead. A filter is read only: cursors of the same trace may share it. */
enum varve_status varve_filter_make(const struct varve_trace *trace, const char *text,
				    struct varve_filter **filter, size_t *column,
				    struct varve_causes *causes);
/* Notes a text for each value (function, layer, path, region, rank ...) that the filter asks for and nothing in the trace has:
 * most often a slip. Notes also that calls around others may be missing, when the filter asks for them and the trace is a
 * slice. Reads headers and definitions. */
enum varve_status varve_filter_absent(struct varve_trace *trace, const struct varve_filter *filter,
				      struct varve_causes *notes);
void varve_filter_free(struct varve_filter *filter);

/* The fields of the language, for completion and help: name and a line of explanation; NULL beyond the last. */
const char *varve_filter_field(size_t at, const char **help);

#ifdef __cplusplus
}
#endif

#endif
