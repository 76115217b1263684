/* Sink: makes blocks from the content of a lane and appends them. See collect_lane.h.
 *
 * Checks whether the blocks are already in the data file: a collector may have died after it wrote them. Torn writes become
 * void blocks. Never decides whether a lane may be taken.
 */
#include "sink/collect_lane.h"

#include "base/sys.h"
#include "codec/block.h"
#include "codec/inprocess/encode.h"
#include "codec/inprocess/lane_dead.h"
#include "codec/inprocess/lane_end.h"

#include <fcntl.h>
#include <string.h>

/* Makes a torn write a void block. */
static void claim_void(struct collect *collect, const struct lane_claim *claim)
{
	const struct control *control = collect->run->control;
	if (claim->offset + claim->length <= control->data_tail)
		data_void(&collect->data, control->run_id, claim->offset, claim->length);
}

/* Whether the block of the lane's present generation is in the data file; a torn one becomes a void block. */
static bool block_there(struct collect *collect, struct lane *lane)
{
	uint64_t offset = lane->claim.offset, length = lane->claim.length;
	struct block_header header;
	if (!lane_claim_placed(&lane->claim) || length < sizeof header ||
	    length > collect->output_size)
		return false;
	long got = sys_pread(collect->data.fd, collect->output, length, offset);
	if (got < 0)
		return false;
	if (got == (long)length && block_open(collect->output, length, &header, NULL) == VARVE_OK &&
	    header.length == length && block_check(collect->output, &header, NULL) == VARVE_OK)
		return header.sequence == lane->generation && header.process == lane->process &&
		       header.thread == lane->thread;
	claim_void(collect, &lane->claim);
	return false;
}

static enum varve_status workspace_for(struct collect *collect, size_t lane_size,
				       struct varve_causes *causes)
{
	size_t workspace = encode_workspace_size(lane_size), output = encode_output_size(lane_size);
	if (lane_size <= collect->room)
		return VARVE_OK;
	if (collect->workspace)
		sys_munmap(collect->workspace, collect->workspace_size);
	if (collect->output)
		sys_munmap(collect->output, collect->output_size);
	collect->room = 0;
	collect->workspace = sys_memory(workspace);
	collect->output = sys_memory(output);
	collect->workspace_size = workspace;
	collect->output_size = output;
	if (!collect->workspace || !collect->output)
		return cause(causes, VARVE_NO_MEMORY, "no memory to encode a lane");
	encode_prepare(collect->workspace, lane_size);
	collect->room = lane_size;
	return VARVE_OK;
}

/* Appends blocks of a lane that contain this number of records. If they cannot be written, those of a living process are lost,
 * because the lane will be used again; others stay in the lane. */
static enum varve_status blocks_append(struct collect *collect, struct lane_claim *claim,
				       const uint8_t *blocks, size_t length, uint64_t records,
				       struct varve_causes *causes)
{
	struct control *control = collect->run->control;
	enum varve_status status = data_append(&collect->data, control, claim, blocks, length);
	if (status != VARVE_OK) {
		if (status == VARVE_LIMIT || !collect->dead)
			data_lost(control, status, collect->data.error, records);
		return status == VARVE_LIMIT ? VARVE_OK
					     : cause(causes, status,
						     "cannot write the remaining records from the "
						     "lanes to the trace: %s",
						     strerrordesc_np(collect->data.error));
	}
	collect->collected->records += records;
	return VARVE_OK;
}

/* Whether the content of the lane's stash is in the data file, byte for byte. A torn write becomes a void block, but never a
 * valid block of another stream. */
static bool stash_there(struct collect *collect, struct lane *lane)
{
	const struct lane_claim *claim = &lane->stash_claim;
	struct block_header header;
	if (!lane_claim_placed(claim) || claim->length != lane->stash_used ||
	    claim->length > collect->output_size)
		return false;
	long got = sys_pread(collect->data.fd, collect->output, claim->length, claim->offset);
	if (got == (long)claim->length &&
	    memcmp(collect->output, lane_stash(lane), claim->length) == 0)
		return true;
	bool foreign = got > 0 &&
		       block_open(collect->output, (size_t)got, &header, NULL) == VARVE_OK &&
		       block_check(collect->output, &header, NULL) == VARVE_OK &&
		       (header.process != lane->process || header.thread != lane->thread);
	if (got >= 0 && !foreign)
		claim_void(collect, claim);
	return false;
}

/* Appends the blocks in the lane's stash. The stash is not changed: if the lane is found again, its claim shows that the blocks
 * were written. `*last` is set to the sequence of the last block. */
static enum varve_status stash_drain(struct collect *collect, struct lane *lane, uint64_t *last,
				     struct varve_causes *causes)
{
	uint64_t records = 0, at = 0, used = lane->stash_used;
	struct block_header header;
	const uint8_t *bytes;
	while (lane_stash_next(lane, &at, &header, &bytes)) {
		records += header.records;
		*last = header.sequence;
	}
	if (at != used)
		return cause(causes, VARVE_DAMAGED, "the stash of a lane is damaged");
	if (!used || stash_there(collect, lane))
		return VARVE_OK;
	return blocks_append(collect, &lane->stash_claim, lane_stash(lane), used, records, causes);
}

/* Makes a block of the lane's content and appends it. */
static enum varve_status content_drain(struct collect *collect, struct lane *lane,
				       struct varve_causes *causes)
{
	struct control *control = collect->run->control;
	struct lane_clock start = {control->start_counter, control->start_monotonic};
	struct encoded encoded = {0};
	struct lane_clock end = collect->dead ? lane_end_clock(AT_FDCWD, collect->dead, lane, start)
					      : lane_dead_clock(lane, start);
	TRY(encode_lane(lane, lane->size, control->codec, end, call_rows, call_rows_count,
			collect->workspace, collect->output, &encoded));
	if (encoded_is_empty(&encoded))
		return VARVE_OK;
	control->loss[LOSS_CLOCK] += encoded.backward;
	TRY(blocks_append(collect, &lane->claim, collect->output, encoded.length, encoded.records,
			  causes));
	return VARVE_OK;
}

/* Counts the thread of a lane; several lanes of a thread count once. */
static void thread_count(struct collect *collect, const struct lane *lane)
{
	uint64_t key = (uint64_t)lane->process << 32 | lane->thread;
	if (!collect->threads)
		collect->threads = sys_memory(THREADS_ROOM * sizeof *collect->threads);
	if (!collect->threads || collect->collected->threads >= THREADS_ROOM / 2)
		return;
	uint64_t at = key * 0x9e3779b97f4a7c15ull / (UINT64_MAX / THREADS_ROOM + 1);
	while (collect->threads[at] && collect->threads[at] != key)
		at = (at + 1) % THREADS_ROOM;
	collect->collected->threads += !collect->threads[at];
	collect->threads[at] = key;
}

enum varve_status lane_drain(struct collect *collect, struct lane *lane,
			     struct varve_causes *causes)
{
	uint64_t stashed = 0, before = collect->collected->records;
	TRY(workspace_for(collect, lane->size, causes));
	enum varve_status status = stash_drain(collect, lane, &stashed, causes);
	if (!lane_content_stashed(lane, stashed) && !block_there(collect, lane)) {
		enum varve_status content = content_drain(collect, lane, causes);
		status = status == VARVE_OK ? content : status;
	}
	if (collect->collected->records > before)
		thread_count(collect, lane);
	return status;
}
