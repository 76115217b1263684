/* Tests: the public library: batches compared with calls, columns that were not requested, merged order, files, definitions. */
#include "unit/trace_maker.h"

#include <varve/varve.h>

enum { THREADS = 7, BLOCKS = 3, CALLS = 40 };

/* Threads with interleaved calls, some at the same time; a name and a handle in each block; the last call of a block is cut and
 * returns in the next one. */
static bool make(struct made_trace *made)
{
	*made = (struct made_trace){0};
	if (!made_start(made))
		return false;
	for (uint64_t sequence = 1; sequence <= BLOCKS; sequence++)
		for (uint32_t thread = 1; thread <= THREADS; thread++) {
			struct written lane =
				made_lane(made, 1, thread, sequence, (sequence - 1) * CALLS);
			char text[32];
			struct definition name = {.type = DEFINE_NAME, .id = 5, .text = text};
			name.text_length = (uint32_t)snprintf(text, sizeof text, "/data/%u.%u",
							      thread, (unsigned)sequence);
			struct definition handle = {.type = DEFINE_HANDLE,
						    .id = 9,
						    .kind = VARVE_HANDLE_FILE,
						    .fd = 3,
						    .name = 5};
			CHECK(written_define(&lane, &name) && written_define(&lane, &handle));
			uint64_t cut = (sequence - 1) * CALLS - 1;
			uint64_t begin = sequence * 1000000;
			if (sequence > 1)
				made_handle_call(&lane, VARVE_CONTINUED, cut, 0,
						 begin - 100 + thread % 3, begin + 50);
			for (uint64_t i = 0; i < CALLS; i++) {
				bool last = i == CALLS - 1 && sequence < BLOCKS;
				uint64_t entry = begin + 200 + i * 1000 + thread % 3 * 100;
				made_handle_call(&lane, last ? VARVE_UNFINISHED : 0, 0, i,
						 last ? begin + 1000000 - 100 + thread % 3 : entry,
						 last ? 0 : entry + 300);
			}
			made_append(made, &lane);
		}
	made_finish(made);
	return true;
}

/* The trace of make(), opened; NULL: failed. */
static struct varve_trace *made_open(struct made_trace *made)
{
	struct varve_trace *trace = NULL;
	if (!make(made) || !CHECK_EQ(varve_open(made->path, 0, &trace, NULL), VARVE_OK))
		return NULL;
	return trace;
}

static void made_close(struct made_trace *made, struct varve_trace *trace)
{
	varve_close(trace);
	made_clear(made);
}

static void same_file(const struct varve_batch *batch, size_t at, const struct varve_call *call)
{
	struct varve_file file;
	bool known = varve_call_file(call, &file);
	CHECK_EQ(known, batch->file[at] != VARVE_NO_FILE);
	if (!known || batch->file[at] == VARVE_NO_FILE)
		return;
	const struct varve_file *other = &batch->files[batch->file[at]];
	CHECK(batch->file[at] < batch->file_count);
	CHECK_EQ(other->handle, file.handle);
	CHECK(other->absolute.length == file.absolute.length &&
	      !memcmp(other->absolute.bytes, file.absolute.bytes, file.absolute.length));
}

static void same_call(const struct varve_trace *trace, const struct varve_batch *batch, size_t at,
		      const struct varve_call *call)
{
	CHECK(varve_stream_at(trace, batch->stream[at]) == call->stream);
	CHECK_EQ(batch->function[at], call->function_id);
	CHECK_EQ(batch->depth[at], call->depth);
	CHECK_EQ(batch->marks[at], call->marks);
	CHECK_EQ(batch->ordinal[at], call->ordinal);
	CHECK_EQ(batch->start[at], call->start);
	CHECK_EQ(batch->end[at], call->end);
	CHECK_EQ(batch->result[at], call->result);
	CHECK_EQ(batch->error[at], call->error);
	CHECK_EQ(batch->word_count[at], call->word_count);
	CHECK(!memcmp(batch->words + batch->word_at[at], call->words,
		      call->word_count * sizeof *call->words));
	same_file(batch, at, call);
}

/* Reads batches and calls in parallel; returns their number. */
static size_t compare(struct varve_trace *trace, const struct varve_query *query)
{
	struct varve_cursor *by_batch, *by_call;
	const struct varve_batch *batch;
	const struct varve_call *call;
	size_t count = 0;
	if (!CHECK_EQ(varve_cursor_open(trace, query, &by_batch, NULL), VARVE_OK) ||
	    !CHECK_EQ(varve_cursor_open(trace, query, &by_call, NULL), VARVE_OK))
		return 0;
	while (varve_cursor_batch(by_batch, &batch, NULL) == VARVE_OK) {
		for (size_t i = 0; i < batch->count && !harness_failures; i++, count++)
			if (CHECK_EQ(varve_cursor_next(by_call, &call, NULL), VARVE_OK))
				same_call(trace, batch, i, call);
	}
	CHECK_EQ(varve_cursor_next(by_call, &call, NULL), VARVE_END);
	CHECK_EQ(varve_cursor_batch(by_batch, &batch, NULL), VARVE_END);
	varve_cursor_close(by_batch);
	varve_cursor_close(by_call);
	return count;
}

