/* Calls: processes are made, replaced, waited for. See tests/calls/call.h. If it is started again with a word, it makes two calls:
 * on a relative name and on a descriptor that it inherited. */
#include "../../calls/call.h"

#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>

enum { INHERITED = 9 };

static char self[4096];
static char *again[] = {self, "again", NULL};
static char *environment[] = {NULL, NULL};

/* For a call that returns a process: its number is another one in each run. */
__attribute__((format(printf, 1, 2))) static void line_pid(const char *format, ...)
{
	va_list list;
	say("%s %s, errno %s", call.symbol, call.result < 0 ? "fails" : "gives a process",
	    said_errno());
	va_start(list, format);
	line_list(call.result < 0 ? text(" = -1 %s", strerrorname_np(call.error))
				  : text(" = %ld", call.result),
		  format, list);
	va_end(list);
}

/* Waits without a wrapper and prints how it ended. */
static void reap(long child)
{
	int status = -1;
	raw(SYS_wait4, child, (long)&status, 0, 0);
	say("  ended with %#x", (unsigned)status);
}

/* Until a child has ended, so that its output comes first. */
static void settle(long child)
{
	char information[128];
	raw5(SYS_waitid, P_PID, child, (long)information, WEXITED | WNOWAIT, 0);
}

static long forked(void)
{
	pid_t (*fork_it)(void) = use("fork", &(struct variant)LINKED(fork));
	long child = TRY(fork_it());
	if (child) {
		settle(child);
		line_pid("%s", "");
	}
	return child;
}

static void ending_child(int status)
{
	void (*leave)(int) = use("_exit", &(struct variant)LINKED(_exit));
	expect_as(" = ? unfinished", "status=%d", status);
	leave(status);
}

static void forking(const struct variant *variant)
{
	pid_t (*fork_it)(void) = use(strcmp(variant->symbol, "_Fork") ? "fork" : "_Fork", variant);
	long child = TRY(fork_it());
	if (!child) {
		int (*look)(const char *, int) = use("access", &(struct variant)LINKED(access));
		TRY(look("data", R_OK));
		facts("\"absolute\":\"%s\"", under("data"));
		line("path=\"data\", mode=R_OK");
		ending_child(3);
	}
	settle(child);
	line_pid("%s", "");
	reap(child);
}

pid_t old_vfork(void) __asm__("__vfork") __attribute__((returns_twice));

/* The child runs on the parent's thread: its record is inside the parent's, with a mark. */
static void vforked(const char *symbol, long child)
{
	struct variant made = {symbol, (void (*)(void))raw}, ended = LINKED(_exit);
	use("vfork", &made);
	call.result = child;
	call.error = SENTINEL;
	line_pid("%s", "");
	use("  _exit", &ended);
	line_as(" = ? unfinished [vfork child]", "status=4");
	reap(child);
}

static void vforking(void)
{
	pid_t child = vfork();
	if (!child)
		_exit(4);
	vforked("vfork", child);
	child = old_vfork();
	if (!child)
		_exit(4);
	vforked("__vfork", child);
}

static void spawning(const struct variant *variant)
{
	pid_t child = -1;
	bool search = !strcmp(variant->symbol, "posix_spawnp");
	const char *field = search ? "file" : "path";
	int (*spawn)(pid_t *, const char *, const posix_spawn_file_actions_t *,
		     const posix_spawnattr_t *, char *const *, char *const *) =
		use(variant->symbol, variant);
	TRY(spawn(&child, self, NULL, NULL, again, environment));
	reap(child);
	line_errno("pid=%d, %s=\"%s\"", child, field, self);
	TRY(spawn(&child, "missing", NULL, NULL, again, environ));
	line_errno("%s=\"missing\"", field);
	TRY(spawn(NULL, self, NULL, NULL, again, environ));
	child = (pid_t)raw(SYS_wait4, -1, 0, 0, 0);
	line_errno("pid=%d, %s=\"%s\"", child, field, self);
}

static void shell(const struct variant *variant)
{
	int (*run_it)(const char *) = use("system", variant);
	TRY(run_it("exit 5"));
	line("command=\"exit 5\"");
	TRY(run_it(NULL));
	line("command=NULL");
}

