/* Sink: whether all ranks of a job are recorded, decided once for all of them.
 *
 * A rank that took part in an exchange without all others would wait for ever or, worse, give up and leave the MPI library in
 * an undefined state. So the ranks agree before, without MPI, by links in the trace folder, which all hosts share: creating a
 * link is atomic on every file system. Each host stores its number of ranks in `ranks`, `ranks.1` ... after all of them have
 * arrived. The first rank decides "all" (`ranks.agreed`) when these numbers add up. A rank that has waited too long decides
 * "some". If there is already a decision, it is used.
 */
#ifndef SINK_RUN_AGREE_H
#define SINK_RUN_AGREE_H

#include "codec/control.h"

#include <stdbool.h>

/* Called once by each rank: rank `rank` of `size`, one of `local` on this host. If one rank gets true, all ranks do. */
bool ranks_agree(struct control *control, uint32_t rank, uint32_t size, uint32_t local);

/* Removes the links of a host when its part of the run is complete. */
void ranks_agreed_remove(const char *trace, uint32_t node);

#endif
