/* Sink: the consumer of lanes: what processes that are gone left in their lanes becomes blocks of the trace.
 *
 * `varve record` calls it while its program runs and at the end; `varve pack --recover` calls it afterwards. Lanes of
 * living processes are left alone, and so are those of other hosts. One consumer at a time (a lock on the lane folder).
 */
#ifndef SINK_COLLECT_H
#define SINK_COLLECT_H

#include "base/status.h"
#include "codec/index.h"
#include "sink/data.h"
#include "sink/run/run.h"

#include <stdbool.h>

struct collected {
	uint64_t threads;  /* whose records were made into blocks */
	uint64_t alive;	   /* left alone: their process runs (or may run, elsewhere) */
	uint64_t records;  /* in the blocks that were made */
	int32_t alive_pid; /* one of those that run */
};

/* Takes the lanes of the dead, and those that the living handed over. */
enum varve_status collect_lanes(struct run *run, struct collected *collected,
				struct varve_causes *causes) MUST_CHECK;

/* Inside: the same with lanes_lock() held. `data` is to be closed. `final`: children that have no lane yet count as alive, too. */
enum varve_status collect_locked(struct run *run, bool final, struct data_file *data,
				 struct collected *collected,
				 struct varve_causes *causes) MUST_CHECK;
enum varve_status lanes_not_locked(const struct run *run, int lock,
				   struct varve_causes *causes) MUST_CHECK;

/* collect_end.c.
 *
 * collect_lanes(), then writes the index, makes everything durable and, when no lane is left, removes the lane folder. With
 * RUN_RECOVERED the end is the one that a command has noted, or that the index has, if there is one. */
enum varve_status collect_finish(struct run *run, enum run_end end, int status,
				 struct collected *collected,
				 struct varve_causes *causes) MUST_CHECK;

/* A command leaves the run that it has entered (run_enter()): the last one, `*last`, does what collect_finish() does, with
 * the worst end that was noted, and stays a member until run_exit(): a keeper that stands by waits for that. For others `run`
 * is detached then. */
enum varve_status collect_leave(struct run *run, int *member, struct collected *collected,
				bool *last, struct varve_causes *causes) MUST_CHECK;

/* Opens the run of a trace folder by the `lanes` file of a node. VARVE_ABSENT: there is nothing left to collect;
 * VARVE_FOREIGN: it is on another host. */
enum varve_status collect_open(const char *trace, uint32_t node, struct run *run,
			       struct varve_causes *causes) MUST_CHECK;

/* index_write.c: lists the blocks of the data file and stores the index beside it, by rename. */
enum varve_status index_write(struct run *run, struct data_file *data, struct index_head *head,
			      struct varve_causes *causes) MUST_CHECK;

#endif
