/* Codec: the control page of a run, shared by all traced processes, `varve record` and recovery.
 *
 * It consists of two files in the run's lane folder, which each process maps as one range. `facts` holds settings and paths: no
 * process can write it through a mapping, and only the process that began the run could open it for writing. `control` holds
 * what processes must agree on (space in the data file, process numbers) and what must survive a kill (losses). All processes
 * write it, including those of users who may write nothing else (docs/adr/0076). Layout only: nothing here maps or writes.
 */
#ifndef CODEC_CONTROL_H
#define CODEC_CONTROL_H

#include "codec/block.h"

#include <stddef.h>
#include <stdint.h>

enum {
#define LOSS(name, text) LOSS_##name,
#include "codec/loss.def"
#undef LOSS
	LOSS_COUNT,
	/* The counters from here on count what was excluded on request: these are not losses. */
	NOTE_FIRST = 24,
	NOTE_FILES = NOTE_FIRST, /* calls on files that patterns exclude */
	NOTE_PAUSED,		 /* calls made during a pause */
	NOTE_PAUSES,		 /* pauses, of the run or of one process */
	NOTE_PAUSED_NS,		 /* how long the run was paused */
	NOTE_RANKS,		 /* processes of ranks that were not selected */
	NOTE_FOLLOW,		 /* programs that --no-follow excludes */
	NOTE_LANE_ERRORS,	 /* not a counter: why lanes could not be created (lane_errors.h) */
	LOSS_ROOM = 32
};

#define CONTROL_MAGIC 0x314c525443455256ull /* "VRECTRL1" as bytes */
enum { CONTROL_VERSION = 7, CONTROL_SIZE = 32768, CONTROL_PATH = 4096 };

/* One byte for each call id: 0 if the wrapper only has to record the call, otherwise these bits. */
enum {
	SWITCHES = 0x2000,
	SWITCH_OFF = 1,	    /* the row is not recorded */
	SWITCH_FILES = 2,   /* there are patterns of the path filter */
	SWITCH_LOOK = 4,    /* something changes: check `pause` and `flush` */
	SWITCH_DEAD = 8,    /* this process does not record */
	SWITCH_START = 16,  /* the process is not initialized yet */
	SWITCH_SHARED = 32, /* a child of clone() may use the thread's data: check the caller */
	SWITCH_OFF_OR_DEAD = SWITCH_OFF | SWITCH_DEAD
};

/* Why the whole run is paused, as bits. */
enum { PAUSE_ASKED = 1, PAUSE_BEFORE = 2, PAUSE_AFTER = 4 };

enum {
	PATTERNS_ROOM = 4096,
	PAUSABLE = 8192, /* only processes with a lower number can be paused individually */
	TALLIES =
		16, /* threads count in different cache lines, so that they do not slow each other down */
	RANKS_ROOM = 512,
	CONTROL_JOB = 256,
	USERS_MOST = 64,
};

/* What to record. */
struct choice {
	/* For each pattern '+' (include) or '-' (exclude), the text, a zero byte; an empty entry ends the list. */
	char patterns[PATTERNS_ROOM];
	char ranks[RANKS_ROOM]; /* "0:15,32,40-47"; empty: all */
	int64_t start_after;	/* ns after the start of the run; 0: at once */
	int64_t stop_after;	/* 0: never */
};

enum clock_kind { CLOCK_KIND_TSC = 1, CLOCK_KIND_MONOTONIC = 2 };

