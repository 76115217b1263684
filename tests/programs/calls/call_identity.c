/* Calls: the file of a name and a descriptor in the records: device and inode, seen or assumed, the kind of the open object. See
 * tests/calls/call.h. */
#include "../../calls/call.h"

#include <sys/socket.h>

static int (*open_it)(const char *, int, ...);
static int (*close_it)(int);
static int (*sync_it)(int);

/* The identity that the next record must have: the kernel's answer for `path` now. Which call on one name in a block only assumed
 * it is not checked: `how` is NULL if that would matter. */
static void identity(const char *path, const char *how)
{
	struct stat found = {0};
	raw(SYS_stat, (long)path, (long)&found, 0, 0);
	facts("\"device\":%lu,\"inode\":%lu,\"absolute\":\"%s\"", (unsigned long)found.st_dev,
	      (unsigned long)found.st_ino, under(path[0] == '.' ? path + 2 : path));
	if (how)
		facts("\"identity\":\"%s\"", how);
}

static int opened(const char *path, int flags, const char *shown, const char *how)
{
	use("open", &(struct variant)LINKED(open));
	int number = (int)TRY(open_it(path, flags, 0644));
	identity(path, how);
	line("path=\"%s\", flags=%s", path, shown);
	return number;
}

static void closed(int number, const char *path)
{
	use("close", &(struct variant)LINKED(close));
	facts("\"absolute\":\"%s\"", under(path));
	TRY(close_it(number));
	line("fd=%d <%s>", number, under(path));
}

static void synced(int number, const char *path, const char *how)
{
	use("fsync", &(struct variant)LINKED(fsync));
	TRY(sync_it(number));
	identity(path, how);
	facts("\"kind\":\"file\"");
	line("fd=%d <%s>", number, under(path));
}

/* One fstat on the first open of a name; then its identity is assumed, until something may have changed it. */
static void names(void)
{
	int (*move)(const char *, const char *), (*forget)(const char *), number;
	put_file("a", "a");
	put_file("b", "b");
	number = opened("a", O_RDONLY, "O_RDONLY", "seen");
	synced(number, "a", "seen");
	closed(number, "a");
	number = opened("a", O_RDONLY, "O_RDONLY", NULL);
	closed(number, "a");
	number = opened("a", O_WRONLY | O_TRUNC, "O_WRONLY|O_TRUNC", "seen");
	closed(number, "a");
	move = use("rename", &(struct variant)LINKED(rename));
	TRY(move("b", "a"));
	line("path=\"b\", newpath=\"a\"");
	number = opened("a", O_RDONLY, "O_RDONLY", "seen");
	closed(number, "a");
	forget = use("unlink", &(struct variant)LINKED(unlink));
	TRY(forget("a"));
	line("path=\"a\"");
	put_file("occupant", "x");
	number = opened("a", O_RDWR | O_CREAT, "O_RDWR|O_CREAT, mode=0644", "seen");
	synced(number, "a", "seen");
	closed(number, "a");
	number = opened("./a", O_RDONLY, "O_RDONLY", "seen");
	closed(number, "a");
}

/* A descriptor keeps the file on which it was opened, although its name may later mean another. */
static void renamed_over(void)
{
	int (*move)(const char *, const char *);
	int (*look)(const char *, struct stat *);
	struct stat before = {0}, after;
	put_file("old", "1");
	put_file("new", "2");
	raw(SYS_stat, (long)"old", (long)&before, 0, 0);
	int first = opened("old", O_RDONLY, "O_RDONLY", "seen");
	move = use("rename", &(struct variant)LINKED(rename));
	TRY(move("new", "old"));
	line("path=\"new\", newpath=\"old\"");
	look = use("stat", &(struct variant)LINKED(stat));
	TRY(look("old", &after));
	identity("old", "seen");
	line("path=\"old\"");
	int second = opened("old", O_RDONLY, "O_RDONLY", NULL);
	use("fsync", &(struct variant)LINKED(fsync));
	TRY(sync_it(first));
	facts("\"inode\":%lu", (unsigned long)before.st_ino);
	line("fd=%d <%s>", first, under("old"));
	synced(second, "old", NULL);
	closed(first, "old");
	closed(second, "old");
}

static void told_by_kind(int number, const char *kind)
{
	int (*control)(int, int, ...) = use("fcntl", &(struct variant)LINKED(fcntl));
	TRY(control(number, F_GETFL));
	facts("\"kind\":\"%s\"", kind);
	line("fd=%s, cmd=F_GETFL, arg=0", fd(number));
}

