/* Trace: reads the records of a chunk of a packed trace as records of a block. See packed.h.
 *
 * Calls and records of the runtime are two tracks; the runtime track stores how many calls precede each of its records.
 * For each page the groups of its rows are read first, then for each group the requested columns.
 */
#include "trace/packed/packed.h"

#include <stdlib.h>
#include <string.h>

/* The rows of one track in a page. */
struct rows {
	size_t count;
	uint32_t group[TAKE_MOST];
	uint16_t row[TAKE_MOST]; /* rows of the page, sorted by group */
	/* for each group in the page: index in `row` of its first row */
	uint16_t touched[TAKE_MOST];
	size_t touched_count;
};

struct chunk_reader {
	struct packed *packed;
	struct packed_place *place;
	struct packed_tracks *tracks;
	const struct record_form *forms[2]; /* of calls and runtime */
	int time;			    /* enum packed_time */
	unsigned want;
	/* by function: which parts of its records are requested; NULL: all */
	const uint32_t *some;
	uint32_t functions; /* number of entries of `some` */
	uint32_t chunk;
	size_t records, at;
	struct track_reader *calls, *runtime, *ordinals;
	uint64_t runtime_left; /* remaining events of the runtime track */
	uint64_t gap;	       /* number of calls before the next one of these */
	uint32_t runtime_group;
	uint64_t odd_left, odd_row, odd_number;
	uint64_t ordinal;
	struct chunk_times times;
	struct rows rows[2];
	uint16_t calls_row[TAKE_MOST], runtime_row[TAKE_MOST];
	uint32_t runtime_groups[TAKE_MOST];
	uint32_t *seen; /* by group: number of rows in this page; for calls, then for runtime */
	uint64_t values[TAKE_MOST], more[TAKE_MOST];
};

/* Reads the next runtime record: its group, and how many calls precede it. */
static enum varve_status runtime_next(struct chunk_reader *reader, struct varve_causes *causes)
{
	if (!reader->runtime_left)
		return VARVE_OK;
	reader->runtime_left--;
	TRY(track_take(reader->runtime, 1, &reader->runtime_group, causes));
	uint64_t first = reader->runtime->taken[reader->runtime_group] - 1;
	return track_values(reader->runtime, reader->runtime_group, 0, first, 1, &reader->gap,
			    causes);
}

/* Divides the rows of the page into calls and runtime records. */
static enum varve_status rows_split(struct chunk_reader *reader, size_t count, size_t *calls,
				    size_t *runtime, struct varve_causes *causes)
{
	*calls = *runtime = 0;
	for (size_t row = 0; row < count;) {
		bool more = reader->runtime_group != UINT32_MAX;
		uint64_t some = more ? reader->gap : UINT64_MAX;
		if (more && !some) {
			reader->runtime_row[*runtime] = (uint16_t)row++;
			reader->runtime_groups[(*runtime)++] = reader->runtime_group;
			reader->runtime_group = UINT32_MAX;
			TRY(runtime_next(reader, causes));
			continue;
		}
		some = some < count - row ? some : count - row;
		if (more)
			reader->gap -= some;
		for (; some; some--)
			reader->calls_row[(*calls)++] = (uint16_t)row++;
	}
	return VARVE_OK;
}

/* Sorts the rows of a track by group; rows of a group keep their order. */
static void rows_sort_by_group(struct rows *rows, const uint16_t *row, uint32_t *seen)
{
	rows->touched_count = 0;
	size_t next = 0;
	for (size_t i = 0; i < rows->count; i++)
		seen[rows->group[i]]++;
	/* Groups are placed in the order of their first rows. */
	for (size_t i = 0; i < rows->count; i++) {
		uint32_t group = rows->group[i];
		if (seen[group] & 0x80000000u) {
			rows->row[seen[group] & 0xffff] = row[i];
			seen[group]++;
			continue;
		}
		size_t count = seen[group];
		rows->touched[rows->touched_count++] = (uint16_t)next;
		rows->row[next] = row[i];
		seen[group] = 0x80000000u | (uint32_t)(next + 1);
		next += count;
	}
	for (size_t i = 0; i < rows->count; i++)
		seen[rows->group[i]] = 0;
}

