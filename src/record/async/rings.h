/* Record: rings of io_uring in this process, and their content.
 *
 * A ring is memory that the program and the kernel share. liburing keeps its addresses in a structure of the program; the layout of
 * this structure is part of liburing's interface, and is repeated here. For rings that are made by system calls, the recorder
 * stores where the program maps them. The memory is only read.
 */
#ifndef RECORD_ASYNC_RINGS_H
#define RECORD_ASYNC_RINGS_H

#include "record/recorder.h"

#include <linux/io_uring.h>

/* struct io_uring_sq, io_uring_cq and io_uring of liburing 2.0 and later; tests/arch/layouts.py compares them with its header. */
struct ring_submissions {
	const uint32_t *head;
	const uint32_t *tail;
	const uint32_t *mask;
	const uint32_t *entries;
	const uint32_t *flags;
	const uint32_t *dropped;
	const uint32_t *array;
	const struct io_uring_sqe *sqes;
	uint32_t sqe_head; /* from here on entries are filled in, but not yet shown to the kernel */
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

/* Registered files with larger indices are not known. */
enum { RING_FILES = 256 };

/* Positions up to which submissions and completions are recorded. */
struct ring_seen {
	uint32_t submissions;
	uint32_t completions;
};

/* The recorder's entry for a ring; addresses are NULL until the program has mapped them. */
struct ring {
	int32_t fd; /* descriptor + 1; 0: free */
	uint32_t flags;
	uint32_t number; /* unique in the process */
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
	struct ring_seen alone; /* `seen` points here if there is no memory shared with children */
	uint32_t owner;		/* pid of the process that made it */
	int32_t copy;		/* last duplicate of the descriptor + 1; 0: none */
	bool library;
	bool end_expected; /* counted as a loss until its end is recorded */
	bool uncounted;	   /* counted as a loss: the number of its missing requests is not known */
	uint64_t files
		[RING_FILES]; /* registered files, as pairs of descriptor and handle; 0: not known */
};

/* The number of rings; checked before a descriptor is searched among them. */
extern uint32_t rings_count;

struct ring *ring_find(int fd);
/* A ring was made by the system call, or by liburing. */
void ring_made(int fd, const struct io_uring_params *params);
void ring_made_by_library(struct thread *self, const struct ring_of_library *library);
/* Whether `ring` is this ring, and all its submissions are recorded; otherwise it may be a new ring with the same descriptor and
 * address. */
bool ring_known(struct thread *self, const struct ring *ring,
		const struct ring_of_library *library);
/* The program has mapped a part of the ring. */
void ring_mapped(int fd, uint64_t offset, const void *address);
/* The ring is closed: counts requests that are not recorded. */
void ring_forget(int fd);
void rings_forget_range(unsigned first, unsigned last);
/* rings_end(): the process is about to end, or to execute another program. rings_go_on(): it did not. */
void rings_end(void);
void rings_go_on(void);
void ring_duplicated(int fd, int copy);

/* Registered files. `files` are descriptors of the program: -1 empties a place, -2 leaves it unchanged; NULL: all places become
 * empty. */
void ring_files_note(struct thread *self, struct ring *ring, uint32_t first, const int *files,
		     uint32_t count);
void ring_files_forget(struct ring *ring, uint32_t first, uint32_t count);
/* The same for all rings. */
void rings_files_forget(void);
/* Descriptor and handle of a registered file; -1 and 0: not known. */
uint64_t ring_file(const struct ring *ring, int index);

/* Gets the next submission that is not recorded yet; false: none. */
bool ring_next_submission(struct thread *self, struct ring *ring, struct io_uring_sqe *sqe);
/* Claims number `at` of the submissions that liburing is about to show to the kernel: it is recorded now, and not again by another
 * thread that reads the ring after that. False: it was claimed before. `ring` may be NULL. */
bool ring_submission_claim(struct thread *self, struct ring *ring, uint32_t at);
/* Gets the next completion; `lost` counts those that were overwritten before the recorder read them. */
bool ring_next_completion(struct thread *self, struct ring *ring, struct io_uring_cqe *cqe,
			  uint32_t *lost);

/* rings_missed.c */
/* Counts the ring as one lost request, because its end may not be recorded (a kill); ring_end_seen() takes this back. */
void ring_end_expected(struct ring *ring);
void ring_end_seen(struct ring *ring);
/* ring_requests_missed(): counts requests that are not recorded. ring_look_back(): asks the kernel whether there are any. */
void ring_requests_missed(struct ring *ring, uint32_t count);
void ring_look_back(struct ring *ring, int fd);
/* Whether the ring belongs to the parent, which counts its requests as long as it lives. */
bool ring_of_parent(const struct ring *ring);
/* Whether this is a descriptor of a ring; asks the kernel. */
bool ring_there(int fd);

#endif
