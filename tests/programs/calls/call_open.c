/* Calls: open, close and functions that make a new file with a generated name. See tests/calls/call.h. */
#include "../../calls/call.h"

#include <linux/close_range.h>
#include <sys/mman.h>

typedef int open_function(const char *, int, ...);
typedef int openat_function(int, const char *, int, ...);

static void opening(const struct variant *variant)
{
	open_function *open_it = use("open", variant);
	put_file("there", "content");
	remove_name("made");
	TRY(open_it("there", O_RDONLY));
	line("path=\"there\", flags=O_RDONLY");
	close_fd(call.result);
	TRY(open_it("there", O_WRONLY | O_APPEND | O_CLOEXEC | O_NONBLOCK));
	line("path=\"there\", flags=O_WRONLY|O_APPEND|O_NONBLOCK|O_CLOEXEC");
	close_fd(call.result);
	TRY(open_it(under("there"), O_RDWR | O_SYNC | O_NOFOLLOW));
	line("path=\"%s\", flags=O_RDWR|O_SYNC|O_NOFOLLOW", under("there"));
	close_fd(call.result);
	TRY(open_it(".", O_RDONLY | O_DIRECTORY));
	line("path=\".\", flags=O_RDONLY|O_DIRECTORY");
	close_fd(call.result);
	TRY(open_it("missing", O_RDWR | O_DSYNC));
	line("path=\"missing\", flags=O_RDWR|O_DSYNC");
	TRY(open_it("there/below", O_RDONLY | O_NOATIME));
	line("path=\"there/below\", flags=O_RDONLY|O_NOATIME");
	TRY(open_it("", O_RDONLY));
	line("path=\"\", flags=O_RDONLY");
	if (strstr(variant->symbol, "_2"))
		return;
	TRY(open_it("made", O_WRONLY | O_CREAT | O_EXCL, 0640));
	line("path=\"made\", flags=O_WRONLY|O_CREAT|O_EXCL, mode=0640");
	close_fd(call.result);
	say_name("made");
	TRY(open_it("made", O_WRONLY | O_CREAT | O_EXCL, 0));
	line("path=\"made\", flags=O_WRONLY|O_CREAT|O_EXCL, mode=0");
	TRY(open_it("there", O_WRONLY | O_TRUNC | O_CREAT, 0600));
	line("path=\"there\", flags=O_WRONLY|O_CREAT|O_TRUNC, mode=0600");
	close_fd(call.result);
	say_name("there");
	TRY(open_it(".", O_RDWR | O_TMPFILE, 0611));
	line("path=\".\", flags=O_RDWR|O_TMPFILE, mode=0611");
	close_fd(call.result);
}

static void opening_at(const struct variant *variant)
{
	openat_function *open_it = use("openat", variant);
	put_file("sub/inner", "content");
	remove_name("sub/made");
	int folder = open_fd("sub", O_RDONLY | O_DIRECTORY, "O_RDONLY|O_DIRECTORY");
	const char *shown = fd(folder);
	TRY(open_it(folder, "inner", O_RDONLY));
	facts("\"absolute\":\"%s\"", under("sub/inner"));
	line("dirfd=%s, path=\"inner\", flags=O_RDONLY", shown);
	close_fd(call.result);
	TRY(open_it(AT_FDCWD, "sub/inner", O_RDWR));
	facts("\"absolute\":\"%s\"", under("sub/inner"));
	line("dirfd=AT_FDCWD, path=\"sub/inner\", flags=O_RDWR");
	close_fd(call.result);
	TRY(open_it(-1, under("sub/inner"), O_RDONLY));
	line("dirfd=-1, path=\"%s\", flags=O_RDONLY", under("sub/inner"));
	close_fd(call.result);
	TRY(open_it(-1, "inner", O_RDONLY));
	line("dirfd=-1, path=\"inner\", flags=O_RDONLY");
	TRY(open_it(folder, "missing", O_RDONLY | O_PATH));
	line("dirfd=%s, path=\"missing\", flags=O_RDONLY|O_PATH", shown);
	if (!strstr(variant->symbol, "_2")) {
		TRY(open_it(folder, "made", O_WRONLY | O_CREAT, 0600));
		line("dirfd=%s, path=\"made\", flags=O_WRONLY|O_CREAT, mode=0600", shown);
		close_fd(call.result);
		say_name("sub/made");
	}
	close_fd(folder);
}

