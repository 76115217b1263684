/* Trace: makes blocks of the lanes of dead processes. See orphans.h.
 *
 * Each lane is read again completely and becomes blocks in memory. Nothing is written except the clock pair at the end of
 * a lane (lane_end.h); only the collector makes these blocks permanent.
 */
#include "trace/orphans.h"

#include "codec/inprocess/encode.h"
#include "codec/inprocess/lane_dead.h"
#include "codec/inprocess/lane_end.h"

#include <stdlib.h>
#include <string.h>

/* Converts a block of a lane to the numbers and times of the run; false: its process number is too large. */
static bool orphan_place(struct varve_trace *trace, const struct orphans *orphans,
			 struct trace_block *block)
{
	block->node = orphans->place;
	if (block_place(trace, block))
		return true;
	trace_report(trace, orphans->node->lanes_name, 0, 0,
		     "a lane has an impossible process number");
	return false;
}

static enum varve_status orphan_encode(struct varve_trace *trace, const struct orphans *orphans,
				       const char *name, const struct lane *lane,
				       struct varve_causes *causes)
{
	void *workspace = malloc(encode_workspace_size(lane->size));
	uint8_t *output = malloc(encode_output_size(lane->size));
	struct encoded encoded = {0};
	enum varve_status status = VARVE_NO_MEMORY;
	if (!workspace || !output) {
		cause_add(causes, "no memory to encode a lane of %llu bytes",
			  (unsigned long long)lane->size);
		goto done;
	}
	const struct tables *tables = &trace->tables;
	encode_prepare(workspace, lane->size);
	status = encode_lane(lane, lane->size, (struct codec_choice){CODEC_COLUMNS, 0},
			     lane_end_clock(orphans->folder, name, lane, orphans->start),
			     tables->rows, tables->function_count, workspace, output, &encoded);
	struct trace_block block = {.recovered = true};
	if (status == VARVE_OK && encoded_is_empty(&encoded))
		encoded.length = 0;
	if (status == VARVE_OK && encoded.length)
		status = block_open(output, encoded.length, &block.header, NULL);
	if (status != VARVE_OK) {
		trace_report(trace, orphans->node->lanes_name, 0, 0,
			     "the lane of process %u, thread %u: %s", lane->process, lane->thread,
			     status_text(status));
		status = VARVE_OK;
	} else if (encoded.length && orphan_place(trace, orphans, &block)) {
		uint8_t *bytes = realloc(output, encoded.length);
		output = bytes ? bytes : output;
		block.bytes = output;
		status = blocks_add(trace, &block, causes);
		if (status == VARVE_OK) {
			output = NULL;
			trace->recovered_records += encoded.fresh;
		}
	}
done:
	free(workspace);
	free(output);
	return status;
}

/* Whether the block is one of the first `known` blocks, which are sorted. */
static bool orphan_is_stored(struct varve_trace *trace, const struct orphans *orphans, size_t known,
			     const struct lane *lane, uint64_t sequence)
{
	size_t all = trace->block_count;
	trace->block_count = known;
	bool found = blocks_have(trace, lane->process + (uint32_t)orphans->node->first_process,
				 lane->thread, sequence);
	trace->block_count = all;
	return found;
}

static enum varve_status stash_add(struct varve_trace *trace, const uint8_t *bytes,
				   struct trace_block *block, struct varve_causes *causes)
{
	uint8_t *copy = malloc(block->header.length);
	if (!copy)
		return cause(causes, VARVE_NO_MEMORY, "no memory for a block of a lane");
	memcpy(copy, bytes, block->header.length);
	block->bytes = copy;
	enum varve_status status = blocks_add(trace, block, causes);
	if (status != VARVE_OK) {
		free(copy);
		return status;
	}
	trace->recovered_records += block->header.records;
	return VARVE_OK;
}

/* Takes the blocks in the stash of the lane; `*last` is the sequence of the last one. */
static enum varve_status stash_recover(struct varve_trace *trace, const struct orphans *orphans,
				       struct lane *lane, size_t known, uint64_t *last,
				       struct varve_causes *causes)
{
	struct trace_block block = {.recovered = true};
	const uint8_t *bytes;
	uint64_t at = 0;
	while (lane_stash_next(lane, &at, &block.header, &bytes)) {
		*last = block.header.sequence;
		struct trace_block placed = block;
		if (!orphan_is_stored(trace, orphans, known, lane, *last) &&
		    orphan_place(trace, orphans, &placed))
			TRY(stash_add(trace, bytes, &placed, causes));
	}
	if (at != lane->stash_used)
		trace_report(trace, orphans->node->lanes_name, 0, 0,
			     "the second buffer of process %u, thread %u is damaged", lane->process,
			     lane->thread);
	return VARVE_OK;
}

/* Reads the whole lane again: its owner is dead, but a collector may have taken it since. */
static enum varve_status orphan_recover(struct varve_trace *trace, const struct orphans *orphans,
					const struct orphan *orphan, size_t known,
					struct varve_causes *causes)
{
	const struct lane *head = &orphan->head;
	size_t size = head->size + head->stash_room;
	if (!head->stash_used && orphan_is_stored(trace, orphans, known, head, head->generation))
		return VARVE_OK;
	struct lane *lane = aligned_alloc(64, (size + 63) / 64 * 64);
	if (!lane)
		return cause(causes, VARVE_NO_MEMORY, "no memory for a lane of %zu bytes", size);
	enum varve_status status = VARVE_OK;
	uint64_t stashed = 0;
	if (lane_file_read(orphans->folder, orphan->name, lane, size) == (ssize_t)size &&
	    lane->magic == LANE_MAGIC && lane->size == head->size && !lane_is_empty(lane) &&
	    lane->stash_room == head->stash_room && lane->generation == head->generation) {
		status = stash_recover(trace, orphans, lane, known, &stashed, causes);
		if (status == VARVE_OK && !lane_content_stashed(lane, stashed) &&
		    !orphan_is_stored(trace, orphans, known, lane, lane->generation))
			status = orphan_encode(trace, orphans, orphan->name, lane, causes);
	} else {
		trace->moved = true;
	}
	free(lane);
	return status;
}

enum varve_status orphans_encode(struct varve_trace *trace, struct orphans *orphans,
				 struct varve_causes *causes)
{
	size_t known = trace->block_count;
	for (; orphans; orphans = orphans->next) {
		const struct orphan *counted = NULL;
		for (size_t i = 0; i < orphans->count; i++) {
			const struct orphan *orphan = &orphans->list[i];
			size_t before = trace->block_count;
			if (orphan->dead)
				TRY(orphan_recover(trace, orphans, orphan, known, causes));
			if (trace->block_count == before)
				continue;
			trace->recovered_threads += !counted || !same_thread(counted, orphan);
			counted = orphan;
		}
	}
	return trace->block_count == known ? VARVE_OK : blocks_order(trace, causes);
}
