/* Sink: which processes of a run still live, also those that have no lane yet. */
#ifndef SINK_RUN_LIVING_H
#define SINK_RUN_LIVING_H

#include "sink/run/run.h"

/* Calls `found` for every living process that carries this run in its environment or has its control page mapped. */
void living_find(const struct run *run, void (*found)(void *context, int pid), void *context);

#endif
