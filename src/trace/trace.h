/* Trace: opens a trace. Every reader starts here.
 *
 * A `struct varve_trace` owns the mappings of the data files, the list of good blocks in stream order, the blocks made from lanes
 * of dead processes, and the list of damage. The content of a trace is hostile input: everything is checked. Nothing here prints
 * or changes the trace, except the clock pair that codec/inprocess/lane_end.h stores in a lane.
 */
#ifndef TRACE_TRACE_H
#define TRACE_TRACE_H

#include "base/status.h"
#include "base/trace_files.h"
#include "codec/block.h"
#include "codec/host/decode.h"
#include "codec/host/tables.h"
#include "codec/index.h"
#include "codec/inprocess/lane_errors.h"

#include <varve/trace.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TRACE_DAMAGE_MOST = 1000, TRACE_FUNCTIONS = 65536, NODES_MOST = 1 << 20 };

/* A block of records that is there. */
struct trace_block {
	const uint8_t *bytes;
	uint64_t offset; /* in its data file; of a recovered one: 0 */
	uint32_t node;	 /* its place among the nodes */
	int64_t shift;	 /* ticks to add to its times; the header has them added already */
	bool recovered;	 /* made now from the lane of a dead process */
	bool bad;	 /* its payload turned out to be damaged: reported once, not read again */
	bool unfollowed; /* the first of a stream whose calls were not all followed: that was reported */
	bool checked;	/* its payload was held against its checksum */
	uint32_t chunk; /* of a packed trace: its place in its stream */
	const struct packed_place
		*place; /* of a packed trace: the stream; NULL: it is a block in a data file */
	struct block_header header;
};

/* A process that still runs. Of one that has written nothing yet there is no trace_process. */
struct trace_running {
	uint32_t process;
	uint32_t node;
	int32_t pid;
	uint64_t start; /* field 22 of its stat file */
};

struct trace_claim {
	uint64_t offset;
	uint64_t length;
};

/* A data file and what belongs to it: written on one host, with a clock and process numbers of its own. */
struct trace_node {
	uint32_t number; /* as in the names of its files */
	char data_name[TRACE_FILE_NAME];
	char index_name[TRACE_FILE_NAME];
	char lanes_name[TRACE_FILE_NAME];
	const uint8_t *data;
	uint64_t size;
	uint64_t packed_size;	 /* of a packed trace: of the data file that was packed */
	const char *description; /* key=value strings, each ended by a zero byte */
	size_t description_length;
	const char *clock; /* the same, of what was learned later about its clock */
	size_t clock_length;
	bool lanes_left; /* it has not been completed */
	char *lanes;	 /* the lane folder, or NULL */
	bool lanes_away; /* it cannot be read here */
	bool lanes_gone; /* it has no control page, or does not exist: removing it is the last step of a run */
	bool indexed; /* `end` is from its index */
	struct index_head end;
	uint64_t noted_end; /* as the control page has it: enum run_end << 32 | status; 0: none */
	int64_t noted_monotonic;
	uint64_t alive_lanes; /* of its processes that still run */

	size_t processes;
	size_t host; /* the first node of the same host */
	enum varve_aligned aligned;
	int64_t shift_ns;	/* how much later than the first node it began */
	int64_t error_ns;	/* how wrong that may be, when it was measured */
	uint64_t first_process; /* added to its numbers of processes */
	uint32_t last_process;	/* the largest of these */

	struct trace_claim *claims; /* parts of it that a process claimed and had not written */
	size_t claim_count;
	uint64_t claims_coming; /* bytes claimed by processes that had not yet noted where */
	uint64_t claimed;	/* bytes that are claimed in all; 0: not known */
	bool writes_failed;	/* some did, and may have left a part of what was to be written */
};

struct varve_trace {
	char *path;
	const int *files; /* of a packed trace that may have no name: its open files; else NULL */
	size_t file_count;
	struct trace_node *nodes; /* by number; the first is data.0 */
	size_t node_count;
	uint64_t size;	      /* bytes of all data files */
	uint64_t packed_size; /* of a packed trace: of those that were packed */
	uint32_t world;	      /* ranks that there are; 0: not known */
	uint8_t run_id[16];
	const char *description; /* key=value strings, each ended by a zero byte */
	size_t description_length;
	size_t *pairs; /* where the strings with a value begin in it */
	size_t pair_count;
	size_t last_nth, last_entry; /* for strings_nth() */

