/* Record: the recorder's data for a thread of the traced program: its lane, its definitions in the present block, its open calls.
 *
 * The path of a recorded call uses everything here: no locks, no allocation, no C library. A signal handler may run between any two
 * instructions and record calls; a fork may copy any intermediate state. Data of the whole process is in recorder.h.
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

/* Keeps the compiler from reordering stores that a signal handler, or a reader after a kill, may read; costs nothing. */
#define BARRIER() __asm__ volatile("" ::: "memory")

enum {
	NAMES_MOST = 3072,    /* names in a thread's table; it is cleared when full */
	NAME_INDEX = 8192,    /* entries of the hash table of names */
	HANDLE_SLOTS = 4096,  /* slots of the table of defined handles, per thread */
	NESTED_MOST = 4,      /* signal handlers that interrupt the recorder's work */
	ENTITIES_RECENT = 16, /* pairs */
	PAGES_KNOWN = 2048,   /* pages known to be readable, per thread */
	/* Bytes kept free in a lane: for the definitions of one call, and for handlers that run while a lane cannot be cut. */
	LANE_MARGIN = 40960,
	LANE_RESERVE = 16384,
	NAME_LONGEST = 4096,
	/* Most regions and functions of the program that can be open; the remaining depths are for calls. */
	REGIONS_MOST = 20,
	REGION_NAME = 256, /* bytes of a region's name */
};

/* A name, and the file that it meant when last looked at. Entries survive their block; then only the id is invalid. */
struct name_known {
	uint64_t hash;	  /* two names with the same 64 bits count as equal */
	uint64_t defined; /* block << 32 | id in that block */
	uint64_t device;
	uint64_t inode;
	uint64_t epoch;	     /* names_epoch when the file was found */
	uint32_t file_block; /* block that has the file's definition; 0: the file is not known */
	uint32_t kind;	     /* enum varve_handle_kind of the file */
};

/* The identity of a file. */
struct file_id {
	uint64_t device;
	uint64_t inode;
	uint32_t kind; /* enum varve_handle_kind */
};

/* The position of a name in its thread's table, so that hooks find it again. */
struct name_place {
	uint64_t hash;	/* 0: none */
	uint64_t epoch; /* names_epoch before the call */
	uint32_t number;
	uint32_t length; /* of the text */
};

/* Texts that the recorder puts into the environment of a started program. */
struct exec_environment {
	char preload[2 * CONTROL_PATH];
	char run[2 * CONTROL_PATH];
	char original[CONTROL_PATH];
	enum untraced why;
};

/* A recently used entity; checked before the table of entities. */
struct entity_recent {
	_Alignas(64) const void *library;
	uint64_t given; /* the word that the program passed */
	uint32_t family;
	uint32_t handle; /* its word; valid in this block while no entity has changed */
	uint32_t block;
	uint32_t epoch;
	struct entity *entity;
	uint64_t value;
};

/* What a thread remembers: definitions in its present block, files of names, readable pages. */
struct known {
	/* Names in the order of first use: programs use them again in a similar order, which is good for the cache. */
	struct name_known names[NAMES_MOST];
	uint32_t name_index[NAME_INDEX]; /* upper 16 bits of the hash << 16 | number + 1; 0: none */
	uint32_t name_count;
	uint32_t name_last;		/* number of the name that was used last */
	uint32_t block;			/* counts the blocks that used this table, from 1 */
	uint32_t handles[HANDLE_SLOTS]; /* handles defined in the present block; cleared with it */
	uintptr_t pages[PAGES_KNOWN];
	struct entity_recent recent[ENTITIES_RECENT][2];
	uint8_t recent_turn
		[ENTITIES_RECENT]; /* the lowest bit is the index of the pair member that is replaced next */
	bool recent_held;	   /* `recent` is in use: a signal handler must not touch it */
	/* For the environment of a started program: too large for a small stack. */
	struct exec_environment room;
	uint64_t carried[DEPTH_MOST + 1]
			[RECORD_WORDS_MOST + 1]; /* copies of open calls while the lane is cut */
	/* Names of open regions, by place: every block that they continue in defines them again. */
	char region_name[REGIONS_MOST][REGION_NAME];
	uint32_t region_length[REGIONS_MOST];
};