static void creating(const struct variant *variant)
{
	int (*create)(const char *, mode_t) = use("creat", variant);
	put_file("there", "content");
	TRY(create("there", 0600));
	line("path=\"there\", mode=0600");
	close_fd(call.result);
	say_name("there");
	TRY(create("missing/below", 0755));
	line("path=\"missing/below\", mode=0755");
	TRY(create("sub", 0));
	line("path=\"sub\", mode=0");
}

static void closing(const struct variant *variant)
{
	int (*close_it)(int) = use("close", variant);
	int number = open_fd("there", O_RDONLY, "O_RDONLY");
	const char *shown = fd(number);
	TRY(close_it(number));
	line("fd=%s", shown);
	TRY(close_it(number));
	line("fd=%d", number);
	TRY(close_it(-1));
	line("fd=-1");
	TRY(close_it(1 << 20));
	line("fd=1048576");
}

static void closing_range(const struct variant *variant)
{
	int (*close_them)(unsigned, unsigned, int) = use("close_range", variant);
	raw(SYS_dup2, 0, 50, 0, 0);
	raw(SYS_dup2, 0, 52, 0, 0);
	TRY(close_them(50, 60, 0));
	line("first=50, last=60, flags=0");
	say("  %ld", raw(SYS_close, 52, 0, 0, 0));
	raw(SYS_dup2, 0, 50, 0, 0);
	TRY(close_them(50, ~0u, CLOSE_RANGE_CLOEXEC | CLOSE_RANGE_UNSHARE));
	line("first=50, last=4294967295, flags=CLOSE_RANGE_UNSHARE|CLOSE_RANGE_CLOEXEC");
	say("  %ld", raw(SYS_close, 50, 0, 0, 0));
	TRY(close_them(60, 50, 0x80));
	line("first=60, last=50, flags=0x80");
}

static void closing_from(const struct variant *variant)
{
	void (*close_them)(int) = use("closefrom", variant);
	raw(SYS_dup2, 0, 50, 0, 0);
	TRY_VOID(close_them(50));
	line_as("", "first=50");
	say("  %ld", raw(SYS_close, 50, 0, 0, 0));
	TRY_VOID(close_them(9999));
	line_as("", "first=9999");
}

/* The four functions that make a name from a template differ in the arguments after it. */
static void made_temporary(const char *template, const char *given, const char *more, size_t suffix)
{
	struct stat found = {0};
	say("  %.4s...%s", template, template + strlen(template) - suffix);
	line("template=\"%s\"%s", given, more);
	if (call.result < 0)
		return;
	raw(SYS_stat, (long)template, (long)&found, 0, 0);
	say("  mode %o", found.st_mode);
	close_fd(call.result);
	remove_name(template);
}

static void temporary(const struct variant *variant)
{
	char good[] = "tmp.XXXXXX", bad[] = "tmp.no";
	int (*make)(char *) = use("mkstemp", variant);
	TRY(make(good));
	made_temporary(good, "tmp.XXXXXX", "", 0);
	TRY(make(bad));
	made_temporary(bad, bad, "", 0);
}

static void temporary_flags(const struct variant *variant)
{
	char good[] = "tmp.XXXXXX", bad[] = "missing/XXXXXX";
	int (*make)(char *, int) = use("mkostemp", variant);
	TRY(make(good, O_CLOEXEC | O_APPEND));
	made_temporary(good, "tmp.XXXXXX", ", flags=O_RDONLY|O_APPEND|O_CLOEXEC", 0);
	TRY(make(bad, 0));
	made_temporary(bad, "missing/XXXXXX", ", flags=O_RDONLY", 0);
}

