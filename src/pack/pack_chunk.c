/* Pack: times and sums of a block, and the chunk that it becomes. See stream_packer.h; times are stored as in a block. */
#include "pack/stream_packer.h"

#include "base/varint.h"

#include <stdlib.h>

enum { GAP_SHORT = 8, DURATION_SHORT = 31, TIME_LONG = 255 };

static enum status no_memory(struct stream_packer *packer)
{
	return cause(packer->causes, STATUS_NO_MEMORY, "no memory for the times of a block");
}

static void sum(struct stream_packer *packer, const struct page *page, size_t row)
{
	uint16_t id = page->function[row];
	const struct varve_function *function = trace_function(packer->trace, id);
	struct block_summary *summary = &packer->sums[id];
	uint8_t marks = page->marks[row];
	if (!summary->calls)
		packer->summed[packer->summed_count++] = id;
	summary->function = id;
	summary->calls++;
	summary->failures += !!(marks & RECORD_FAILED);
	summary->unfinished += !!(marks & RECORD_UNFINISHED);
	/* What has not returned took no time yet, as in the summary of a block. */
	if (!(marks & RECORD_UNFINISHED))
		summary->ticks += (uint64_t)page->exit[row] - (uint64_t)page->entry[row];
	uint64_t bytes;
	bool told = function && function->bytes_rule == VARVE_BYTES_WORD;
	if (function && !(marks & (RECORD_UNFINISHED | (told ? RECORD_FAILED : 0))) &&
	    function_bytes(function, page->result[row], page->words + page->word_at[row],
			   page->word_count[row], &bytes))
		summary->bytes = bytes_sum(summary->bytes, bytes);
}

/* A number that does not count on: of a call that began before the block, or behind records that were left out; from there it
 * counts on. */
static enum status ordinal(struct stream_packer *packer, uint64_t number)
{
	if (number == packer->ordinal) {
		packer->ordinal++;
		return STATUS_OK;
	}
	const uint64_t values[] = {packer->calls + packer->runtime, number};
	packer->odd++;
	if (number > packer->ordinal)
		packer->ordinal = number + 1;
	return packer_event(packer, PACKED_ORDINALS, NULL, 0, values, 2, 0);
}

enum status packer_times(struct stream_packer *packer, const struct page *page, size_t row,
			 bool ghost)
{
	int64_t entry = page->entry[row], exit = page->exit[row];
	unsigned depth = page->depth[row];
	uint64_t from =
		(uint64_t)(packer->last_depth >= depth ? packer->last_exit : packer->last_entry);
	int64_t gap = (int64_t)((uint64_t)entry - from);
	int64_t duration = (int64_t)((uint64_t)exit - (uint64_t)entry);
	TRY(ordinal(packer, page->ordinal[row]));
	packer->gap = packer->calls + packer->runtime ? gap : 0;
	packer->duration = duration;
	if (packer->second && packer->time == PACKED_TIME_EXACT) {
		if (packer->time_count == packer->time_room) {
			size_t room = packer->time_room ? packer->time_room * 2 : 4096;
			uint8_t *times = realloc(packer->times, room);
			if (!times)
				return no_memory(packer);
			packer->times = times;
			packer->time_room = room;
		}
		bool brief = (uint64_t)gap < GAP_SHORT && (uint64_t)duration < DURATION_SHORT;
		packer->times[packer->time_count++] =
			(uint8_t)(brief ? gap << 5 | duration : TIME_LONG);
		if (!brief) {
			bytes_number(&packer->times_long, zigzag(gap));
			bytes_number(&packer->times_long, zigzag(duration));
		}
	}
	packer->last_entry = entry;
	packer->last_exit = exit;
	packer->last_depth = depth;
	if (ghost)
		return STATUS_OK;
	int64_t end = exit > entry ? exit : entry;
	bool first = !packer->told++;
	packer->first_tick = first || entry < packer->first_tick ? entry : packer->first_tick;
	packer->last_tick = first || end > packer->last_tick ? end : packer->last_tick;
	sum(packer, page, row);
	return STATUS_OK;
}

/* Bytes in parts of TIME_PART. */
static enum status put_parts(struct stream_packer *packer, const uint8_t *bytes, size_t count,
			     enum plane_nature nature)
{
	for (size_t at = 0; at < count; at += TIME_PART) {
		size_t some = count - at < TIME_PART ? count - at : TIME_PART;
		struct values_part *parts =
			reallocarray(packer->parts, packer->part_count + 1, sizeof *parts);
		if (!parts)
			return no_memory(packer);
		packer->parts = parts;
		TRY(values_bytes_put(packer->coder, bytes + at, some, nature,
				     &parts[packer->part_count++], packer->causes));
	}
	return STATUS_OK;
}

static enum status put_sums(struct stream_packer *packer)
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
		TRY(packer_event(packer, PACKED_SUMMARIES, key, sizeof key, values, SUMMARY_COLUMNS,
				 0));
		*summary = (struct block_summary){0};
	}
	return STATUS_OK;
}

enum status packer_chunk(struct stream_packer *packer)
{
	const struct block_header *header = &packer->block->header;
	TRY(packer_definitions(packer));
	uint64_t summaries = packer->summed_count;
	TRY(put_sums(packer));
	int64_t first = packer->told ? packer->first_tick : packer->stream_tick;
	int64_t last = packer->told ? packer->last_tick : packer->stream_tick;
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
	TRY(packer_event(packer, PACKED_CHUNKS, NULL, 0, values, CHUNK_COLUMNS, 0));
	if (packer->second) {
		if (packer->times_long.failed)
			return no_memory(packer);
		TRY(put_parts(packer, packer->times, packer->time_count, NATURE_NOISE));
		TRY(put_parts(packer, packer->times_long.at, packer->times_long.length,
			      NATURE_TEXT));
	}
	packer->records += packer->second ? packer->told : 0;
	packer->last_sequence = header->sequence;
	packer->stream_tick = last;
	packer->next_ordinal =
		header->first_ordinal + packer->calls + packer->runtime - packer->odd;
	packer->calls = packer->runtime = packer->since_runtime = packer->odd = packer->told = 0;
	packer->summed_count = 0;
	packer->time_count = 0;
	packer->times_long.length = 0;
	packer->last_entry = packer->last_exit = 0;
	packer->last_depth = 0;
	return STATUS_OK;
}
