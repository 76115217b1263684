/* Calls: names: folders, links, renames, removal, special files. See tests/calls/call.h. */
#include "../../calls/call.h"

#include <sys/sysmacros.h>

static int folder;

static void making_folder(const struct variant *variant)
{
	int (*make)(const char *, mode_t) = use("mkdir", variant);
	TRY(make("made", 0751));
	line("path=\"made\", mode=0751");
	say_name("made");
	TRY(make("made", 0));
	line("path=\"made\", mode=0");
	TRY(make("missing/x", 01777));
	line("path=\"missing/x\", mode=01777");
}

static void making_folder_at(const struct variant *variant)
{
	int (*make)(int, const char *, mode_t) = use("mkdirat", variant);
	TRY(make(folder, "made", 0700));
	line("dirfd=%s, path=\"made\", mode=0700", fd(folder));
	say_name("sub/made");
	TRY(make(-1, "made", 0700));
	line("dirfd=-1, path=\"made\", mode=0700");
}

static void removing_folder(const struct variant *variant)
{
	int (*forget)(const char *) = use("rmdir", variant);
	TRY(forget("made"));
	line("path=\"made\"");
	say_name("made");
	TRY(forget("made"));
	line("path=\"made\"");
	TRY(forget("sub"));
	line("path=\"sub\"");
}

static void removing(const struct variant *variant)
{
	int (*forget)(const char *) = use(variant->symbol, variant);
	put_file("made", "x");
	TRY(forget("made"));
	line("path=\"made\"");
	say_name("made");
	TRY(forget("made"));
	line("path=\"made\"");
	TRY(forget("sub"));
	line("path=\"sub\"");
}

static void removing_at(const struct variant *variant)
{
	int (*forget)(int, const char *, int) = use("unlinkat", variant);
	TRY(forget(folder, "made", 0));
	line("dirfd=%s, path=\"made\", flags=0", fd(folder));
	TRY(forget(folder, "made", AT_REMOVEDIR));
	line("dirfd=%s, path=\"made\", flags=AT_REMOVEDIR", fd(folder));
	say_name("sub/made");
	TRY(forget(AT_FDCWD, "missing", 0x1));
	line("dirfd=AT_FDCWD, path=\"missing\", flags=0x1");
}

static void renaming(const struct variant *variant)
{
	int (*move)(const char *, const char *) = use("rename", variant);
	put_file("a", "a");
	TRY(move("a", "b"));
	line("path=\"a\", newpath=\"b\"");
	say_name("a");
	say_name("b");
	TRY(move("a", "b"));
	line("path=\"a\", newpath=\"b\"");
	TRY(move("b", under("sub/b")));
	line("path=\"b\", newpath=\"%s\"", under("sub/b"));
}

static void renaming_at(const struct variant *variant)
{
	int (*move)(int, const char *, int, const char *) = use("renameat", variant);
	TRY(move(folder, "b", AT_FDCWD, "a"));
	facts("\"path\":\"b\",\"absolute\":\"%s\"", under("sub/b"));
	line("dirfd=%s, path=\"b\", newdirfd=AT_FDCWD, newpath=\"a\"", fd(folder));
	say_name("a");
	TRY(move(folder, "b", 98, "a"));
	line("dirfd=%s, path=\"b\", newdirfd=98, newpath=\"a\"", fd(folder));
}

static void renaming_flags(const struct variant *variant)
{
	int (*move)(int, const char *, int, const char *, unsigned) = use("renameat2", variant);
	put_file("b", "b");
	TRY(move(AT_FDCWD, "a", AT_FDCWD, "b", RENAME_NOREPLACE));
	line("dirfd=AT_FDCWD, path=\"a\", newdirfd=AT_FDCWD, newpath=\"b\", "
	     "flags=RENAME_NOREPLACE");
	TRY(move(AT_FDCWD, "a", AT_FDCWD, "b", RENAME_EXCHANGE));
	line("dirfd=AT_FDCWD, path=\"a\", newdirfd=AT_FDCWD, newpath=\"b\", flags=RENAME_EXCHANGE");
	say_file("a");
	TRY(move(AT_FDCWD, "a", folder, "c", 0));
	line("dirfd=AT_FDCWD, path=\"a\", newdirfd=%s, newpath=\"c\", flags=0", fd(folder));
	say_name("sub/c");
}

static void linking(const struct variant *variant)
{
	int (*join)(const char *, const char *) = use("link", variant);
	TRY(join("b", "c"));
	line("path=\"b\", newpath=\"c\"");
	say_name("c");
	TRY(join("b", "c"));
	line("path=\"b\", newpath=\"c\"");
}

static void linking_at(const struct variant *variant)
{
	int (*join)(int, const char *, int, const char *, int) = use("linkat", variant);
	TRY(join(AT_FDCWD, "b", folder, "linked", AT_SYMLINK_FOLLOW));
	line("dirfd=AT_FDCWD, path=\"b\", newdirfd=%s, newpath=\"linked\", flags=AT_SYMLINK_FOLLOW",
	     fd(folder));
	say_name("sub/linked");
	TRY(join(folder, "missing", AT_FDCWD, "d", 0));
	line("dirfd=%s, path=\"missing\", newdirfd=AT_FDCWD, newpath=\"d\", flags=0", fd(folder));
}

