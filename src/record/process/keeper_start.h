/* Record: starting the keeper: the process that completes the trace on a host where no `varve record` does. docs/adr/0050. */
#ifndef RECORD_PROCESS_KEEPER_START_H
#define RECORD_PROCESS_KEEPER_START_H

#include "sink/run/run.h"

/* For a run that this process has made. The program does not notice it: it is not its child, and has none of its
 * descriptors. Where it would be noticed there is none. */
void keeper_start(const struct run *run);

#endif
