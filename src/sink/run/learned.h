/* Sink: facts about a run that are only known while it is in progress: the difference of clocks, the number of ranks.
 *
 * They become another BLOCK_RUN of the node's data file at once, so that a kill does not lose them. Raw system calls only; runs
 * inside traced programs.
 */
#ifndef SINK_RUN_LEARNED_H
#define SINK_RUN_LEARNED_H

#include "base/status.h"
#include "codec/control.h"

#include <stdint.h>

/* Stores that CLOCK_MONOTONIC on this host is `offset` ns, plus or minus `error`, ahead of that of the node with data file
 * number `reference`. The reference itself stores 0 and 0. The last stored values count. */
enum varve_status clock_store(struct control *control, uint32_t reference, int64_t offset,
			      uint64_t error) MUST_CHECK;

/* Stores the number of ranks in the parallel program. */
enum varve_status world_store(struct control *control, uint32_t size) MUST_CHECK;

#endif
