/* Record: what the recorder keeps for the traced process, and what its files offer each other.
 *
 * Everything here is reached from the path of a recorded call: no locks, no allocation, no C library. A signal handler may run
 * between any two instructions and record calls of its own; a fork may copy any moment of it.
 */
#ifndef RECORD_RECORDER_H
#define RECORD_RECORDER_H

#include "base/clock.h"
#include "record/thread.h"
#include "sink/run/run.h"

#include <sys/stat.h>

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
	uint32_t local; /* ranks on this host, from the launcher; 0: not known */
	uint32_t world; /* number of ranks, from the launcher; 0: not known */
	/* number of the process that forked or was replaced; 0: none known */
	uint32_t parent_process;
	bool forked;	   /* not the image that exec began */
	bool together;	   /* no threads of ours: see detached.h */
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

/* name_ids.c */
/* `folder` distinguishes names with the same text, in all blocks; `base` is what stands for it in this one. */
uint64_t name_define(struct thread *self, const char *text, size_t length, enum varve_base kind,
		     uint32_t base, uint64_t folder);
/* The name of an absolute path whose part from `given` on is what the program gave, from the folder before it. `room`: where a
 * copy is made of what may change meanwhile, NAME_LONGEST; NULL: it does not. */
uint64_t name_of_path(struct thread *self, const char *path, size_t length, size_t given,
		      char *room);
/* Defines it whether or not the block has it, and remembers nothing. */
uint32_t name_write(struct thread *self, const char *text, size_t length, enum varve_base kind,
		    uint32_t base);
/* Records which file the name means. */
void name_identity(struct thread *self, struct name_place place, struct file_id file,
		   enum varve_identity how);
/* The file that the name means, while nothing can have changed that; false: not known. `defined`: in this block. */
bool name_file(const struct thread *self, struct name_place place, struct file_id *file,
	       bool *defined);
bool memory_readable(struct thread *self, const void *address, size_t length);
/* Length of a text up to `most`; -1 when it cannot be read. */
long text_length(struct thread *self, const char *text, size_t most);
void folder_changed(void);
/* The working directory; the text stays until it was changed twice. */
const char *folder_text(size_t *length);
uint32_t folder_copy(char *text, size_t room, size_t *length);

#endif
