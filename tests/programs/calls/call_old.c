/* Calls: functions of programs that were linked long ago: older versions of those that changed, and names with which no program can
 * be linked any more, found by the hash table of that time. See tests/calls/call.h.
 *
 * flags: -Wl,--hash-style=sysv
 */
#include "../../calls/call.h"

#include <glob.h>

#define OLD(type, name, arguments)                                                                 \
	type old_##name arguments;                                                                 \
	__asm__(".symver old_" #name ", " #name "@GLIBC_2.2.5")
#define OLDER(name)                                                                                \
	{                                                                                          \
#name, (void (*)(void))old_##name                                                  \
	}
OLD(char *, realpath, (const char *, char *));
OLD(int, glob, (const char *, int, int (*)(const char *, int), glob_t *));
OLD(int, glob64, (const char *, int, int (*)(const char *, int), glob64_t *));
OLD(off_t, llseek, (int, off_t, int));
OLD(int, isastream, (int));
OLD(int, getmsg, (int, void *, void *, int *));
OLD(int, getpmsg, (int, void *, void *, int *, int *));
OLD(int, putmsg, (int, const void *, const void *, int));
OLD(int, putpmsg, (int, const void *, const void *, int, int));
OLD(int, fattach, (int, const char *));
OLD(int, fdetach, (const char *));
OLD(int, uselib, (const char *));

static int file;

/* Allocates nothing: EINVAL. */
static void real(const struct variant *variant)
{
	char *(*call_it)(const char *, char *) = use("realpath", variant);
	char place[4096];
	TRY(call_it("data", place));
	line_set("path=\"data\", made=\"%s\"", under("data"));
	TRY(call_it("data", NULL));
	line_set("path=\"data\"");
}

static void *no_folder(const char *path)
{
	say("  opens %s", path);
	errno = EACCES;
	return NULL;
}

static int missing(const char *path, void *found)
{
	(void)found;
	say("  looks at %s", path);
	return -1;
}

/* Older than gl_lstat: the content of this field is not called. */
static void matching(const struct variant *variant)
{
	int (*call_it)(const char *, int, int (*)(const char *, int), glob_t *) =
		use("glob", variant);
	glob_t found = {
		.gl_opendir = no_folder,
		.gl_stat = (int (*)(const char *__restrict, struct stat *__restrict))missing,
		.gl_lstat = (int (*)(const char *__restrict, struct stat *__restrict))16,
	};
	TRY(call_it("dat[a]", GLOB_ALTDIRFUNC, NULL, &found));
	line_as(" = GLOB_NOMATCH", "pattern=\"dat[a]\", flags=GLOB_ALTDIRFUNC");
	TRY(call_it("data", GLOB_ALTDIRFUNC, NULL, &found));
	line_as(" = GLOB_NOMATCH", "pattern=\"data\", flags=GLOB_ALTDIRFUNC");
	TRY(call_it("d*", 0, NULL, &found));
	line_as(" = found", "pattern=\"d*\", flags=0");
	say("  %zu %s", found.gl_pathc, found.gl_pathv[0]);
	globfree(&found);
}

static void seeking(const struct variant *variant)
{
	off_t (*call_it)(int, off_t, int) = use("lseek", variant);
	TRY(call_it(file, 3000000000, SEEK_SET));
	line("fd=%s, offset=3000000000, whence=SEEK_SET", fd(file));
	TRY(call_it(-1, 0, SEEK_END));
	line("fd=-1, offset=0, whence=SEEK_END");
}

static void asking(const struct variant *variant)
{
	int (*call_it)(int) = use("isastream", variant);
	TRY(call_it(file));
	line("fd=%s", fd(file));
	TRY(call_it(-1));
	line("fd=-1");
}

static void receiving(const struct variant *variant)
{
	int (*call_it)(int, void *, void *, int *) = use("getmsg", variant);
	TRY(call_it(file, NULL, NULL, NULL));
	line("fd=%s", fd(file));
}

static void receiving_band(const struct variant *variant)
{
	int (*call_it)(int, void *, void *, int *, int *) = use("getpmsg", variant);
	TRY(call_it(file, NULL, NULL, NULL, NULL));
	line("fd=%s", fd(file));
}

static void sending(const struct variant *variant)
{
	int (*call_it)(int, const void *, const void *, int) = use("putmsg", variant);
	TRY(call_it(file, NULL, NULL, 5));
	line("fd=%s, flags=5", fd(file));
}

static void sending_band(const struct variant *variant)
{
	int (*call_it)(int, const void *, const void *, int, int) = use("putpmsg", variant);
	TRY(call_it(file, NULL, NULL, 3, 4));
	line("fd=%s, band=3, flags=4", fd(file));
}

static void attaching(const struct variant *variant)
{
	int (*call_it)(int, const char *) = use("fattach", variant);
	TRY(call_it(file, "data"));
	line("fd=%s, path=\"data\"", fd(file));
}

static void by_path(const struct variant *variant)
{
	int (*call_it)(const char *) = use(variant->symbol, variant);
	TRY(call_it("data"));
	line("path=\"data\"");
}

int main(void)
{
	put_file("data", "x");
	file = open_fd("data", O_RDWR, "O_RDWR");
	RUN(real, OLDER(realpath));
	RUN(matching, OLDER(glob), OLDER(glob64));
	RUN(seeking, OLDER(llseek));
	RUN(asking, OLDER(isastream));
	RUN(receiving, OLDER(getmsg));
	RUN(receiving_band, OLDER(getpmsg));
	RUN(sending, OLDER(putmsg));
	RUN(sending_band, OLDER(putpmsg));
	RUN(attaching, OLDER(fattach));
	RUN(by_path, OLDER(fdetach), OLDER(uselib));
	return 0;
}
