/* Trace: loads the tracks of one stream of a packed trace when they are needed. See packed.h. */
#include "trace/packed/packed.h"

#include "loop/skeleton.h"

#include <stdlib.h>
#include <string.h>

/* Limits of the names and handles of one stream in memory. */
enum { ENTRIES_MOST = 1 << 24, TEXT_MOST = 1 << 20 };

/* Memory that tracks may use while no reader uses them. */
static const size_t kept_most = (size_t)1 << 30;

enum varve_status packed_tracks_take(struct packed *packed, struct packed_place *place,
				     struct packed_tracks **result, struct varve_causes *causes)
{
	if (place->tracks && !place->tracks->lent) {
		place->tracks->lent = true;
		*result = place->tracks;
		return VARVE_OK;
	}
	struct packed_tracks *tracks = calloc(1, sizeof *tracks);
	if (!tracks)
		return track_no_memory(causes);
	tracks->lent = true;
	tracks->budget = DECODE_BUDGET(packed->size);
	tracks->memory.budget = &tracks->budget;
	if (!place->tracks)
		place->tracks = tracks;
	*result = tracks;
	return VARVE_OK;
}

/* The largest amount of memory that the tracks can use. */
static size_t tracks_weight(const struct packed *packed, const struct packed_place *place,
			    const struct packed_tracks *tracks)
{
	size_t bytes = sizeof *tracks + (DECODE_BUDGET(packed->size) - tracks->budget);
	for (size_t i = 0; i < PACKED_TRACKS; i++)
		if (tracks->loaded[i])
			bytes += packed->classes[i][place->class_of[i] - 1].weight;
	return bytes;
}

void packed_tracks_give(struct packed *packed, struct packed_place *place,
			struct packed_tracks *tracks)
{
	tracks->lent = false;
	size_t now = tracks_weight(packed, place, tracks);
	packed->kept += now - tracks->weight;
	tracks->weight = now;
	if (place->tracks == tracks && packed->kept <= kept_most)
		return;
	if (place->tracks == tracks) {
		packed_tracks_forget(packed, place);
	} else {
		packed->kept -= now;
		packed_tracks_free(tracks);
	}
}

void packed_tracks_forget(struct packed *packed, struct packed_place *place)
{
	if (!place->tracks)
		return;
	packed->kept -= place->tracks->weight;
	packed_tracks_free(place->tracks);
	place->tracks = NULL;
}

static void track_shut(struct packed_tracks *tracks, size_t track)
{
	if (tracks->readers[track])
		track_close(tracks->readers[track]);
	free(tracks->readers[track]);
	tracks->readers[track] = NULL;
}

/* Frees a track that was read to its end and is not needed any more. */
static void track_leave(struct packed_tracks *tracks, size_t track)
{
	track_shut(tracks, track);
	if (tracks->loaded[track])
		member_clear(&tracks->track[track]);
	tracks->loaded[track] = false;
}

void packed_tracks_free(struct packed_tracks *tracks)
{
	if (!tracks)
		return;
	for (size_t i = 0; i < PACKED_TRACKS; i++) {
		track_shut(tracks, i);
		if (tracks->loaded[i])
			member_clear(&tracks->track[i]);
	}
	arena_clear(tracks->memory.chunks);
	free(tracks->events);
	free(tracks);
}

/* Loads a track of the stream with its parts, which are after the parts of the tracks before it. */
static enum varve_status track_load(struct packed *packed, const struct packed_place *place,
				    struct packed_tracks *tracks, size_t track,
				    struct varve_causes *causes)
{
	size_t first = place->first_part;
	if (tracks->loaded[track])
		return VARVE_OK;
	for (size_t i = 0; i < PACKED_TRACKS; i++) {
		size_t at = packed_part_order[i];
		if (i == PACKED_TIMES_PLACE && place->chunks)
			first = place->first_time + place->chunks[place->chunk_count].time_part;
		if (!place->class_of[at])
			continue;
		const struct track_class *class = &packed->classes[at][place->class_of[at] - 1];
		size_t count = class_parts(class, place->member_of[at]);
		if (count > place->first_part + place->part_count - first)
			return track_damaged(causes, "parts of it are missing");
		if (at == track) {
			TRY(class_member(class, place->member_of[at], &tracks->track[at], causes));
			track_parts_set(&tracks->track[at], packed->parts + first);
			tracks->loaded[track] = true;
			return VARVE_OK;
		}
		first += count;
	}
	return VARVE_OK;
}

