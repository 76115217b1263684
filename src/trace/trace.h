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

/* A block of records. */
struct trace_block {
	const uint8_t *bytes;
	uint64_t offset; /* in its data file; 0 if recovered */
	uint32_t node;	 /* index of its node */
	int64_t shift;	 /* ticks to add to its times; already added in `header` */
	bool recovered;	 /* made from the lane of a dead process when the trace was opened */
	/* its payload is damaged; this was reported once, and the block is not read again */
	bool bad;
	/* the first block of a stream in which some calls could not be followed; this was reported */
	bool unfollowed;
	bool checked;	/* its payload was compared with its checksum */
	uint32_t chunk; /* packed trace: its index in its stream */
	const struct packed_place
		*place; /* packed trace: its stream; NULL: it is a block in a data file */
	struct block_header header;
};

/* A process that still runs. If it has not written anything yet, it is not in `processes`. */
struct trace_running {
	uint32_t process;
	uint32_t node;
	int32_t pid;
	uint64_t start; /* field 22 of /proc/PID/stat */
};

struct trace_claim {
	uint64_t offset;
	uint64_t length;
};

/* A data file and what belongs to it: written on one host, with its own clock and process numbers. */
struct trace_node {
	uint32_t number; /* as in the names of its files */
	char data_name[TRACE_FILE_NAME];
	char index_name[TRACE_FILE_NAME];
	char lanes_name[TRACE_FILE_NAME];
	const uint8_t *data;
	uint64_t size;
	uint64_t packed_size;	 /* packed trace: size of the data file that was packed */
	const char *description; /* key=value strings, each ended by a zero byte */
	size_t description_length;
	const char *clock; /* the same for what was found out later about its clock */
	size_t clock_length;
	bool lanes_left; /* the node is not complete: lanes may contain records */
	char *lanes;	 /* the lane folder, or NULL */
	bool lanes_away; /* the lane folder cannot be read here */
	/* the lane folder has no control page or does not exist: removing it is the last step of a run */
	bool lanes_gone;
	bool indexed; /* `end` was read from its index */
	struct index_head end;
	uint64_t noted_end; /* the end in the control page: enum run_end << 32 | status; 0: none */
	int64_t noted_monotonic;
	uint64_t alive_lanes; /* lanes of its processes that still run */

	size_t processes;
	size_t host; /* index of the first node of the same host */
	enum varve_aligned aligned;
	int64_t shift_ns;	/* how much later than the first node it started */
	int64_t error_ns;	/* largest error of shift_ns if it was measured */
	uint64_t first_process; /* added to the process numbers in this node */
	uint32_t last_process;	/* the largest process number in this node */

	/* parts of the data file that a process claimed but had not written */
	struct trace_claim *claims;
	size_t claim_count;
	uint64_t claims_coming; /* bytes that processes were claiming, without a place yet */
	uint64_t claimed;	/* length of the data file with all claims; 0: not known */
	bool writes_failed;	/* some writes failed and may have left an incomplete block */
};

struct varve_trace {
	char *path;
	const int *files; /* packed trace without a name: its open files; else NULL */
	size_t file_count;
	struct trace_node *nodes; /* by number; the first is data.0 */
	size_t node_count;
	uint64_t size;	      /* bytes of all data files */
	uint64_t packed_size; /* packed trace: size of all data files that were packed */
	uint32_t world;	      /* number of ranks; 0: not known */
	uint8_t run_id[16];
	const char *description; /* key=value strings, each ended by a zero byte */
	size_t description_length;
	size_t *pairs; /* offsets in it of the strings that have a value */
	size_t pair_count;
	size_t last_nth, last_entry; /* for strings_nth() */

	struct tables tables;
	const uint8_t *tables_bytes; /* packed trace: the bytes from which the tables were read */
	size_t tables_length;
	uint64_t tables_check; /* checksum of the bytes of the tables: tables_check_of() */
	int time;	       /* enum packed_time: how exact the times are */
	struct packed *packed; /* the packed form; NULL: the trace is a folder */
	bool tables_own;       /* the tables are from the trace; else from this version of Varve */
	bool tables_partial;   /* the tables have only functions with records */
	const struct varve_function **by_id; /* see trace_function() */
	uint8_t *makes;			     /* see trace_makes() */
	uint64_t unchecked;		     /* bytes of parts that were not checked for damage */
	uint32_t *file_words;		     /* by function id: see names_words() */
	size_t id_count;		     /* entries in by_id, makes and file_words */

