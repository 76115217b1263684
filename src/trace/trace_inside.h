/* Trace: shared by the files of src/trace: the steps of opening a trace, and how a block that cannot be read is handled.
 * Not for other rooms. */
#ifndef TRACE_TRACE_INSIDE_H
#define TRACE_TRACE_INSIDE_H

#include "trace/trace.h"

#include <sys/types.h>

/* Adds a block to the list of blocks of records. */
enum varve_status blocks_add(struct varve_trace *trace, const struct trace_block *block,
			     struct varve_causes *causes) MUST_CHECK;
void blocks_clear(struct varve_trace *trace);
/* For readers that go through the streams of a large trace one after the other: moves the list of blocks to a file in this
 * folder, so that block_release() can free the memory of finished blocks. If that is impossible, nothing changes. */
void blocks_put_aside(struct varve_trace *trace, const char *folder);
/* Frees the memory of that list; an entry is loaded from the file when it is read again. Call it after every
 * BLOCKS_DROPPED blocks. */
enum { BLOCKS_DROPPED = 256 };
void blocks_drop(const struct varve_trace *trace);

/* Sorts blocks by stream and sequence, removes duplicates, and makes the list of streams. */
enum varve_status blocks_order(struct varve_trace *trace, struct varve_causes *causes) MUST_CHECK;

/* Whether there is an undamaged block of this stream with this sequence; only after blocks_order(). */
bool blocks_have(const struct varve_trace *trace, uint32_t process, uint32_t thread,
		 uint64_t sequence);

/* nodes.c: names of the files of a node, by its number. */
void node_names(struct trace_node *node);

/* The kind of a file that is not a regular one: "a pipe". */
const char *file_kind(mode_t mode);

/* Finds and maps the data files. */
enum varve_status nodes_map(struct varve_trace *trace, struct varve_causes *causes) MUST_CHECK;
void nodes_clear(struct varve_trace *trace);

/* Frees the memory of a range of the data file; it is loaded from the file when it is read again. */
void node_release(const struct trace_node *node, uint64_t from, uint64_t to);
/* The same for a reader that reads the file in order and has reached `at`: keeps the last few MiB before it; everything
 * before `*kept` is already free.
 */
void node_walked(const struct trace_node *node, uint64_t at, uint64_t *kept);
void block_release(const struct varve_trace *trace, const struct trace_block *block);
/* Called by readers that go through all blocks: if the list of blocks is in a file, only one block stays in memory. */
static inline void block_passed(const struct varve_trace *trace, const struct trace_block *block)
{
	if (trace->aside)
		block_release(trace, block);
}

/* Whether a data file has grown since it was mapped: then it can contain records that have left the lanes. */
bool nodes_grown(const struct varve_trace *trace);

/* Whether a node that had lanes when it was read has been completed since. */
bool nodes_completed(const struct varve_trace *trace);

/* Called when all blocks and lanes are known: makes process numbers unique in the run, and times relative to the start of
 * the run. */
void nodes_join(struct varve_trace *trace);

/* The same for one block that was added later; false: its process number is too large. */
bool block_place(const struct varve_trace *trace, struct trace_block *block);

/* How much later the node started, in ticks of this length. */
int64_t node_shift(const struct trace_node *node, uint32_t resolution);

/* Reads the data of a node from start to end; adds every good block and reports all damage. */
enum varve_status blocks_scan(struct varve_trace *trace, struct trace_node *node, unsigned flags,
			      struct varve_causes *causes) MUST_CHECK;

/* indexes.c: reads the index of a node, if there is one. Its losses are added unless there is a control page, which is
 * newer. */
enum varve_status index_use(struct varve_trace *trace, struct trace_node *node,
			    struct varve_causes *causes) MUST_CHECK;
/* Finds the end of the run: the worst end of all nodes, in the time of the first node. */
void ends_join(struct varve_trace *trace);

/* Whether the payload of a block matches its checksum; a mismatch is reported once. */
bool block_good(struct varve_trace *trace, struct trace_block *block);

/* block_read.c: opens the records of a block (`want`: bits of enum want), with times of the run; reads its definitions. */
enum varve_status block_records(struct varve_trace *trace, const struct trace_block *block,
				unsigned want, const uint32_t *some, struct block_reader *reader,
				struct varve_causes *causes) MUST_CHECK;
enum varve_status block_definitions_read(struct varve_trace *trace, const struct trace_block *block,
					 struct definitions *definitions,
					 struct varve_causes *causes) MUST_CHECK;

/* Reports, once, that a block cannot be decoded, and returns VARVE_OK. Only VARVE_NO_MEMORY and VARVE_LIMIT are returned
 * as errors. */
enum varve_status block_failed(struct varve_trace *trace, struct trace_block *block,
			       enum varve_status status, const struct varve_causes *found,
			       struct varve_causes *causes) MUST_CHECK;

/* Lanes that were not collected: orphans_find() reads their heads; later, when the blocks are known, orphans_encode()
 * makes blocks of the lanes of dead processes. */
struct orphans;
enum varve_status orphans_find(struct varve_trace *trace, struct orphans **result,
			       struct varve_causes *causes) MUST_CHECK;
enum varve_status orphans_encode(struct varve_trace *trace, struct orphans *orphans,
				 struct varve_causes *causes) MUST_CHECK;
void orphans_clear(struct orphans *orphans);

/* Takes a number of ranks that a process recorded; the largest one counts. `text` may be NULL. */
void world_see(struct varve_trace *trace, const char *text);

/* Finds the description of each process. */
enum varve_status processes_find(struct varve_trace *trace, struct varve_causes *causes) MUST_CHECK;

#endif
