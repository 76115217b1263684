/* Codec: the rules for lanes that dead processes left, shared by the collector, which makes them permanent
 * (src/sink/collect.c), and the reader, which only reads them (src/trace/orphans.c). Both get the same records with the same
 * times.
 *
 * Decides which head is that of a lane, where the lane's time ends, which blocks wait in its stash, and which image of a
 * process is the last. It opens, maps and writes nothing, and does not trust its input.
 */
#ifndef CODEC_INPROCESS_LANE_DEAD_H
#define CODEC_INPROCESS_LANE_DEAD_H

#include "codec/block.h"
#include "codec/lane.h"

#include <stdbool.h>
#include <stddef.h>

/* Maximum size of a lane file in bytes; a larger file is not a lane. */
enum { LANE_SIZE_MOST = 1 << 30 };

/* Whether this is the head of a lane with a file of this size. */
bool lane_head_good(const struct lane *head, uint64_t file_size);

/* Whether a lane is empty: its owner has not reached its first record, or has finished with it. */
static inline bool lane_is_empty(const struct lane *head)
{
	return !head->magic || head->state == LANE_FREE;
}

/* Whether space was claimed for a block, and its position is known. */
static inline bool lane_claim_placed(const struct lane_claim *claim)
{
	return claim->offset != 0 && claim->offset != CLAIM_COMING;
}

/* Whether the lane's content is already in its stash, because its owner was killed before it had emptied the lane. `last` is
 * the sequence of the last block in the stash, 0 if there is none. */
static inline bool lane_content_stashed(const struct lane *lane, uint64_t last)
{
	return last == lane->generation;
}

/* The image of a process that fills a lane; `process` 0: none. */
struct lane_image {
	uint32_t process;
	int32_t pid;
	uint64_t start; /* of the process */
	uint64_t pid_namespace;
};
struct lane_image lane_image_of(const struct lane *lane);

/* Whether both belong to the same process; its image may differ. */
bool lane_same_process(const struct lane *left, const struct lane *right);
/* Whether the other one is a later image of the same process. Of the images of a process only the last one can run: the one before
 * was replaced by exec. */
bool lane_image_replaced(const struct lane_image *image, const struct lane_image *other);

/* A clock pair after the lane's last record. It differs at each call, so lane_end.h stores the first one. `start` is the pair
 * of the run's start. The result is the present pair if the clock is still that of the run, that is, in the same boot and with
 * the same rate as between `start` and the lane's beginning; otherwise a pair on the line through these two. */
struct lane_clock lane_dead_clock(const struct lane *lane, struct lane_clock start);

/* Reads the next block in the lane's stash; begin with `*at` = 0. Returns false at the end, where `*at` is stash_used, or, with
 * a lower `*at`, at a block that is damaged or belongs to another stream. */
bool lane_stash_next(struct lane *lane, uint64_t *at, struct block_header *header,
		     const uint8_t **bytes);

#endif
