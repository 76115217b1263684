/* Sink: the consumer of lanes: what ended processes left in their lanes becomes blocks of the trace.
 *
 * `varve record` calls it while its program runs and at the end; `varve pack --recover` calls it afterwards. Lanes of living
 * processes and of other hosts are not touched. One consumer at a time (a lock on the lane folder).
 */
#ifndef SINK_COLLECT_H
#define SINK_COLLECT_H

#include "base/status.h"
#include "codec/index.h"
#include "sink/data.h"
#include "sink/run/run.h"

#include <stdbool.h>

struct collected {
	uint64_t threads;  /* threads whose records became blocks */
	uint64_t alive;	   /* not collected: their process runs (or may run elsewhere) */
	uint64_t records;  /* in the new blocks */
	int32_t alive_pid; /* one of the processes that run */
};

/* Takes the lanes of dead processes, and those that living processes have handed over. */
enum varve_status collect_lanes(struct run *run, struct collected *collected,
				struct varve_causes *causes) MUST_CHECK;

/* Internal: the same with lanes_lock() held. The caller closes `data`. `final`: children without a lane count as alive, too. */
enum varve_status collect_locked(struct run *run, bool final, struct data_file *data,
				 struct collected *collected,
				 struct varve_causes *causes) MUST_CHECK;
enum varve_status lanes_not_locked(const struct run *run, int lock,
				   struct varve_causes *causes) MUST_CHECK;

/* In collect_end.c: calls collect_lanes(), then writes the index, makes everything durable and, if no lane is left, removes the
 * lane folder. With RUN_RECOVERED the end of the run is the one that a command has stored, or the one in an existing index. */
enum varve_status collect_finish(struct run *run, enum run_end end, int status,
				 struct collected *collected,
				 struct varve_causes *causes) MUST_CHECK;

/* A command leaves the run that it has entered with run_enter(). The last command (`*last`) does the work of collect_finish(),
 * with the worst end that was stored, and stays a member until run_exit(), for which the keeper waits. For other commands,
 * `run` is detached. */
enum varve_status collect_leave(struct run *run, int *member, struct collected *collected,
				bool *last, struct varve_causes *causes) MUST_CHECK;

/* Opens the run of a trace folder by the `lanes` file of a node. VARVE_ABSENT: there is nothing to collect; VARVE_FOREIGN: the
 * run is on another host. */
enum varve_status collect_open(const char *trace, uint32_t node, struct run *run,
			       struct varve_causes *causes) MUST_CHECK;

/* index_write.c: lists the blocks of the data file, and stores the index beside it, with a rename. */
enum varve_status index_write(struct run *run, struct data_file *data, struct index_head *head,
			      struct varve_causes *causes) MUST_CHECK;

#endif