CASE(batches_are_the_calls)
{
	struct made_trace made;
	struct varve_trace *trace = made_open(&made);
	if (!trace)
		return;
	struct varve_query query = VARVE_QUERY_ALL;
	CHECK_EQ(compare(trace, &query), THREADS * BLOCKS * CALLS);
	query.order = VARVE_ORDER_STREAM;
	CHECK_EQ(compare(trace, &query), THREADS * BLOCKS * CALLS);
	query.process = 1;
	query.thread = 4;
	CHECK_EQ(compare(trace, &query), BLOCKS * CALLS);
	query.thread = 0;
	struct varve_filter *filter;
	CHECK_EQ(varve_filter_make(trace, "absolute endswith \".2\" and arg.offset >= 10", &filter,
				   NULL, NULL),
		 VARVE_OK);
	query.filter = filter;
	query.order = VARVE_ORDER_TIME;
	CHECK_EQ(compare(trace, &query), THREADS * (CALLS - 10));
	varve_filter_free(filter);
	made_close(&made, trace);
}

CASE(merged_by_time_and_stable)
{
	struct made_trace made;
	struct varve_trace *trace = made_open(&made);
	struct varve_cursor *cursor;
	const struct varve_call *call;
	if (!trace)
		return;
	struct varve_query query = VARVE_QUERY_ALL;
	CHECK_EQ(varve_cursor_open(trace, &query, &cursor, NULL), VARVE_OK);
	int64_t start = INT64_MIN;
	uint32_t thread = 0;
	uint64_t next[THREADS + 1] = {0}, equal = 0, cut = 0;
	while (varve_cursor_next(cursor, &call, NULL) == VARVE_OK) {
		/* By time; at equal times by stream; in a stream in its own order. */
		CHECK(call->start > start ||
		      (call->start == start && call->stream->thread > thread));
		equal += call->start == start;
		start = call->start;
		thread = call->stream->thread;
		CHECK_EQ(call->ordinal, next[thread]++);
		CHECK(!(call->marks & VARVE_UNFINISHED));
		cut += call->end / 1000000 > call->start / 1000000;
	}
	CHECK(equal > 100);
	CHECK_EQ(cut, THREADS * (BLOCKS - 1));
	varve_cursor_close(cursor);
	made_close(&made, trace);
}

/* With all records, and with none: then no stream is opened. */
CASE(progress_comes_to_its_end)
{
	struct made_trace made;
	struct varve_trace *trace = made_open(&made);
	struct varve_cursor *cursor;
	const struct varve_call *call;
	if (!trace)
		return;
	for (unsigned which = 0; which < 4; which++) {
		struct varve_query query = VARVE_QUERY_ALL;
		uint64_t done, all, before = 0;
		query.order = which & 1 ? VARVE_ORDER_STREAM : VARVE_ORDER_TIME;
		query.from_ns = which & 2 ? INT64_MAX : INT64_MIN;
		CHECK_EQ(varve_cursor_open(trace, &query, &cursor, NULL), VARVE_OK);
		while (varve_cursor_next(cursor, &call, NULL) == VARVE_OK) {
			varve_cursor_progress(cursor, &done, &all);
			CHECK(done >= before && done <= all);
			before = done;
		}
		varve_cursor_progress(cursor, &done, &all);
		CHECK(all > 0);
		CHECK_EQ(done, all);
		varve_cursor_close(cursor);
	}
	made_close(&made, trace);
}

CASE(columns_that_were_not_asked_for)
{
	struct made_trace made;
	struct varve_trace *trace = made_open(&made);
	struct varve_cursor *cursor;
	const struct varve_batch *batch;
	const struct varve_call *call;
	struct varve_file file;
	struct varve_argument argument;
	uint64_t size;
	int64_t offset;
	int32_t fd;
	if (!trace)
		return;
	struct varve_query query = VARVE_QUERY_ALL;
	query.columns = 0;
	query.order = VARVE_ORDER_STREAM;
	CHECK_EQ(varve_cursor_open(trace, &query, &cursor, NULL), VARVE_OK);
	CHECK_EQ(varve_cursor_batch(cursor, &batch, NULL), VARVE_OK);
	CHECK(batch->function && batch->ordinal && batch->marks && batch->stream);
	CHECK(!batch->start && !batch->end && !batch->result && !batch->error && !batch->words &&
	      !batch->file);
	varve_cursor_close(cursor);
	CHECK_EQ(varve_cursor_open(trace, &query, &cursor, NULL), VARVE_OK);
	CHECK_EQ(varve_cursor_next(cursor, &call, NULL), VARVE_OK);
	CHECK_EQ(call->word_count, 0);
	CHECK(!varve_call_file(call, &file) && !varve_call_argument(call, 0, &argument));
	CHECK(!varve_call_fd(call, &fd) && !varve_call_offset(call, &offset));
	CHECK(!varve_call_size(call, &size));
	varve_cursor_close(cursor);
	made_close(&made, trace);
}

