/* Codec: the control page of a run, shared by every traced process, `varve record` and recovery.
 *
 * Two files in the run's lane folder, which each process maps as one. `facts` holds the settings and the paths: nobody can
 * write it through a mapping, and only the process that began the run could open it for writing. `control` holds what processes
 * must agree on (space in the data file, process numbers) and what must survive a kill (losses); all processes write it, also
 * those of users who may write nothing else (docs/adr/0076).
 * Layout only: nothing here maps or writes.
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
	/* The counters from here on say what was left out because somebody asked for it: no losses. */
	NOTE_FIRST = 24,
	NOTE_FILES = NOTE_FIRST, /* calls on files that patterns exclude */
	NOTE_PAUSED,		 /* calls made during a pause */
	NOTE_PAUSES,		 /* pauses, of the run or of one process */
	NOTE_PAUSED_NS,		 /* how long the run was paused */
	NOTE_RANKS,		 /* processes of ranks that were not asked for */
	NOTE_FOLLOW,		 /* programs that --no-follow leaves out */
	NOTE_LANE_ERRORS,	 /* no counter: why lanes could not be made (lane_errors.h) */
	LOSS_ROOM = 32
};

#define CONTROL_MAGIC 0x314c525443455256ull /* "VRECTRL1" as bytes */
enum { CONTROL_VERSION = 7, CONTROL_SIZE = 32768, CONTROL_PATH = 4096 };

/* One byte for each call id: 0 when the wrapper only records the call, or bits of these. */
enum {
	SWITCHES = 0x2000,
	SWITCH_OFF = 1,	    /* the row is not recorded */
	SWITCH_FILES = 2,   /* there are patterns of paths */
	SWITCH_LOOK = 4,    /* something changes: look at `pause` and `flush` */
	SWITCH_DEAD = 8,    /* this process does not record */
	SWITCH_START = 16,  /* the process is not set up yet */
	SWITCH_SHARED = 32, /* a child of clone() may be on a thread's data: look at who calls */
	SWITCH_OFF_OR_DEAD = SWITCH_OFF | SWITCH_DEAD
};

/* Why the whole run is paused, bits. */
enum { PAUSE_ASKED = 1, PAUSE_BEFORE = 2, PAUSE_AFTER = 4 };

enum {
	PATTERNS_ROOM = 4096,
	PAUSABLE = 8192, /* processes with a lower number can be paused alone */
	TALLIES =
		16, /* threads count in different lines, so that they do not get into each other's way */
	RANKS_ROOM = 512,
	CONTROL_JOB = 256,
	USERS_MOST = 64,
};

/* What is recorded at all. */
struct choice {
	/* Each '+' (include) or '-' (exclude), the pattern, a zero byte; an empty one ends the list. */
	char patterns[PATTERNS_ROOM];
	char ranks[RANKS_ROOM]; /* "0:15,32,40-47"; empty: all */
	int64_t start_after;	/* ns after the start of the run; 0: at once */
	int64_t stop_after;	/* 0: never */
};

enum clock_kind { CLOCK_KIND_TSC = 1, CLOCK_KIND_MONOTONIC = 2 };

