/* Codec: the rules for lanes that dead processes left, in one place for who makes them permanent (src/sink/collect.c) and who only
 * reads them (src/trace/orphans.c): both show the same records with the same times.
 *
 * Owns: which head is that of a lane, where its time ends, which blocks wait in its stash, which image of a process is the last. It
 * opens, maps and writes nothing, and trusts nothing that it is given.
 */
#ifndef CODEC_INPROCESS_LANE_DEAD_H
#define CODEC_INPROCESS_LANE_DEAD_H

#include "codec/block.h"
#include "codec/lane.h"

#include <stdbool.h>
#include <stddef.h>

/* Bytes of a lane file; a larger one is none. */
enum { LANE_SIZE_MOST = 1 << 30 };

/* Whether this is the head of a lane whose file has so many bytes. */
bool lane_head_good(const struct lane *head, uint64_t file_size);

/* Whether a lane holds nothing: its owner has not got to its first record, or is done with it. */
static inline bool lane_is_empty(const struct lane *head)
{
	return !head->magic || head->state == LANE_FREE;
}

/* Whether a block was claimed space for, and where is known. */
static inline bool lane_claim_placed(const struct lane_claim *claim)
{
	return claim->offset != 0 && claim->offset != CLAIM_COMING;
}

/* Whether the lane's content is in its stash already: `last` is the sequence of the last block there, 0 when there is none. Its owner
 * was killed before it had emptied the lane. */
static inline bool lane_content_stashed(const struct lane *lane, uint64_t last)
{
	return last == lane->generation;
}

/* Whether both are of the same process, of whichever of its images. */
bool lane_same_process(const struct lane *left, const struct lane *right);

/* A clock pair behind the lane's last record; it differs whenever it is asked for, so lane_end.h stores the first one.
 * `start`: that of the run's start. It is that of now where the clock is still the run's: the same boot, and the same rate as
 * between the two; else one on the line through both. */
struct lane_clock lane_dead_clock(const struct lane *lane, struct lane_clock start);

/* Goes through the blocks in the lane's stash, from `*at` = 0 on: false at the end, where `*at` is stash_used, or at a block that
 * is damaged or of another stream, where it is less. */
bool lane_stash_next(struct lane *lane, uint64_t *at, struct block_header *header,
		     const uint8_t **bytes);

#endif
