/* Slice: the streams of several sources, in order. See pieces.h. */
#include "slice/pieces.h"

#include "trace/cursor/stream.h"

#include <inttypes.h>
#include <stdlib.h>

/* Extends the range of a piece by the calls of a page, except halves of calls that began before. Returns whether there are any. */
static bool take_calls(struct piece *piece, const struct page *page)
{
	bool any = false;
	for (size_t row = 0; row < page->count; row++) {
		if (page->stored[row] & VARVE_CONTINUED)
			continue;
		uint64_t ordinal = page->ordinal[row];
		if (!piece->numbered || ordinal < piece->first)
			piece->first = ordinal;
		if (!piece->numbered || ordinal > piece->last)
			piece->last = ordinal;
		piece->numbered = any = true;
	}
	return any;
}

/* Extends the range of a piece by the calls of one block; without `only`, by the first calls that are found from this block on. */
static enum varve_status find_calls(struct varve_trace *trace, struct piece *piece, size_t block,
				    bool only, bool *found, struct varve_causes *causes)
{
	const struct trace_filter filter = {.from_ns = INT64_MIN, .to_ns = INT64_MAX};
	const struct trace_block *begin = &trace->blocks[piece->stream->first + block];
	struct stream stream;
	enum varve_status status = VARVE_OK;
	*found = false;
	stream_start(&stream, trace, piece->stream, &filter, 0, false);
	stream_skip(&stream, block);
	while (status == VARVE_OK && (only || !*found)) {
		status = stream_page(&stream, causes);
		if (status != VARVE_OK || (only && stream.block != begin))
			break;
		*found |= take_calls(piece, stream.page);
		stream.at = stream.selected_count;
	}
	stream_stop(&stream);
	return status == VARVE_END ? VARVE_OK : status;
}

/* Finds the numbers of the first and the last call of a piece, from its first and its last block with calls. */
static enum varve_status number_piece(struct varve_trace *trace, struct piece *piece,
				      struct varve_causes *causes)
{
	bool found;
	TRY(find_calls(trace, piece, 0, false, &found, causes));
	if (!found)
		return VARVE_OK;
	found = false;
	for (size_t block = piece->stream->count; !found && block-- > 0;)
		TRY(find_calls(trace, piece, block, true, &found, causes));
	return VARVE_OK;
}

#define COMPARE(a, b)                                                                              \
	do {                                                                                       \
		if ((a) != (b))                                                                    \
			return (a) < (b) ? -1 : 1;                                                 \
	} while (0)

static int compare_pieces(const void *left, const void *right)
{
	const struct piece *a = left, *b = right;
	COMPARE(a->node->number, b->node->number);
	COMPARE(a->stream->process, b->stream->process);
	COMPARE(a->stream->thread, b->stream->thread);
	COMPARE(a->first, b->first);
	COMPARE(a->last, b->last);
	COMPARE(a->source, b->source);
	return 0;
}

static bool same_stream(const struct piece *a, const struct piece *b)
{
	return a->node->number == b->node->number && a->stream->process == b->stream->process &&
	       a->stream->thread == b->stream->thread;
}

/* No call of one piece may be between calls of another piece of the same stream. */
static enum varve_status pieces_in_order(const struct slice_request *request,
					 const struct pieces *pieces, struct varve_causes *causes)
{
	const struct piece *before = NULL;
	for (size_t i = 0; i < pieces->count; i++) {
		const struct piece *piece = &pieces->list[i];
		if (!piece->numbered)
			continue;
		if (before && same_stream(before, piece) && piece->first <= before->last)
			return cause(causes, VARVE_USAGE,
				     "%s and %s overlap in time: both hold calls of process %u, "
				     "thread %u between number %" PRIu64 " and %" PRIu64
				     "; slice them so that one ends (--to) where the other begins "
				     "(--from)",
				     request->sources[before->source].trace->path,
				     request->sources[piece->source].trace->path,
				     piece->stream->process, piece->stream->thread, piece->first,
				     before->last);
		before = piece;
	}
	return VARVE_OK;
}

enum varve_status pieces_make(const struct slice_request *request, size_t group,
			      struct pieces *pieces, struct varve_causes *causes)
{
	size_t count = 0, sources = 0;
	for (size_t i = 0; i < request->count; i++)
		if (request->sources[i].group == group) {
			count += request->sources[i].trace->stream_count;
			sources++;
		}
	*pieces = (struct pieces){.list = calloc(count + 1, sizeof *pieces->list)};
	if (!pieces->list)
		return cause(causes, VARVE_NO_MEMORY, "no memory for %zu streams", count);
	for (size_t i = 0; i < request->count; i++) {
		struct varve_trace *trace = request->sources[i].trace;
		for (size_t k = 0; request->sources[i].group == group && k < trace->stream_count;
		     k++) {
			const struct varve_stream *stream = &trace->streams[k];
			struct piece *piece = &pieces->list[pieces->count++];
			*piece = (struct piece){
				.source = i,
				.stream = stream,
				.node = &trace->nodes[trace->blocks[stream->first].node]};
			if (sources > 1)
				TRY(number_piece(trace, piece, causes));
		}
	}
	qsort(pieces->list, pieces->count, sizeof *pieces->list, compare_pieces);
	return pieces_in_order(request, pieces, causes);
}

void pieces_clear(struct pieces *pieces)
{
	free(pieces->list);
	*pieces = (struct pieces){0};
}
