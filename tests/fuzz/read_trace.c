/* Fuzzing: everything that a reader does with a trace. See fuzz.h.
 *
 * Uses only the public library. Records are read up to CALLS_MOST: a small block may contain millions, which are all handled in the
 * same way. */
#include "fuzz.h"

#include "trace/trace.h"

#include <varve/varve.h>

#include <stdlib.h>
#include <string.h>

enum { CALLS_MOST = 20000 };

static void touch_text(struct varve_text text)
{
	if (text.bytes)
		touch(text.bytes, text.length);
}

static void read_call(const struct varve_call *call)
{
	struct varve_file file;
	struct varve_argument argument;
	uint64_t size;
	int64_t offset;
	int32_t fd;
	touch(call->words, call->word_count * sizeof *call->words);
	for (size_t i = 0; call->function && i < call->function->field_count; i++) {
		if (!varve_call_argument(call, i, &argument))
			continue;
		touch_text(argument.text);
		touch_text(argument.absolute);
	}
	if (varve_call_file(call, &file)) {
		touch_text(file.given);
		touch_text(file.absolute);
	}
	touch(&(bool[]){varve_call_size(call, &size), varve_call_offset(call, &offset),
			varve_call_fd(call, &fd)},
	      3);
}

static void read_calls(struct varve_trace *trace, const struct varve_query *query)
{
	struct varve_cursor *cursor;
	const struct varve_call *call;
	uint64_t done, all;
	if (varve_cursor_open(trace, query, &cursor, NULL) != VARVE_OK)
		return;
	for (int i = 0; i < CALLS_MOST && varve_cursor_next(cursor, &call, NULL) == VARVE_OK; i++)
		read_call(call);
	varve_cursor_progress(cursor, &done, &all);
	if (done > all)
		abort();
	varve_cursor_close(cursor);
}

static void read_batches(struct varve_trace *trace, const struct varve_query *query)
{
	struct varve_cursor *cursor;
	const struct varve_batch *batch;
	if (varve_cursor_open(trace, query, &cursor, NULL) != VARVE_OK)
		return;
	for (size_t i = 0; i < CALLS_MOST && varve_cursor_batch(cursor, &batch, NULL) == VARVE_OK;
	     i += batch->count) {
		touch(batch->start, batch->count * sizeof *batch->start);
		for (size_t k = 0; k < batch->count; k++) {
			touch(batch->words + batch->word_at[k],
			      batch->word_count[k] * sizeof *batch->words);
			if (batch->stream[k] >= varve_stream_count(trace) ||
			    (batch->file[k] != VARVE_NO_FILE &&
			     batch->file[k] >= batch->file_count))
				abort();
		}
		for (size_t k = 0; k < batch->file_count; k++) {
			touch_text(batch->files[k].given);
			touch_text(batch->files[k].absolute);
		}
	}
	varve_cursor_close(cursor);
}

/* Filters that use everything in a record. */
static const char *const filters[] = {
	"failed or size > 100 and not path ~ \"x\"",
	"depth > 0 and has parent.function or duration >= 1us",
	"absolute like \"/*\" or fd in 0:2 or offset < 0 or unfinished",
	"time < 1s and errno == ENOENT or host == \"a\" or program endswith \"b\"",
};

/* The second half of the last stream, and the records that a filter selects. */
static void read_some(struct varve_trace *trace)
{
	struct varve_query query = VARVE_QUERY_ALL;
	struct varve_filter *filter;
	size_t streams = varve_stream_count(trace);
	if (!streams)
		return;
	const struct varve_stream *stream = varve_stream_at(trace, streams - 1);
	query.process = stream->process;
	query.thread = stream->thread;
	query.from_ns = stream->first_ns / 2 + stream->last_ns / 2;
	read_batches(trace, &query);
	const char *text =
		filters[(stream->records + streams) % (sizeof filters / sizeof *filters)];
	if (varve_filter_make(trace, text, &filter, NULL, NULL) != VARVE_OK)
		return;
	struct varve_query chosen = VARVE_QUERY_ALL;
	chosen.filter = filter;
	read_batches(trace, &chosen);
	varve_filter_free(filter);
}

static void read_processes(const struct varve_trace *trace)
{
	for (size_t i = 0; i < varve_process_count(trace); i++) {
		const struct varve_process *process = varve_process_at(trace, i);
		const char *value = varve_process_value(process, "exe", 0);
		if (varve_process_find(trace, process->number) != process)
			abort();
		if (value)
			touch(value, strlen(value));
	}
	for (size_t i = 0; i < varve_description_count(trace); i++) {
		struct varve_text key, value;
		varve_description_at(trace, i, &key, &value);
		touch_text(key);
		touch_text(value);
	}
}

static void read_sums(struct varve_trace *trace)
{
	struct varve_summary summary;
	struct varve_files files;
	struct varve_file_totals totals;
	struct varve_region_totals regions;
	if (varve_summary_make(trace, NULL, VARVE_SUMMARY_PATHS, &summary, NULL) == VARVE_OK)
		varve_summary_clear(&summary);
	if (varve_file_totals_make(trace, NULL, &totals, NULL) == VARVE_OK)
		varve_file_totals_clear(&totals);
	if (varve_region_totals_make(trace, NULL, &regions, NULL) == VARVE_OK)
		varve_region_totals_clear(&regions);
	if (varve_files_make(trace, &files, NULL) == VARVE_OK)
		varve_files_clear(&files);
}

/* All records are encoded again: a block that declares millions of them would take too long. */
static void read_codecs(struct varve_trace *trace)
{
	struct varve_codecs codecs;
	uint64_t records = 0;
	for (size_t i = 0; i < trace->block_count; i++)
		records += trace->blocks[i].header.records;
	if (records <= CALLS_MOST && varve_codecs_make(trace, VARVE_WINDOW_USUAL, VARVE_CODECS_ALL,
						       &codecs, NULL) == VARVE_OK)
		touch(&codecs, sizeof codecs);
}

static void read_definitions(struct varve_trace *trace)
{
	struct varve_definitions *definitions;
	const struct varve_definition *definition;
	if (varve_definitions_open(trace, 0, 0, &definitions, NULL) != VARVE_OK)
		return;
	while (varve_definitions_next(definitions, &definition, NULL) == VARVE_OK)
		touch_text(definition->text);
	varve_definitions_close(definitions);
}

static void read_tree(struct varve_trace *trace)
{
	struct varve_tree tree;
	struct varve_objects objects;
	if (varve_tree_make(trace, true, &tree, NULL) == VARVE_OK)
		varve_tree_clear(&tree);
	if (varve_objects_find(trace, &objects, NULL) == VARVE_OK)
		varve_objects_clear(&objects);
}

void read_trace(const char *path, unsigned flags, enum read_what what)
{
	struct varve_trace *trace;
	struct varve_query query = VARVE_QUERY_ALL;
	if (varve_open(path, flags, &trace, NULL) != VARVE_OK)
		return;
	switch (what) {
	case READ_BY_TIME:
		read_calls(trace, &query);
		break;
	case READ_BY_STREAM:
		query.order = VARVE_ORDER_STREAM;
		read_calls(trace, &query);
		read_processes(trace);
		break;
	case READ_SUMS:
		read_some(trace);
		read_sums(trace);
		read_codecs(trace);
		break;
	case READ_TREE:
		read_tree(trace);
		read_definitions(trace);
		break;
	case READ_NOTHING:
		break;
	}
	for (size_t i = 0; i < varve_damage_count(trace); i++)
		touch(varve_damage_at(trace, i)->why, strlen(varve_damage_at(trace, i)->why));
	varve_close(trace);
}
