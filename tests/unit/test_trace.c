/* Tests: reading a trace with blocks that are out of order, doubled or missing, or that cut calls. */
#include "analyze/summary.h"
#include "trace/filter/filter.h"
#include "trace/trace.h"
#include "unit/harness.h"
#include "unit/trace_maker.h"

enum { MOST = 64 };

static struct record found[MOST];
static size_t damages;

static long read_made(const struct made_trace *made)
{
	return made_read(made->path, 0, found, MOST, &damages);
}

static void check_call(const struct record *record, uint64_t ordinal, uint8_t marks,
		       uint64_t offset, int64_t entry, int64_t exit)
{
	CHECK_EQ(record->ordinal, ordinal);
	CHECK_EQ(record->marks, marks);
	CHECK_EQ(record->word[2], offset);
	CHECK_EQ(record->entry, entry);
	if (!(marks & VARVE_UNFINISHED)) {
		CHECK_EQ(record->exit, exit);
		CHECK_EQ(record->result, offset + 1);
	}
}

/* The facts in headers: calls, all of which have returned. */
static void check_counts(const struct made_trace *made, uint64_t calls, uint64_t blocks)
{
	struct varve_trace *trace;
	struct varve_summary summary;
	CHECK_EQ(trace_open(made->path, 0, &trace, NULL), VARVE_OK);
	CHECK_EQ(summary_make(trace, NULL, true, &summary, NULL), VARVE_OK);
	CHECK_EQ(summary.records, calls);
	CHECK_EQ(summary.functions[0x0123].calls, calls);
	CHECK_EQ(summary.functions[0x0123].unfinished, 0);
	CHECK_EQ(summary.blocks, blocks);
	summary_clear(&summary);
	trace_close(trace);
}

/* Block `sequence` of the call with ordinal 1 that stays open; other calls around it return. */
static void append_part(struct made_trace *made, uint64_t sequence, bool first, bool last)
{
	struct written lane = made_lane(made, 1, 1, sequence, first ? 0 : sequence * 10);
	uint64_t now = lane.now;
	if (first)
		made_call(&lane, 0, 0, 100, now + 1000, now + 2000);
	made_call(&lane, (uint8_t)((first ? 0 : VARVE_CONTINUED) | (last ? 0 : VARVE_UNFINISHED)),
		  1, 200, 1003000, now + 50000);
	made_call(&lane, 0, 0, 300 + sequence, now + 5000, now + 6000);
	made_append(made, &lane);
}

CASE(a_call_over_four_blocks_is_one)
{
	struct made_trace made = {0};
	if (!made_start(&made))
		return;
	for (uint64_t sequence = 1; sequence <= 4; sequence++)
		append_part(&made, sequence, sequence == 1, sequence == 4);
	made_finish(&made);
	CHECK_EQ(read_made(&made), 6);
	CHECK_EQ(damages, 0);
	check_call(&found[0], 0, 0, 100, 10010, 10020);
	check_call(&found[1], 1, 0, 200, 10030, 40500);
	check_call(&found[2], 2, 0, 301, 10050, 10060);
	check_call(&found[3], 20, 0, 302, 20050, 20060);
	check_call(&found[5], 40, 0, 304, 40050, 40060);
	check_counts(&made, 6, 4);
	made_clear(&made);
}

CASE(a_call_that_never_returned)
{
	struct made_trace made = {0};
	if (!made_start(&made))
		return;
	for (uint64_t sequence = 1; sequence <= 3; sequence++)
		append_part(&made, sequence, sequence == 1, false);
	made_finish(&made);
	CHECK_EQ(read_made(&made), 5);
	check_call(&found[1], 1, VARVE_UNFINISHED, 200, 10030, 0);
	made_clear(&made);
}

/* The block in which the call began is missing: it is shown at its first remaining half. */
CASE(the_first_half_is_lost)
{
	struct made_trace made = {0};
	if (!made_start(&made))
		return;
	for (uint64_t sequence = 2; sequence <= 4; sequence++)
		append_part(&made, sequence, false, sequence == 4);
	made_finish(&made);
	CHECK_EQ(read_made(&made), 4);
	CHECK(damages > 0); /* a gap in the sequence */
	check_call(&found[0], 1, 0, 200, 10030, 40500);
	check_call(&found[1], 20, 0, 302, 20050, 20060);
	check_counts(&made, 4, 3);
	made_clear(&made);
}

CASE(a_middle_part_is_lost)
{
	struct made_trace made = {0};
	if (!made_start(&made))
		return;
	append_part(&made, 1, true, false);
	append_part(&made, 3, false, true);
	made_finish(&made);
	CHECK_EQ(read_made(&made), 4);
	CHECK_EQ(damages, 1);
	check_call(&found[1], 1, 0, 200, 10030, 30500);
	made_clear(&made);
}

