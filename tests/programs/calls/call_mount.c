/* Calls: file systems, roots, swap, quotas. In a namespace of its own, so that the machine does not change. See
 * tests/calls/call.h. */
#include "../../calls/call.h"

#include <sched.h>
#include <sys/mount.h>
#include <sys/quota.h>
#include <sys/swap.h>

int pivot_root(const char *, const char *);

static int folder;

/* A name means the file that is mounted there now, not the one before. */
static void look(const char *path, const char *absolute)
{
	struct stat found;
	int (*open_it)(const char *, int, ...) = use("open", &(struct variant)LINKED(open));
	raw(SYS_stat, (long)path, (long)&found, 0, 0);
	facts("\"device\":%lu,\"inode\":%lu,\"absolute\":\"%s\"", (unsigned long)found.st_dev,
	      (unsigned long)found.st_ino, absolute);
	long made = TRY(open_it(path, O_RDONLY));
	line("path=\"%s\", flags=O_RDONLY", path);
	raw(SYS_close, made, 0, 0, 0);
}

static void mounting(const struct variant *variant)
{
	int (*call_it)(const char *, const char *, const char *, unsigned long, const void *) =
		use("mount", variant);
	look("place", under("place"));
	use("mount", variant);
	TRY(call_it("varve", "place", "tmpfs", MS_NOSUID | MS_NOEXEC, "size=64k"));
	line("source=\"varve\", path=\"place\", type=\"tmpfs\", flags=MS_NOSUID|MS_NOEXEC");
	put_file("place/file", "abc");
	look("place", under("place"));
	use("mount", variant);
	TRY(call_it(NULL, "place", NULL, MS_REMOUNT | MS_RDONLY, NULL));
	line("source=NULL, path=\"place\", type=NULL, flags=MS_RDONLY|MS_REMOUNT");
	TRY(call_it("varve", "missing", "tmpfs", 0, NULL));
	line("source=\"varve\", path=\"missing\", type=\"tmpfs\", flags=0");
	TRY(call_it("varve", "place", "no such type", 0, NULL));
	line("source=\"varve\", path=\"place\", type=\"no such type\", flags=0");
}

static void unmounting(const struct variant *variant)
{
	int (*call_it)(const char *) = use("umount", variant);
	TRY(call_it("place"));
	line("path=\"place\"");
	say_name("place/file");
	look("place", under("place"));
	use("umount", variant);
	TRY(call_it("place"));
	line("path=\"place\"");
}

static void unmounting_with(const struct variant *variant)
{
	int (*call_it)(const char *, int) = use("umount2", variant);
	raw5(SYS_mount, (long)"varve", (long)"place", (long)"tmpfs", 0, 0);
	TRY(call_it("place", MNT_DETACH | UMOUNT_NOFOLLOW));
	line("path=\"place\", flags=MNT_DETACH|UMOUNT_NOFOLLOW");
	TRY(call_it("place", MNT_FORCE));
	line("path=\"place\", flags=MNT_FORCE");
}

/* The calls that mount in steps, each with the descriptors from those before. */
static int context;

static void beginning(const struct variant *variant)
{
	int (*call_it)(const char *, unsigned) = use("fsopen", variant);
	facts("\"kind\":\"anonymous\"");
	context = (int)TRY(call_it("tmpfs", FSOPEN_CLOEXEC));
	line("type=\"tmpfs\", flags=FSOPEN_CLOEXEC");
	TRY(call_it("no such type", 0));
	line("type=\"no such type\", flags=0");
}

static void configuring(const struct variant *variant)
{
	int (*call_it)(int, unsigned, const char *, const void *, int) = use("fsconfig", variant);
	TRY(call_it(context, FSCONFIG_SET_STRING, "size", "64k", 0));
	line("fd=%s, cmd=FSCONFIG_SET_STRING, key=\"size\", number=0", fd(context));
	TRY(call_it(context, FSCONFIG_SET_FLAG, "nonsense", NULL, 0));
	line("fd=%s, cmd=FSCONFIG_SET_FLAG, key=\"nonsense\", number=0", fd(context));
	TRY(call_it(context, FSCONFIG_CMD_CREATE, NULL, NULL, 0));
	line("fd=%s, cmd=FSCONFIG_CMD_CREATE, key=NULL, number=0", fd(context));
}

static int tree;

static void making(const struct variant *variant)
{
	int (*call_it)(int, unsigned, unsigned) = use("fsmount", variant);
	tree = (int)TRY(call_it(context, 0, MOUNT_ATTR_NOEXEC));
	line("fd=%s, flags=0, attributes=MOUNT_ATTR_NOEXEC", fd(context));
	TRY(call_it(-1, FSMOUNT_CLOEXEC, 0));
	line("fd=-1, flags=FSMOUNT_CLOEXEC, attributes=0");
}

static void moving(const struct variant *variant)
{
	int (*call_it)(int, const char *, int, const char *, unsigned) = use("move_mount", variant);
	const char *shown = fd(tree);
	TRY(call_it(tree, "", AT_FDCWD, "place", MOVE_MOUNT_F_EMPTY_PATH));
	line("dirfd=%s, path=\"\", newdirfd=AT_FDCWD, newpath=\"place\", "
	     "flags=MOVE_MOUNT_F_EMPTY_PATH",
	     shown);
	TRY(call_it(AT_FDCWD, "missing", folder, "inner", 0));
	line("dirfd=AT_FDCWD, path=\"missing\", newdirfd=%s, newpath=\"inner\", flags=0",
	     fd(folder));
}

