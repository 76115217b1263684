/* Calls: system calls made through syscall(), each recorded as the call that it is, inside the record of syscall(). See
 * tests/calls/call_direct.h.
 */
#include "../../calls/call_direct.h"

#include <linux/aio_abi.h>
#include <linux/io_uring.h>
#include <linux/openat2.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/statfs.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <utime.h>

static const char *data;

static void transferring(void)
{
	char buffer[32] = "";
	struct iovec vector[2] = {{buffer, 4}, {buffer + 4, 6}};
	long v = (long)vector, b = (long)buffer, at[2] = {1, 2};
	GIVEN((long)"data", O_RDWR | O_CREAT, 0644);
	long file = ask(SYS_open, "open", NULL, "path=\"data\", flags=O_RDWR|O_CREAT, mode=0644");
	GIVEN(AT_FDCWD, (long)"data", O_RDONLY, 0777);
	long again =
		ask(SYS_openat, "openat", NULL, "dirfd=AT_FDCWD, path=\"data\", flags=O_RDONLY");
	struct open_how how = {
		.flags = O_WRONLY | O_CREAT, .mode = 0640, .resolve = RESOLVE_BENEATH};
	GIVEN(AT_FDCWD, (long)"data", (long)&how, sizeof how);
	ask(SYS_openat2, "openat", NULL,
	    "dirfd=AT_FDCWD, path=\"data\", flags=O_WRONLY|O_CREAT, mode=0640");
	GIVEN(AT_FDCWD, (long)"data", 8, sizeof how);
	ask(SYS_openat2, "openat", NULL, "dirfd=AT_FDCWD, path=\"data\", flags=O_RDONLY");
	GIVEN(file, (long)"0123456789", 10);
	ask(SYS_write, "write", NULL, "fd=%ld <%s>, count=10", file, data);
	GIVEN(again, b, 4);
	ask(SYS_read, "read", NULL, "fd=%ld <%s>, count=4", again, data);
	say("  %s", buffer);
	GIVEN(file, (long)"abc", 3, 100);
	ask(SYS_pwrite64, "pwrite", NULL, "fd=%ld <%s>, count=3, offset=100", file, data);
	GIVEN(file, b, 5, 2);
	ask(SYS_pread64, "pread", NULL, "fd=%ld <%s>, count=5, offset=2", file, data);
	GIVEN(file, v, 2);
	ask(SYS_readv, "readv", NULL, "fd=%ld <%s>, iov=10, count=2", file, data);
	GIVEN(file, v, 2);
	ask(SYS_writev, "writev", NULL, "fd=%ld <%s>, iov=10, count=2", file, data);
	GIVEN(file, v, 2, 3);
	ask(SYS_preadv, "preadv", NULL, "fd=%ld <%s>, iov=10, count=2, offset=3", file, data);
	GIVEN(file, v, 1, 3);
	ask(SYS_pwritev, "pwritev", NULL, "fd=%ld <%s>, iov=4, count=1, offset=3", file, data);
	GIVEN(file, v, 2, 3, 0, 0x10000);
	ask(SYS_preadv2, "preadv2", NULL, "fd=%ld <%s>, iov=10, count=2, offset=3, flags=0x10000",
	    file, data);
	GIVEN(file, v, 2, 3, 0, 2);
	ask(SYS_pwritev2, "pwritev2", NULL,
	    "fd=%ld <%s>, iov=10, count=2, offset=3, flags=RWF_DSYNC", file, data);
	GIVEN(file, 5, SEEK_SET);
	ask(SYS_lseek, "lseek", NULL, "fd=%ld <%s>, offset=5, whence=SEEK_SET", file, data);
	GIVEN(file, (long)&at[0], file, (long)&at[1], 1, 0);
	at[1] = 50;
	ask(SYS_copy_file_range, "copy_file_range", NULL,
	    "fd=%ld <%s>, offset=1, newfd=%ld <%s>, newoffset=50, count=1, flags=0", file, data,
	    file, data);
	GIVEN(file, 300);
	ask(SYS_ftruncate, "ftruncate", NULL, "fd=%ld <%s>, length=300", file, data);
	GIVEN((long)"data", 200);
	ask(SYS_truncate, "truncate", NULL, "path=\"data\", length=200");
	GIVEN(file, 0, 0, 10);
	ask(SYS_fallocate, "fallocate", NULL, "fd=%ld <%s>, mode=0, offset=0, length=10", file,
	    data);
	GIVEN(file, 0, 5, POSIX_FADV_RANDOM);
	ask(SYS_fadvise64, "posix_fadvise", NULL,
	    "fd=%ld <%s>, offset=0, length=5, advice=POSIX_FADV_RANDOM", file, data);
	GIVEN(-1, 0, 5, POSIX_FADV_RANDOM);
	ask(SYS_fadvise64, "posix_fadvise", NULL,
	    "fd=-1, offset=0, length=5, advice=POSIX_FADV_RANDOM");
	GIVEN(file, 0, 5);
	ask(SYS_readahead, "readahead", NULL, "fd=%ld <%s>, offset=0, count=5", file, data);
	GIVEN(file, 0, 5, 2);
	ask(SYS_sync_file_range, "sync_file_range", NULL,
	    "fd=%ld <%s>, offset=0, length=5, flags=SYNC_FILE_RANGE_WRITE", file, data);
	static const struct {
		long number;
		const char *function;
	} syncs[] = {{SYS_fsync, "fsync"}, {SYS_fdatasync, "fdatasync"}, {SYS_syncfs, "syncfs"}};
	for (size_t i = 0; i < 3; i++) {
		GIVEN(file);
		ask(syncs[i].number, syncs[i].function, NULL, "fd=%ld <%s>", file, data);
	}
	ask(SYS_sync, "sync", "", "%s", "");
	GIVEN(file, 6);
	ask(SYS_flock, "flock", NULL, "fd=%ld <%s>, operation=LOCK_EX|LOCK_NB", file, data);
	GIVEN(file, F_GETFD);
	ask(SYS_fcntl, "fcntl", NULL, "fd=%ld <%s>, cmd=F_GETFD, arg=0", file, data);
	GIVEN(0, 4096, PROT_READ, MAP_SHARED, file, 0);
	long map = ask(SYS_mmap, "mmap", " = NULL",
		       "addr=NULL, length=4096, prot=PROT_READ, flags=MAP_SHARED, fd=%ld <%s>, "
		       "offset=0",
		       file, data);
	GIVEN(map, 4096, PROT_NONE);
	ask(SYS_mprotect, "mprotect", NULL, "addr=NULL, length=4096, prot=PROT_NONE");
	GIVEN(map, 4096, MS_ASYNC);
	ask(SYS_msync, "msync", NULL, "addr=NULL, length=4096, flags=MS_ASYNC");
	GIVEN(map, 4096, MADV_NORMAL);
	ask(SYS_madvise, "madvise", NULL, "addr=NULL, length=4096, advice=MADV_NORMAL");
	GIVEN(map, 4096, 4096, 0, 0);
	ask(SYS_mremap, "mremap", " = NULL",
	    "addr=NULL, length=4096, newlength=4096, flags=0, newaddr=NULL");
	GIVEN(map, 4096);
	ask(SYS_munmap, "munmap", NULL, "addr=NULL, length=4096");
	/* A closed descriptor is forgotten: the next one with its number is another file. */
	GIVEN(again);
	ask(SYS_close, "close", NULL, "fd=%ld <%s>", again, data);
	GIVEN(again);
	ask(SYS_close, "close", NULL, "fd=%ld", again);
	GIVEN((long)"other", 0600);
	ask(SYS_creat, "creat", NULL, "path=\"other\", mode=0600");
	GIVEN(again);
	ask(SYS_fsync, "fsync", NULL, "fd=%ld <%s>", again, under("other"));
	GIVEN(again, again, 0);
	ask(SYS_close_range, "close_range", NULL, "first=%ld, last=%ld, flags=0", again, again);
	GIVEN(file);
	long copy = ask(SYS_dup, "dup", NULL, "fd=%ld <%s>", file, data);
	GIVEN(copy);
	ask(SYS_close, "close", NULL, "fd=%ld <%s>", copy, data);
	GIVEN(file, 40);
	ask(SYS_dup2, "dup2", NULL, "fd=%ld <%s>, newfd=40", file, data);
	GIVEN(40, 41, O_CLOEXEC);
	ask(SYS_dup3, "dup3", NULL, "fd=40 <%s>, newfd=41, flags=O_CLOEXEC", data);
	close_fd(40);
	close_fd(41);
	close_fd(file);
}

