/* Pack: reads a stream in two passes. See stream_packer.h. */
#include "pack/stream_packer.h"

#include "trace/definitions.h"
#include "trace/trace_inside.h"

#include <stdlib.h>
#include <string.h>

void packed_stream_clear(struct packed_stream *packed)
{
	for (size_t i = 0; i < PACKED_TRACKS; i++)
		track_clear(&packed->tracks[i]);
	free(packed->times);
	*packed = (struct packed_stream){0};
}

enum varve_status packer_event(struct stream_packer *packer, enum packed_track track,
			       const uint8_t *key, uint32_t length, const uint64_t *values,
			       uint32_t columns)
{
	uint32_t symbol;
	TRY(track_symbol(packer->tracks[track], key, length, columns, 0, &symbol, packer->causes));
	return packer->second ? track_put(packer->tracks[track], symbol, values, packer->causes)
			      : track_see(packer->tracks[track], symbol, packer->causes);
}

/* Begins a block. VARVE_DAMAGED: it cannot be read; it is in the list of damages. */
static enum varve_status packer_block_begin(struct stream_packer *packer, struct trace_block *block)
{
	if (block->bad)
		return VARVE_DAMAGED;
	TRY(block_definitions(packer->trace, block, &packer->definitions, packer->causes));
	packer->block = block;
	packer->ordinal = block->header.first_ordinal;
	return packer_names(packer);
}

static enum varve_status packer_block_end(struct stream_packer *packer)
{
	if (!packer->block)
		return VARVE_OK;
	enum varve_status status = packer_chunk(packer);
	definitions_clear(&packer->definitions);
	block_release(packer->trace, packer->block);
	packer->block = NULL;
	return status;
}

/* Packs a block without pages: only its definitions. */
static enum varve_status block_without_rows(struct stream_packer *packer, struct trace_block *block)
{
	enum varve_status status = packer_block_begin(packer, block);
	return status == VARVE_OK ? packer_block_end(packer)
				  : (status == VARVE_DAMAGED ? VARVE_OK : status);
}

static enum varve_status page_pack(struct stream_packer *packer, struct stream *stream)
{
	const struct page *page = stream->page;
	bool ghost[PAGE_ROWS];
	bool ghosts = stream->selected_count != page->count;
	if (packer->second)
		TRY(packer_totals(packer, stream));
	/* All records are selected, except those that belong to another block. */
	if (ghosts) {
		memset(ghost, true, page->count);
		for (size_t i = 0; i < stream->selected_count; i++)
			ghost[stream->selected[i]] = false;
	}
	stream->at = stream->selected_count;
	TRY(packer_times(packer, page, ghosts ? ghost : NULL));
	return packer_records(packer, page, ghosts ? ghost : NULL);
}

/* One pass over all blocks of the stream, in order. Blocks that the stream reader opens arrive with their pages; some of these
 * contain only halves of calls that began in an earlier block. */
static enum varve_status packer_pass(struct stream_packer *packer, struct stream *stream)
{
	struct trace_block *blocks = packer->trace->blocks + packer->where->first;
	struct trace_block *next = blocks;
	enum varve_status status;
	while ((status = stream_page(stream, packer->causes)) == VARVE_OK) {
		if (!stream->page->count)
			continue;
		if (packer->block != stream->block) {
			TRY(packer_block_end(packer));
			for (; next < stream->block; next++)
				TRY(block_without_rows(packer, next));
			next = stream->block + 1;
			TRY(packer_block_begin(packer, stream->block));
		}
		TRY(page_pack(packer, stream));
	}
	if (status != VARVE_END)
		return status;
	TRY(packer_block_end(packer));
	for (; next < blocks + packer->where->count; next++)
		TRY(block_without_rows(packer, next));
	return VARVE_OK;
}

static enum varve_status pass_over(struct stream_packer *packer)
{
	struct stream stream;
	struct trace_filter all = TRACE_FILTER_ALL;
	/* The shapes of events depend neither on times nor on words that are just numbers. */
	unsigned want = packer->second ? WANT_ALL | PAGE_FILES : WANT_ALL & ~(unsigned)WANT_TIMES;
	stream_start(&stream, packer->trace, packer->where, &all, want, false);
	stream.some = packer->second ? NULL : packer->some;
	enum varve_status status = packer_pass(packer, &stream);
	stream_stop(&stream);
	return status;
}

static bool is_table(size_t track)
{
	return track == PACKED_NAMES || track == PACKED_OTHER_NAMES || track == PACKED_HANDLES ||
	       track == PACKED_HISTOGRAMS || track == PACKED_FILES || track == PACKED_REGIONS;
}

