/* Calls: extended attributes. See tests/calls/call.h. */
#include "../../calls/call.h"

#include <sys/xattr.h>

static int file;
static char value[64];

static void set(const struct variant *variant)
{
	int (*call_it)(const char *, const char *, const void *, size_t, int) =
		use(variant->symbol, variant);
	TRY(call_it("data", "user.varve", "abc", 3, 0));
	line("path=\"data\", name=\"user.varve\", size=3, flags=0");
	TRY(call_it("data", "user.varve", "abcd", 4, XATTR_CREATE));
	line("path=\"data\", name=\"user.varve\", size=4, flags=XATTR_CREATE");
	TRY(call_it("missing", "user.varve", NULL, 0, XATTR_REPLACE));
	line("path=\"missing\", name=\"user.varve\", size=0, flags=XATTR_REPLACE");
}

static void set_fd(const struct variant *variant)
{
	int (*call_it)(int, const char *, const void *, size_t, int) = use("fsetxattr", variant);
	TRY(call_it(file, "user.varve", "abcde", 5, XATTR_REPLACE));
	line("fd=%s, name=\"user.varve\", size=5, flags=XATTR_REPLACE", fd(file));
	TRY(call_it(-1, NULL, NULL, 0, 0));
	line("fd=-1, name=NULL, size=0, flags=0");
}

static void get(const struct variant *variant)
{
	ssize_t (*call_it)(const char *, const char *, void *, size_t) =
		use(variant->symbol, variant);
	TRY(call_it("data", "user.varve", value, sizeof value));
	line("path=\"data\", name=\"user.varve\", size=64");
	say("  %.5s", value);
	TRY(call_it("data", "user.varve", value, 1));
	line("path=\"data\", name=\"user.varve\", size=1");
	TRY(call_it("data", "user.other", value, 64));
	line("path=\"data\", name=\"user.other\", size=64");
}

static void get_fd(const struct variant *variant)
{
	ssize_t (*call_it)(int, const char *, void *, size_t) = use("fgetxattr", variant);
	TRY(call_it(file, "user.varve", NULL, 0));
	line("fd=%s, name=\"user.varve\", size=0", fd(file));
	TRY(call_it(97, "user.varve", NULL, 0));
	line("fd=97, name=\"user.varve\", size=0");
}

static void list(const struct variant *variant)
{
	ssize_t (*call_it)(const char *, char *, size_t) = use(variant->symbol, variant);
	TRY(call_it("data", value, sizeof value));
	line("path=\"data\", size=64");
	say("  %s", value);
	TRY(call_it("missing", value, sizeof value));
	line("path=\"missing\", size=64");
}

static void list_fd(const struct variant *variant)
{
	ssize_t (*call_it)(int, char *, size_t) = use("flistxattr", variant);
	TRY(call_it(file, value, sizeof value));
	line("fd=%s, size=64", fd(file));
	TRY(call_it(-1, value, 2));
	line("fd=-1, size=2");
}

static void drop(const struct variant *variant)
{
	int (*call_it)(const char *, const char *) = use(variant->symbol, variant);
	raw5(SYS_setxattr, (long)"data", (long)"user.varve", (long)"x", 1, 0);
	TRY(call_it("data", "user.varve"));
	line("path=\"data\", name=\"user.varve\"");
	TRY(call_it("data", "user.varve"));
	line("path=\"data\", name=\"user.varve\"");
}

static void drop_fd(const struct variant *variant)
{
	int (*call_it)(int, const char *) = use("fremovexattr", variant);
	TRY(call_it(file, "user.varve"));
	line("fd=%s, name=\"user.varve\"", fd(file));
	TRY(call_it(-1, "user.varve"));
	line("fd=-1, name=\"user.varve\"");
}

int main(void)
{
	put_file("data", "x");
	file = open_fd("data", O_RDWR, "O_RDWR");
	RUN(set, LINKED(setxattr), LINKED(lsetxattr));
	RUN(set_fd, LINKED(fsetxattr));
	RUN(get, LINKED(getxattr), LINKED(lgetxattr));
	RUN(get_fd, LINKED(fgetxattr));
	RUN(list, LINKED(listxattr), LINKED(llistxattr));
	RUN(list_fd, LINKED(flistxattr));
	RUN(drop_fd, LINKED(fremovexattr));
	RUN(drop, LINKED(removexattr), LINKED(lremovexattr));
	close_fd(file);
	return 0;
}
