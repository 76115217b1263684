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
enum locked_table {
	TABLE_LAYOUTS,
	TABLE_ENTITIES,
	TABLE_REQUESTS,
	TABLE_ROOMS,
	TABLE_LIBRARIES,
	TABLE_RINGS,
	TABLE_COUNT
};

/* Who holds each; 0: nobody. */
extern uint32_t table_lock_holders[TABLE_COUNT];

/* A number for the calling thread: structs of threads are further apart than this tells. */
static inline uint32_t table_lock_holder(void)
{
	return (uint32_t)((uintptr_t)&thread_self >> 6) | 1;
}

/* Somebody has it. */
bool table_lock_wait(enum locked_table table);

/* False: it could not be had. */
static inline bool table_lock(enum locked_table table)
{
	uint32_t nobody = 0;
	return LIKELY(__atomic_compare_exchange_n(&table_lock_holders[table], &nobody,
						  table_lock_holder(), false, __ATOMIC_ACQUIRE,
						  __ATOMIC_RELAXED)) ||
	       table_lock_wait(table);
}

static inline void table_lock_end(enum locked_table table)
{
	__atomic_store_n(&table_lock_holders[table], 0, __ATOMIC_RELEASE);
}

/* The same, and memory of our own for the table that this is the pointer to, when it is used for the first time. */
static inline bool table_lock_with(enum locked_table table, void *pointer, size_t size)
{
	void *memory;
	if (!table_lock(table))
		return false;
	memcpy(&memory, pointer, sizeof memory);
	if (UNLIKELY(!memory)) {
		memory = recorder.quiet ? NULL : sys_memory(size);
		memcpy(pointer, &memory, sizeof memory);
	}
	if (LIKELY(memory))
		return true;
	table_lock_end(table);
	loss_count(LOSS_UNTRACKED, 1);
	return false;
}

/* From now on fork() holds all of them, from after the program's own preparations until before what it does after it: it may
 * wait for others there, which may wait for these. */
void table_locks_prepare(void);
/* In a child that was made otherwise: threads that held anything are not here. */
void table_locks_after_fork(void);

#endif