static void naming(void)
{
	struct stat found;
	struct statx more;
	struct statfs system;
	char buffer[64];
	long folder = raw(SYS_open, (long)".", O_RDONLY | O_DIRECTORY, 0, 0);
	const char *here = strdup(fd((int)folder));
	long f = (long)&found, data_ = (long)"data", b = (long)buffer, made = (long)"made";
	static const struct {
		long number;
		const char *function;
	} stats[] = {{SYS_stat, "stat"}, {SYS_lstat, "lstat"}};
	for (size_t i = 0; i < 2; i++) {
		GIVEN(data_, f);
		ask(stats[i].number, stats[i].function, NULL, "path=\"data\"");
	}
	GIVEN(folder, f);
	ask(SYS_fstat, "fstat", NULL, "fd=%s", here);
	GIVEN(folder, data_, f, AT_SYMLINK_NOFOLLOW);
	ask(SYS_newfstatat, "fstatat", NULL, "dirfd=%s, path=\"data\", flags=AT_SYMLINK_NOFOLLOW",
	    here);
	GIVEN(AT_FDCWD, data_, 0, STATX_SIZE, (long)&more);
	ask(SYS_statx, "statx", NULL, "dirfd=AT_FDCWD, path=\"data\", flags=0, mask=STATX_SIZE");
	GIVEN(data_, (long)&system);
	ask(SYS_statfs, "statfs", NULL, "path=\"data\"");
	GIVEN(folder, (long)&system);
	ask(SYS_fstatfs, "fstatfs", NULL, "fd=%s", here);
	GIVEN(data_, R_OK);
	ask(SYS_access, "access", NULL, "path=\"data\", mode=R_OK");
	GIVEN(AT_FDCWD, data_, W_OK, 77);
	ask(SYS_faccessat, "faccessat", NULL, "dirfd=AT_FDCWD, path=\"data\", mode=W_OK, flags=0");
	GIVEN(AT_FDCWD, data_, W_OK, AT_EACCESS);
	ask(SYS_faccessat2, "faccessat", NULL,
	    "dirfd=AT_FDCWD, path=\"data\", mode=W_OK, flags=AT_EACCESS");
	GIVEN(made, 0700);
	ask(SYS_mkdir, "mkdir", NULL, "path=\"made\", mode=0700");
	GIVEN(made);
	ask(SYS_rmdir, "rmdir", NULL, "path=\"made\"");
	GIVEN(AT_FDCWD, made, 0700);
	ask(SYS_mkdirat, "mkdirat", NULL, "dirfd=AT_FDCWD, path=\"made\", mode=0700");
	GIVEN(AT_FDCWD, made, AT_REMOVEDIR);
	ask(SYS_unlinkat, "unlinkat", NULL, "dirfd=AT_FDCWD, path=\"made\", flags=AT_REMOVEDIR");
	GIVEN(data_, made);
	ask(SYS_rename, "rename", NULL, "path=\"data\", newpath=\"made\"");
	GIVEN(AT_FDCWD, made, AT_FDCWD, data_);
	ask(SYS_renameat, "renameat", NULL,
	    "dirfd=AT_FDCWD, path=\"made\", newdirfd=AT_FDCWD, newpath=\"data\"");
	GIVEN(AT_FDCWD, made, AT_FDCWD, data_, 1);
	ask(SYS_renameat2, "renameat2", NULL,
	    "dirfd=AT_FDCWD, path=\"made\", newdirfd=AT_FDCWD, newpath=\"data\", "
	    "flags=RENAME_NOREPLACE");
	GIVEN(data_, made);
	ask(SYS_link, "link", NULL, "path=\"data\", newpath=\"made\"");
	GIVEN(made);
	ask(SYS_unlink, "unlink", NULL, "path=\"made\"");
	GIVEN(AT_FDCWD, data_, AT_FDCWD, made, 0);
	ask(SYS_linkat, "linkat", NULL,
	    "dirfd=AT_FDCWD, path=\"data\", newdirfd=AT_FDCWD, newpath=\"made\", flags=0");
	remove_name("made");
	GIVEN(data_, made);
	ask(SYS_symlink, "symlink", NULL, "target=\"data\", newpath=\"made\"");
	GIVEN(made, b, 64);
	ask(SYS_readlink, "readlink", NULL, "path=\"made\", size=64");
	GIVEN(AT_FDCWD, made, b, 64);
	ask(SYS_readlinkat, "readlinkat", NULL, "dirfd=AT_FDCWD, path=\"made\", size=64");
	remove_name("made");
	GIVEN(data_, AT_FDCWD, made);
	ask(SYS_symlinkat, "symlinkat", NULL,
	    "target=\"data\", newdirfd=AT_FDCWD, newpath=\"made\"");
	remove_name("made");
	GIVEN(made, S_IFIFO | 0600, 0);
	ask(SYS_mknod, "mknod", NULL, "path=\"made\", mode=010600, dev=0x0");
	GIVEN(AT_FDCWD, made, S_IFIFO | 0600, 0);
	ask(SYS_mknodat, "mknodat", NULL, "dirfd=AT_FDCWD, path=\"made\", mode=010600, dev=0x0");
	remove_name("made");
	GIVEN(data_, 0640);
	ask(SYS_chmod, "chmod", NULL, "path=\"data\", mode=0640");
	GIVEN(folder, 0700);
	ask(SYS_fchmod, "fchmod", NULL, "fd=%s, mode=0700", here);
	GIVEN(AT_FDCWD, data_, 0644, 77);
	ask(SYS_fchmodat, "fchmodat", NULL, "dirfd=AT_FDCWD, path=\"data\", mode=0644, flags=0");
	GIVEN(data_, -1, -1);
	ask(SYS_chown, "chown", NULL, "path=\"data\", owner=-1, group=-1");
	GIVEN(data_, -1, -1);
	ask(SYS_lchown, "lchown", NULL, "path=\"data\", owner=-1, group=-1");
	GIVEN(folder, -1, -1);
	ask(SYS_fchown, "fchown", NULL, "fd=%s, owner=-1, group=-1", here);
	GIVEN(AT_FDCWD, data_, -1, -1, 0);
	ask(SYS_fchownat, "fchownat", NULL,
	    "dirfd=AT_FDCWD, path=\"data\", owner=-1, group=-1, flags=0");
	GIVEN(data_, 0);
	ask(SYS_utime, "utime", NULL, "path=\"data\"");
	GIVEN(data_, 0);
	ask(SYS_utimes, "utimes", NULL, "path=\"data\"");
	GIVEN(AT_FDCWD, data_, 0);
	ask(SYS_futimesat, "futimesat", NULL, "dirfd=AT_FDCWD, path=\"data\"");
	GIVEN(AT_FDCWD, data_, 0, 0);
	ask(SYS_utimensat, "utimensat", NULL, "dirfd=AT_FDCWD, path=\"data\", flags=0");
	GIVEN(022);
	ask(SYS_umask, "umask", " = 022", "mode=022");
	/* The working directory is followed. */
	raw(SYS_mkdir, made, 0700, 0, 0);
	GIVEN(made);
	ask(SYS_chdir, "chdir", NULL, "path=\"made\"");
	int (*look)(const char *, int) = use("access", &(struct variant)LINKED(access));
	TRY(look("data", R_OK));
	facts("\"absolute\":\"%s\"", under("made/data"));
	line("path=\"data\", mode=R_OK");
	GIVEN(folder);
	ask(SYS_fchdir, "fchdir", NULL, "fd=%s", here);
	remove_name("made");
	close_fd(folder);
}

