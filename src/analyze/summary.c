/* Analyze: sums over block headers. See summary.h.
 *
 * A filter is evaluated for each summary row of a block. If it selects all calls of a row, the row is added as it is; the
 * records are decoded only if that is not certain. A call that a block boundary cuts is counted in two blocks, so both are
 * decoded too, unless the filter uses only values that are the same in all halves. Memory: one row per function, one hash
 * per path.
 */
#include "analyze/summary.h"

#include "base/hash.h"
#include "base/host/known.h"
#include "codec/host/decode.h"
#include "trace/cursor/cursor.h"
#include "trace/cursor/halves.h"
#include "trace/definitions.h"
#include "trace/filter/filter.h"
#include "trace/names/names.h"
#include "trace/packed/packed.h"
#include "trace/trace_inside.h"

#include <stdlib.h>
#include <string.h>

/* Counts each path once; only its hash is stored. */
static enum varve_status path_add(struct known *paths, struct varve_text path,
				  struct varve_causes *causes)
{
	uint64_t hash = hash64(path.bytes, path.length, 0);
	size_t room = known_wanted(paths);
	if (room)
		TRY(known_grow(paths, room, causes));
	size_t at = known_first(paths, hash);
	if (!known_is(paths, at))
		known_put(paths, at, hash);
	return VARVE_OK;
}

static enum varve_status count_paths(struct varve_trace *trace, struct trace_block *block,
				     struct names *names, struct known *paths,
				     struct varve_causes *causes)
{
	struct definitions definitions;
	enum varve_status status = block_names(trace, block, &definitions, names, causes);
	for (size_t i = 0; status == VARVE_OK && i < definitions.count; i++) {
		if (definitions.list[i].type != DEFINE_NAME || definitions.list[i].late)
			continue;
		struct varve_text path = names_absolute(names, definitions.list[i].id);
		if (path.bytes && path.length && path.bytes[0] == '/')
			status = path_add(paths, path, causes);
	}
	definitions_clear(&definitions);
	return status;
}

/* State while a summary is made. */
struct making {
	struct varve_trace *trace;
	const struct varve_filter *where;
	struct varve_summary *summary;
	uint32_t held_layer;
	bool steady;
	bool spanned; /* first_ns and last_ns are set */
};

/* Whether a summary row can be added or skipped without decoding its records. `steady`: the filter gives the same result
 * for the halves of its calls in other blocks. */
static bool call_is_decided(const struct varve_filter *where, bool steady, bool continued,
			    const struct trace_block *block, const struct block_summary *row,
			    bool *wanted)
{
	*wanted = true;
	if (!where)
		return true;
	enum filter_verdict verdict = filter_function(where, block, row, continued);
	*wanted = verdict == FILTER_ALL;
	return verdict != FILTER_SOME && (steady || (!row->unfinished && !continued));
}

static bool block_is_needless(const struct trace_filter *filter, const struct trace_block *block)
{
	const struct block_header *header = &block->header;
	bool wanted, all = block_summarized(header) && header->summaries;
	bool continued = block_continued(block->bytes, header) != 0;
	for (uint32_t i = 0; all && i < header->summaries; i++) {
		struct block_summary row = block_summary_at(block->bytes, header, i);
		all = call_is_decided(filter->where, filter->steady, continued, block, &row,
				      &wanted);
	}
	return all;
}

/* Whether the headers count every half of every call: no block is missing, and every block has its summary rows. */
static bool all_recorded(const struct varve_trace *trace)
{
	bool recorded = !trace->damage_count;
	for (size_t i = 0; recorded && i < trace->stream_count; i++) {
		const struct varve_stream *stream = &trace->streams[i];
		for (size_t k = 0; recorded && k < stream->count; k++) {
			const struct block_header *header =
				&trace->blocks[stream->first + k].header;
			recorded = block_summarized(header) && header->sequence == k + 1;
		}
	}
	return recorded;
}

/* Adds the time of records of layer varve, which is work of the recorder; a pause is not. */
static void add_held(struct making *making, uint16_t id, uint64_t ns)
{
	const struct varve_function *function = trace_function(making->trace, id);
	if (function && function->layer == making->held_layer && strcmp(function->name, "pause"))
		making->summary->held_ns += ns;
}

static void add_span(struct making *making, int64_t first, int64_t last)
{
	struct varve_summary *summary = making->summary;
	bool none = !making->spanned;
	making->spanned = true;
	summary->first_ns = none || first < summary->first_ns ? first : summary->first_ns;
	summary->last_ns = none || last > summary->last_ns ? last : summary->last_ns;
}

static void add_block(struct making *making, const struct trace_block *block)
{
	const struct block_header *header = &block->header;
	struct varve_summary *summary = making->summary;
	uint64_t before = summary->records;
	bool wanted, whole = making->where == NULL || block_summarized(header);
	bool continued = block_continued(block->bytes, header) != 0;
	for (uint32_t i = 0; whole && i < header->summaries; i++) {
		struct block_summary row = block_summary_at(block->bytes, header, i);
		if (!call_is_decided(making->where, making->steady, continued, block, &row,
				     &wanted) ||
		    !wanted)
			continue;
		struct varve_counters *sum = &summary->functions[row.function];
		uint64_t ns = row.ticks * header->resolution;
		sum->calls += row.calls;
		sum->failures += row.failures;
		/* A call that ends in a later block was counted here as unfinished; that block has -1 for it. */
		sum->unfinished += (uint64_t)(int64_t)(int32_t)row.unfinished;
		sum->bytes = bytes_sum(sum->bytes, row.bytes);
		sum->ns += ns;
		summary->records += row.calls;
		add_held(making, row.function, ns);
	}
	if (header->records && (!making->where || summary->records != before))
		add_span(making, ticks_ns(header->first_tick, header->resolution),
			 ticks_ns(header->last_tick, header->resolution));
	if (header->records) {
		summary->resolution = header->resolution;
		summary->tsc = header->clock_kind == CLOCK_KIND_TSC;
	}
	summary->blocks++;
	summary->block_bytes += header->length;
}

