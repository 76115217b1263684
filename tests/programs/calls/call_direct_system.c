/* Calls: the same as call_direct.c for attributes, mounts, watches, processes, shared memory and message queues. In a namespace of
 * its own, so that the machine does not change. See tests/calls/call_direct.h. */
#include "../../calls/call_direct.h"

#include <dirent.h>
#include <linux/fs.h>
#include <mqueue.h>
#include <sched.h>
#include <signal.h>
#include <sys/fanotify.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/pidfd.h>
#include <sys/quota.h>
#include <sys/shm.h>
#include <sys/swap.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <sys/xattr.h>

static long folder, file;
static const char *here, *shown;

static void reading(void)
{
	char buffer[4096];
	long b = (long)buffer;
	int nonblocking = 1;
	/* The C library's function returns an address, the system call a length. */
	GIVEN(b, sizeof buffer);
	ask(SYS_getcwd, "getcwd", " = set", "size=4096");
	say("  %d", !strcmp(buffer, call.folder));
	GIVEN(b, 3);
	ask(SYS_getcwd, "getcwd", " = NULL ERANGE", "size=3");
	GIVEN(folder, b, sizeof buffer);
	ask(SYS_getdents64, "getdents64", NULL, "fd=%s, count=4096", here);
	raw(SYS_lseek, folder, 0, SEEK_SET, 0);
	GIVEN(folder, b, sizeof buffer);
	ask(SYS_getdents, "getdents64", NULL, "fd=%s, count=4096", here);
	GIVEN(file, b, sizeof buffer);
	ask(SYS_getdents64, "getdents64", NULL, "fd=%s, count=4096", shown);
	GIVEN(file, FIONBIO, (long)&nonblocking);
	ask(SYS_ioctl, "ioctl", NULL, "fd=%s, request=FIONBIO, arg=1", shown);
	GIVEN(-1, FIOCLEX);
	ask(SYS_ioctl, "ioctl", NULL, "fd=-1, request=FIOCLEX, arg=0");
}

/* For a path, a link and a descriptor. */
static void attributes(void)
{
	static const struct {
		long set, get, list, remove;
		const char *prefix;
	} kinds[] = {
		{SYS_setxattr, SYS_getxattr, SYS_listxattr, SYS_removexattr, ""},
		{SYS_lsetxattr, SYS_lgetxattr, SYS_llistxattr, SYS_lremovexattr, "l"},
		{SYS_fsetxattr, SYS_fgetxattr, SYS_flistxattr, SYS_fremovexattr, "f"},
	};
	char value[64];
	long name = (long)"user.varve", v = (long)value;
	for (size_t i = 0; i < 3; i++) {
		const char *prefix = kinds[i].prefix;
		const char *of = *prefix == 'f' ? text("fd=%s", shown) : "path=\"data\"";
		long which = *prefix == 'f' ? file : (long)"data";
		GIVEN(which, name, (long)"abc", 3, XATTR_CREATE);
		ask(kinds[i].set, text("%ssetxattr", prefix), NULL,
		    "%s, name=\"user.varve\", size=3, flags=XATTR_CREATE", of);
		GIVEN(which, name, v, sizeof value);
		ask(kinds[i].get, text("%sgetxattr", prefix), NULL,
		    "%s, name=\"user.varve\", size=64", of);
		GIVEN(which, v, sizeof value);
		ask(kinds[i].list, text("%slistxattr", prefix), NULL, "%s, size=64", of);
		for (int again = 0; again < 2; again++) {
			GIVEN(which, name);
			ask(kinds[i].remove, text("%sremovexattr", prefix), NULL,
			    "%s, name=\"user.varve\"", of);
		}
	}
}