static enum varve_status reader_open(struct packed *packed, struct packed_tracks *tracks,
				     size_t track, struct track_reader **reader,
				     struct varve_causes *causes)
{
	*reader = malloc(sizeof **reader);
	if (!*reader)
		return track_no_memory(causes);
	enum varve_status status = track_open(*reader, &tracks->track[track], packed->file,
					      packed->size, &packed->decoder, causes);
	if (status == VARVE_OK)
		tracks->readers[track] = *reader;
	else
		free(*reader);
	return status;
}

enum varve_status packed_track(struct packed *packed, const struct packed_place *place,
			       struct packed_tracks *tracks, size_t track, uint64_t at,
			       struct track_reader **result, struct varve_causes *causes)
{
	*result = NULL;
	if (!place->class_of[track])
		return VARVE_OK;
	TRY(track_load(packed, place, tracks, track, causes));
	if (at > tracks->track[track].events)
		return track_damaged(causes, "it has fewer records than it claims");
	struct track_reader *reader = tracks->readers[track];
	if (!reader)
		TRY(reader_open(packed, tracks, track, &reader, causes));
	else if (reader->at > at)
		track_rewind(reader);
	enum varve_status status = track_skip(reader, at, causes);
	if (status == VARVE_OK)
		*result = reader;
	else
		track_shut(tracks, track);
	return status;
}

/* Reads the layout of records from a shape; the bytes are described in packed/packed_layout.h. */
static bool form_read(const struct track_shape *shape, bool runtime, struct record_form *form)
{
	struct input input = {shape->key, shape->key + shape->length, false};
	const uint8_t *head = input_bytes(&input, RECORD_KEY_HEAD);
	if (!head || head[4] > RESULT_HANDLE || head[5] > RECORD_ARGUMENTS_MOST)
		return false;
	*form = (struct record_form){.function = (uint16_t)(head[0] | head[1] << 8),
				     .depth = head[2],
				     .marks = head[3],
				     .result = head[4],
				     .words = head[5]};
	/* Only the runtime track has records that continue a call of an earlier block. */
	const unsigned known = VARVE_FAILED | VARVE_UNFINISHED | VARVE_VFORK | VARVE_RUNTIME |
			       (runtime ? VARVE_CONTINUED : 0);
	const unsigned both = VARVE_FAILED | VARVE_UNFINISHED;
	if ((form->marks & ~known) || (form->marks & both) == both)
		return false;
	unsigned column = runtime;
	bool finished = !(form->marks & VARVE_UNFINISHED);
	if (finished != (form->result != RESULT_NONE))
		return false;
	form->result_column = (uint8_t)column;
	column += finished;
	form->error_column = (uint8_t)column;
	column += form->marks & VARVE_FAILED ? 1 : 0;
	for (unsigned i = 0; i < form->words; i++) {
		const uint8_t *kind = input_bytes(&input, 1);
		if (!kind || *kind > WORD_HANDLE)
			return false;
		form->kind[i] = *kind;
		form->column[i] = (uint8_t)column;
		if (*kind == WORD_FIXED)
			form->fixed[i] = input_number(&input);
		column += *kind == WORD_FIXED ? 0 : *kind == WORD_PAIR ? 2 : 1;
	}
	return !input.bad && input.at == input.end && column == shape->columns;
}

