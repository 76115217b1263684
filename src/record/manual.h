/* Record: functions for wrappers that are written by hand. */
#ifndef RECORD_MANUAL_H
#define RECORD_MANUAL_H

#include "call_ids.h"
#include "real.h"
#include "record/lane/lanes.h"
#include "record/switches.h"

#define EXPORTED __attribute__((visibility("default")))

/* A process of this run may start that has no lane yet: makes the collector search for it. */
INLINE void child_expected(void)
{
	__atomic_fetch_add(&recorder.control->children, 1, __ATOMIC_RELAXED);
}

/* The same for a child that does not share the parent's memory. */
INLINE void fork_expected(void)
{
	child_expected();
	lanes_inherit();
}

/* fork.c: a call whose child runs on this thread until it execs or ends. */
void vfork_begin(struct thread *self, uint16_t id, const uint64_t *words, unsigned count);
void vfork_end(struct thread *self, long result, int error);

/* Index of a call that leaves no record. */
#define CALL_HIDDEN UINT32_MAX

/* Begins the record of a call whose argument words are made already. When the row is off, everything else is done, but there is no
 * record. */
INLINE void manual_begin(struct thread *self, struct call *call, uint16_t id, const uint64_t *words,
			 unsigned count)
{
	if (UNLIKELY(call_switch[id]) && call_switched(id, true, NULL, 0) != SWITCHED_RECORD) {
		call->index = CALL_HIDDEN;
		busy_release(self);
		return;
	}
	uint64_t *slot = wrap_reserve(self, WORD_ARGUMENTS + count);
	for (unsigned i = 0; i < count; i++)
		slot[WORD_ARGUMENTS + i] = words[i];
	wrap_begin(self, call, slot, id, WORD_ARGUMENTS + count);
}

/* The record to complete, or NULL. */
INLINE uint64_t *manual_return(struct thread *self, struct call *call)
{
	return call->index == CALL_HIDDEN ? NULL : wrap_return(self, call);
}

/* Completes it; if `failed`, with this errno. */
INLINE void manual_end(struct thread *self, struct call *call, int64_t result, bool failed,
		       int error)
{
	uint64_t *slot = manual_return(self, call);
	if (!slot)
		return;
	if (failed)
		wrap_fail(self, call, slot, result, error);
	else
		wrap_end(self, call, slot, result);
}

#endif
