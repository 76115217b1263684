/* Trace: opens a packed trace: its sections, and the streams and blocks for readers. See packed.h.
 *
 * Decodes only lists of places and counts. A file whose lists are damaged beyond repair cannot be read; damage in a stream
 * loses only that stream.
 */
#include "base/trace_files.h"
#include "trace/packed/packed.h"

#include "codec/rows.h"
#include "trace/trace_inside.h"

#include <varve/codecs.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <zstd.h>

/* A file of up to this size is checked when it is opened, which takes some milliseconds. */
enum { MENDED_AT_ONCE = 8 << 20 };

static enum varve_status packed_no_memory(struct varve_causes *causes)
{
	return cause(causes, VARVE_NO_MEMORY, "no memory to open a packed trace");
}

/* Opens a block of the file and checks it. */
static enum varve_status block_at(const struct packed *packed, uint64_t offset, unsigned type,
				  struct block_header *header, struct varve_causes *causes)
{
	if (offset > packed->size)
		return packed_damaged(causes, "a section is not in the file");
	enum varve_status status =
		block_open(packed->file + offset, packed->size - offset, header, causes);
	if (status != VARVE_OK)
		return status;
	if (header->type != type)
		return packed_damaged(causes, "a section is of another kind");
	return block_check(packed->file + offset, header, causes);
}

/* Adds the offset of the damaged section to the causes. */
static enum varve_status in_section(const struct packed *packed, enum packed_section kind,
				    enum varve_status status, struct varve_causes *causes)
{
	if (status == VARVE_DAMAGED || status == VARVE_TRUNCATED)
		cause_add(causes, "damaged at byte %" PRIu64, packed->foot.section[kind].offset);
	return status;
}

/* Decompresses a section. */
static enum varve_status unpack_section(struct packed *packed, enum packed_section kind,
					struct varve_causes *causes)
{
	struct block_header header;
	uint64_t offset = packed->foot.section[kind].offset, length;
	TRY(block_at(packed, offset, BLOCK_PACKED, &header, causes));
	const uint8_t *at = packed->file + offset + header.header_length;
	const uint8_t *end = packed->file + offset + header.length;
	if (header.sequence != (uint64_t)kind || !varint_get(&at, end, &length) ||
	    length > packed->budget)
		return packed_damaged(causes, "a section cannot be unpacked");
	size_t frame = ZSTD_findFrameCompressedSize(at, (size_t)(end - at));
	uint8_t *bytes = malloc((size_t)length + 1);
	if (!bytes)
		return packed_no_memory(causes);
	packed->budget -= (size_t)length;
	packed->sections[kind] = bytes;
	packed->lengths[kind] = (size_t)length;
	if (ZSTD_isError(frame) ||
	    ZSTD_decompress(bytes, (size_t)length, at, frame) != (size_t)length)
		return packed_damaged(causes, "a section cannot be unpacked");
	return VARVE_OK;
}

static enum varve_status read_section(struct packed *packed, enum packed_section kind,
				      struct varve_causes *causes)
{
	return in_section(packed, kind, unpack_section(packed, kind, causes), causes);
}

static struct input section_input(const struct packed *packed, enum packed_section kind)
{
	const uint8_t *bytes = packed->sections[kind];
	return (struct input){bytes, bytes + packed->lengths[kind], false};
}

/* Reads classes of a track: their number, then each class with the number of its members. */
static enum varve_status read_classes(struct packed *packed, struct input *input, size_t track,
				      struct varve_causes *causes)
{
	size_t count = input_count(input, 2), before = packed->class_count[track];
	if (!count)
		return input->bad ? packed_damaged(causes, "classes are truncated") : VARVE_OK;
	struct track_class *classes =
		reallocarray(packed->classes[track], before + count, sizeof *classes);
	if (!classes)
		return packed_no_memory(causes);
	packed->classes[track] = classes;
	for (size_t i = 0; i < count; i++) {
		uint64_t members = input_number(input);
		if (input->bad || members > packed->place_count)
			return packed_damaged(causes,
					      "a class has more members than there are streams");
		TRY(class_read(&classes[before + i], input, (size_t)members, &packed->budget,
			       causes));
		packed->class_count[track]++;
	}
	return VARVE_OK;
}

static enum varve_status structure_read(struct packed *packed, enum packed_section kind,
					struct varve_causes *causes)
{
	struct input input = section_input(packed, kind);
	size_t from = kind == SECTION_REST ? PACKED_NAMES + 1 : PACKED_CALLS;
	size_t to =
		kind == SECTION_REST ? packed_track_count(packed->foot.version) : PACKED_NAMES + 1;
	for (size_t track = from; track < to; track++) {
		TRY(read_classes(packed, &input, track, causes));
		if (kind == SECTION_REST)
			TRY(read_classes(packed, &input, track, causes));
	}
	return input.at == input.end
		       ? VARVE_OK
		       : packed_damaged(causes, "unexpected bytes after the last class");
}

