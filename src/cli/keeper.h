/* Command line: `varve keep LANES`, the keeper: completes the trace on a host where no `varve record` waits for the program.
 *
 * Started by the preload library (src/record/keeper.c), not by people: it is in no help. It ends when nothing of the run is
 * left on this host, and prints nothing.
 */
#ifndef CLI_KEEPER_H
#define CLI_KEEPER_H

int keep(const char *lanes);

#endif
