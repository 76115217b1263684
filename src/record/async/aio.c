/* Record: hooks and words of asynchronous requests of the C library and of libaio. See ops.h, words.h, inner.h.
 *
 * Requests are read when they are submitted, events when the call that returns them is finished.
 */
#include "record/ops.h"

#include "record/inner.h"
#include "record/names/requests.h"
#include "record/words.h"

#include <aio.h>
#include <linux/aio_abi.h>
#include <stddef.h>

_Static_assert(sizeof(struct aiocb) == sizeof(struct aiocb64) &&
		       offsetof(struct aiocb, aio_offset) == offsetof(struct aiocb64, aio_offset),
	       "an aiocb64 is an aiocb");

static const struct aiocb *aiocb_readable(struct thread *self, const void *request)
{
	return request && memory_readable(self, request, sizeof(struct aiocb)) ? request : NULL;
}

uint64_t word_request_new(struct thread *self, const void *request, enum direction direction)
{
	const struct aiocb *aiocb = aiocb_readable(self, request);
	if (!aiocb)
		return 0;
	struct request made = {.direction = direction,
			       .fd = aiocb->aio_fildes,
			       .handle = pair_handle(word_fd(self, aiocb->aio_fildes))};
	return request_new(request_key(request), &made);
}

uint64_t word_request(struct thread *self, const void *request)
{
	(void)self;
	return request_find(request_key(request)).number;
}

uint64_t word_request_fd(struct thread *self, const void *request)
{
	struct request found = request_find(request_key(request));
	return word_fd_then(self, found.fd, found.handle);
}

uint64_t word_request_direction(const void *request)
{
	return request_find(request_key(request)).direction;
}

uint64_t word_aiocb_fd(struct thread *self, const void *request)
{
	const struct aiocb *aiocb = aiocb_readable(self, request);
	return aiocb ? word_fd(self, aiocb->aio_fildes) : pair_make(-1, 0);
}

uint64_t word_aiocb_offset(struct thread *self, const void *request)
{
	const struct aiocb *aiocb = aiocb_readable(self, request);
	return aiocb ? (uint64_t)aiocb->aio_offset : 0;
}

uint64_t word_aiocb_size(struct thread *self, const void *request)
{
	const struct aiocb *aiocb = aiocb_readable(self, request);
	return aiocb ? aiocb->aio_nbytes : 0;
}

int aio_error_of(const void *request)
{
	return ((const struct aiocb *)request)->__error_code;
}

void after_aio_done(struct thread *self, struct op *op)
{
	(void)self;
	request_take(request_key(op->buf));
}

/* The address of a request in a list; NULL: none, or the list cannot be read. */
static const void *listed_request(struct thread *self, const void *const *item)
{
	return memory_readable(self, item, sizeof *item) ? *item : NULL;
}

/* False: the list cannot be read. */
INNER bool inner_aio_request(const void *const *item)
{
	struct thread *self = wrap_enter();
	if (!self)
		return false;
	bool there = memory_readable(self, item, sizeof *item);
	const struct aiocb *aiocb = aiocb_readable(self, there ? *item : NULL);
	if (!aiocb || aiocb->aio_lio_opcode == LIO_NOP) {
		busy_release(self);
		return there;
	}
	enum direction direction =
		aiocb->aio_lio_opcode == LIO_READ ? DIRECTION_READ : DIRECTION_WRITE;
	uint64_t words[] = {word_request_new(self, aiocb, direction),
			    (uint64_t)aiocb->aio_lio_opcode, word_fd(self, aiocb->aio_fildes),
			    (uint64_t)aiocb->aio_offset, aiocb->aio_nbytes};
	_Static_assert(WORDS_posix_aio_request == 5, "a request of lio_listio has five words");
	inner_record(self, CALL_posix_aio_request, words, WORDS_posix_aio_request, 0);
	return true;
}

void begun_aio_list(const struct op *op)
{
	const void *const *list = op->items;
	for (long i = 0; list && i < op->number && inner_aio_request(&list[i]); i++)
		;
}

static enum direction iocb_direction(unsigned opcode)
{
	if (opcode == IOCB_CMD_PREAD || opcode == IOCB_CMD_PREADV)
		return DIRECTION_READ;
	return opcode == IOCB_CMD_PWRITE || opcode == IOCB_CMD_PWRITEV ? DIRECTION_WRITE
								       : DIRECTION_NONE;
}

/* The bytes that a request of libaio is to transfer. */
static uint64_t iocb_size(struct thread *self, const struct iocb *iocb)
{
	const struct iovec *vector = (const struct iovec *)(uintptr_t)iocb->aio_buf;
	switch (iocb->aio_lio_opcode) {
	case IOCB_CMD_PREAD:
	case IOCB_CMD_PWRITE:
		return iocb->aio_nbytes;
	case IOCB_CMD_PREADV:
	case IOCB_CMD_PWRITEV:
		return iocb->aio_nbytes > 1024 ? 0
					       : word_vector(self, vector, (int)iocb->aio_nbytes);
	default:
		return 0;
	}
}

/* False: there is no request that can be read; the rest of the list is skipped. */
INNER bool inner_io_request(const void *const *item)
{
	struct thread *self = wrap_enter();
	if (!self)
		return false;
	const struct iocb *iocb = listed_request(self, item);
	if (!iocb || !memory_readable(self, iocb, sizeof *iocb)) {
		busy_release(self);
		return false;
	}
	uint64_t pair = word_fd(self, (int)iocb->aio_fildes);
	struct request made = {.direction = iocb_direction(iocb->aio_lio_opcode),
			       .fd = pair_fd(pair),
			       .handle = pair_handle(pair)};
	uint64_t words[] = {request_new(request_key(iocb), &made), iocb->aio_lio_opcode, pair,
			    (uint64_t)iocb->aio_offset, iocb_size(self, iocb)};
	_Static_assert(WORDS_async_io_request == 5, "a request of libaio has five words");
	inner_record(self, CALL_async_io_request, words, WORDS_async_io_request, 0);
	return true;
}

void begun_submit(const struct op *op)
{
	const void *const *list = op->items;
	for (long i = 0; list && i < op->number && inner_io_request(&list[i]); i++)
		;
}

INNER void inner_io_event(const struct io_event *event)
{
	struct thread *self = wrap_enter();
	if (!self)
		return;
	struct request request = request_take(event->obj);
	bool moved = request.direction != DIRECTION_NONE && event->res > 0;
	uint64_t words[] = {request.number, word_fd_then(self, request.fd, request.handle),
			    request.direction, moved ? (uint64_t)event->res : 0};
	_Static_assert(WORDS_async_io_event == 4, "an event of libaio has four words");
	inner_record(self, CALL_async_io_event, words, WORDS_async_io_event, event->res);
}

void returned_reap(const struct op *op)
{
	const struct io_event *events = op->buf;
	for (int64_t i = 0; i < op->result; i++)
		inner_io_event(&events[i]);
}

/* Most kernels report a cancelled request like others, and the cancellation as in progress. */
void returned_cancel(const struct op *op)
{
	if (op->result == 0 && op->buf)
		inner_io_event(op->buf);
}
