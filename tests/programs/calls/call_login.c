/* Calls: the files of logins. In a namespace of its own, so that those of the machine do not change. See tests/calls/call.h. */
#include "../../calls/call.h"

#include <sched.h>
#include <sys/mount.h>
#include <utmp.h>
#include <utmpx.h>

static void choosing(const struct variant *variant)
{
	int (*call_it)(const char *) = use("utmpname", variant);
	TRY(call_it("accounts"));
	line("path=\"accounts\"");
}

static void adding(const struct variant *variant)
{
	void (*call_it)(const char *, const void *) = use("updwtmp", variant);
	struct utmp entry = {.ut_type = USER_PROCESS};
	TRY_VOID(call_it("accounts", &entry));
	line_as("", "path=\"accounts\"");
	say_name("accounts");
	TRY_VOID(call_it("missing", &entry));
	line_as("", "path=\"missing\"");
	say_name("missing");
}

static void logging(const struct variant *variant)
{
	void (*call_it)(const char *, const char *, const char *) = use("logwtmp", variant);
	TRY_VOID(call_it("pts/77", "somebody", "somewhere"));
	line_as("", "line=\"pts/77\", name=\"somebody\", host=\"somewhere\"");
	say_name("/var/log/wtmp");
}

int main(void)
{
	put_file("accounts", "");
	RUN(choosing, LINKED(utmpname), LINKED(utmpxname));
	RUN(adding, LINKED(updwtmp), LINKED(updwtmpx));
	if (raw(SYS_unshare, CLONE_NEWNS, 0, 0, 0) != 0)
		raw(SYS_unshare, CLONE_NEWUSER | CLONE_NEWNS, 0, 0, 0);
	raw5(SYS_mount, (long)"none", (long)"/", 0, MS_REC | MS_PRIVATE, 0);
	if (raw5(SYS_mount, (long)"varve", (long)"/var/log", (long)"tmpfs", 0, 0) != 0)
		return 1;
	put_file("/var/log/wtmp", "");
	RUN(logging, LINKED(logwtmp));
	return 0;
}
