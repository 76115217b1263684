/* Calls: ioctl, terminals and pseudo terminals. See tests/calls/call.h. */
#include "../../calls/call.h"

#include <execinfo.h>
#include <linux/fs.h>
#include <linux/nsfs.h>
#include <pty.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <termios.h>
#include <utmp.h>

int __ttyname_r_chk(int, char *, size_t, size_t);
int __ptsname_r_chk(int, char *, size_t, size_t);
void __backtrace_symbols_fd(void *const *, int, int);

static int file, master, slave;
static char name[64], place[64];
static struct termios settings;

static void opening(const struct variant *variant)
{
	int (*call_it)(int) = use("posix_openpt", variant);
	facts("\"kind\":\"device\"");
	master = (int)TRY(call_it(O_RDWR | O_NOCTTY));
	line("flags=O_RDWR|O_NOCTTY");
	TRY(call_it(O_RDWR | O_DIRECTORY));
	line("flags=O_RDWR|O_DIRECTORY");
}

static void opening_any(const struct variant *variant)
{
	int (*call_it)(void) = use("getpt", variant);
	long made = TRY(call_it());
	line("%s", "");
	close_fd(made);
}

static void granting(const struct variant *variant)
{
	int (*call_it)(int) = use(variant->symbol, variant);
	TRY(call_it(master));
	line("fd=%s", fd(master));
	TRY(call_it(file));
	line("fd=%s", fd(file));
	TRY(call_it(-1));
	line("fd=-1");
}

static void naming(const struct variant *variant)
{
	char *(*call_it)(int) = use("ptsname", variant);
	char *made = (char *)TRY(call_it(master));
	snprintf(name, sizeof name, "%s", made);
	line_set("fd=%s, made=\"%s\"", fd(master), name);
	TRY(call_it(file));
	line_set("fd=%s", fd(file));
}

static void naming_into(const struct variant *variant)
{
	int (*call_it)(int, char *, size_t, size_t) = use("ptsname_r", variant);
	TRY(call_it(master, place, sizeof place, sizeof place));
	line_errno("fd=%s, buf=\"%s\", size=64", fd(master), name);
	say("  %d", strcmp(place, name));
	TRY(call_it(master, place, 3, sizeof place));
	line_errno("fd=%s, size=3", fd(master));
}

static void terminal_name(const struct variant *variant)
{
	char *(*call_it)(int) = use("ttyname", variant);
	TRY(call_it(slave));
	line_set("fd=%s, made=\"%s\"", fd(slave), name);
	TRY(call_it(file));
	line_set("fd=%s", fd(file));
}

static void terminal_name_into(const struct variant *variant)
{
	int (*call_it)(int, char *, size_t, size_t) = use("ttyname_r", variant);
	TRY(call_it(slave, place, sizeof place, sizeof place));
	line_errno("fd=%s, buf=\"%s\", size=64", fd(slave), name);
	TRY(call_it(-1, place, sizeof place, sizeof place));
	line_errno("fd=-1, size=64");
}

static void asking(const struct variant *variant)
{
	int (*call_it)(int) = use("isatty", variant);
	TRY(call_it(slave));
	line("fd=%s", fd(slave));
	TRY(call_it(file));
	line_as(" = 0 ENOTTY", "fd=%s", fd(file));
	TRY(call_it(-1));
	line_as(" = 0 EBADF", "fd=-1");
}

