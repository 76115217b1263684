/* Record: hooks of calls of liburing, and of the system calls of io_uring. See ops.h, words.h, inner.h.
 *
 * Requests are recorded when a call shows them to the kernel, completions when the next call on their ring has returned, or before
 * a request with the same key.
 */
#include "record/ops.h"

#include "record/async/rings.h"
#include "record/inner.h"
#include "record/library/table_lock.h"
#include "record/names/requests.h"
#include "record/words.h"

#include <string.h>

/* Defined in newer headers only. */
enum {
	ENTER_REGISTERED = 1 << 4,
	SETUP_REGISTERED_ONLY = 1 << 15,
	REGISTER_REGISTERED = 1u << 31,
	OPCODE_MSG_RING = 40,
	OPCODE_SOCKET = 45,
	OPCODE_SEND_ZC = 47,
	OPCODE_SENDMSG_ZC = 48,
	OPCODE_READ_MULTISHOT = 49,
	OPCODE_READV_FIXED = 60,
	OPCODE_WRITEV_FIXED = 61,
	REQUEST_SKIPS_SUCCESS = 1 << 6,
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
	if (ring && ring_known(self, ring, library))
		return;
	if (!ring)
		handle_ask_fd(self, library->fd, VARVE_HANDLE_ANONYMOUS, NULL, 0);
	ring_made_by_library(self, library);
}

void after_ring_setup(struct thread *self, struct op *op)
{
	const struct io_uring_params *params = op->buf;
	if (op->failed)
		return;
	/* The result is an index in the kernel's table of rings, not a descriptor: such a ring is not recorded. */
	if (params->flags & SETUP_REGISTERED_ONLY) {
		loss_count(LOSS_REQUESTS, 1);
		return;
	}
	op->handle = handle_ask_fd(self, (int)op->result, VARVE_HANDLE_ANONYMOUS, NULL, 0);
	ring_made((int)op->result, params);
}

void before_ring_close(struct thread *self, struct op *op)
{
	const struct ring_of_library *library = library_ring(self, op->buf);
	op->fd = library ? library->fd : -1;
	handle_forget_fd(op->fd);
}

static uint64_t ring_key(const struct ring *ring, uint64_t user_data)
{
	return ((user_data * 0x9e3779b97f4a7c15ull) ^ ((uint64_t)ring->number << 40)) | 1;
}

/* The bytes that a request is to transfer. */
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
	case OPCODE_READ_MULTISHOT:
	case OPCODE_READV_FIXED:
		return DIRECTION_READ;
	case IORING_OP_WRITE:
	case IORING_OP_WRITEV:
	case IORING_OP_WRITE_FIXED:
	case IORING_OP_SEND:
	case IORING_OP_SENDMSG:
	case OPCODE_SEND_ZC:
	case OPCODE_SENDMSG_ZC:
	case OPCODE_WRITEV_FIXED:
		return DIRECTION_WRITE;
	default:
		return DIRECTION_NONE;
	}
}

static bool makes_descriptor(uint32_t opcode)
{
	return opcode == IORING_OP_OPENAT || opcode == IORING_OP_OPENAT2 ||
	       opcode == IORING_OP_ACCEPT || opcode == OPCODE_SOCKET;
}

/* Whether the result may be above 0; for these operations it is 0 or an error number. */
static bool result_above_zero(uint32_t opcode)
{
	switch (opcode) {
	case IORING_OP_NOP:
	case IORING_OP_FSYNC:
	case IORING_OP_SYNC_FILE_RANGE:
	case IORING_OP_FALLOCATE:
	case IORING_OP_FADVISE:
	case IORING_OP_MADVISE:
	case IORING_OP_CLOSE:
	case IORING_OP_STATX:
	case IORING_OP_TIMEOUT:
	case IORING_OP_LINK_TIMEOUT:
		return false;
	default:
		return true;
	}
}

/* For requests that change registered files: forgets the changed ones. */
static void files_change(struct ring *ring, const struct io_uring_sqe *sqe)
{
	bool descriptor = makes_descriptor(sqe->opcode) || sqe->opcode == IORING_OP_CLOSE;
	if (descriptor && sqe->file_index == UINT32_MAX)
		ring_files_forget(ring, 0, RING_FILES);
	else if (descriptor && sqe->file_index)
		ring_files_forget(ring, sqe->file_index - 1, 1);
	else if (sqe->opcode == IORING_OP_FILES_UPDATE)
		ring_files_forget(ring, sqe->off < RING_FILES ? (uint32_t)sqe->off : 0, RING_FILES);
	else if (sqe->opcode == OPCODE_MSG_RING)
		rings_files_forget();
}

