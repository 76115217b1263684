/* Command line: prints one call as a line of text, JSON or CSV. Computes nothing that is not on the line. */
#ifndef CLI_PRINT_PRINT_H
#define CLI_PRINT_PRINT_H

#include "cli/verbs.h"

#include <varve/varve.h>

void print_text(const struct varve_trace *trace, const struct varve_call *call);
void print_json(const struct varve_trace *trace, const struct varve_call *call);
void print_csv_header(const struct varve_trace *trace);
void print_csv(const struct varve_trace *trace, const struct varve_call *call);

/* Prints the definitions of a process or thread, or (0) of all, instead of calls. */
enum varve_status print_definitions(struct varve_trace *trace, uint32_t process, uint32_t thread,
				    enum output_format format, uint64_t limit,
				    struct varve_causes *causes) MUST_CHECK;

#endif
