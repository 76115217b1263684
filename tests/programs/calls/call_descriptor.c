/* Calls: copies of descriptors, fcntl, locks, pipes. See tests/calls/call.h. */
#include "../../calls/call.h"

#include <sys/file.h>

static int file;

/* A copy leads to the same file. */
static void say_copy(void)
{
	if (call.result < 0)
		return;
	say("  close-on-exec %ld", raw(SYS_fcntl, call.result, F_GETFD, 0, 0));
	int (*sync_it)(int) = use("fsync", &(struct variant)LINKED(fsync));
	int copy = (int)call.result;
	TRY(sync_it(copy));
	facts("\"kind\":\"file\",\"absolute\":\"%s\"", under("data"));
	line("fd=%d <%s>", copy, under("data"));
	close_fd(copy);
}

static void copying(const struct variant *variant)
{
	int (*copy)(int) = use("dup", variant);
	TRY(copy(-1));
	line("fd=-1");
	TRY(copy(file));
	line("fd=%s", fd(file));
	say_copy();
}

static void copying_to(const struct variant *variant)
{
	int (*copy)(int, int) = use("dup2", variant);
	TRY(copy(file, file));
	line("fd=%s, newfd=%d", fd(file), file);
	TRY(copy(99, 40));
	line("fd=99, newfd=40");
	TRY(copy(file, -1));
	line("fd=%s, newfd=-1", fd(file));
	TRY(copy(0, 40));
	line("fd=%s, newfd=40", fd(0));
	TRY(copy(file, 40));
	line("fd=%s, newfd=40", fd(file));
	say_copy();
}

static void copying_flags(const struct variant *variant)
{
	int (*copy)(int, int, int) = use("dup3", variant);
	TRY(copy(file, file, 0));
	line("fd=%s, newfd=%d, flags=0", fd(file), file);
	TRY(copy(file, 41, 0x7));
	line("fd=%s, newfd=41, flags=0x7", fd(file));
	TRY(copy(file, 41, O_CLOEXEC));
	line("fd=%s, newfd=41, flags=O_CLOEXEC", fd(file));
	say_copy();
}

typedef int fcntl_function(int, int, ...);

/* The lock is inside the record of fcntl. */
static void line_lock(const char *type, long start, long length)
{
	const char *function = call.function, *symbol = call.symbol;
	call.function = "  lock";
	call.symbol = "";
	expect_as("", "type=%s, whence=SEEK_SET, start=%ld, length=%ld, pid=0", type, start,
		  length);
	call.function = function;
	call.symbol = symbol;
}

/* Commands with an address as third argument, of a lock or of a result. */
static void controlling_locks(fcntl_function *control)
{
	struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
	struct f_owner_ex owner;
	uint64_t hint;
	static const struct {
		int cmd;
		const char *shown;
	} locks[] = {{F_SETLK, "F_SETLK"},	     {F_SETLKW, "F_SETLKW"},
		     {F_GETLK, "F_GETLK"},	     {F_OFD_SETLK, "F_OFD_SETLK"},
		     {F_OFD_SETLKW, "F_OFD_SETLKW"}, {F_OFD_GETLK, "F_OFD_GETLK"}};
	for (size_t i = 0; i < sizeof locks / sizeof *locks; i++) {
		bool ask = locks[i].cmd == F_GETLK || locks[i].cmd == F_OFD_GETLK;
		lock = (struct flock){
			.l_type = F_UNLCK, .l_whence = SEEK_SET, .l_start = 7, .l_len = 1L << 40};
		if (ask || i == 3)
			lock.l_type = ask ? F_WRLCK : F_RDLCK;
		TRY(control(file, locks[i].cmd, &lock));
		line("fd=%s, cmd=%s, arg=0", fd(file), locks[i].shown);
		line_lock(ask ? "F_WRLCK" : i == 3 ? "F_RDLCK" : "F_UNLCK", 7, 1L << 40);
		if (ask)
			line_lock("F_UNLCK", 7, 1L << 40);
	}
	TRY(control(file, F_SETLK, (void *)8));
	line("fd=%s, cmd=F_SETLK, arg=0", fd(file));
	TRY(control(file, F_GETOWN_EX, &owner));
	line("fd=%s, cmd=F_GETOWN_EX, arg=0", fd(file));
	uid_t users[2];
	TRY(control(file, 17, users));
	line("fd=%s, cmd=F_GETOWNER_UIDS, arg=0", fd(file));
	TRY(control(file, F_GET_RW_HINT, &hint));
	line("fd=%s, cmd=F_GET_RW_HINT, arg=0", fd(file));
}

