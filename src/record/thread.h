/* Record: what the recorder keeps for a thread of the traced program: its lane, what that has defined, the calls that are open.
 *
 * Everything here is reached from the path of a recorded call: no locks, no allocation, no C library. A signal handler may run
 * between any two instructions and record calls of its own; a fork may copy any moment of it. What is kept for the whole
 * process is in recorder.h.
 */
#ifndef RECORD_THREAD_H
#define RECORD_THREAD_H

#include "base/likely.h"
#include "base/program/executable.h"
#include "codec/control.h"
#include "codec/lane.h"
#include "codec/record.h"

#include <stdbool.h>
#include <stdint.h>

/* Orders what a signal handler, or a reader after a kill, may see; costs nothing. */
#define BARRIER() __asm__ volatile("" ::: "memory")

enum {
	NAMES_MOST = 3072,    /* names in a thread's table; one more empties it */
	NAME_INDEX = 8192,    /* of the hash table over them */
	HANDLE_SLOTS = 4096,  /* handles defined in the present block, per thread */
	NESTED_MOST = 4,      /* signal handlers on top of our own code */
	ENTITIES_RECENT = 16, /* pairs */
	PAGES_KNOWN = 2048,   /* pages that were seen to be readable, per thread */
	/* Bytes kept free in a lane: for what one call may define, and for handlers that come while a lane cannot be cut. */
	LANE_MARGIN = 40960,
	LANE_RESERVE = 16384,
	NAME_LONGEST = 4096,
	/* Regions and functions of the program that may be open: the rest of the depths is left to calls. */
	REGIONS_MOST = 20,
	REGION_NAME = 256, /* bytes of a region's name */
};

/* A name, and the file that it was last seen to mean. Survives its block: then only its id is void. */
struct name_known {
	uint64_t hash;	  /* 64 bits are taken as the name itself */
	uint64_t defined; /* block << 32 | id in that block */
	uint64_t device;
	uint64_t inode;
	uint64_t epoch;	     /* of names, when the file was known */
	uint32_t file_block; /* block that defines the file; 0: no file is known */
	uint32_t kind;	     /* enum varve_handle_kind of the file */
};

/* Which file something is. */
struct file_id {
	uint64_t device;
	uint64_t inode;
	uint32_t kind; /* enum varve_handle_kind */
};

/* Where a name stands in its thread's table: hooks come back to it. */
struct name_place {
	uint64_t hash;	/* 0: none */
	uint64_t epoch; /* of names, before the call */
	uint32_t number;
	uint32_t length; /* of the text */
};

/* Room for the texts of what is put into it. */
struct exec_environment {
	char preload[2 * CONTROL_PATH];
	char run[2 * CONTROL_PATH];
	char original[CONTROL_PATH];
	enum untraced why;
};

/* An entity that was used lately: it is looked at before the table is. */
struct entity_recent {
	_Alignas(64) const void *library;
	uint64_t given; /* the word, as the program passed it */
	uint32_t family;
	uint32_t handle; /* its word, in this block and as long as no entity has changed */
	uint32_t block;
	uint32_t epoch;
	struct entity *entity;
	uint64_t value;
};

/* What a thread remembers: definitions in its present block, the files of names, pages that are mapped. */
struct known {
	/* Names in the order of their first use: programs come back to them in much the same order, which the cache likes. */
	struct name_known names[NAMES_MOST];
	uint32_t name_index[NAME_INDEX]; /* other bits of the hash << 16 | number + 1; 0: none */
	uint32_t name_count;
	uint32_t name_last;		/* number of the name that was met last */
	uint32_t block;			/* counts the blocks that this was used for, from 1 */
	uint32_t handles[HANDLE_SLOTS]; /* defined in the present block; emptied with it */
	uintptr_t pages[PAGES_KNOWN];
	struct entity_recent recent[ENTITIES_RECENT][2];
	uint8_t recent_turn
		[ENTITIES_RECENT]; /* which of the two is next to give way, in its last bit */
	bool recent_held; /* they are being looked at or changed: a signal handler on top of that keeps off */
	/* of the program that it starts: too large for a small stack */
	struct exec_environment room;
	uint64_t carried[DEPTH_MOST + 1]
			[RECORD_WORDS_MOST + 1]; /* open calls, while their lane is emptied */
	/* Names of open regions, by place: each block that they go on in has them. */
	char region_name[REGIONS_MOST][REGION_NAME];
	uint32_t region_length[REGIONS_MOST];
};

struct open_call {
	uintptr_t frame; /* stack address of the wrapper; REGION_FRAME: it is no call */
	uint64_t *slot;	 /* NULL: it has ended under others that go on */
};

/* A region ends by a call of the program, wherever the stack is then: higher than any frame. */
#define REGION_FRAME (UINTPTR_MAX - 8191)

