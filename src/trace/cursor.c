/* Trace: the cursor: streams one after the other, or merged by entry time with a heap. See cursor.h.
 *
 * A stream is decoded only when the merge reaches the time at which its next block begins, so that many short threads
 * cost no more memory than those that ran at the same time.
 */
#include "trace/cursor.h"

#include "trace/stream.h"

#include <stdlib.h>

struct waiting {
	int64_t ns;
	size_t stream;
	bool ready; /* the stream's call is at `ns`; else nothing of it comes before `ns` */
};

struct cursor {
	struct trace *trace;
	struct trace_filter filter;
	enum cursor_order order;
	struct stream **streams; /* NULL: not started, or done */
	size_t current;		 /* ORDER_STREAM */
	struct waiting *heap;
	size_t heap_count;
	bool holding; /* heap[0] was yielded and must move on */
};

static bool before(const struct waiting *a, const struct waiting *b)
{
	return a->ns != b->ns ? a->ns < b->ns : a->stream < b->stream;
}

static void sink_down(struct cursor *cursor, size_t at)
{
	struct waiting *heap = cursor->heap;
	struct waiting moved = heap[at];
	for (;;) {
		size_t child = at * 2 + 1;
		if (child >= cursor->heap_count)
			break;
		if (child + 1 < cursor->heap_count && before(&heap[child + 1], &heap[child]))
			child++;
		if (!before(&heap[child], &moved))
			break;
		heap[at] = heap[child];
		at = child;
	}
	heap[at] = moved;
}

static bool stream_wanted(const struct cursor *cursor, size_t at)
{
	const struct trace_stream *where = &cursor->trace->streams[at];
	const struct trace_filter *filter = &cursor->filter;
	return !(filter->one_process && where->process != filter->process) &&
	       !(filter->one_thread && where->thread != filter->thread);
}

static void drop_stream(struct cursor *cursor, size_t at)
{
	if (cursor->streams[at]) {
		stream_stop(cursor->streams[at]);
		free(cursor->streams[at]);
		cursor->streams[at] = NULL;
	}
}

/* The stream, started if it was not. */
static enum status get_stream(struct cursor *cursor, size_t at, struct varve_causes *causes)
{
	if (cursor->streams[at])
		return STATUS_OK;
	cursor->streams[at] = malloc(sizeof *cursor->streams[at]);
	if (!cursor->streams[at])
		return cause(causes, STATUS_NO_MEMORY, "no memory for a stream");
	stream_start(cursor->streams[at], cursor->trace, &cursor->trace->streams[at],
		     &cursor->filter);
	return STATUS_OK;
}

enum status cursor_open(struct trace *trace, const struct trace_filter *filter,
			enum cursor_order order, struct cursor **result,
			struct varve_causes *causes)
{
	struct cursor *cursor = calloc(1, sizeof *cursor);
	*result = cursor;
	if (!cursor)
		return cause(causes, STATUS_NO_MEMORY, "no memory for a cursor");
	*cursor = (struct cursor){.trace = trace, .filter = *filter, .order = order};
	cursor->streams = calloc(trace->stream_count + 1, sizeof *cursor->streams);
	cursor->heap = calloc(trace->stream_count + 1, sizeof *cursor->heap);
	if (!cursor->streams || !cursor->heap) {
		cursor_close(cursor);
		*result = NULL;
		return cause(causes, STATUS_NO_MEMORY, "no memory for %zu streams",
			     trace->stream_count);
	}
	for (size_t i = 0; order == ORDER_TIME && i < trace->stream_count; i++) {
		struct stream probe;
		int64_t ns;
		stream_start(&probe, trace, &trace->streams[i], &cursor->filter);
		if (stream_wanted(cursor, i) && stream_horizon(&probe, &ns))
			cursor->heap[cursor->heap_count++] = (struct waiting){ns, i, false};
	}
	for (size_t i = cursor->heap_count / 2; i-- > 0;)
		sink_down(cursor, i);
	return STATUS_OK;
}

/* Brings the stream at the top of the heap to its next call, or takes it off. */
static enum status advance_top(struct cursor *cursor, struct varve_causes *causes)
{
	struct waiting *top = &cursor->heap[0];
	TRY(get_stream(cursor, top->stream, causes));
	struct stream *stream = cursor->streams[top->stream];
	enum status status = stream_next(stream, causes);
	if (status == STATUS_OK) {
		top->ns = ticks_ns(stream->call.record.entry, stream->call.header->resolution);
		top->ready = true;
	} else if (status == STATUS_END) {
		drop_stream(cursor, top->stream);
		*top = cursor->heap[--cursor->heap_count];
	} else {
		return status;
	}
	if (cursor->heap_count)
		sink_down(cursor, 0);
	return STATUS_OK;
}

static enum status next_by_time(struct cursor *cursor, struct trace_call **call,
				struct varve_causes *causes)
{
	if (cursor->holding) {
		cursor->holding = false;
		TRY(advance_top(cursor, causes));
	}
	while (cursor->heap_count && !cursor->heap[0].ready)
		TRY(advance_top(cursor, causes));
	if (!cursor->heap_count)
		return STATUS_END;
	cursor->holding = true;
	*call = &cursor->streams[cursor->heap[0].stream]->call;
	return STATUS_OK;
}

static enum status next_by_stream(struct cursor *cursor, struct trace_call **call,
				  struct varve_causes *causes)
{
	for (; cursor->current < cursor->trace->stream_count; cursor->current++) {
		if (!stream_wanted(cursor, cursor->current))
			continue;
		TRY(get_stream(cursor, cursor->current, causes));
		enum status status = stream_next(cursor->streams[cursor->current], causes);
		if (status == STATUS_OK)
			*call = &cursor->streams[cursor->current]->call;
		if (status != STATUS_END)
			return status;
		drop_stream(cursor, cursor->current);
	}
	return STATUS_END;
}

enum status cursor_next(struct cursor *cursor, struct trace_call **call,
			struct varve_causes *causes)
{
	return cursor->order == ORDER_TIME ? next_by_time(cursor, call, causes)
					   : next_by_stream(cursor, call, causes);
}

void cursor_close(struct cursor *cursor)
{
	if (!cursor)
		return;
	for (size_t i = 0; cursor->streams && i < cursor->trace->stream_count; i++)
		drop_stream(cursor, i);
	free(cursor->streams);
	free(cursor->heap);
	free(cursor);
}