static enum varve_status packer_start(struct stream_packer *packer)
{
	for (size_t i = 0; i < PACKED_TRACKS; i++)
		if (!is_table(i))
			TRY(track_start(&packer->tracks[i], packer->coder, FOLD_WINDOW,
					packer->causes));
	track_few(packer->tracks[PACKED_CHUNKS]);
	track_few(packer->tracks[PACKED_SUMMARIES]);
	packer->page_times = malloc(sizeof *packer->page_times);
	packer->known = calloc(ROWS_KNOWN, sizeof *packer->known);
	for (size_t i = 0; i < DEPENDS; i++)
		packer->version[i] = 1;
	for (size_t i = 0; i < 2; i++) {
		packer->cache[i] = calloc(SYMBOLS_CACHED, sizeof *packer->cache[i]);
		packer->events[i] = malloc(sizeof *packer->events[i]);
		if (!packer->cache[i] || !packer->events[i] || !packer->page_times ||
		    !packer->known)
			return cause(packer->causes, VARVE_NO_MEMORY, "no memory for a stream");
	}
	return packer_plans(packer);
}

/* Resets what was counted over the blocks; names and handles keep their numbers. */
static void packer_again(struct stream_packer *packer)
{
	packer->second = true;
	packer->coder->chunk = 0;
	packer->last_sequence = packer->next_ordinal = packer->ordinal = 0;
	packer->stream_tick = 0;
	packer_handles_again(packer);
}

static enum varve_status packer_run(struct stream_packer *packer, struct packed_stream *packed)
{
	TRY(packer_start(packer));
	TRY(pass_over(packer));
	for (size_t i = 0; i < PACKED_TRACKS; i++)
		if (!is_table(i))
			TRY(track_fold(packer->tracks[i], packer->causes));
	packer_again(packer);
	if (packer->time == PACKED_TIME_HISTOGRAM)
		TRY(packer_histograms_start(packer));
	TRY(packer_totals_start(packer));
	TRY(pass_over(packer));
	/* The following is needed for the first chunk. */
	packer->coder->chunk = 0;
	for (size_t i = 0; i < PACKED_TRACKS; i++)
		if (!is_table(i))
			TRY(track_finish(packer->tracks[i], &packed->tracks[i], packer->causes));
	TRY(name_table_track(&packer->names[0], packer->coder, &packed->tracks[PACKED_NAMES],
			     packer->causes));
	TRY(name_table_track(&packer->names[1], packer->coder, &packed->tracks[PACKED_OTHER_NAMES],
			     packer->causes));
	TRY(packer_handles_track(packer, &packed->tracks[PACKED_HANDLES]));
	if (packer->time == PACKED_TIME_HISTOGRAM)
		TRY(packer_histograms_track(packer, &packed->tracks[PACKED_HISTOGRAMS]));
	/* No chunk needs the sums: they come after all other parts. */
	packer->coder->chunk = UINT64_MAX;
	TRY(packer_totals_tracks(packer, packed->tracks));
	for (size_t i = 0; i < PACKED_TRACKS; i++)
		track_settle(&packed->tracks[i]);
	packed->records = packer->records;
	packed->times = packer->parts;
	packed->time_count = packer->part_count;
	packer->parts = NULL;
	return VARVE_OK;
}

static void packer_clear(struct stream_packer *packer)
{
	for (size_t i = 0; i < PACKED_TRACKS; i++)
		track_drop(packer->tracks[i]);
	for (size_t i = 0; i < 2; i++) {
		free(packer->cache[i]);
		free(packer->events[i]);
		free(packer->histograms[i]);
		name_table_clear(&packer->names[i]);
	}
	definitions_clear(&packer->definitions);
	packer_totals_clear(packer);
	free(packer->page_times);
	free(packer->known);
	free(packer->plans);
	free(packer->some);
	free(packer->handles);
	free(packer->handle_slots);
	free(packer->locals);
	free(packer->late);
	free(packer->sums);
	free(packer->summed);
	free(packer->times);
	bytes_clear(&packer->times_long);
	free(packer->parts);
}

static size_t bad_blocks(const struct varve_trace *trace, const struct varve_stream *where)
{
	size_t bad = 0;
	for (size_t i = 0; i < where->count; i++)
		bad += trace->blocks[where->first + i].bad;
	return bad;
}

enum varve_status pack_stream(struct varve_trace *trace, const struct varve_stream *where,
			      enum packed_time time, struct values_coder *coder,
			      struct packed_stream *packed, struct varve_causes *causes)
{
	for (;;) {
		size_t bad = bad_blocks(trace, where);
		struct stream_packer packer = {.time = time,
					       .trace = trace,
					       .where = where,
					       .coder = coder,
					       .causes = causes};
		*packed = (struct packed_stream){.spool = coder->spool};
		enum varve_status status = packer_run(&packer, packed);
		packer_clear(&packer);
		if (status != VARVE_OK)
			packed_stream_clear(packed);
		/* If a block turned out to be damaged, the stream is packed again without it. */
		if (bad_blocks(trace, where) == bad)
			return status;
		packed_stream_clear(packed);
	}
}
