/* Record: waiting for a table that another thread holds. See table_lock.h. */
#include "record/library/table_lock.h"

#include <pthread.h>

/* Waiting is bounded nevertheless: a thread may have been left for good in the middle of our work (longjmp out of a handler).
 * YIELDS: then it sleeps; NAPS of NAP_NS are some seconds; SPINS: where no system call may be made. */
enum { YIELDS = 100, NAPS = 50000, NAP_NS = 100000, SPINS = 10000000 };

uint32_t holders[HELD_COUNT];

/* Who has held each for too long. */
static uint32_t lost[HELD_COUNT];

/* What fork() holds, as bits. */
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

bool hold_wait(enum held what)
{
	uint32_t self = holder_self();
	unsigned most = recorder.quiet ? SPINS : NAPS;
	for (unsigned turn = 0; turn < most; turn++) {
		uint32_t holder = 0;
		if (__atomic_compare_exchange_n(&holders[what], &holder, self, false,
						__ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) {
			__atomic_store_n(&lost[what], 0, __ATOMIC_RELAXED);
			return true;
		}
		bool again = holder == __atomic_load_n(&lost[what], __ATOMIC_RELAXED);
		if (holder == self || (again && turn == YIELDS))
			break;
		pause_for(turn);
		if (turn + 1 == most)
			__atomic_store_n(&lost[what], holder, __ATOMIC_RELAXED);
	}
	loss_count(LOSS_UNTRACKED, 1);
	return false;
}

static void fork_begins(void)
{
	for_fork = 0;
	for (unsigned i = 0; i < HELD_COUNT; i++)
		if (holders[i] != holder_self() && hold((enum held)i))
			for_fork |= 1u << i;
}

static void fork_ended(void)
{
	for (unsigned i = 0; i < HELD_COUNT; i++)
		if (for_fork >> i & 1)
			hold_end((enum held)i);
	for_fork = 0;
}

void holds_prepare(void)
{
	pthread_atfork(fork_begins, fork_ended, fork_ended);
}

void holds_after_fork(void)
{
	for (unsigned i = 0; i < HELD_COUNT; i++)
		if (holders[i] != holder_self())
			holders[i] = 0;
}
