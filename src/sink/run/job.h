/* Sink: which job of a launcher a process belongs to: what all of its programs have in common, whatever host they are on.
 *
 * Programs of one job make one trace. Nothing here reads the environment by itself; raw system calls only, no allocation.
 */
#ifndef SINK_RUN_JOB_H
#define SINK_RUN_JOB_H

#include "base/program/launchers.h"
#include "codec/control.h"

#include <stdbool.h>
#include <stdint.h>

struct job {
	char key[CONTROL_JOB]; /* the same in all programs of the job, and in no other; empty: none */
	char id[64];	       /* short, for the name of a trace */
	uint32_t local;	       /* programs that the launcher starts on this host; 0: not known */
};

/* False: this process was not started as one of a job. */
bool job_find(struct job *job, launcher_get *get);

/* The usual name of the trace of a job. */
#define JOB_TRACE "%e.%j.varve"

/* Whether all programs of a job make the same of the name of a trace; NULL is the usual name. */
bool job_shares(const char *trace_name);

#endif
