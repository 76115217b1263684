/* Calls: watches for files, files by their handles, processes by descriptors, namespaces. See tests/calls/call.h. */
#include "../../calls/call.h"

#include <sched.h>
#include <signal.h>
#include <sys/fanotify.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/pidfd.h>
#include <sys/wait.h>

int process_mrelease(int, unsigned);

static int file, watches;

static void beginning(const struct variant *variant)
{
	int (*call_it)(void) = use("inotify_init", variant);
	facts("\"kind\":\"anonymous\"");
	watches = (int)TRY(call_it());
	line("%s", "");
}

static void beginning_with(const struct variant *variant)
{
	int (*call_it)(int) = use("inotify_init1", variant);
	long made = TRY(call_it(IN_NONBLOCK | IN_CLOEXEC));
	line("flags=IN_NONBLOCK|IN_CLOEXEC");
	close_fd(made);
	TRY(call_it(7));
	line("flags=0x7");
}

static long watch;

static void watching(const struct variant *variant)
{
	int (*call_it)(int, const char *, uint32_t) = use("inotify_add_watch", variant);
	watch = TRY(call_it(watches, "data", IN_MODIFY | IN_OPEN | IN_ONESHOT));
	line("fd=%s, path=\"data\", mask=IN_MODIFY|IN_OPEN|IN_ONESHOT", fd(watches));
	TRY(call_it(watches, "missing", IN_CREATE | IN_ONLYDIR));
	line("fd=%s, path=\"missing\", mask=IN_CREATE|IN_ONLYDIR", fd(watches));
	TRY(call_it(-1, "data", IN_DELETE));
	line("fd=-1, path=\"data\", mask=IN_DELETE");
}

static void leaving(const struct variant *variant)
{
	int (*call_it)(int, int) = use("inotify_rm_watch", variant);
	TRY(call_it(watches, (int)watch));
	line("fd=%s, watch=%ld", fd(watches), watch);
	TRY(call_it(watches, 77));
	line("fd=%s, watch=77", fd(watches));
}

static int group;

static void guarding(const struct variant *variant)
{
	int (*call_it)(unsigned, unsigned) = use("fanotify_init", variant);
	group = (int)TRY(call_it(FAN_CLOEXEC | FAN_CLASS_NOTIF, O_RDONLY));
	line("flags=FAN_CLASS_NOTIF|FAN_CLOEXEC, event_flags=O_RDONLY");
	TRY(call_it(0x40000000, O_RDWR));
	line("flags=FAN_CLASS_NOTIF|0x40000000, event_flags=O_RDWR");
}

static void marking(const struct variant *variant)
{
	int (*call_it)(int, unsigned, uint64_t, int, const char *) = use("fanotify_mark", variant);
	TRY(call_it(group, FAN_MARK_ADD, FAN_OPEN | FAN_EVENT_ON_CHILD, AT_FDCWD, "data"));
	line("fd=%s, flags=FAN_MARK_ADD, mask=FAN_OPEN|FAN_EVENT_ON_CHILD, dirfd=AT_FDCWD, "
	     "path=\"data\"",
	     fd(group));
	TRY(call_it(group, FAN_MARK_REMOVE, FAN_CLOSE_WRITE, AT_FDCWD, "missing"));
	line("fd=%s, flags=FAN_MARK_REMOVE, mask=FAN_CLOSE_WRITE, dirfd=AT_FDCWD, path=\"missing\"",
	     fd(group));
}

static union {
	struct file_handle file;
	char room[sizeof(struct file_handle) + MAX_HANDLE_SZ];
} handle;

static void naming(const struct variant *variant)
{
	int (*call_it)(int, const char *, struct file_handle *, int *, int) =
		use("name_to_handle_at", variant);
	int mount;
	handle.file.handle_bytes = MAX_HANDLE_SZ;
	TRY(call_it(AT_FDCWD, "data", &handle.file, &mount, 0));
	line("dirfd=AT_FDCWD, path=\"data\", flags=0");
	TRY(call_it(AT_FDCWD, "missing", &handle.file, &mount, AT_SYMLINK_FOLLOW));
	line("dirfd=AT_FDCWD, path=\"missing\", flags=AT_SYMLINK_FOLLOW");
}

