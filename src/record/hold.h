/* Record: a table that all threads of a process share is held by one of them at a time, for moments.
 *
 * Waiting is bounded: a signal handler on top of the thread that holds it would wait for ever. Who gives up is counted.
 */
#ifndef RECORD_HOLD_H
#define RECORD_HOLD_H

#include "base/sys.h"
#include "record/state.h"

enum { HOLD_PATIENCE = 10000 };

/* False: it could not be had. */
static inline bool hold(uint32_t *lock)
{
	for (unsigned patience = 0; UNLIKELY(__atomic_exchange_n(lock, 1, __ATOMIC_ACQUIRE));
	     patience++) {
		if (patience == HOLD_PATIENCE || recorder.quiet) {
			loss_count(LOSS_UNTRACKED, 1);
			return false;
		}
		sys6(SYS_sched_yield, 0, 0, 0, 0, 0, 0);
	}
	return true;
}

static inline void hold_end(uint32_t *lock)
{
	__atomic_store_n(lock, 0, __ATOMIC_RELEASE);
}

/* Memory of our own for a table that is held and used for the first time. NULL: there is none, and it is held no more. */
static inline void *hold_memory(uint32_t *lock, size_t size)
{
	void *memory = sys_memory(size);
	if (memory)
		return memory;
	hold_end(lock);
	loss_count(LOSS_UNTRACKED, 1);
	return NULL;
}

#endif
