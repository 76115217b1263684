/* Trace: the cursor: streams one after the other, or merged by entry time with a heap. See cursor.h.
 *
 * A block is decoded when the merge reaches the time at which the block begins, and closed after its last record. So
 * memory depends on the number of threads that are active at the same time, plus a page for each stream that has started
 * and not ended.
 */
#include "trace/cursor/cursor_inside.h"

#include "trace/filter/filter.h"

#include <stdlib.h>

static bool waits_before(const struct waiting *a, const struct waiting *b)
{
	return a->ns != b->ns ? a->ns < b->ns : a->stream < b->stream;
}

static void sink_down(struct varve_cursor *cursor, size_t at)
{
	struct waiting *heap = cursor->heap;
	struct waiting moved = heap[at];
	for (;;) {
		size_t child = at * 2 + 1;
		if (child >= cursor->heap_count)
			break;
		if (child + 1 < cursor->heap_count && waits_before(&heap[child + 1], &heap[child]))
			child++;
		if (!waits_before(&heap[child], &moved))
			break;
		heap[at] = heap[child];
		at = child;
	}
	heap[at] = moved;
}

static bool stream_wanted(const struct varve_cursor *cursor, size_t at)
{
	const struct varve_stream *where = &cursor->trace->streams[at];
	const struct trace_filter *filter = &cursor->filter;
	return !(filter->process && where->process != filter->process) &&
	       !(filter->thread && where->thread != filter->thread);
}

static void drop_stream(struct varve_cursor *cursor, size_t at)
{
	if (cursor->streams[at]) {
		cursor->finished += cursor->trace->streams[at].records;
		cursor->opened += cursor->streams[at]->opened;
		stream_stop(cursor->streams[at]);
		free(cursor->streams[at]);
		cursor->streams[at] = NULL;
	}
}

/* For functions that were not requested, only the words that names need are decoded. */
static enum varve_status choose_words(struct varve_cursor *cursor, struct varve_causes *causes)
{
	const struct varve_trace *trace = cursor->trace;
	const uint8_t *functions = cursor->filter.functions;
	if (!functions || cursor->filter.where || cursor->some ||
	    (cursor->want & (PAGE_FILES | PAGE_REGIONS)))
		return VARVE_OK;
	cursor->some = calloc(trace->id_count + 1, sizeof *cursor->some);
	if (!cursor->some)
		return cause(causes, VARVE_NO_MEMORY, "no memory for a cursor");
	for (size_t id = 0; id < trace->id_count; id++)
		cursor->some[id] = functions[id] || trace_makes(trace, (uint16_t)id)
					   ? WANT_WORDS_OF | WANT_OUTCOME
					   : trace->file_words[id];
	return VARVE_OK;
}

/* Creates the stream and starts it at `block`, unless it exists. */
static enum varve_status get_stream(struct varve_cursor *cursor, size_t at, size_t block,
				    struct varve_causes *causes)
{
	if (cursor->streams[at])
		return VARVE_OK;
	TRY(choose_words(cursor, causes));
	cursor->streams[at] = malloc(sizeof *cursor->streams[at]);
	if (!cursor->streams[at])
		return cause(causes, VARVE_NO_MEMORY, "no memory for a stream");
	stream_start(cursor->streams[at], cursor->trace, &cursor->trace->streams[at],
		     &cursor->filter, cursor->want,
		     !cursor->batch && (cursor->want & WANT_DEFINITIONS));
	cursor->streams[at]->some = cursor->some;
	stream_skip(cursor->streams[at], block);
	return VARVE_OK;
}

/* What must be decoded for these columns and the filter. */
static unsigned columns_wanted(const struct trace_filter *filter, enum varve_order order,
			       unsigned columns)
{
	unsigned want = 0;
	bool timed = filter->from_ns != INT64_MIN || filter->to_ns != INT64_MAX;
	if ((columns & VARVE_TIMES) || order == VARVE_ORDER_TIME || timed)
		want |= WANT_TIMES;
	if (columns & (VARVE_RESULTS | VARVE_SIZES))
		want |= WANT_RESULTS;
	if (columns & (VARVE_ARGUMENTS | VARVE_SIZES))
		want |= WANT_WORDS;
	if (filter->where)
		want |= filter_wants(filter->where);
	if (want & (WANT_WORDS | PAGE_FILES))
		want |= WANT_WORDS | WANT_DEFINITIONS | WANT_RESULTS;
	return want;
}