enum varve_status packed_forms(struct packed *packed, const struct packed_place *place,
			       size_t track, const struct record_form **result,
			       struct varve_causes *causes)
{
	*result = NULL;
	if (!place->class_of[track])
		return VARVE_OK;
	struct record_form ***known = &packed->forms[track == PACKED_RUNTIME];
	size_t at = place->class_of[track] - 1;
	if (!*known)
		*known = calloc(packed->class_count[track], sizeof **known);
	if (!*known)
		return track_no_memory(causes);
	*result = (*known)[at];
	if (*result)
		return VARVE_OK;
	const struct track_class *class = &packed->classes[track][at];
	struct record_form *forms = calloc(class->group_count + 1, sizeof *forms);
	if (!forms)
		return track_no_memory(causes);
	for (size_t i = 0; i < class->group_count; i++) {
		if (!form_read(&class->shapes[class->groups[i].shape], track == PACKED_RUNTIME,
			       &forms[i])) {
			free(forms);
			return track_damaged(causes, "a record has a wrong shape");
		}
	}
	*result = (*known)[at] = forms;
	return VARVE_OK;
}

/* Reads the text of one name; its values follow the value of its base. */
static enum varve_status text_read(struct packed_tracks *tracks, const struct track_shape *shape,
				   const uint64_t *values, struct packed_text *text,
				   struct varve_causes *causes)
{
	if (shape->length < 2 || !shape->columns ||
	    (shape->key[0] & ~NAME_BASE_AS_IS) > VARVE_BASE_UNKNOWN)
		return track_damaged(causes, "a name has a wrong shape");
	const uint8_t *key = shape->key + 2;
	size_t length = shape->length - 2u;
	size_t bytes = skeleton_join(key, length, values + 1, shape->columns - 1u, NULL);
	if (bytes > TEXT_MOST)
		return track_damaged(causes, "a name does not match its skeleton");
	char *joined = arena_get(&tracks->memory, bytes + 1, 1);
	if (!joined)
		return cause(causes, VARVE_LIMIT, "the names of a stream need too much memory");
	skeleton_join(key, length, values + 1, shape->columns - 1u, joined);
	*text = (struct packed_text){joined, (uint32_t)bytes, shape->key[0], (uint32_t)values[0]};
	return VARVE_OK;
}

static enum varve_status names_read(struct packed *packed, const struct packed_place *place,
				    struct packed_tracks *tracks, unsigned table,
				    struct varve_causes *causes)
{
	struct packed_names *names = &tracks->names[table];
	size_t track = table ? PACKED_OTHER_NAMES : PACKED_NAMES;
	struct track_reader *reader;
	TRY(packed_track(packed, place, tracks, track, 0, &reader, causes));
	names->loaded = true;
	if (!reader)
		return VARVE_OK;
	uint64_t count = tracks->track[track].events;
	if (count > ENTRIES_MOST)
		return cause(causes, VARVE_LIMIT, "a stream has more than %d names", ENTRIES_MOST);
	names->texts = arena_get(&tracks->memory, (size_t)count, sizeof *names->texts);
	names->local = arena_get(&tracks->memory, (size_t)count, sizeof *names->local);
	if (!names->texts || !names->local)
		return cause(causes, VARVE_LIMIT, "the names of a stream need too much memory");
	for (size_t i = 0; i < count; i++) {
		uint32_t group;
		uint64_t values[TRACK_COLUMNS_MOST];
		TRY(track_take(reader, 1, &group, causes));
		const struct track_shape *shape =
			&reader->track->shapes[reader->track->groups[group].shape];
		for (uint32_t k = 0; k < shape->columns; k++)
			TRY(track_values(reader, group, k, reader->taken[group] - 1, 1, &values[k],
					 causes));
		TRY(text_read(tracks, shape, values, &names->texts[i], causes));
	}
	names->count = (size_t)count;
	track_leave(tracks, track);
	return VARVE_OK;
}

enum varve_status packed_names_load(struct packed *packed, const struct packed_place *place,
				    struct packed_tracks *tracks, struct varve_causes *causes)
{
	for (unsigned table = 0; table < 2; table++)
		if (!tracks->names[table].loaded)
			TRY(names_read(packed, place, tracks, table, causes));
	return VARVE_OK;
}

