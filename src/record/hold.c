/* Record: waiting for a table that another thread holds. See hold.h. */
#include "record/hold.h"

/* Waiting is bounded nevertheless: a thread may have been left for good in the middle of our work (longjmp out of a handler).
 * YIELDS: then it sleeps; NAPS of NAP_NS are some seconds; SPINS: where no system call may be made. */
enum { YIELDS = 100, NAPS = 50000, NAP_NS = 100000, SPINS = 10000000 };

uint32_t holders[HELD_COUNT];

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
						__ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
			return true;
		if (holder == self)
			break;
		pause_for(turn);
	}
	loss_count(LOSS_UNTRACKED, 1);
	return false;
}

unsigned holds_take(void)
{
	unsigned taken = 0;
	for (unsigned i = 0; i < HELD_COUNT; i++)
		if (holders[i] != holder_self() && hold((enum held)i))
			taken |= 1u << i;
	return taken;
}

void holds_give(unsigned taken)
{
	for (unsigned i = 0; i < HELD_COUNT; i++)
		if (taken >> i & 1)
			hold_end((enum held)i);
}

void holds_after_fork(void)
{
	for (unsigned i = 0; i < HELD_COUNT; i++)
		if (holders[i] != holder_self())
			holders[i] = 0;
}
