/* Command line: the keeper: completes and packs the trace on a host where no `varve record` waits for the program any
 * more.
 *
 * The preload library starts `varve keep LANES` (src/record/process/keeper_start.c); this is not for users, and help does
 * not list it. `varve record` forks a keeper that stands by and acts only if all commands of the run have ended and the
 * trace is not complete: they were killed, or children outlived the program. A keeper ends when no process of the run is
 * left on its host. Prints nothing.
 */
#ifndef CLI_RECORD_KEEPER_H
#define CLI_RECORD_KEEPER_H

#include "sink/run/run.h"

int keep(const char *lanes);

/* Called by the command that created the run, before it has threads. Returns the keeper's pid; -1: there is none. */
int keeper_stand_by(struct run *run);

/* Whether the first host has completed its part and must wait for those of other hosts before the trace can be packed. */
bool keeper_awaits(const struct run *run);
/* How long a keeper of the first host waits for the other hosts. */
enum { KEEPER_HOSTS_MINUTES = 10 };
/* Ends a keeper that is not needed any more. */
void keeper_dismiss(int pid);

/* Takes lanes until no process of the run lives on this host, but at most for this many ms; below 0: without a limit. */
void keeper_wait(struct run *run, int milliseconds);

#endif