static void into_background(const struct variant *variant)
{
	int (*leave)(int, int) = use("daemon", variant);
	raw(SYS_prctl, PR_SET_CHILD_SUBREAPER, 1, 0, 0);
	long child = forked();
	if (!child) {
		use("daemon", variant);
		line_as(" = ? unfinished", "nochdir=1, noclose=1");
		leave(1, 1);
		ending_child(6);
	}
	reap(child);
	reap(-1);
}

/* One way to execute: by number, so that each runs in a child of its own. */
static long execute(int way, const char *path)
{
	int number;
	switch (way) {
	case 0:
		return execve(path, again, environment);
	case 1:
		return execv(path, again);
	case 2:
		return execvp(path, again);
	case 3:
		return execvpe(path, again, environment);
	case 4:
		return execl(path, self, "again", NULL);
	case 5:
		return execle(path, self, "again", NULL, environment);
	case 6:
		return execlp(path, self, "again", NULL);
	case 7:
		return execveat(AT_FDCWD, path, again, environment, AT_SYMLINK_NOFOLLOW);
	default:
		number = (int)raw(SYS_open, (long)path, O_RDONLY | O_CLOEXEC, 0, 0);
		return fexecve(number, again, environment);
	}
}

static void executing(void)
{
	static const struct variant ways[] = {LINKED(execve),  LINKED(execv),	 LINKED(execvp),
					      LINKED(execvpe), LINKED(execl),	 LINKED(execle),
					      LINKED(execlp),  LINKED(execveat), LINKED(fexecve)};
	static const char *const arguments[] = {
		"path=\"%s\"", "path=\"%s\"",
		"file=\"%s\"", "file=\"%s\"",
		"path=\"%s\"", "path=\"%s\"",
		"file=\"%s\"", "dirfd=AT_FDCWD, path=\"%s\", flags=AT_SYMLINK_NOFOLLOW"};
	for (int way = 0; way < 9; way++) {
		char shown[8192];
		long child = forked();
		if (child) {
			reap(child);
			continue;
		}
		use(ways[way].symbol, &ways[way]);
		TRY(execute(way, "missing"));
		snprintf(shown, sizeof shown, way < 8 ? arguments[way] : "fd=-2", "missing");
		line("%s", shown);
		snprintf(shown, sizeof shown, way < 8 ? arguments[way] : "fd=3 <%s>", self);
		line_as(" = ? unfinished", "%s", shown);
		execute(way, self);
	}
}

static void waiting(const struct variant *variant)
{
	pid_t (*wait_it)(int *) = use("wait", variant);
	int status = 0;
	long child = forked();
	if (!child)
		ending_child(7);
	use("wait", variant);
	TRY(wait_it(&status));
	line_pid("status=%#x", (unsigned)status);
	TRY(wait_it(&status));
	line_pid("%s", "");
}

static void waiting_for(const struct variant *variant)
{
	pid_t (*wait_it)(pid_t, int *, int) = use("waitpid", variant);
	int status = 0;
	long child = forked();
	if (!child)
		ending_child(8);
	use("waitpid", variant);
	TRY(wait_it((pid_t)child, &status, WUNTRACED));
	line_pid("pid=%ld, status=%#x, options=WUNTRACED", child, (unsigned)status);
	TRY(wait_it(-1, NULL, WNOHANG));
	line_pid("pid=-1, options=WNOHANG");
	child = forked();
	if (!child)
		ending_child(9);
	use("waitpid", variant);
	TRY(wait_it(-1, NULL, 0));
	line_pid("pid=-1, status=0x900, options=0");
}

static void waiting_more(const struct variant *variant)
{
	bool four = !strcmp(variant->symbol, "wait4");
	pid_t (*wait_three)(int *, int, struct rusage *) = use(variant->symbol, variant);
	pid_t (*wait_four)(pid_t, int *, int, struct rusage *) = use(variant->symbol, variant);
	struct rusage usage;
	int status = 0;
	long child = forked();
	if (!child)
		ending_child(9);
	use(variant->symbol, variant);
	TRY(four ? wait_four(-1, &status, 0, &usage) : wait_three(&status, 0, &usage));
	line_pid("%sstatus=%#x, options=0", four ? "pid=-1, " : "", (unsigned)status);
	TRY(four ? wait_four(-1, &status, 0, &usage) : wait_three(&status, 0, &usage));
	line_pid("%soptions=0", four ? "pid=-1, " : "");
}

