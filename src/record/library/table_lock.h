/* Record: locks of the tables that all threads of a process share: one thread holds a table at a time, for moments.
 *
 * A thread that finds a table locked waits. A signal handler that interrupts the thread with the lock would wait for ever: it
 * continues without the table, which is counted as a loss. fork() takes all locks, so that the child finds no table half changed.
 * After a thread has held a lock for seconds, others wait for it only a moment.
 */
#ifndef RECORD_LIBRARY_TABLE_LOCK_H
#define RECORD_LIBRARY_TABLE_LOCK_H

#include "base/sys.h"
#include "record/recorder.h"

#include <string.h>

/* In the order in which they are taken: the holder of TABLE_LAYOUTS may take TABLE_ENTITIES. */
enum locked_table {
	TABLE_LAYOUTS,
	TABLE_ENTITIES,
	TABLE_REQUESTS,
	TABLE_ROOMS,
	TABLE_LIBRARIES,
	TABLE_RINGS,
	TABLE_COUNT
};

/* The holder of each lock; 0: none. */
extern uint32_t table_lock_holders[TABLE_COUNT];

/* A number for the calling thread, from its address: addresses of threads differ in more than the bits that are dropped. */
static inline uint32_t table_lock_holder(void)
{
	return (uint32_t)((uintptr_t)&thread_self >> 6) | 1;
}

/* Waits for a lock that is held. */
bool table_lock_wait(enum locked_table table);

/* Takes the lock of a table; false: it could not be taken. */
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

/* The same; allocates the table that `pointer` leads to at its first use. */
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

/* From now on fork() holds all locks. It takes them after the program's handlers before the fork, and releases them before those
 * after it: these handlers may wait for other threads, which may wait for the locks. */
void table_locks_prepare(void);
/* In a child that fork() did not make: threads that held locks do not exist here. */
void table_locks_after_fork(void);

#endif
