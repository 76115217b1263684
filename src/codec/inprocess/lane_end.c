/* Codec: where the time of a dead process's lane ends. See lane_end.h.
 *
 * Raw system calls only, no allocation. The file is locked for moments. If another process holds the lock, this waits at most
 * 50 ms, and only once in a process. A lane is only written if run, stream and generation are as expected.
 */
#include "codec/inprocess/lane_end.h"

#include "base/sys.h"
#include "codec/inprocess/lane_dead.h"

#include <fcntl.h>
#include <stddef.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>

enum { TRIES = 50, NAP_NS = 1000000 };

/* Set after a lock was held for longer than this waits. No other lock is then waited for, so that the delays of many such lanes
 * do not add up. */
static bool waited_in_vain;

/* Another reader normally holds the lock only while it writes a few bytes. */
static bool file_locked(int fd)
{
	struct timespec nap = {0, NAP_NS};
	for (int i = 0; i < TRIES; i++) {
		if (sys_flock(fd, LOCK_EX | LOCK_NB) == 0)
			return true;
		if (__atomic_load_n(&waited_in_vain, __ATOMIC_RELAXED))
			return false;
		sys6(SYS_nanosleep, sys_address(&nap), 0, 0, 0, 0, 0);
	}
	__atomic_store_n(&waited_in_vain, true, __ATOMIC_RELAXED);
	return false;
}

/* Whether the file is a regular one, at least as long as a lane's header, and contains the expected lane. */
static bool file_same(int fd, const struct lane *lane, struct lane *head)
{
	struct stat found;
	return sys_fstat(fd, &found) == 0 && S_ISREG(found.st_mode) &&
	       found.st_size >= LANE_HEADER &&
	       sys_pread(fd, head, sizeof *head, 0) == sizeof *head && head->magic == LANE_MAGIC &&
	       head->version == LANE_VERSION && lane_same_process(head, lane) &&
	       head->process == lane->process && head->thread == lane->thread &&
	       head->generation == lane->generation &&
	       memcmp(head->run_id, lane->run_id, sizeof head->run_id) == 0;
}

static struct lane_clock file_settle(int fd, const struct lane *lane, struct lane_clock start)
{
	struct lane head;
	if (!file_locked(fd) || !file_same(fd, lane, &head))
		return lane_dead_clock(lane, start);
	if (head.end.generation == lane->generation)
		return head.end.clock;
	struct lane_end end = {lane->generation, lane_dead_clock(lane, start)};
	/* Otherwise a process that may not write files of this size would be killed by a signal. */
	if (sys_size_allowed(offsetof(struct lane, end) + sizeof end))
		sys_pwrite(fd, &end, sizeof end, offsetof(struct lane, end));
	return end.clock;
}

struct lane_clock lane_end_clock(int folder, const char *name, const struct lane *lane,
				 struct lane_clock start)
{
	if (lane->end.generation == lane->generation)
		return lane->end.clock;
	int fd = (int)sys6(SYS_openat, folder, sys_address(name),
			   O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0, 0, 0);
	if (fd < 0)
		return lane_dead_clock(lane, start);
	struct lane_clock clock = file_settle(fd, lane, start);
	sys_close(fd); /* also releases the lock */
	return clock;
}
