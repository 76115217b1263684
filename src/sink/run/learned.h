/* Sink: what is learned about a run while it goes on: the difference of clocks, the number of ranks.
 *
 * Becomes another BLOCK_RUN of the node's data file, at once, so that a kill loses nothing of it. Raw system calls only; runs
 * inside traced programs.
 */
#ifndef SINK_RUN_LEARNED_H
#define SINK_RUN_LEARNED_H

#include "base/status.h"
#include "codec/control.h"

#include <stdint.h>

/* CLOCK_MONOTONIC here is `offset` ns more than that of the node whose data file has number `reference`, give or take `error`.
 * The reference itself stores 0 and 0. Of several the last one counts. */
enum varve_status clock_store(struct control *control, uint32_t reference, int64_t offset,
			      uint64_t error) MUST_CHECK;

/* So many ranks are in the parallel program. */
enum varve_status world_store(struct control *control, uint32_t size) MUST_CHECK;

#endif
