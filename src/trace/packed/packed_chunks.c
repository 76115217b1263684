/* Trace: makes blocks of the chunks of a packed trace: their headers, from the tracks that list them. See packed.h. */
#include "trace/packed/packed.h"

#include "trace/trace_inside.h"

#include <string.h>

static enum varve_status chunks_too_large(struct varve_causes *causes)
{
	return cause(causes, VARVE_LIMIT,
		     "the list of chunks claims more memory than a file of this size can need");
}

/* Reads all columns of the next event, which must have this number of columns. */
static enum varve_status chunk_event(struct track_reader *reader, uint32_t columns,
				     uint64_t *values, const struct track_shape **shape,
				     struct varve_causes *causes)
{
	uint32_t group;
	if (!reader)
		return packed_damaged(causes, "a list of chunks is missing");
	TRY(track_take(reader, 1, &group, causes));
	*shape = &reader->track->shapes[reader->track->groups[group].shape];
	if ((*shape)->columns != columns)
		return packed_damaged(causes, "a list of chunks has the wrong columns");
	for (uint32_t i = 0; i < columns; i++)
		TRY(track_values(reader, group, i, reader->taken[group] - 1, 1, &values[i],
				 causes));
	return VARVE_OK;
}

/* Values that are counted from one chunk to the next. */
struct going {
	struct track_reader *chunks, *summaries;
	uint64_t sequence, ordinal;
	int64_t tick;
	uint64_t at[PACKED_TRACKS];
	uint64_t time_part;
};

static enum varve_status put_summaries(struct going *going, uint8_t *bytes, uint64_t count,
				       struct varve_causes *causes)
{
	for (uint64_t i = 0; i < count; i++) {
		const struct track_shape *shape;
		uint64_t values[SUMMARY_COLUMNS];
		TRY(chunk_event(going->summaries, SUMMARY_COLUMNS, values, &shape, causes));
		if (shape->length != 2)
			return packed_damaged(causes, "a summary has no function");
		struct block_summary row = {
			.function = (uint16_t)(shape->key[0] | shape->key[1] << 8),
			.calls = (uint32_t)values[SUMMARY_CALLS],
			.failures = (uint32_t)values[SUMMARY_FAILURES],
			.unfinished = (int32_t)values[SUMMARY_UNFINISHED],
			.bytes = values[SUMMARY_BYTES],
			.ticks = values[SUMMARY_TICKS],
		};
		memcpy(bytes + i * sizeof row, &row, sizeof row);
	}
	return VARVE_OK;
}

static bool counts_fit(const uint64_t *values, uint64_t records)
{
	return values[CHUNK_CALLS] <= BLOCK_RECORDS_MOST &&
	       values[CHUNK_RUNTIME] <= BLOCK_RECORDS_MOST && records <= BLOCK_RECORDS_MOST &&
	       values[CHUNK_ORDINALS] <= records && values[CHUNK_SUMMARIES] <= UINT16_MAX &&
	       values[CHUNK_DEFINITIONS] <= BLOCK_BYTES_MOST && values[CHUNK_SEQUENCE] &&
	       values[CHUNK_LONG] <= records * 2 * VARINT_MOST;
}

/* Computes the bytes that the times of a chunk take in the file. */
static enum varve_status time_bytes(const struct packed *packed, const struct packed_place *place,
				    const struct going *going, uint64_t parts, uint64_t *bytes,
				    struct varve_causes *causes)
{
	size_t first = place->first_time - place->first_part;
	*bytes = 0;
	if (parts > place->part_count - first - going->time_part)
		return packed_damaged(causes, "times are missing");
	for (uint64_t i = 0; i < parts; i++)
		*bytes += packed->parts[place->first_time + going->time_part + i].stored;
	return VARVE_OK;
}

enum { DEFINITION_BYTES = 2 }; /* a rough value: texts are stored once per stream */

static uint64_t parts_of(uint64_t bytes)
{
	return (bytes + TIME_PART - 1) / TIME_PART;
}

