/* Varve: opens a trace, and describes the run, its processes and threads, and what is missing.
 *
 *	struct varve_causes causes = {0};
 *	struct varve_trace *trace;
 *	if (varve_open("app.varve", 0, &trace, &causes) != VARVE_OK)
 *		...causes.text[0] is the reason...
 *
 * A trace may be damaged or made by an attacker: its content cannot crash the reader. Damaged parts are skipped and
 * listed. A trace whose program still runs can be read up to the last record that was written. The library never changes a
 * trace.
 *
 * Only one thread at a time may use a trace handle and the objects made from it (cursors, filters, trees). Different handles are
 * independent, even handles of the same trace. Pointers returned from a handle are valid until varve_close(). Close
 * cursors, filters and lists of definitions before the handle.
 */
#ifndef VARVE_TRACE_H
#define VARVE_TRACE_H

#include <varve/definitions.h>
#include <varve/status.h>

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

struct varve_trace;

/* VARVE_OPEN_CHECK: compare every block with its checksum now, not when it is read. Of a very large packed trace only a
 * part is checked; varve_unchecked() returns how much is left. */
enum varve_open_flag { VARVE_OPEN_CHECK = 1 };

/* Returns VARVE_OK even if parts are damaged: see varve_damage_count(). With VARVE_ABSENT, VARVE_NOT_A_TRACE, VARVE_NEWER
 * (written by a newer version), VARVE_FOREIGN (written on a machine with another byte order), VARVE_DAMAGED, VARVE_SYSTEM
 * and VARVE_NO_MEMORY nothing can be read, and *trace is NULL.
 * The trace is not changed. But if a process died and its buffer is still in the lane folder, the first reader stores in
 * that buffer where the time of the process ends, so that all readers get the same times. */
enum varve_status varve_open(const char *path, unsigned flags, struct varve_trace **trace,
			     struct varve_causes *causes);
/* Closes a trace; pointers that it returned become invalid. NULL: does nothing. */
void varve_close(struct varve_trace *trace);

/* The path given to varve_open(). */
const char *varve_path(const struct varve_trace *trace);
uint64_t varve_size(const struct varve_trace *trace); /* bytes of its data */
/* Bytes of a very large packed trace that VARVE_OPEN_CHECK did not check; they are checked when they are read. */
uint64_t varve_unchecked(const struct varve_trace *trace);

/* Bytes of a packed trace that were wrong and have been corrected in memory so far; the file is not changed. */
uint64_t varve_repaired(const struct varve_trace *trace);

/* The description of the run: keys and values, listed in docs/format.md; a key can occur more than once. */
size_t varve_description_count(const struct varve_trace *trace);
/* Pair number `at`, from 0; beyond the last pair, both are empty. */
void varve_description_at(const struct varve_trace *trace, size_t at, struct varve_text *key,
			  struct varve_text *value);
/* Value number `nth` (from 0) of a key, ended by a zero byte; NULL: there is none. */
const char *varve_description(const struct varve_trace *trace, const char *key, size_t nth);

/* How the run ended. */
enum varve_end {
	VARVE_END_OPEN,	     /* the run has not ended, as far as is known */
	VARVE_END_EXITED,    /* `status` is the exit status */
	VARVE_END_KILLED,    /* `status` is the signal */
	VARVE_END_RECOVERED, /* a later command collected what the run left */
	VARVE_END_UNKNOWN,   /* unknown, because there is no index */
};

struct varve_state {
	enum varve_end end;
	int32_t status;
	int64_t end_monotonic; /* CLOCK_MONOTONIC in ns; 0: not known */
	/* processes that still run; their records that are not written yet are not shown */
	uint64_t running_threads;
	uint64_t running_processes;
	int32_t running_pid; /* one of them */
	/* records from the buffers of dead processes, which are not yet stored in the trace */
	uint64_t recovered_threads;
	uint64_t recovered_records;
};
/* How the run ended, and what is not yet stored in the trace. */
void varve_state_of(const struct varve_trace *trace, struct varve_state *state);

