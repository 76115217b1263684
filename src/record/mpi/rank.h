/* Record: rank and size of this process, from MPI after it has begun. Called by hooks, as the recorder's own work. */
#ifndef RECORD_MPI_RANK_H
#define RECORD_MPI_RANK_H

#include <stdbool.h>
#include <stdint.h>

/* Stores its rank among `size`, in place of what the launcher's variables contained. Blocks that are written from now on have it,
 * also those of other threads. */
void rank_confirm(int rank, int size);

/* Whether all ranks are recorded: the result is the same on all of them. Each rank calls this once. */
bool ranks_all_here(int rank, int size);

/* The number of this node's data file: other hosts use it when they compare their clocks with this one. */
uint32_t node_number(void);

/* CLOCK_MONOTONIC here is `offset` ns ahead of the node with that number, plus or minus `error`; 0 and 0 for the same node. Called
 * by one process of each node. */
void clock_confirm(uint32_t reference, int64_t offset, uint64_t error);

#endif