/* Reads the streams. The members of a class are the streams that have its number, in this order. */
static enum varve_status read_places(struct packed *packed, size_t nodes,
				     struct varve_causes *causes)
{
	struct input input = section_input(packed, SECTION_STREAMS);
	size_t tracks = packed_track_count(packed->foot.version);
	size_t count = input_count(&input, 8 + tracks);
	packed->places = calloc(count + 1, sizeof *packed->places);
	if (!packed->places)
		return packed_no_memory(causes);
	packed->place_count = count;
	for (size_t i = 0; i < count; i++) {
		struct packed_place *place = &packed->places[i];
		place->process = (uint32_t)input_number(&input);
		place->thread = (uint32_t)input_number(&input);
		place->pid = (int32_t)unzigzag(input_number(&input));
		place->tid = (int32_t)unzigzag(input_number(&input));
		place->rank = (int32_t)unzigzag(input_number(&input));
		place->node = (uint32_t)input_number(&input);
		place->resolution = (uint32_t)input_number(&input);
		place->clock_kind = (uint32_t)input_number(&input);
		if (place->node >= nodes || !place->process || !place->resolution)
			return packed_damaged(causes, "a stream has no process, node or clock");
		for (size_t track = 0; track < tracks; track++)
			place->class_of[track] = (uint32_t)input_number(&input);
	}
	return input.bad || input.at != input.end ? packed_damaged(causes, "streams are truncated")
						  : VARVE_OK;
}

/* A small class with many members makes a large trace: limits the total to what a file of this length can have. */
static bool too_heavy(const struct packed *packed)
{
	const uint64_t most = (1ull << 30) + (uint64_t)packed->size * 16384;
	uint64_t all = 0, weight;
	for (size_t track = 0; track < PACKED_TRACKS; track++)
		for (size_t i = 0; i < packed->class_count[track]; i++)
			if (__builtin_mul_overflow(packed->classes[track][i].weight,
						   packed->classes[track][i].member_count,
						   &weight) ||
			    __builtin_add_overflow(all, weight, &all) || all > most)
				return true;
	return false;
}

static enum varve_status join_classes(struct packed *packed, struct varve_causes *causes)
{
	if (too_heavy(packed))
		return cause(causes, VARVE_LIMIT,
			     "its streams have more columns than a file of this size can contain");
	for (size_t track = 0; track < PACKED_TRACKS; track++) {
		size_t count = packed->class_count[track];
		uint32_t *seen = calloc(count + 1, sizeof *seen);
		bool good = seen != NULL;
		for (size_t i = 0; good && i < packed->place_count; i++) {
			struct packed_place *place = &packed->places[i];
			uint32_t class = place->class_of[track];
			good = class <= count;
			if (good && class)
				place->member_of[track] = seen[class - 1]++;
		}
		for (size_t i = 0; good && i < count; i++)
			good = seen[i] == packed->classes[track][i].member_count;
		free(seen);
		if (!good)
			return packed_damaged(causes, "classes and streams do not match");
	}
	return VARVE_OK;
}

static const char *text_of(struct packed *packed, struct input *input, size_t *length,
			   struct varve_causes *causes)
{
	*length = (size_t)input_count(input, 1);
	const uint8_t *bytes = input_bytes(input, *length);
	char *text = arena_get(&packed->memory, *length + 1, 1);
	if (!text)
		cause_add(causes, "no memory for a text of the packed trace");
	else if (bytes)
		memcpy(text, bytes, *length);
	return bytes ? text : NULL;
}

