/* Tests: the clock pair at the end of a dead process's lane is stored by the first reader and used by all later ones. */
#include "base/program/process.h"
#include "codec/control.h"
#include "codec/inprocess/lane_end.h"
#include "unit/harness.h"

#include <fcntl.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <unistd.h>

static const struct lane_clock start = {1000, 1000};

static char path[] = "/tmp/varve-unit-end-XXXXXX";

/* A lane file of a clock that counts nanoseconds; returns a descriptor. */
static int lane_make(struct lane *lane, uint64_t generation, struct lane_end end)
{
	memcpy(path + sizeof path - 7, "XXXXXX", 6);
	int fd = mkstemp(path);
	*lane = (struct lane){.magic = LANE_MAGIC,
			      .version = LANE_VERSION,
			      .clock_kind = CLOCK_KIND_MONOTONIC,
			      .size = LANE_HEADER,
			      .generation = generation,
			      .begin = {2000, 2000},
			      .end = end};
	process_boot_id(lane->boot_id);
	CHECK_EQ(pwrite(fd, lane, sizeof *lane, 0), sizeof *lane);
	CHECK_EQ(ftruncate(fd, LANE_HEADER), 0);
	return fd;
}

static struct lane lane_read(int fd)
{
	struct lane lane;
	CHECK_EQ(pread(fd, &lane, sizeof lane, 0), sizeof lane);
	return lane;
}

static bool same_clock(struct lane_clock left, struct lane_clock right)
{
	return left.counter == right.counter && left.monotonic == right.monotonic;
}

static void lane_gone(int fd)
{
	close(fd);
	unlink(path);
}

CASE(the_first_reader_stores_it)
{
	struct lane lane;
	int fd = lane_make(&lane, 3, (struct lane_end){0});
	struct lane_clock first = lane_end_clock(AT_FDCWD, path, &lane, start);
	struct lane stored = lane_read(fd);
	CHECK_EQ(stored.end.generation, 3);
	CHECK(same_clock(stored.end.clock, first));
	/* A reader that has read the lane before the pair was stored, and one that reads it now. */
	CHECK(same_clock(lane_end_clock(AT_FDCWD, path, &lane, start), first));
	CHECK(same_clock(lane_end_clock(AT_FDCWD, path, &stored, start), first));
	stored.end = lane.end;
	CHECK(!memcmp(&stored, &lane, sizeof lane));
	lane_gone(fd);
}

CASE(one_of_an_earlier_generation_is_replaced)
{
	struct lane lane;
	int fd = lane_make(&lane, 4, (struct lane_end){3, {5000, 5000}});
	struct lane_clock first = lane_end_clock(AT_FDCWD, path, &lane, start);
	struct lane stored = lane_read(fd);
	CHECK(first.counter > 5000);
	CHECK_EQ(stored.end.generation, 4);
	CHECK(same_clock(stored.end.clock, first));
	lane_gone(fd);
}

CASE(another_lane_is_not_written)
{
	struct lane lane;
	int fd = lane_make(&lane, 4, (struct lane_end){0});
	struct lane before = lane_read(fd);
	lane.generation = 5;
	CHECK(lane_end_clock(AT_FDCWD, path, &lane, start).counter > 2000);
	lane.generation = 4;
	lane.run_id[0] = 1;
	CHECK(lane_end_clock(AT_FDCWD, path, &lane, start).counter > 2000);
	struct lane after = lane_read(fd);
	CHECK(!memcmp(&after, &before, sizeof before));
	lane_gone(fd);
}

CASE(where_it_cannot_be_stored_there_is_one_all_the_same)
{
	struct rlimit old, none;
	struct lane lane;
	int fd = lane_make(&lane, 1, (struct lane_end){0});
	CHECK(lane_end_clock(AT_FDCWD, "/nonexistent/lane.1.1", &lane, start).counter > 2000);
	CHECK_EQ(flock(fd, LOCK_EX), 0);
	CHECK(lane_end_clock(AT_FDCWD, path, &lane, start).counter > 2000);
	CHECK_EQ(flock(fd, LOCK_UN), 0);
	CHECK_EQ(getrlimit(RLIMIT_FSIZE, &old), 0);
	none = (struct rlimit){0, old.rlim_max};
	CHECK_EQ(setrlimit(RLIMIT_FSIZE, &none), 0);
	CHECK(lane_end_clock(AT_FDCWD, path, &lane, start).counter > 2000);
	CHECK_EQ(setrlimit(RLIMIT_FSIZE, &old), 0);
	CHECK_EQ(lane_read(fd).end.generation, 0);
	lane_gone(fd);
}

/* Each wait for a lock makes this thread yield its processor. */
CASE(who_holds_many_is_waited_for_once)
{
	enum { LANES = 20, MOST = 200 };
	struct rusage before, after;
	struct lane lane;
	int fd = lane_make(&lane, 1, (struct lane_end){0});
	CHECK_EQ(flock(fd, LOCK_EX), 0);
	CHECK_EQ(getrusage(RUSAGE_THREAD, &before), 0);
	for (int i = 0; i < LANES; i++)
		CHECK(lane_end_clock(AT_FDCWD, path, &lane, start).counter > 2000);
	CHECK_EQ(getrusage(RUSAGE_THREAD, &after), 0);
	CHECK(after.ru_nvcsw - before.ru_nvcsw < MOST);
	lane_gone(fd);
}

RUN(ENTRY(the_first_reader_stores_it), ENTRY(one_of_an_earlier_generation_is_replaced),
    ENTRY(another_lane_is_not_written), ENTRY(where_it_cannot_be_stored_there_is_one_all_the_same),
    ENTRY(who_holds_many_is_waited_for_once))
