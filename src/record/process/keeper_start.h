/* Record: starts the keeper: the process that completes the trace on a host without `varve record`. docs/adr/0050. */
#ifndef RECORD_PROCESS_KEEPER_START_H
#define RECORD_PROCESS_KEEPER_START_H

#include "sink/run/run.h"

/* Starts a keeper for a run that this process has made. The program does not notice it: the keeper is not a child of the program,
 * and has none of its descriptors. Where the program would notice, no keeper is started. */
void keeper_start(const struct run *run);

#endif
