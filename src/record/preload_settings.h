/* Record: settings of a program that was preloaded without `varve record`: variables only. */
#ifndef RECORD_PRELOAD_SETTINGS_H
#define RECORD_PRELOAD_SETTINGS_H

#include "sink/run/run.h"

#include <stdbool.h>

/* The rank in the launcher's variables; NULL: none. */
const char *settings_rank(void);

/* Whether --ranks leaves this rank out. */
bool rank_excluded(const struct control *control, uint64_t rank);

/* How many ranks these say that there are; NULL: they do not. */
const char *settings_world(void);
/* Which world of its job this process is of: 1, or a larger number when MPI_Comm_spawn started it. */
uint32_t settings_world_number(void);
/* How many of them the launcher starts on this host; 0: not known. */
uint32_t settings_local(void);

/* Makes a run of our own. What a variable holds that means nothing is ignored, and noted in the trace. */
bool settings_run(struct run *run, const char *library);

/* Whether this program starts others on other hosts, and hands its environment on to them: it has to see ours in it. */
bool settings_launcher(void);

#endif
