/* Varve: results about a whole trace: counters per function, the tree of processes, loaded objects, totals of files and
 * regions.
 *
 * The counters are in the headers of blocks; records are decoded only if a filter needs more than the headers contain.
 */
#ifndef VARVE_SUMMARY_H
#define VARVE_SUMMARY_H

#include <varve/filter.h>
#include <varve/trace.h>

#ifdef __cplusplus
extern "C" {
#endif

struct varve_counters {
	uint64_t calls;
	uint64_t failures;
	uint64_t unfinished; /* never returned */
	uint64_t bytes;	     /* transferred by calls that report how many; stops at 2^64 - 1 */
	uint64_t
		ns; /* from entry to exit, calls inside included; of a cut call by the clock of its last block (error: a tick) */
};

enum { VARVE_FUNCTIONS = 65536 };

struct varve_summary {
	struct varve_counters *functions; /* VARVE_FUNCTIONS entries, by id */
	uint64_t records;		  /* all calls */
	uint64_t blocks;
	uint64_t decoded; /* blocks whose records were decoded for the filter */
	uint64_t block_bytes;
	/* time of the first record; 0: no records. If the filter needs only headers: the start of the first block with
	 * selected records */
	int64_t first_ns;
	int64_t last_ns;
	uint64_t held_ns;    /* time by which the recorder delayed the program */
	uint64_t paths;	     /* number of different absolute paths; 0 without VARVE_SUMMARY_PATHS */
	uint32_t resolution; /* ns per tick */
	bool tsc;	     /* times are from the time stamp counter */
};

/* VARVE_SUMMARY_PATHS: also count paths; this decodes definitions. */
enum varve_summary_flag { VARVE_SUMMARY_PATHS = 1 };

/* The summary of the records that the filter selects; NULL: of all records. Free it with varve_summary_clear(). */
enum varve_status varve_summary_make(struct varve_trace *trace, const struct varve_filter *filter,
				     unsigned flags, struct varve_summary *summary,
				     struct varve_causes *causes);
void varve_summary_clear(struct varve_summary *summary);

/* The processes of a run as one tree. An exec makes two entries with the same pid: the old program, and the new program as
 * its child. */
enum varve_began {
	VARVE_BEGAN_UNKNOWN,
	VARVE_BEGAN_RUN,     /* started by `varve record`, or with the library preloaded */
	VARVE_BEGAN_FORK,    /* fork, _Fork, daemon, a fork by system call */
	VARVE_BEGAN_CLONE,   /* clone() */
	VARVE_BEGAN_VFORK,   /* a program that a vfork child executed */
	VARVE_BEGAN_SPAWN,   /* posix_spawn */
	VARVE_BEGAN_EXEC,    /* it replaced another program in the same process (exec) */
	VARVE_BEGAN_LIBRARY, /* started by the C library: system(), popen() */
};

enum varve_ended {
	VARVE_ENDED_UNKNOWN,
	VARVE_ENDED_EXITED,   /* `status` is its exit status */
	VARVE_ENDED_KILLED,   /* `status` is the signal */
	VARVE_ENDED_REPLACED, /* by exec: the next program is in the tree or still runs */
	VARVE_ENDED_VANISHED, /* by exec: the next program has no records */
	VARVE_ENDED_RUNNING,
};

struct varve_tree_process {
	uint32_t
		parent; /* number of its parent, always smaller than its own number; 0: the parent is not in the trace */
	enum varve_began began;
	enum varve_ended ended;
	int status;
	bool core; /* killed, with a core dump */
	/* it exited without a recorded call: by a system call of its own (exit, or exec and then exit) */
	bool unseen_end;
	/* a launcher of a parallel program, or a process without a rank that a launcher started: `runtime` in filters */
	bool launcher;
	uint64_t records; /* calls of all threads */
	/* internal */
	bool said;     /* it was recorded that the next program will not be recorded */
	bool seen_end; /* a call that ends it was recorded */
	int weight;
	size_t above;
	size_t next;
	int64_t first_ns;
};

/* A program that was started but not recorded. */
struct varve_untraced {
	char *path;   /* NULL: not known */
	uint64_t why; /* value of the kind `untraced_why`; 0: not known */
	uint64_t count;
	uint32_t process; /* number of the process that started it first; 0: `varve record` */
};

struct varve_tree {
	size_t count;			      /* the same as varve_process_count() */
	struct varve_tree_process *processes; /* by index of the process: varve_process_at() */
	size_t *order;			      /* indices, parents before their children */
	uint32_t *depth;		      /* depth in the tree of the process order[i] */
	struct varve_untraced *untraced;
	size_t untraced_count;
	uint64_t untraced_more; /* number of starts of programs that are not in the list */
	uint64_t unstarted;	/* forked children that ended without a record */
	/* execs after which the next program has no records, and no record explains why */
	uint64_t vanished;
	struct varve_tree_key *keys; /* internal */
	size_t key_count;
};

/* With `records`, the records of calls that start and end processes are read too; without, only definitions. Free it with
 * varve_tree_clear(). */
enum varve_status varve_tree_make(struct varve_trace *trace, bool records, struct varve_tree *tree,
				  struct varve_causes *causes);
void varve_tree_clear(struct varve_tree *tree);

/* What a run loaded, and activity of which calls show only a part. */
struct varve_object {
	char *path;
	/* 0: the namespace of the program; others contain objects that dlmopen() loaded */
	uint64_t name_space;
	bool program; /* it was executed as a program */
};

/* A library file that contains functions of MPI, HDF5 ... */
struct varve_library {
	struct varve_text path;
	struct varve_text
		function; /* the first function that was called in it, in the first process that used it */
	uint64_t processes;
};

enum { VARVE_LIBRARIES_MOST = 256 };

struct varve_objects {
	struct varve_object *objects; /* each path once per namespace */
	size_t count;
	struct varve_library *libraries; /* each path once, at most VARVE_LIBRARIES_MOST */
	size_t library_count;
	uint64_t library_more; /* times that a process used a library that is not in the list */
	uint64_t mappings;     /* number of mappings of files, and their bytes */
	uint64_t mapping_bytes;
	uint64_t rings;		/* io_uring instances that were set up */
	uint64_t ring_requests; /* requests submitted to them, as far as they were recorded */
	uint64_t deep_loads;	/* calls of dlopen() with RTLD_DEEPBIND */
};
/* Finds loaded objects, libraries, mappings and rings. Free the result with varve_objects_clear(). */
enum varve_status varve_objects_find(struct varve_trace *trace, struct varve_objects *objects,
				     struct varve_causes *causes);
void varve_objects_clear(struct varve_objects *objects);

/* The files of a run: each absolute path once, with one of the identities that were recorded for it. A name relative to an
 * open folder is included if a definition gives the path of the folder; if only a record does, the name is missing. */
struct varve_files {
	struct varve_file *files;
	size_t count;
	struct varve_files_inside *inside; /* internal */
};
/* Reads definitions. Free the result with varve_files_clear(). */
enum varve_status varve_files_make(struct varve_trace *trace, struct varve_files *files,
				   struct varve_causes *causes);
void varve_files_clear(struct varve_files *files);

/* Calls, bytes and time of each file, one entry per layer, so that calls of a library and the calls that it makes are
 * counted separately. A call counts for the file of its first path, or else of its first descriptor or handle. A call on
 * two files counts for both, with the bytes read for one and the bytes written for the other. Sorted by bytes, largest
 * first. */
struct varve_file_total {
	struct varve_text path; /* absolute if known; ended by a zero byte */
	uint32_t layer;		/* varve_layer_at() */
	uint64_t processes;	/* number of processes that made these calls */
	struct varve_counters counters;
	uint64_t bytes_read; /* bytes_read + bytes_written = counters.bytes */
	uint64_t bytes_written;
};
struct varve_file_totals {
	struct varve_file_total *totals;
	size_t count;
};
/* Totals of the records that the filter selects; NULL: of all records, which needs no decoding in a packed trace. Free
 * them with varve_file_totals_clear(). */
enum varve_status varve_file_totals_make(struct varve_trace *trace,
					 const struct varve_filter *filter,
					 struct varve_file_totals *totals,
					 struct varve_causes *causes);
void varve_file_totals_clear(struct varve_file_totals *totals);

/* Number and duration of the calls of each region and phase of a program, and of its functions if they are recorded.
 * Regions with the same name in different processes are one entry; functions are counted per process, by their address in
 * the code. */
struct varve_region_total {
	const struct varve_function *function; /* the function `region`, `phase` or `function` */
	struct varve_text name; /* ended by a zero byte; empty for a function of the program */
	/* process of the address; 0: it has a name, or its address is not known */
	uint32_t process;
	uint64_t code; /* the address: a value of the kind `code` */
	uint64_t calls;
	uint64_t unfinished;
	uint64_t left; /* ended because an outer region or the thread ended, not by a call */
	uint64_t ns;   /* total */
	uint64_t longest_ns;
};
struct varve_region_totals {
	struct varve_region_total *totals;
	size_t count;
};
/* Totals of the records that the filter selects; NULL: of all records, which needs no decoding in a packed trace. Free
 * them with varve_region_totals_clear(). */
enum varve_status varve_region_totals_make(struct varve_trace *trace,
					   const struct varve_filter *filter,
					   struct varve_region_totals *totals,
					   struct varve_causes *causes);
void varve_region_totals_clear(struct varve_region_totals *totals);

/* Reads the definitions of a trace as they are stored, block by block. `process`, `thread`: only those of this process or
 * thread; 0: of all. */
struct varve_definitions;
enum varve_status varve_definitions_open(struct varve_trace *trace, uint32_t process,
					 uint32_t thread, struct varve_definitions **definitions,
					 struct varve_causes *causes);
/* Returns VARVE_END after the last definition. The definition is valid until the next call. */
enum varve_status varve_definitions_next(struct varve_definitions *definitions,
					 const struct varve_definition **definition,
					 struct varve_causes *causes);
void varve_definitions_close(struct varve_definitions *definitions);

#ifdef __cplusplus
}
#endif

#endif
