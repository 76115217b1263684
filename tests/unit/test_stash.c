/* Tests: a lane with blocks in its stash, in every state in which a kill can leave it, and in some that only an attacker makes.
 * Readers find each record once, and so do the collector of the lane and readers after it. */
#include "base/clock.h"
#include "base/program/process.h"
#include "unit/harness.h"
#include "unit/trace_maker.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LANE_SIZE = LANE_HEADER + 8192, STASH = 4096, CALLS = 4, MOST = 64 };

/* A lane of stream 1.1 with this `generation`, and with the blocks of `stashed` generations up to it. */
struct left {
	struct made_trace made;
	_Alignas(64) uint8_t bytes[LANE_SIZE + STASH];
	struct lane *lane;
};

static int dead_pid(void)
{
	pid_t child = fork();
	if (child == 0)
		_exit(0);
	waitpid(child, NULL, 0);
	return child;
}

static struct written lane_of(const struct made_trace *made, uint32_t thread, uint64_t sequence)
{
	struct written written = made_lane(made, 1, thread, sequence, (sequence - 1) * CALLS);
	uint64_t now = written.now;
	for (uint64_t i = 0; i < CALLS; i++)
		made_call(&written, 0, 0, sequence * 100 + i, now + 1000 + i * 1000,
			  now + 1500 + i * 1000);
	return written;
}

static void start(struct left *left, uint64_t generation, uint64_t stashed)
{
	if (!made_start(&left->made))
		abort();
	struct written written = lane_of(&left->made, 1, generation);
	memset(left->bytes, 0, sizeof left->bytes);
	memcpy(left->bytes, written.lane, LANE_SIZE);
	written_clear(&written);
	struct lane *lane = left->lane = (struct lane *)(void *)left->bytes;
	lane->pid = dead_pid();
	lane->process_start = 1;
	lane->pid_namespace = process_namespace();
	lane->stash_room = STASH;
	for (uint64_t sequence = 1; sequence <= stashed; sequence++) {
		struct encoded encoded;
		written = lane_of(&left->made, 1, sequence);
		uint8_t *block = written_encode(&written, CODEC_COLUMNS, &encoded);
		CHECK(lane->stash_used + encoded.length <= STASH);
		memcpy(lane_stash(lane) + lane->stash_used, block, encoded.length);
		lane->stash_used += encoded.length;
		free(block);
		written_clear(&written);
	}
}

static void store(struct left *left)
{
	char path[RUN_PATH + 32];
	snprintf(path, sizeof path, "%s/lane.1.1", left->made.run.lanes);
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	CHECK_EQ(write(fd, left->bytes, sizeof left->bytes), sizeof left->bytes);
	close(fd);
	left->made.run.control->lanes_made = 1;
}

/* Records of the lane's stream, in order from the first; then `others`. */
static void check_read(const struct left *left, uint64_t generations, long others)
{
	struct record found[MOST];
	size_t damages = 0;
	long count = made_read(left->made.path, 0, found, MOST, &damages);
	CHECK_EQ(count, (long)generations * CALLS + others);
	CHECK_EQ(damages, 0);
	for (uint64_t i = 0; i < generations * CALLS && (long)i < count; i++) {
		CHECK_EQ(found[i].ordinal, i);
		CHECK_EQ(found[i].word[2], (i / CALLS + 1) * 100 + i % CALLS);
	}
}

/* Read before collecting; collected; read again. */
static void check_left(struct left *left, uint64_t generations, long others)
{
	store(left);
	check_read(left, generations, others);
	made_finish(&left->made);
	check_read(left, generations, others);
	made_clear(&left->made);
}

static void append_other(struct left *left)
{
	struct written other = lane_of(&left->made, 2, 1);
	made_append(&left->made, &other);
}

CASE(nothing_was_claimed)
{
	struct left left;
	start(&left, 3, 2);
	check_left(&left, 3, 0);
}

CASE(space_was_being_claimed)
{
	struct left left;
	start(&left, 3, 2);
	left.lane->stash_claim = (struct lane_claim){CLAIM_COMING, left.lane->stash_used};
	check_left(&left, 3, 0);
}

CASE(all_of_it_was_written)
{
	struct left left;
	start(&left, 3, 2);
	CHECK_EQ(data_append(&left.made.data, left.made.run.control, &left.lane->stash_claim,
			     lane_stash(left.lane), left.lane->stash_used),
		 VARVE_OK);
	append_other(&left);
	check_left(&left, 3, CALLS);
}

CASE(the_lane_was_not_emptied_yet)
{
	struct left left;
	start(&left, 2, 2);
	check_left(&left, 2, 0);
}