static void words_scatter(const uint64_t *values, const uint16_t *row, size_t count,
			  const uint32_t *at, uint32_t word, uint64_t *words)
{
	/* The usual case: the rows are neighbours, and so are their words. */
	for (size_t i = 0; i < count; i++)
		words[at[row[i]] + word] = values[i];
}

/* Replaces the handle numbers of calls by those of the process; 0 is none. */
static enum varve_status handles_map(const struct chunk_reader *reader, bool runtime_track,
				     uint64_t *values, size_t count, struct varve_causes *causes)
{
	const struct packed_tracks *tracks = reader->tracks;
	for (size_t i = 0; !runtime_track && i < count; i++) {
		if (values[i] > tracks->handle_count)
			return chunk_damaged(causes, "a handle is not in its list");
		values[i] = values[i] ? tracks->handles[values[i] - 1] : 0;
	}
	return VARVE_OK;
}

/* Replaces names by their ids in the chunk. */
static enum varve_status names_map(const struct chunk_reader *reader, bool runtime_track,
				   uint64_t *values, size_t count, struct varve_causes *causes)
{
	for (size_t i = 0; i < count; i++) {
		const struct packed_names *names =
			&reader->tracks->names[runtime_track ? values[i] & 1 : 0];
		uint64_t number = runtime_track ? values[i] >> 1 : values[i];
		if (number > names->count)
			return chunk_damaged(causes, "a name is not in its list");
		uint64_t local = number ? names->local[number - 1] : 0;
		values[i] = local >> 32 == reader->chunk + 1u ? (uint32_t)local : 0;
	}
	return VARVE_OK;
}

/* One group of rows; `row` has `count` entries. */
struct group_rows {
	struct chunk_reader *reader;
	struct track_reader *track;
	const struct record_form *form;
	const struct record_columns *to;
	const uint16_t *row;
	size_t count;
	uint32_t group;
	uint64_t first;
	bool runtime_track;
};

static enum varve_status column_of(const struct group_rows *group_rows, uint32_t column,
				   uint64_t *values, struct varve_causes *causes)
{
	return track_values(group_rows->track, group_rows->group, column, group_rows->first,
			    group_rows->count, values, causes);
}

static enum varve_status word_take(const struct group_rows *group_rows, unsigned word,
				   struct varve_causes *causes)
{
	struct chunk_reader *reader = group_rows->reader;
	const struct record_form *form = group_rows->form;
	uint64_t *values = reader->values;
	switch (form->kind[word]) {
	case WORD_FIXED:
		for (size_t i = 0; i < group_rows->count; i++)
			values[i] = form->fixed[word];
		break;
	case WORD_PAIR:
		TRY(column_of(group_rows, form->column[word] + 1u, reader->more, causes));
		TRY(handles_map(reader, group_rows->runtime_track, reader->more, group_rows->count,
				causes));
		TRY(column_of(group_rows, form->column[word], values, causes));
		for (size_t i = 0; i < group_rows->count; i++)
			values[i] = (uint32_t)values[i] | reader->more[i] << 32;
		break;
	case WORD_HANDLE:
		TRY(column_of(group_rows, form->column[word], values, causes));
		TRY(handles_map(reader, group_rows->runtime_track, values, group_rows->count,
				causes));
		break;
	case WORD_NAME:
		TRY(column_of(group_rows, form->column[word], values, causes));
		TRY(names_map(reader, group_rows->runtime_track, values, group_rows->count,
			      causes));
		break;
	default:
		TRY(column_of(group_rows, form->column[word], values, causes));
		break;
	}
	words_scatter(values, group_rows->row, group_rows->count, group_rows->to->word_at, word,
		      group_rows->to->words);
	return VARVE_OK;
}

