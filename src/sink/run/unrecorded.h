/* Sink: a line for each program with the library preloaded alone whose trace could not be created.
 *
 * The recorder prints nothing in the program. A program that it cannot record at all is noted in a small file, which `varve
 * doctor` reads. Raw system calls only; no allocation.
 */
#ifndef SINK_RUN_UNRECORDED_H
#define SINK_RUN_UNRECORDED_H

#include "base/status.h"

enum { UNRECORDED_PATH = 4096 };

/* varve-UID.unrecorded in this folder; if it is NULL or empty, in /tmp. */
void unrecorded_path(char path[UNRECORDED_PATH], const char *folder);

/* Notes that the trace of this program could not be created. */
void unrecorded_note(const char *folder, const char *program, const char *trace,
		     enum varve_status why);

#endif
