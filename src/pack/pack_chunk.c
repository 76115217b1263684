/* Pack: times and sums of a block, and the chunk that it becomes. See stream_packer.h; times are stored as in a block. */
#include "pack/stream_packer.h"

#include "base/host/list.h"
#include "base/varint.h"

#include <stdlib.h>

enum { GAP_SHORT = 8, DURATION_SHORT = 31, TIME_LONG = 255 };

static enum varve_status times_no_memory(struct stream_packer *packer)
{
	return cause(packer->causes, VARVE_NO_MEMORY, "no memory for the times of a block");
}

/* The sums of a function; functions are listed in the order of their first call. */
static struct block_summary *summary_of(struct stream_packer *packer, uint16_t id)
{
	struct block_summary *summary = &packer->sums[id];
	if (UNLIKELY(!summary->calls)) {
		packer->summed[packer->summed_count++] = id;
		summary->function = id;
	}
	return summary;
}

static void row_sum(struct stream_packer *packer, const struct page *page, size_t row)
{
	uint16_t id = page->function[row];
	const struct varve_function *function = trace_function(packer->trace, id);
	struct block_summary *summary = summary_of(packer, id);
	uint8_t marks = page->marks[row];
	summary->calls++;
	summary->failures += !!(marks & VARVE_FAILED);
	summary->unfinished += !!(marks & VARVE_UNFINISHED);
	/* Calls that have not returned add no time, as in the summary of a block. */
	if (!(marks & VARVE_UNFINISHED))
		summary->ticks += (uint64_t)packer->page_times->duration[row];
	if (function)
		summary->bytes =
			bytes_sum(summary->bytes, record_bytes(function, marks, page->result[row],
							       page->words + page->word_at[row],
							       page->word_count[row]));
}

/* Adds up all rows except ghosts; the first pass only collects the functions. */
static void sum_rows(struct stream_packer *packer, const struct page *page, const bool *ghost)
{
	uint32_t last = UINT32_MAX;
	for (size_t row = 0; row < page->count; row++) {
		if (ghost && ghost[row])
			continue;
		if (packer->second)
			row_sum(packer, page, row);
		else if (page->function[row] != last)
			summary_of(packer, (uint16_t)(last = page->function[row]))->calls = 1;
	}
}

/* Stores ordinals that are not consecutive: those of a call that began before the block, and those after removed records; from
 * there on they are consecutive again. */
static enum varve_status odd_ordinals_put(struct stream_packer *packer, const struct page *page)
{
	uint64_t index = packer->calls + packer->runtime, next = packer->ordinal, broken = 0;
	for (size_t row = 0; row < page->count; row++)
		broken |= page->ordinal[row] ^ (next + row);
	packer->ordinal += broken ? 0 : page->count;
	for (size_t row = 0; broken && row < page->count; row++) {
		uint64_t number = page->ordinal[row];
		if (LIKELY(number == packer->ordinal)) {
			packer->ordinal++;
			continue;
		}
		const uint64_t values[] = {index + row, number};
		packer->odd++;
		if (number > packer->ordinal)
			packer->ordinal = number + 1;
		TRY(packer_event(packer, PACKED_ORDINALS, NULL, 0, values, 2));
	}
	return VARVE_OK;
}

/* Gaps begin at the end of the previous record, or at its entry for calls that are made inside it. */
static void find_times(struct stream_packer *packer, const struct page *page)
{
	struct page_times *times = packer->page_times;
	size_t last = page->count - 1;
	uint64_t from = (uint64_t)(packer->last_depth >= page->depth[0] ? packer->last_exit
									: packer->last_entry);
	times->gap[0] = (int64_t)((uint64_t)page->entry[0] - from);
	for (size_t row = 1; row < page->count; row++) {
		bool behind = page->depth[row - 1] >= page->depth[row];
		int64_t exit = page->exit[row - 1], entry = page->entry[row - 1];
		from = (uint64_t)(behind ? exit : entry);
		times->gap[row] = (int64_t)((uint64_t)page->entry[row] - from);
	}
	for (size_t row = 0; row < page->count; row++)
		times->duration[row] =
			(int64_t)((uint64_t)page->exit[row] - (uint64_t)page->entry[row]);
	packer->last_entry = page->entry[last];
	packer->last_exit = page->exit[last];
	packer->last_depth = page->depth[last];
}

static enum varve_status short_times_put(struct stream_packer *packer, size_t count)
{
	const struct page_times *times = packer->page_times;
	if (list_room(&packer->times, packer->time_count, &packer->time_room, count, 1))
		return times_no_memory(packer);
	uint8_t *to = packer->times + packer->time_count;
	packer->time_count += count;
	for (size_t row = 0; row < count; row++) {
		int64_t gap = times->gap[row], duration = times->duration[row];
		bool brief = (uint64_t)gap < GAP_SHORT && (uint64_t)duration < DURATION_SHORT;
		to[row] = (uint8_t)(brief ? gap << 5 | duration : TIME_LONG);
		if (UNLIKELY(!brief)) {
			bytes_number(&packer->times_long, zigzag(gap));
			bytes_number(&packer->times_long, zigzag(duration));
		}
	}
	return VARVE_OK;
}