static enum varve_status read_nodes(struct varve_trace *trace, struct varve_causes *causes)
{
	struct packed *packed = trace->packed;
	struct input input = section_input(packed, SECTION_NODES);
	uint64_t time = input_number(&input);
	if (time > PACKED_TIME_NONE)
		return packed_damaged(causes, "times of an unknown kind");
	trace->time = (int)time;
	packed->overruns = input_number(&input);
	packed->candidates = input_number(&input);
	trace->world = (uint32_t)input_number(&input);
	trace->packed_size = input_number(&input);
	size_t count = input_count(&input, 8);
	trace->nodes = calloc(count + 1, sizeof *trace->nodes);
	if (!trace->nodes)
		return packed_no_memory(causes);
	for (; trace->node_count < count && !input.bad; trace->node_count++) {
		struct trace_node *node = &trace->nodes[trace->node_count];
		size_t length;
		node->number = (uint32_t)input_number(&input) % NODES_MOST;
		node_names(node);
		node->packed_size = input_number(&input);
		uint64_t state = input_number(&input);
		node->indexed = state & 1;
		uint64_t aligned = input_number(&input);
		node->aligned = (enum varve_aligned)(aligned % (VARVE_ALIGNED_NOT + 1));
		node->shift_ns = unzigzag(input_number(&input));
		node->error_ns = unzigzag(input_number(&input));
		node->first_process = input_number(&input);
		node->last_process = (uint32_t)input_number(&input);
		node->description = text_of(packed, &input, &node->description_length, causes);
		node->clock = text_of(packed, &input, &node->clock_length, causes);
		const char *end = text_of(packed, &input, &length, causes);
		if (!end || length != sizeof node->end)
			return packed_damaged(causes, "a node is truncated");
		memcpy(&node->end, end, sizeof node->end);
	}
	size_t length;
	const char *loss = text_of(packed, &input, &length, causes);
	if (!loss || length != sizeof trace->loss || !trace->node_count || input.at != input.end)
		return packed_damaged(causes, "nodes are truncated");
	memcpy(trace->loss, loss, sizeof trace->loss);
	trace->description = trace->nodes->description;
	trace->description_length = trace->nodes->description_length;
	return VARVE_OK;
}

static enum varve_status read_damage(struct varve_trace *trace, struct varve_causes *causes)
{
	struct packed *packed = trace->packed;
	struct input input = section_input(packed, SECTION_DAMAGE);
	size_t count = input_count(&input, 4);
	for (size_t i = 0; i < count && !input.bad; i++) {
		size_t length;
		const char *file = text_of(packed, &input, &length, causes);
		uint64_t offset = input_number(&input), bytes = input_number(&input);
		const char *why = text_of(packed, &input, &length, causes);
		if (file && why)
			trace_report(trace, file, offset, bytes, "%s", why);
	}
	uint64_t more = input_number(&input);
	packed->damages_stored = count + more;
	trace->damage_more += more;
	return input.bad || input.at != input.end
		       ? packed_damaged(causes, "the list of damages is truncated")
		       : VARVE_OK;
}

/* If the tables of this Varve are the same as those of the trace, its own are used, because they contain all functions. */
static enum varve_status read_tables(struct varve_trace *trace, struct varve_causes *causes)
{
	struct input input = section_input(trace->packed, SECTION_TABLES);
	trace->tables_check = input_number(&input);
	trace->tables_own = true;
	bool same = trace->tables_check == tables_check_of(tables_blob, tables_blob_size);
	trace->tables_partial = !same;
	trace->tables_bytes = same ? tables_blob : input.at;
	trace->tables_length = same ? tables_blob_size : (size_t)(input.end - input.at);
	return tables_parse(trace->tables_bytes, trace->tables_length, &trace->tables, causes);
}

/* In a file with guards, the sections are repaired first; data after them may be missing. */
static enum varve_status guard_sections(struct varve_trace *trace, struct varve_causes *causes)
{
	struct packed *packed = trace->packed;
	const struct packed_foot *foot = &packed->foot;
	uint64_t begin = packed_begin(), end = foot->section[SECTION_GUARD].offset;
	if (foot->version < PACKED_VERSION_GUARDED)
		return VARVE_OK;
	packed->decoder.mend = zones_mend_at;
	packed->decoder.context = packed;
	if (end > begin)
		TRY(zone_add(packed, begin, end - begin, packed->size, causes));
	zones_mend(packed);
	uint64_t size = packed->size;
	if (size < foot->file_size) {
		trace_report(trace, TRACE_FIRST_PACKED, size, foot->file_size - size,
			     "the file is truncated");
	} else if (size > foot->file_size) {
		packed->extents[0].length = foot->file_size;
		packed->longer++;
		trace_report(trace, TRACE_FIRST_PACKED, foot->file_size, size - foot->file_size,
			     "unexpected bytes after the end of the file");
	}
	return VARVE_OK;
}

