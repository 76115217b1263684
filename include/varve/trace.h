/* Varve: opening a trace; what it says of the run, of its processes and threads, and of what is missing.
 *
 *	struct varve_causes causes = {0};
 *	struct varve_trace *trace;
 *	if (varve_open("app.varve", 0, &trace, &causes) != VARVE_OK)
 *		...causes.text[0] says why...
 *
 * A trace may come from anybody: nothing in it can crash the reader. What is damaged is skipped and listed. A trace whose
 * program still runs is read as far as it is written. Nothing is ever changed.
 *
 * A handle and what is made from it (cursors, filters, trees) is used by one thread at a time; different handles, of the same
 * trace too, are independent. What is borrowed from a handle is valid until varve_close(); cursors, filters and lists of
 * definitions are closed before it.
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

/* VARVE_OPEN_CHECK: hold every block against its checksum now, not when it is read; of a packed trace no more than takes a moment:
 * see varve_unchecked(). */
enum varve_open_flag { VARVE_OPEN_CHECK = 1 };

/* VARVE_OK also when something is damaged: see varve_damage_count(). VARVE_ABSENT, VARVE_NOT_A_TRACE, VARVE_NEWER (written
 * by a newer version), VARVE_FOREIGN (on a machine of another byte order), VARVE_DAMAGED, VARVE_SYSTEM and VARVE_NO_MEMORY:
 * nothing can be read, and *trace is NULL.
 * The trace is not changed. In the buffer of a process that died, outside of the trace, the first reader stores where its time ends, so
 * that all readers see the same times. */
enum varve_status varve_open(const char *path, unsigned flags, struct varve_trace **trace,
			     struct varve_causes *causes);
void varve_close(struct varve_trace *trace);

const char *varve_path(const struct varve_trace *trace);
uint64_t varve_size(const struct varve_trace *trace); /* bytes of its data */
/* Bytes of a packed trace that VARVE_OPEN_CHECK left to be checked when they are read: it is very large. */
uint64_t varve_unchecked(const struct varve_trace *trace);

/* Bytes of a packed trace that were wrong and have been put right in memory, so far; the file is as it was. */
uint64_t varve_repaired(const struct varve_trace *trace);

/* The description of the run: keys and values as docs/format.md lists them; keys may repeat. */
size_t varve_description_count(const struct varve_trace *trace);
void varve_description_at(const struct varve_trace *trace, size_t at, struct varve_text *key,
			  struct varve_text *value);
/* Value number `nth` (from 0) of a key, ended by a zero byte, or NULL. */
const char *varve_description(const struct varve_trace *trace, const char *key, size_t nth);

/* How the run ended. */
enum varve_end {
	VARVE_END_OPEN,	     /* not yet, as far as is known */
	VARVE_END_EXITED,    /* `status` is the exit status */
	VARVE_END_KILLED,    /* `status` is the signal */
	VARVE_END_RECOVERED, /* what was left was collected later */
	VARVE_END_UNKNOWN,   /* there is no index */
};

struct varve_state {
	enum varve_end end;
	int32_t status;
	int64_t end_monotonic; /* ns; 0: not known */
	/* of processes that still run: what they have not written yet is not shown */
	uint64_t running_threads;
	uint64_t running_processes;
	int32_t running_pid; /* one of them */
	/* taken from the buffers of processes that died, and not yet a part of the trace */
	uint64_t recovered_threads;
	uint64_t recovered_records;
};
void varve_state_of(const struct varve_trace *trace, struct varve_state *state);

/* What could not be recorded: a counter for each reason. */
struct varve_loss {
	uint32_t reason; /* as in docs/format.md */
	bool left_out;	 /* no loss: left out on request */
	uint64_t count;
	const char *text; /* "records dropped: ..."; NULL: this version does not know the reason */
};
/* Those that are not 0. */
size_t varve_loss_count(const struct varve_trace *trace);
void varve_loss_at(const struct varve_trace *trace, size_t at, struct varve_loss *loss);
/* The words for a reason, or NULL. */
const char *varve_loss_text(uint32_t reason);
/* The counter of one reason. */
uint64_t varve_loss_of(const struct varve_trace *trace, uint32_t reason);
enum varve_left_out {
	VARVE_LEFT_OUT_FILES = 24,  /* calls on files that patterns exclude */
	VARVE_LEFT_OUT_PAUSED = 25, /* calls made during pauses */
	VARVE_LEFT_OUT_PAUSES = 26,
	VARVE_LEFT_OUT_PAUSED_NS = 27,
	VARVE_LEFT_OUT_RANKS = 28,  /* processes of ranks that were not asked for */
	VARVE_LEFT_OUT_FOLLOW = 29, /* programs that --no-follow leaves out */
};

/* A place that could not be read. The list grows while records are read. */
struct varve_damage {
	const char *file; /* in the trace folder */
	uint64_t offset;
	uint64_t length; /* 0: not known */
	char why[256];
};
size_t varve_damage_count(const struct varve_trace *trace);
const struct varve_damage *varve_damage_at(const struct varve_trace *trace, size_t at);
uint64_t varve_damage_more(const struct varve_trace *trace); /* places that are not in the list */