static enum varve_status chunk_add(struct varve_trace *trace, struct packed_place *place, size_t at,
				   struct going *going, struct varve_causes *causes)
{
	struct packed *packed = trace->packed;
	const struct track_shape *shape;
	uint64_t values[CHUNK_COLUMNS], stored;
	TRY(chunk_event(going->chunks, CHUNK_COLUMNS, values, &shape, causes));
	uint64_t records = values[CHUNK_CALLS] + values[CHUNK_RUNTIME];
	if (!counts_fit(values, records))
		return packed_damaged(causes, "a chunk claims more records than a block can have");
	uint64_t parts = parts_of(records) + parts_of(values[CHUNK_LONG]);
	if (trace->time != PACKED_TIME_EXACT)
		parts = 0;
	TRY(time_bytes(packed, place, going, parts, &stored, causes));
	/* Readers limit the memory of names by the length of their block, so definitions count as if they were stored in
	 * it.
	 */
	uint64_t defined = values[CHUNK_DEFINITIONS] * DEFINITION_BYTES;
	stored += defined < packed->size ? defined : packed->size;
	struct packed_chunk *chunk = &place->chunks[at];
	memcpy(chunk->at, going->at, sizeof chunk->at);
	chunk->time_part = (uint32_t)going->time_part;
	chunk->long_bytes = (uint32_t)values[CHUNK_LONG];
	size_t rows = (size_t)values[CHUNK_SUMMARIES] * sizeof(struct block_summary);
	uint8_t *bytes = arena_get(&packed->memory, sizeof(struct block_header) + rows, 1);
	if (!bytes)
		return chunks_too_large(causes);
	TRY(put_summaries(going, bytes + sizeof(struct block_header), values[CHUNK_SUMMARIES],
			  causes));
	going->sequence += values[CHUNK_SEQUENCE];
	going->ordinal += values[CHUNK_JUMP];
	int64_t first = (int64_t)((uint64_t)going->tick + values[CHUNK_FIRST]);
	int64_t last = (int64_t)((uint64_t)first + values[CHUNK_SPAN]);
	uint32_t header_length = (uint32_t)(sizeof(struct block_header) + rows);
	struct block_header header = {
		.magic = BLOCK_MAGIC,
		/* the version of blocks with removed records, in which ordinals have gaps */
		.version = values[CHUNK_ORDINALS] ? BLOCK_VERSION_PART : BLOCK_VERSION_FIRST,
		.type = BLOCK_RECORDS,
		.codec = CODEC_LOOP,
		.header_length = header_length,
		.length = header_length + (stored + BLOCK_ALIGN - 1) / BLOCK_ALIGN * BLOCK_ALIGN,
		.sequence = going->sequence,
		.process = place->process,
		.thread = place->thread,
		.pid = place->pid,
		.tid = place->tid,
		.rank = place->rank,
		.resolution = place->resolution,
		.records = records,
		.first_ordinal = going->ordinal,
		.first_tick = records ? first : 0,
		.last_tick = records ? last : 0,
		.clock_kind = place->clock_kind,
		.summaries = (uint32_t)values[CHUNK_SUMMARIES],
		.definitions = (uint32_t)values[CHUNK_DEFINITIONS],
	};
	memcpy(header.run_id, trace->run_id, sizeof header.run_id);
	memcpy(bytes, &header, sizeof header);
	struct trace_block block = {
		.bytes = bytes,
		.node = place->node,
		.shift = node_shift(&trace->nodes[place->node], place->resolution),
		.checked = true,
		.chunk = (uint32_t)at,
		.place = place,
		.header = header};
	going->tick = last;
	going->ordinal += records - values[CHUNK_ORDINALS];
	going->time_part += parts;
	going->at[PACKED_CALLS] += values[CHUNK_CALLS];
	going->at[PACKED_RUNTIME] += values[CHUNK_RUNTIME];
	going->at[PACKED_DEFINITIONS] += values[CHUNK_DEFINITIONS];
	going->at[PACKED_ORDINALS] += values[CHUNK_ORDINALS];
	return blocks_add(trace, &block, causes);
}