/* The next descriptor; those after it are free too. */
static int next_fd(void)
{
	int number = (int)raw(SYS_dup, 0, 0, 0, 0);
	raw(SYS_close, number, 0, 0, 0);
	return number;
}

static void joining(void)
{
	int ends[2] = {-1, -1}, pair[2] = {-1, -1}, more[2] = {-1, -1};
	long offset = 0;
	GIVEN((long)ends);
	ask(SYS_pipe, "pipe", NULL, "read_end=%d, write_end=%d", next_fd(), next_fd() + 1);
	GIVEN((long)more, O_CLOEXEC);
	ask(SYS_pipe2, "pipe2", NULL, "read_end=%d, write_end=%d, flags=O_CLOEXEC", next_fd(),
	    next_fd() + 1);
	const char *out = fd(more[1]), *in = fd(more[0]);
	long file = raw(SYS_open, (long)"data", O_RDWR, 0, 0);
	GIVEN(more[1], file, (long)&offset, 3);
	ask(SYS_sendfile, "sendfile", NULL, "newfd=%s, fd=%ld <%s>, offset=0, count=3", out, file,
	    data);
	GIVEN(more[0], ends[1], 3, 0);
	ask(SYS_tee, "tee", NULL, "fd=%s, newfd=%s, count=3, flags=0", in, fd(ends[1]));
	GIVEN(more[0], 0, file, (long)&offset, 3, 0);
	ask(SYS_splice, "splice", NULL,
	    "fd=%s, offset=NULL, newfd=%ld <%s>, newoffset=3, count=3, flags=0", in, file, data);
	struct iovec piece = {(void *)(uintptr_t) "xyz", 3};
	GIVEN(more[1], (long)&piece, 1, 0);
	ask(SYS_vmsplice, "vmsplice", NULL, "fd=%s, iov=3, count=1, flags=0", out);
	raw(SYS_close, file, 0, 0, 0);
	GIVEN(AF_UNIX, SOCK_DGRAM, 0, (long)pair);
	ask(SYS_socketpair, "socketpair", NULL,
	    "domain=AF_UNIX, type=SOCK_DGRAM, protocol=0, first_end=%d, second_end=%d", next_fd(),
	    next_fd() + 1);
	char word[8] = "word";
	struct iovec vector = {word, 4};
	struct mmsghdr message = {.msg_hdr = {.msg_iov = &vector, .msg_iovlen = 1}};
	const char *first = text("%d <socket:unix:dgram>", pair[0]);
	const char *second = text("%d <socket:unix:dgram>", pair[1]);
	GIVEN(pair[0], (long)word, 4, 0, 0, 0);
	ask(SYS_sendto, "sendto", NULL, "fd=%s, size=4, flags=0, address=NULL, length=0", first);
	GIVEN(pair[1], (long)word, 4, 0, 0, 0);
	ask(SYS_recvfrom, "recvfrom", NULL, "fd=%s, size=4, flags=0, address=NULL", second);
	GIVEN(pair[0], (long)&message, 0);
	ask(SYS_sendmsg, "sendmsg", NULL, "fd=%s, size=4, address=NULL, passed=0, flags=0", first);
	GIVEN(pair[1], (long)&message, 0);
	ask(SYS_recvmsg, "recvmsg", NULL, "fd=%s, size=4, address=NULL, passed=0, flags=0", second);
	GIVEN(pair[0], (long)&message, 1, 0);
	ask(SYS_sendmmsg, "sendmmsg", NULL, "fd=%s, messages=4, count=1, flags=0", first);
	call.function = "    message";
	expect_as(" = 4", "fd=%s, size=4, address=NULL, passed=0, direction=write", first);
	GIVEN(pair[1], (long)&message, 1, 0, 0);
	ask(SYS_recvmmsg, "recvmmsg", NULL, "fd=%s, messages=4, count=1, flags=0, timeout=-1",
	    second);
	call.function = "    message";
	expect_as(" = 4", "fd=%s, size=4, address=NULL, passed=0, direction=read", second);
	struct sockaddr address;
	socklen_t length = sizeof address;
	int value = 0;
	GIVEN(pair[0], SOL_SOCKET, SO_TYPE, (long)&value, (long)&length);
	ask(SYS_getsockopt, "getsockopt", NULL, "fd=%s, level=SOL_SOCKET, option=3, value=2",
	    first);
	GIVEN(pair[0], SOL_SOCKET, SO_PASSCRED, (long)&value, 4);
	ask(SYS_setsockopt, "setsockopt", NULL,
	    "fd=%s, level=SOL_SOCKET, option=%d, value=2, length=4", first, SO_PASSCRED);
	length = sizeof address;
	GIVEN(pair[0], (long)&address, (long)&length);
	ask(SYS_getsockname, "getsockname", NULL, "fd=%s, address=\"unix:\"", first);
	length = sizeof address;
	GIVEN(pair[0], (long)&address, (long)&length);
	ask(SYS_getpeername, "getpeername", NULL, "fd=%s, address=\"unix:\"", first);
	GIVEN(pair[0], SHUT_RDWR);
	ask(SYS_shutdown, "shutdown", NULL, "fd=%s, how=SHUT_RDWR", first);
	GIVEN(AF_UNIX, SOCK_STREAM, 0);
	long server =
		ask(SYS_socket, "socket", NULL, "domain=AF_UNIX, type=SOCK_STREAM, protocol=0");
	struct sockaddr path = {.sa_family = AF_UNIX, .sa_data = "here"};
	const char *plain = text("%ld <socket:unix:stream>", server);
	GIVEN(server, (long)&path, sizeof path);
	ask(SYS_bind, "bind", NULL, "fd=%s, address=\"unix:here\", length=16", plain);
	const char *named = text("%ld <socket:unix:stream:here>", server);
	GIVEN(server, 3);
	ask(SYS_listen, "listen", NULL, "fd=%s, backlog=3", named);
	for (int i = 0; i < 2; i++) {
		long client = raw(SYS_socket, AF_UNIX, SOCK_STREAM, 0, 0);
		GIVEN(client, (long)&path, sizeof path);
		ask(SYS_connect, "connect", NULL, "fd=%s, address=\"unix:here\", length=16",
		    fd((int)client));
		GIVEN(server, 0, 0, SOCK_CLOEXEC);
		long taken = i ? ask(SYS_accept4, "accept4", NULL,
				     "fd=%s, address=NULL, flags=SOCK_CLOEXEC", named)
			       : ask(SYS_accept, "accept", NULL, "fd=%s, address=NULL", named);
		GIVEN(taken);
		ask(SYS_close, "close", NULL, "fd=%ld <socket:unix:stream:here>", taken);
		GIVEN(client);
		ask(SYS_close, "close", NULL, "fd=%s", fd((int)client));
	}
}