/* How the times of a node were put beside those of the first. */
enum varve_aligned {
	VARVE_ALIGNED_FIRST,	/* it is the first */
	VARVE_ALIGNED_BOOT,	/* both have the same clock */
	VARVE_ALIGNED_MEASURED, /* the difference of their clocks was measured */
	VARVE_ALIGNED_REALTIME, /* by the time of day, as each of them knows it */
	VARVE_ALIGNED_NOT,	/* nothing is known: it counts from its own start */
};

/* A data file of the trace, with the processes that wrote into it: those of one host, or some of them. */
struct varve_node {
	uint32_t number;  /* of its data file */
	const char *host; /* NULL: not known */
	uint64_t size;	  /* bytes of its data file */
	size_t processes;
	enum varve_aligned aligned;
	int64_t shift_ns; /* how much later than the first node it began */
	int64_t error_ns; /* VARVE_ALIGNED_MEASURED: how wrong that may be */
	bool complete;	  /* nothing is left to be written to it */
	bool away;	  /* what is left is on its host, and cannot be read here */
};
/* How many ranks there are in the parallel program; 0: not known. */
uint32_t varve_world(const struct varve_trace *trace);
size_t varve_node_count(const struct varve_trace *trace);
void varve_node_at(const struct varve_trace *trace, size_t at, struct varve_node *node);

/* Which times the records of a trace have. */
enum varve_time_kind {
	VARVE_TIME_EXACT,
	VARVE_TIME_HISTOGRAM, /* packed as histograms: of single calls they are the means of their place in the program */
	VARVE_TIME_NONE, /* packed without: all are 0 */
};
enum varve_time_kind varve_time_kind_of(const struct varve_trace *trace);

/* A thread of a process. */
struct varve_stream {
	uint32_t
		process; /* number in the run, from 1; a program that exec replaced has another one */
	uint32_t thread; /* number in its process, from 1 */
	int32_t pid;	 /* as the system numbered them */
	int32_t tid;
	int32_t rank; /* -1: none */
	uint64_t blocks;
	uint64_t bytes;
	uint64_t
		records; /* in its blocks; a call that the end of a block cut counts in each, unless packed */
	int64_t first_ns; /* from the first entry to the last exit; since the start of the run */
	int64_t last_ns;
	size_t first; /* inside: its blocks */
	size_t count;
};
size_t varve_stream_count(const struct varve_trace *trace);
const struct varve_stream *varve_stream_at(const struct varve_trace *trace, size_t at);

/* A process, or the image of one after exec. */
struct varve_process {
	uint32_t number;
	int32_t pid;
	int32_t rank;	     /* -1: none */
	size_t first_stream; /* its streams stand together */
	size_t streams;
	char *strings; /* inside: what it says of itself, and where it was asked last */
	size_t length;
	size_t last_nth;
	size_t last_entry;
	uint32_t node; /* its place among the nodes */
};
size_t varve_process_count(const struct varve_trace *trace);
const struct varve_process *varve_process_at(const struct varve_trace *trace, size_t at);
const struct varve_process *varve_process_find(const struct varve_trace *trace, uint32_t number);
/* What a process says of itself: `exe`, `argv` (repeats), `cwd`, `host` ... of docs/format.md. */
const char *varve_process_value(const struct varve_process *process, const char *key, size_t nth);

/* Tables: layers, kinds of values, functions by ascending id. */
size_t varve_layer_count(const struct varve_trace *trace);
const char *varve_layer_at(const struct varve_trace *trace, size_t at); /* "" beyond the last */
size_t varve_kind_count(const struct varve_trace *trace);
const struct varve_kind *varve_kind_at(const struct varve_trace *trace, size_t at); /* never NULL */
size_t varve_function_count(const struct varve_trace *trace);
const struct varve_function *varve_function_at(const struct varve_trace *trace, size_t at);
const struct varve_function *varve_function_of(const struct varve_trace *trace, uint16_t id);
const struct varve_function *varve_function_named(const struct varve_trace *trace,
						  const char *name);
/* Whether these are all functions that its Varve recorded. A packed trace of another version has only those with calls. */
bool varve_functions_whole(const struct varve_trace *trace);

/* "file", "pipe", ...; "ENOENT" or NULL for a number without a name. */
const char *varve_handle_kind_name(uint32_t kind);
const char *varve_errno_name(int32_t error);
/* "lseek": the name of a value that the tables of the trace do not name (system calls, options of prctl(), requests of
 * ioctl(), error codes of NetCDF), or NULL. */
const char *varve_value_name(const struct varve_kind *kind, uint64_t value);
/* How many ns 1 is, of a kind that counts units of time: 1000000 of "milliseconds"; 0 of any other. Values of style
 * VARVE_STYLE_TIME are ns. */
int64_t varve_value_unit(const struct varve_kind *kind);

/* The version of the library, as "0.1.0". */
const char *varve_version(void);
/* The newest version of the format that it reads. */
int varve_format_version(void);

#ifdef __cplusplus
}
#endif

#endif