/* Four calls transferred more bytes than the sum can store. */
CASE(more_bytes_than_a_sum_holds)
{
	struct made_trace made = {0};
	struct varve_trace *trace;
	struct varve_summary summary;
	struct varve_filter *filter;
	size_t column;
	if (!made_start(&made))
		return;
	for (uint64_t sequence = 1; sequence <= 2; sequence++) {
		struct written lane = made_lane(&made, 1, 1, sequence, sequence * 10);
		for (uint64_t i = 0; i < 4; i++)
			made_call(&lane, 0, 0, (1ull << 62) - (sequence == 1 ? 1 : 1 + i),
				  lane.now + 1000, lane.now + 2000);
		made_append(&made, &lane);
	}
	made_finish(&made);
	CHECK_EQ(trace_open(made.path, 0, &trace, NULL), VARVE_OK);
	CHECK_EQ(filter_make(trace, "size > 1GiB", &filter, &column, NULL), VARVE_OK);
	CHECK_EQ(summary_make(trace, filter, false, &summary, NULL), VARVE_OK);
	CHECK_EQ(summary.records, 8);
	CHECK_EQ(summary.functions[0x0123].bytes, UINT64_MAX);
	summary_clear(&summary);
	CHECK_EQ(summary_make(trace, NULL, false, &summary, NULL), VARVE_OK);
	CHECK_EQ(summary.functions[0x0123].bytes, UINT64_MAX);
	summary_clear(&summary);
	filter_free(filter);
	trace_close(trace);
	made_clear(&made);
}

CASE(blocks_in_any_order_and_twice)
{
	static const uint64_t orders[][6] = {
		{4, 3, 2, 1, 4, 1}, {2, 2, 1, 1, 4, 3}, {3, 1, 4, 2, 3, 3}};
	for (size_t i = 0; i < 3; i++) {
		struct made_trace made = {0};
		if (!made_start(&made))
			return;
		for (size_t k = 0; k < 6; k++)
			append_part(&made, orders[i][k], orders[i][k] == 1, orders[i][k] == 4);
		made_finish(&made);
		CHECK_EQ(read_made(&made), 6);
		CHECK_EQ(damages, 0);
		check_call(&found[1], 1, 0, 200, 10030, 40500);
		for (size_t k = 1; k < 6; k++)
			CHECK(found[k].ordinal > found[k - 1].ordinal);
		made_clear(&made);
	}
}

/* Of two copies the undamaged one is read. */
CASE(a_good_copy_stands_in_for_a_damaged_one)
{
	struct made_trace made = {0};
	if (!made_start(&made))
		return;
	uint64_t at = made.run.control->data_tail;
	append_part(&made, 1, true, true);
	append_part(&made, 1, true, true);
	made_finish(&made);
	uint8_t byte;
	uint64_t last = at + (made.run.control->data_tail - at) / 2 -
			9; /* in the payload of the first copy */
	CHECK_EQ(pread(made.data.fd, &byte, 1, (off_t)last), 1);
	byte ^= 1;
	CHECK_EQ(pwrite(made.data.fd, &byte, 1, (off_t)last), 1);
	CHECK_EQ(read_made(&made), 3);
	made_clear(&made);
}

CASE(streams_are_merged_by_time)
{
	struct made_trace made = {0};
	if (!made_start(&made))
		return;
	for (uint32_t thread = 1; thread <= 5; thread++) {
		struct written lane = made_lane(&made, 1, thread, 1, 0);
		for (uint64_t i = 0; i < 8; i++)
			made_call(&lane, 0, 0, i, 1000000 + (i * 5 + thread) * 1000,
				  1000000 + (i * 5 + thread) * 1000 + 500);
		made_append(&made, &lane);
	}
	made_finish(&made);
	struct varve_trace *trace;
	struct varve_cursor *cursor;
	const struct varve_call *call;
	struct trace_filter all = TRACE_FILTER_ALL;
	CHECK_EQ(trace_open(made.path, TRACE_CHECK, &trace, NULL), VARVE_OK);
	CHECK_EQ(trace->stream_count, 5);
	CHECK_EQ(cursor_open(trace, &all, VARVE_ORDER_TIME, VARVE_TIMES, &cursor, NULL), VARVE_OK);
	int64_t last = 0;
	size_t count = 0;
	while (cursor_next(cursor, &call, NULL) == VARVE_OK) {
		CHECK_EQ(call->stream->thread, 1 + count % 5);
		CHECK(call->start >= last);
		last = call->start;
		count++;
	}
	CHECK_EQ(count, 40);
	cursor_close(cursor);
	all.thread = 3;
	all.from_ns = 1010000;
	all.to_ns = 1030000;
	CHECK_EQ(cursor_open(trace, &all, VARVE_ORDER_TIME, VARVE_TIMES, &cursor, NULL), VARVE_OK);
	for (count = 0; cursor_next(cursor, &call, NULL) == VARVE_OK; count++)
		CHECK_EQ(call->stream->thread, 3);
	CHECK_EQ(count, 4);
	cursor_close(cursor);
	trace_close(trace);
	made_clear(&made);
}

RUN(ENTRY(a_call_over_four_blocks_is_one), ENTRY(a_call_that_never_returned),
    ENTRY(the_first_half_is_lost), ENTRY(more_bytes_than_a_sum_holds), ENTRY(a_middle_part_is_lost),
    ENTRY(blocks_in_any_order_and_twice), ENTRY(a_good_copy_stands_in_for_a_damaged_one),
    ENTRY(streams_are_merged_by_time))