/* Counts one call that was decoded. */
static void summary_add_call(struct making *making, const struct varve_call *call)
{
	struct varve_summary *summary = making->summary;
	struct varve_counters *sum = &summary->functions[call->function_id];
	const struct varve_function *function = call->function;
	add_span(making, call->start, call->end);
	uint64_t ns = (uint64_t)call->end - (uint64_t)call->start;
	summary->records++;
	sum->calls++;
	sum->failures += !!(call->marks & VARVE_FAILED);
	sum->unfinished += !!(call->marks & VARVE_UNFINISHED);
	sum->ns += ns;
	add_held(making, call->function_id, ns);
	if (function) /* as headers do */
		sum->bytes = bytes_sum(sum->bytes,
				       record_bytes(function, (uint8_t)call->marks, call->result,
						    call->words, call->word_count));
}

/* Decodes the blocks whose summary rows do not decide, and counts the selected calls of those rows. */
static enum varve_status add_undecided(struct making *making, struct varve_causes *causes)
{
	struct trace_filter filter = TRACE_FILTER_ALL;
	filter.where = making->where;
	filter.needless = block_is_needless;
	filter.steady = making->steady;
	struct varve_cursor *cursor;
	const struct varve_call *call;
	const struct trace_block *block = NULL;
	uint8_t *added = calloc(VARVE_FUNCTIONS, 1);
	enum varve_status status = added ? VARVE_OK : cause(causes, VARVE_NO_MEMORY, "no memory");
	if (status == VARVE_OK)
		status =
			cursor_open(making->trace, &filter, VARVE_ORDER_STREAM,
				    VARVE_TIMES | VARVE_RESULTS | VARVE_ARGUMENTS, &cursor, causes);
	if (status != VARVE_OK) {
		free(added);
		return status;
	}
	while ((status = cursor_next(cursor, &call, causes)) == VARVE_OK) {
		const struct trace_block *here = block_of_call(call);
		if (here != block) {
			block = here;
			memset(added, 0, VARVE_FUNCTIONS);
			bool wanted, known = block_summarized(&block->header);
			bool continued = block_continued(block->bytes, &block->header) != 0;
			for (uint32_t i = 0; known && i < block->header.summaries; i++) {
				struct block_summary row =
					block_summary_at(block->bytes, &block->header, i);
				added[row.function] =
					call_is_decided(making->where, making->steady, continued,
							block, &row, &wanted);
			}
		}
		if (!added[call->function_id])
			summary_add_call(making, call);
	}
	making->summary->decoded = cursor_opened(cursor);
	cursor_close(cursor);
	free(added);
	return status == VARVE_END ? VARVE_OK : status;
}

/* Headers count a call in the block where it began. If that block is lost, the call is counted in the first block that has
 * a half of it. */
static void summary_add_lost(void *context, const struct varve_stream *stream, uint16_t function)
{
	struct making *making = context;
	(void)stream;
	making->summary->functions[function].calls++;
	/* the block with its end has -1 for it */
	making->summary->functions[function].unfinished++;
	making->summary->records++;
}

enum varve_status summary_make(struct varve_trace *trace, const struct varve_filter *where,
			       bool paths, struct varve_summary *summary,
			       struct varve_causes *causes)
{
	*summary = (struct varve_summary){
		.functions = calloc(VARVE_FUNCTIONS, sizeof *summary->functions)};
	if (!summary->functions)
		return cause(causes, VARVE_NO_MEMORY, "no memory for the counters");
	struct making making = {.trace = trace,
				.where = where,
				.summary = summary,
				.held_layer = UINT32_MAX,
				.steady = where && filter_steady(where) && all_recorded(trace)};
	for (uint32_t i = 0; i < trace->tables.layer_count; i++)
		if (!strcmp(trace->tables.layers[i], "varve"))
			making.held_layer = i;
	struct names names = {0};
	struct known seen = {0};
	uint64_t counted = 0;
	enum varve_status status = VARVE_OK;
	if (paths && packed_answer_paths(trace, &counted))
		paths = false;
	for (size_t i = 0; status == VARVE_OK && i < trace->block_count; i++) {
		struct trace_block *block = &trace->blocks[i];
		if (paths && !block->bad)
			status = count_paths(trace, block, &names, &seen, causes);
		if (!block->bad)
			add_block(&making, block);
		block_passed(trace, block);
	}
	if (status == VARVE_OK && where)
		status = add_undecided(&making, causes);
	if (status == VARVE_OK && !where)
		status = halves_lost(trace, summary_add_lost, &making, causes);
	/* The headers of a damaged trace may not add up. */
	for (size_t i = 0; i < trace->block_count; i++) {
		const struct trace_block *block = &trace->blocks[i];
		for (uint32_t k = 0; k < block->header.summaries; k++) {
			struct block_summary row =
				block_summary_at(block->bytes, &block->header, k);
			struct varve_counters *sum = &summary->functions[row.function];
			if ((int64_t)sum->unfinished < 0)
				sum->unfinished = 0;
		}
		block_passed(trace, block);
	}
	summary->paths = seen.count + counted;
	/* In the packed form, records have no bytes of their own. */
	if (trace->packed)
		summary->block_bytes = trace->size;
	names_clear(&names);
	known_clear(&seen);
	if (status != VARVE_OK)
		summary_clear(summary);
	return status;
}

void summary_clear(struct varve_summary *summary)
{
	free(summary->functions);
	summary->functions = NULL;
}