	struct trace_block *blocks;
	bool aside; /* the list of blocks is in a file: blocks_put_aside() */
	size_t block_count;
	struct varve_stream *streams;
	size_t stream_count;
	struct varve_process *processes; /* by number */
	size_t process_count;

	bool indexed; /* `end` was read from an index */
	struct index_head end;
	uint64_t loss[LOSS_ROOM];  /* of all nodes together */
	char lane_text[LANE_TEXT]; /* the text of LOSS_NO_LANE, with its causes */

	uint64_t alive_threads; /* of processes that still run */
	uint64_t alive_processes;
	struct trace_running *running;
	int32_t alive_pid; /* one of them */
	uint64_t recovered_threads;
	uint64_t recovered_records;
	/* data was written while the trace was read, so the trace may miss some of it */
	bool moved;

	struct varve_damage *damage;
	size_t damage_count;  /* at most TRACE_DAMAGE_MOST */
	uint64_t damage_more; /* not in the list */

	/* internal */
	bool shared; /* made by trace_share() */
	struct decoder decoder;
	size_t block_room;
};

/* TRACE_CHECK: compare the payload of every block with its checksum now, not when it is decoded. */
enum trace_open_flag { TRACE_CHECK = 1 };

/* Returns VARVE_OK even if parts are damaged: see `damage`. With any other status, nothing can be read. */
enum varve_status trace_open(const char *path, unsigned flags, struct varve_trace **result,
			     struct varve_causes *causes) MUST_CHECK;
/* Opens a packed trace by its open files, which stay open and need no names. */
enum varve_status trace_open_files(const int *files, size_t count, struct varve_trace **result,
				   struct varve_causes *causes) MUST_CHECK;
/* Another reader of an open folder, for another thread. It shares everything except the decoder and the list of damage,
 * which is empty at first. The two readers must not read the same stream. Close it before the first one. */
enum varve_status trace_share(const struct varve_trace *trace, struct varve_trace **result,
			      struct varve_causes *causes) MUST_CHECK;
void trace_close(struct varve_trace *trace);

/* Whether the end of its calls is recorded: see varve_function_timed(). */
static inline bool function_timed(const struct varve_function *function)
{
	return !function || *function->op != 'l' || strcmp(function->op, "load") != 0;
}

/* The function with this id, or NULL. */
static inline const struct varve_function *trace_function(const struct varve_trace *trace,
							  uint16_t id)
{
	return id < trace->id_count ? trace->by_id[id] : NULL;
}

/* Whether calls of this function create handles. */
static inline bool trace_makes(const struct varve_trace *trace, uint16_t id)
{
	return id < trace->id_count && trace->makes[id];
}

/* Adds an entry to the list of damage. `file` must be valid as long as the trace. */
void trace_report(struct varve_trace *trace, const char *file, uint64_t offset, uint64_t length,
		  const char *format, ...) __attribute__((format(printf, 5, 6)));

/* Value number `nth` (from 0) of a key, or NULL. `*last_nth` and `*last_entry` store the place of the last result, so that
 * a caller that reads the values in order does not search from the beginning each time. */
const char *strings_nth(const char *strings, size_t length, const char *key, size_t nth,
			size_t *last_nth, size_t *last_entry);

/* The process with this number, or NULL. */
const struct varve_process *trace_process(const struct varve_trace *trace, uint32_t number);

/* Value of a key of a process, or NULL. */
const char *process_value(const struct varve_process *process, const char *key);

/* The world of a process with a rank: 1, or a larger number if MPI_Comm_spawn started it. */
uint32_t process_world(const struct varve_process *process);

/* The place of a block; for a block made from a lane, the file with the path of the lane folder. */
struct trace_span {
	const char *file;
	uint64_t offset, length;
};
struct trace_span block_span(const struct varve_trace *trace, const struct trace_block *block);

/* Value of a key in the description of a node, or NULL. */
const char *node_value(const struct trace_node *node, const char *key);

/* Whether whole blocks are missing for a reason that was counted as a loss. */
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
