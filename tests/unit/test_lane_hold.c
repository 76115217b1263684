/* Tests: lane files that a consumer has opened: those of another user are copied, whatever happens to the file meanwhile.
 *
 * Only root can make files of another user: otherwise the cases about copies check nothing. */
#include "codec/lane.h"
#include "sink/lane_hold.h"
#include "unit/harness.h"

#include <fcntl.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SIZE = 4 * LANE_HEADER, OTHER = 65534 };

static char path[] = "/tmp/varve-unit-hold-XXXXXX";

/* A lane file of this user; returns a descriptor, or -1 if it cannot be made. */
static int lane_make(uid_t user, uint32_t state)
{
	static struct lane lane;
	memcpy(path + sizeof path - 7, "XXXXXX", 6);
	int fd = mkstemp(path);
	lane = (struct lane){
		.magic = LANE_MAGIC, .version = LANE_VERSION, .size = SIZE, .state = state};
	CHECK_EQ(pwrite(fd, &lane, sizeof lane, 0), sizeof lane);
	CHECK_EQ(pwrite(fd, "before", 6, LANE_HEADER), 6);
	CHECK_EQ(ftruncate(fd, SIZE), 0);
	if (user == geteuid() || !fchown(fd, user, (gid_t)-1))
		return fd;
	close(fd);
	unlink(path);
	return -1;
}

static void lane_end(struct lane_hold *hold, int fd)
{
	lane_hold_end(hold);
	close(fd);
	unlink(path);
}

CASE(own_lanes_are_mapped)
{
	struct lane_hold hold;
	int fd = lane_make(geteuid(), LANE_FULL);
	if (!CHECK(lane_hold(&hold, path)))
		return;
	CHECK_EQ(hold.fd, -1);
	CHECK(lane_hold_read(&hold));
	CHECK_EQ(pwrite(fd, "after", 5, LANE_HEADER), 5);
	CHECK(!memcmp((char *)hold.lane + LANE_HEADER, "after", 5));
	lane_end(&hold, fd);
}

CASE(a_copy_stays_as_it_was)
{
	struct lane_hold hold;
	uint64_t size = 1ull << 40;
	int fd = lane_make(OTHER, LANE_FULL);
	if (fd < 0)
		return;
	if (!CHECK(lane_hold(&hold, path)))
		return;
	CHECK(hold.fd >= 0);
	CHECK(lane_hold_read(&hold));
	CHECK_EQ(pwrite(fd, &size, sizeof size, offsetof(struct lane, size)), sizeof size);
	CHECK_EQ(ftruncate(fd, 0), 0);
	CHECK_EQ(hold.lane->size, SIZE);
	CHECK(!memcmp((char *)hold.lane + LANE_HEADER, "before", 6));
	lane_hold_free(&hold);
	lane_end(&hold, fd);
}

CASE(a_file_that_changed_is_no_lane)
{
	struct lane_hold hold;
	uint64_t size = SIZE + 8;
	for (int cut = 0; cut < 2; cut++) {
		int fd = lane_make(OTHER, LANE_FULL);
		if (fd < 0)
			return;
		if (!CHECK(lane_hold(&hold, path)))
			return;
		if (cut)
			CHECK_EQ(ftruncate(fd, LANE_HEADER), 0);
		else
			CHECK_EQ(pwrite(fd, &size, sizeof size, offsetof(struct lane, size)),
				 sizeof size);
		CHECK(!lane_hold_read(&hold));
		lane_end(&hold, fd);
	}
}

CASE(what_a_consumer_says_is_in_the_file)
{
	struct lane_hold hold;
	struct lane lane;
	uid_t users[] = {geteuid(), OTHER};
	for (int i = 0; i < 2; i++) {
		int fd = lane_make(users[i], LANE_FULL);
		if (fd < 0)
			return;
		if (!CHECK(lane_hold(&hold, path)))
			return;
		CHECK(!lane_hold_change(&hold, LANE_FREE, LANE_TAKEN));
		CHECK(lane_hold_change(&hold, LANE_FULL, LANE_TAKEN));
		hold.lane->claim = (struct lane_claim){7, 8};
		hold.lane->stash_claim = (struct lane_claim){9, 10};
		lane_hold_claims(&hold);
		CHECK_EQ(pread(fd, &lane, sizeof lane, 0), sizeof lane);
		CHECK_EQ(lane.state, LANE_TAKEN);
		CHECK_EQ(lane.claim.offset + lane.claim.length, 15);
		CHECK_EQ(lane.stash_claim.offset + lane.stash_claim.length, 19);
		lane_hold_free(&hold);
		CHECK_EQ(pread(fd, &lane, sizeof lane, 0), sizeof lane);
		CHECK_EQ(lane.state, LANE_FREE);
		CHECK_EQ(lane.magic, LANE_MAGIC);
		lane_end(&hold, fd);
	}
}

CASE(a_fifo_is_no_lane)
{
	struct lane_hold hold;
	memcpy(path + sizeof path - 7, "XXXXXX", 6);
	close(mkstemp(path));
	unlink(path);
	CHECK_EQ(mkfifo(path, 0600), 0);
	CHECK(!lane_hold(&hold, path));
	unlink(path);
}

RUN(ENTRY(own_lanes_are_mapped), ENTRY(a_copy_stays_as_it_was),
    ENTRY(a_file_that_changed_is_no_lane), ENTRY(what_a_consumer_says_is_in_the_file),
    ENTRY(a_fifo_is_no_lane))
