/* Sink: several programs in one run: those of a job, those of another host, and which process completes the trace.
 *
 * The first process makes the run, others join it, and the last one to leave completes it. They meet in the lane folder, whose
 * name follows from the job, and lock it. Commands (`varve record`, the keeper) hold a lock on the control page as long as
 * they live: the kernel releases it when they are killed. Waiting is bounded. Raw system calls only; no allocation.
 */
#ifndef SINK_RUN_JOIN_H
#define SINK_RUN_JOIN_H

#include "codec/index.h"
#include "sink/run/run.h"

enum { JOIN_SECONDS = 5 };

/* Makes or joins the run of settings->job; `run->made` is set when it was made. `settings->trace` counts when it is made. */
enum varve_status run_join(const struct run_settings *settings, struct run *run,
			   struct varve_causes *causes) MUST_CHECK;

/* The run that VARVE_RUN names ("LANES" or "LANES:TRACE"). On a host that has none of its lanes: another node of it. `settings`
 * are those of the first node then, `library` is the path of ours. */
enum varve_status run_named(const char *named, const char *library, struct run *run,
			    struct varve_causes *causes) MUST_CHECK;

/* Whether a trace is of this job, or whatever it is, when that is NULL, of a run that goes on. Waits for one that is being
 * made. VARVE_FOREIGN, VARVE_BUSY: it is not, it is not there in time. */
enum varve_status run_same(const char *trace, const char *job, uint8_t run_id[16]) MUST_CHECK;

/* Exclusive among all who join, collect or leave, on this host. A descriptor to be closed, or -errno. */
int lanes_lock(const char *lanes, bool wait);

/* Marks that a command is there; a descriptor, or -errno. */
int run_enter(const struct run *run);

/* Notes how a program ended: the worst of all counts. */
void run_note_end(struct control *control, enum run_end end, int status);

/* Whether no other command is there: then nobody can enter before run_share() or run_exit(). With lanes_lock() held; who is not
 * alone has to leave. */
bool run_alone(int member);
void run_share(int member);

/* Closes what run_enter() has given, and sets it to -1. */
void run_exit(int *member);

/* Waits until no command is in the run, whatever ended them. VARVE_ABSENT: the run is complete already. */
enum varve_status run_outlive(const struct run *run) MUST_CHECK;

#endif
