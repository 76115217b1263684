/* Record: what the recorder keeps in a traced process: per thread, per process.
 *
 * Everything here is reached from the path of a recorded call: no locks, no allocation, no C library. A signal handler
 * may run between any two instructions and record calls of its own; a fork may copy any moment of it.
 */
#ifndef RECORD_STATE_H
#define RECORD_STATE_H

#include "base/clock.h"
#include "base/executable.h"
#include "base/likely.h"
#include "codec/control.h"
#include "codec/lane.h"
#include "codec/record.h"
#include "sink/run.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

/* Orders what a signal handler, or a reader after a kill, may see; costs nothing. */
#define BARRIER() __asm__ volatile("" ::: "memory")

enum {
	NAMES_MOST = 3072,    /* names that a thread knows; all are forgotten for one more */
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
	uint64_t epoch; /* of names, when the file was known */
	uint32_t told;	/* block that tells the file; 0: no file is known */
	uint32_t kind;	/* enum handle_kind of the file */
};

/* Which file something is. */
struct file_id {
	uint64_t device;
	uint64_t inode;
	uint32_t kind; /* enum handle_kind */
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

/* What a thread knows: what is defined in its present block, which file names mean, which pages are there. */
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

/* A region ends when the program says so, wherever the stack is then: higher than any frame. */
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

/* As busy, in the frame or instead of it. Our own code asks a library, and what that calls is not the program's. A lane is being
 * cut, and a handler cannot record. */
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
		pause_from; /* first call that a pause left out; 0: none since the last that was told */
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
	uint32_t borrowed;    /* shells of this thread that run with the environment lent to them */
	uint32_t borrowed_at; /* open calls when the first of them began */
};

struct recorder {
	struct pulse *pulse; /* NULL before the start */
	struct control *control;
	bool tsc;
	uint32_t process; /* number of this process in the run */
	int32_t pid;
	int32_t pid_seen; /* in /proc, which may show an outer namespace; 0: it does not show */
	int32_t parent_pid;
	uint64_t process_start;
	uint64_t pid_namespace;
	int32_t rank;
	uint32_t local; /* ranks on this host, as the launcher says; 0: not known */
	uint32_t world; /* ranks that there are, as the launcher told; 0: it did not */
	/* number of the process that forked or was replaced; 0: none known */
	uint32_t parent_process;
	bool forked;	   /* not the image that exec began */
	bool together;	   /* no threads of ours: see apart.h */
	bool files_shared; /* another process may use the same table of descriptors */
	bool clockless;	   /* a thread has forbidden itself the clock */
	bool sharing;	   /* a child of clone() may run on the data of one of our threads */
	/* the highest stack of such children: where the caller's number cannot be asked */
	uintptr_t sharing_stack;
	uint32_t next_thread;
	uint32_t next_lane;
	uint32_t next_handle;
	uint64_t pages_epoch; /* counts up when memory may have gone */
	uint64_t names_epoch; /* counts up when a name may mean another file */
	uint32_t quiet; /* filters that the program has set: no system calls of our own any more */
	char lanes[RUN_PATH];
	uint32_t users_in
		[2]; /* the last user who was let in, and who began the run; and 1; 0: not known */
};

extern struct recorder recorder;
extern __thread struct thread thread_self __attribute__((tls_model("initial-exec")));

/* One instruction, so that a signal handler gets another number. */
static inline uint32_t number_take(uint32_t *counter)
{
	uint32_t number = 1;
#if defined(__x86_64__)
	__asm__ volatile("xaddl %0, %1" : "+r"(number), "+m"(*counter)::"memory", "cc");
#else
	number = __atomic_fetch_add(counter, number, __ATOMIC_RELAXED);
#endif
	return number;
}

static inline void loss_count(unsigned reason, uint64_t count)
{
	if (recorder.control)
		__atomic_fetch_add(&recorder.control->loss[reason], count, __ATOMIC_RELAXED);
}

/* start.c */
/* Sets the process up; false: pass through. */
bool recorder_start(void);
/* Sets the calling thread up; NULL: pass through. */
struct thread *thread_start(struct thread *self);
void thread_off(struct thread *self, bool off);
/* In the child of a fork, before it goes on. */
void recorder_forked(void);
/* A function was called that no library has. */
void recorder_missing(uint16_t id);

/* process_end.c: the last thing that exit() calls. */
void process_ended(int status, void *unused);

/* lane_pool.c, lane_cut.c */
/* Without a collector: what the calling thread holds becomes a block now. */
void process_leave(void);
bool lane_acquire(struct thread *self);
/* Notes why there is no room for a lane (lane_errors.h). */
void lane_error_note(unsigned error);
void lane_spare(void);
/* While system calls may still be made: gives all lanes their memory. */
void lanes_ready(void);
void lane_cut(struct thread *self);
/* A record of ours, from then till now. */
void own_record(struct thread *self, uint64_t from, uint16_t id, const uint64_t *words,
		unsigned count);
/* The same, with marks of the call. */
void marked_record(struct thread *self, uint64_t from, uint16_t id, const uint64_t *words,
		   unsigned count, unsigned marks);
/* A record: the program was held up while it got its lane. */
void lane_held(struct thread *self, uint64_t from);
/* The thread's function returned. */
void lane_forget(struct thread *self);
void lanes_after_fork(const struct thread *self);

/* names.c */
/* `folder` tells names with the same text apart, in all blocks alike; `base` is what stands for it in this one. */
uint64_t name_define(struct thread *self, const char *text, size_t length, enum name_base kind,
		     uint32_t base, uint64_t folder);
/* The name of an absolute path whose part from `given` on is what the program gave, from the folder before it. `room`: where a
 * copy is made of what may change meanwhile, NAME_LONGEST; NULL: it does not. */
uint64_t name_of_path(struct thread *self, const char *path, size_t length, size_t given,
		      char *room);
/* Defines it whether or not the block has it, and remembers nothing. */
uint32_t name_write(struct thread *self, const char *text, size_t length, enum name_base kind,
		    uint32_t base);
/* The block tells which file the name means. */
void name_identity(struct thread *self, struct name_place place, struct file_id file,
		   enum identity_how how);
/* The file that the name means, while nothing can have changed that; false: not known. `told`: by this block. */
bool name_file(const struct thread *self, struct name_place place, struct file_id *file,
	       bool *told);
bool memory_readable(struct thread *self, const void *address, size_t length);
/* Length of a text up to `most`; -1 when it cannot be read. */
long text_length(struct thread *self, const char *text, size_t most);
void folder_changed(void);
/* The working directory; the text stays until it was changed twice. */
const char *folder_text(size_t *length);
uint32_t folder_copy(char *text, size_t room, size_t *length);

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
