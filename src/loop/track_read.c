/* Loop: reads a track. See track_read.h. */
#include "loop/track_read.h"

#include <stdlib.h>
#include <string.h>

/* Walking over fewer events than this costs less than computing how to skip them. */
enum { WALKED = 1024 };

enum varve_status track_damaged(struct varve_causes *causes, const char *what)
{
	return cause(causes, VARVE_DAMAGED, "damaged stream: %s", what);
}

enum varve_status track_no_memory(struct varve_causes *causes)
{
	return cause(causes, VARVE_NO_MEMORY, "no memory to read a stream");
}

/* Raw trip counts are read at once, because the walk needs all of them. */
static enum varve_status trips_read(struct track_reader *reader, struct varve_causes *causes)
{
	const struct track *track = reader->track;
	size_t room = TRIPS_BYTES_MOST;
	reader->tree.trips = calloc(reader->tree.loops + 1, sizeof *reader->tree.trips);
	if (!reader->tree.trips)
		return track_no_memory(causes);
	for (size_t i = 0; i < reader->tree.loops; i++) {
		const struct values *values = &track->trips[i];
		struct fold_trips *trips = &reader->tree.trips[i];
		trips->count = values->count;
		if (!values->raw) {
			trips->series = (struct series){.blocks = values->blocks,
							.count = values->block_count,
							.values = values->count};
			continue;
		}
		if (values->count > room / sizeof *trips->raw)
			return cause(causes, VARVE_LIMIT,
				     "the loops of a stream are too irregular to be read in %d MiB "
				     "of memory",
				     TRIPS_BYTES_MOST >> 20);
		room -= (size_t)values->count * sizeof *trips->raw;
		trips->raw = malloc((size_t)values->count * sizeof *trips->raw + 1);
		if (!trips->raw)
			return track_no_memory(causes);
		struct values_reader column;
		values_open(&column, values, reader->file, reader->file_size);
		enum varve_status status = values_take(&column, reader->decoder,
						       (size_t)values->count, trips->raw, causes);
		values_close(&column);
		TRY(status);
	}
	return VARVE_OK;
}

static enum varve_status reader_start(struct track_reader *reader, struct varve_causes *causes)
{
	const struct track *track = reader->track;
	for (size_t i = 0; i < track->group_count; i++)
		reader->column_count += track->shapes[track->groups[i].shape].columns;
	reader->taken = arena_get(&reader->memory, track->group_count + 1, sizeof *reader->taken);
	reader->first_column =
		arena_get(&reader->memory, track->group_count + 1, sizeof *reader->first_column);
	reader->columns =
		arena_get(&reader->memory, reader->column_count + 1, sizeof *reader->columns);
	if (!reader->taken || !reader->first_column || !reader->columns)
		return track_no_memory(causes);
	for (size_t i = 0, next = 0; i < track->group_count; i++) {
		reader->first_column[i] = next;
		next += track->shapes[track->groups[i].shape].columns;
	}
	TRY(trips_read(reader, causes));
	reader->tree.symbols = track->events;
	TRY(fold_tree_check(&reader->tree, causes));
	TRY(fold_walk_start(&reader->walk, &reader->tree, causes));
	reader->walking = true;
	return VARVE_OK;
}

enum varve_status track_open(struct track_reader *reader, const struct track *track,
			     const uint8_t *file, size_t file_size, struct column_decoder *decoder,
			     struct varve_causes *causes)
{
	*reader = (struct track_reader){.track = track,
					.file = file,
					.file_size = file_size,
					.decoder = decoder,
					.tree = track->tree};
	reader->tree.trips = NULL;
	enum varve_status status = reader_start(reader, causes);
	if (status != VARVE_OK)
		track_close(reader);
	return status;
}

void track_close(struct track_reader *reader)
{
	for (size_t i = 0; reader->columns && i < reader->column_count; i++)
		if (reader->columns[i])
			values_close(&reader->columns[i]->reader);
	for (size_t i = 0; reader->tree.trips && i < reader->tree.loops; i++)
		free(reader->tree.trips[i].raw);
	if (reader->walking)
		fold_walk_stop(&reader->walk);
	free(reader->tree.trips);
	arena_clear(reader->memory.chunks);
	*reader = (struct track_reader){0};
}

