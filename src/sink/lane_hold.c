/* Sink: a lane file that a consumer has opened. See lane_hold.h.
 *
 * Changes to a copy are written to the file word by word: if the file were mapped and its owner truncated it, a signal would
 * kill this process.
 */
#include "sink/lane_hold.h"

#include "base/sys.h"
#include "codec/inprocess/lane_dead.h"
#include "codec/inprocess/lane_walk.h"

#include <string.h>
#include <sys/stat.h>

int lane_open(const char *path, int flags, struct lane *head)
{
	int fd = sys_open(path, flags, 0);
	if (fd < 0)
		return -1;
	if (sys_pread(fd, head, sizeof *head, 0) == sizeof *head && head->magic == LANE_MAGIC &&
	    head->version == LANE_VERSION)
		return fd;
	sys_close(fd);
	return -1;
}

bool lane_hold(struct lane_hold *hold, const char *path)
{
	struct stat found;
	struct lane head;
	int fd = lane_open(path, O_RDWR | O_NOFOLLOW | O_NONBLOCK, &head);
	*hold = (struct lane_hold){.fd = -1};
	if (fd < 0)
		return false;
	bool good = sys_fstat(fd, &found) == 0 && S_ISREG(found.st_mode) &&
		    found.st_size <= LANE_SIZE_MOST &&
		    lane_head_good(&head, (uint64_t)found.st_size);
	bool own = good && (long)found.st_uid == sys6(SYS_geteuid, 0, 0, 0, 0, 0, 0);
	hold->size = (size_t)found.st_size;
	if (own)
		hold->lane =
			sys_mmap(NULL, hold->size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0, NULL);
	else if (good)
		hold->lane = sys_memory(hold->size);
	if (hold->lane && !own) {
		*hold->lane = head;
		hold->fd = fd;
		return true;
	}
	sys_close(fd);
	if (hold->lane &&
	    (hold->lane->size != head.size || hold->lane->stash_room != head.stash_room))
		lane_hold_end(hold);
	return hold->lane != NULL;
}

/* Reads a whole file of this size. */
static bool all_read(int fd, void *bytes, size_t size)
{
	size_t at = 0;
	long got;
	while (at < size && (got = sys_pread(fd, (uint8_t *)bytes + at, size - at, at)) > 0)
		at += (size_t)got;
	return at == size;
}

bool lane_hold_read(struct lane_hold *hold)
{
	return hold->fd < 0 || (all_read(hold->fd, hold->lane, hold->size) &&
				lane_head_good(hold->lane, hold->size));
}

/* Writes a part of a copy's head to the file. */
static void part_write(const struct lane_hold *hold, const void *part, size_t size)
{
	size_t at = (size_t)((const uint8_t *)part - (const uint8_t *)hold->lane);
	if (hold->fd >= 0)
		sys_pwrite(hold->fd, part, size, at);
}

bool lane_hold_change(struct lane_hold *hold, uint32_t from, uint32_t to)
{
	if (!__atomic_compare_exchange_n(&hold->lane->state, &from, to, 0, __ATOMIC_ACQ_REL,
					 __ATOMIC_RELAXED))
		return false;
	part_write(hold, &hold->lane->state, sizeof hold->lane->state);
	return true;
}

void lane_hold_claims(const struct lane_hold *hold)
{
	const struct lane *lane = hold->lane;
	part_write(hold, &lane->stash_claim, sizeof lane->stash_claim);
	part_write(hold, &lane->claim, sizeof lane->claim);
}

void lane_hold_free(struct lane_hold *hold)
{
	struct lane *lane = hold->lane;
	lane->stash_used = 0;
	part_write(hold, &lane->stash_used, sizeof lane->stash_used);
	__atomic_store_n(&lane->state, LANE_FREE, __ATOMIC_RELEASE);
	part_write(hold, &lane->state, sizeof lane->state);
}

void lane_hold_end(struct lane_hold *hold)
{
	if (hold->fd >= 0)
		sys_close(hold->fd);
	if (hold->lane)
		sys_munmap(hold->lane, hold->size);
	*hold = (struct lane_hold){.fd = -1};
}

static uint64_t content_records(struct lane *lane)
{
	struct lane_walk walk = lane_walk_start(lane, lane->size);
	uint64_t records = 0, words, at = 0;
	struct block_header header;
	const uint8_t *bytes;
	for (const uint64_t *record; (record = lane_walk_next(&walk, &words));)
		records += (record[WORD_HEADER] >> 16 & 0xffff) < DEFINE_FIRST;
	while (lane_stash_next(lane, &at, &header, &bytes))
		records += header.records;
	return records;
}

bool lane_records(int fd, uint64_t size, uint64_t *records)
{
	size_t room = size < LANE_HEADER ? LANE_HEADER : size;
	struct lane *lane = size <= LANE_SIZE_MOST ? sys_memory(room) : NULL;
	if (!lane)
		return false;
	bool known = all_read(fd, lane, size);
	if (known && !lane_is_empty(lane)) {
		uint64_t held = lane_head_good(lane, size) ? content_records(lane) : 0;
		/* If no record is found in a lane that is in use, its content may be of an unknown form. */
		known = held > 0;
		*records += held;
	}
	sys_munmap(lane, room);
	return known;
}