/* Updates the first and the last tick of the records that are not ghosts. */
static void note_ticks(struct stream_packer *packer, const struct page *page, const bool *ghost)
{
	int64_t first = packer->own_records ? packer->first_tick : INT64_MAX;
	int64_t last = packer->own_records ? packer->last_tick : INT64_MIN;
	uint64_t own_records = packer->own_records;
	for (size_t row = 0; row < page->count; row++) {
		int64_t entry = page->entry[row], exit = page->exit[row];
		int64_t end = exit > entry ? exit : entry;
		if (ghost && ghost[row])
			continue;
		own_records++;
		first = entry < first ? entry : first;
		last = end > last ? end : last;
	}
	packer->own_records = own_records;
	packer->first_tick = first;
	packer->last_tick = last;
}

enum varve_status packer_times(struct stream_packer *packer, const struct page *page,
			       const bool *ghost)
{
	TRY(odd_ordinals_put(packer, page));
	if (packer->second) {
		find_times(packer, page);
		note_ticks(packer, page, ghost);
		/* In histograms the first record of a chunk has no gap. */
		if (packer->time == PACKED_TIME_HISTOGRAM && !(packer->calls + packer->runtime))
			packer->page_times->gap[0] = 0;
		if (packer->time == PACKED_TIME_EXACT)
			TRY(short_times_put(packer, page->count));
	}
	sum_rows(packer, page, ghost);
	return VARVE_OK;
}

/* Puts bytes in parts of TIME_PART. */
static enum varve_status time_parts_put(struct stream_packer *packer, const uint8_t *bytes,
					size_t count, enum plane_nature nature)
{
	for (size_t at = 0; at < count; at += TIME_PART) {
		size_t some = count - at < TIME_PART ? count - at : TIME_PART;
		struct values_part *parts =
			reallocarray(packer->parts, packer->part_count + 1, sizeof *parts);
		if (!parts)
			return times_no_memory(packer);
		packer->parts = parts;
		parts[packer->part_count].place = packer->coder->chunk;
		TRY(values_bytes_put(packer->coder, bytes + at, some, nature,
				     &parts[packer->part_count++], packer->causes));
	}
	return VARVE_OK;
}

static enum varve_status put_sums(struct stream_packer *packer)
{
	for (size_t i = 0; i < packer->summed_count; i++) {
		struct block_summary *summary = &packer->sums[packer->summed[i]];
		const uint8_t key[] = {(uint8_t)summary->function,
				       (uint8_t)(summary->function >> 8)};
		const uint64_t values[SUMMARY_COLUMNS] = {
			[SUMMARY_CALLS] = summary->calls,
			[SUMMARY_FAILURES] = summary->failures,
			[SUMMARY_UNFINISHED] = (uint64_t)(int64_t)summary->unfinished,
			[SUMMARY_BYTES] = summary->bytes,
			[SUMMARY_TICKS] = packer->time == PACKED_TIME_NONE ? 0 : summary->ticks,
		};
		TRY(packer_event(packer, PACKED_SUMMARIES, key, sizeof key, values,
				 SUMMARY_COLUMNS));
		*summary = (struct block_summary){0};
	}
	return VARVE_OK;
}

enum varve_status packer_chunk(struct stream_packer *packer)
{
	const struct block_header *header = &packer->block->header;
	TRY(packer_definitions(packer));
	uint64_t summaries = packer->summed_count;
	TRY(put_sums(packer));
	int64_t first = packer->first_tick, last = packer->last_tick;
	/* For a chunk with only halves the beginning of the block is stored, by which readers order streams. */
	if (!packer->own_records)
		first = header->records ? header->first_tick : packer->stream_tick;
	if (!packer->own_records)
		last = header->records && header->last_tick > first ? header->last_tick : first;
	if (packer->time == PACKED_TIME_NONE)
		first = last = 0;
	const uint64_t values[CHUNK_COLUMNS] = {
		[CHUNK_CALLS] = packer->calls,
		[CHUNK_RUNTIME] = packer->runtime,
		[CHUNK_DEFINITIONS] = packer->definitions.count + packer->late_count,
		[CHUNK_SUMMARIES] = summaries,
		[CHUNK_ORDINALS] = packer->odd,
		[CHUNK_SEQUENCE] = header->sequence - packer->last_sequence,
		[CHUNK_JUMP] = header->first_ordinal - packer->next_ordinal,
		[CHUNK_FIRST] = (uint64_t)first - (uint64_t)packer->stream_tick,
		[CHUNK_SPAN] = (uint64_t)last - (uint64_t)first,
		[CHUNK_LONG] = packer->second ? packer->times_long.length : 0,
	};
	TRY(packer_event(packer, PACKED_CHUNKS, NULL, 0, values, CHUNK_COLUMNS));
	if (packer->second) {
		if (packer->times_long.failed)
			return times_no_memory(packer);
		TRY(time_parts_put(packer, packer->times, packer->time_count, NATURE_NOISE));
		TRY(time_parts_put(packer, packer->times_long.at, packer->times_long.length,
				   NATURE_TEXT));
	}
	packer->records += packer->second ? packer->own_records : 0;
	packer->coder->chunk++;
	packer->last_sequence = header->sequence;
	packer->stream_tick = last;
	packer->next_ordinal =
		header->first_ordinal + packer->calls + packer->runtime - packer->odd;
	packer->calls = packer->runtime = packer->since_runtime = packer->odd =
		packer->own_records = 0;
	packer->summed_count = 0;
	packer->time_count = 0;
	packer->times_long.length = 0;
	packer->last_entry = packer->last_exit = 0;
	packer->last_depth = 0;
	return VARVE_OK;
}
