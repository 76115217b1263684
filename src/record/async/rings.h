/* Record: rings of io_uring that this process has, and their content.
 *
 * A ring is memory that the program and the kernel share. liburing keeps its addresses in a structure of the program, whose
 * layout is part of its interface and repeated here; for rings that are made by system calls, the recorder stores where
 * the program maps them. The memory is only read.
 */
#ifndef RECORD_ASYNC_RINGS_H
#define RECORD_ASYNC_RINGS_H

#include "record/recorder.h"

#include <linux/io_uring.h>

/* struct io_uring_sq, io_uring_cq and io_uring of liburing 2.0 and later; tests/arch/layouts.py holds them against its
 * header. */
struct ring_submissions {
	const uint32_t *head;
	const uint32_t *tail;
	const uint32_t *mask;
	const uint32_t *entries;
	const uint32_t *flags;
	const uint32_t *dropped;
	const uint32_t *array;
	const struct io_uring_sqe *sqes;
	uint32_t sqe_head; /* from here on they are filled in and not shown to the kernel yet */
	uint32_t sqe_tail;
	uint64_t size;
	void *memory;
	uint32_t more[4];
};

struct ring_completions {
	const uint32_t *head;
	const uint32_t *tail;
	const uint32_t *mask;
	const uint32_t *entries;
	const uint32_t *flags;
	const uint32_t *overflow;
	const struct io_uring_cqe *cqes;
	uint64_t size;
	void *memory;
	uint32_t more[4];
};

struct ring_of_library {
	struct ring_submissions sq;
	struct ring_completions cq;
	uint32_t flags;
	int32_t fd;
	uint32_t features;
	int32_t enter_fd;
	uint32_t more[2];
};

/* Of registered files beyond these nothing is known. */
enum { RING_FILES = 256 };

/* Up to where its submissions and completions are recorded. */
struct ring_seen {
	uint32_t submissions;
	uint32_t completions;
};

/* Our entry for a ring: addresses are NULL until the program has mapped them. */
struct ring {
	int32_t fd; /* + 1; 0: free */
	uint32_t flags;
	uint32_t number; /* no two rings of a process have the same */
	struct io_sqring_offsets sq_offsets;
	struct io_cqring_offsets cq_offsets;
	const uint32_t *sq_head;
	const uint32_t *sq_tail;
	const uint32_t *sq_mask;
	const uint32_t *sq_array;
	const char *sqes;
	const uint32_t *cq_head;
	const uint32_t *cq_tail;
	const uint32_t *cq_mask;
	const char *cqes;
	struct ring_seen *seen;
	struct ring_seen alone; /* what `seen` leads to without memory that children share */
	uint32_t owner;		/* the process that made it */
	int32_t copy;		/* + 1; the last duplicate of its descriptor */
	bool library;
	bool end_expected; /* it is counted as a loss until its end is seen */
	bool uncounted;	   /* it is a loss: how many of its requests are missing is not known */
	uint64_t files
		[RING_FILES]; /* those registered, as pairs of descriptor and handle; 0: not known */
};

/* Counts rings; what asks whether a descriptor is one looks here first. */
extern uint32_t rings_count;

struct ring *ring_find(int fd);
/* By the system call, and by liburing. */
void ring_made(int fd, const struct io_uring_params *params);
void ring_made_by_library(struct thread *self, const struct ring_of_library *library);
/* Whether it is this one, which has not been recorded since; another one may have got the same number and place. */
bool ring_known(struct thread *self, const struct ring *ring,
		const struct ring_of_library *library);
/* The program mapped a part of it. */
void ring_mapped(int fd, uint64_t offset, const void *address);
/* It is closed: requests that are not recorded are counted. */
void ring_forget(int fd);
void rings_forget_range(unsigned first, unsigned last);
/* The process ends, or executes another program; and: it did not. */
void rings_end(void);
void rings_go_on(void);
void ring_duplicated(int fd, int copy);

/* Registered files. `files` are descriptors of the program: -1 empties a place, -2 leaves it; NULL: all are empty. */
void ring_files_note(struct thread *self, struct ring *ring, uint32_t first, const int *files,
		     uint32_t count);
void ring_files_forget(struct ring *ring, uint32_t first, uint32_t count);
/* Of every ring. */
void rings_files_forget(void);
/* Descriptor and handle; -1 and 0: not known. */
uint64_t ring_file(const struct ring *ring, int index);

/* The next submission of a ring that is not recorded yet; false: none. */
bool ring_next_submission(struct thread *self, struct ring *ring, struct io_uring_sqe *sqe);
/* Number `at` of those that liburing is about to show to the kernel is recorded now, and never again, whoever looks at the ring
 * as soon as it is shown. False: it was already. `ring` may be NULL. */
bool ring_submission_claim(struct thread *self, struct ring *ring, uint32_t at);
/* The next completion; `lost` counts those that were overwritten before we looked. */
bool ring_next_completion(struct thread *self, struct ring *ring, struct io_uring_cqe *cqe,
			  uint32_t *lost);

/* rings_missed.c */
/* Its end may not be seen (a kill), so it counts as one request from now on; and: its end was seen. */
void ring_end_expected(struct ring *ring);
void ring_end_seen(struct ring *ring);
/* Requests that are not recorded; and: asks the kernel whether there are any. */
void ring_requests_missed(struct ring *ring, uint32_t count);
void ring_look_back(struct ring *ring, int fd);
/* A ring of the parent is the parent's to count, as long as it lives. */
bool ring_of_parent(const struct ring *ring);
/* Whether this is a descriptor of a ring. */
bool ring_there(int fd);

#endif