static void awaiting(void)
{
	int ends[2];
	raw(SYS_pipe2, (long)ends, 0, 0, 0);
	struct pollfd one = {.fd = ends[1], .events = POLLOUT};
	struct epoll_event event = {.events = EPOLLOUT};
	struct timespec now = {0};
	struct itimerspec timer = {.it_value = {.tv_sec = 5}};
	GIVEN((long)&one, 1, 5);
	ask(SYS_poll, "poll", NULL, "count=1, timeout=5");
	GIVEN((long)&one, 1, (long)&now, 0, 8);
	ask(SYS_ppoll, "ppoll", NULL, "count=1, timeout=0");
	GIVEN(0, 0, 0, 0, (long)&now);
	ask(SYS_select, "select", NULL, "count=0, timeout=0");
	GIVEN(0, 0, 0, 0, (long)&now, 0);
	ask(SYS_pselect6, "pselect", NULL, "count=0, timeout=0");
	GIVEN(3);
	long many = ask(SYS_epoll_create, "epoll_create", NULL, "size=3");
	close_fd(many);
	GIVEN(EPOLL_CLOEXEC);
	many = ask(SYS_epoll_create1, "epoll_create1", NULL, "flags=O_CLOEXEC");
	GIVEN(many, EPOLL_CTL_ADD, ends[1], (long)&event);
	ask(SYS_epoll_ctl, "epoll_ctl", NULL, "fd=%s, cmd=EPOLL_CTL_ADD, member=%s, event=EPOLLOUT",
	    fd((int)many), fd(ends[1]));
	GIVEN(many, (long)&event, 1, 0);
	ask(SYS_epoll_wait, "epoll_wait", NULL, "fd=%s, count=1, timeout=0", fd((int)many));
	GIVEN(many, (long)&event, 1, 0, 0, 8);
	ask(SYS_epoll_pwait, "epoll_pwait", NULL, "fd=%s, count=1, timeout=0", fd((int)many));
	GIVEN(many, (long)&event, 1, (long)&now, 0, 8);
	ask(SYS_epoll_pwait2, "epoll_pwait2", NULL, "fd=%s, count=1, timeout=0", fd((int)many));
	close_fd(many);
	GIVEN(4, 77);
	many = ask(SYS_eventfd, "eventfd", NULL, "value=4, flags=0");
	close_fd(many);
	GIVEN(4, O_CLOEXEC);
	many = ask(SYS_eventfd2, "eventfd", NULL, "value=4, flags=EFD_CLOEXEC");
	close_fd(many);
	GIVEN(CLOCK_MONOTONIC, 0);
	many = ask(SYS_timerfd_create, "timerfd_create", NULL, "clock=CLOCK_MONOTONIC, flags=0");
	GIVEN(many, 0, (long)&timer, 0);
	ask(SYS_timerfd_settime, "timerfd_settime", NULL, "fd=%s, flags=0, timer=5000000000",
	    fd((int)many));
	GIVEN(many, (long)&timer);
	ask(SYS_timerfd_gettime, "timerfd_gettime", NULL, "fd=%s", fd((int)many));
	close_fd(many);
	uint64_t mask = 0;
	GIVEN(-1, (long)&mask, 8, 77);
	many = ask(SYS_signalfd, "signalfd", NULL, "fd=-1, flags=0");
	close_fd(many);
	GIVEN(-1, (long)&mask, 8, O_CLOEXEC);
	many = ask(SYS_signalfd4, "signalfd", NULL, "fd=-1, flags=O_CLOEXEC");
	close_fd(many);
	GIVEN((long)"piece", 0);
	many = ask(SYS_memfd_create, "memfd_create", NULL, "name=\"piece\", flags=0");
	close_fd(many);
}

