/* Calls: information about files and file systems. See tests/calls/call.h. */
#include "../../calls/call.h"

#include <sys/statfs.h>
#include <sys/statvfs.h>

enum { STAT_VERSION = 1 };

static int file, folder;
static struct stat found;

/* `found` was written by the call; the record must have the same file. */
static void told(bool of_name)
{
	if (call.result == 0 && found.st_ino)
		facts("\"device\":%lu,\"inode\":%lu%s", (unsigned long)found.st_dev,
		      (unsigned long)found.st_ino, of_name ? ",\"identity\":\"seen\"" : "");
	say("  size %ld mode %o", (long)found.st_size, found.st_mode);
	memset(&found, 0, sizeof found);
}

static bool versioned(const struct variant *variant)
{
	return strstr(variant->symbol, "xstat") != NULL;
}

typedef int stat_function(const char *, struct stat *);
typedef int xstat_function(int, const char *, struct stat *);

static long stat_any(const struct variant *variant, void *function, const char *path, void *buffer)
{
	return versioned(variant) ? ((xstat_function *)function)(STAT_VERSION, path, buffer)
				  : ((stat_function *)function)(path, buffer);
}

static void of_path(const struct variant *variant)
{
	void *function = use(
		strstr(variant->symbol, "ls") || strstr(variant->symbol, "lx") ? "lstat" : "stat",
		variant);
	bool link = !strcmp(call.function, "lstat");
	TRY(stat_any(variant, function, "data", &found));
	told(!link);
	line("path=\"data\"");
	TRY(stat_any(variant, function, "link", &found));
	say("  link %d", S_ISLNK(found.st_mode));
	if (!link)
		told(true);
	line("path=\"link\"");
	TRY(stat_any(variant, function, under("folder"), &found));
	line("path=\"%s\"", under("folder"));
	TRY(stat_any(variant, function, "missing", &found));
	line("path=\"missing\"");
	TRY(stat_any(variant, function, "data", (void *)8));
	line("path=\"data\"");
	TRY(stat_any(variant, function, "data/below", &found));
	line("path=\"data/below\"");
}

static void of_fd(const struct variant *variant)
{
	int (*plain)(int, struct stat *) = use("fstat", variant);
	int (*old)(int, int, struct stat *) = use("fstat", variant);
	TRY(versioned(variant) ? old(STAT_VERSION, file, &found) : plain(file, &found));
	told(true);
	line("fd=%s", fd(file));
	TRY(versioned(variant) ? old(STAT_VERSION, -1, &found) : plain(-1, &found));
	line("fd=-1");
	TRY(versioned(variant) ? old(STAT_VERSION, file, (void *)8) : plain(file, (void *)8));
	line("fd=%s", fd(file));
}

typedef int statat_function(int, const char *, struct stat *, int);
typedef int xstatat_function(int, int, const char *, struct stat *, int);

static void of_path_at(const struct variant *variant)
{
	void *function = use("fstatat", variant);
	static const struct {
		bool at_folder;
		int flags;
		const char *path, *shown;
	} tries[] = {
		{true, 0, "inner", "0"},
		{false, 0, "data", "0"},
		{false, AT_SYMLINK_NOFOLLOW, "link", "AT_SYMLINK_NOFOLLOW"},
		{true, AT_NO_AUTOMOUNT, "missing", "AT_NO_AUTOMOUNT"},
		{true, AT_EMPTY_PATH, "", "AT_EMPTY_PATH"},
		{true, 0x40000000, "inner", "0x40000000"},
	};
	for (size_t i = 0; i < sizeof tries / sizeof *tries; i++) {
		int at = tries[i].at_folder ? folder : AT_FDCWD;
		TRY(versioned(variant)
			    ? ((xstatat_function *)function)(STAT_VERSION, at, tries[i].path,
							     &found, tries[i].flags)
			    : ((statat_function *)function)(at, tries[i].path, &found,
							    tries[i].flags));
		if (i < 2)
			told(true);
		line("dirfd=%s, path=\"%s\", flags=%s",
		     tries[i].at_folder ? fd(folder) : "AT_FDCWD", tries[i].path, tries[i].shown);
	}
}

