/* Fuzzing: everything that a reader does with a trace. See fuzz.h.
 *
 * Goes through src/trace alone. Records are read up to CALLS_MOST: a small block may hold millions, and each takes the same
 * way.
 */
#include "fuzz.h"

#include "trace/cursor.h"
#include "trace/objects.h"
#include "trace/summary.h"
#include "trace/tree.h"

#include <stdlib.h>
#include <string.h>

enum { CALLS_MOST = 20000 };

static void touch_text(struct text text)
{
	if (text.bytes)
		touch(text.bytes, text.length);
}

static void read_file_of(struct names *names, const struct trace_call *call,
			 const struct trace *trace)
{
	struct trace_file file;
	if (!names_file(names, &trace->tables, call->function, &call->record, &file))
		return;
	touch_text(file.given);
	touch_text(file.absolute);
}

/* What a call's words stand for, each by its kind. */
static void read_words(struct names *names, const struct trace_call *call,
		       const struct trace *trace)
{
	for (uint32_t i = 0; i < call->function->field_count; i++) {
		const struct table_field *field = &call->function->fields[i];
		if (field->word < 0 || (uint32_t)field->word >= call->record.words)
			continue;
		uint64_t word = call->record.word[field->word];
		struct trace_file file;
		switch ((int)trace->tables.kinds[field->kind].style) {
		case STYLE_NAME:
		case STYLE_STRING:
			touch_text(names_given(names, (uint32_t)word));
			touch_text(names_absolute(names, (uint32_t)word));
			if (names_file_of_name(names, (uint32_t)word, &file))
				touch_text(file.absolute);
			break;
		case STYLE_FD:
		case STYLE_DIRFD:
		case STYLE_HANDLE:
			word = pair_handle(word) ? pair_handle(word) : word;
			if (names_file_of_handle(names, (uint32_t)word, &file))
				touch_text(file.absolute);
			break;
		default:
			break;
		}
	}
}

static void read_calls(struct trace *trace, const struct trace_filter *filter,
		       enum cursor_order order)
{
	struct cursor *cursor;
	struct trace_call *call;
	if (cursor_open(trace, filter, order, &cursor, NULL) != STATUS_OK)
		return;
	for (int i = 0; i < CALLS_MOST && cursor_next(cursor, &call, NULL) == STATUS_OK; i++) {
		touch(&call->record.entry, sizeof call->record.entry);
		touch(call->record.word, call->record.words * sizeof *call->record.word);
		if (call->late_word >= 0)
			touch_text(call->late);
		if (!call->function)
			continue;
		read_words(call->names, call, trace);
		read_file_of(call->names, call, trace);
	}
	cursor_close(cursor);
}

/* One stream, and of it what begins in the second half of the time. */
static void read_some(struct trace *trace)
{
	if (!trace->stream_count)
		return;
	const struct trace_stream *stream = &trace->streams[trace->stream_count - 1];
	const struct block_header *header = &trace->blocks[stream->first].header;
	uint8_t *functions = calloc(TRACE_FUNCTIONS, 1);
	if (!functions)
		return;
	struct trace_filter filter = {
		.one_process = true,
		.process = stream->process,
		.one_thread = true,
		.thread = stream->thread,
		.from_ns = ticks_ns(header->first_tick / 2 + header->last_tick / 2,
				    header->resolution),
		.to_ns = INT64_MAX,
		.functions = functions,
	};
	memset(functions + TRACE_FUNCTIONS / 2, 1, TRACE_FUNCTIONS / 2);
	if (header->summaries)
		functions[block_summary_at(trace->blocks[stream->first].bytes, header, 0)
				  .function] = 1;
	read_calls(trace, &filter, ORDER_TIME);
	free(functions);
}

static void read_processes(struct trace *trace)
{
	for (size_t i = 0; i < trace->process_count; i++) {
		const struct trace_process *process =
			trace_process(trace, trace->processes[i].number);
		const char *value = process ? process_value(process, "exe") : NULL;
		if (!process)
			abort();
		if (value)
			touch(value, strlen(value));
	}
	size_t at = 0;
	for (const char *value;
	     (value = strings_value(trace->description, trace->description_length, "varve", &at));)
		touch(value, strlen(value));
}

static void read_summary(struct trace *trace)
{
	struct summary summary;
	if (summary_make(trace, true, &summary, NULL) == STATUS_OK)
		summary_clear(&summary);
}

static void read_tree(struct trace *trace)
{
	struct tree tree;
	struct trace_objects objects;
	if (tree_make(trace, true, &tree, NULL) == STATUS_OK)
		tree_clear(&tree);
	if (trace_objects_find(trace, &objects, NULL) == STATUS_OK)
		trace_objects_clear(&objects);
}

void read_trace(const char *path, unsigned flags, enum read_what what)
{
	struct trace *trace;
	struct trace_filter all = TRACE_FILTER_ALL;
	if (trace_open(path, flags, &trace, NULL) != STATUS_OK)
		return;
	switch (what) {
	case READ_BY_TIME:
		read_calls(trace, &all, ORDER_TIME);
		break;
	case READ_BY_STREAM:
		read_calls(trace, &all, ORDER_STREAM);
		read_processes(trace);
		break;
	case READ_SUMS:
		read_some(trace);
		read_summary(trace);
		break;
	case READ_TREE:
		read_tree(trace);
		break;
	case READ_NOTHING:
		break;
	}
	for (size_t i = 0; i < trace->damage_count; i++)
		touch(trace->damage[i].why, strlen(trace->damage[i].why));
	trace_close(trace);
}