enum varve_status packed_handles_load(struct packed *packed, const struct packed_place *place,
				      struct packed_tracks *tracks, struct varve_causes *causes)
{
	struct track_reader *reader;
	if (tracks->handles_loaded)
		return VARVE_OK;
	TRY(packed_track(packed, place, tracks, PACKED_HANDLES, 0, &reader, causes));
	tracks->handles_loaded = true;
	uint64_t count = reader ? tracks->track[PACKED_HANDLES].events : 0;
	if (count > ENTRIES_MOST)
		return cause(causes, VARVE_LIMIT, "a stream has more than %d handles",
			     ENTRIES_MOST);
	tracks->handles = arena_get(&tracks->memory, (size_t)count + 1, sizeof *tracks->handles);
	if (!tracks->handles)
		return cause(causes, VARVE_LIMIT, "the handles of a stream need too much memory");
	for (size_t i = 0; i < count; i++) {
		uint32_t group;
		uint64_t handle;
		TRY(track_take(reader, 1, &group, causes));
		if (reader->track->shapes[reader->track->groups[group].shape].columns != 1)
			return track_damaged(causes, "a handle has a wrong shape");
		TRY(track_values(reader, group, 0, reader->taken[group] - 1, 1, &handle, causes));
		tracks->handles[i] = (uint32_t)handle;
	}
	tracks->handle_count = (size_t)count;
	track_leave(tracks, PACKED_HANDLES);
	return VARVE_OK;
}

/* The mean of a histogram, in ticks. */
static int64_t mean_of(uint64_t bits)
{
	double mean;
	memcpy(&mean, &bits, sizeof mean);
	if (!(mean > -9e18 && mean < 9e18))
		return 0;
	return (int64_t)(mean < 0 ? mean - 0.5 : mean + 0.5);
}

/* Reads the mean of one histogram and skips its bins. */
static enum varve_status mean_read(struct track_reader *reader, int64_t *mean,
				   struct varve_causes *causes)
{
	uint32_t group;
	uint64_t bits, bins;
	TRY(track_take(reader, 1, &group, causes));
	if (reader->track->shapes[reader->track->groups[group].shape].columns != HISTOGRAM_COLUMNS)
		return track_damaged(causes, "a histogram has a wrong shape");
	uint64_t first = reader->taken[group] - 1;
	TRY(track_values(reader, group, 3, first, 1, &bits, causes));
	TRY(track_values(reader, group, 5, first, 1, &bins, causes));
	if (bins > HISTOGRAM_BINS)
		return track_damaged(causes, "a histogram has too many bins");
	*mean = mean_of(bits);
	return track_skip(reader, reader->at + bins, causes);
}

enum varve_status packed_means_load(struct packed *packed, const struct packed_place *place,
				    struct packed_tracks *tracks, struct varve_causes *causes)
{
	struct track_reader *reader;
	if (tracks->means_loaded)
		return VARVE_OK;
	TRY(packed_track(packed, place, tracks, PACKED_HISTOGRAMS, 0, &reader, causes));
	for (unsigned i = 0; i < 2; i++) {
		size_t track = i ? PACKED_RUNTIME : PACKED_CALLS;
		if (place->class_of[track])
			TRY(track_load(packed, place, tracks, track, causes));
		size_t groups = tracks->track[track].group_count;
		tracks->means[i] = arena_get(&tracks->memory, groups + 1, sizeof *tracks->means[i]);
		if (!tracks->means[i] || (groups && !reader))
			return track_damaged(causes, "its histograms are missing");
		for (size_t group = 0; group < groups; group++)
			for (unsigned quantity = 0; quantity < 2; quantity++)
				TRY(mean_read(reader, &tracks->means[i][group][quantity], causes));
	}
	tracks->means_loaded = true;
	track_leave(tracks, PACKED_HISTOGRAMS);
	return VARVE_OK;
}