static void of_anything(const struct variant *variant)
{
	int (*ask)(int, const char *, int, unsigned, struct statx *) = use("statx", variant);
	struct statx extended = {0};
	TRY(ask(folder, "inner", AT_STATX_DONT_SYNC, STATX_TYPE | STATX_INO | STATX_SIZE,
		&extended));
	say("  size %ld", (long)extended.stx_size);
	facts("\"inode\":%lu,\"identity\":\"seen\"", (unsigned long)extended.stx_ino);
	line("dirfd=%s, path=\"inner\", flags=AT_STATX_DONT_SYNC, "
	     "mask=STATX_TYPE|STATX_INO|STATX_SIZE",
	     fd(folder));
	TRY(ask(AT_FDCWD, "missing", 0, STATX_MODE | STATX_BTIME, &extended));
	line("dirfd=AT_FDCWD, path=\"missing\", flags=0, mask=STATX_MODE|STATX_BTIME");
	TRY(ask(file, "", AT_EMPTY_PATH | AT_STATX_FORCE_SYNC, STATX_BASIC_STATS, &extended));
	line("dirfd=%s, path=\"\", flags=AT_EMPTY_PATH|AT_STATX_FORCE_SYNC, "
	     "mask=STATX_TYPE|STATX_MODE|"
	     "STATX_NLINK|STATX_UID|STATX_GID|STATX_ATIME|STATX_MTIME|STATX_CTIME|STATX_INO|STATX_"
	     "SIZE|"
	     "STATX_BLOCKS",
	     fd(file));
	TRY(ask(AT_FDCWD, "data", 0, 0, (void *)8));
	line("dirfd=AT_FDCWD, path=\"data\", flags=0, mask=0");
}

static void of_system(const struct variant *variant)
{
	static union {
		struct statfs a;
		struct statvfs b;
	} system;
	bool v = strstr(variant->symbol, "statvfs") != NULL;
	int (*ask)(const char *, void *) = use(v ? "statvfs" : "statfs", variant);
	TRY(ask("data", &system));
	say("  %ld", v ? (long)system.b.f_bsize : (long)system.a.f_type);
	line("path=\"data\"");
	TRY(ask("missing", &system));
	line("path=\"missing\"");
}

static void of_system_by_fd(const struct variant *variant)
{
	static char system[1024];
	int (*ask)(int, void *) =
		use(strstr(variant->symbol, "statvfs") ? "fstatvfs" : "fstatfs", variant);
	TRY(ask(file, system));
	line("fd=%s", fd(file));
	TRY(ask(-1, system));
	line("fd=-1");
}

static void allowed(const struct variant *variant)
{
	int (*ask)(const char *, int) =
		use(strcmp(variant->symbol, "access") ? "euidaccess" : "access", variant);
	TRY(ask("data", F_OK));
	line("path=\"data\", mode=F_OK");
	TRY(ask("data", R_OK | W_OK));
	line("path=\"data\", mode=R_OK|W_OK");
	TRY(ask("data", X_OK));
	line("path=\"data\", mode=X_OK");
	TRY(ask("missing", R_OK));
	line("path=\"missing\", mode=R_OK");
	TRY(ask("data", 0x100));
	line("path=\"data\", mode=F_OK|0x100");
}

static void allowed_at(const struct variant *variant)
{
	int (*ask)(int, const char *, int, int) = use("faccessat", variant);
	TRY(ask(folder, "inner", R_OK, AT_EACCESS));
	line("dirfd=%s, path=\"inner\", mode=R_OK, flags=AT_EACCESS", fd(folder));
	TRY(ask(AT_FDCWD, "link", F_OK, AT_SYMLINK_NOFOLLOW));
	line("dirfd=AT_FDCWD, path=\"link\", mode=F_OK, flags=AT_SYMLINK_NOFOLLOW");
	TRY(ask(-1, "inner", W_OK, 0));
	line("dirfd=-1, path=\"inner\", mode=W_OK, flags=0");
	TRY(ask(AT_FDCWD, "data", W_OK, 0x40000));
	line("dirfd=AT_FDCWD, path=\"data\", mode=W_OK, flags=0x40000");
}

int main(void)
{
	put_file("data", "0123456789abcdef");
	raw(SYS_mkdir, (long)"folder", 0755, 0, 0);
	put_file("folder/inner", "abc");
	raw(SYS_symlink, (long)"data", (long)"link", 0, 0);
	file = open_fd("data", O_RDWR, "O_RDWR");
	folder = open_fd("folder", O_RDONLY, "O_RDONLY");
	RUN(of_path, LINKED(stat), LINKED(stat64), HIDDEN(__xstat), HIDDEN(__xstat64),
	    LINKED(lstat), LINKED(lstat64), HIDDEN(__lxstat), HIDDEN(__lxstat64));
	RUN(of_fd, LINKED(fstat), LINKED(fstat64), HIDDEN(__fxstat), HIDDEN(__fxstat64));
	RUN(of_path_at, LINKED(fstatat), LINKED(fstatat64), HIDDEN(__fxstatat),
	    HIDDEN(__fxstatat64));
	RUN(of_anything, LINKED(statx));
	RUN(of_system, LINKED(statfs), LINKED(statfs64), HIDDEN(__statfs), LINKED(statvfs),
	    LINKED(statvfs64));
	RUN(of_system_by_fd, LINKED(fstatfs), LINKED(fstatfs64), LINKED(fstatvfs),
	    LINKED(fstatvfs64));
	RUN(allowed, LINKED(access), LINKED(euidaccess), LINKED(eaccess));
	RUN(allowed_at, LINKED(faccessat));
	return 0;
}
