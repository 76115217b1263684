/* Command line: the thread of `varve record` that takes full lanes from programs which cannot write blocks themselves, and
 * sometimes the lanes of processes that have ended. */
#ifndef CLI_RECORD_DRAIN_H
#define CLI_RECORD_DRAIN_H

#include "sink/run/run.h"

#include <pthread.h>
#include <stdbool.h>

struct drain {
	struct run *run;
	pthread_t thread;
	bool started;
	bool stop;
};

/* If the thread cannot be created (no memory), lanes are only taken at the end. */
void drain_start(struct drain *drain, struct run *run);
void drain_stop(struct drain *drain);

#endif