static void mounting(void)
{
	long place = (long)"place", type = (long)"tmpfs";
	GIVEN((long)"varve", place, type, MS_NOSUID, 0);
	ask(SYS_mount, "mount", NULL,
	    "source=\"varve\", path=\"place\", type=\"tmpfs\", flags=MS_NOSUID");
	GIVEN(place, MNT_DETACH);
	ask(SYS_umount2, "umount2", NULL, "path=\"place\", flags=MNT_DETACH");
	GIVEN(place, 0);
	ask(SYS_umount2, "umount2", NULL, "path=\"place\", flags=0");
	GIVEN(type, FSOPEN_CLOEXEC);
	long context = ask(SYS_fsopen, "fsopen", NULL, "type=\"tmpfs\", flags=FSOPEN_CLOEXEC");
	const char *made = fd((int)context);
	GIVEN(context, FSCONFIG_CMD_CREATE, 0, 0, 0);
	ask(SYS_fsconfig, "fsconfig", NULL, "fd=%s, cmd=FSCONFIG_CMD_CREATE, key=NULL, number=0",
	    made);
	GIVEN(context, 0, MOUNT_ATTR_NOEXEC);
	long tree = ask(SYS_fsmount, "fsmount", NULL,
			"fd=%s, flags=0, attributes=MOUNT_ATTR_NOEXEC", made);
	const char *from = fd((int)tree);
	GIVEN(tree, (long)"", AT_FDCWD, place, MOVE_MOUNT_F_EMPTY_PATH);
	ask(SYS_move_mount, "move_mount", NULL,
	    "dirfd=%s, path=\"\", newdirfd=AT_FDCWD, newpath=\"place\", "
	    "flags=MOVE_MOUNT_F_EMPTY_PATH",
	    from);
	GIVEN(AT_FDCWD, place, FSPICK_CLOEXEC);
	close_fd(ask(SYS_fspick, "fspick", NULL,
		     "dirfd=AT_FDCWD, path=\"place\", flags=FSPICK_CLOEXEC"));
	GIVEN(AT_FDCWD, place, OPEN_TREE_CLOEXEC);
	close_fd(ask(SYS_open_tree, "open_tree", NULL,
		     "dirfd=AT_FDCWD, path=\"place\", flags=OPEN_TREE_CLOEXEC"));
	struct mount_attr wanted = {.attr_set = MOUNT_ATTR_RDONLY};
	GIVEN(AT_FDCWD, place, 0, (long)&wanted, sizeof wanted);
	ask(SYS_mount_setattr, "mount_setattr", NULL,
	    "dirfd=AT_FDCWD, path=\"place\", flags=0, size=32");
	raw(SYS_close, tree, 0, 0, 0);
	close_fd(context);
	raw(SYS_umount2, place, MNT_DETACH, 0, 0);
}

static void users(void)
{
	long self = raw(SYS_getuid, 0, 0, 0, 0);
	GIVEN(self);
	ask(SYS_setuid, "setuid", NULL, "user=%ld", self);
	GIVEN(-1, self);
	ask(SYS_setreuid, "setreuid", NULL, "real_user=-1, user=%ld", self);
	GIVEN(self, -1, self);
	ask(SYS_setresuid, "setresuid", NULL, "real_user=%ld, user=-1, saved_user=%ld", self, self);
	GIVEN(self);
	ask(SYS_setfsuid, "setfsuid", NULL, "user=%ld", self);
}

static void system_wide(void)
{
	long missing = (long)"missing";
	GIVEN((long)"/");
	ask(SYS_chroot, "chroot", NULL, "path=\"/\"");
	GIVEN(missing, missing);
	ask(SYS_pivot_root, "pivot_root", NULL, "path=\"missing\", newpath=\"missing\"");
	GIVEN(missing);
	ask(SYS_acct, "acct", NULL, "path=\"missing\"");
	GIVEN(missing, SWAP_FLAG_PREFER | 3);
	ask(SYS_swapon, "swapon", NULL, "path=\"missing\", flags=SWAP_FLAG_PREFER|0x3");
	GIVEN(missing);
	ask(SYS_swapoff, "swapoff", NULL, "path=\"missing\"");
	GIVEN(QCMD(Q_SYNC, USRQUOTA), 0, 0, 0);
	ask(SYS_quotactl, "quotactl", NULL, "cmd=%d, path=NULL, id=0", QCMD(Q_SYNC, USRQUOTA));
	GIVEN(missing);
	ask(SYS_uselib, "uselib", NULL, "path=\"missing\"");
	/* A session without a terminal: there is none to hang up. */
	if (raw(SYS_setsid, 0, 0, 0, 0) > 0)
		ask(SYS_vhangup, "vhangup", NULL, "%s", "");
}