static enum varve_status outcome_take(const struct group_rows *group_rows,
				      struct varve_causes *causes)
{
	const struct record_form *form = group_rows->form;
	uint64_t *values = group_rows->reader->values;
	if (form->result != RESULT_NONE)
		TRY(column_of(group_rows, form->result_column, values, causes));
	if (form->result == RESULT_HANDLE)
		TRY(handles_map(group_rows->reader, group_rows->runtime_track, values,
				group_rows->count, causes));
	for (size_t i = 0; i < group_rows->count; i++) {
		group_rows->to->result[group_rows->row[i]] =
			form->result == RESULT_NONE ? 0 : (int64_t)values[i];
		group_rows->to->error[group_rows->row[i]] = 0;
	}
	if (!(form->marks & VARVE_FAILED))
		return VARVE_OK;
	TRY(column_of(group_rows, form->error_column, values, causes));
	for (size_t i = 0; i < group_rows->count; i++)
		group_rows->to->error[group_rows->row[i]] = (int32_t)values[i];
	return VARVE_OK;
}

/* Sets function, depth and marks of the rows of a track. */
static void heads_take(const struct rows *rows, const struct record_form *forms,
		       const uint16_t *row, const struct record_columns *to)
{
	for (size_t i = 0; i < rows->count; i++) {
		const struct record_form *form = &forms[rows->group[i]];
		to->function[row[i]] = form->function;
		to->depth[row[i]] = form->depth;
		to->marks[row[i]] = form->marks;
		if (to->word_count)
			to->word_count[row[i]] = form->words;
	}
}

static uint32_t wanted_of(const struct chunk_reader *reader, uint16_t function)
{
	if (!reader->some)
		return WANT_WORDS_OF | WANT_OUTCOME;
	/* For a function that is not in the tables, all columns are decoded: a query may use them. */
	return function < reader->functions ? reader->some[function] : WANT_WORDS_OF | WANT_OUTCOME;
}

/* Reads results and words, group by group. */
static enum varve_status values_take_rows(struct chunk_reader *reader, unsigned which,
					  const uint16_t *row, const struct record_columns *to,
					  struct varve_causes *causes)
{
	struct rows *rows = &reader->rows[which];
	struct track_reader *track = which ? reader->runtime : reader->calls;
	if (!rows->count)
		return VARVE_OK;
	rows_sort_by_group(rows, row, reader->seen);
	/* Each group of the rows once, in the order of their first rows. */
	for (size_t i = 0, at = 0; i < rows->touched_count; i++) {
		size_t begin = rows->touched[i];
		size_t end = i + 1 < rows->touched_count ? rows->touched[i + 1] : rows->count;
		while (row[at] != rows->row[begin])
			at++;
		uint32_t group = rows->group[at];
		struct group_rows group_rows = {.reader = reader,
						.track = track,
						.form = &reader->forms[which][group],
						.to = to,
						.row = rows->row + begin,
						.count = end - begin,
						.group = group,
						.runtime_track = which};
		/* One record of the runtime track may have been read too early: it belongs to the next page. */
		uint64_t taken = track->taken[group];
		if (which && reader->runtime_group == group)
			taken--;
		group_rows.first = taken - group_rows.count;
		uint32_t some = wanted_of(reader, group_rows.form->function);
		if ((reader->want & WANT_RESULTS) && (some & WANT_OUTCOME))
			TRY(outcome_take(&group_rows, causes));
		for (unsigned word = 0;
		     (reader->want & WANT_WORDS) && word < group_rows.form->words; word++)
			if (some >> word & 1)
				TRY(word_take(&group_rows, word, causes));
	}
	return VARVE_OK;
}