struct control {
	/* The file `facts`: does not change once the run exists. */
	uint64_t magic;
	uint32_t version;
	uint32_t size;
	uint8_t run_id[16];
	uint8_t boot_id[16];
	char host[64];
	int64_t start_monotonic; /* ns, CLOCK_MONOTONIC: tick 0 of the trace */
	int64_t start_realtime;	 /* ns, CLOCK_REALTIME at the same moment */
	/* the time stamp counter at that moment (0 if the clock is CLOCK_MONOTONIC) */
	uint64_t start_counter;
	uint32_t clock_kind;	/* enum clock_kind */
	uint32_t resolution;	/* ns per tick */
	uint64_t lane_size;	/* bytes of a lane's file, including its header */
	uint64_t limit;		/* bytes of data at which recording stops; 0: no limit */
	uint32_t pointers;	/* also record buffer addresses */
	uint32_t no_follow;	/* do not restore the preload variable in a cleaned environment */
	uint32_t disabled;	/* recording is off */
	uint64_t pid_namespace; /* in which the run began; 0: unknown */
	uint64_t user_namespace;
	uint32_t node;	   /* number of the data file */
	uint32_t expected; /* programs of the job that are started on this host; 0: unknown */
	uint32_t no_keeper;
	uint32_t no_clocks;	    /* do not measure the clocks of hosts against each other */
	struct codec_choice codec;  /* for blocks of records */
	char job[CONTROL_JOB];	    /* identifies the job on all hosts; empty: none */
	char trace[CONTROL_PATH];   /* absolute path of the trace folder */
	char library[CONTROL_PATH]; /* absolute path of the preload library */
	struct choice choice;
	/* The file `control` begins here: written by many processes. */
	_Alignas(4096) uint64_t data_tail; /* bytes of the data file that are claimed */
	uint32_t collector_pid; /* `varve record`, which takes lanes of dead processes; 0: none */
	uint64_t collector_start;
	_Alignas(64) uint32_t next_process; /* the last process number that was given */
	/* forks, spawns and execs that have begun: each becomes a process of the run */
	uint32_t children;
	uint32_t quiet;		/* in some process, the recorder makes no more system calls */
	uint32_t lanes_made;	/* lanes that have to be read by some process */
	uint32_t lanes_removed; /* of these: taken by a consumer, or abandoned */
	uint32_t lanes_full;	/* lanes handed to the collector and not taken yet */
	_Alignas(64) uint64_t loss[LOSS_ROOM];
	_Alignas(64) uint64_t tally[TALLIES][8]; /* [0]: NOTE_FILES, [1]: NOTE_PAUSED */
	_Alignas(64) uint32_t pause;		 /* PAUSE_ bits; not 0: nothing is recorded */
	uint32_t paused_processes;		 /* number of bits set in `paused` */
	uint32_t lookers;			 /* processes that wait until all have checked */
	uint32_t flush;				 /* incremented when lanes are to become blocks */
	int64_t pause_from; /* ns, CLOCK_MONOTONIC: start of the present pause of the whole run */
	uint64_t paused[PAUSABLE / 64];
	/* what takes part on this host */
	uint32_t joined;     /* programs that have joined */
	uint32_t programs;   /* of these: programs that a command waits for */
	uint64_t ended;	     /* enum run_end << 32 | status of the worst end of a program */
	uint32_t keeper_pid; /* collects if there is no command; 0: none */
	uint64_t keeper_start;
	uint32_t world;		    /* number of ranks, from MPI; 0: unknown */
	uint32_t ranks_arrived;	    /* ranks on this host that have initialized MPI */
	uint32_t users[USERS_MOST]; /* ids + 1 of admitted users other than the owner; 0: unused */
	uint32_t keeper_coming;	    /* it was started, and may not have stored its pid yet */
	int64_t ended_monotonic;    /* ns, CLOCK_MONOTONIC: when the last program ended */
	/* on pages of their own: processes map them over the table that their wrappers read */
	_Alignas(4096) uint8_t switches[SWITCHES];
};

/* Bytes of the file `facts`. */
enum { CONTROL_FACTS = offsetof(struct control, data_tail) };

/* A counter of `loss`, including what threads have counted in `tally`. */
static inline uint64_t control_count(const struct control *control, unsigned which)
{
	uint64_t sum = control->loss[which];
	for (unsigned i = 0; i < TALLIES; i++)
		sum += which == NOTE_FILES    ? control->tally[i][0]
		       : which == NOTE_PAUSED ? control->tally[i][1]
					      : 0;
	return sum;
}

/* Whether the counters show that writes to the trace have failed. */
static inline int losses_of_writes(const uint64_t loss[LOSS_ROOM])
{
	return loss[LOSS_DISK_FULL] || loss[LOSS_FILE_LIMIT] || loss[LOSS_DENIED] ||
	       loss[LOSS_GONE] || loss[LOSS_DESCRIPTORS] || loss[LOSS_IO];
}

/* Whether a process takes lanes that are handed over. */
static inline int control_collected(const struct control *control)
{
	return control->collector_pid || control->keeper_pid;
}

/* Whether a process takes them, or will do so in a moment. */
static inline int control_collects(const struct control *control)
{
	return control_collected(control) || control->keeper_coming;
}

_Static_assert((int)LOSS_COUNT <= (int)NOTE_FIRST, "losses end where notes begin");
_Static_assert(sizeof(struct control) <= CONTROL_SIZE, "the control page has room");

#endif
