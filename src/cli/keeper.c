/* Command line: the keeper. See keeper.h. */
#include "cli/keeper.h"

#include "base/process.h"
#include "cli/drain.h"
#include "cli/verbs.h"
#include "sink/collect.h"
#include "sink/join.h"
#include "sink/living.h"

#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* How long one process is waited for before all are looked at again; and one that has no lane yet. */
enum { LOOK_MS = 10000, NAP_MS = 20, UNREACHABLE_MS = 500 };

/* Whatever the program has done to itself is not ours: signals that it ignores, the core that it is bound to. */
static void become_oneself(void)
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

static void wait_for_end(int pid)
{
	int fd = (int)syscall(SYS_pidfd_open, pid, 0);
	struct pollfd process = {.fd = fd, .events = POLLIN};
	/* Of another namespace, or just gone. */
	if (fd < 0) {
		usleep(UNREACHABLE_MS * 1000);
		return;
	}
	poll(&process, 1, LOOK_MS);
	close(fd);
}

static void count(void *context, int pid)
{
	(void)pid;
	++*(int *)context;
}

/* Until no process of the run is left. */
static void wait_for_all(struct run *run)
{
	for (;;) {
		struct collected collected;
		int living = 0;
		enum status status = collect_lanes(run, &collected, NULL);
		/* The lane folder is gone, or out of reach. A lane that is damaged is one of many. */
		if (status != STATUS_OK && status != STATUS_NO_SPACE && status != STATUS_DAMAGED)
			return;
		if (collected.alive) {
			wait_for_end(collected.alive_pid);
			continue;
		}
		living_find(run, count, &living);
		if (!living)
			return;
		usleep(NAP_MS * 1000);
	}
}

int keep(const char *lanes)
{
	struct run run;
	struct drain drain;
	struct collected collected;
	bool last = true;
	become_oneself();
	if (run_attach(lanes, &run, NULL) != STATUS_OK)
		return EXIT_OWN;
	run.control->keeper_start = process_start(getpid(), NULL, NULL);
	__atomic_store_n(&run.control->keeper_pid, (uint32_t)getpid(), __ATOMIC_RELEASE);
	enum status status;
	do {
		int member = run_enter(&run);
		drain_start(&drain, &run);
		wait_for_all(&run);
		drain_stop(&drain);
		/* Somebody else has completed it, or removed it. */
		if (access(run.lanes, F_OK)) {
			run_detach(&run);
			return EXIT_YES;
		}
		status = collect_leave(&run, member, &collected, &last, NULL);
	} while (last && status == STATUS_OK && collected.alive);
	run_detach(&run);
	return status == STATUS_OK ? EXIT_YES : EXIT_OWN;
}