/* Reads exact times, or sets each record's times to the means of its place in the program, or to 0. */
static enum varve_status times_take(struct chunk_reader *reader, const struct record_columns *to,
				    size_t count, struct varve_causes *causes)
{
	struct chunk_times *times = &reader->times;
	if (reader->time == PACKED_TIME_EXACT)
		return chunk_times_take(times, to, count, reader->values, causes);
	if (reader->time == PACKED_TIME_NONE) {
		memset(to->entry, 0, count * sizeof *to->entry);
		memset(to->exit, 0, count * sizeof *to->exit);
		return VARVE_OK;
	}
	int64_t gap[TAKE_MOST], duration[TAKE_MOST];
	const uint16_t *places[2] = {reader->calls_row, reader->runtime_row};
	for (unsigned which = 0; which < 2; which++) {
		const struct rows *rows = &reader->rows[which];
		for (size_t i = 0; i < rows->count; i++) {
			const int64_t *mean = reader->tracks->means[which][rows->group[i]];
			gap[places[which][i]] = reader->at + places[which][i] ? mean[0] : 0;
			duration[places[which][i]] = mean[1];
		}
	}
	chunk_times_guess(times, to, count, gap, duration);
	return VARVE_OK;
}

static enum varve_status odd_next(struct chunk_reader *reader, struct varve_causes *causes)
{
	reader->odd_row = UINT64_MAX;
	if (!reader->odd_left)
		return VARVE_OK;
	reader->odd_left--;
	uint32_t group;
	TRY(track_take(reader->ordinals, 1, &group, causes));
	const struct track *track = reader->ordinals->track;
	uint64_t first = reader->ordinals->taken[group] - 1;
	if (track->shapes[track->groups[group].shape].columns != 2)
		return chunk_damaged(causes,
				     "the list of ordinals has the wrong number of columns");
	TRY(track_values(reader->ordinals, group, 0, first, 1, &reader->odd_row, causes));
	return track_values(reader->ordinals, group, 1, first, 1, &reader->odd_number, causes);
}

static enum varve_status ordinals_take(struct chunk_reader *reader, const struct record_columns *to,
				       size_t before, size_t count, struct varve_causes *causes)
{
	for (size_t row = 0; row < count; row++) {
		if (before + row != reader->odd_row) {
			to->ordinal[row] = reader->ordinal++;
			continue;
		}
		to->ordinal[row] = reader->odd_number;
		if (reader->odd_number > reader->ordinal)
			reader->ordinal = reader->odd_number + 1;
		TRY(odd_next(reader, causes));
	}
	return VARVE_OK;
}

static enum varve_status chunk_take(void *context, const struct record_columns *to, size_t count,
				    struct varve_causes *causes)
{
	struct chunk_reader *reader = context;
	size_t before = reader->at, calls, runtime;
	TRY(rows_split(reader, count, &calls, &runtime, causes));
	struct rows *rows = reader->rows;
	rows[0].count = calls;
	rows[1].count = runtime;
	if (calls && !reader->calls)
		return chunk_damaged(causes, "it has more calls than its stream");
	if (calls)
		TRY(track_take(reader->calls, calls, rows[0].group, causes));
	if (before + count == reader->records && reader->runtime_group != UINT32_MAX)
		return chunk_damaged(causes, "it has records of the runtime after its end");
	memcpy(rows[1].group, reader->runtime_groups, runtime * sizeof *reader->runtime_groups);
	heads_take(&rows[0], reader->forms[0], reader->calls_row, to);
	heads_take(&rows[1], reader->forms[1], reader->runtime_row, to);
	TRY(ordinals_take(reader, to, before, count, causes));
	if (reader->want & WANT_TIMES)
		TRY(times_take(reader, to, count, causes));
	reader->at += count;
	if (!(reader->want & (WANT_RESULTS | WANT_WORDS)))
		return VARVE_OK;
	uint32_t next = 0;
	for (size_t row = 0; (reader->want & WANT_WORDS) && row < count; row++) {
		to->word_at[row] = next;
		next += to->word_count[row];
	}
	TRY(values_take_rows(reader, 0, reader->calls_row, to, causes));
	return values_take_rows(reader, 1, reader->runtime_row, to, causes);
}

static void chunk_close(void *context)
{
	struct chunk_reader *reader = context;
	chunk_times_close(&reader->times);
	free(reader->seen);
	packed_tracks_give(reader->packed, reader->place, reader->tracks);
	free(reader);
}

