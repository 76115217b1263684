/* Record: tables that all threads of a process share are held by one of them at a time, for moments.
 *
 * Who meets a thread at work waits for it. A signal handler on top of the thread that holds a table would wait for ever: it
 * does without, and that is counted. fork() takes all of them: the child finds no table half changed. Who held one for seconds
 * is waited for no longer than a moment from then on.
 */
#ifndef RECORD_LIBRARY_TABLE_LOCK_H
#define RECORD_LIBRARY_TABLE_LOCK_H

#include "base/sys.h"
#include "record/recorder.h"

#include <string.h>

/* In the order in which they are taken: who holds the layouts may ask for entities. */
enum held {
	HELD_LAYOUTS,
	HELD_ENTITIES,
	HELD_REQUESTS,
	HELD_ROOMS,
	HELD_LIBRARIES,
	HELD_RINGS,
	HELD_COUNT
};

/* Who holds each; 0: nobody. */
extern uint32_t holders[HELD_COUNT];

/* A number for the calling thread: structs of threads are further apart than this tells. */
static inline uint32_t holder_self(void)
{
	return (uint32_t)((uintptr_t)&thread_self >> 6) | 1;
}

/* Somebody has it. */
bool hold_wait(enum held what);

/* False: it could not be had. */
static inline bool hold(enum held what)
{
	uint32_t nobody = 0;
	return LIKELY(__atomic_compare_exchange_n(&holders[what], &nobody, holder_self(), false,
						  __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) ||
	       hold_wait(what);
}

static inline void hold_end(enum held what)
{
	__atomic_store_n(&holders[what], 0, __ATOMIC_RELEASE);
}

/* The same, and memory of our own for the table that this is the pointer to, when it is used for the first time. */
static inline bool hold_with(enum held what, void *pointer, size_t size)
{
	void *memory;
	if (!hold(what))
		return false;
	memcpy(&memory, pointer, sizeof memory);
	if (UNLIKELY(!memory)) {
		memory = recorder.quiet ? NULL : sys_memory(size);
		memcpy(pointer, &memory, sizeof memory);
	}
	if (LIKELY(memory))
		return true;
	hold_end(what);
	loss_count(LOSS_UNTRACKED, 1);
	return false;
}

/* From now on fork() holds all of them, from after the program's own preparations until before what it does after it: it may
 * wait for others there, which may wait for these. */
void holds_prepare(void);
/* In a child that was made otherwise: threads that held anything are not here. */
void holds_after_fork(void);

#endif
