/* Sink: a lane file that a consumer has opened.
 *
 * Owns the access to its words: a lane of our user is mapped; a lane of another user is copied, and the copy is checked,
 * because the owner may change or truncate the file meanwhile. Does not trust files of other users. Raw system calls only; no
 * allocation.
 */
#ifndef SINK_LANE_HOLD_H
#define SINK_LANE_HOLD_H

#include "codec/lane.h"

#include <stdbool.h>
#include <stddef.h>

struct lane_hold {
	struct lane *lane;
	size_t size; /* of the file */
	int fd;	     /* of the file that the lane is a copy of; -1: the lane is mapped */
};

/* Opens a lane file and reads its head. It is not mapped: a new file may still be a hole, and on a full file system access to a
 * mapped hole raises a signal. Returns -1 if it is not a lane. */
int lane_open(const char *path, int flags, struct lane *head);

/* False: it is not a lane file. In a copy only the head is valid. */
bool lane_hold(struct lane_hold *hold, const char *path);

/* Reads the whole copy, as the file is now. False: it is not a lane any more. */
bool lane_hold_read(struct lane_hold *hold);

/* Changes the state of a lane from `from` to `to`; false: the state is not `from`. For a copy this is only safe if no other
 * process changes the state meanwhile. */
bool lane_hold_change(struct lane_hold *hold, uint32_t from, uint32_t to);

/* For a copy: stores in the file where its blocks are. */
void lane_hold_claims(const struct lane_hold *hold);

/* Returns the lane, empty. */
void lane_hold_free(struct lane_hold *hold);

void lane_hold_end(struct lane_hold *hold);

/* Adds the number of records in an open lane file of this size. False: its content is unknown. */
bool lane_records(int fd, uint64_t size, uint64_t *records);

#endif
