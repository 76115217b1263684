/* Command line: the MPI world of the rank of a call, for all output formats.
 *
 * Owns the list of processes that MPI_Comm_spawn started. Prints nothing.
 */
#ifndef CLI_PRINT_WORLDS_H
#define CLI_PRINT_WORLDS_H

#include <varve/varve.h>

/* 1, or a larger number if MPI_Comm_spawn started the process; 0: the process has no rank, or its world is not known. */
uint32_t world_of(const struct varve_trace *trace, const struct varve_stream *stream);

#endif
