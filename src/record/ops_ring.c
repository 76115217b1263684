/* Record: what calls of liburing, and io_uring's own system calls, mean. See ops.h, words.h, inner.h.
 *
 * Requests are told when a call shows them to the kernel, completions when the next call on their ring has returned.
 */
#include "record/ops.h"

#include "record/inner.h"
#include "record/requests.h"
#include "record/rings.h"
#include "record/words.h"

#include <string.h>

/* Of newer kernels' headers. */
enum {
	ENTER_REGISTERED = 1 << 4,
	SETUP_REGISTERED_ONLY = 1 << 15,
	OPCODE_SOCKET = 45,
	OPCODE_SEND_ZC = 47,
	OPCODE_SENDMSG_ZC = 48,
	CQE_NOTIFICATION = 1 << 3
};

static const struct ring_of_library *library_ring(struct thread *self, const void *ring)
{
	return ring && memory_readable(self, ring, sizeof(struct ring_of_library)) ? ring : NULL;
}

uint64_t word_ring(struct thread *self, const void *ring)
{
	const struct ring_of_library *library = library_ring(self, ring);
	return library ? word_fd(self, library->fd) : pair_make(-1, 0);
}

uint64_t word_ring_number(struct thread *self, int number, unsigned flags)
{
	return flags & ENTER_REGISTERED ? pair_make(number, 0) : word_fd(self, number);
}

void after_ring_open(struct thread *self, struct op *op)
{
	const struct ring_of_library *library = library_ring(self, op->buf);
	if (op->failed || !library)
		return;
	/* The functions that make a ring call each other. */
	const struct ring *ring = ring_find(library->fd);
	if (ring && ring->cq_tail && ring->cq_tail == library->cq.tail)
		return;
	if (!ring)
		handle_ask_fd(self, library->fd, HANDLE_ANONYMOUS, NULL, 0);
	ring_made_by_library(self, library);
}

void after_ring_setup(struct thread *self, struct op *op)
{
	const struct io_uring_params *params = op->buf;
	/* The result may be a number in the kernel's table of rings, which is no descriptor. */
	if (op->failed || params->flags & SETUP_REGISTERED_ONLY)
		return;
	op->handle = handle_ask_fd(self, (int)op->result, HANDLE_ANONYMOUS, NULL, 0);
	ring_made((int)op->result, params);
}

void before_ring_close(struct thread *self, struct op *op)
{
	const struct ring_of_library *library = library_ring(self, op->buf);
	op->fd = library ? library->fd : -1;
	handle_forget_fd(op->fd);
}

static uint64_t key_of(int fd, uint64_t user_data)
{
	return ((user_data * 0x9e3779b97f4a7c15ull) ^ ((uint64_t)(unsigned)fd << 48)) | 1;
}

/* The bytes that a request is to move. */
static uint64_t request_size(struct thread *self, const struct io_uring_sqe *sqe)
{
	const void *address = (const void *)(uintptr_t)sqe->addr;
	switch (sqe->opcode) {
	case IORING_OP_READV:
	case IORING_OP_WRITEV:
		return sqe->len > 1024 ? 0 : word_vector(self, address, (int)sqe->len);
	case IORING_OP_SENDMSG:
	case IORING_OP_RECVMSG:
		return word_message_size(self, address);
	case IORING_OP_FALLOCATE:
		return sqe->addr;
	default:
		return sqe->len;
	}
}

static enum direction direction_of(uint32_t opcode)
{
	switch (opcode) {
	case IORING_OP_READ:
	case IORING_OP_READV:
	case IORING_OP_READ_FIXED:
	case IORING_OP_RECV:
	case IORING_OP_RECVMSG:
		return DIRECTION_READ;
	case IORING_OP_WRITE:
	case IORING_OP_WRITEV:
	case IORING_OP_WRITE_FIXED:
	case IORING_OP_SEND:
	case IORING_OP_SENDMSG:
	case OPCODE_SEND_ZC:
	case OPCODE_SENDMSG_ZC:
		return DIRECTION_WRITE;
	default:
		return DIRECTION_NONE;
	}
}

/* Begins as our own work, and ends it. */
INLINE void request_tell(struct thread *self, int fd, const struct io_uring_sqe *sqe)
{
	bool fixed = sqe->flags & IOSQE_FIXED_FILE;
	/* With an index the file goes into the ring's own table: its completion tells no descriptor. */
	uint64_t pair = fixed ? pair_make(sqe->fd, 0) : word_fd(self, sqe->fd);
	struct request made = {
		.opcode = sqe->file_index ? IORING_OP_NOP : sqe->opcode,
		.direction = direction_of(sqe->opcode),
		.fd = pair_fd(pair),
		.handle = pair_handle(pair),
	};
	uint64_t words[] = {request_new(key_of(fd, sqe->user_data), &made),
			    sqe->opcode,
			    pair,
			    sqe->off,
			    request_size(self, sqe),
			    sqe->flags};
	_Static_assert(WORDS_async_ring_request == 6, "a request of io_uring has six words");
	if (sqe->opcode == IORING_OP_CLOSE && !sqe->file_index)
		handle_forget_fd(sqe->fd);
	inner_tell(self, CALL_async_ring_request, words, WORDS_async_ring_request, 0);
}