static void pointing(const struct variant *variant)
{
	int (*join)(const char *, const char *) = use("symlink", variant);
	TRY(join("some/where", "pointer"));
	line("target=\"some/where\", newpath=\"pointer\"");
	say_name("pointer");
	TRY(join("", "pointer"));
	line("target=\"\", newpath=\"pointer\"");
}

static void pointing_at(const struct variant *variant)
{
	int (*join)(const char *, int, const char *) = use("symlinkat", variant);
	TRY(join("else", folder, "pointer"));
	line("target=\"else\", newdirfd=%s, newpath=\"pointer\"", fd(folder));
	say_name("sub/pointer");
	TRY(join("else", -1, "pointer"));
	line("target=\"else\", newdirfd=-1, newpath=\"pointer\"");
}

static void following(const struct variant *variant)
{
	char content[32] = "";
	ssize_t (*follow)(const char *, char *, size_t, size_t) = use("readlink", variant);
	TRY(follow("pointer", content, 31, 32));
	line("path=\"pointer\", size=31");
	say("  %s", content);
	TRY(follow("b", content, 31, 32));
	line("path=\"b\", size=31");
	TRY(follow("missing", content, 0, 32));
	line("path=\"missing\", size=0");
}

static void following_at(const struct variant *variant)
{
	char content[32] = "";
	ssize_t (*follow)(int, const char *, char *, size_t, size_t) = use("readlinkat", variant);
	TRY(follow(folder, "pointer", content, 3, 32));
	line("dirfd=%s, path=\"pointer\", size=3", fd(folder));
	say("  %s", content);
	TRY(follow(-1, "pointer", content, 3, 32));
	line("dirfd=-1, path=\"pointer\", size=3");
}

/* The device is not recorded for the old names, which get it by address. */
static void making_node(const struct variant *variant)
{
	dev_t device = makedev(1, 3);
	bool old = variant->symbol[0] == '_';
	int (*make)(const char *, mode_t, dev_t) = use("mknod", variant);
	int (*make_old)(int, const char *, mode_t, dev_t *) = use("mknod", variant);
	remove_name("node");
	TRY(old ? make_old(0, "node", S_IFIFO | 0600, &device)
		: make("node", S_IFIFO | 0600, device));
	line("path=\"node\", mode=010600, dev=%s", old ? "0x0" : "0x103");
	say_name("node");
	TRY(old ? make_old(0, "node", S_IFREG | 0600, &device) : make("node", S_IFREG | 0600, 0));
	line("path=\"node\", mode=0100600, dev=0x0");
}

static void making_node_at(const struct variant *variant)
{
	dev_t device = 0;
	bool old = variant->symbol[0] == '_';
	int (*make)(int, const char *, mode_t, dev_t) = use("mknodat", variant);
	int (*make_old)(int, int, const char *, mode_t, dev_t *) = use("mknodat", variant);
	remove_name("sub/node");
	TRY(old ? make_old(0, folder, "node", S_IFREG | 0640, &device)
		: make(folder, "node", S_IFREG | 0640, 0));
	line("dirfd=%s, path=\"node\", mode=0100640, dev=0x0", fd(folder));
	say_name("sub/node");
	TRY(old ? make_old(0, -1, "node", S_IFREG, &device) : make(-1, "node", S_IFREG, 0));
	line("dirfd=-1, path=\"node\", mode=0100000, dev=0x0");
}

static void making_fifo(const struct variant *variant)
{
	int (*make)(const char *, mode_t) = use("mkfifo", variant);
	TRY(make("fifo", 0622));
	line("path=\"fifo\", mode=0622");
	say_name("fifo");
	TRY(make("fifo", 0622));
	line("path=\"fifo\", mode=0622");
}

static void making_fifo_at(const struct variant *variant)
{
	int (*make)(int, const char *, mode_t) = use("mkfifoat", variant);
	TRY(make(folder, "fifo", 0600));
	line("dirfd=%s, path=\"fifo\", mode=0600", fd(folder));
	say_name("sub/fifo");
	TRY(make(97, "fifo", 0600));
	line("dirfd=97, path=\"fifo\", mode=0600");
}

int main(void)
{
	raw(SYS_mkdir, (long)"sub", 0755, 0, 0);
	put_file("sub/keep", "");
	folder = open_fd("sub", O_RDONLY, "O_RDONLY");
	RUN(making_folder, LINKED(mkdir));
	RUN(making_folder_at, LINKED(mkdirat));
	RUN(removing_folder, LINKED(rmdir));
	RUN(removing, LINKED(unlink), LINKED(remove));
	RUN(removing_at, LINKED(unlinkat));
	RUN(renaming, LINKED(rename));
	RUN(renaming_at, LINKED(renameat));
	RUN(renaming_flags, LINKED(renameat2));
	RUN(linking, LINKED(link));
	RUN(linking_at, LINKED(linkat));
	RUN(pointing, LINKED(symlink));
	RUN(pointing_at, LINKED(symlinkat));
	RUN(following, LINKED(readlink), HIDDEN(__readlink_chk));
	RUN(following_at, LINKED(readlinkat), HIDDEN(__readlinkat_chk));
	RUN(making_node, LINKED(mknod), HIDDEN(__xmknod));
	RUN(making_node_at, LINKED(mknodat), HIDDEN(__xmknodat));
	RUN(making_fifo, LINKED(mkfifo));
	RUN(making_fifo_at, LINKED(mkfifoat));
	return 0;
}
