/* Command line: --rank and --file of `varve slice`, which are short for filters. */
#ifndef CLI_SLICE_WHERE_H
#define CLI_SLICE_WHERE_H

#include "cli/selection.h"

/* Whether --rank is a list of ranks, and one of the traces has each; else it is said. */
bool ranks_read(const struct arguments *arguments, struct varve_trace *const *traces, size_t count);

/* Compiles --rank, --file and --where together for a trace. EXIT_YES, or the exit status of what went wrong. */
int slice_where(const struct arguments *arguments, struct selection *selection);

#endif
