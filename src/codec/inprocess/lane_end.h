/* Codec: where the time of a dead process's lane ends.
 *
 * Owns the clock pair at the end of such a lane: the first reader of the lane chooses it and stores it in the lane's header, so
 * that all later readings, and the block that the lane becomes, have the same times. It changes nothing else.
 */
#ifndef CODEC_INPROCESS_LANE_END_H
#define CODEC_INPROCESS_LANE_END_H

#include "codec/lane.h"

/* The pair that the lane's file has or gets now; if it cannot be stored, the present pair. `lane` is what was read from the
 * file, which is `name` in `folder`. `start` is the pair of the run's start. */
struct lane_clock lane_end_clock(int folder, const char *name, const struct lane *lane,
				 struct lane_clock start);

#endif