static void waiting_by_id(const struct variant *variant)
{
	int (*wait_it)(idtype_t, id_t, siginfo_t *, int) = use("waitid", variant);
	siginfo_t information = {0};
	long child = forked();
	if (!child)
		ending_child(10);
	use("waitid", variant);
	TRY(wait_it(P_PID, (id_t)child, &information, WEXITED | WNOWAIT));
	line("type=P_PID, id=%ld, info=%#lx, options=WEXITED|WNOWAIT", child,
	     child << 32 | 10 << 8);
	say("  %d", information.si_status);
	TRY(wait_it(P_PID, (id_t)child, NULL, WEXITED));
	line("type=P_PID, id=%ld, info=%#lx, options=WEXITED", child, child << 32 | 10 << 8);
	TRY(wait_it(P_ALL, 0, &information, WEXITED));
	line("type=P_ALL, id=0, options=WEXITED");
}

typedef int clone_function(int (*)(void *), void *, int, void *, ...);

/* With memory of its own it is a process like one made by fork; the thread number is its own too. */
static int cloned_apart(void *given)
{
	int (*look)(const char *, int) = use("access", &(struct variant)LINKED(access));
	TRY(look(given, R_OK));
	line("path=\"data\", mode=R_OK");
	return 11;
}

/* On the parent's thread while the parent waits: its records are inside the parent's. */
static int cloned_beside(void *given)
{
	return access(given, R_OK) == 0 ? 12 : 13;
}

static void cloning(const struct variant *variant)
{
	static char stack[1 << 16] __attribute__((aligned(16)));
	clone_function *clone_it = use("clone", variant);
	long child = TRY(clone_it(cloned_apart, stack + sizeof stack, SIGCHLD, "data"));
	settle(child);
	line_pid("flags=SIGCHLD");
	reap(child);
	child = TRY(clone_it(cloned_beside, stack + sizeof stack, CLONE_VM | CLONE_VFORK | SIGCHLD,
			     "data"));
	settle(child);
	line_pid("flags=SIGCHLD|CLONE_VM|CLONE_VFORK");
	use("  access", &(struct variant)LINKED(access));
	line_as(" = 0 [vfork child]", "path=\"data\", mode=R_OK");
	reap(child);
	use("clone", variant);
	TRY(clone_it(cloned_apart, NULL, SIGCHLD, "data"));
	line("flags=SIGCHLD");
	TRY(clone_it(cloned_apart, stack + sizeof stack, CLONE_SIGHAND | SIGCHLD, "data"));
	line("flags=SIGCHLD|CLONE_SIGHAND");
}

int main(int count, char **words)
{
	(void)words;
	if (count > 1) {
		int (*look)(const char *, int) = use("access", &(struct variant)LINKED(access));
		TRY(look("data", R_OK));
		facts("\"absolute\":\"%s\"", under("data"));
		line("path=\"data\", mode=R_OK");
		int (*sync_it)(int) = use("fsync", &(struct variant)LINKED(fsync));
		TRY(sync_it(INHERITED));
		facts("\"absolute\":\"%s\",\"kind\":\"file\",\"identity\":\"seen\"", under("data"));
		line("fd=%s", fd(INHERITED));
		return 0;
	}
	put_file("data", "x");
	raw(SYS_dup2, raw(SYS_open, (long)"data", O_RDWR, 0, 0), INHERITED, 0, 0);
	raw(SYS_close, 3, 0, 0, 0);
	raw(SYS_readlink, (long)"/proc/self/exe", (long)self, sizeof self - 1, 0);
	environment[0] = (char *)(uintptr_t)text("CALL_EXPECTATIONS=%s", call.expectations);
	environment[0] = strdup(environment[0]);
	RUN(forking, LINKED(fork), HIDDEN(__fork), LINKED(_Fork));
	vforking();
	RUN(cloning, LINKED(clone), HIDDEN(__clone));
	RUN(spawning, LINKED(posix_spawn), LINKED(posix_spawnp));
	RUN(shell, LINKED(system));
	executing();
	RUN(waiting, LINKED(wait), HIDDEN(__wait));
	RUN(waiting_for, LINKED(waitpid), HIDDEN(__waitpid));
	RUN(waiting_more, LINKED(wait3), LINKED(wait4));
	RUN(waiting_by_id, LINKED(waitid));
	RUN(into_background, LINKED(daemon));
	return 0;
}
