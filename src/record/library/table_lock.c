/* Record: waiting for the lock of a table. See table_lock.h. */
#include "record/library/table_lock.h"

#include <pthread.h>

/* Waiting is bounded, because a thread may never return to the recorder's work (longjmp out of a handler). After YIELDS turns a
 * thread sleeps; NAPS of NAP_NS are some seconds. SPINS: where no system call is allowed. */
enum { YIELDS = 100, NAPS = 50000, NAP_NS = 100000, SPINS = 10000000 };

uint32_t table_lock_holders[TABLE_COUNT];

/* For each lock, the thread that has held it for too long. */
static uint32_t table_lock_lost[TABLE_COUNT];

/* The locks that fork() holds, as bits. */
static __thread unsigned for_fork __attribute__((tls_model("initial-exec")));

static void pause_for(unsigned turn)
{
	struct timespec nap = {0, NAP_NS};
	if (recorder.quiet)
		__asm__ volatile("pause" ::: "memory");
	else if (turn < YIELDS)
		sys6(SYS_sched_yield, 0, 0, 0, 0, 0, 0);
	else
		sys6(SYS_nanosleep, sys_address(&nap), 0, 0, 0, 0, 0);
}

bool table_lock_wait(enum locked_table table)
{
	uint32_t self = table_lock_holder();
	unsigned most = recorder.quiet ? SPINS : NAPS;
	for (unsigned turn = 0; turn < most; turn++) {
		uint32_t holder = 0;
		if (__atomic_compare_exchange_n(&table_lock_holders[table], &holder, self, false,
						__ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) {
			__atomic_store_n(&table_lock_lost[table], 0, __ATOMIC_RELAXED);
			return true;
		}
		bool again = holder == __atomic_load_n(&table_lock_lost[table], __ATOMIC_RELAXED);
		if (holder == self || (again && turn == YIELDS))
			break;
		pause_for(turn);
		if (turn + 1 == most)
			__atomic_store_n(&table_lock_lost[table], holder, __ATOMIC_RELAXED);
	}
	loss_count(LOSS_UNTRACKED, 1);
	return false;
}

static void fork_begins(void)
{
	for_fork = 0;
	for (unsigned i = 0; i < TABLE_COUNT; i++)
		if (table_lock_holders[i] != table_lock_holder() &&
		    table_lock((enum locked_table)i))
			for_fork |= 1u << i;
}

static void fork_ended(void)
{
	for (unsigned i = 0; i < TABLE_COUNT; i++)
		if (for_fork >> i & 1)
			table_lock_end((enum locked_table)i);
	for_fork = 0;
}

void table_locks_prepare(void)
{
	pthread_atfork(fork_begins, fork_ended, fork_ended);
}

void table_locks_after_fork(void)
{
	for (unsigned i = 0; i < TABLE_COUNT; i++)
		if (table_lock_holders[i] != table_lock_holder())
			table_lock_holders[i] = 0;
}