static void submitting(void)
{
	aio_context_t context = 0;
	char buffer[8];
	long file = raw(SYS_open, (long)"data", O_RDWR, 0, 0);
	struct iocb request = {.aio_lio_opcode = IOCB_CMD_PREAD,
			       .aio_fildes = (uint32_t)file,
			       .aio_buf = (uint64_t)(uintptr_t)buffer,
			       .aio_nbytes = 5,
			       .aio_offset = 2};
	struct iocb *list[] = {&request};
	struct io_event events[2];
	GIVEN(4, (long)&context);
	ask(SYS_io_setup, "io_setup", NULL, "count=4");
	GIVEN((long)context, 1, (long)list);
	ask(SYS_io_submit, "io_submit", NULL, "count=1");
	call.function = "    io_request";
	expect_as("", "request=1, opcode=IO_CMD_PREAD, fd=%ld <%s>, offset=2, size=5", file, data);
	GIVEN((long)context, 1, 2, (long)events, 0);
	ask(SYS_io_getevents, "io_getevents", NULL, "least=1, count=2, timeout=-1");
	call.function = "    io_event";
	expect_as(" = 5", "request=1, fd=%ld <%s>, direction=read, bytes=5", file, data);
	GIVEN((long)context, 0, 2, (long)events, 0, 0);
	ask(SYS_io_pgetevents, "io_pgetevents", NULL, "least=0, count=2, timeout=-1");
	GIVEN((long)context, (long)&request, (long)events);
	ask(SYS_io_cancel, "io_cancel", NULL, "request=0");
	GIVEN((long)context);
	ask(SYS_io_destroy, "io_destroy", NULL, "%s", "");
	raw(SYS_close, file, 0, 0, 0);
}