/* Each type of third argument: none, a number, the address of one, of something else. */
static void requesting(const struct variant *variant)
{
	int (*call_it)(int, unsigned long, ...) = use("ioctl", variant);
	int number = 1, left = 7;
	struct winsize size = {.ws_row = 5, .ws_col = 6};
	TRY(call_it(slave, FIONBIO, &number));
	line("fd=%s, request=FIONBIO, arg=1", fd(slave));
	number = 0;
	TRY(call_it(slave, FIONBIO, &number));
	line("fd=%s, request=FIONBIO, arg=0", fd(slave));
	TRY(call_it(slave, FIONREAD, &left));
	line("fd=%s, request=FIONREAD, arg=0", fd(slave));
	say("  %d", left);
	TRY(call_it(slave, TIOCSWINSZ, &size));
	line("fd=%s, request=TIOCSWINSZ, arg=0", fd(slave));
	memset(&size, 0, sizeof size);
	TRY(call_it(master, TIOCGWINSZ, &size));
	line("fd=%s, request=TIOCGWINSZ, arg=0", fd(master));
	say("  %d %d", size.ws_row, size.ws_col);
	TRY(call_it(slave, TCFLSH, 2));
	line("fd=%s, request=TCFLSH, arg=2", fd(slave));
	TRY(call_it(slave, TCFLSH, 9));
	line("fd=%s, request=TCFLSH, arg=9", fd(slave));
	TRY(call_it(file, FIOCLEX));
	line("fd=%s, request=FIOCLEX, arg=0", fd(file));
	say("  %ld", raw(SYS_fcntl, file, F_GETFD, 0, 0));
	TRY(call_it(file, FIGETBSZ, &number));
	line("fd=%s, request=FIGETBSZ, arg=0", fd(file));
	say("  %d", number > 0);
	TRY(call_it(file, FICLONE, -1));
	line("fd=%s, request=FICLONE, arg=-1", fd(file));
	/* Like programs that store requests in an int. */
	TRY(call_it(master, (unsigned long)(int)TIOCGPTN, &number));
	line("fd=%s, request=TIOCGPTN, arg=0", fd(master));
	TRY(call_it(file, 0xabcd1234, 5));
	line("fd=%s, request=0xabcd1234, arg=0", fd(file));
	TRY(call_it(-1, FIONBIO, (void *)16));
	line("fd=-1, request=FIONBIO, arg=0");
	long peer = TRY(call_it(master, TIOCGPTPEER, O_RDWR | O_NOCTTY));
	line("fd=%s, request=TIOCGPTPEER, arg=%d", fd(master), O_RDWR | O_NOCTTY);
	close_fd(peer);
	int space = open_fd("/proc/self/ns/uts", O_RDONLY, "O_RDONLY");
	TRY(call_it(space, NS_GET_NSTYPE));
	line("fd=%d </proc/self/ns/uts>, request=NS_GET_NSTYPE, arg=0", space);
	long owner = TRY(call_it(space, NS_GET_USERNS));
	line("fd=%d </proc/self/ns/uts>, request=NS_GET_USERNS, arg=0", space);
	if (owner >= 0)
		close_fd(owner);
}

static void reading_settings(const struct variant *variant)
{
	int (*call_it)(int, struct termios *) = use("tcgetattr", variant);
	TRY(call_it(slave, &settings));
	line("fd=%s", fd(slave));
	say("  %x", settings.c_lflag);
	TRY(call_it(file, &settings));
	line("fd=%s", fd(file));
}

static void setting(const struct variant *variant)
{
	int (*call_it)(int, int, const struct termios *) = use("tcsetattr", variant);
	TRY(call_it(slave, TCSADRAIN, &settings));
	line("fd=%s, action=TCSADRAIN", fd(slave));
	TRY(call_it(slave, 42, &settings));
	line("fd=%s, action=42", fd(slave));
}

static void draining(const struct variant *variant)
{
	int (*call_it)(int) = use("tcdrain", variant);
	TRY(call_it(slave));
	line("fd=%s", fd(slave));
	TRY(call_it(-1));
	line("fd=-1");
}

static void flowing(const struct variant *variant)
{
	int (*call_it)(int, int) = use("tcflow", variant);
	TRY(call_it(slave, TCOON));
	line("fd=%s, action=TCOON", fd(slave));
	TRY(call_it(slave, 77));
	line("fd=%s, action=77", fd(slave));
}

static void flushing(const struct variant *variant)
{
	int (*call_it)(int, int) = use("tcflush", variant);
	TRY(call_it(slave, TCIOFLUSH));
	line("fd=%s, queue=TCIOFLUSH", fd(slave));
	TRY(call_it(file, TCIFLUSH));
	line("fd=%s, queue=TCIFLUSH", fd(file));
}

static void breaking(const struct variant *variant)
{
	int (*call_it)(int, int) = use("tcsendbreak", variant);
	TRY(call_it(slave, 0));
	line("fd=%s, duration=0", fd(slave));
	TRY(call_it(file, 3));
	line("fd=%s, duration=3", fd(file));
}

/* For a terminal of this session: after login_tty. */
static void groups(const struct variant *variant)
{
	pid_t (*call_it)(int) = use(variant->symbol, variant);
	TRY(call_it(0));
	line_number("fd=%s", fd(0));
	TRY(call_it(file));
	line("fd=%s", fd(file));
}

static void group_set(const struct variant *variant)
{
	int (*call_it)(int, pid_t) = use("tcsetpgrp", variant);
	pid_t own = (pid_t)raw(SYS_getpid, 0, 0, 0, 0);
	TRY(call_it(0, own));
	line("fd=%s, group=%d", fd(0), own);
	TRY(call_it(file, own));
	line("fd=%s, group=%d", fd(file), own);
}

static void old_settings(const struct variant *variant)
{
	int (*call_it)(int, void *) = use(variant->symbol, variant);
	TRY(call_it(slave, place));
	line("fd=%s", fd(slave));
}

