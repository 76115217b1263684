/* Record: what the inlined path of a call leaves to functions: first calls, handlers on top of our own work, calls that
 * were left by longjmp, returns into another block or another process. See wrap.h.
 */
#include "record/wrap.h"

#include "base/sys.h"
#include "record/loader/regions.h"
#include "record/mpi/runtime.h"
#include "record/ops.h"

/* Stacks deeper than this are not distinguished from other stacks. */
enum { STACK_DEPTH = 64 << 20, STACK_NEAR = 64 << 10 };

static bool same_stack(const struct thread *self, uintptr_t low, uintptr_t high)
{
	if (low <= self->stack_top && self->stack_top < high)
		return false;
	return (self->stack_top >= high && self->stack_top - low < STACK_DEPTH) ||
	       high - low < STACK_NEAR;
}

/* Marks our own work as begun when a handler interrupted it already. False: no more handlers fit. */
bool busy_nest(struct thread *self, uintptr_t frame)
{
	/* Frames below ours were left by longjmp: their work will never go on. */
	while (self->busy && self->busy <= frame && same_stack(self, self->busy, frame))
		busy_release(self);
	if (self->busy) {
		if (self->nested == NESTED_MOST)
			return false;
		self->outer[self->nested] = self->busy;
		self->outer_place[self->nested] = self->place;
		BARRIER();
		self->nested++;
	}
	self->busy = frame;
	BARRIER();
	return true;
}

void busy_unnest(struct thread *self)
{
	/* Read first: the next handler may come before the last store, and use the same place. */
	uint32_t below = self->nested - 1;
	uintptr_t busy = self->outer[below];
	self->place = self->outer_place[below];
	BARRIER();
	self->nested = below;
	BARRIER();
	self->busy = busy;
}

static void busy_leave(struct thread *self)
{
	busy_release(self);
}

/* Forgets open calls that longjmp, an exception or a cancellation left: the stack has grown back over their frames. */
bool calls_drop(struct thread *self, uintptr_t frame)
{
	while (self->open_count) {
		const struct open_call *last = &self->open[self->open_count - 1];
		if (last->slot && (last->frame > frame || !same_stack(self, last->frame, frame)))
			break;
		self->open_count--;
	}
	if (UNLIKELY(self->shells) && self->open_count < self->shells_from)
		shell_left();
	if (UNLIKELY(self->runtime_from > self->open_count))
		runtime_leave(self);
	if (self->open_count <= DEPTH_MOST)
		return true;
	loss_count(LOSS_DEEP, 1);
	busy_leave(self);
	return false;
}

struct thread *enter_slow(struct thread *self, uintptr_t frame)
{
	if (self->busy == BUSY_CUT) {
		loss_count(LOSS_HANDLER, 1);
		return NULL;
	}
	if (self->busy & BUSY_ASKING) {
		uintptr_t asking = self->busy & ~BUSY_ASKING;
		if (frame < asking && same_stack(self, frame, asking))
			return NULL;
		/* Left by longjmp, or a handler on a stack of its own. */
		self->busy = asking;
	}
	for (;;) {
		int saved = errno;
		struct thread *started =
			self->ready == self->pulse->alive ? self : thread_start(self);
		errno = saved;
		if (!started)
			return NULL;
		if (!busy_nest(self, frame)) {
			loss_count(LOSS_HANDLER, 1);
			return NULL;
		}
		if (self->ready == self->pulse->alive)
			break;
		/* A handler that forked in between made this a child without a lane. */
		busy_leave(self);
	}
	if (self->open_count && !calls_drop(self, frame))
		return NULL;
	if (self->lane->position <= self->limit)
		return self;
	if (!self->nested) {
		lane_cut(self);
		return self;
	}
	/* The lane cannot be cut under the work that was interrupted; there is a reserve for that. */
	if (self->lane->position <= self->limit + LANE_RESERVE)
		return self;
	loss_count(LOSS_HANDLER, 1);
	busy_leave(self);
	return NULL;
}

uint64_t *return_slow(struct thread *self, struct call *call)
{
	/* A handler left the cut of a lane by longjmp. */
	if (self->busy == BUSY_CUT) {
		loss_count(LOSS_HANDLER, 1);
		return NULL;
	}
	if (self->busy != call->frame && !busy_nest(self, call->frame)) {
		loss_count(LOSS_HANDLER, 1);
		return NULL;
	}
	/* A child that fork made inside the real function: the call was its parent's. */
	if (self->ready != self->pulse->alive) {
		busy_leave(self);
		return NULL;
	}
	if (self->open_count > call->index && self->open[call->index].frame == call->frame) {
		/* Calls above ours were left without returning; regions that were begun in it may go on. */
		uint64_t *slot = self->open[call->index].slot;
		if (self->open_count > call->index + 1) {
			open_ended(self, call->index);
			call->index = self->open_count;
		}
		return slot;
	}
	/* Ours was taken for one that was left (it runs on another stack). Its record still is where it was, unless
	 * the lane has been cut since; then the record is complete but for its result. */
	if (self->tag == call->tag) {
		call->index = self->open_count;
		return call->slot;
	}
	busy_leave(self);
	return NULL;
}

/* After a vfork: is this the child, on its parent's thread, or the parent again? */
unsigned vfork_mark(struct thread *self)
{
	if (recorder.quiet || (uint32_t)sys_getpid() != self->vfork_pid)
		return MARK_VFORK;
	self->vfork_pid = 0;
	return 0;
}

unsigned marks_look(struct thread *self, uint16_t id, const uint64_t *words)
{
	unsigned marks = self->vfork_pid ? vfork_mark(self) : 0;
	return self->runtime ? marks | runtime_mark(self, id, words) : marks;
}

uint64_t word_vector(struct thread *self, const struct iovec *vector, int count)
{
	uint64_t bytes = 0;
	if (count <= 0 || count > 1024 ||
	    !memory_readable(self, vector, (size_t)count * sizeof *vector))
		return 0;
	for (int i = 0; i < count; i++)
		bytes += vector[i].iov_len;
	return bytes;
}

/* The result of waitid() in the form of wait(); the process above it. */
uint64_t word_waited(const siginfo_t *info)
{
	if (!info || info->si_pid == 0)
		return 0;
	uint32_t number = (uint32_t)info->si_status & 0xff, status;
	switch (info->si_code) {
	case CLD_EXITED:
		status = number << 8;
		break;
	case CLD_KILLED:
		status = number;
		break;
	case CLD_DUMPED:
		status = number | 0x80;
		break;
	case CLD_CONTINUED:
		status = 0xffff;
		break;
	default:
		status = number << 8 | 0x7f;
	}
	return (uint64_t)(uint32_t)info->si_pid << 32 | status;
}
