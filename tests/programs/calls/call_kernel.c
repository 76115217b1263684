/* Calls: direct questions to the kernel, and settings of a process for itself. See tests/calls/call.h. */
#include "../../calls/call.h"

#include <sys/prctl.h>

static void asking(const struct variant *variant)
{
	long (*ask)(long, ...) = use("syscall", variant);
	TRY(ask(SYS_getuid));
	line("number=%d", SYS_getuid);
	TRY(ask(SYS_sched_getscheduler, -1));
	line("number=%d", SYS_sched_getscheduler);
	TRY(ask(4711, 1, 2, 3, 4, 5, 6));
	line("number=4711");
}

static void setting(const struct variant *variant)
{
	char name[16] = "";
	int (*set)(int, ...) = use("prctl", variant);
	TRY(set(PR_SET_NAME, "called", 0, 0, 0));
	line("option=%d", PR_SET_NAME);
	TRY(set(PR_GET_NAME, name, 0, 0, 0));
	say("  %s", name);
	line("option=%d", PR_GET_NAME);
	TRY(set(-1, 0, 0, 0, 0));
	line("option=-1");
}

int main(void)
{
	raw(SYS_umask, 022, 0, 0, 0);
	RUN(asking, LINKED(syscall));
	RUN(setting, LINKED(prctl));
	return 0;
}
