/* Command line: the keeper. See keeper.h. */
#include "cli/record/keeper.h"

#include "base/clock.h"
#include "base/program/process.h"
#include "cli/packing.h"
#include "cli/record/drain.h"
#include "cli/verbs.h"
#include "sink/collect.h"
#include "sink/run/join.h"
#include "sink/run/living.h"

#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* LOOK_MS: how long to wait for one process before all are checked again; NAP_MS: if a process has no lane yet. */
enum { LOOK_MS = 10000, NAP_MS = 20, NAP_MOST_MS = 1000, UNREACHABLE_MS = 500, LOCK_TRIES = 250 };

/* Undoes what the program has set for itself: ignored signals, the processor that it is bound to. */
static void process_reset(void)
{
	struct sigaction standard = {.sa_handler = SIG_DFL};
	sigset_t none;
	cpu_set_t all;
	for (int signal = 1; signal < NSIG; signal++)
		sigaction(signal, &standard, NULL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	memset(&all, 0xff, sizeof all);
	sched_setaffinity(0, sizeof all, &all);
	for (int fd = 0; fd < 3; fd++)
		if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", O_RDWR) < 0)
			break;
	if (chdir("/"))
		return;
	umask(022);
}

static void wait_for_end(int pid, int milliseconds)
{
	int fd = (int)syscall(SYS_pidfd_open, pid, 0);
	struct pollfd process = {.fd = fd, .events = POLLIN};
	/* in another namespace, or it has just ended */
	if (fd < 0) {
		usleep((unsigned)(milliseconds < UNREACHABLE_MS ? milliseconds : UNREACHABLE_MS) *
		       1000);
		return;
	}
	poll(&process, 1, milliseconds);
	close(fd);
}

static void living_count(void *context, int pid)
{
	(void)pid;
	++*(int *)context;
}

void keeper_wait(struct run *run, int milliseconds)
{
	int64_t until = clock_ns(CLOCK_MONOTONIC) + milliseconds * 1000000ll;
	for (;;) {
		struct collected collected;
		int living = 0;
		enum varve_status status = collect_lanes(run, &collected, NULL);
		/* The lane folder was removed or cannot be reached. Damage of a single lane is no reason to stop. */
		if (status != VARVE_OK && status != VARVE_NO_SPACE && status != VARVE_DAMAGED)
			return;
		int64_t left = (until - clock_ns(CLOCK_MONOTONIC)) / 1000000;
		if (milliseconds >= 0 && left <= 0)
			return;
		if (collected.alive) {
			wait_for_end(collected.alive_pid,
				     milliseconds >= 0 && left < LOOK_MS ? (int)left : LOOK_MS);
			continue;
		}
		living_find(run, living_count, &living);
		if (!living)
			return;
		usleep(NAP_MS * 1000);
	}
}

/* Whether another node still has lanes. */
static bool nodes_pending(const char *trace)
{
	char path[RUN_PATH + 32];
	for (uint32_t node = 1;; node++) {
		node_path(path, path + sizeof path, trace, TRACE_FILE_LANES, node);
		if (!access(path, F_OK))
			return true;
		node_path(path, path + sizeof path, trace, TRACE_FILE_DATA, node);
		if (access(path, F_OK))
			return false;
	}
}

bool keeper_awaits(const struct run *run)
{
	return !run->control->node && !run->control->no_keeper && nodes_pending(run->trace) &&
	       packing_awaits(run->trace);
}

/* Waits for other hosts to complete their parts. A host that went down never does. */
static void wait_for_hosts(const char *trace)
{
	int64_t until = clock_ns(CLOCK_MONOTONIC) + KEEPER_HOSTS_MINUTES * 60000000000ll;
	if (!nodes_pending(trace) || !packing_awaits(trace))
		return;
	for (unsigned nap = NAP_MS; nodes_pending(trace) && clock_ns(CLOCK_MONOTONIC) < until;) {
		usleep(nap * 1000);
		nap = 2 * nap < NAP_MOST_MS ? 2 * nap : NAP_MOST_MS;
	}
}

/* Packs a complete trace. In this time, readers find a complete folder. A command that recovers the trace holds the lock
 * only briefly; a command that packs it makes this unnecessary. `first`: on the first host, which packs the trace after
 * all hosts have completed it. */
static void pack_complete(const char *trace, bool first)
{
	int lock;
	if (first)
		wait_for_hosts(trace);
	for (int tries = 0; packing_requested(trace) && tries < LOCK_TRIES; tries++) {
		if (packing_lock(trace, &lock) == EXIT_YES) {
			if (packing_requested(trace))
				packing_at_end(trace);
			pack_unlock(lock);
			return;
		}
		usleep(NAP_MS * 1000);
	}
}

/* `other`: also pack a trace that did not begin on this host. */
static int keep_run(const char *lanes, bool other)
{
	struct run run;
	struct drain drain;
	struct collected collected;
	int member;
	bool last = true;
	if (run_attach(lanes, &run, NULL) != VARVE_OK)
		return EXIT_OWN;
	run.control->keeper_start = process_start(getpid(), NULL, NULL);
	__atomic_store_n(&run.control->keeper_pid, (uint32_t)getpid(), __ATOMIC_RELEASE);
	enum varve_status status;
	do {
		member = run_enter(&run);
		drain_start(&drain, &run);
		keeper_wait(&run, -1);
		drain_stop(&drain);
		/* another process has completed it, or removed it */
		if (access(run.lanes, F_OK)) {
			run_exit(&member);
			run_detach(&run);
			return EXIT_YES;
		}
		status = collect_leave(&run, &member, &collected, &last, NULL);
		if (last && status == VARVE_OK && !collected.alive && (other || !run.control->node))
			pack_complete(run.trace, !run.control->node);
		run_exit(&member);
	} while (last && status == VARVE_OK && collected.alive);
	run_detach(&run);
	return status == VARVE_OK ? EXIT_YES : EXIT_OWN;
}

int keep(const char *lanes)
{
	process_reset();
	return keep_run(lanes, false);
}

/* Closes all descriptors, because another process may wait until they are closed. */
static _Noreturn void stand_by(struct run *run, bool first)
{
	setsid();
	close_range(0, ~0u, 0);
	if (run_outlive(run) == VARVE_OK) {
		process_reset();
		keep_run(run->lanes, true);
		/* Commands that have completed the trace do not wait for other hosts. */
		if (first)
			pack_complete(run->trace, true);
	}
	_exit(EXIT_YES);
}

int keeper_stand_by(struct run *run)
{
	if (!run->made || run->control->no_keeper)
		return -1;
	/* The keeper never has the control page: a process that has mapped it counts as a process of the run. */
	madvise(run->control, CONTROL_SIZE, MADV_DONTFORK);
	bool first = !run->control->node;
	int pid = fork();
	if (pid == 0)
		stand_by(run, first);
	madvise(run->control, CONTROL_SIZE, MADV_DOFORK);
	return pid;
}

void keeper_dismiss(int pid)
{
	if (pid > 0 && !kill(pid, SIGKILL))
		waitpid(pid, NULL, 0);
}
