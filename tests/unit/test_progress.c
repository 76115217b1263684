/* The progress line: its text, that it appears when work takes longer than allowed, and that it is removed. */
#include "cli/terminal/progress.h"
#include "unit/harness.h"

#include <sched.h>
#include <string.h>
#include <unistd.h>

#define SECOND 1000000000ll

static const char *line(uint64_t done, uint64_t total, int64_t elapsed)
{
	static char text[PROGRESS_ROOM];
	progress_text(text, "dump", "records", done, total, elapsed);
	return text;
}

CASE(what_the_line_says)
{
	CHECK_STR(line(500, 1000, 2 * SECOND), "varve: dump: 50%, 250 records/s, 2 s left");
	CHECK_STR(line(3000000, 4000000, 2 * SECOND), "varve: dump: 75%, 1.5M records/s, 1 s left");
	CHECK_STR(line(1, 1000, SECOND), "varve: dump: 0%, 1 records/s, 17 min left");
	CHECK_STR(line(1, 100000, SECOND), "varve: dump: 0%, 1 records/s, 28 h left");
	CHECK_STR(line(1000, 1000, 4 * SECOND), "varve: dump: 100%, 250 records/s, 0 s left");
	CHECK_STR(line(999600, 0, SECOND), "varve: dump: 1.0M records, 1.0M/s");
	CHECK_STR(line(0, 0, 3 * SECOND), "varve: dump: 3 s");
	CHECK_STR(line(0, 1000, 3 * SECOND), "varve: dump: 3 s");
}

CASE(more_than_was_expected)
{
	CHECK_STR(line(3000, 1000, 2 * SECOND), "varve: dump: 100%, 1.5k records/s, 0 s left");
	CHECK(strlen(line(UINT64_MAX, 1, 1)) < PROGRESS_ROOM);
}

CASE(a_long_name_is_cut)
{
	char text[PROGRESS_ROOM], name[200];
	memset(name, 'x', sizeof name - 1);
	name[sizeof name - 1] = 0;
	progress_text(text, name, "records", 1, 2, SECOND);
	CHECK_EQ(strlen(text), PROGRESS_ROOM - 1);
}

/* Reads until `wanted` appears after the text that was seen before; false: the end came first. */
static bool read_on(int fd, char *seen, size_t room, const char *wanted)
{
	size_t length = strlen(seen);
	while (length + 1 < room) {
		if (read(fd, seen + length, 1) != 1)
			return false;
		seen[++length] = 0;
		if (strstr(seen, wanted))
			return true;
	}
	return false;
}

static bool read_until(int fd, char *seen, size_t room, const char *wanted)
{
	seen[0] = 0;
	return read_on(fd, seen, room, wanted);
}

CASE(nothing_unless_allowed)
{
	progress_start("dump", "records", 10);
	progress_step(5);
	progress_end();
	CHECK_EQ(progress_done, 5);
}

CASE(it_comes_and_goes)
{
	int ends[2];
	char seen[4096];
	if (!CHECK_EQ(pipe(ends), 0))
		return;
	progress_allow(ends[1], 0);
	progress_start("dump", "records", 0);
	progress_step(7);
	/* The first line may have been drawn before the step. */
	CHECK(read_until(ends[0], seen, sizeof seen, "varve: dump: 7 records, "));
	CHECK_EQ(seen[0], '\r');
	progress_end();
	close(ends[1]);
	size_t length = 0;
	ssize_t got;
	while ((got = read(ends[0], seen + length, sizeof seen - 1 - length)) > 0)
		length += (size_t)got;
	close(ends[0]);
	seen[length] = 0;
	/* The end: back to the first column, blanks over the whole line, and back again. */
	char *last = strrchr(seen, '\r');
	if (!CHECK(last && last > seen && !last[1]))
		return;
	*last = 0;
	char *blanks = strrchr(seen, '\r');
	CHECK(blanks && strlen(blanks + 1) >= strlen("varve: dump: 7 records, "));
	CHECK(blanks && strspn(blanks + 1, " ") == strlen(blanks + 1));
}

CASE(a_message_takes_the_place_of_the_line)
{
	int ends[2], before = dup(STDERR_FILENO);
	char seen[4096];
	if (!CHECK_EQ(pipe(ends), 0))
		return;
	dup2(ends[1], STDERR_FILENO);
	progress_allow(STDERR_FILENO, 0);
	progress_start("dump", "records", 0);
	/* The number of seconds depends on how long the thread had to wait for a processor. */
	bool drawn = read_until(ends[0], seen, sizeof seen, "\rvarve: dump: ");
	progress_message("varve: there\n", 13);
	bool said = read_on(ends[0], seen, sizeof seen, "\rvarve: there\n");
	progress_end();
	dup2(before, STDERR_FILENO);
	close(before);
	close(ends[0]);
	close(ends[1]);
	if (!CHECK(drawn && said))
		return;
	/* Before the message: only blanks, over the whole line that was drawn last. */
	*strrchr(seen, '\r') = 0;
	char *blanks = strrchr(seen, '\r');
	if (!CHECK(blanks && blanks > seen))
		return;
	*blanks++ = 0;
	char *shown = strrchr(seen, '\r');
	CHECK(shown && !strncmp(shown + 1, "varve: dump: ", 13));
	CHECK(shown && strlen(shown + 1) >= strlen("varve: dump: 0 s"));
	CHECK(shown && strlen(blanks) >= strlen(shown + 1));
	CHECK_EQ(strspn(blanks, " "), strlen(blanks));
}

CASE(work_that_is_quick_shows_nothing)
{
	int ends[2];
	char byte;
	if (!CHECK_EQ(pipe(ends), 0))
		return;
	progress_allow(ends[1], INT64_MAX / 2);
	/* Often, so that the thread gets a processor now and then. */
	for (int i = 0; i < 2000; i++) {
		progress_start("dump", "records", 10);
		progress_step(10);
		sched_yield();
		progress_end();
	}
	progress_end();
	close(ends[1]);
	CHECK_EQ(read(ends[0], &byte, 1), 0);
	close(ends[0]);
}

RUN(ENTRY(what_the_line_says), ENTRY(more_than_was_expected), ENTRY(a_long_name_is_cut),
    ENTRY(nothing_unless_allowed), ENTRY(it_comes_and_goes),
    ENTRY(a_message_takes_the_place_of_the_line), ENTRY(work_that_is_quick_shows_nothing))