static enum varve_status packed_read(struct varve_trace *trace, struct varve_causes *causes)
{
	struct packed *packed = trace->packed;
	TRY(packed_map(trace, causes));
	packed->budget = DECODE_BUDGET(packed->size);
	TRY(packed_foot_read(trace, causes));
	TRY(guard_sections(trace, causes));
	static const enum packed_section kinds[] = {
		SECTION_NODES, SECTION_TABLES,	SECTION_STRUCTURE, SECTION_OTHERS,
		SECTION_REST,  SECTION_STREAMS, SECTION_PARTS,	   SECTION_DAMAGE};
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		TRY(read_section(packed, kinds[i], causes));
	if (packed->foot.section[SECTION_FILES].length)
		TRY(read_section(packed, SECTION_FILES, causes));
	/* Without this section, the answers are computed from the records. */
	if (packed->foot.section[SECTION_ANSWERS].length &&
	    read_section(packed, SECTION_ANSWERS, NULL) == VARVE_OK)
		packed->answered = true;
	TRY(in_section(packed, SECTION_NODES, read_nodes(trace, causes), causes));
	TRY(in_section(packed, SECTION_TABLES, read_tables(trace, causes), causes));
	TRY(in_section(packed, SECTION_STREAMS, read_places(packed, trace->node_count, causes),
		       causes));
	static const enum packed_section classes[] = {SECTION_STRUCTURE, SECTION_OTHERS,
						      SECTION_REST};
	for (size_t i = 0; i < sizeof classes / sizeof *classes; i++)
		TRY(in_section(packed, classes[i], structure_read(packed, classes[i], causes),
			       causes));
	TRY(in_section(packed, SECTION_STREAMS, join_classes(packed, causes), causes));
	TRY(in_section(packed, SECTION_FILES, packed_map_others(trace, causes), causes));
	trace->nodes->size = trace->size = packed->bytes;
	TRY(in_section(packed, SECTION_PARTS, packed_parts(packed, causes), causes));
	if (packed->bytes <= MENDED_AT_ONCE)
		zones_mend(packed);
	TRY(in_section(packed, SECTION_DAMAGE, read_damage(trace, causes), causes));
	return in_section(packed, SECTION_STREAMS, packed_chunks(trace, causes), causes);
}

enum varve_status packed_open(struct varve_trace *trace, struct varve_causes *causes)
{
	trace->packed = calloc(1, sizeof *trace->packed);
	if (!trace->packed)
		return packed_no_memory(causes);
	trace->packed->memory.budget = &trace->packed->budget;
	enum varve_status status = packed_read(trace, causes);
	char name[PACKED_PATH];
	if ((status == VARVE_DAMAGED || status == VARVE_TRUNCATED) &&
	    packed_file_path(trace->path, 0, name))
		cause_add(causes, "%s", name);
	return status;
}

void packed_close(struct varve_trace *trace)
{
	struct packed *packed = trace->packed;
	if (!packed)
		return;
	for (size_t i = 0; i < packed->place_count; i++)
		packed_tracks_free(packed->places[i].tracks);
	for (size_t which = 0; which < 2; which++) {
		struct record_form **forms = packed->forms[which];
		size_t track = which ? PACKED_RUNTIME : PACKED_CALLS;
		for (size_t i = 0; forms && i < packed->class_count[track]; i++)
			free(forms[i]);
		free(forms);
	}
	for (size_t track = 0; track < PACKED_TRACKS; track++) {
		for (size_t i = 0; i < packed->class_count[track]; i++)
			class_clear(&packed->classes[track][i]);
		free(packed->classes[track]);
	}
	for (size_t i = 0; i < SECTIONS; i++)
		free(packed->sections[i]);
	arena_clear(packed->memory.chunks);
	column_decoder_clear(&packed->decoder);
	free(packed->places);
	free(packed->parts);
	free(packed->zones);
	if (packed->file)
		munmap((void *)(uintptr_t)packed->file, packed->size);
	free(packed);
	trace->packed = NULL;
}

static bool column_raw(const struct class_column *column)
{
	bool raw = false;
	for (size_t i = 0; i < column->form_count; i++)
		raw |= column->forms[i].raw;
	return raw;
}

void packed_count(const struct packed *packed, struct varve_packed *counts)
{
	const struct packed_foot *foot = &packed->foot;
	*counts = (struct varve_packed){
		.structure_bytes = foot->section[SECTION_STRUCTURE].length,
		.other_bytes = foot->section[SECTION_OTHERS].length,
		.rest_bytes = foot->section[SECTION_REST].length,
		.data_bytes = foot->section[SECTION_DATA].length,
		.classes = packed->class_count[PACKED_CALLS],
		.overruns = packed->overruns,
		.candidates = packed->candidates,
	};
	for (size_t i = 1; i < packed->extent_count; i++)
		counts->data_bytes += packed->extents[i].length;
	counts->list_bytes = packed->bytes - counts->structure_bytes - counts->other_bytes -
			     counts->rest_bytes - counts->data_bytes;
	for (size_t i = 0; i < packed->class_count[PACKED_CALLS]; i++) {
		const struct track_class *class = &packed->classes[PACKED_CALLS][i];
		counts->members += class->member_count;
		counts->nodes += class->branch_count;
		counts->loops += class->loops;
		for (size_t k = 0; k < class->group_count; k++) {
			const struct class_group *group = &class->groups[k];
			uint32_t columns = class->shapes[group->shape].columns;
			counts->columns += columns;
			for (uint32_t n = 0; n < columns; n++)
				counts->raw_columns += column_raw(&group->columns[n]);
		}
	}
}