CASE(files_and_definitions)
{
	struct made_trace made;
	struct varve_trace *trace = made_open(&made);
	struct varve_files files;
	struct varve_definitions *definitions;
	const struct varve_definition *definition;
	if (!trace)
		return;
	CHECK_EQ(varve_files_make(trace, &files, NULL), VARVE_OK);
	CHECK_EQ(files.count, THREADS * BLOCKS);
	for (size_t i = 0; i < files.count; i++)
		CHECK(!strncmp(files.files[i].absolute.bytes, "/data/", 6));
	varve_files_clear(&files);
	size_t names = 0, handles = 0;
	CHECK_EQ(varve_definitions_open(trace, 1, 3, &definitions, NULL), VARVE_OK);
	while (varve_definitions_next(definitions, &definition, NULL) == VARVE_OK) {
		CHECK_EQ(definition->thread, 3);
		names += definition->define == VARVE_DEFINE_NAME;
		handles += definition->define == VARVE_DEFINE_HANDLE;
	}
	CHECK_EQ(names, BLOCKS);
	CHECK_EQ(handles, BLOCKS);
	varve_definitions_close(definitions);
	made_close(&made, trace);
}

CASE(functions_and_fields_by_name)
{
	struct made_trace made;
	struct varve_trace *trace = made_open(&made);
	if (!trace)
		return;
	const struct varve_function *function = varve_function_named(trace, "pwrite");
	CHECK(function && function->id == 0x0123);
	CHECK(!varve_function_named(trace, "no_such_call"));
	/* Each field that is listed can be asked for. */
	const char *field, *help;
	size_t count = 0;
	for (; (field = varve_filter_field(count, &help)); count++) {
		char text[128];
		struct varve_filter *filter;
		snprintf(text, sizeof text, "has %s", strcmp(field, "arg.NAME") ? field : "arg.fd");
		CHECK(help && *help);
		if (CHECK_EQ(varve_filter_make(trace, text, &filter, NULL, NULL), VARVE_OK))
			varve_filter_free(filter);
		else
			printf("# %s\n", text);
	}
	CHECK(count > 20);
	made_close(&made, trace);
}

CASE(counters_from_headers)
{
	struct made_trace made;
	struct varve_trace *trace = made_open(&made);
	struct varve_filter *filter;
	struct varve_summary summary;
	if (!trace)
		return;
	CHECK_EQ(varve_filter_make(trace, "function == pwrite and thread in 1:2", &filter, NULL,
				   NULL),
		 VARVE_OK);
	CHECK_EQ(varve_summary_make(trace, filter, 0, &summary, NULL), VARVE_OK);
	CHECK_EQ(summary.records, 2 * BLOCKS * CALLS);
	CHECK_EQ(summary.decoded, 0);
	CHECK_EQ(summary.functions[0x0123].unfinished, 0);
	varve_summary_clear(&summary);
	varve_filter_free(filter);
	/* The last of these is cut: its result is in a block that the filter excludes. */
	CHECK_EQ(varve_filter_make(trace, "ordinal < 40", &filter, NULL, NULL), VARVE_OK);
	CHECK_EQ(varve_summary_make(trace, filter, 0, &summary, NULL), VARVE_OK);
	CHECK_EQ(summary.records, THREADS * CALLS);
	CHECK_EQ(summary.functions[0x0123].unfinished, 0);
	CHECK_EQ(summary.functions[0x0123].bytes, THREADS * CALLS * 8);
	varve_summary_clear(&summary);
	varve_filter_free(filter);
	CHECK_EQ(varve_filter_make(trace, "arg.offset == 7", &filter, NULL, NULL), VARVE_OK);
	CHECK_EQ(varve_summary_make(trace, filter, 0, &summary, NULL), VARVE_OK);
	CHECK_EQ(summary.records, THREADS * BLOCKS);
	CHECK(summary.decoded > 0);
	varve_summary_clear(&summary);
	varve_filter_free(filter);
	/* Only the records show that none matches. */
	CHECK_EQ(varve_filter_make(trace, "arg.offset == 123456789", &filter, NULL, NULL),
		 VARVE_OK);
	CHECK_EQ(varve_summary_make(trace, filter, 0, &summary, NULL), VARVE_OK);
	CHECK_EQ(summary.records, 0);
	CHECK_EQ(summary.decoded, summary.blocks);
	varve_summary_clear(&summary);
	varve_filter_free(filter);
	made_close(&made, trace);
}

RUN(ENTRY(batches_are_the_calls), ENTRY(merged_by_time_and_stable),
    ENTRY(progress_comes_to_its_end), ENTRY(columns_that_were_not_asked_for),
    ENTRY(files_and_definitions), ENTRY(functions_and_fields_by_name), ENTRY(counters_from_headers))
