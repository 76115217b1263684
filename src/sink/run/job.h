/* Sink: which job of a launcher a process belongs to: the key that all programs of the job share on all hosts.
 *
 * The programs of one job make one trace. Does not read the environment itself; raw system calls only, no allocation.
 */
#ifndef SINK_RUN_JOB_H
#define SINK_RUN_JOB_H

#include "base/program/launchers.h"
#include "codec/control.h"

#include <stdbool.h>
#include <stdint.h>

struct job {
	char key[CONTROL_JOB]; /* equal in all programs of the job only; empty: none */
	char id[64];	       /* short, for the name of a trace */
	uint32_t local;	       /* programs that the launcher starts on this host; 0: unknown */
};

/* False: this process was not started as a part of a job. */
bool job_find(struct job *job, launcher_get *get);

/* The default name of the trace of a job. */
#define JOB_TRACE "%e.%j.varve"

/* Whether all programs of a job get the same trace from this name; NULL is the default name. */
bool job_shares(const char *trace_name);

#endif