struct open_call {
	uintptr_t frame; /* stack address of the wrapper; REGION_FRAME: a region */
	uint64_t *slot;	 /* NULL: ended, but calls above it are still open */
};

/* Frame of an open region, higher than any stack frame: the program ends a region by a call, at any depth of the stack. */
#define REGION_FRAME (UINTPTR_MAX - 8191)

/* What can be open besides calls. */
enum open_kind { OPEN_REGION, OPEN_FUNCTION, OPEN_KINDS };

/* A wrapper's call while the real function runs. */
struct call {
	uintptr_t frame;
	uint64_t exit;
	uint64_t *slot;
	uint32_t tag; /* of the lane's generation */
	uint32_t index;
};

/* What every call reads, in a page that fork wipes. */
struct pulse {
	uint64_t alive;
	bool tsc;
	bool pointers;
};

/* Values of `busy`. BUSY_ASKING, a bit in the frame address: the recorder calls a library, whose calls are not the program's.
 * BUSY_CUT, instead of a frame: a lane is being cut, and handlers cannot record. */
#define BUSY_ASKING ((uintptr_t)1)
#define BUSY_CUT (UINTPTR_MAX - 1)

/* Every call uses the first cache line. */
struct thread {
	_Alignas(64) uint64_t ready; /* equals pulse->alive when this thread may record */
	const volatile struct pulse *pulse;
	struct lane *lane;
	uint64_t limit; /* the lane is cut when its position is beyond this */
	uintptr_t busy; /* frame of the wrapper that does the recorder's work; 0: none */
	struct known *known;
	uint32_t tag;
	uint32_t open_count;
	uint32_t nested; /* handlers that interrupted the recorder's work */
	/* pid of the parent while a vfork child may be running on this thread */
	uint32_t vfork_pid;
	uint8_t runtime;      /* which calls the MPI library makes for itself: runtime.h */
	uint8_t runtime_from; /* open_count when that began; 0: it did not */
	bool runtime_thread;  /* a thread of the MPI library: all its calls are marked */
	uintptr_t
		runtime_frame; /* frame of the call that began it, if that call leaves no record; 0: none */
	struct open_call open[DEPTH_MOST + 1];
	struct name_place place; /* of the name that was used last */
	uint32_t next_name;
	/* name id of the working directory in this block and hash of its path, valid for folder_serial */
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
	uint32_t lane_wait; /* calls to count before the next try to get a lane */
	uint32_t lane_miss; /* lane_wait after the last failed try; 0: the thread has a lane */
	uint32_t flushed;   /* control->flush when the lane was last cut on request */
	uint64_t
		pause_from; /* first call that a pause excluded; 0: none since the last recorded call */
	uint64_t pause_calls; /* number of calls that the pause excluded */
	bool starting;	      /* being set up: its calls are the recorder's */
	bool off;	      /* permanently: reading the clock would kill the program */
	struct call vfork_call;
	/* Frame of a call that leaves no record while its inner records are made: they are not made either. */
	uintptr_t inner_hidden;
	/* State before the vfork, restored when the child is gone. */
	uintptr_t vfork_busy;
	uint32_t vfork_nested;
	uint32_t vfork_open;
	uint32_t vfork_filters; /* seccomp filters that the child has set */
	uint32_t vfork_depth;	/* children of the child that run on this thread */
	bool vfork_lost;	/* not all changes of the child could be saved */
	/* By place in `open`: hash of a region's name, or address of a function. */
	uint64_t open_mark[REGIONS_MOST];
	/* How many were begun without a record inside the call at the place before this one; [0]: outside all. */
	uint32_t open_hidden[OPEN_KINDS][REGIONS_MOST + 1];
	uint32_t shells;      /* shells of this thread that run with the lent environment */
	uint32_t shells_from; /* open_count when the first of them began */
};

extern __thread struct thread thread_self __attribute__((tls_model("initial-exec")));

/* Reserves the words of a definition; the caller fills them from word 2 and then seals it. */
static inline uint64_t *define_reserve(struct thread *self, size_t words)
{
	uint64_t bytes = words * 8, at = bytes;
#if defined(__x86_64__)
	/* One instruction, so that a signal handler gets other words; no lock prefix, because only this thread uses the lane. */
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