/* One that liburing will show to the kernel: number `at` behind the first. False: that was the last. */
INNER bool inner_library_request(const void *ring, uint32_t at)
{
	struct thread *self = wrap_enter();
	struct io_uring_sqe sqe;
	if (!self)
		return false;
	const struct ring_of_library *library = library_ring(self, ring);
	bool there = library && library->sq.sqe_head + at != library->sq.sqe_tail &&
		     library->sq.sqes && library->sq.mask &&
		     memory_readable(self, library->sq.mask, sizeof *library->sq.mask) &&
		     at <= *library->sq.mask;
	if (there) {
		unsigned wide = library->flags & IORING_SETUP_SQE128 ? 1 : 0;
		size_t index = (library->sq.sqe_head + at) & *library->sq.mask;
		const char *place = (const char *)library->sq.sqes + ((index * sizeof sqe) << wide);
		there = memory_readable(self, place, sizeof sqe);
		if (there)
			memcpy(&sqe, place, sizeof sqe);
	}
	if (there)
		request_tell(self, library->fd, &sqe);
	else
		busy_release(self);
	return there;
}

/* One that the program has shown to the kernel itself. */
INNER bool inner_shown_request(int fd)
{
	struct thread *self = wrap_enter();
	struct io_uring_sqe sqe;
	if (!self)
		return false;
	struct ring *ring = ring_find(fd);
	bool there = ring && ring_next_submission(self, ring, &sqe);
	if (there)
		request_tell(self, fd, &sqe);
	else
		busy_release(self);
	return there;
}

static bool makes_descriptor(uint32_t opcode)
{
	return opcode == IORING_OP_OPENAT || opcode == IORING_OP_OPENAT2 ||
	       opcode == IORING_OP_ACCEPT || opcode == OPCODE_SOCKET;
}

INNER bool inner_completion(int fd)
{
	struct thread *self = wrap_enter();
	struct io_uring_cqe cqe;
	uint32_t lost = 0;
	if (!self)
		return false;
	struct ring *ring = ring_find(fd);
	bool there = ring && ring_next_completion(self, ring, &cqe, &lost);
	if (lost) {
		uint64_t word = lost;
		_Static_assert(WORDS_async_ring_unseen == 1, "unseen completions have one word");
		inner_tell(self, CALL_async_ring_unseen, &word, WORDS_async_ring_unseen, 0);
		self = there ? wrap_enter() : NULL;
	}
	if (!there || !self) {
		if (self)
			busy_release(self);
		return there;
	}
	uint64_t key = key_of(fd, cqe.user_data);
	struct request request = (cqe.flags & IORING_CQE_F_MORE ? request_find : request_take)(key);
	if (cqe.res >= 0 && makes_descriptor(request.opcode))
		handle_forget_fd(cqe.res);
	/* A second completion only says that a buffer is free again. */
	bool moved = request.direction != DIRECTION_NONE && cqe.res > 0 &&
		     !(cqe.flags & CQE_NOTIFICATION);
	uint64_t words[] = {request.number, word_fd_then(self, request.fd, request.handle),
			    request.direction, moved ? (uint64_t)cqe.res : 0};
	_Static_assert(WORDS_async_ring_event == 4, "a completion has four words");
	inner_tell(self, CALL_async_ring_event, words, WORDS_async_ring_event, cqe.res);
	return true;
}

static void completions_tell(int fd)
{
	while (inner_completion(fd))
		;
}

/* The descriptor of a ring of liburing; after a submission: what it showed to the kernel has been told. */
INNER int ring_number(const void *ring, bool submitted)
{
	struct thread *self = wrap_enter();
	if (!self)
		return -1;
	const struct ring_of_library *library = library_ring(self, ring);
	struct ring *known = library ? ring_find(library->fd) : NULL;
	int fd = known ? library->fd : -1;
	if (known && submitted)
		ring_submissions_seen(self, known);
	busy_release(self);
	return fd;
}

/* What was shown to the kernel without our seeing it comes first. */
static void shown_tell(int fd)
{
	while (inner_shown_request(fd))
		;
}

void begun_ring_submit(const struct op *op)
{
	shown_tell(ring_number(op->buf, false));
	for (uint32_t at = 0; inner_library_request(op->buf, at); at++)
		;
}

void returned_ring_submit(const struct op *op)
{
	completions_tell(ring_number(op->buf, true));
}

void returned_ring_reap(const struct op *op)
{
	int fd = ring_number(op->buf, false);
	shown_tell(fd);
	completions_tell(fd);
}

void begun_ring_close(const struct op *op)
{
	completions_tell(op->fd);
	ring_forget(op->fd);
}

void begun_ring_enter(const struct op *op)
{
	if (!(op->flags & ENTER_REGISTERED))
		shown_tell(op->fd);
}

void returned_ring_enter(const struct op *op)
{
	if (!(op->flags & ENTER_REGISTERED))
		completions_tell(op->fd);
}