/* A reason why records are missing, and how many. */
struct varve_loss {
	uint32_t reason; /* number of the reason, see docs/format.md */
	bool left_out;	 /* no loss: not recorded because the user requested it */
	uint64_t count;
	/* "records dropped: ..."; NULL: a reason that this version does not have */
	const char *text;
};
/* The list of all reasons whose count is not 0. */
size_t varve_loss_count(const struct varve_trace *trace);
void varve_loss_at(const struct varve_trace *trace, size_t at, struct varve_loss *loss);
/* The text of a reason, or NULL. */
const char *varve_loss_text(uint32_t reason);
/* The count of one reason. */
uint64_t varve_loss_of(const struct varve_trace *trace, uint32_t reason);
enum varve_left_out {
	VARVE_LEFT_OUT_FILES = 24,  /* calls on files that the path filter excludes */
	VARVE_LEFT_OUT_PAUSED = 25, /* calls made during pauses */
	VARVE_LEFT_OUT_PAUSES = 26,
	VARVE_LEFT_OUT_PAUSED_NS = 27,
	VARVE_LEFT_OUT_RANKS = 28,  /* processes of ranks that were not selected */
	VARVE_LEFT_OUT_FOLLOW = 29, /* programs that --no-follow excludes */
};

/* A place in the trace that could not be read. More places may be added while records are read. */
struct varve_damage {
	const char *file; /* its name in the trace folder */
	uint64_t offset;
	uint64_t length; /* 0: not known; with offset 0 the place is not known either */
	char why[256];
};
/* The list of damaged places. varve_damage_at() returns NULL beyond the last one. */
size_t varve_damage_count(const struct varve_trace *trace);
const struct varve_damage *varve_damage_at(const struct varve_trace *trace, size_t at);
/* damaged places that are not in the list */
uint64_t varve_damage_more(const struct varve_trace *trace);

/* How the times of a node were aligned with those of the first node. */
enum varve_aligned {
	VARVE_ALIGNED_FIRST,	/* it is the first node */
	VARVE_ALIGNED_BOOT,	/* both have the same clock */
	VARVE_ALIGNED_MEASURED, /* the difference of their clocks was measured */
	VARVE_ALIGNED_REALTIME, /* by the time of day on both hosts */
	VARVE_ALIGNED_NOT,	/* not aligned: its times start at 0 when the node starts */
};

/* A data file of the trace, and the processes that wrote to it: all or some processes of one host. */
struct varve_node {
	uint32_t number;  /* number of its data file */
	const char *host; /* NULL: not known */
	uint64_t size;	  /* bytes of its data file */
	size_t processes;
	enum varve_aligned aligned;
	int64_t shift_ns; /* how much later than the first node it started */
	int64_t error_ns; /* VARVE_ALIGNED_MEASURED: the largest error of shift_ns */
	bool complete;	  /* no more data will be written to it */
	bool away;	  /* data not yet written is on its host and cannot be read here */
};
/* Number of ranks of the parallel program; 0: not known. */
uint32_t varve_world(const struct varve_trace *trace);
/* The nodes, in order of their numbers. Beyond the last node, *node is all 0. */
size_t varve_node_count(const struct varve_trace *trace);
void varve_node_at(const struct varve_trace *trace, size_t at, struct varve_node *node);

/* How exact the times of records are. */
enum varve_time_kind {
	VARVE_TIME_EXACT,
	/* packed as histograms: all calls at one place in the program have the mean of that place */
	VARVE_TIME_HISTOGRAM,
	VARVE_TIME_NONE, /* packed without times: all are 0 */
};
enum varve_time_kind varve_time_kind_of(const struct varve_trace *trace);