static struct request ring_request_made(const struct ring *ring, const struct io_uring_sqe *sqe,
					uint64_t pair)
{
	enum direction direction = direction_of(sqe->opcode);
	bool pipes = sqe->opcode == IORING_OP_SPLICE || sqe->opcode == IORING_OP_TEE;
	return (struct request){
		.direction = direction,
		.fd = pair_fd(pair),
		.handle = pair_handle(pair),
		.ring = ring->number,
		.above_zero = result_above_zero(sqe->opcode),
		.moves = direction != DIRECTION_NONE || pipes,
		/* With a file index, the new file goes into the ring's own table. */
		.makes_descriptor = makes_descriptor(sqe->opcode) && !sqe->file_index,
	};
}

/* Takes the next completion of a ring and ends its request, in one step as seen by other threads. */
static bool completion_take(struct thread *self, struct ring *ring, struct io_uring_cqe *cqe,
			    struct request *request, uint32_t *lost)
{
	bool held = table_lock(TABLE_RINGS);
	bool there = ring_next_completion(self, ring, cqe, lost);
	if (there)
		*request = request_done(ring_key(ring, cqe->user_data), cqe->res,
					!(cqe->flags & IORING_CQE_F_MORE));
	if (held)
		table_lock_end(TABLE_RINGS);
	return there;
}

INNER bool inner_completion(int fd)
{
	struct thread *self = wrap_enter();
	struct io_uring_cqe cqe;
	struct request request;
	uint32_t lost = 0;
	if (!self)
		return false;
	struct ring *ring = ring_find(fd);
	bool there = ring && completion_take(self, ring, &cqe, &request, &lost);
	if (lost) {
		uint64_t word = lost;
		_Static_assert(WORDS_async_ring_unseen == 1, "unseen completions have one word");
		inner_record(self, CALL_async_ring_unseen, &word, WORDS_async_ring_unseen, 0);
		self = there ? wrap_enter() : NULL;
	}
	if (!there || !self) {
		if (self)
			busy_release(self);
		return there;
	}
	if (cqe.res >= 0 && request.makes_descriptor)
		handle_forget_fd(cqe.res);
	/* A notification only reports that a buffer is free again. */
	bool moved = request.moves && cqe.res > 0 && !(cqe.flags & CQE_NOTIFICATION);
	uint64_t pair = word_fd_then(self, request.fd, request.handle);
	bool booked = moved && request.direction != DIRECTION_NONE && pair_handle(pair);
	if (moved && !booked)
		loss_count(LOSS_RING_FILE, 1);
	uint64_t words[] = {request.number, pair, request.direction,
			    booked ? (uint64_t)cqe.res : 0};
	_Static_assert(WORDS_async_ring_event == 4, "a completion has four words");
	inner_record(self, CALL_async_ring_event, words, WORDS_async_ring_event, cqe.res);
	return true;
}

static void completions_record(int fd)
{
	while (inner_completion(fd))
		;
}

/* The thread is busy at the beginning, and no longer at the end. Programs use a key again after they have taken its completion,
 * which inline functions do: that completion may not be recorded yet. */
INLINE void ring_request_record(struct thread *self, int fd, const struct io_uring_sqe *sqe)
{
	struct ring *ring = ring_find(fd);
	if (ring && request_is_open(ring_key(ring, sqe->user_data))) {
		busy_release(self);
		completions_record(fd);
		self = wrap_enter();
		ring = ring_find(fd);
	}
	if (!self)
		return;
	uint64_t pair =
		sqe->flags & IOSQE_FIXED_FILE ? ring_file(ring, sqe->fd) : word_fd(self, sqe->fd);
	uint64_t words[] = {0, sqe->opcode, pair, sqe->off, request_size(self, sqe), sqe->flags};
	_Static_assert(WORDS_async_ring_request == 6, "a request of io_uring has six words");
	if (ring) {
		struct request made = ring_request_made(ring, sqe, pair);
		/* A request that has no completion when it succeeds is not kept as in flight. */
		bool skips = sqe->flags & REQUEST_SKIPS_SUCCESS;
		words[0] = request_add(skips ? 0 : ring_key(ring, sqe->user_data), &made);
		if (skips && made.moves)
			loss_count(LOSS_RING_FILE, 1);
		files_change(ring, sqe);
	}
	if (sqe->opcode == IORING_OP_CLOSE && !sqe->file_index)
		handle_forget_fd(sqe->fd);
	inner_record(self, CALL_async_ring_request, words, WORDS_async_ring_request, 0);
}

/* Records the request at index `at` of those that liburing is about to show to the kernel. False: there are no more. */
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
	if (there && ring_submission_claim(self, ring_find(library->fd), at))
		ring_request_record(self, library->fd, &sqe);
	else
		busy_release(self);
	return there;
}

/* Records a request that the program has shown to the kernel itself. False: there are no more. */
INNER bool inner_shown_request(int fd)
{
	struct thread *self = wrap_enter();
	struct io_uring_sqe sqe;
	if (!self)
		return false;
	struct ring *ring = ring_find(fd);
	bool there = ring && ring_next_submission(self, ring, &sqe);
	if (there)
		ring_request_record(self, fd, &sqe);
	else
		busy_release(self);
	return there;
}

