/* Tests: calls and definitions as `varve dump` prints them, with numbers that no run makes: a trace may come from an untrusted
 * source. The output is read from the buffer, before it is written. */
#include "unit/trace_maker.h"

/* After the others: one of their variables is called `output` too. */
#include "cli/print/print.h"
#include "cli/terminal/output.h"

/* The output of `print`, as a string. */
static const char *printed(void)
{
	output.bytes[output.used] = 0;
	output.used = 0;
	return output.bytes;
}

static bool says(const char *part)
{
	const char *text = printed();
	bool found = strstr(text, part) != NULL;
	if (!found)
		printf("# `%s` is not in `%s`\n", part, text);
	return found;
}

/* A call on a handle whose device and inode have their highest bits. */
static struct varve_trace *open_made(struct made_trace *made)
{
	struct varve_trace *trace = NULL;
	if (!made_start(made))
		return NULL;
	struct written lane = made_lane(made, 1, 1, 1, 0);
	struct definition handle = {.type = DEFINE_HANDLE,
				    .id = 9,
				    .kind = VARVE_HANDLE_FILE,
				    .how = VARVE_IDENTITY_SEEN,
				    .fd = 3,
				    .device = UINT64_MAX,
				    .inode = UINT64_C(1) << 63};
	CHECK(written_define(&lane, &handle));
	made_handle_call(&lane, 0, 0, 0, 1000200, 1000300);
	made_append(made, &lane);
	made_finish(made);
	CHECK_EQ(varve_open(made->path, 0, &trace, NULL), VARVE_OK);
	return trace;
}

CASE(identities_have_no_sign)
{
	struct made_trace made;
	struct varve_trace *trace = open_made(&made);
	if (trace) {
		CHECK_EQ(print_definitions(trace, 0, 0, FORMAT_TEXT, 9, NULL), VARVE_OK);
		CHECK(says(" device=18446744073709551615 inode=9223372036854775808"));
		CHECK_EQ(print_definitions(trace, 0, 0, FORMAT_JSON, 9, NULL), VARVE_OK);
		CHECK(says("\"device\":18446744073709551615,\"inode\":9223372036854775808"));
		CHECK_EQ(print_definitions(trace, 0, 0, FORMAT_CSV, 9, NULL), VARVE_OK);
		CHECK(says(" device=18446744073709551615 inode=9223372036854775808"));
	}
	varve_close(trace);
	made_clear(&made);
}

/* The sanitizers report a difference of times that no int64_t can store. */
CASE(times_that_are_too_far_apart)
{
	struct made_trace made;
	struct varve_trace *trace = open_made(&made);
	struct varve_query query = VARVE_QUERY_ALL;
	struct varve_cursor *cursor = NULL;
	const struct varve_call *call;
	if (trace && CHECK_EQ(varve_cursor_open(trace, &query, &cursor, NULL), VARVE_OK) &&
	    CHECK_EQ(varve_cursor_next(cursor, &call, NULL), VARVE_OK)) {
		struct varve_call hostile = *call;
		hostile.start = INT64_MIN;
		hostile.end = INT64_MAX;
		print_csv(trace, &hostile);
		CHECK(says("-9223372036854775808,-1,1,1,"));
		print_json(trace, &hostile);
		CHECK(says("\"duration\":-1,"));
		print_text(trace, &hostile);
		CHECK(says("-9223372036.854775808      0ns  "));
	}
	varve_cursor_close(cursor);
	varve_close(trace);
	made_clear(&made);
}

RUN(ENTRY(identities_have_no_sign), ENTRY(times_that_are_too_far_apart))
