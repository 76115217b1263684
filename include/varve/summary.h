/* Varve: what a trace holds in all: counters per function, the tree of processes, loaded objects.
 *
 * Counters come from the headers of blocks: records are decoded only where a filter asks for what headers do not say.
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
	uint64_t bytes;	     /* moved: by calls that return how many; at most 2^64 - 1 */
	uint64_t
		ns; /* from entry to exit, what is called inside included; of a call that a block's end cut, by the
				clock of its last block, which may tell a tick more or less */
};

enum { VARVE_FUNCTIONS = 65536 };

struct varve_summary {
	struct varve_counters *functions; /* VARVE_FUNCTIONS, by id */
	uint64_t records;		  /* calls in all */
	uint64_t blocks;
	uint64_t decoded; /* of these: blocks whose records had to be decoded for the filter */
	uint64_t block_bytes;
	int64_t first_ns; /* of all records, 0: there are none; with a filter that headers answer, of their blocks */
	int64_t last_ns;
	uint64_t held_ns;    /* the recorder held the program up */
	uint64_t paths;	     /* different absolute paths that are named; 0 unless asked for */
	uint32_t resolution; /* ns per tick */
	bool tsc;	     /* times are from the time stamp counter */
};

/* VARVE_SUMMARY_PATHS: count the names too, for which definitions are decoded. */
enum varve_summary_flag { VARVE_SUMMARY_PATHS = 1 };

/* Of the records that the filter wants; NULL: of all. Free it with varve_summary_clear(). */
enum varve_status varve_summary_make(struct varve_trace *trace, const struct varve_filter *filter,
				     unsigned flags, struct varve_summary *summary,
				     struct varve_causes *causes);
void varve_summary_clear(struct varve_summary *summary);

/* The processes of a run as one tree. A program that was replaced by exec and its successor are two processes with one pid;
 * the successor hangs below the first. */
enum varve_began {
	VARVE_BEGAN_UNKNOWN,
	VARVE_BEGAN_RUN,     /* by `varve record`, or with the library preloaded */
	VARVE_BEGAN_FORK,    /* fork, _Fork, daemon, a fork by system call */
	VARVE_BEGAN_CLONE,   /* clone() */
	VARVE_BEGAN_VFORK,   /* a program that a vfork child became */
	VARVE_BEGAN_SPAWN,   /* posix_spawn */
	VARVE_BEGAN_EXEC,    /* replaced another program in the same process */
	VARVE_BEGAN_LIBRARY, /* by the C library: system(), popen() */
};

enum varve_ended {
	VARVE_ENDED_UNKNOWN,
	VARVE_ENDED_EXITED,   /* `status` is its exit status */
	VARVE_ENDED_KILLED,   /* `status` is the signal */
	VARVE_ENDED_REPLACED, /* by exec: the next program is in the tree, or still runs */
	VARVE_ENDED_VANISHED, /* by exec: of the next program nothing was recorded */
	VARVE_ENDED_RUNNING,
};

struct varve_tree_process {
	uint32_t
		parent; /* number of the process above it; 0: none in the trace. Always smaller than its own */
	enum varve_began began;
	enum varve_ended ended;
	int status;
	bool core; /* killed, with a core dump */
	bool unseen_end; /* it exited, but not by a call: a system call of its own, exit or exec and exit, did that */
	uint64_t records; /* calls, all threads */
	/* inside */
	bool said;     /* that the next program will not be recorded */
	bool seen_end; /* a call that ends it was recorded */
	int weight;
	size_t above;
	size_t next;
	int64_t first_ns;
};

/* A program that was started and not recorded. */
struct varve_untraced {
	char *path;   /* NULL: cannot be named */
	uint64_t why; /* value of the kind `untraced_why`; 0: not known */
	uint64_t count;
	uint32_t process; /* number of the one that started it first; 0: `varve record` */
};

struct varve_tree {
	size_t count;			      /* as varve_process_count() */
	struct varve_tree_process *processes; /* by place of the process */
	size_t *order;			      /* places, parents before their children */
	uint32_t *depth;		      /* in the order above */
	struct varve_untraced *untraced;
	size_t untraced_count;
	uint64_t untraced_more; /* programs not in the list */
	uint64_t unstarted;	/* forked children that ended before they recorded anything */
	uint64_t vanished;	/* programs after an exec that nothing was heard of, nor said */
	struct varve_tree_key *keys; /* inside */
	size_t key_count;
};

/* `records`: look at the records that tell how processes began and ended; without, only at definitions. */
enum varve_status varve_tree_make(struct varve_trace *trace, bool records, struct varve_tree *tree,
				  struct varve_causes *causes);