/* The record of the call that opens it has its kind. */
static int opened_kind(const char *path, const char *kind)
{
	use("open", &(struct variant)LINKED(open));
	int number = (int)TRY(open_it(path, O_RDONLY, 0));
	facts("\"kind\":\"%s\"", kind);
	line("path=\"%s\", flags=O_RDONLY", path);
	return number;
}

/* Kinds of open objects, for recorded and unrecorded opens. */
static void kinds(void)
{
	int pair[2], ends[2];
	raw(SYS_socketpair, AF_UNIX, SOCK_STREAM, 0, (long)pair);
	raw(SYS_pipe2, (long)ends, 0, 0, 0);
	told_by_kind(pair[0], "socket");
	told_by_kind(ends[0], "pipe");
	told_by_kind(ends[1], "pipe");
	told_by_kind((int)raw(SYS_open, (long)"/dev/null", O_RDONLY, 0, 0), "device");
	told_by_kind((int)raw(SYS_open, (long)".", O_RDONLY, 0, 0), "folder");
	told_by_kind((int)raw(SYS_eventfd2, 0, 0, 0, 0), "anonymous");
	told_by_kind(0, "file");
	int number = opened_kind("/dev/null", "device");
	told_by_kind(number, "device");
	close_fd(number);
	number = opened_kind(".", "folder");
	told_by_kind(number, "folder");
	close_fd(number);
}

/* A file without a name does not pass its identity to its folder. */
static void nameless(void)
{
	use("open", &(struct variant)LINKED(open));
	int number = (int)TRY(open_it(".", O_RDWR | O_TMPFILE, 0600));
	line("path=\".\", flags=O_RDWR|O_TMPFILE, mode=0600");
	use("open", &(struct variant)LINKED(open));
	struct stat found = {0};
	raw(SYS_stat, (long)".", (long)&found, 0, 0);
	int folder = (int)TRY(open_it(".", O_RDONLY));
	facts("\"inode\":%lu,\"absolute\":\"%s\"", (unsigned long)found.st_ino, call.folder);
	line("path=\".\", flags=O_RDONLY");
	close_fd(folder);
	close_fd(number);
}

/* Descriptors of one file under three numbers, and a stream over one of them. */
static void copies(void)
{
	int number = opened("a", O_RDWR, "O_RDWR", "seen");
	int (*copy)(int) = use("dup", &(struct variant)LINKED(dup));
	int second = (int)TRY(copy(number));
	line("fd=%s", fd(number));
	closed(number, "a");
	synced(second, "a", "seen");
	FILE *(*over)(int, const char *) = use("fdopen", &(struct variant)LINKED(fdopen));
	FILE *stream_over = (FILE *)TRY(over(second, "r+"));
	line_handle("fd=%s, mode=\"r+\"", fd(second));
	int (*put)(int, FILE *) = use("fputc", &(struct variant)LINKED(fputc));
	TRY(put('x', stream_over));
	identity("a", "seen");
	facts("\"kind\":\"stream\"");
	line("c=120, stream=%s", stream(stream_over));
	synced(second, "a", "seen");
}

/* Relative names follow the working directory, and a folder's descriptor. */
static void relative(void)
{
	raw(SYS_mkdir, (long)"sub", 0755, 0, 0);
	put_file("sub/inner", "x");
	int folder = open_fd("sub", O_RDONLY, "O_RDONLY");
	int (*open_at)(int, const char *, int, ...) =
		use("openat", &(struct variant)LINKED(openat));
	int number = (int)TRY(open_at(folder, "inner", O_RDONLY));
	identity("sub/inner", "seen");
	line("dirfd=%s, path=\"inner\", flags=O_RDONLY", fd(folder));
	closed(number, "sub/inner");
	int (*change)(const char *) = use("chdir", &(struct variant)LINKED(chdir));
	TRY(change("sub"));
	line("path=\"sub\"");
	use("open", &(struct variant)LINKED(open));
	number = (int)TRY(open_it("../a", O_RDONLY));
	facts("\"path\":\"../a\",\"absolute\":\"%s\"", under("sub/../a"));
	line("path=\"../a\", flags=O_RDONLY");
	use("close", &(struct variant)LINKED(close));
	TRY(close_it(number));
	line("fd=%d <%s>", number, under("sub/../a"));
}

int main(void)
{
	open_it = open;
	close_it = close;
	sync_it = fsync;
	names();
	renamed_over();
	nameless();
	copies();
	relative();
	kinds();
	return 0;
}
