/* Calls: permissions, owners, times of files. See tests/calls/call.h. */
#include "../../calls/call.h"

#include <sys/time.h>
#include <utime.h>

static int file, folder;
static const struct timespec times[2] = {{1000000000, 5}, {1000000001, 6}};
static const struct timeval old_times[2] = {{1000000002, 5}, {1000000003, 6}};

static void say_times(const char *path)
{
	struct stat found;
	raw(SYS_lstat, (long)path, (long)&found, 0, 0);
	say("  %ld %ld", (long)found.st_atime, (long)found.st_mtime);
}

static void by_path(const struct variant *variant)
{
	int (*set)(const char *, mode_t) = use(variant->symbol, variant);
	TRY(set("data", 0604));
	line("path=\"data\", mode=0604");
	say_name("data");
	TRY(set("missing", 07777));
	line("path=\"missing\", mode=07777");
}

static void by_fd(const struct variant *variant)
{
	int (*set)(int, mode_t) = use("fchmod", variant);
	TRY(set(file, 0640));
	line("fd=%s, mode=0640", fd(file));
	say_name("data");
	TRY(set(-1, 0));
	line("fd=-1, mode=0");
}

static void by_path_at(const struct variant *variant)
{
	int (*set)(int, const char *, mode_t, int) = use("fchmodat", variant);
	TRY(set(folder, "inner", 0444, 0));
	line("dirfd=%s, path=\"inner\", mode=0444, flags=0", fd(folder));
	TRY(set(AT_FDCWD, "missing", 0444, AT_SYMLINK_NOFOLLOW));
	line("dirfd=AT_FDCWD, path=\"missing\", mode=0444, flags=AT_SYMLINK_NOFOLLOW");
}

static void owner_by_path(const struct variant *variant)
{
	int (*set)(const char *, uid_t, gid_t) = use(variant->symbol, variant);
	TRY(set("data", getuid(), (gid_t)-1));
	line("path=\"data\", owner=%d, group=-1", (int)getuid());
	TRY(set("missing", 65534, 70000));
	line("path=\"missing\", owner=65534, group=70000");
}

static void owner_by_fd(const struct variant *variant)
{
	int (*set)(int, uid_t, gid_t) = use("fchown", variant);
	TRY(set(file, (uid_t)-1, (gid_t)-1));
	line("fd=%s, owner=-1, group=-1", fd(file));
	TRY(set(-1, 0, 0));
	line("fd=-1, owner=0, group=0");
}

static void owner_at(const struct variant *variant)
{
	int (*set)(int, const char *, uid_t, gid_t, int) = use("fchownat", variant);
	TRY(set(folder, "inner", (uid_t)-1, getgid(), AT_SYMLINK_NOFOLLOW));
	line("dirfd=%s, path=\"inner\", owner=-1, group=%d, flags=AT_SYMLINK_NOFOLLOW", fd(folder),
	     (int)getgid());
	TRY(set(96, "inner", 1, 2, 0));
	line("dirfd=96, path=\"inner\", owner=1, group=2, flags=0");
}

static void old_times_of(const struct variant *variant)
{
	const struct utimbuf both = {1000000004, 1000000005};
	int (*set)(const char *, const struct utimbuf *) = use("utime", variant);
	TRY(set("data", &both));
	line("path=\"data\"");
	say_times("data");
	TRY(set("missing", NULL));
	line("path=\"missing\"");
}

static void times_of(const struct variant *variant)
{
	int (*set)(const char *, const struct timeval *) = use(variant->symbol, variant);
	TRY(set("data", old_times));
	line("path=\"data\"");
	say_times("data");
	TRY(set("missing", NULL));
	line("path=\"missing\"");
}

static void times_at(const struct variant *variant)
{
	int (*set)(int, const char *, const struct timespec *, int) = use("utimensat", variant);
	TRY(set(folder, "inner", times, 0));
	line("dirfd=%s, path=\"inner\", flags=0", fd(folder));
	say_times("folder/inner");
	TRY(set(folder, "missing", times, AT_SYMLINK_NOFOLLOW));
	line("dirfd=%s, path=\"missing\", flags=AT_SYMLINK_NOFOLLOW", fd(folder));
}

static void times_of_fd(const struct variant *variant)
{
	int (*set)(int, const void *) = use(variant->symbol, variant);
	TRY(set(file, variant->symbol[6] == 'n' ? (const void *)times : (const void *)old_times));
	line("fd=%s", fd(file));
	say_times("data");
	TRY(set(-1, NULL));
	line("fd=-1");
}

static void old_times_at(const struct variant *variant)
{
	int (*set)(int, const char *, const struct timeval *) = use("futimesat", variant);
	TRY(set(folder, "inner", old_times));
	line("dirfd=%s, path=\"inner\"", fd(folder));
	say_times("folder/inner");
	TRY(set(AT_FDCWD, "missing", old_times));
	line("dirfd=AT_FDCWD, path=\"missing\"");
}

static void masking(const struct variant *variant)
{
	mode_t (*set)(mode_t) = use("umask", variant);
	raw(SYS_umask, 022, 0, 0, 0);
	TRY(set(0177));
	line_as(" = 022", "mode=0177");
	TRY(set(0));
	line_as(" = 0177", "mode=0");
	TRY(set(022));
	line_as(" = 0", "mode=022");
}

int main(void)
{
	put_file("data", "x");
	raw(SYS_mkdir, (long)"folder", 0755, 0, 0);
	put_file("folder/inner", "abc");
	file = open_fd("data", O_RDWR, "O_RDWR");
	folder = open_fd("folder", O_RDONLY, "O_RDONLY");
	RUN(by_path, LINKED(chmod), LINKED(lchmod));
	RUN(by_fd, LINKED(fchmod));
	RUN(by_path_at, LINKED(fchmodat));
	RUN(owner_by_path, LINKED(chown), LINKED(lchown));
	RUN(owner_by_fd, LINKED(fchown));
	RUN(owner_at, LINKED(fchownat));
	RUN(old_times_of, LINKED(utime));
	RUN(times_of, LINKED(utimes), LINKED(lutimes));
	RUN(times_at, LINKED(utimensat));
	RUN(times_of_fd, LINKED(futimens), LINKED(futimes));
	RUN(old_times_at, LINKED(futimesat));
	RUN(masking, LINKED(umask));
	return 0;
}