/* The descriptor of a ring of liburing; -1: not known. */
INNER int ring_number(const void *ring)
{
	struct thread *self = wrap_enter();
	if (!self)
		return -1;
	const struct ring_of_library *library = library_ring(self, ring);
	int fd = library && ring_find(library->fd) ? library->fd : -1;
	busy_release(self);
	return fd;
}

/* Records requests that the program has shown to the kernel by its own instructions. */
static void shown_requests_record(int fd)
{
	while (inner_shown_request(fd))
		;
}

void begun_ring_submit(const struct op *op)
{
	shown_requests_record(ring_number(op->buf));
	/* Before the call, because the process may end while this thread waits. */
	for (uint32_t at = 0; inner_library_request(op->buf, at); at++)
		;
}

void returned_ring_submit(const struct op *op)
{
	completions_record(ring_number(op->buf));
}

void returned_ring_reap(const struct op *op)
{
	int fd = ring_number(op->buf);
	shown_requests_record(fd);
	completions_record(fd);
}

void begun_ring_close(const struct op *op)
{
	struct ring *ring = ring_find(op->fd);
	/* A child that closes its parent's ring leaves completions to the parent. */
	if (ring && !ring_of_parent(ring))
		completions_record(op->fd);
	/* The ring's memory is unmapped, so a duplicate of the descriptor cannot be used either. */
	if (ring)
		ring->copy = 0;
	ring_forget(op->fd);
}

void begun_ring_enter(const struct op *op)
{
	if (!(op->flags & ENTER_REGISTERED))
		shown_requests_record(op->fd);
}

void returned_ring_enter(const struct op *op)
{
	if (!(op->flags & ENTER_REGISTERED))
		completions_record(op->fd);
}

/* The ring of a call of liburing that was successful; otherwise NULL. */
static struct ring *ring_of(struct thread *self, const struct op *op)
{
	const struct ring_of_library *library = library_ring(self, op->buf);
	return library && !op->failed ? ring_find(library->fd) : NULL;
}

static void files_replace(struct thread *self, struct ring *ring, const void *files, uint32_t count)
{
	ring_files_forget(ring, 0, RING_FILES);
	ring_files_note(self, ring, 0, files, count);
}

void after_ring_files(struct thread *self, struct op *op)
{
	struct ring *ring = ring_of(self, op);
	if (ring)
		files_replace(self, ring, op->items, (uint32_t)op->number);
}

void after_ring_files_update(struct thread *self, struct op *op)
{
	struct ring *ring = ring_of(self, op);
	if (ring && op->items)
		ring_files_note(self, ring, op->first, op->items, (uint32_t)op->result);
}

void after_ring_files_gone(struct thread *self, struct op *op)
{
	struct ring *ring = ring_of(self, op);
	if (ring)
		ring_files_forget(ring, 0, RING_FILES);
}

/* Copies the argument of a registration by system call; false: it cannot be read. */
static bool argument_read(struct thread *self, const struct op *op, void *into, size_t size)
{
	if (!op->items || !memory_readable(self, op->items, size))
		return false;
	memcpy(into, op->items, size);
	return true;
}

static void files_updated(struct thread *self, struct ring *ring, const struct op *op,
			  uint32_t first, uint64_t files)
{
	ring_files_note(self, ring, first, (const int *)(uintptr_t)files, (uint32_t)op->result);
}

void after_ring_register(struct thread *self, struct op *op)
{
	struct ring *ring = op->failed ? NULL : ring_find(op->fd);
	struct io_uring_rsrc_register made;
	struct io_uring_rsrc_update2 changed;
	struct io_uring_files_update older;
	/* The ring is given by an index in the kernel's table, so it is not known which one it is. */
	if (!op->failed && op->cmd & REGISTER_REGISTERED)
		rings_files_forget();
	if (!ring || op->cmd & REGISTER_REGISTERED)
		return;
	switch (op->cmd) {
	case IORING_REGISTER_FILES:
		files_replace(self, ring, op->items, (uint32_t)op->number);
		break;
	case IORING_UNREGISTER_FILES:
		ring_files_forget(ring, 0, RING_FILES);
		break;
	case IORING_REGISTER_FILES_UPDATE:
		if (argument_read(self, op, &older, sizeof older))
			files_updated(self, ring, op, older.offset, older.fds);
		break;
	case IORING_REGISTER_FILES2:
		if (argument_read(self, op, &made, sizeof made))
			files_replace(self, ring, (const void *)(uintptr_t)made.data, made.nr);
		break;
	case IORING_REGISTER_FILES_UPDATE2:
		if (argument_read(self, op, &changed, sizeof changed))
			files_updated(self, ring, op, changed.offset, changed.data);
		break;
	default:
		break;
	}
}