void varve_tree_clear(struct varve_tree *tree);

/* What a run loaded and did that calls alone do not show. */
struct varve_object {
	char *path;
	uint64_t name_space; /* 0: the program's own; others hold what dlmopen loaded */
	bool program;	     /* it was executed */
};

/* A file that functions of MPI, HDF5 ... were found in. */
struct varve_library {
	struct varve_text path;
	struct varve_text
		function; /* the first one that was called in it, by the first process that did */
	uint64_t processes;
};

enum { VARVE_LIBRARIES_MOST = 256 };

struct varve_objects {
	struct varve_object *objects; /* each path once in a namespace */
	size_t count;
	struct varve_library *libraries; /* each path once, VARVE_LIBRARIES_MOST at most */
	size_t library_count;
	uint64_t library_more; /* that processes found beyond these */
	uint64_t mappings;     /* of files, and how much of them */
	uint64_t mapping_bytes;
	uint64_t rings;		/* of io_uring */
	uint64_t ring_requests; /* that were seen to be submitted to them */
	uint64_t deep_loads;	/* dlopen with RTLD_DEEPBIND */
};
enum varve_status varve_objects_find(struct varve_trace *trace, struct varve_objects *objects,
				     struct varve_causes *causes);
void varve_objects_clear(struct varve_objects *objects);

/* The files of a run: each absolute path that is named, once, with an identity that was learned of it. Names relative to an
 * open folder are there where a definition says which folder that is; those whose folder only a record tells are not. */
struct varve_files {
	struct varve_file *files;
	size_t count;
	struct varve_files_inside *inside;
};
enum varve_status varve_files_make(struct varve_trace *trace, struct varve_files *files,
				   struct varve_causes *causes);
void varve_files_clear(struct varve_files *files);

/* What was done with each file, by layer: what a library does and what it does it with are told apart. A call belongs to the
 * file of its first path, else of its first descriptor or handle; a call on two files to both, what it read to the
 * one and what it wrote to the other. Most bytes first. */
struct varve_file_total {
	struct varve_text path; /* absolute where that is known; ended by a zero byte */
	uint32_t layer;		/* varve_layer_at() */
	uint64_t processes;	/* that did it */
	struct varve_counters counters;
	uint64_t bytes_read; /* these two together are the counters' bytes */
	uint64_t bytes_written;
};
struct varve_file_totals {
	struct varve_file_total *totals;
	size_t count;
};
/* Of the records that the filter wants; NULL: of all, which a packed trace answers without decoding records. Free it with
 * varve_file_totals_clear(). */
enum varve_status varve_file_totals_make(struct varve_trace *trace,
					 const struct varve_filter *filter,
					 struct varve_file_totals *totals,
					 struct varve_causes *causes);
void varve_file_totals_clear(struct varve_file_totals *totals);

/* How often each region and phase that a program names was gone through, and each of its functions where these are recorded. Those
 * of one name are one, whichever process they are of; of a function it is known where its code is, in one process. */
struct varve_region_total {
	const struct varve_function *function; /* region, phase or function */
	struct varve_text name; /* ended by a zero byte; empty where there is a place in code */
	uint32_t process; /* whose code it is, 0: it has a name, or nothing is known of its place */
	uint64_t code;	  /* value of the kind `code` */
	uint64_t calls;
	uint64_t unfinished;
	uint64_t left; /* ended, but not by their own end */
	uint64_t ns;   /* in all */
	uint64_t longest_ns;
};
struct varve_region_totals {
	struct varve_region_total *totals;
	size_t count;
};
/* Of the records that the filter wants; NULL: of all, which a packed trace answers without decoding records. Free it with
 * varve_region_totals_clear(). */
enum varve_status varve_region_totals_make(struct varve_trace *trace,
					   const struct varve_filter *filter,
					   struct varve_region_totals *totals,
					   struct varve_causes *causes);
void varve_region_totals_clear(struct varve_region_totals *totals);

/* The definitions of a trace as they are stored, block by block; of one process or thread, or (0) of all. */
struct varve_definitions;
enum varve_status varve_definitions_open(struct varve_trace *trace, uint32_t process,
					 uint32_t thread, struct varve_definitions **definitions,
					 struct varve_causes *causes);
/* VARVE_END: no more. Valid until the next call. */
enum varve_status varve_definitions_next(struct varve_definitions *definitions,
					 const struct varve_definition **definition,
					 struct varve_causes *causes);
void varve_definitions_close(struct varve_definitions *definitions);

#ifdef __cplusplus
}
#endif

#endif
