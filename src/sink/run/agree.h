/* Sink: whether all ranks of a job are recorded, decided once for all of them.
 *
 * A rank that took part in an exchange without all others would wait for ever, or, worse, give up and leave
 * the MPI library in disorder. So the ranks agree beforehand, without MPI, by links in the trace's folder, which all hosts
 * share: making a link is one step, on every file system. Each host stores in `ranks`, `ranks.1` ... how many it has, when all
 * of them have come; the first rank sees that these are all, and decides so (`ranks.agreed`). Who has waited for too long
 * decides that they are not. Whoever comes second reads what the first has decided.
 */
#ifndef SINK_RUN_AGREE_H
#define SINK_RUN_AGREE_H

#include "codec/control.h"

#include <stdbool.h>

/* Called once by each rank: the `rank`-th of `size`, one of `local` on this host. True: all of them get true. */
bool ranks_agree(struct control *control, uint32_t rank, uint32_t size, uint32_t local);

/* Takes the links of a host away, when its part of the run is complete. */
void ranks_agreed_remove(const char *trace, uint32_t node);

#endif
