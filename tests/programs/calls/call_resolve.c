/* Calls: paths that are generated or resolved, limits and keys of files, entries of folders from the kernel. See
 * tests/calls/call.h. */
#include "../../calls/call.h"

#include <dirent.h>
#include <libintl.h>
#include <nl_types.h>
#include <sys/ipc.h>

char *__realpath_chk(const char *, char *, size_t);
char *__getwd_chk(char *, size_t);

static int file, folder;
static char place[4096];

static void template(const struct variant *variant)
{
	char *(*call_it)(char *) = use("mktemp", variant);
	char good[] = "fileXXXXXX", bad[] = "file";
	TRY(call_it(good));
	line_set("template=\"fileXXXXXX\", made=\"%s\"", good);
	say("  %.4s, %d", good, strcmp(good, "fileXXXXXX") != 0);
	TRY(call_it(bad));
	line_as(" = empty EINVAL", "template=\"file\"");
	say("  '%s'", bad);
}

static void temporary(const struct variant *variant)
{
	char *(*call_it)(char *) = use(variant->symbol, variant);
	char *made = (char *)TRY(call_it(place));
	line_set("made=\"%s\"", made);
	say("  %.9s", made);
	made = (char *)TRY(call_it(NULL));
	if (made)
		line_set("made=\"%s\"", made);
	else
		line_as(" = NULL", "made=NULL");
}

static void temporary_in(const struct variant *variant)
{
	char *(*call_it)(const char *, const char *) = use("tempnam", variant);
	char *made = (char *)TRY(call_it("folder", "pre"));
	line_set("path=\"folder\", prefix=\"pre\", made=\"%s\"", made);
	say("  %.10s", made);
	free(made);
}

static void terminal(const struct variant *variant)
{
	char *(*call_it)(char *) = use("ctermid", variant);
	TRY(call_it(place));
	line_set("made=\"/dev/tty\"");
	TRY(call_it(NULL));
	line_set("made=\"/dev/tty\"");
}

static void real(const struct variant *variant)
{
	char *(*call_it)(const char *, char *) = use("realpath", variant);
	TRY(call_it("folder/../link", place));
	line_set("path=\"folder/../link\", made=\"%s\"", under("data"));
	say("  %d", strcmp(place, under("data")));
	TRY(call_it("missing", place));
	line_set("path=\"missing\"");
	char *made = (char *)TRY(call_it("data", NULL));
	line_set("path=\"data\", made=\"%s\"", under("data"));
	free(made);
	TRY(call_it(NULL, place));
	line_set("path=NULL");
}

static void real_checked(const struct variant *variant)
{
	char *(*call_it)(const char *, char *, size_t) = use("realpath", variant);
	TRY(call_it("./data", place, sizeof place));
	line_set("path=\"./data\", made=\"%s\"", under("data"));
	TRY(call_it("data/x", place, sizeof place));
	line_set("path=\"data/x\"");
}

static void canonical(const struct variant *variant)
{
	char *(*call_it)(const char *) = use("canonicalize_file_name", variant);
	char *made = (char *)TRY(call_it("folder/.."));
	line_set("path=\"folder/..\", made=\"%s\"", call.folder);
	free(made);
	TRY(call_it(""));
	line_set("path=\"\"");
}

static void working(const struct variant *variant)
{
	char *(*call_it)(char *) = use("getwd", variant);
	TRY(call_it(place));
	line_set("made=\"%s\"", call.folder);
	TRY(call_it(NULL));
	line_set("%s", "");
}

static void working_checked(const struct variant *variant)
{
	char *(*call_it)(char *, size_t) = use("getwd", variant);
	TRY(call_it(place, sizeof place));
	line_set("made=\"%s\"", call.folder);
}

static void working_new(const struct variant *variant)
{
	char *(*call_it)(void) = use("get_current_dir_name", variant);
	char *made = (char *)TRY(call_it());
	line_set("made=\"%s\"", made);
	say("  %d", strcmp(made, call.folder));
	free(made);
}

static void limit(const struct variant *variant)
{
	long (*call_it)(const char *, int) = use("pathconf", variant);
	TRY(call_it("data", _PC_NAME_MAX));
	line("path=\"data\", name=_PC_NAME_MAX");
	/* No limit: -1, and errno does not change. */
	TRY(call_it("data", _PC_SYMLINK_MAX));
	line_as(" = -1", "path=\"data\", name=_PC_SYMLINK_MAX");
	TRY(call_it("missing", _PC_LINK_MAX));
	line("path=\"missing\", name=_PC_LINK_MAX");
	TRY(call_it("data", 77));
	line("path=\"data\", name=77");
}

static void limit_fd(const struct variant *variant)
{
	long (*call_it)(int, int) = use("fpathconf", variant);
	TRY(call_it(file, _PC_PATH_MAX));
	line("fd=%s, name=_PC_PATH_MAX", fd(file));
	TRY(call_it(-1, _PC_PIPE_BUF));
	line("fd=-1, name=_PC_PIPE_BUF");
}

