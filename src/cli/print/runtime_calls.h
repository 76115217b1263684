/* Command line: the field `runtime` of filters, for all output formats.
 *
 * Owns the list of launchers of the trace, which is made once. See runtime_calls.c.
 */
#ifndef CLI_PRINT_RUNTIME_CALLS_H
#define CLI_PRINT_RUNTIME_CALLS_H

#include <varve/varve.h>

/* Sets the trace of all following calls. */
enum varve_status runtime_load(struct varve_trace *trace, struct varve_causes *causes);

/* Whether the MPI library made the call for itself, or a launcher made it. */
bool is_runtime(const struct varve_call *call);

#endif
