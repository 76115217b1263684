/* Pack: classes of streams, and the sections of the file. See packed_write.h; the layout is in docs/format.md. */
#include "pack/packed_write.h"

#include "loop/class.h"
#include "pack/placing.h"
#include "trace/trace_inside.h"

#include <stdlib.h>

/* Streams without a rank are last. Processes are numbered in the order of their start, which is random between ranks, but not
 * within one rank. */
static int compare_ranks(const void *left, const void *right, void *context)
{
	const struct varve_trace *trace = context;
	const struct varve_stream *a = &trace->streams[*(const size_t *)left];
	const struct varve_stream *b = &trace->streams[*(const size_t *)right];
	uint32_t rank_a = (uint32_t)a->rank, rank_b = (uint32_t)b->rank;
	if (rank_a != rank_b)
		return rank_a < rank_b ? -1 : 1;
	if (a->process != b->process)
		return a->process < b->process ? -1 : 1;
	return a->thread < b->thread ? -1 : a->thread > b->thread;
}

static enum varve_status sections_place(struct placing *placing)
{
	placing->order = calloc(placing->count + 1, sizeof *placing->order);
	placing->class_of = calloc(placing->count + 1, PACKED_TRACKS * sizeof *placing->class_of);
	if (!placing->order || !placing->class_of)
		return cause(placing->causes, VARVE_NO_MEMORY, "no memory for %zu streams",
			     placing->count);
	for (size_t i = 0; i < placing->count; i++) {
		placing->order[i] = i;
		placing->ranked |= placing->trace->streams[i].rank >= 0;
	}
	qsort_r(placing->order, placing->count, sizeof *placing->order, compare_ranks,
		(void *)(uintptr_t)placing->trace);
	return VARVE_OK;
}

static struct track *track_at(const struct placing *placing, size_t at, size_t track)
{
	return &placing->streams[placing->order[at]].tracks[track];
}

static bool stream_is_of(const struct placing *placing, size_t at, bool others)
{
	bool other = placing->ranked && placing->trace->streams[placing->order[at]].rank < 0;
	return other == others;
}

/* Gives each stream its class; classes are numbered by their first member. The list is sorted by the hash of the track. */
static enum varve_status streams_classify(struct placing *placing, size_t track,
					  const struct keyed *list, size_t count, size_t *leader)
{
	for (size_t i = 0; i < count; i++) {
		size_t k = i;
		while (k && list[k - 1].key == list[i].key)
			k--;
		/* Streams with the same hash almost always have the same class. The first equal one leads. */
		while (k < i && (leader[list[k].at] != list[k].at ||
				 !track_alike(track_at(placing, list[k].at, track),
					      track_at(placing, list[i].at, track))))
			k++;
		leader[list[i].at] = list[k].at;
	}
	return VARVE_OK;
}

static enum varve_status put_class(struct placing *placing, struct bytes *bytes, size_t track,
				   size_t first, const size_t *leader, struct track **members)
{
	size_t count = 0;
	placing->classes[track]++;
	for (size_t i = first; i < placing->count; i++) {
		if (leader[i] != first)
			continue;
		members[count++] = track_at(placing, i, track);
		placing->class_of[i * PACKED_TRACKS + track] = placing->classes[track];
	}
	bytes_number(bytes, count);
	return class_write(bytes, members, count, placing->causes);
}

/* Writes the classes of one track: their number, then each class. */
static enum varve_status put_classes(struct placing *placing, struct bytes *bytes, size_t track,
				     bool others)
{
	struct keyed *list = calloc(placing->count + 1, sizeof *list);
	size_t *leader = calloc(placing->count + 1, sizeof *leader);
	struct track **members = calloc(placing->count + 1, sizeof(struct track *));
	size_t count = 0, classes = 0;
	enum varve_status status = VARVE_OK;
	if (!list || !leader || !members)
		status = cause(placing->causes, VARVE_NO_MEMORY, "no memory to merge streams");
	for (size_t i = 0; status == VARVE_OK && i < placing->count; i++) {
		leader[i] = SIZE_MAX;
		if (stream_is_of(placing, i, others) && track_at(placing, i, track)->events)
			list[count++] = (struct keyed){track_form(track_at(placing, i, track)), i};
	}
	if (status == VARVE_OK) {
		keyed_sort(list, count);
		status = streams_classify(placing, track, list, count, leader);
	}
	for (size_t i = 0; status == VARVE_OK && i < placing->count; i++)
		classes += leader[i] == i;
	bytes_number(bytes, classes);
	for (size_t i = 0; status == VARVE_OK && i < placing->count; i++)
		if (leader[i] == i)
			status = put_class(placing, bytes, track, i, leader, members);
	free(list);
	free(leader);
	free(members);
	return status;
}

