/* Trace: the processes of a run as one tree: who began whom, how, and how each ended.
 *
 * A program that was replaced by exec and its successor are two processes of the trace with one pid; the successor hangs
 * below the first. What is known comes from the definitions of processes, from their last calls, from what their parents
 * waited for and from the index; the records of other calls are not decoded.
 */
#ifndef TRACE_TREE_H
#define TRACE_TREE_H

#include "trace/trace.h"

#define TREE_NONE SIZE_MAX

enum tree_began {
	BEGAN_UNKNOWN,
	BEGAN_RUN,     /* by `varve record`, or with the library preloaded */
	BEGAN_FORK,    /* fork, _Fork, daemon, a fork by system call */
	BEGAN_CLONE,   /* clone() */
	BEGAN_VFORK,   /* a program that a vfork child became */
	BEGAN_SPAWN,   /* posix_spawn */
	BEGAN_EXEC,    /* replaced another program in the same process */
	BEGAN_LIBRARY, /* by the C library: system(), popen() */
};

enum tree_ended {
	ENDED_UNKNOWN,
	ENDED_EXITED,	/* `status` is its exit status */
	ENDED_KILLED,	/* `status` is the signal */
	ENDED_REPLACED, /* by exec: the next program is in the tree, or still runs */
	ENDED_VANISHED, /* by exec: of the next program nothing was recorded */
	ENDED_RUNNING,
};

/* How sure an end is: a later witness of less weight does not count. */
enum tree_weight {
	WEIGHT_EXIT = 1, /* exit() was called */
	WEIGHT_LEFT,	 /* _exit() was called */
	WEIGHT_END,	 /* everything registered for the end was called */
	WEIGHT_WAITED,	 /* its parent was told */
	WEIGHT_IMAGE,	 /* exec, or still there */
};

struct tree_process {
	uint32_t
		parent; /* number of the process above it; 0: none in the trace. Always smaller than its own */
	enum tree_began began;
	enum tree_ended ended;
	int status;
	bool core;	  /* killed, with a core dump */
	bool said;	  /* that the next program will not be recorded */
	uint64_t records; /* calls, all threads */
	/* inside */
	enum tree_weight weight;
	size_t above; /* place of the parent, or TREE_NONE */
	size_t next;  /* place of the program that replaced it, or TREE_NONE */
	int64_t first_ns;
};

/* Programs that were started and could not be recorded. */
struct tree_untraced {
	char *path;   /* NULL: not known */
	uint64_t why; /* value of the kind untraced_why */
	uint64_t count;
	uint32_t process; /* that started the first of them */
};

struct tree {
	struct tree_process *processes; /* as trace->processes, `count` of them */
	size_t count;
	size_t *order;	 /* places of the processes, parents before their children */
	uint32_t *depth; /* of these */
	struct tree_untraced *untraced;
	size_t untraced_count;
	uint64_t untraced_more; /* programs not kept: more different ones than fit */
	uint64_t vanished;	/* programs after an exec that nothing was heard of, nor said */
	uint64_t unstarted;	/* forked children that ended before they could record anything */
	struct tree_key *keys;	/* inside: places by number of the system */
	size_t key_count;
};

/* `records`: look into records too; without it only what headers and definitions tell. */
enum status tree_make(struct trace *trace, bool records, struct tree *tree,
		      struct varve_causes *causes) MUST_CHECK;
void tree_clear(struct tree *tree);

/* tree_records.c: what records tell of how processes began and ended. */
enum status tree_read(struct trace *trace, struct tree *tree,
		      struct varve_causes *causes) MUST_CHECK;

void tree_ended(struct tree_process *process, enum tree_ended ended, int status,
		enum tree_weight weight);

/* The place of a process with this number of the system, its own or that in /proc: the first that began at `ns` or later. */
size_t tree_first(const struct tree *tree, int32_t pid, int64_t ns);

/* The last one that had begun by `ns`, if there is one a child of process `parent`; TREE_NONE: none. */
size_t tree_child(const struct tree *tree, int32_t pid, int64_t ns, size_t parent);

/* The last image of a process that began at `at`. */
size_t tree_last(const struct tree *tree, size_t at);

#endif
