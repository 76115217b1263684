/* Record: inner records: the parts of a call that does several things at once.
 *
 * Hooks `begun` (right before the real function) and `returned` (right after it) make them while the thread is not busy: they are
 * calls like others, and may cut the lane. Such a function begins and ends a record at once, and is never inlined, so that its
 * frame is inside that of the wrapper.
 */
#ifndef RECORD_INNER_H
#define RECORD_INNER_H

#include "record/manual.h"

#define INNER static __attribute__((noinline))

/* The caller has made the words after wrap_enter(). */
INLINE void inner_record(struct thread *self, uint16_t id, const uint64_t *words, unsigned count,
			 int64_t result)
{
	struct call call;
	if (UNLIKELY(self->inner_hidden)) {
		/* The enclosing call leaves no record, so its parts leave none either; unless a handler has left that call by
		 * longjmp. */
		if ((uintptr_t)__builtin_frame_address(0) < self->inner_hidden) {
			busy_release(self);
			return;
		}
		self->inner_hidden = 0;
	}
	manual_begin(self, &call, id, words, count);
	manual_end(self, &call, result, result < 0, (int)-result);
}

#endif