static void picking(const struct variant *variant)
{
	int (*call_it)(int, const char *, unsigned) = use("fspick", variant);
	long made = TRY(call_it(AT_FDCWD, "place", FSPICK_CLOEXEC));
	line("dirfd=AT_FDCWD, path=\"place\", flags=FSPICK_CLOEXEC");
	close_fd(made);
	TRY(call_it(folder, "missing", FSPICK_NO_AUTOMOUNT));
	line("dirfd=%s, path=\"missing\", flags=FSPICK_NO_AUTOMOUNT", fd(folder));
}

static void copying(const struct variant *variant)
{
	int (*call_it)(int, const char *, unsigned) = use("open_tree", variant);
	facts("\"kind\":\"folder\"");
	long made = TRY(call_it(AT_FDCWD, "place", OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC));
	line("dirfd=AT_FDCWD, path=\"place\", flags=OPEN_TREE_CLONE|OPEN_TREE_CLOEXEC");
	close_fd(made);
	TRY(call_it(AT_FDCWD, "missing", AT_SYMLINK_NOFOLLOW));
	line("dirfd=AT_FDCWD, path=\"missing\", flags=AT_SYMLINK_NOFOLLOW");
}

static void changing(const struct variant *variant)
{
	int (*call_it)(int, const char *, unsigned, struct mount_attr *, size_t) =
		use("mount_setattr", variant);
	struct mount_attr wanted = {.attr_set = MOUNT_ATTR_RDONLY};
	TRY(call_it(AT_FDCWD, "place", 0, &wanted, sizeof wanted));
	line("dirfd=AT_FDCWD, path=\"place\", flags=0, size=32");
	TRY(call_it(AT_FDCWD, "missing", 0x8000, &wanted, sizeof wanted));
	line("dirfd=AT_FDCWD, path=\"missing\", flags=AT_RECURSIVE, size=32");
}

static void accounting(const struct variant *variant)
{
	int (*call_it)(const char *) = use("acct", variant);
	TRY(call_it("missing"));
	line("path=\"missing\"");
}

static void swapping(const struct variant *variant)
{
	int (*call_it)(const char *, int) = use("swapon", variant);
	TRY(call_it("missing", SWAP_FLAG_PREFER | 3));
	line("path=\"missing\", flags=SWAP_FLAG_PREFER|0x3");
}

static void swapping_off(const struct variant *variant)
{
	int (*call_it)(const char *) = use("swapoff", variant);
	TRY(call_it("missing"));
	line("path=\"missing\"");
}

static void quotas(const struct variant *variant)
{
	int (*call_it)(int, const char *, int, char *) = use("quotactl", variant);
	TRY(call_it(QCMD(Q_SYNC, USRQUOTA), NULL, 0, NULL));
	line("cmd=%d, path=NULL, id=0", QCMD(Q_SYNC, USRQUOTA));
	TRY(call_it(QCMD(Q_QUOTAOFF, USRQUOTA), "missing", 3, NULL));
	line("cmd=%d, path=\"missing\", id=3", QCMD(Q_QUOTAOFF, USRQUOTA));
}

static void rooting(const struct variant *variant)
{
	int (*call_it)(const char *) = use("chroot", variant);
	TRY(call_it("/"));
	line("path=\"/\"");
	TRY(call_it("missing"));
	line("path=\"missing\"");
}

/* The old root is also the new one, so that every path stays valid. */
static void pivoting(const struct variant *variant)
{
	int (*call_it)(const char *, const char *) = use("pivot_root", variant);
	TRY(call_it("missing", "missing/old"));
	line("path=\"missing\", newpath=\"missing/old\"");
	raw5(SYS_mount, (long)"/", (long)"root", 0, MS_BIND | MS_REC, 0);
	const char *old = text("root%s/place", call.folder);
	TRY(call_it("root", old));
	line("path=\"root\", newpath=\"%s\"", old);
	look("data", text("%s/place%s/data", call.folder, call.folder));
	raw(SYS_chdir, (long)call.folder, 0, 0, 0);
	say_name("data");
}

int main(void)
{
	raw(SYS_mkdir, (long)"place", 0755, 0, 0);
	raw(SYS_mkdir, (long)"root", 0755, 0, 0);
	put_file("data", "x");
	if (raw(SYS_unshare, CLONE_NEWNS, 0, 0, 0) != 0)
		raw(SYS_unshare, CLONE_NEWUSER | CLONE_NEWNS, 0, 0, 0);
	raw5(SYS_mount, (long)"none", (long)"/", 0, MS_REC | MS_PRIVATE, 0);
	folder = open_fd(".", O_RDONLY, "O_RDONLY");
	RUN(mounting, LINKED(mount));
	RUN(unmounting, LINKED(umount));
	RUN(unmounting_with, LINKED(umount2));
	RUN(beginning, LINKED(fsopen));
	RUN(configuring, LINKED(fsconfig));
	RUN(making, LINKED(fsmount));
	RUN(moving, LINKED(move_mount));
	RUN(picking, LINKED(fspick));
	RUN(copying, LINKED(open_tree));
	RUN(changing, LINKED(mount_setattr));
	RUN(accounting, LINKED(acct));
	RUN(swapping, LINKED(swapon));
	RUN(swapping_off, LINKED(swapoff));
	RUN(quotas, LINKED(quotactl));
	RUN(rooting, LINKED(chroot));
	RUN(pivoting, LINKED(pivot_root));
	return 0;
}
