/* Trace: shared by the files of src/trace: the steps of opening a trace, and how a block that cannot be read is handled. Not for
 * other rooms. */
#ifndef TRACE_TRACE_INSIDE_H
#define TRACE_TRACE_INSIDE_H

#include "trace/trace.h"

#include <sys/types.h>

/* Add a block to the list of blocks of records. */
enum varve_status blocks_add(struct varve_trace *trace, const struct trace_block *block,
			     struct varve_causes *causes) MUST_CHECK;
void blocks_clear(struct varve_trace *trace);
/* For readers that go through the streams of a large trace one after the other: moves the list to a file in this folder, so that
 * block_release() can free the memory of blocks that were passed. If that is impossible, nothing changes. */
void blocks_put_aside(struct varve_trace *trace, const char *folder);
/* Frees the memory of that list; entries come back from the file when they are read again. To be called after each BLOCKS_DROPPED
 * blocks. */
enum { BLOCKS_DROPPED = 256 };
void blocks_drop(const struct varve_trace *trace);

/* Sort by stream and sequence, drop what is there twice, find the streams. */
enum varve_status blocks_order(struct varve_trace *trace, struct varve_causes *causes) MUST_CHECK;

/* Whether the block of this stream and sequence is there, and good; only after blocks_order(). */
bool blocks_have(const struct varve_trace *trace, uint32_t process, uint32_t thread,
		 uint64_t sequence);

/* nodes.c: names of the files of a node, by its number. */
void node_names(struct trace_node *node);

/* The kind of a file that is not a regular one: "a pipe". */
const char *file_kind(mode_t mode);

/* Find and map the data files. */
enum varve_status nodes_map(struct varve_trace *trace, struct varve_causes *causes) MUST_CHECK;
void nodes_clear(struct varve_trace *trace);

/* Frees the memory of what was read; it comes back from the file when it is read again. */
void node_release(const struct trace_node *node, uint64_t from, uint64_t to);
/* The same for a walk over the file that has reached `at`: a few MiB before it stay, everything before `*kept` is free already.
 */
void node_walked(const struct trace_node *node, uint64_t at, uint64_t *kept);
void block_release(const struct varve_trace *trace, const struct trace_block *block);
/* Called by readers that go through all blocks: when the list of blocks is in a file, only one block stays in memory. */
static inline void block_passed(const struct varve_trace *trace, const struct trace_block *block)
{
	if (trace->aside)
		block_release(trace, block);
}

/* Whether a data file has grown since it was mapped: it may hold what has left the lanes. */
bool nodes_grown(const struct varve_trace *trace);

/* Whether a node whose lanes were looked at has been completed since. */
bool nodes_completed(const struct varve_trace *trace);

/* With all blocks and lanes known: numbers of processes and times become those of the run. */
void nodes_join(struct varve_trace *trace);

/* The same for one block that was not in the list then; false: its process can have no number. */
bool block_place(const struct varve_trace *trace, struct trace_block *block);

/* Ticks of this length by which a node began later. */
int64_t node_shift(const struct trace_node *node, uint32_t resolution);

/* Walk over the data of a node and note every good block and every damage. */
enum varve_status blocks_scan(struct varve_trace *trace, struct trace_node *node, unsigned flags,
			      struct varve_causes *causes) MUST_CHECK;

/* indexes.c: reads the index of a node where there is one. The losses in it count unless a control page is there, which is
 * newer. */
enum varve_status index_use(struct varve_trace *trace, struct trace_node *node,
			    struct varve_causes *causes) MUST_CHECK;
/* The end of the run: the worst end of a node, by the clock of the first one. */
void ends_join(struct varve_trace *trace);

/* Whether the payload of a block matches its checksum; if not, that is reported once. */
bool block_good(struct varve_trace *trace, struct trace_block *block);

/* block_read.c: the records of a block (bits of enum want), by the clock of the run; its definitions. */
enum varve_status block_records(struct varve_trace *trace, const struct trace_block *block,
				unsigned want, const uint32_t *some, struct block_reader *reader,
				struct varve_causes *causes) MUST_CHECK;
enum varve_status block_definitions_read(struct varve_trace *trace, const struct trace_block *block,
					 struct definitions *definitions,
					 struct varve_causes *causes) MUST_CHECK;

/* A block could not be decoded: reports it, once, and gives VARVE_OK; only VARVE_NO_MEMORY is handed on. */
enum varve_status block_failed(struct varve_trace *trace, struct trace_block *block,
			       enum varve_status status, const struct varve_causes *found,
			       struct varve_causes *causes) MUST_CHECK;

/* Lanes that are left: first their heads; later, when the blocks are known, the lanes of dead processes as blocks. */
struct orphans;
enum varve_status orphans_find(struct varve_trace *trace, struct orphans **result,
			       struct varve_causes *causes) MUST_CHECK;
enum varve_status orphans_encode(struct varve_trace *trace, struct orphans *orphans,
				 struct varve_causes *causes) MUST_CHECK;
void orphans_clear(struct orphans *orphans);

/* Takes a number of ranks that a process recorded; the largest one counts. `text` may be NULL. */
void world_see(struct varve_trace *trace, const char *text);

/* Find the description of each process. */
enum varve_status processes_find(struct varve_trace *trace, struct varve_causes *causes) MUST_CHECK;

#endif
