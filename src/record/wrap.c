/* Record: the parts of the path of a call that are not inlined: first calls, handlers that interrupt the recorder's work, calls
 * that longjmp left, returns into another block or another process. See wrap.h.
 */
#include "record/wrap.h"

#include "base/sys.h"
#include "record/loader/regions.h"
#include "record/mpi/runtime.h"
#include "record/ops.h"

/* The thread's own stack is taken to end STACK_DEPTH below its top. Elsewhere, two addresses within STACK_NEAR are on the same
 * stack. */
enum { STACK_DEPTH = 64 << 20, STACK_NEAR = 64 << 10 };

static bool same_stack(const struct thread *self, uintptr_t low, uintptr_t high)
{
	if (low <= self->stack_top && self->stack_top < high)
		return false;
	return (self->stack_top >= high && self->stack_top - low < STACK_DEPTH) ||
	       high - low < STACK_NEAR;
}

/* Marks the thread as busy, even if a handler has interrupted the recorder's work. False: too many handlers are nested. */
bool busy_nest(struct thread *self, uintptr_t frame)
{
	/* Work in frames below this one was left by longjmp: it will never continue. */
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
	/* Read first: a handler may run before the last store, and use the same place. */
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

/* Forgets open calls that were left by longjmp, an exception or a cancellation: the stack has grown over their frames again. */
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
		/* Left by longjmp, or this is a handler on another stack. */
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
		/* A handler forked meanwhile: this process is the child and has no lane. */
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
	/* The lane cannot be cut while a handler interrupts the recorder's work; handlers use the reserve. */
	if (self->lane->position <= self->limit + LANE_RESERVE)
		return self;
	loss_count(LOSS_HANDLER, 1);
	busy_leave(self);
	return NULL;
}

uint64_t *return_slow(struct thread *self, struct call *call)
{
	/* A handler left the cutting of a lane by longjmp. */
	if (self->busy == BUSY_CUT) {
		loss_count(LOSS_HANDLER, 1);
		return NULL;
	}
	if (self->busy != call->frame && !busy_nest(self, call->frame)) {
		loss_count(LOSS_HANDLER, 1);
		return NULL;
	}
	/* A child that was forked inside the real function: the call belongs to the parent. */
	if (self->ready != self->pulse->alive) {
		busy_leave(self);
		return NULL;
	}
	if (self->open_count > call->index && self->open[call->index].frame == call->frame) {
		/* Calls above this one were left without a return; regions that began inside it may continue. */
		uint64_t *slot = self->open[call->index].slot;
		if (self->open_count > call->index + 1) {
			open_ended(self, call->index);
			call->index = self->open_count;
		}
		return slot;
	}
	/* This call was dropped as one that longjmp left, because it runs on another stack. Its record is still in place, unless
	 * the lane was cut meanwhile; then the record is complete except for its result. */
	if (self->tag == call->tag) {
		call->index = self->open_count;
		return call->slot;
	}
	busy_leave(self);
	return NULL;
}

/* After a vfork: finds out whether the child still runs on its parent's thread, or the parent again. */
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

/* The result of waitid() in the form of wait(), with the pid in the upper half. */
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