static void temporary_suffix(const struct variant *variant)
{
	char good[] = "tmp.XXXXXX.end", bad[] = "tmp.XXXXXX";
	int (*make)(char *, int) = use("mkstemps", variant);
	TRY(make(good, 4));
	made_temporary(good, "tmp.XXXXXX.end", ", suffix=4", 4);
	TRY(make(bad, -1));
	made_temporary(bad, "tmp.XXXXXX", ", suffix=-1", 0);
}

static void temporary_both(const struct variant *variant)
{
	char good[] = "tmp.XXXXXX.end", bad[] = "tmp.XXXXXX";
	int (*make)(char *, int, int) = use("mkostemps", variant);
	TRY(make(good, 4, O_SYNC));
	made_temporary(good, "tmp.XXXXXX.end", ", suffix=4, flags=O_RDONLY|O_SYNC", 4);
	TRY(make(bad, 90, 0));
	made_temporary(bad, "tmp.XXXXXX", ", suffix=90, flags=O_RDONLY", 0);
}

static void temporary_folder(const struct variant *variant)
{
	char good[] = "tmp.XXXXXX", bad[] = "missing/XXXXXX";
	char *(*make)(char *) = use("mkdtemp", variant);
	TRY(make(good));
	say("  %d", call.result == (long)good);
	say("  %ld", raw(SYS_rmdir, (long)good, 0, 0, 0));
	line_as(" = set", "template=\"tmp.XXXXXX\"");
	TRY(make(bad));
	line_as(text(" = NULL %s", strerrorname_np(call.error)), "template=\"missing/XXXXXX\"");
}

static void shared_memory(const struct variant *variant)
{
	int (*make)(const char *, int, mode_t) = use("shm_open", variant);
	const char *name = "/varve-call-open";
	TRY(make(name, O_RDWR | O_CREAT, 0600));
	line("name=\"%s\", flags=O_RDWR|O_CREAT, mode=0600", name);
	close_fd(call.result);
	TRY(make(name, O_RDWR | O_CREAT | O_EXCL, 0600));
	line("name=\"%s\", flags=O_RDWR|O_CREAT|O_EXCL, mode=0600", name);
	TRY(make("/a/b", O_RDONLY, 0));
	line("name=\"/a/b\", flags=O_RDONLY");
	int (*forget)(const char *) = use("shm_unlink", &(struct variant)LINKED(shm_unlink));
	TRY(forget(name));
	line("name=\"%s\"", name);
	TRY(forget(name));
	line("name=\"%s\"", name);
}

static void memory_file(const struct variant *variant)
{
	int (*make)(const char *, unsigned) = use("memfd_create", variant);
	TRY(make("some memory", MFD_CLOEXEC | MFD_ALLOW_SEALING));
	line("name=\"some memory\", flags=MFD_CLOEXEC|MFD_ALLOW_SEALING");
	close_fd(call.result);
	TRY(make("x", 0x70000000));
	line("name=\"x\", flags=0x70000000");
}

int main(void)
{
	raw(SYS_mkdir, (long)"sub", 0755, 0, 0);
	RUN(opening, LINKED(open), LINKED(open64), HIDDEN(__open), HIDDEN(__open64),
	    HIDDEN(__open_2), HIDDEN(__open64_2));
	RUN(opening_at, LINKED(openat), LINKED(openat64), HIDDEN(__openat_2), HIDDEN(__openat64_2));
	RUN(creating, LINKED(creat), LINKED(creat64));
	RUN(closing, LINKED(close), HIDDEN(__close));
	RUN(closing_range, LINKED(close_range));
	RUN(closing_from, LINKED(closefrom));
	RUN(temporary, LINKED(mkstemp), LINKED(mkstemp64));
	RUN(temporary_flags, LINKED(mkostemp), LINKED(mkostemp64));
	RUN(temporary_suffix, LINKED(mkstemps), LINKED(mkstemps64));
	RUN(temporary_both, LINKED(mkostemps), LINKED(mkostemps64));
	RUN(temporary_folder, LINKED(mkdtemp));
	RUN(shared_memory, LINKED(shm_open));
	RUN(memory_file, LINKED(memfd_create));
	return 0;
}
