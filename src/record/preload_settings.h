/* Record: settings of a program that was preloaded without `varve record`; they are environment variables only. */
#ifndef RECORD_PRELOAD_SETTINGS_H
#define RECORD_PRELOAD_SETTINGS_H

#include "sink/run/run.h"

#include <stdbool.h>

/* The rank in the launcher's variables; NULL: none. */
const char *settings_rank(void);

/* Whether --ranks excludes this rank. */
bool rank_excluded(const struct control *control, uint64_t rank);

/* The number of ranks in the launcher's variables; NULL: none. */
const char *settings_world(void);
/* The world that this process belongs to in its job: 1, or a larger number when MPI_Comm_spawn started it. */
uint32_t settings_world_number(void);
/* The number of ranks that the launcher starts on this host; 0: not known. */
uint32_t settings_local(void);

/* Makes a run for this program. A variable with an invalid value is ignored, and noted in the trace. */
bool settings_run(struct run *run, const char *library);

/* Whether this program starts others on other hosts and passes its environment on to them: then the recorder's variables must stay
 * visible in it. */
bool settings_launcher(void);

#endif
