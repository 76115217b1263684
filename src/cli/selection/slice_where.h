/* Command line: --file of `varve slice`, which is short for a filter. */
#ifndef CLI_SELECTION_SLICE_WHERE_H
#define CLI_SELECTION_SLICE_WHERE_H

#include "cli/selection/selection.h"

/* Compiles --rank, --file and --where into one filter for a trace. EXIT_YES, or the exit status of the failure. */
int slice_where(const struct arguments *arguments, struct selection *selection);

#endif