enum varve_status cursor_open(struct varve_trace *trace, const struct trace_filter *filter,
			      enum varve_order order, unsigned columns,
			      struct varve_cursor **result, struct varve_causes *causes)
{
	struct varve_cursor *cursor = calloc(1, sizeof *cursor);
	*result = cursor;
	if (!cursor)
		return cause(causes, VARVE_NO_MEMORY, "no memory for a cursor");
	*cursor = (struct varve_cursor){.trace = trace,
					.filter = *filter,
					.order = order,
					.columns = columns,
					.want = columns_wanted(filter, order, columns)};
	cursor->streams = calloc(trace->stream_count + 1, sizeof *cursor->streams);
	cursor->heap = calloc(trace->stream_count + 1, sizeof *cursor->heap);
	if (!cursor->streams || !cursor->heap) {
		cursor_close(cursor);
		*result = NULL;
		return cause(causes, VARVE_NO_MEMORY, "no memory for %zu streams",
			     trace->stream_count);
	}
	for (size_t i = 0; order == VARVE_ORDER_TIME && i < trace->stream_count; i++) {
		struct stream probe;
		int64_t ns;
		if (!stream_wanted(cursor, i))
			continue;
		stream_start(&probe, trace, &trace->streams[i], &cursor->filter, 0, false);
		if (stream_horizon(&probe, &ns))
			cursor->heap[cursor->heap_count++] =
				(struct waiting){ns, i, probe.next_block - 1, false};
		else
			cursor->finished += trace->streams[i].records;
	}
	for (size_t i = cursor->heap_count / 2; i-- > 0;)
		sink_down(cursor, i);
	return VARVE_OK;
}

/* The entry time of the current row of a stream. */
static int64_t row_ns(const struct stream *stream)
{
	return ticks_ns(stream->page->entry[stream->selected[stream->at]],
			stream->block->header.resolution);
}

/* Moves the stream at the top of the heap to its next row, or removes it from the heap. */
static enum varve_status advance_top(struct varve_cursor *cursor, struct varve_causes *causes)
{
	struct waiting *top = &cursor->heap[0];
	TRY(get_stream(cursor, top->stream, top->block, causes));
	struct stream *stream = cursor->streams[top->stream];
	enum varve_status status = VARVE_OK;
	stream->at += top->ready;
	if (top->ready && stream_between(stream)) {
		stream_rest(stream);
		top->ready = false;
		status = stream_horizon(stream, &top->ns) ? VARVE_OK : VARVE_END;
	} else if (stream->at >= stream->selected_count) {
		status = stream_next(stream, causes);
		top->ready = true;
	}
	if (status == VARVE_OK) {
		if (top->ready)
			top->ns = row_ns(stream);
	} else if (status == VARVE_END) {
		drop_stream(cursor, top->stream);
		*top = cursor->heap[--cursor->heap_count];
	} else {
		return status;
	}
	if (cursor->heap_count)
		sink_down(cursor, 0);
	return VARVE_OK;
}

static enum varve_status next_by_time(struct varve_cursor *cursor, struct stream **stream,
				      struct varve_causes *causes)
{
	if (cursor->holding) {
		cursor->holding = false;
		TRY(advance_top(cursor, causes));
	}
	while (cursor->heap_count && !cursor->heap[0].ready)
		TRY(advance_top(cursor, causes));
	if (!cursor->heap_count)
		return VARVE_END;
	cursor->holding = true;
	*stream = cursor->streams[cursor->heap[0].stream];
	return VARVE_OK;
}

