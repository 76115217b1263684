/* Codec: why lanes could not be made: a set of errnos.
 *
 * Owns the set (one errno in each byte), which is stored among the counters of losses (NOTE_LANE_ERRORS), and its words. It
 * counts nothing: LOSS_NO_LANE is the number of lost calls.
 */
#ifndef CODEC_INPROCESS_LANE_ERRORS_H
#define CODEC_INPROCESS_LANE_ERRORS_H

#include "codec/control.h"

#include <stddef.h>

/* Beside errnos, of which all are smaller. */
enum {
	LANE_ERROR_MOST = 254,	/* the process has as many lanes as it may have */
	LANE_ERROR_QUIET = 255, /* the recorder may not make system calls any more */
	LANE_TEXT = 320,
};

/* The set with one more; it stays as it is when it is full. */
uint64_t lane_errors_add(uint64_t set, unsigned error);
uint64_t lane_errors_join(uint64_t left, uint64_t right);

/* The words for LOSS_NO_LANE with these causes: "calls not recorded: no room for a lane: ...". */
void lane_errors_text(uint64_t set, char text[LANE_TEXT]);

/* Adds counters of losses: those of another node. */
void losses_add(uint64_t sum[LOSS_ROOM], const uint64_t more[LOSS_ROOM]);

#endif
