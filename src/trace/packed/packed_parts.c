/* Trace: reads the list of parts of a packed trace, and the list of data blocks that contain the parts. See packed.h.
 *
 * Checks positions and lengths against the files before anything is read there. Never reads the parts themselves.
 */
#include "base/trace_files.h"
#include "trace/packed/packed.h"

#include <stdlib.h>
#include <string.h>

/* Adds the data blocks of each file, which have guards, as zones. Blocks after the end of a truncated file are ignored. */
static enum varve_status blocks_read(struct packed *packed, struct input *input,
				     struct varve_causes *causes)
{
	for (size_t file = 0; file < packed->extent_count; file++) {
		const struct packed_extent *extent = &packed->extents[file];
		uint64_t begin = packed_data_begin(packed, file);
		for (size_t blocks = input_count(input, 1); blocks; blocks--) {
			uint64_t length = input_number(input);
			if (length > extent->length || begin > extent->length)
				length = extent->length + 1;
			else if (!extent->foreign)
				TRY(zone_add(packed, extent->base + begin, length,
					     extent->base + extent->length, causes));
			begin += length + block_plain_size(guard_size(length));
		}
	}
	return input->bad ? packed_damaged(causes, "the list of parts is truncated") : VARVE_OK;
}

/* The end of the parts listed so far in a file: [0] of lists of chunks and summaries, [1] of all others. Before version 3
 * there is only one end. */
struct ends {
	uint64_t end[2];
};

static void part_list_read(struct packed *packed, size_t file, struct input *input, uint64_t *end,
			   struct values_part *part)
{
	bool placed = packed->foot.version >= PACKED_VERSION_GUARDED;
	uint64_t more = input_number(input);
	uint64_t offset = *end + (placed ? (uint64_t)unzigzag(more) : more);
	part->stored = (uint32_t)input_number(input);
	*end = offset + part->stored;
	uint64_t begin = placed ? packed_data_begin(packed, file) : 0;
	part->offset = offset + begin < begin
			       ? packed->size
			       : packed_offset(packed, file, offset + begin, part->stored);
}

/* The file that has the parts of a stream. */
static const struct packed_extent *extent_of(const struct packed *packed,
					     const struct packed_place *place)
{
	const struct packed_extent *extent = packed->extents;
	for (size_t at = (size_t)(place - packed->places); at >= extent->streams; extent++)
		at -= extent->streams;
	return extent;
}

struct trace_span packed_span(const struct packed *packed, const struct packed_place *place)
{
	const struct packed_extent *extent = extent_of(packed, place);
	const struct values_part *parts = packed->parts + place->first_part;
	const struct column_decoder *decoder = &packed->decoder;
	struct trace_span span = {.file = extent->name ? extent->name : TRACE_FIRST_PACKED,
				  .offset = place->part_count ? parts->offset : extent->base};
	uint64_t wrong = decoder->wrong_offset;
	bool own = wrong >= packed->size || (wrong >= place->begin && wrong < place->end);
	for (size_t i = place->first_part; !own && i < place->first_time; i++)
		own = packed->parts[i].offset == wrong;
	if (own && decoder->wrong_length) {
		span.offset = wrong;
		span.length = decoder->wrong_length;
	}
	/* The part is not in the file any more: the end of the file. */
	if (span.offset >= packed->size) {
		span.offset = extent->base + extent->length;
		span.length = 0;
	}
	span.offset -= extent->base;
	return span;
}

/* Reads the parts of a stream; at most `most` remain in the list. */
static enum varve_status stream_parts_read(struct packed *packed, struct packed_place *place,
					   size_t file, struct input *input, struct ends *ends,
					   size_t most, struct varve_causes *causes)
{
	bool placed = packed->foot.version >= PACKED_VERSION_GUARDED;
	uint64_t first = placed ? input_number(input) : 0, others = input_number(input);
	struct values_part *parts = packed->parts + place->first_part;
	if (input->bad || first > most || others > most - first)
		return packed_damaged(causes, "the list of parts is truncated");
	place->part_count = (size_t)(first + others);
	place->begin = packed->size;
	for (size_t i = 0; i < place->part_count; i++) {
		struct values_part *part = &parts[i];
		part_list_read(packed, file, input, &ends->end[i >= first], part);
		if (i < first || part->offset >= packed->size)
			continue;
		uint64_t end = part->offset + part->stored;
		place->begin = part->offset < place->begin ? part->offset : place->begin;
		place->end = end > place->end ? end : place->end;
	}
	return VARVE_OK;
}

enum varve_status packed_parts(struct packed *packed, struct varve_causes *causes)
{
	const uint8_t *bytes = packed->sections[SECTION_PARTS];
	struct input input = {bytes, bytes + packed->lengths[SECTION_PARTS], false};
	size_t most = packed->lengths[SECTION_PARTS] / 6, count = 0;
	size_t file = 0, left = packed->extents[0].streams;
	struct ends ends = {0};
	packed->parts = calloc(most + 1, sizeof *packed->parts);
	if (!packed->parts)
		return cause(causes, VARVE_NO_MEMORY, "no memory to open a packed trace");
	if (packed->foot.version >= PACKED_VERSION_GUARDED)
		TRY(blocks_read(packed, &input, causes));
	for (size_t i = 0; i < packed->place_count; i++) {
		struct packed_place *place = &packed->places[i];
		for (; !left; ends = (struct ends){0})
			left = packed->extents[++file].streams;
		left--;
		place->first_part = count;
		TRY(stream_parts_read(packed, place, file, &input, &ends, most - count, causes));
		count += place->part_count;
	}
	for (size_t i = 0; i < count; i++) {
		const uint8_t *check = input_bytes(&input, sizeof packed->parts[i].check);
		if (check)
			memcpy(&packed->parts[i].check, check, sizeof packed->parts[i].check);
	}
	packed->part_count = count;
	return input.bad || input.at != input.end
		       ? packed_damaged(causes, "the list of parts is truncated")
		       : VARVE_OK;
}