static void watching(void)
{
	static union {
		struct file_handle file;
		char room[sizeof(struct file_handle) + MAX_HANDLE_SZ];
	} handle;
	int mount;
	long watches = ask(SYS_inotify_init, "inotify_init", NULL, "%s", "");
	const char *made = fd((int)watches);
	GIVEN(watches, (long)"data", IN_MODIFY);
	long watch = ask(SYS_inotify_add_watch, "inotify_add_watch", NULL,
			 "fd=%s, path=\"data\", mask=IN_MODIFY", made);
	GIVEN(watches, watch);
	ask(SYS_inotify_rm_watch, "inotify_rm_watch", NULL, "fd=%s, watch=%ld", made, watch);
	close_fd(watches);
	GIVEN(IN_CLOEXEC);
	close_fd(ask(SYS_inotify_init1, "inotify_init1", NULL, "flags=IN_CLOEXEC"));
	GIVEN(FAN_CLOEXEC, O_RDONLY);
	long group = ask(SYS_fanotify_init, "fanotify_init", NULL,
			 "flags=FAN_CLASS_NOTIF|FAN_CLOEXEC, event_flags=O_RDONLY");
	GIVEN(group, FAN_MARK_ADD, FAN_OPEN, AT_FDCWD, (long)"data");
	ask(SYS_fanotify_mark, "fanotify_mark", NULL,
	    "fd=%s, flags=FAN_MARK_ADD, mask=FAN_OPEN, dirfd=AT_FDCWD, path=\"data\"",
	    fd((int)group));
	close_fd(group);
	handle.file.handle_bytes = MAX_HANDLE_SZ;
	GIVEN(AT_FDCWD, (long)"data", (long)&handle.file, (long)&mount, 0);
	ask(SYS_name_to_handle_at, "name_to_handle_at", NULL,
	    "dirfd=AT_FDCWD, path=\"data\", flags=0");
	GIVEN(folder, (long)&handle.file, O_RDONLY);
	long opened = ask(SYS_open_by_handle_at, "open_by_handle_at", NULL,
			  "dirfd=%s, flags=O_RDONLY", here);
	close_fd(opened);
}

static void following(void)
{
	static char page[8192] __attribute__((aligned(4096)));
	struct iovec vector = {page, sizeof page};
	int own = (int)raw(SYS_getpid, 0, 0, 0, 0);
	GIVEN(own, 0);
	long process = ask(SYS_pidfd_open, "pidfd_open", NULL, "pid=%d, flags=0", own);
	const char *made = fd((int)process);
	GIVEN(process, file, 0);
	close_fd(ask(SYS_pidfd_getfd, "pidfd_getfd", NULL, "fd=%s, target=%ld, flags=0", made,
		     file));
	GIVEN(process, 0, 0, 0);
	ask(SYS_pidfd_send_signal, "pidfd_send_signal", NULL, "fd=%s, signal=0, flags=0", made);
	GIVEN(process, (long)&vector, 1, MADV_COLD, 0);
	ask(SYS_process_madvise, "process_madvise", NULL,
	    "fd=%s, iov=8192, count=1, advice=MADV_COLD, flags=0", made);
	GIVEN(process, 1);
	ask(SYS_process_mrelease, "process_mrelease", NULL, "fd=%s, flags=1", made);
	close_fd(process);
	int space = open_fd("/proc/self/ns/uts", O_RDONLY, "O_RDONLY");
	GIVEN(space, CLONE_NEWUTS);
	ask(SYS_setns, "setns", NULL, "fd=%d </proc/self/ns/uts>, type=CLONE_NEWUTS", space);
}

static long ended_child(int status)
{
	long child = raw(SYS_fork, 0, 0, 0, 0);
	if (!child)
		raw(SYS_exit_group, status, 0, 0, 0);
	return child;
}

/* The end of a child is recorded also if the program does not ask for it. */
static void waiting(void)
{
	int status = 0;
	siginfo_t information = {0};
	for (int asked = 0; asked < 2; asked++) {
		long child = ended_child(7);
		GIVEN(child, asked ? (long)&status : 0, 0, 0);
		ask_number(SYS_wait4, "wait4", "pid=%ld, status=0x700, options=0", child);
		say("  %#x", (unsigned)status);
		child = ended_child(8);
		GIVEN(P_PID, child, asked ? (long)&information : 0, WEXITED, 0);
		ask(SYS_waitid, "waitid", NULL, "type=P_PID, id=%ld, info=%#lx, options=WEXITED",
		    child, child << 32 | 8 << 8);
		say("  %d", information.si_status);
	}
	GIVEN(-1, (long)&status, 0, 0);
	ask(SYS_wait4, "wait4", NULL, "pid=-1, options=0");
	GIVEN(P_ALL, 0, (long)&information, WEXITED, 0);
	ask(SYS_waitid, "waitid", NULL, "type=P_ALL, id=0, options=WEXITED");
}

