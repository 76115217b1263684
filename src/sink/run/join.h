/* Sink: several programs in one run: those of a job, those of another host, and which process completes the trace.
 *
 * The first process makes the run, others join it, and the last one to leave completes it. They meet in the lane folder, whose
 * name follows from the job, and lock it. Commands (`varve record`, the keeper) hold a lock on the control page as long as they
 * live: the kernel releases it if they are killed. Waiting is bounded. Raw system calls only; no allocation.
 */
#ifndef SINK_RUN_JOIN_H
#define SINK_RUN_JOIN_H

#include "codec/index.h"
#include "sink/run/run.h"

enum { JOIN_SECONDS = 5 };

/* Makes or joins the run of settings->job; sets `run->made` if it was made. `settings->trace` is only used if it is made. */
enum varve_status run_join(const struct run_settings *settings, struct run *run,
			   struct varve_causes *causes) MUST_CHECK;

/* Attaches to the run in VARVE_RUN ("LANES" or "LANES:TRACE"). On a host without lanes of this run, makes another node of it,
 * with the settings of the first node; `library` is the path of our preload library. */
enum varve_status run_named(const char *named, const char *library, struct run *run,
			    struct varve_causes *causes) MUST_CHECK;

/* Whether a trace belongs to this job or, if `job` is NULL, to a run that is in progress. Waits for a trace that is being
 * created. VARVE_FOREIGN: no; VARVE_BUSY: it was not created in time. */
enum varve_status run_same(const char *trace, const char *job, uint8_t run_id[16]) MUST_CHECK;

/* A lock among all processes that join, collect or leave on this host. Returns a descriptor to be closed, or -errno. */
int lanes_lock(const char *lanes, bool wait);

/* Marks that a command is in the run; returns a descriptor, or -errno. */
int run_enter(const struct run *run);

/* Stores how a program ended, if that is worse than what is stored. */
void run_note_end(struct control *control, enum run_end end, int status);

/* Whether no other command is in the run; then none can enter before run_share() or run_exit(). Call it with lanes_lock() held.
 * If it returns false, leave. */
bool run_alone(int member);
void run_share(int member);

/* Closes the descriptor of run_enter(), and sets it to -1. */
void run_exit(int *member);

/* Waits until no command is in the run, however they end. VARVE_ABSENT: the run is already complete. */
enum varve_status run_outlive(const struct run *run) MUST_CHECK;

#endif