/* A thread of a process, and its records. */
struct varve_stream {
	uint32_t
		process; /* number in the run, from 1; after an exec the new program has another number */
	uint32_t thread; /* number in its process, from 1 */
	int32_t pid;	 /* pid and tid of the system */
	int32_t tid;
	int32_t rank; /* -1: none */
	uint64_t blocks;
	uint64_t bytes;
	uint64_t
		records; /* in its blocks; a call that a block boundary cuts counts in each block */
	int64_t first_ns; /* first entry and last exit, since the start of the run */
	int64_t last_ns;
	/* internal: its blocks */
	size_t first;
	size_t count;
};
/* The streams, sorted by process and thread. varve_stream_at() returns NULL beyond the last one. */
size_t varve_stream_count(const struct varve_trace *trace);
const struct varve_stream *varve_stream_at(const struct varve_trace *trace, size_t at);

/* A program in a process. After an exec the new program is another entry. */
struct varve_process {
	uint32_t number;
	int32_t pid;
	int32_t rank;	     /* -1: none */
	size_t first_stream; /* its streams are consecutive: varve_stream_at() */
	size_t streams;
	/* internal: the description that the process recorded, and the place of the last query */
	char *strings;
	size_t length;
	size_t last_nth;
	size_t last_entry;
	uint32_t node; /* index of its node: varve_node_at() */
};
/* The processes, sorted by number. varve_process_at() returns NULL beyond the last one, varve_process_find() if no process has
 * this number. */
size_t varve_process_count(const struct varve_trace *trace);
const struct varve_process *varve_process_at(const struct varve_trace *trace, size_t at);
const struct varve_process *varve_process_find(const struct varve_trace *trace, uint32_t number);
/* Value number `nth` (from 0) of a key in the description of a process: `exe`, `argv` (repeats), `cwd`, `host` ...;
 * docs/format.md lists the keys. NULL: there is none. */
const char *varve_process_value(const struct varve_process *process, const char *key, size_t nth);

/* Tables: layers, kinds of values, and functions in order of their ids. The functions that return a struct varve_function return
 * NULL if there is none with this index, id or name. */
size_t varve_layer_count(const struct varve_trace *trace);
const char *varve_layer_at(const struct varve_trace *trace, size_t at); /* "" after the last */
size_t varve_kind_count(const struct varve_trace *trace);
const struct varve_kind *varve_kind_at(const struct varve_trace *trace, size_t at); /* never NULL */
size_t varve_function_count(const struct varve_trace *trace);
const struct varve_function *varve_function_at(const struct varve_trace *trace, size_t at);
const struct varve_function *varve_function_of(const struct varve_trace *trace, uint16_t id);
const struct varve_function *varve_function_named(const struct varve_trace *trace,
						  const char *name);
/* Whether the tables contain all functions that the recording version of Varve can record. A trace packed by another
 * version contains only functions that have calls. */
bool varve_functions_whole(const struct varve_trace *trace);
/* Whether the end of a call of this function is recorded. It is not for dlopen and dlmopen, which the recorder passes on by a jump:
 * the `end` of such a record is that of the recorder's own work. NULL: true. */
bool varve_function_timed(const struct varve_function *function);

/* The name of a kind of handle ("file", "pipe", ...), and of an errno ("ENOENT"; NULL: it has no name). */
const char *varve_handle_kind_name(uint32_t kind);
const char *varve_errno_name(int32_t error);
/* The name of a value whose names are not in the tables of the trace (system calls, options of prctl(), requests of
 * ioctl(), error codes of NetCDF), for example "lseek"; or NULL. */
const char *varve_value_name(const struct varve_kind *kind, uint64_t value);
/* For a kind that counts units of time: the ns of one unit, 1000000 for milliseconds. 0 for any other kind. Values of
 * style VARVE_STYLE_TIME are ns already. */
int64_t varve_value_unit(const struct varve_kind *kind);

/* The version of the library, for example "0.1.0". */
const char *varve_version(void);
/* The newest version of the format that the library reads. */
int varve_format_version(void);

#ifdef __cplusplus
}
#endif

#endif