static void sharing(void)
{
	struct shmid_ds found;
	GIVEN(IPC_PRIVATE, 8192, IPC_CREAT | 0600);
	long memory = ask_number(SYS_shmget, "shmget", "key=0x0, size=8192, flags=IPC_CREAT|0x180");
	GIVEN(memory, 0, 0);
	long address = ask(SYS_shmat, "shmat", " = NULL", "id=%ld, addr=NULL, flags=0", memory);
	GIVEN(-1, 0, SHM_RDONLY);
	ask(SYS_shmat, "shmat", " = 0xffffffffffffffff EINVAL",
	    "id=-1, addr=NULL, flags=SHM_RDONLY");
	GIVEN(address);
	ask(SYS_shmdt, "shmdt", NULL, "addr=NULL");
	GIVEN(memory, IPC_STAT, (long)&found);
	ask(SYS_shmctl, "shmctl", NULL, "id=%ld, cmd=IPC_STAT", memory);
	say("  %zu", found.shm_segsz);
	GIVEN(memory, IPC_RMID, 0);
	ask(SYS_shmctl, "shmctl", NULL, "id=%ld, cmd=IPC_RMID", memory);
	GIVEN(4096, 4096, PROT_READ, 0, 0);
	ask(SYS_remap_file_pages, "remap_file_pages", NULL,
	    "addr=NULL, length=4096, prot=PROT_READ, page=0, flags=0");
}

static void sending(void)
{
	const struct timespec past = {1, 0};
	struct mq_attr wanted = {.mq_maxmsg = 2, .mq_msgsize = 16}, before;
	struct sigevent event = {.sigev_notify = SIGEV_NONE};
	char message[16];
	unsigned priority = 0;
	const char *name = strdup(text("varve-test-%ld", raw(SYS_getpid, 0, 0, 0, 0)));
	GIVEN((long)name, O_RDWR | O_CREAT | O_EXCL, 0600, (long)&wanted);
	long queue = ask(SYS_mq_open, "mq_open", NULL,
			 "name=\"%s\", flags=O_RDWR|O_CREAT|O_EXCL, mode=0600", name);
	const char *made = fd((int)queue);
	GIVEN(queue, (long)"abc", 3, 5, (long)&past);
	ask(SYS_mq_timedsend, "mq_timedsend", NULL, "fd=%s, size=3, priority=5", made);
	GIVEN(queue, (long)message, sizeof message, (long)&priority, (long)&past);
	ask(SYS_mq_timedreceive, "mq_timedreceive", NULL, "fd=%s, size=16, priority=5", made);
	GIVEN(queue, (long)&event);
	ask(SYS_mq_notify, "mq_notify", NULL, "fd=%s", made);
	GIVEN(queue, 0, (long)&before);
	ask(SYS_mq_getsetattr, "mq_setattr", NULL, "fd=%s", made);
	say("  %.3s %ld", message, before.mq_maxmsg);
	GIVEN(queue);
	ask(SYS_close, "close", NULL, "fd=%s", made);
	GIVEN((long)name);
	ask(SYS_mq_unlink, "mq_unlink", NULL, "name=\"%s\"", name);
}

int main(void)
{
	put_file("data", "x");
	raw(SYS_mkdir, (long)"place", 0755, 0, 0);
	folder = open_fd(".", O_RDONLY | O_DIRECTORY, "O_RDONLY|O_DIRECTORY");
	file = open_fd("data", O_RDWR, "O_RDWR");
	here = strdup(fd((int)folder));
	shown = strdup(fd((int)file));
	reading();
	attributes();
	watching();
	following();
	waiting();
	sharing();
	sending();
	if (raw(SYS_unshare, CLONE_NEWNS, 0, 0, 0) != 0)
		raw(SYS_unshare, CLONE_NEWUSER | CLONE_NEWNS, 0, 0, 0);
	raw5(SYS_mount, (long)"none", (long)"/", 0, MS_REC | MS_PRIVATE, 0);
	mounting();
	users();
	system_wide();
	return 0;
}