void track_rewind(struct track_reader *reader)
{
	fold_walk_rewind(&reader->walk);
	memset(reader->taken, 0, reader->track->group_count * sizeof *reader->taken);
	reader->times = reader->at = 0;
}

/* Makes sure that there is a span to take events from; VARVE_DAMAGED if there is none. */
static enum varve_status span_next(struct track_reader *reader, struct varve_causes *causes)
{
	if (reader->times)
		return VARVE_OK;
	fold_walk_next(&reader->walk, &reader->branch, &reader->leaves, &reader->times);
	reader->leaf = 0;
	return reader->times ? VARVE_OK
			     : track_damaged(causes, "it has fewer records than its header states");
}

/* Counts `count` more events of one group. */
static enum varve_status group_took(struct track_reader *reader, uint32_t group, uint64_t count,
				    struct varve_causes *causes)
{
	if (count > reader->track->groups[group].count - reader->taken[group])
		return track_damaged(causes, "a group has more events than its count");
	reader->taken[group] += count;
	return VARVE_OK;
}

enum varve_status track_take(struct track_reader *reader, size_t count, uint32_t *group,
			     struct varve_causes *causes)
{
	const struct fold_branch *branches = reader->tree.branches;
	reader->at += count;
	while (count) {
		TRY(span_next(reader, causes));
		if (reader->leaves == 1) {
			size_t some = count < reader->times ? count : (size_t)reader->times;
			uint32_t one = branches[reader->branch].symbol;
			for (size_t i = 0; i < some; i++)
				group[i] = one;
			TRY(group_took(reader, one, some, causes));
			reader->times -= some;
			group += some;
			count -= some;
			continue;
		}
		for (; count && reader->times; count--) {
			uint32_t one = branches[reader->branch + reader->leaf].symbol;
			*group++ = one;
			TRY(group_took(reader, one, 1, causes));
			if (++reader->leaf == reader->leaves) {
				reader->leaf = 0;
				reader->times--;
			}
		}
	}
	return VARVE_OK;
}

/* Skips complete repetitions of the span, at most `*left` events, and decreases `*left` by their number. */
static enum varve_status rounds_skip(struct track_reader *reader, uint64_t *left,
				     struct varve_causes *causes)
{
	uint64_t rounds = *left / reader->leaves;
	rounds = rounds < reader->times ? rounds : reader->times;
	for (size_t i = 0; rounds && i < reader->leaves; i++)
		TRY(group_took(reader, reader->tree.branches[reader->branch + i].symbol, rounds,
			       causes));
	reader->times -= rounds;
	*left -= rounds * reader->leaves;
	return VARVE_OK;
}

static enum varve_status group_passed(void *context, uint32_t group, uint64_t count,
				      struct varve_causes *causes)
{
	return group_took(context, group, count, causes);
}

enum varve_status track_skip(struct track_reader *reader, uint64_t at, struct varve_causes *causes)
{
	uint64_t left = at - reader->at;
	uint32_t dropped[1];
	while (left) {
		if (!reader->times && left >= WALKED) {
			uint64_t before = left;
			TRY(fold_walk_skip(&reader->walk, &left, group_passed, reader, causes));
			reader->at += before - left;
			if (!left)
				break;
		}
		TRY(span_next(reader, causes));
		uint64_t before = left;
		if (!reader->leaf)
			TRY(rounds_skip(reader, &left, causes));
		reader->at += before - left;
		if (left && reader->times) {
			TRY(track_take(reader, 1, dropped, causes));
			left--;
		}
	}
	return VARVE_OK;
}

enum varve_status track_values(struct track_reader *reader, uint32_t group, uint32_t column,
			       uint64_t first, size_t count, uint64_t *values,
			       struct varve_causes *causes)
{
	struct track_column **place = &reader->columns[reader->first_column[group] + column];
	if (!*place) {
		*place = arena_get(&reader->memory, 1, sizeof **place);
		if (!*place)
			return track_no_memory(causes);
		values_open(&(*place)->reader, &reader->track->groups[group].columns[column],
			    reader->file, reader->file_size);
	}
	struct track_column *from = *place;
	bool there = from->at == first;
	from->at = UINT64_MAX; /* after a failure the position is unknown */
	if (!there)
		TRY(values_seek(&from->reader, reader->decoder, first, causes));
	TRY(values_take(&from->reader, reader->decoder, count, values, causes));
	from->at = first + count;
	return VARVE_OK;
}
