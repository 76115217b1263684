/* Sink: which processes of a run are still alive, including those without a lane. */
#ifndef SINK_RUN_LIVING_H
#define SINK_RUN_LIVING_H

#include "sink/run/run.h"

/* Calls `found` for every living process that has this run in its environment or has mapped its control page. */
void living_find(const struct run *run, void (*found)(void *context, int pid), void *context);

#endif
