/* Pack: one command at a time packs a trace. See pack.h.
 *
 * The lock is the kernel's, on the trace itself: it ends with the command, however that ends, and leaves nothing behind.
 */
#include "pack/pack.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

/* The process that holds the lock; 0: it cannot be seen from here. */
static int holder_of(const struct stat *source)
{
	char line[256];
	int holder = 0;
	FILE *locks = fopen("/proc/locks", "re");
	while (locks && !holder && fgets(line, sizeof line, locks)) {
		unsigned major, minor;
		uint64_t inode;
		int pid;
		if (sscanf(line, "%*d: FLOCK %*s WRITE %d %x:%x:%" SCNu64, &pid, &major, &minor,
			   &inode) == 4 &&
		    inode == source->st_ino && makedev(major, minor) == source->st_dev)
			holder = pid;
	}
	if (locks)
		fclose(locks);
	return holder;
}

static enum status busy(const char *source, int fd, struct varve_causes *causes)
{
	struct stat found;
	char host[256] = "this host";
	int holder = fstat(fd, &found) ? 0 : holder_of(&found);
	gethostname(host, sizeof host - 1);
	if (holder > 0)
		return cause(causes, STATUS_BUSY, "%s is being packed by process %d on %s", source,
			     holder, host);
	return cause(causes, STATUS_BUSY, "%s is being packed by another command", source);
}

/* Whether the name still stands for what was opened: a packed trace may have taken its place meanwhile. */
static bool still_there(const char *source, int fd)
{
	struct stat held, named;
	return fstat(fd, &held) || stat(source, &named) ||
	       (held.st_ino == named.st_ino && held.st_dev == named.st_dev);
}

enum status pack_lock(const char *source, int *lock, struct varve_causes *causes)
{
	struct stat found;
	for (;;) {
		*lock = -1;
		/* A pipe is not opened: its writer would get a reader that goes away. */
		if (stat(source, &found) || !(S_ISDIR(found.st_mode) || S_ISREG(found.st_mode)))
			return STATUS_OK;
		int fd = open(source, O_RDONLY | O_CLOEXEC);
		if (fd < 0)
			return STATUS_OK;
		int error = flock(fd, LOCK_EX | LOCK_NB) ? errno : 0;
		if (error == EWOULDBLOCK) {
			enum status status = busy(source, fd, causes);
			close(fd);
			return status;
		}
		if (error || still_there(source, fd)) {
			*lock = fd;
			return STATUS_OK;
		}
		close(fd);
	}
}

void pack_unlock(int lock)
{
	if (lock >= 0)
		close(lock);
}