	struct tables tables;
	const uint8_t *tables_bytes; /* of a packed trace: what they were read from */
	size_t tables_length;
	uint64_t tables_check; /* of the bytes that they were read from: tables_check_of() */
	int time;	       /* enum packed_time: how times are kept */
	struct packed *packed; /* of a packed trace; NULL: it is a folder */
	bool tables_own;       /* the trace's own, else those that this Varve was built with */
	bool tables_partial;   /* of functions only those that have records */
	const struct varve_function **by_id; /* see trace_function() */
	uint8_t *makes;			     /* see trace_makes() */
	uint64_t unchecked;		     /* bytes of parts that were not looked at for damage */
	uint32_t *file_words;		     /* by function id: see names_words() */
	size_t id_count;		     /* entries of these two */

	struct trace_block *blocks;
	bool aside; /* they are in a file: blocks_put_aside() */
	size_t block_count;
	struct varve_stream *streams;
	size_t stream_count;
	struct varve_process *processes; /* by number */
	size_t process_count;

	bool indexed; /* `end` is from an index */
	struct index_head end;
	uint64_t loss[LOSS_ROOM];  /* of all nodes together */
	char lane_text[LANE_TEXT]; /* the words for LOSS_NO_LANE, with its causes */

	uint64_t alive_threads; /* of processes that still run */
	uint64_t alive_processes;
	struct trace_running *running;
	int32_t alive_pid; /* one of them */
	uint64_t recovered_threads;
	uint64_t recovered_records;
	bool moved; /* something was written while the trace was read, and may be missing in it */

	struct varve_damage *damage;
	size_t damage_count;  /* at most TRACE_DAMAGE_MOST */
	uint64_t damage_more; /* not kept */

	/* inside */
	bool shared; /* made by trace_share() */
	struct decoder decoder;
	size_t block_room;
};

/* TRACE_CHECK: compare the payload of every block with its checksum now, not when it is decoded. */
enum trace_open_flag { TRACE_CHECK = 1 };

/* VARVE_OK also if something is damaged: see `damage`. Any other status: nothing can be read. */
enum varve_status trace_open(const char *path, unsigned flags, struct varve_trace **result,
			     struct varve_causes *causes) MUST_CHECK;
/* A packed trace by its open files, which stay open and need no names. */
enum varve_status trace_open_files(const int *files, size_t count, struct varve_trace **result,
				   struct varve_causes *causes) MUST_CHECK;
/* Another reader of an open folder, for another thread. It shares everything except the decoder and the list of damage, which
 * starts empty. The two must not read the same stream. It must be closed before the first one. */
enum varve_status trace_share(const struct varve_trace *trace, struct varve_trace **result,
			      struct varve_causes *causes) MUST_CHECK;
void trace_close(struct varve_trace *trace);

/* The function with this id, or NULL. */
static inline const struct varve_function *trace_function(const struct varve_trace *trace,
							  uint16_t id)
{
	return id < trace->id_count ? trace->by_id[id] : NULL;
}

/* Whether records of this function make handles. */
static inline bool trace_makes(const struct varve_trace *trace, uint16_t id)
{
	return id < trace->id_count && trace->makes[id];
}

/* Add to the list of damages. `file` stays as long as the trace. */
void trace_report(struct varve_trace *trace, const char *file, uint64_t offset, uint64_t length,
		  const char *format, ...) __attribute__((format(printf, 5, 6)));

/* Value number `nth` (from 0) of a key, or NULL. `*last_nth` and `*last_entry` hold the place of the last answer, so that asking for
 * one value after the other does not search from the beginning each time. */
const char *strings_nth(const char *strings, size_t length, const char *key, size_t nth,
			size_t *last_nth, size_t *last_entry);

/* The process with this number, or NULL. */
const struct varve_process *trace_process(const struct varve_trace *trace, uint32_t number);

/* Value of a key of a process, or NULL. */
const char *process_value(const struct varve_process *process, const char *key);

/* Which world of its job a process with a rank is of: 1, or a larger number when MPI_Comm_spawn started it. */
uint32_t process_world(const struct varve_process *process);

/* The file in which a block is, or the one that names the lanes from which it was made. */
const char *block_file(const struct varve_trace *trace, const struct trace_block *block);

/* Value of a key in the description of a node, or NULL. */
const char *node_value(const struct trace_node *node, const char *key);

/* Whether whole blocks are missing for a reason that was counted. */
static inline bool trace_dropped(const struct varve_trace *trace)
{
	return trace->loss[LOSS_SPACE] || trace->loss[LOSS_LIMIT] || losses_of_writes(trace->loss);
}

/* Nanoseconds since the run's start. */
static inline int64_t ticks_ns(int64_t ticks, uint32_t resolution)
{
	return (int64_t)((uint64_t)ticks * resolution);
}

#endif
