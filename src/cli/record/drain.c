/* Command line: takes lanes while the program runs. See drain.h. */
#include "cli/record/drain.h"

#include "base/clock.h"
#include "sink/collect.h"
#include "sink/run/pause.h"

#include <linux/futex.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

/* A quiet process makes no system call, so it cannot wake this thread, which then polls. */
enum { WAIT_MS = 200, WAIT_QUIET_MS = 2, SWEEP_MS = 1000, SWEEP_PROCESSES = 256, LOOK_MS = 100 };

/* Waits at most until the time at which recording begins or ends. */
static void wait_for_lanes(struct control *control, int64_t event)
{
	int64_t ns = (control->quiet ? WAIT_QUIET_MS : WAIT_MS) * 1000000ll;
	int64_t left = event - clock_ns(CLOCK_MONOTONIC);
	if (event && left < ns)
		ns = left > 0 ? left : 0;
	struct timespec wait = {.tv_sec = 0, .tv_nsec = (long)ns};
	syscall(SYS_futex, &control->lanes_full, FUTEX_WAIT, 0, &wait, NULL, 0);
}

static void *drain_body(void *given)
{
	struct drain *drain = given;
	struct control *control = drain->run->control;
	int64_t swept = clock_ns(CLOCK_MONOTONIC);
	uint32_t processes = 1;
	int64_t event = control_timed(control, swept), began = 0;
	/* Threads that make a call soon after recording begins record that there was a pause before. */
	bool looking = control->pause & PAUSE_BEFORE;
	if (looking)
		control_look_begin(control);
	while (!__atomic_load_n(&drain->stop, __ATOMIC_ACQUIRE)) {
		if (!__atomic_load_n(&control->lanes_full, __ATOMIC_ACQUIRE))
			wait_for_lanes(control, event);
		int64_t now = clock_ns(CLOCK_MONOTONIC);
		event = control_timed(control, now);
		if (looking && !began && !(control->pause & PAUSE_BEFORE))
			began = now;
		if (looking && began && now - began > LOOK_MS * 1000000ll) {
			control_look_end(control);
			looking = false;
		}
		uint32_t started = control->next_process - processes;
		bool sweep = started > SWEEP_PROCESSES ||
			     (started > 0 && now - swept > SWEEP_MS * 1000000ll);
		if (sweep) {
			swept = now;
			processes += started;
		}
		if (!sweep && !__atomic_load_n(&control->lanes_full, __ATOMIC_ACQUIRE))
			continue;
		struct collected collected;
		/* A failure occurs again at the end, where it is reported; until then, this must not become a busy loop. */
		if (collect_lanes(drain->run, &collected, NULL) != VARVE_OK)
			usleep(WAIT_QUIET_MS * 1000);
	}
	if (looking)
		control_look_end(control);
	return NULL;
}

void drain_start(struct drain *drain, struct run *run)
{
	*drain = (struct drain){.run = run};
	drain->started = pthread_create(&drain->thread, NULL, drain_body, drain) == 0;
}

void drain_stop(struct drain *drain)
{
	if (!drain->started)
		return;
	__atomic_store_n(&drain->stop, true, __ATOMIC_RELEASE);
	syscall(SYS_futex, &drain->run->control->lanes_full, FUTEX_WAKE, 1, NULL, NULL, 0);
	pthread_join(drain->thread, NULL);
	drain->started = false;
}