/* With bytes that another process wrote behind it: zeros up to there. */
CASE(the_write_was_torn)
{
	for (uint64_t length = 0;; length += 40) {
		struct left left;
		start(&left, 3, 2);
		struct lane *lane = left.lane;
		struct control *control = left.made.run.control;
		if (length >= lane->stash_used) {
			made_clear(&left.made);
			return;
		}
		lane->stash_claim = (struct lane_claim){control->data_tail, lane->stash_used};
		control->data_tail += lane->stash_used;
		CHECK_EQ(pwrite(left.made.data.fd, lane_stash(lane), length,
				(off_t)lane->stash_claim.offset),
			 length);
		append_other(&left);
		check_left(&left, 3, CALLS);
	}
}

CASE(the_claim_is_somebody_elses)
{
	struct left left;
	start(&left, 2, 1);
	left.lane->stash_claim =
		(struct lane_claim){left.made.run.control->data_tail, left.lane->stash_used};
	append_other(&left);
	CHECK_EQ(left.made.run.control->data_tail,
		 left.lane->stash_claim.offset + left.lane->stash_used);
	check_left(&left, 2, CALLS);
}

/* Its own content is written to the trace, and the lane stays. */
CASE(the_stash_is_no_stash)
{
	const uint64_t wrong[] = {STASH + 8, 1ull << 40, UINT64_MAX, 8};
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		struct left left;
		struct record found[MOST];
		struct collected collected;
		start(&left, 1, 0);
		left.lane->stash_used = wrong[i];
		store(&left);
		size_t damages = 0;
		CHECK_EQ(made_read(left.made.path, 0, found, MOST, &damages), CALLS);
		CHECK_EQ(damages, 1);
		CHECK_EQ(collect_finish(&left.made.run, RUN_EXITED, 0, &collected, NULL),
			 VARVE_DAMAGED);
		CHECK_EQ(collected.records, CALLS);
		made_clear(&left.made);
	}
}

CASE(sizes_that_do_not_fit_the_file)
{
	const uint64_t wrong[][2] = {{LANE_SIZE, STASH + 1},
				     {LANE_SIZE, UINT64_MAX},
				     {LANE_SIZE + STASH + 1, 0},
				     {8, STASH},
				     {UINT64_MAX, 1}};
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		struct left left;
		struct collected collected;
		struct record found[MOST];
		size_t damages = 0;
		start(&left, 2, 1);
		left.lane->size = wrong[i][0];
		left.lane->stash_room = wrong[i][1];
		store(&left);
		CHECK_EQ(made_read(left.made.path, 0, found, MOST, &damages), 0);
		CHECK_EQ(damages, 1);
		CHECK_EQ(collect_finish(&left.made.run, RUN_EXITED, 0, &collected, NULL), VARVE_OK);
		CHECK_EQ(collected.records, 0);
		made_clear(&left.made);
	}
}

/* The facts cannot be written where they are mapped. */
static void start_set(const struct run *run, uint64_t counter, int64_t monotonic)
{
	char path[RUN_PATH + 16];
	snprintf(path, sizeof path, "%s/facts", run->lanes);
	int fd = open(path, O_WRONLY);
	CHECK(pwrite(fd, &counter, sizeof counter, offsetof(struct control, start_counter)) > 0);
	CHECK(pwrite(fd, &monotonic, sizeof monotonic, offsetof(struct control, start_monotonic)) >
	      0);
	close(fd);
}

/* The present clock is not that of the run any more: its rate differs from that between the run's start and the lane's. */
CASE(times_stay_when_it_is_collected)
{
	struct left left;
	struct record before[MOST], after[MOST];
	size_t damages = 0;
	start(&left, 1, 0);
	struct lane *lane = left.lane;
	process_boot_id(lane->boot_id);
	lane->begin.monotonic = clock_ns(CLOCK_MONOTONIC) - 1000000000;
	start_set(&left.made.run, 0, lane->begin.monotonic - 2000000);
	store(&left);
	CHECK_EQ(made_read(left.made.path, 0, before, MOST, &damages), CALLS);
	made_finish(&left.made);
	CHECK_EQ(made_read(left.made.path, 0, after, MOST, &damages), CALLS);
	/* This number of counts in 2 ms; a tick is 100 ns. */
	CHECK_EQ(before[1].entry - before[0].entry, 1000 * 20000 / lane->begin.counter);
	for (int i = 0; i < CALLS; i++) {
		CHECK_EQ(before[i].entry, after[i].entry);
		CHECK_EQ(before[i].exit, after[i].exit);
	}
	made_clear(&left.made);
}

RUN(ENTRY(nothing_was_claimed), ENTRY(space_was_being_claimed), ENTRY(all_of_it_was_written),
    ENTRY(the_lane_was_not_emptied_yet), ENTRY(the_write_was_torn),
    ENTRY(the_claim_is_somebody_elses), ENTRY(the_stash_is_no_stash),
    ENTRY(sizes_that_do_not_fit_the_file), ENTRY(times_stay_when_it_is_collected))