/* The parts of the lists themselves are before the parts of times. */
static enum varve_status list_open(struct packed *packed, struct packed_place *place,
				   struct packed_tracks *tracks, struct going *going, size_t *count,
				   struct varve_causes *causes)
{
	place->first_time = place->first_part;
	for (size_t i = 0; i < PACKED_TIMES_PLACE; i++) {
		size_t track = packed_part_order[i];
		if (!place->class_of[track])
			continue;
		size_t parts = class_parts(&packed->classes[track][place->class_of[track] - 1],
					   place->member_of[track]);
		if (parts > place->part_count - (place->first_time - place->first_part))
			return packed_damaged(causes, "parts of a list of chunks are missing");
		place->first_time += parts;
	}
	TRY(packed_track(packed, place, tracks, PACKED_CHUNKS, 0, &going->chunks, causes));
	if (going->chunks) {
		uint64_t listed = going->chunks->track->events;
		*count = listed > UINT32_MAX / 2 ? SIZE_MAX : (size_t)listed;
	}
	return packed_track(packed, place, tracks, PACKED_SUMMARIES, 0, &going->summaries, causes);
}

static enum varve_status chunks_read(struct varve_trace *trace, struct packed_place *place,
				     struct packed_tracks *tracks, struct varve_causes *causes)
{
	struct packed *packed = trace->packed;
	struct going going = {0};
	size_t count = 0;
	TRY(list_open(packed, place, tracks, &going, &count, causes));
	struct packed_chunk *chunks =
		count == SIZE_MAX ? NULL
				  : arena_get(&packed->memory, count + 1, sizeof *place->chunks);
	if (!chunks)
		return chunks_too_large(causes);
	place->chunks = chunks;
	for (size_t i = 0; i < count; i++)
		TRY(chunk_add(trace, place, i, &going, causes));
	memcpy(chunks[count].at, going.at, sizeof going.at);
	chunks[count].time_part = (uint32_t)going.time_part;
	place->chunk_count = count;
	return VARVE_OK;
}

static int compare_sequences(const void *left, const void *right)
{
	const struct packed_place *a = *(const struct packed_place *const *)left;
	const struct packed_place *b = *(const struct packed_place *const *)right;
	if (a->process != b->process)
		return a->process < b->process ? -1 : 1;
	return a->thread < b->thread ? -1 : a->thread > b->thread;
}

/* Checks that each stream occurs once; readers rely on it. */
static enum varve_status check_numbers(struct packed *packed, struct varve_causes *causes)
{
	struct packed_place **list = calloc(packed->place_count + 1, sizeof(struct packed_place *));
	if (!list)
		return cause(causes, VARVE_NO_MEMORY, "no memory for the streams");
	for (size_t i = 0; i < packed->place_count; i++)
		list[i] = &packed->places[i];
	qsort(list, packed->place_count, sizeof *list, compare_sequences);
	bool good = true;
	for (size_t i = 1; i < packed->place_count; i++)
		good = good && compare_sequences(&list[i - 1], &list[i]) < 0;
	free(list);
	return good ? VARVE_OK : packed_damaged(causes, "a stream exists twice");
}

enum varve_status packed_chunks(struct varve_trace *trace, struct varve_causes *causes)
{
	struct packed *packed = trace->packed;
	TRY(check_numbers(packed, causes));
	for (size_t i = 0; i < packed->place_count; i++) {
		struct packed_place *place = &packed->places[i];
		struct packed_tracks *tracks;
		struct varve_causes found;
		found.count = 0;
		size_t before = trace->block_count;
		TRY(packed_tracks_take(packed, place, &tracks, causes));
		enum varve_status status = chunks_read(trace, place, tracks, &found);
		packed_tracks_give(packed, place, tracks);
		packed_tracks_forget(packed, place);
		if (status == VARVE_NO_MEMORY)
			return cause(causes, status, "no memory for the list of blocks");
		if (status == VARVE_OK)
			continue;
		trace->block_count = before;
		struct trace_span span = packed_span(packed, place);
		trace_report(trace, span.file, span.offset, span.length,
			     "%.180s (process %u, thread %u)",
			     found.count ? found.text[0] : status_text(status), place->process,
			     place->thread);
	}
	return VARVE_OK;
}
