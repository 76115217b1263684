/* Sink: a lane file that a consumer looks at.
 *
 * Owns how its words are reached: a lane of our user is mapped; one of another user is copied, and what was copied is checked,
 * as its owner may change or cut the file meanwhile. Trusts no file of another user. Raw system calls only; no allocation.
 */
#ifndef SINK_LANE_HOLD_H
#define SINK_LANE_HOLD_H

#include "codec/lane.h"

#include <stdbool.h>
#include <stddef.h>

struct lane_hold {
	struct lane *lane;
	size_t size; /* of the file */
	int fd;	     /* of the file that the lane is a copy of; -1: it is mapped */
};

/* Opens a lane file and reads its head: one that is being made may be a hole still, which a full file system answers with a
 * signal where it is mapped. -1 when it is none. */
int lane_open(const char *path, int flags, struct lane *head);

/* False: it is no lane file. Of a copy only the head is there. */
bool lane_hold(struct lane_hold *hold, const char *path);

/* Reads all of a copy, as the file is now. False: it is no lane any more. */
bool lane_hold_read(struct lane_hold *hold);

/* Sets the state of a lane that is in state `from`; false: it is not. Of a copy only when nobody else does so meanwhile. */
bool lane_hold_change(struct lane_hold *hold, uint32_t from, uint32_t to);

/* Stores in the file of a copy where its blocks are. */
void lane_hold_claims(const struct lane_hold *hold);

/* Gives the lane back, empty. */
void lane_hold_free(struct lane_hold *hold);

void lane_hold_end(struct lane_hold *hold);

/* Adds the records of a lane file of so many bytes that is open. False: what it holds is not known. */
bool lane_records(int fd, uint64_t size, uint64_t *records);

#endif
