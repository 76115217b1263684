/* Calls: the user of a process. Each call sets the present user, or none, so that nothing changes. See tests/calls/call.h. */
#include "../../calls/call.h"

#include <sys/fsuid.h>

static long self; /* the user */

static void becoming(const struct variant *variant)
{
	int (*call_it)(uid_t) = use("setuid", variant);
	TRY(call_it((uid_t)self));
	line("user=%ld", self);
	TRY(call_it((uid_t)-1));
	line("user=-1");
}

static void acting(const struct variant *variant)
{
	int (*call_it)(uid_t) = use("seteuid", variant);
	TRY(call_it((uid_t)self));
	line("user=%ld", self);
	TRY(call_it((uid_t)-1));
	line("user=-1");
}

static void swapping(const struct variant *variant)
{
	int (*call_it)(uid_t, uid_t) = use("setreuid", variant);
	TRY(call_it((uid_t)-1, (uid_t)self));
	line("real_user=-1, user=%ld", self);
}

static void choosing(const struct variant *variant)
{
	int (*call_it)(uid_t, uid_t, uid_t) = use("setresuid", variant);
	TRY(call_it((uid_t)self, (uid_t)self, (uid_t)-1));
	line("real_user=%ld, user=%ld, saved_user=-1", self, self);
}

static void reading_as(const struct variant *variant)
{
	int (*call_it)(uid_t) = use("setfsuid", variant);
	TRY(call_it((uid_t)self));
	line("user=%ld", self);
}

int main(void)
{
	self = raw(SYS_getuid, 0, 0, 0, 0);
	RUN(becoming, LINKED(setuid));
	RUN(acting, LINKED(seteuid));
	RUN(swapping, LINKED(setreuid));
	RUN(choosing, LINKED(setresuid));
	RUN(reading_as, LINKED(setfsuid));
	return 0;
}