static void key(const struct variant *variant)
{
	key_t (*call_it)(const char *, int) = use("ftok", variant);
	long made = TRY(call_it("data", 65));
	say("ftok %d, errno %s", made >> 24 == 65, said_errno());
	expect_as(text(" = 0x%lx", made), "path=\"data\", project=65");
	TRY(call_it("missing", 1));
	line_as(" = 0xffffffffffffffff ENOENT", "path=\"missing\", project=1");
}

static void entries(const struct variant *variant)
{
	ssize_t (*call_it)(int, void *, size_t) = use("getdents64", variant);
	raw(SYS_lseek, folder, 0, SEEK_SET, 0);
	TRY(call_it(folder, place, sizeof place));
	line("fd=%s, count=4096", fd(folder));
	TRY(call_it(file, place, 10));
	line("fd=%s, count=10", fd(file));
}

static void entries_from(const struct variant *variant)
{
	ssize_t (*call_it)(int, char *, size_t, off_t *) = use("getdirentries", variant);
	off_t base = 7;
	raw(SYS_lseek, folder, 0, SEEK_SET, 0);
	TRY(call_it(folder, place, sizeof place, &base));
	line("fd=%s, count=4096, offset=%ld", fd(folder), (long)base);
	TRY(call_it(-1, place, 10, &base));
	line("fd=-1, count=10");
}

static void catalogue(const struct variant *variant)
{
	nl_catd (*call_it)(const char *, int) = use("catopen", variant);
	TRY(call_it("/missing/catalogue", 0));
	line("name=\"/missing/catalogue\", flag=0");
	/* A catalogue with one message: magic number, one plane with one row, the row in both byte orders, the text. */
	const uint32_t content[] = {0x960408de, 1, 1, 1, 1, 0, 1 << 24, 1 << 24, 0, 'm'};
	long made = raw(SYS_open, (long)"messages.cat", O_WRONLY | O_CREAT, 0644, 0);
	raw(SYS_write, made, (long)content, sizeof content, 0);
	raw(SYS_close, made, 0, 0, 0);
	nl_catd found = (nl_catd)TRY(call_it("./messages.cat", 0));
	line_set("name=\"./messages.cat\", flag=0");
	say("  %s", catgets(found, 1, 1, "none"));
}

static void messages(const struct variant *variant)
{
	char *(*call_it)(const char *, const char *) = use("bindtextdomain", variant);
	TRY(call_it("varve", "/usr/share/locale"));
	line_set("domain=\"varve\", path=\"/usr/share/locale\"");
	TRY(call_it("", "folder"));
	line_as(" = NULL", "domain=\"\", path=\"folder\"");
}

static void revoked(const struct variant *variant)
{
	int (*call_it)(const char *) = use("revoke", variant);
	TRY(call_it("data"));
	line("path=\"data\"");
}

static void flagged(const struct variant *variant)
{
	int (*call_it)(const char *, unsigned long) = use("chflags", variant);
	TRY(call_it("data", 2));
	line("path=\"data\", flags=2");
}

static void flagged_fd(const struct variant *variant)
{
	int (*call_it)(int, unsigned long) = use("fchflags", variant);
	TRY(call_it(file, 2));
	line("fd=%s, flags=2", fd(file));
}

int main(void)
{
	put_file("data", "x");
	raw(SYS_mkdir, (long)"folder", 0755, 0, 0);
	raw(SYS_symlink, (long)"data", (long)"link", 0, 0);
	put_file("folder/inner", "abc");
	file = open_fd("data", O_RDWR, "O_RDWR");
	folder = open_fd("folder", O_RDONLY, "O_RDONLY");
	RUN(template, HIDDEN(mktemp));
	RUN(temporary, HIDDEN(tmpnam), HIDDEN(tmpnam_r));
	RUN(temporary_in, HIDDEN(tempnam));
	RUN(terminal, LINKED(ctermid));
	RUN(real, LINKED(realpath));
	RUN(real_checked, LINKED(__realpath_chk));
	RUN(canonical, LINKED(canonicalize_file_name));
	RUN(working, HIDDEN(getwd));
	RUN(working_checked, LINKED(__getwd_chk));
	RUN(working_new, LINKED(get_current_dir_name));
	RUN(limit, LINKED(pathconf));
	RUN(limit_fd, LINKED(fpathconf));
	RUN(key, LINKED(ftok));
	RUN(entries, LINKED(getdents64));
	RUN(entries_from, LINKED(getdirentries), LINKED(getdirentries64));
	RUN(catalogue, LINKED(catopen));
	RUN(messages, LINKED(bindtextdomain));
	RUN(revoked, HIDDEN(revoke));
	RUN(flagged, HIDDEN(chflags));
	RUN(flagged_fd, HIDDEN(fchflags));
	return 0;
}
