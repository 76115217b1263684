/* Record: lanes: shared by the files that make them (lane_pool.c), cut them (lane_cut.c) and write them to the trace
 * (lane_flush.c). The interface for the rest of the recorder is in recorder.h.
 */
#ifndef RECORD_LANE_LANES_H
#define RECORD_LANE_LANES_H

#include "codec/inprocess/encode.h"
#include "record/recorder.h"

/* A lane of this process and the private memory that goes with it. */
struct pooled {
	struct lane *lane;
	struct known *known;
	/* bytes of the lane that have memory; a lane in reserve has less than its size */
	uint64_t backed;
	bool stash_backed;
	bool family; /* mapped in forked children too, until this process takes it */
};

/* Memory for encoding; used by one thread at a time. */
struct workspace {
	uint32_t taken;
	void *encode;
	uint8_t *output;
};

/* lane_pool.c */
/* A new lane; one that is made as LANE_FREE may have memory for its header only. NULL: none, with the reason (lane_errors.h) in
 * `*error`. */
struct pooled *lane_new(uint64_t size, enum lane_state state, void *where, unsigned *error);
struct pooled *lane_take_free(uint64_t size);
/* Hands a lane over to the collector, which makes it free again. */
void lane_leave(struct lane *lane);
/* Makes free lanes, before the process loses access to the run or the right to make lanes. */
void lanes_reserve(void);
/* Before a fork: lets the child take lanes in reserve. */
void lanes_inherit(void);
/* Whether the lane has a stash; gives it memory. */
bool stash_ready(const struct lane *lane);
void lane_begin(struct thread *self, struct lane_clock begin);
void lane_change(struct thread *self, struct pooled *next, const struct encoded *encoded,
		 enum lane_state state);

/* lane_flush.c */
struct workspace *workspace_take(void);
void workspace_give(struct workspace *workspace);
void workspaces_after_fork(void);
struct lane_clock clock_now(void);
void lane_look(const struct lane *lane, struct encoded *encoded);
/* Makes a block of the lane's content in the workspace; `encoded` describes its records. */
enum varve_status lane_encode(struct lane *lane, struct workspace *workspace, struct lane_clock end,
			      struct encoded *encoded) MUST_CHECK;
/* Writes the lane's stash and this block; `*error` is the errno of a failure. Needs descriptors: see detached.h. */
enum varve_status lane_write(struct lane *lane, const uint8_t *block, size_t length,
			     int *error) MUST_CHECK;
/* Whether this process cannot open the data file: it has another user, or another root. */
bool data_barred(void);
/* Adds the block to the lane's stash; false: there is no room. */
bool lane_stash_put(struct lane *lane, const uint8_t *block, size_t length);
void lane_advance(struct lane *lane, const struct encoded *encoded);
/* Counts the records of a block that could not be written, by the errno of the failure; 0: none. */
void block_lost(enum varve_status status, int error, const struct encoded *encoded);

/* Stores the rank in all lanes of the process. */
void lanes_rank(int32_t rank);

#endif
