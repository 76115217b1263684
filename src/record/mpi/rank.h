/* Record: rank and size of this process, from MPI when it has begun. Called by hooks, as our own work. */
#ifndef RECORD_MPI_RANK_H
#define RECORD_MPI_RANK_H

#include <stdbool.h>
#include <stdint.h>

/* Its rank among `size`: what the launcher's variables said, or did not say, counts no more. Blocks that are written from now
 * on carry it, those of other threads too. */
void rank_confirm(int rank, int size);

/* Whether all ranks are recorded: the answer is the same for all. To be asked once by each. */
bool ranks_all_here(int rank, int size);

/* Number of this node's data file: what others name it by when they measure their clocks against ours. */
uint32_t node_number(void);

/* CLOCK_MONOTONIC here is `offset` ns more than on the node with that number, give or take `error`; 0 and 0 for ourselves. For
 * one process of each node. */
void clock_confirm(uint32_t reference, int64_t offset, uint64_t error);

#endif