/* A ring without liburing, which only the mappings show. */
static void submitting_to_ring(void)
{
	struct io_uring_params params = {0};
	char buffer[8];
	GIVEN(4, (long)&params);
	long ring = ask(SYS_io_uring_setup, "io_uring_setup", NULL, "entries=4");
	if (ring < 0)
		return;
	const char *shown = text("%ld <anon_inode:[io_uring]>", ring);
	size_t size = params.cq_off.cqes + params.cq_entries * sizeof(struct io_uring_cqe);
	size_t queue = params.sq_off.array + params.sq_entries * sizeof(uint32_t);
	size = size > queue ? size : queue;
	void *(*map)(void *, size_t, int, int, int, off_t) =
		use("mmap", &(struct variant){"mmap", (void (*)(void))mmap});
	char *memory = (char *)TRY(
		map(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, (int)ring, IORING_OFF_SQ_RING));
	expect_as(" = NULL",
		  "addr=NULL, length=%zu, prot=PROT_READ|PROT_WRITE, flags=MAP_SHARED, fd=%s, "
		  "offset=0",
		  size, shown);
	struct io_uring_sqe *requests =
		(void *)TRY(map(NULL, 4 * sizeof *requests, PROT_READ | PROT_WRITE, MAP_SHARED,
				(int)ring, IORING_OFF_SQES));
	expect_as(" = NULL",
		  "addr=NULL, length=%zu, prot=PROT_READ|PROT_WRITE, flags=MAP_SHARED, fd=%s, "
		  "offset=%llu",
		  4 * sizeof *requests, shown, IORING_OFF_SQES);
	long file = raw(SYS_open, (long)"data", O_RDWR, 0, 0);
	uint32_t *tail = (uint32_t *)(memory + params.sq_off.tail);
	uint32_t *array = (uint32_t *)(memory + params.sq_off.array);
	for (uint32_t i = 0; i < 2; i++) {
		requests[3 - i] =
			(struct io_uring_sqe){.opcode = i ? IORING_OP_NOP : IORING_OP_READ,
					      .fd = i ? -1 : (int)file,
					      .off = i ? 0 : 3,
					      .addr = (uint64_t)(uintptr_t)buffer,
					      .len = i ? 0 : 6,
					      .user_data = 100 + i};
		array[i] = 3 - i;
	}
	__atomic_store_n(tail, 2, __ATOMIC_RELEASE);
	GIVEN(ring, 2, 2, IORING_ENTER_GETEVENTS, 0, 0);
	ask(SYS_io_uring_enter, "io_uring_enter", NULL,
	    "fd=%s, submit=2, least=2, flags=IORING_ENTER_GETEVENTS", shown);
	call.function = "    ring_request";
	expect_as("", "request=2, opcode=IORING_OP_READ, fd=%ld <%s>, offset=3, size=6, flags=0",
		  file, data);
	expect_as("", "request=3, opcode=IORING_OP_NOP, fd=-1, offset=0, size=0, flags=0");
	call.function = "    ring_event";
	expect_as(" = 6", "request=2, fd=%ld <%s>, direction=read, bytes=6", file, data);
	expect_as(" = 0", "request=3, fd=-1, direction=none, bytes=0");
	GIVEN(ring, IORING_UNREGISTER_BUFFERS, 0, 0);
	ask(SYS_io_uring_register, "io_uring_register", NULL, "fd=%s, opcode=%d, count=0", shown,
	    IORING_UNREGISTER_BUFFERS);
	GIVEN(ring);
	ask(SYS_close, "close", NULL, "fd=%s", shown);
	raw(SYS_close, file, 0, 0, 0);
}

int main(void)
{
	raw(SYS_umask, 022, 0, 0, 0);
	data = strdup(under("data"));
	transferring();
	naming();
	joining();
	awaiting();
	submitting();
	submitting_to_ring();
	return 0;
}
