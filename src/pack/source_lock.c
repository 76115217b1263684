/* Pack: locks a trace, so that one command at a time packs it. See pack.h.
 *
 * The lock is a kernel lock on the trace itself: it ends with the command, however that ends, and leaves nothing behind.
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

enum { TRIES = 50, NAP_US = 20000 };

/* The device of an open file as /proc/locks prints it: that of the mount, which differs from that of fstat() on some file
 * systems. 0: unknown. */
static dev_t mounted_device(int fd)
{
	char path[64], line[4096];
	unsigned mount = 0, id, major, minor;
	dev_t device = 0;
	snprintf(path, sizeof path, "/proc/self/fdinfo/%d", fd);
	FILE *info = fopen(path, "re");
	while (info && !mount && fgets(line, sizeof line, info))
		if (sscanf(line, "mnt_id: %u", &mount) != 1)
			mount = 0;
	if (info)
		fclose(info);
	FILE *mounts = mount ? fopen("/proc/self/mountinfo", "re") : NULL;
	while (mounts && !device && fgets(line, sizeof line, mounts))
		if (sscanf(line, "%u %*u %u:%u", &id, &major, &minor) == 3 && id == mount)
			device = makedev(major, minor);
	if (mounts)
		fclose(mounts);
	return device;
}

/* The process that holds the lock. 0: it is not visible from here, or the list changed while it was read. */
static int holder_of(int fd)
{
	char line[256];
	int holder = 0;
	struct stat source;
	if (fstat(fd, &source))
		return 0;
	dev_t device = mounted_device(fd);
	FILE *locks = fopen("/proc/locks", "re");
	while (locks && !holder && fgets(line, sizeof line, locks)) {
		unsigned major, minor;
		uint64_t inode;
		int pid;
		if (sscanf(line, "%*d: FLOCK %*s WRITE %d %x:%x:%" SCNu64, &pid, &major, &minor,
			   &inode) == 4 &&
		    inode == source.st_ino &&
		    makedev(major, minor) == (device ? device : source.st_dev))
			holder = pid;
	}
	if (locks)
		fclose(locks);
	return holder;
}

static enum varve_status source_busy(const char *source, int holder, struct varve_causes *causes)
{
	char host[256] = "this host";
	gethostname(host, sizeof host - 1);
	if (holder > 0)
		return cause(causes, VARVE_BUSY, "%s is being packed by process %d on %s", source,
			     holder, host);
	return cause(causes, VARVE_BUSY,
		     "%s is being packed by a process that is not visible on %s: in another "
		     "container or on another host",
		     source, host);
}

/* Whether the path still leads to the open file: a packed trace may have replaced it meanwhile. */
static bool still_there(const char *source, int fd)
{
	struct stat held, named;
	return fstat(fd, &held) || stat(source, &named) ||
	       (held.st_ino == named.st_ino && held.st_dev == named.st_dev);
}

enum outcome { LOCKED, NOT_LOCKABLE, REPLACED, HELD };

static enum outcome lock_try(const char *source, int *lock, int *holder)
{
	struct stat found;
	*lock = -1;
	*holder = 0;
	/* A pipe is not opened: its writer would get a reader that closes it at once. */
	if (stat(source, &found) || !(S_ISDIR(found.st_mode) || S_ISREG(found.st_mode)))
		return NOT_LOCKABLE;
	int fd = open(source, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return NOT_LOCKABLE;
	int error = flock(fd, LOCK_EX | LOCK_NB) ? errno : 0;
	if (!error && !still_there(source, fd)) {
		close(fd);
		return REPLACED;
	}
	if (error == EWOULDBLOCK) {
		*holder = holder_of(fd);
		close(fd);
		return HELD;
	}
	*lock = fd;
	return LOCKED;
}

/* If the holder is not in the list, it has ended meanwhile, or is not visible from here: further attempts show which. */
enum varve_status pack_lock(const char *source, int *lock, struct varve_causes *causes)
{
	for (int tries = 0;;) {
		int holder;
		enum outcome outcome = lock_try(source, lock, &holder);
		if (outcome == LOCKED || outcome == NOT_LOCKABLE)
			return VARVE_OK;
		if (outcome == HELD && (holder || ++tries == TRIES))
			return source_busy(source, holder, causes);
		if (outcome == HELD)
			usleep(NAP_US);
	}
}

void pack_unlock(int lock)
{
	if (lock >= 0)
		close(lock);
}