struct control {
	/* The file `facts`: nothing of it changes once the run is there. */
	uint64_t magic;
	uint32_t version;
	uint32_t size;
	uint8_t run_id[16];
	uint8_t boot_id[16];
	char host[64];
	int64_t start_monotonic; /* ns, CLOCK_MONOTONIC at the run's start: tick 0 of the trace */
	int64_t start_realtime;	 /* ns, CLOCK_REALTIME at the same moment */
	/* the time stamp counter then (0 when the clock is CLOCK_MONOTONIC) */
	uint64_t start_counter;
	uint32_t clock_kind;	/* enum clock_kind */
	uint32_t resolution;	/* ns per tick */
	uint64_t lane_size;	/* bytes of a lane's file, header included */
	uint64_t limit;		/* bytes of data after which recording stops; 0: none */
	uint32_t pointers;	/* record buffer addresses too */
	uint32_t no_follow;	/* do not put the preload back into a cleaned environment */
	uint32_t disabled;	/* recording is off */
	uint64_t pid_namespace; /* in which the run began; 0: not known */
	uint64_t user_namespace;
	uint32_t node;	   /* number of the data file */
	uint32_t expected; /* programs of the job that the launcher starts here; 0: not known */
	uint32_t no_keeper;
	uint32_t no_clocks;	    /* clocks of hosts are not measured against each other */
	struct codec_choice codec;  /* of blocks with records */
	char job[CONTROL_JOB];	    /* what all programs of the job have in common; empty: none */
	char trace[CONTROL_PATH];   /* absolute path of the trace folder */
	char library[CONTROL_PATH]; /* absolute path of the preload library */
	struct choice choice;
	/* The file `control`, from here on: written by many. */
	_Alignas(4096) uint64_t data_tail; /* bytes of data.0 that are claimed */
	uint32_t collector_pid; /* `varve record`, which drains lanes of the dead; 0: none */
	uint64_t collector_start;
	_Alignas(64) uint32_t next_process; /* last process number given */
	/* forks, spawns and execs that were begun: each becomes a process of the run */
	uint32_t children;
	uint32_t quiet;		/* a process makes no system calls of ours any more */
	uint32_t lanes_made;	/* lanes that became somebody's to read */
	uint32_t lanes_removed; /* of these: taken by a consumer, or given up */
	uint32_t lanes_full;	/* lanes handed to the collector and not yet taken */
	_Alignas(64) uint64_t loss[LOSS_ROOM];
	_Alignas(64) uint64_t tally[TALLIES][8]; /* [0]: NOTE_FILES, [1]: NOTE_PAUSED */
	_Alignas(64) uint32_t pause;		 /* PAUSE_ bits: nothing is recorded */
	uint32_t paused_processes;		 /* how many bits are set in `paused` */
	uint32_t lookers;			 /* somebody waits until all have looked */
	uint32_t flush;				 /* counts up when lanes are to become blocks */
	int64_t pause_from; /* ns, CLOCK_MONOTONIC: since when the whole run is paused */
	uint64_t paused[PAUSABLE / 64];
	/* who takes part on this host */
	uint32_t joined;     /* programs that have come */
	uint32_t programs;   /* of these: with a command that waits for them */
	uint64_t ended;	     /* of those that have ended the worst: enum run_end << 32 | status */
	uint32_t keeper_pid; /* collects where there is no command; 0: none */
	uint64_t keeper_start;
	uint32_t world;		    /* number of ranks, from MPI; 0: not known yet */
	uint32_t ranks_arrived;	    /* ranks on this host for which MPI has begun */
	uint32_t users[USERS_MOST]; /* that are let in beside who began the run, and 1; 0: none */
	uint32_t keeper_coming;	    /* it was started, and may not have stored its pid yet */
	int64_t ended_monotonic;    /* ns, CLOCK_MONOTONIC: when the last of `ended` did */
	/* pages of their own: processes map them over the table that their wrappers look at */
	_Alignas(4096) uint8_t switches[SWITCHES];
};

/* Bytes of the file `facts`. */
enum { CONTROL_FACTS = offsetof(struct control, data_tail) };

/* A counter of `loss`, with what threads have tallied. */
static inline uint64_t control_count(const struct control *control, unsigned which)
{
	uint64_t sum = control->loss[which];
	for (unsigned i = 0; i < TALLIES; i++)
		sum += which == NOTE_FILES    ? control->tally[i][0]
		       : which == NOTE_PAUSED ? control->tally[i][1]
					      : 0;
	return sum;
}

/* Whether writes to the trace have failed, by its counters. */
static inline int losses_of_writes(const uint64_t loss[LOSS_ROOM])
{
	return loss[LOSS_DISK_FULL] || loss[LOSS_FILE_LIMIT] || loss[LOSS_DENIED] ||
	       loss[LOSS_GONE] || loss[LOSS_DESCRIPTORS] || loss[LOSS_IO];
}

/* Whether somebody takes lanes that are handed over. */
static inline int control_collected(const struct control *control)
{
	return control->collector_pid || control->keeper_pid;
}

/* Whether somebody does, or will in a moment. */
static inline int control_collects(const struct control *control)
{
	return control_collected(control) || control->keeper_coming;
}

_Static_assert((int)LOSS_COUNT <= (int)NOTE_FIRST, "losses end where notes begin");
_Static_assert(sizeof(struct control) <= CONTROL_SIZE, "the control page has room");

#endif
