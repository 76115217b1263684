/* Codec: why lanes could not be created: a set of errnos.
 *
 * Owns the set (one errno in each byte), which is stored among the counters of losses (NOTE_LANE_ERRORS), and its text. It
 * counts nothing: LOSS_NO_LANE is the number of lost calls.
 */
#ifndef CODEC_INPROCESS_LANE_ERRORS_H
#define CODEC_INPROCESS_LANE_ERRORS_H

#include "codec/control.h"

#include <stddef.h>

/* Additional values; all errnos are smaller. */
enum {
	LANE_ERROR_MOST = 254,	/* the process has as many lanes as it may have */
	LANE_ERROR_QUIET = 255, /* the recorder may not make system calls any more */
	LANE_TEXT = 320,
};

/* The set with one more errno; a full set is unchanged. */
uint64_t lane_errors_add(uint64_t set, unsigned error);
uint64_t lane_errors_join(uint64_t left, uint64_t right);

/* The text for LOSS_NO_LANE with these causes: "calls not recorded: no buffer (lane) could be created: ...". */
void lane_errors_text(uint64_t set, char text[LANE_TEXT]);

/* Adds the counters of losses of another node. */
void losses_add(uint64_t sum[LOSS_ROOM], const uint64_t more[LOSS_ROOM]);

#endif
