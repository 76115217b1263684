/* Command line: one call as a line of text, JSON or CSV. Prints; never computes anything that is not on the line. */
#ifndef CLI_PRINT_H
#define CLI_PRINT_H

#include "cli/verbs.h"
#include "trace/cursor.h"

/* "ENOENT", or NULL for a number that has no name. */
const char *errno_name(int32_t error);

const char *handle_kind_name(uint32_t kind);

void print_text(const struct trace *trace, struct trace_call *call);
void print_json(const struct trace *trace, struct trace_call *call);
void print_csv_header(void);
void print_csv(const struct trace *trace, struct trace_call *call);

/* The definitions of every wanted block instead of its calls. */
enum status print_definitions(struct trace *trace, const struct trace_filter *filter,
			      enum output_format format, uint64_t limit,
			      struct varve_causes *causes) MUST_CHECK;

#endif
