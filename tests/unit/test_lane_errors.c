/* Tests: the set of errnos with which lanes could not be made, and its words. */
#include "codec/inprocess/lane_errors.h"
#include "unit/harness.h"

#include <errno.h>

static bool has_words(uint64_t set, const char *words)
{
	char text[LANE_TEXT];
	lane_errors_text(set, text);
	return !strcmp(text, words);
}

CASE(each_errno_is_there_once)
{
	uint64_t set = 0;
	for (int i = 0; i < 3; i++)
		set = lane_errors_add(lane_errors_add(set, ENOSPC), EFBIG);
	CHECK_EQ(set, ENOSPC | EFBIG << 8);
	CHECK_EQ(lane_errors_add(set, 0), set);
	for (unsigned error = 1; error < 20; error++)
		set = lane_errors_add(set, error);
	CHECK_EQ(lane_errors_add(set, 200), set);
	CHECK_EQ(set & 0xffff, ENOSPC | EFBIG << 8);
}

CASE(nodes_are_joined_and_counters_added)
{
	uint64_t sum[LOSS_ROOM] = {[LOSS_NO_LANE] = 3, [NOTE_LANE_ERRORS] = ENOSPC},
		 more[LOSS_ROOM] = {[LOSS_NO_LANE] = 4, [NOTE_LANE_ERRORS] = EFBIG | ENOSPC << 8};
	losses_add(sum, more);
	CHECK_EQ(sum[LOSS_NO_LANE], 7);
	CHECK_EQ(sum[NOTE_LANE_ERRORS], ENOSPC | EFBIG << 8);
}

CASE(words_are_those_of_all_and_each_once)
{
	CHECK(has_words(0, "calls not recorded: no buffer (lane) could be created"));
	CHECK(has_words(EACCES | EPERM << 8 | EIO << 24,
			"calls not recorded: no buffer (lane) could be created: no permission to "
			"write to the lane folder, errno 5"));
	CHECK(has_words(LANE_ERROR_QUIET,
			"calls not recorded: no buffer (lane) could be created: the program "
			"disabled system calls (seccomp)"));
	/* A value that a trace may contain. */
	char text[LANE_TEXT];
	lane_errors_text(0xff02010d1c1b17feull, text);
	CHECK(strlen(text) < sizeof text);
}

RUN(ENTRY(each_errno_is_there_once), ENTRY(nodes_are_joined_and_counters_added),
    ENTRY(words_are_those_of_all_and_each_once))