static void opening(const struct variant *variant)
{
	int (*call_it)(int, struct file_handle *, int) = use("open_by_handle_at", variant);
	facts("\"kind\":\"file\"");
	long made = TRY(call_it(file, &handle.file, O_RDONLY));
	line("dirfd=%s, flags=O_RDONLY", fd(file));
	if (made >= 0)
		close_fd(made);
	handle.file.handle_bytes = 0;
	TRY(call_it(AT_FDCWD, &handle.file, O_RDWR));
	line("dirfd=AT_FDCWD, flags=O_RDWR");
}

static int process, own;

static void finding(const struct variant *variant)
{
	int (*call_it)(pid_t, unsigned) = use("pidfd_open", variant);
	process = (int)TRY(call_it(own, 0));
	line("pid=%d, flags=0", own);
	TRY(call_it(-1, 0));
	line("pid=-1, flags=0");
}

static void taking(const struct variant *variant)
{
	int (*call_it)(int, int, unsigned) = use("pidfd_getfd", variant);
	long made = TRY(call_it(process, file, 0));
	line("fd=%s, target=%d, flags=0", fd(process), file);
	if (made >= 0)
		close_fd(made);
	TRY(call_it(process, 999, 0));
	line("fd=%s, target=999, flags=0", fd(process));
}

static void signalling(const struct variant *variant)
{
	int (*call_it)(int, int, siginfo_t *, unsigned) = use("pidfd_send_signal", variant);
	TRY(call_it(process, 0, NULL, 0));
	line("fd=%s, signal=0, flags=0", fd(process));
	TRY(call_it(file, SIGTERM, NULL, 0));
	line("fd=%s, signal=15, flags=0", fd(file));
}

static void advising(const struct variant *variant)
{
	ssize_t (*call_it)(int, const struct iovec *, size_t, int, unsigned) =
		use("process_madvise", variant);
	static char page[8192] __attribute__((aligned(4096)));
	struct iovec vector = {page, sizeof page};
	TRY(call_it(process, &vector, 1, MADV_COLD, 0));
	line("fd=%s, iov=8192, count=1, advice=MADV_COLD, flags=0", fd(process));
	TRY(call_it(-1, &vector, 1, MADV_PAGEOUT, 0));
	line("fd=-1, iov=8192, count=1, advice=MADV_PAGEOUT, flags=0");
}

/* For a process that was killed and not reaped yet. */
static void releasing(const struct variant *variant)
{
	int (*call_it)(int, unsigned) = use("process_mrelease", variant);
	TRY(call_it(-1, 0));
	line("fd=-1, flags=0");
	TRY(call_it(process, 1));
	line("fd=%s, flags=1", fd(process));
}

static void entering(const struct variant *variant)
{
	int (*call_it)(int, int) = use("setns", variant);
	int space = open_fd("/proc/self/ns/uts", O_RDONLY, "O_RDONLY");
	TRY(call_it(space, CLONE_NEWUTS));
	line("fd=%d </proc/self/ns/uts>, type=CLONE_NEWUTS", space);
	TRY(call_it(file, 0));
	line("fd=%s, type=0", fd(file));
	TRY(call_it(space, CLONE_NEWNET));
	line("fd=%d </proc/self/ns/uts>, type=CLONE_NEWNET", space);
}

int main(void)
{
	put_file("data", "x");
	own = (int)raw(SYS_getpid, 0, 0, 0, 0);
	file = open_fd("data", O_RDWR, "O_RDWR");
	RUN(beginning, LINKED(inotify_init));
	RUN(beginning_with, LINKED(inotify_init1));
	RUN(watching, LINKED(inotify_add_watch));
	RUN(leaving, LINKED(inotify_rm_watch));
	RUN(guarding, LINKED(fanotify_init));
	RUN(marking, LINKED(fanotify_mark));
	RUN(naming, LINKED(name_to_handle_at));
	RUN(opening, LINKED(open_by_handle_at));
	RUN(finding, LINKED(pidfd_open));
	RUN(taking, LINKED(pidfd_getfd));
	RUN(signalling, LINKED(pidfd_send_signal));
	RUN(advising, LINKED(process_madvise));
	RUN(releasing, LINKED(process_mrelease));
	RUN(entering, LINKED(setns));
	return 0;
}