static enum varve_status chunk_open(struct chunk_reader *reader, struct varve_causes *causes)
{
	struct packed *packed = reader->packed;
	struct packed_place *place = reader->place;
	struct packed_tracks *tracks = reader->tracks;
	const struct packed_chunk *chunk = &place->chunks[reader->chunk], *next = chunk + 1;
	TRY(packed_track(packed, place, tracks, PACKED_CALLS, chunk->at[PACKED_CALLS],
			 &reader->calls, causes));
	reader->runtime_left = next->at[PACKED_RUNTIME] - chunk->at[PACKED_RUNTIME];
	if (reader->runtime_left)
		TRY(packed_track(packed, place, tracks, PACKED_RUNTIME, chunk->at[PACKED_RUNTIME],
				 &reader->runtime, causes));
	reader->odd_left = next->at[PACKED_ORDINALS] - chunk->at[PACKED_ORDINALS];
	if (reader->odd_left)
		TRY(packed_track(packed, place, tracks, PACKED_ORDINALS, chunk->at[PACKED_ORDINALS],
				 &reader->ordinals, causes));
	if ((reader->runtime_left && !reader->runtime) || (reader->odd_left && !reader->ordinals))
		return chunk_damaged(causes, "it has more records than its stream");
	TRY(packed_forms(packed, place, PACKED_CALLS, &reader->forms[0], causes));
	TRY(packed_forms(packed, place, PACKED_RUNTIME, &reader->forms[1], causes));
	if (reader->want & (WANT_WORDS | WANT_RESULTS))
		TRY(packed_handles_load(packed, place, tracks, causes));
	if (reader->want & WANT_WORDS)
		TRY(packed_locals(packed, place, tracks, reader->chunk, causes));
	size_t groups = tracks->track[PACKED_CALLS].group_count;
	if (groups < tracks->track[PACKED_RUNTIME].group_count)
		groups = tracks->track[PACKED_RUNTIME].group_count;
	reader->seen = calloc(groups + 1, sizeof *reader->seen);
	if (!reader->seen)
		return cause(causes, VARVE_NO_MEMORY, "no memory for a chunk");
	reader->runtime_group = UINT32_MAX;
	TRY(runtime_next(reader, causes));
	TRY(odd_next(reader, causes));
	if (!(reader->want & WANT_TIMES) || reader->time == PACKED_TIME_NONE)
		return VARVE_OK;
	return reader->time == PACKED_TIME_EXACT
		       ? chunk_times_open(&reader->times, packed, place, reader->chunk,
					  reader->records, causes)
		       : packed_means_load(packed, place, tracks, causes);
}

enum varve_status packed_reader_open(struct block_reader *result, struct varve_trace *trace,
				     const struct trace_block *block, unsigned want,
				     const uint32_t *some, struct varve_causes *causes)
{
	static const struct block_source source = {chunk_take, chunk_close};
	struct packed_place *place = &trace->packed->places[block->place - trace->packed->places];
	struct chunk_reader *reader = malloc(sizeof *reader);
	*result = (struct block_reader){.header = block->header, .want = want};
	if (!reader)
		return cause(causes, VARVE_NO_MEMORY, "no memory for a chunk");
	memset(reader, 0, offsetof(struct chunk_reader, rows));
	reader->seen = NULL;
	reader->packed = trace->packed;
	reader->place = place;
	reader->time = trace->time;
	if (trace->time == PACKED_TIME_HISTOGRAM)
		reader->times.entry = reader->times.exit = block->header.first_tick;
	reader->want = want;
	reader->some = some;
	reader->functions = (uint32_t)trace->id_count;
	reader->chunk = block->chunk;
	reader->records = (size_t)block->header.records;
	reader->ordinal = block->header.first_ordinal;
	enum varve_status status =
		packed_tracks_take(trace->packed, place, &reader->tracks, causes);
	if (status != VARVE_OK) {
		free(reader);
		return status;
	}
	status = chunk_open(reader, causes);
	if (status != VARVE_OK) {
		chunk_close(reader);
		return status;
	}
	result->source = &source;
	result->context = reader;
	result->count = reader->records;
	return VARVE_OK;
}