static void controlling(const struct variant *variant)
{
	fcntl_function *control = use("fcntl", variant);
	TRY(control(file, F_GETFD));
	line("fd=%s, cmd=F_GETFD, arg=0", fd(file));
	TRY(control(file, F_SETFD, FD_CLOEXEC));
	line("fd=%s, cmd=F_SETFD, arg=1", fd(file));
	TRY(control(file, F_GETFL));
	line("fd=%s, cmd=F_GETFL, arg=0", fd(file));
	TRY(control(file, F_SETFL, O_APPEND));
	line("fd=%s, cmd=F_SETFL, arg=1024", fd(file));
	say("  %lo", raw(SYS_fcntl, file, F_GETFL, 0, 0));
	TRY(control(-1, F_GETFD));
	line("fd=-1, cmd=F_GETFD, arg=0");
	TRY(control(file, 4711, 0));
	line("fd=%s, cmd=4711, arg=0", fd(file));
	TRY(control(file, F_GET_SEALS));
	line("fd=%s, cmd=F_GET_SEALS, arg=0", fd(file));
	controlling_locks(control);
	TRY(control(file, F_DUPFD, -1));
	line("fd=%s, cmd=F_DUPFD, arg=-1", fd(file));
	TRY(control(file, F_DUPFD, 30));
	line("fd=%s, cmd=F_DUPFD, arg=30", fd(file));
	say_copy();
	use("fcntl", variant);
	TRY(control(file, F_DUPFD_CLOEXEC, 31));
	line("fd=%s, cmd=F_DUPFD_CLOEXEC, arg=31", fd(file));
	say_copy();
}

static void locking(const struct variant *variant)
{
	int (*lock)(int, int) = use("flock", variant);
	TRY(lock(file, LOCK_EX | LOCK_NB));
	line("fd=%s, operation=LOCK_EX|LOCK_NB", fd(file));
	TRY(lock(file, LOCK_UN));
	line("fd=%s, operation=LOCK_UN", fd(file));
	TRY(lock(file, 0x40));
	line("fd=%s, operation=0x40", fd(file));
	TRY(lock(-1, LOCK_SH));
	line("fd=-1, operation=LOCK_SH");
}

static void locking_part(const struct variant *variant)
{
	int (*lock)(int, int, off_t) = use("lockf", variant);
	static const char *const names[] = {"F_ULOCK", "F_LOCK", "F_TLOCK", "F_TEST"};
	for (int cmd = 3; cmd >= 0; cmd--) {
		TRY(lock(file, cmd, 10));
		line("fd=%s, cmd=%s, length=10", fd(file), names[cmd]);
	}
	TRY(lock(file, 9, -10));
	line("fd=%s, cmd=9, length=-10", fd(file));
	TRY(lock(-1, F_LOCK, 0));
	line("fd=-1, cmd=F_LOCK, length=0");
}

static void close_pipe(const int *ends)
{
	char got[4] = "";
	raw(SYS_write, ends[1], (long)"abc", 3, 0);
	say("  %ld %s", raw(SYS_read, ends[0], (long)got, 3, 0), got);
	close_fd(ends[0]);
	close_fd(ends[1]);
}

/* The kernel's name for a pipe is shown from its first use on. */
static void joining(const struct variant *variant)
{
	int ends[2];
	int (*make)(int *) = use("pipe", variant);
	TRY(make((void *)8));
	line("%s", "");
	TRY(make(ends));
	facts("\"kind\":\"pipe\"");
	line("read_end=%d, write_end=%d", ends[0], ends[1]);
	close_pipe(ends);
}

static void joining_flags(const struct variant *variant)
{
	int ends[2];
	int (*make)(int *, int) = use("pipe2", variant);
	TRY(make(ends, 0x7));
	line("flags=0x7");
	TRY(make(ends, O_CLOEXEC | O_NONBLOCK));
	line("read_end=%d, write_end=%d, flags=O_NONBLOCK|O_CLOEXEC", ends[0], ends[1]);
	close_pipe(ends);
}

int main(void)
{
	put_file("data", "0123456789abcdef");
	file = open_fd("data", O_RDWR, "O_RDWR");
	RUN(copying, LINKED(dup));
	RUN(copying_to, LINKED(dup2), HIDDEN(__dup2));
	RUN(copying_flags, LINKED(dup3));
	RUN(controlling, LINKED(fcntl), LINKED(fcntl64), HIDDEN(__fcntl));
	RUN(locking, LINKED(flock));
	RUN(locking_part, LINKED(lockf), LINKED(lockf64));
	RUN(joining, LINKED(pipe), HIDDEN(__pipe));
	RUN(joining_flags, LINKED(pipe2));
	return 0;
}