static enum varve_status put_tracks(struct placing *placing, enum packed_section kind)
{
	struct bytes bytes = {0};
	size_t from = kind == SECTION_REST ? PACKED_NAMES + 1 : PACKED_CALLS;
	size_t to = kind == SECTION_REST ? PACKED_TRACKS : PACKED_NAMES + 1;
	enum varve_status status = VARVE_OK;
	for (size_t track = from; status == VARVE_OK && track < to; track++) {
		status = put_classes(placing, &bytes, track, kind == SECTION_OTHERS);
		/* In the rest, classes of streams with a rank are followed by those of streams without. */
		if (status == VARVE_OK && kind == SECTION_REST)
			status = put_classes(placing, &bytes, track, true);
	}
	if (status == VARVE_OK)
		status = packed_file_section(placing->target.files, kind, &bytes, placing->causes);
	bytes_clear(&bytes);
	return status;
}

static enum varve_status put_streams(struct placing *placing)
{
	struct bytes bytes = {0};
	bytes_number(&bytes, placing->count);
	for (size_t i = 0; i < placing->count; i++) {
		const struct varve_stream *stream = &placing->trace->streams[placing->order[i]];
		const struct trace_block *block = &placing->trace->blocks[stream->first];
		const struct block_header *header = &block->header;
		bytes_number(&bytes, stream->process);
		bytes_number(&bytes, stream->thread);
		bytes_number(&bytes, zigzag(stream->pid));
		bytes_number(&bytes, zigzag(stream->tid));
		bytes_number(&bytes, zigzag(stream->rank));
		bytes_number(&bytes, block->node);
		bytes_number(&bytes, header->resolution);
		bytes_number(&bytes, header->clock_kind);
		for (size_t track = 0; track < PACKED_TRACKS; track++)
			bytes_number(&bytes, placing->class_of[i * PACKED_TRACKS + track]);
		if (i % 64 == 0)
			blocks_drop(placing->trace);
	}
	enum varve_status status = packed_file_section(placing->target.files, SECTION_STREAMS,
						       &bytes, placing->causes);
	bytes_clear(&bytes);
	return status;
}

static enum varve_status part_list_put(struct placing *placing)
{
	struct bytes bytes = {0};
	parts_list(placing, &bytes);
	enum varve_status status =
		packed_file_section(placing->target.files, SECTION_PARTS, &bytes, placing->causes);
	bytes_clear(&bytes);
	return status;
}

/* Writes for each file the number of its streams; for all files but the first, also the length and the checksum of the header
 * of the foot. */
static enum varve_status put_files(struct placing *placing)
{
	const struct packed_target *target = &placing->target;
	struct bytes bytes = {0};
	if (target->count == 1)
		return VARVE_OK;
	bytes_number(&bytes, target->count);
	for (size_t i = 0; i < target->count; i++) {
		const struct packed_file *file = &target->files[i];
		bytes_number(&bytes, placing->shares[i]);
		if (!i)
			continue;
		bytes_number(&bytes, file->at);
		bytes_put(&bytes, &file->check, sizeof file->check);
	}
	enum varve_status status =
		packed_file_section(placing->target.files, SECTION_FILES, &bytes, placing->causes);
	bytes_clear(&bytes);
	return status;
}

static enum varve_status put_nodes(struct placing *placing)
{
	const struct varve_trace *trace = placing->trace;
	struct bytes bytes = {0};
	bytes_number(&bytes, (uint64_t)placing->time);
	uint64_t overruns = 0, candidates = 0;
	for (size_t i = 0; i < placing->count; i++) {
		overruns += placing->streams[i].tracks[PACKED_CALLS].tree.overruns;
		candidates += placing->streams[i].tracks[PACKED_CALLS].tree.candidates;
	}
	bytes_number(&bytes, overruns);
	bytes_number(&bytes, candidates);
	bytes_number(&bytes, trace->world);
	/* A trace that is packed again keeps the size of what was recorded. */
	bytes_number(&bytes, trace->packed ? trace->packed_size : trace->size);
	bytes_number(&bytes, trace->node_count);
	for (size_t i = 0; i < trace->node_count; i++) {
		const struct trace_node *node = &trace->nodes[i];
		bytes_number(&bytes, node->number);
		bytes_number(&bytes, trace->packed ? node->packed_size : node->size);
		bytes_number(&bytes, (unsigned)node->indexed | (unsigned)node->lanes_left << 1 |
					     (unsigned)node->lanes_away << 2);
		bytes_number(&bytes, (uint64_t)node->aligned);
		bytes_number(&bytes, zigzag(node->shift_ns));
		bytes_number(&bytes, zigzag(node->error_ns));
		bytes_number(&bytes, node->first_process);
		bytes_number(&bytes, node->last_process);
		bytes_text(&bytes, node->description, node->description_length);
		bytes_text(&bytes, node->clock, node->clock_length);
		bytes_text(&bytes, (const char *)&node->end, sizeof node->end);
	}
	bytes_text(&bytes, (const char *)trace->loss, sizeof trace->loss);
	enum varve_status status =
		packed_file_section(placing->target.files, SECTION_NODES, &bytes, placing->causes);
	bytes_clear(&bytes);
	return status;
}