static void kind_of(const struct variant *variant)
{
	int (*call_it)(int, int) = use("isfdtype", variant);
	TRY(call_it(file, S_IFREG));
	line("fd=%s, type=%d", fd(file), S_IFREG);
	TRY(call_it(-1, S_IFREG));
	line_as(" = -1", "fd=-1, type=%d", S_IFREG);
}

static void tracing(const struct variant *variant)
{
	void (*call_it)(void *const *, int, int) = use("backtrace_symbols_fd", variant);
	void *addresses[] = {(void *)16, (void *)32};
	TRY_VOID(call_it(addresses, 2, file));
	line_as("", "size=2, fd=%s", fd(file));
	say_file("data");
	TRY_VOID(call_it(addresses, 0, -1));
	line_as("", "size=0, fd=-1");
}

static void pair(const struct variant *variant)
{
	int (*call_it)(int *, int *, char *, const struct termios *, const struct winsize *) =
		use("openpty", variant);
	int both[2];
	TRY(call_it(&both[0], &both[1], name, NULL, NULL));
	line("master=%s, slave=%s", fd(both[0]), fd(both[1]));
	say("  %d", strcmp(name, ttyname(both[1])));
	call.symbol = "ttyname", call.function = "ttyname";
	expect_as(" = set", "fd=%s, made=\"%s\"", fd(both[1]), name);
	close_fd(both[1]);
	close_fd(both[0]);
}

/* The child makes no call that is recorded. */
static void forking(const struct variant *variant)
{
	pid_t (*call_it)(int *, char *, const struct termios *, const struct winsize *) =
		use("forkpty", variant);
	int made = -1, status = 0;
	long child = TRY(call_it(&made, NULL, NULL, NULL));
	if (child == 0) {
		/* Its terminal is that of its standard streams. */
		char text_of[] = "hello";
		raw(SYS_write, 1, (long)text_of, 5, 0);
		raw(SYS_exit_group, 7, 0, 0, 0);
	}
	line_number("master=%s", fd(made));
	raw(SYS_wait4, child, (long)&status, 0, 0);
	raw(SYS_read, made, (long)place, 5, 0);
	say("  %.5s, status %d", place, WEXITSTATUS(status));
	close_fd(made);
}

/* Its terminal becomes this process's standard streams; the test's output still goes to the former ones. */
static void logging_in(const struct variant *variant)
{
	int (*call_it)(int) = use("login_tty", variant);
	const char *shown = fd(slave);
	TRY(call_it(file));
	line("fd=%s", fd(file));
	raw(SYS_dup3, 1, 90, 0, 0);
	TRY(call_it(slave));
	raw(SYS_dup3, 90, 1, 0, 0);
	line("fd=%s", shown);
	TRY(call_it(slave));
	line("fd=%d", slave);
}

static void hanging_up(const struct variant *variant)
{
	int (*call_it)(void) = use("vhangup", variant);
	TRY(call_it());
	line("%s", "");
}

int main(void)
{
	put_file("data", "");
	file = open_fd("data", O_RDWR, "O_RDWR");
	RUN(opening, LINKED(posix_openpt));
	RUN(opening_any, LINKED(getpt));
	RUN(granting, LINKED(grantpt), LINKED(unlockpt));
	RUN(naming, LINKED(ptsname));
	RUN(naming_into, LINKED(ptsname_r), LINKED(__ptsname_r_chk));
	slave = open_fd(name, O_RDWR | O_NOCTTY, "O_RDWR|O_NOCTTY");
	RUN(terminal_name, LINKED(ttyname));
	RUN(terminal_name_into, LINKED(ttyname_r), LINKED(__ttyname_r_chk));
	RUN(asking, LINKED(isatty));
	RUN(requesting, LINKED(ioctl));
	RUN(reading_settings, LINKED(tcgetattr));
	RUN(setting, LINKED(tcsetattr));
	RUN(draining, LINKED(tcdrain));
	RUN(flowing, LINKED(tcflow));
	RUN(flushing, LINKED(tcflush));
	RUN(breaking, LINKED(tcsendbreak));
	RUN(old_settings, HIDDEN(gtty), HIDDEN(stty));
	RUN(kind_of, LINKED(isfdtype));
	RUN(tracing, LINKED(backtrace_symbols_fd), LINKED(__backtrace_symbols_fd));
	RUN(forking, LINKED(forkpty));
	RUN(pair, LINKED(openpty));
	RUN(logging_in, LINKED(login_tty));
	RUN(groups, LINKED(tcgetpgrp), LINKED(tcgetsid));
	RUN(group_set, LINKED(tcsetpgrp));
	signal(SIGHUP, SIG_IGN);
	RUN(hanging_up, LINKED(vhangup));
	return 0;
}