/* What is open beside calls. */
enum open_kind { OPEN_REGION, OPEN_FUNCTION, OPEN_KINDS };

/* Where a wrapper remembers its call while the real function runs. */
struct call {
	uintptr_t frame;
	uint64_t exit;
	uint64_t *slot;
	uint32_t tag; /* of the lane's generation */
	uint32_t index;
};

/* What every call looks at, in a page that fork wipes. */
struct pulse {
	uint64_t alive;
	bool tsc;
	bool pointers;
};

/* As busy, in the frame or instead of it. Our own code asks a library, and what that calls is not the program's. A lane is
 * being cut, and a handler cannot record. */
#define BUSY_ASKING ((uintptr_t)1)
#define BUSY_CUT (UINTPTR_MAX - 1)

/* The first line of it is what every call touches. */
struct thread {
	_Alignas(64) uint64_t ready; /* equals pulse->alive when this thread may record */
	const volatile struct pulse *pulse;
	struct lane *lane;
	uint64_t limit; /* position from which on the lane is cut */
	uintptr_t busy; /* frame of the wrapper whose own work goes on; 0: none */
	struct known *known;
	uint32_t tag;
	uint32_t open_count;
	uint32_t nested; /* handlers that interrupted our own work */
	/* pid of the parent while a vfork child may be running on this thread */
	uint32_t vfork_pid;
	uint8_t runtime;      /* what of this thread's calls is the MPI library's: runtime.h */
	uint8_t runtime_from; /* open calls when that began; 0: it did not */
	bool runtime_thread;  /* all of them: the library started it */
	uintptr_t
		runtime_frame; /* of the call that began it, where that leaves no record; 0: none */
	struct open_call open[DEPTH_MOST + 1];
	struct name_place place; /* of the name that was made last */
	uint32_t next_name;
	/* name id of the working directory in this block and hash of its path, for folder_serial */
	uint32_t folder_name;
	uint32_t folder_serial;
	uint64_t folder_hash;
	uintptr_t stack_top;
	uint64_t pages_epoch;
	uintptr_t outer[NESTED_MOST];
	struct name_place outer_place[NESTED_MOST];
	uint32_t number; /* in the process, from 1 */
	int32_t tid;
	uint32_t creator;
	uint32_t lane_wait; /* calls that are only counted until another try to get a lane */
	uint32_t lane_miss; /* as many as there were after the last try; 0: it has one */
	uint32_t flushed;   /* control->flush when the lane was last emptied on request */
	uint64_t
		pause_from; /* first call that a pause left out; 0: none since the last recorded one */
	uint64_t pause_calls; /* how many */
	bool starting;	      /* what we call ourselves meanwhile is not ours to record */
	bool off;	      /* for good: reading the clock would kill the program */
	struct call vfork_call;
	/* frame of a call that leaves no record, while its parts are made: they leave none either */
	uintptr_t inner_hidden;
	uintptr_t vfork_busy; /* and the rest as it was before */
	uint32_t vfork_nested;
	uint32_t vfork_open;
	uint32_t vfork_filters; /* of the child's own */
	uint32_t vfork_depth;	/* children of children that are on this thread */
	bool vfork_lost;	/* what a child changed could not be kept */
	/* by place in `open`: hash of a region's name, address of a function */
	uint64_t open_mark[REGIONS_MOST];
	/* how many were begun without a record inside the one at this place less one */
	uint32_t open_hidden[OPEN_KINDS][REGIONS_MOST + 1];
	uint32_t shells;      /* shells of this thread that run with the environment lent to them */
	uint32_t shells_from; /* open calls when the first of them began */
};

extern __thread struct thread thread_self __attribute__((tls_model("initial-exec")));

/* A definition: reserves its words; the caller fills in from word 2 and then seals it. */
static inline uint64_t *define_reserve(struct thread *self, size_t words)
{
	uint64_t bytes = words * 8, at = bytes;
#if defined(__x86_64__)
	/* One instruction, so that a signal handler gets other words; without a lock: no other thread comes here. */
	__asm__ volatile("xaddq %0, %1" : "+r"(at), "+m"(self->lane->position)::"memory", "cc");
#else
	at = __atomic_fetch_add(&self->lane->position, bytes, __ATOMIC_RELAXED);
#endif
	return (uint64_t *)(void *)((char *)self->lane + at);
}

static inline void define_seal(struct thread *self, uint64_t *slot, uint16_t type, size_t words)
{
	slot[1] = words;
	BARRIER();
	uint64_t position = (uint64_t)((char *)slot - (char *)self->lane);
	*(volatile uint64_t *)slot = record_header(self->tag + (uint32_t)position, type, 0, 0);
}

#endif
