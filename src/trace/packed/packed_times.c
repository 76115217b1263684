/* Trace: reads the times of a chunk of a packed trace. See packed.h.
 *
 * Short times are one byte for each record; longer ones are stored separately. Both are parts of the stream, decompressed
 * when they are reached. The content is hostile input.
 */
#include "trace/packed/packed.h"

#include "base/varint.h"

#include <stdlib.h>
#include <string.h>

enum { TIME_LONG = 255 };

/* Opens a part of times, which must have the encoding bytes. */
static enum varve_status bytes_open(struct packed *packed, struct column_reader *column,
				    const struct values_part *part, size_t count,
				    struct varve_causes *causes)
{
	TRY(values_part_open(column, &packed->decoder, part, packed->file, packed->size, count,
			     causes));
	if (packed->file[part->offset] == ENCODING_BYTES)
		return VARVE_OK;
	column_close(column);
	return chunk_damaged(causes, "times are not bytes");
}

/* Reads long times. They are few, so all are decompressed at once. */
static enum varve_status long_read(struct chunk_times *times, const struct values_part *part,
				   size_t length, struct varve_causes *causes)
{
	times->long_bytes = malloc(length + 1);
	if (!times->long_bytes)
		return cause(causes, VARVE_NO_MEMORY, "no memory for times");
	for (size_t at = 0; at < length; at += TIME_PART) {
		size_t some = length - at < TIME_PART ? length - at : TIME_PART;
		struct column_reader column;
		TRY(bytes_open(times->packed, &column, part++, some, causes));
		const uint8_t *bytes = column_bytes(&column);
		if (bytes)
			memcpy(times->long_bytes + at, bytes, some);
		else
			memset(times->long_bytes + at, (int)column.value, some);
		column_close(&column);
	}
	times->long_at = times->long_bytes;
	times->long_end = times->long_bytes + length;
	return VARVE_OK;
}

enum varve_status chunk_times_open(struct chunk_times *times, struct packed *packed,
				   const struct packed_place *place, uint32_t number,
				   size_t records, struct varve_causes *causes)
{
	const struct packed_chunk *chunk = &place->chunks[number];
	const struct values_part *parts = packed->parts + place->first_time + chunk->time_part;
	times->packed = packed;
	times->part = parts;
	times->records = records;
	return long_read(times, parts + (records + TIME_PART - 1) / TIME_PART, chunk->long_bytes,
			 causes);
}

void chunk_times_close(struct chunk_times *times)
{
	if (times->open)
		column_close(&times->column);
	free(times->long_bytes);
}

/* Opens the next part of short times. */
static enum varve_status part_open(struct chunk_times *times, struct varve_causes *causes)
{
	if (times->open)
		column_close(&times->column);
	times->open = false;
	times->left = times->records < TIME_PART ? times->records : TIME_PART;
	TRY(bytes_open(times->packed, &times->column, times->part++, times->left, causes));
	times->open = true;
	return VARVE_OK;
}

/* Sets the times of a record from its gap. The gap counts from the exit of the record before it, or from its entry if the
 * record is inside that one. */
static void record_take(struct chunk_times *times, const struct record_columns *to, size_t row,
			uint64_t gap, uint64_t duration)
{
	unsigned depth = to->depth[row];
	uint64_t from = (uint64_t)(times->depth >= depth ? times->exit : times->entry);
	times->entry = (int64_t)(from + gap);
	times->exit = (int64_t)(from + gap + duration);
	times->depth = depth;
	to->entry[row] = times->entry;
	to->exit[row] = times->exit;
}

enum varve_status chunk_times_take(struct chunk_times *times, const struct record_columns *to,
				   size_t count, uint64_t *values, struct varve_causes *causes)
{
	for (size_t row = 0; row < count;) {
		if (!times->left)
			TRY(part_open(times, causes));
		size_t some = count - row < times->left ? count - row : times->left;
		column_take(&times->column, some, values + row);
		times->left -= some;
		times->records -= some;
		row += some;
	}
	for (size_t row = 0; row < count; row++) {
		uint64_t gap = values[row] >> 5, duration = values[row] & 31;
		if (values[row] >= TIME_LONG) {
			uint64_t long_gap, long_duration;
			if (!varint_get(&times->long_at, times->long_end, &long_gap) ||
			    !varint_get(&times->long_at, times->long_end, &long_duration))
				return chunk_damaged(causes, "long times are truncated");
			gap = (uint64_t)unzigzag(long_gap);
			duration = (uint64_t)unzigzag(long_duration);
		}
		record_take(times, to, row, gap, duration);
	}
	return VARVE_OK;
}

void chunk_times_guess(struct chunk_times *times, const struct record_columns *to, size_t count,
		       const int64_t *gap, const int64_t *duration)
{
	for (size_t row = 0; row < count; row++) {
		record_take(times, to, row, (uint64_t)gap[row], (uint64_t)duration[row]);
		if (to->marks[row] & VARVE_UNFINISHED)
			to->exit[row] = times->entry;
	}
}