static enum varve_status next_by_stream(struct varve_cursor *cursor, struct stream **stream,
					struct varve_causes *causes)
{
	for (; cursor->current < cursor->trace->stream_count; cursor->current++) {
		if (!stream_wanted(cursor, cursor->current))
			continue;
		TRY(get_stream(cursor, cursor->current, 0, causes));
		*stream = cursor->streams[cursor->current];
		(*stream)->at += cursor->holding;
		cursor->holding = false;
		enum varve_status status = stream_next(*stream, causes);
		cursor->holding = status == VARVE_OK;
		if (status != VARVE_END)
			return status;
		drop_stream(cursor, cursor->current);
	}
	return VARVE_END;
}

enum varve_status cursor_step(struct varve_cursor *cursor, struct stream **stream,
			      struct varve_causes *causes)
{
	if (cursor->failed)
		return cause(causes, cursor->failed, "this cursor has failed before");
	enum varve_status status = cursor->order == VARVE_ORDER_TIME
					   ? next_by_time(cursor, stream, causes)
					   : next_by_stream(cursor, stream, causes);
	if (status != VARVE_END)
		cursor->failed = status;
	return status;
}

enum varve_status cursor_next(struct varve_cursor *cursor, const struct varve_call **result,
			      struct varve_causes *causes)
{
	struct stream *stream = NULL;
	if (cursor->batch)
		return cause(causes, VARVE_USAGE, "this cursor is already read in batches");
	cursor->by_calls = true;
	TRY(cursor_step(cursor, &stream, causes));
	const struct page *page = stream->page;
	size_t row = stream->selected[stream->at];
	uint32_t resolution = stream->block->header.resolution;
	struct varve_call *call = &cursor->call;
	*call = (struct varve_call){.stream = stream->where,
				    .function = trace_function(cursor->trace, page->function[row]),
				    .function_id = page->function[row],
				    .depth = page->depth[row],
				    .marks = page->marks[row],
				    .ordinal = page->ordinal[row],
				    .cursor = stream,
				    .place = row};
	if (cursor->want & WANT_TIMES) {
		call->start = ticks_ns(page->entry[row], resolution);
		call->end = ticks_ns(page->exit[row], resolution);
	}
	if (cursor->want & WANT_RESULTS) {
		call->result = page->result[row];
		call->error = page->error[row];
	}
	if (cursor->want & WANT_WORDS) {
		call->word_count = page->word_count[row];
		call->words = page->words + page->word_at[row];
	}
	*result = call;
	return VARVE_OK;
}

void cursor_progress(const struct varve_cursor *cursor, uint64_t *done, uint64_t *all)
{
	*done = cursor->finished;
	*all = 0;
	for (size_t i = 0; i < cursor->trace->stream_count; i++) {
		const struct varve_stream *where = &cursor->trace->streams[i];
		const struct stream *stream = cursor->streams[i];
		if (!stream_wanted(cursor, i))
			continue;
		*all += where->records;
		if (stream)
			*done += stream->passed;
	}
}

uint64_t cursor_opened(const struct varve_cursor *cursor)
{
	uint64_t opened = cursor->opened;
	for (size_t i = 0; i < cursor->trace->stream_count; i++)
		opened += cursor->streams[i] ? cursor->streams[i]->opened : 0;
	return opened;
}

void cursor_close(struct varve_cursor *cursor)
{
	if (!cursor)
		return;
	for (size_t i = 0; cursor->streams && i < cursor->trace->stream_count; i++)
		drop_stream(cursor, i);
	cursor_batch_free(cursor->batch);
	free(cursor->streams);
	free(cursor->heap);
	free(cursor->some);
	free(cursor);
}

struct names *names_of_call(const struct varve_call *call)
{
	struct stream *stream = call->cursor;
	return stream->following && stream_follow(stream, (size_t)call->place, NULL) == VARVE_OK
		       ? &stream->names
		       : NULL;
}

struct named_record call_named(const struct varve_call *call)
{
	return stream_named(call->cursor, (size_t)call->place);
}

bool call_knows(const struct varve_call *call, unsigned want)
{
	return (((const struct stream *)call->cursor)->want & want) == want;
}

const struct trace_block *block_of_call(const struct varve_call *call)
{
	return ((const struct stream *)call->cursor)->block;
}

const struct varve_trace *call_trace(const struct varve_call *call)
{
	return ((const struct stream *)call->cursor)->trace;
}