/* Readers of the packed trace report what is missing in the source. */
static enum varve_status put_damage(struct placing *placing)
{
	const struct varve_trace *trace = placing->trace;
	struct bytes bytes = {0};
	bytes_number(&bytes, trace->damage_count);
	for (size_t i = 0; i < trace->damage_count; i++) {
		const struct varve_damage *damage = &trace->damage[i];
		bytes_text(&bytes, damage->file, strlen(damage->file));
		bytes_number(&bytes, damage->offset);
		bytes_number(&bytes, damage->length);
		bytes_text(&bytes, damage->why, strlen(damage->why));
	}
	bytes_number(&bytes, trace->damage_more);
	enum varve_status status =
		packed_file_section(placing->target.files, SECTION_DAMAGE, &bytes, placing->causes);
	bytes_clear(&bytes);
	return status;
}

static enum varve_status put_tables(struct placing *placing)
{
	struct bytes bytes = {0};
	enum varve_status status =
		tables_write(placing->trace, placing->streams, &bytes, placing->causes);
	if (status == VARVE_OK)
		status = packed_file_section(placing->target.files, SECTION_TABLES, &bytes,
					     placing->causes);
	bytes_clear(&bytes);
	return status;
}

static enum varve_status put_answers(struct placing *placing)
{
	struct bytes bytes = {0};
	enum varve_status status = answers_write(placing->trace, &bytes, placing->causes);
	if (status == VARVE_OK && bytes.length)
		status = packed_file_section(placing->target.files, SECTION_ANSWERS, &bytes,
					     placing->causes);
	bytes_clear(&bytes);
	return status;
}

/* The first file lists the others, so it is written last. Everything that contains positions is written before the data. */
static enum varve_status sections_put(struct placing *placing, struct pack_result *result)
{
	struct packed_file *first = placing->target.files;
	TRY(parts_place(placing));
	for (size_t i = 1; i < placing->target.count; i++) {
		TRY(parts_write(placing, i));
		TRY(packed_file_foot(&placing->target.files[i], placing->causes));
	}
	TRY(put_nodes(placing));
	TRY(put_tables(placing));
	TRY(put_tracks(placing, SECTION_STRUCTURE));
	TRY(put_tracks(placing, SECTION_OTHERS));
	TRY(put_tracks(placing, SECTION_REST));
	TRY(put_streams(placing));
	TRY(part_list_put(placing));
	TRY(put_files(placing));
	TRY(put_answers(placing));
	TRY(put_damage(placing));
	TRY(packed_file_guard(first, placing->causes));
	TRY(parts_write(placing, 0));
	TRY(packed_file_foot(first, placing->causes));
	const struct packed_foot *foot = &placing->target.files->foot;
	result->bytes = 0;
	result->structure_bytes = foot->section[SECTION_STRUCTURE].length;
	result->data_bytes = foot->section[SECTION_DATA].length;
	result->files = placing->target.count;
	for (size_t i = 0; i < placing->target.count; i++) {
		result->bytes += placing->target.files[i].at;
		result->data_bytes += i ? placing->target.files[i].at : 0;
	}
	result->classes = placing->classes[PACKED_CALLS];
	return VARVE_OK;
}

/* Called before the packed trace replaces anything. */
static enum varve_status file_verify(const struct packed_target *target,
				     const struct pack_settings *settings,
				     struct varve_causes *causes)
{
	int files[PACKED_FILES_MOST];
	for (size_t i = 0; i < target->count; i++)
		files[i] = target->files[i].fd;
	return pack_verify(settings->source, files, target->count, causes);
}

static enum varve_status sync_all(const struct packed_target *target, struct varve_causes *causes)
{
	for (size_t i = 0; i < target->count; i++)
		TRY(packed_file_sync(&target->files[i], causes));
	return VARVE_OK;
}

enum varve_status packed_write(struct varve_trace *trace, struct packed_stream *streams,
			       const struct pack_settings *settings, struct pack_result *result,
			       struct varve_causes *causes)
{
	/* Too large for a stack, which may be small. */
	struct placing *placing = calloc(1, sizeof *placing);
	if (!placing)
		return cause(causes, VARVE_NO_MEMORY, "no memory for %zu streams",
			     trace->stream_count);
	placing->trace = trace;
	placing->streams = streams;
	placing->time = settings->time;
	placing->count = trace->stream_count;
	placing->causes = causes;
	size_t files = settings->files < placing->count ? settings->files : placing->count;
	files = files < 1 ? 1 : files;
	enum varve_status status = sections_place(placing);
	if (status == VARVE_OK)
		status = packed_target_open(&placing->target, settings->target, files,
					    trace->run_id, causes);
	if (status == VARVE_OK)
		status = sections_put(placing, result);
	if (status == VARVE_OK)
		status = sync_all(&placing->target, causes);
	if (status == VARVE_OK && settings->verify)
		status = file_verify(&placing->target, settings, causes);
	if (status == VARVE_OK)
		status = packed_target_publish(&placing->target, settings->target,
					       &result->replaced, causes);
	packed_target_drop(&placing->target);
	free(placing->order);
	free(placing->class_of);
	free(placing->blocks);
	free(placing);
	return status;
}
