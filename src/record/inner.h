/* Record: records inside the one that is open: the parts of a call that does many things at once.
 *
 * Hooks `begun` (just before the real function) and `returned` (just after it) make them, while our own work is not marked:
 * they are calls like others, which may cut the lane. Such a function begins and ends a record at once, and is never
 * inlined: its frame shows that it is inside the wrapper's.
 */
#ifndef RECORD_INNER_H
#define RECORD_INNER_H

#include "record/manual.h"

#define INNER static __attribute__((noinline))

/* From wrap_enter to here the words were made. */
INLINE void inner_record(struct thread *self, uint16_t id, const uint64_t *words, unsigned count,
			 int64_t result)
{
	struct call call;
	if (UNLIKELY(self->inner_hidden)) {
		/* The call that this is a part of leaves no record; unless a handler has left it by longjmp. */
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
