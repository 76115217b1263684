/* Record: the recorder's data for the traced process, and the functions that its files offer each other.
 *
 * The path of a recorded call uses everything here: no locks, no allocation, no C library. A signal handler may run between any two
 * instructions and record calls; a fork may copy any intermediate state.
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
	int32_t pid_seen; /* in /proc, which may show an outer namespace; 0: not found there */
	int32_t parent_pid;
	uint64_t process_start;
	uint64_t pid_namespace;
	int32_t rank;
	uint32_t local; /* ranks on this host, from the launcher; 0: not known */
	uint32_t world; /* number of ranks, from the launcher; 0: not known */
	/* Number of the process that forked this one; 0: it was not forked by a process of the run. */
	uint32_t parent_process;
	bool forked;	   /* made by fork: not the image that exec started */
	bool together;	   /* the recorder must not start threads: see detached.h */
	bool files_shared; /* another process may use the same descriptor table */
	bool clockless;	   /* a thread has forbidden itself to read the clock */
	/* a child of clone() may use the thread data of one of this process's threads */
	bool sharing;
	/* The highest stack of such children: identifies them when gettid() must not be called. */
	uintptr_t sharing_stack;
	uint32_t next_thread;
	uint32_t next_lane;
	uint32_t next_handle;
	uint64_t pages_epoch; /* incremented when memory may have been unmapped */
	uint64_t names_epoch; /* incremented when a name may mean another file */
	/* seccomp filters that the program has set; not 0: the recorder makes no system calls */
	uint32_t quiet;
	char lanes[RUN_PATH];
	uint32_t users_in
		[2]; /* the user that was admitted last, and the user that began the run, each plus 1; 0: not known */
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
/* Sets up the process; false: calls are passed through. */
bool recorder_start(void);
/* Sets up the calling thread; NULL: its calls are passed through. */
struct thread *thread_start(struct thread *self);
void thread_off(struct thread *self, bool off);
/* Sets up the child of a fork, before the program continues in it. */
void recorder_forked(void);
/* The program called a function that no library has. */
void recorder_missing(uint16_t id);

/* process_end.c: the last function that exit() calls. */
void process_ended(int status, void *unused);

/* lane_pool.c, lane_cut.c */
/* Without a collector: writes the records of the calling thread as a block. */
void process_leave(void);
bool lane_acquire(struct thread *self);
/* Stores why no lane could be made (lane_errors.h). */
void lane_error_note(unsigned error);
void lane_spare(void);
/* Gives all lanes their memory, while system calls are still allowed. */
void lanes_ready(void);
void lane_cut(struct thread *self);
/* Makes a record of layer `varve`, from the given time until now. */
void own_record(struct thread *self, uint64_t from, uint16_t id, const uint64_t *words,
		unsigned count);
/* The same, with marks. */
void marked_record(struct thread *self, uint64_t from, uint16_t id, const uint64_t *words,
		   unsigned count, unsigned marks);
/* Records how long the program was delayed while it got its lane. */
void lane_held(struct thread *self, uint64_t from);
/* The thread's function has returned. */
void lane_forget(struct thread *self);
void lanes_after_fork(const struct thread *self);

/* name_ids.c */
/* `folder` distinguishes names with the same text, in all blocks; `base` is the name id or handle of the folder in this block. */
uint64_t name_define(struct thread *self, const char *text, size_t length, enum varve_base kind,
		     uint32_t base, uint64_t folder);
/* The name of an absolute path. The program passed the part from `given` on, relative to the folder before it. `room`: NAME_LONGEST
 * bytes for a copy, if the path may change meanwhile; NULL: it cannot. */
uint64_t name_of_path(struct thread *self, const char *path, size_t length, size_t given,
		      char *room);
/* Defines the name even if the block has it already, and does not remember it. */
uint32_t name_write(struct thread *self, const char *text, size_t length, enum varve_base kind,
		    uint32_t base);
/* Records which file the name means. */
void name_identity(struct thread *self, struct name_place place, struct file_id file,
		   enum varve_identity how);
/* The file that the name means, unless that may have changed; false: not known. `defined`: whether this block defines it. */
bool name_file(const struct thread *self, struct name_place place, struct file_id *file,
	       bool *defined);
bool memory_readable(struct thread *self, const void *address, size_t length);
/* Length of a text, at most `most`; -1 when it cannot be read. */
long text_length(struct thread *self, const char *text, size_t most);
void folder_changed(void);
/* The working directory; the text stays valid until the second change after this. */
const char *folder_text(size_t *length);
uint32_t folder_copy(char *text, size_t room, size_t *length);

#endif
