/* Trace: reads the definitions of a chunk of a packed trace as definitions of a block. See packed.h. */
#include "trace/packed/packed.h"

#include <stdlib.h>
#include <string.h>

static enum varve_status definitions_damaged(struct varve_causes *causes, const char *what)
{
	return cause(causes, VARVE_DAMAGED, "damaged definitions: %s", what);
}

/* Length of the key and number of columns, by type. */
static const struct {
	uint8_t key, columns;
} forms[] = {{1, 4}, {4, 7}, {3, 4}, {1, 2}, {1, 4}};

/* Reads the next event: its type and values. With `names`, only the values of names are read. */
static enum varve_status definition_event(struct track_reader *reader, bool names,
					  const uint8_t **key, uint64_t *values,
					  struct varve_causes *causes)
{
	uint32_t group;
	TRY(track_take(reader, 1, &group, causes));
	const struct track_shape *shape =
		&reader->track->shapes[reader->track->groups[group].shape];
	unsigned type = shape->length ? shape->key[0] & (DEFINED_LATE - 1u) : 255;
	if (type >= sizeof forms / sizeof *forms || shape->length != forms[type].key ||
	    shape->columns != forms[type].columns)
		return definitions_damaged(causes, "an unknown type");
	*key = shape->key;
	for (uint32_t i = 0; (!names || !type) && i < shape->columns; i++)
		TRY(track_values(reader, group, i, reader->taken[group] - 1, 1, &values[i],
				 causes));
	return VARVE_OK;
}

static enum varve_status definition_events(struct packed *packed, const struct packed_place *place,
					   struct packed_tracks *tracks, uint32_t chunk,
					   struct track_reader **reader, uint64_t *count,
					   struct varve_causes *causes)
{
	const struct packed_chunk *own = &place->chunks[chunk];
	*count = own[1].at[PACKED_DEFINITIONS] - own->at[PACKED_DEFINITIONS];
	*reader = NULL;
	if (!*count)
		return VARVE_OK;
	TRY(packed_names_load(packed, place, tracks, causes));
	TRY(packed_track(packed, place, tracks, PACKED_DEFINITIONS, own->at[PACKED_DEFINITIONS],
			 reader, causes));
	return *reader ? VARVE_OK : definitions_damaged(causes, "they are missing");
}

static enum varve_status local_set(struct packed_tracks *tracks, uint32_t chunk,
				   const uint64_t *values, struct varve_causes *causes)
{
	for (unsigned table = 0; table < 2; table++) {
		uint64_t number = values[2 + table];
		if (number > tracks->names[table].count)
			return definitions_damaged(causes, "a name is not in its list");
		if (number)
			tracks->names[table].local[number - 1] =
				(uint64_t)(chunk + 1) << 32 | (uint32_t)values[1];
	}
	return VARVE_OK;
}

enum varve_status packed_locals(struct packed *packed, const struct packed_place *place,
				struct packed_tracks *tracks, uint32_t chunk,
				struct varve_causes *causes)
{
	struct track_reader *reader;
	uint64_t count, values[PACKED_EVENT_VALUES];
	const uint8_t *key;
	if (tracks->local_chunk == chunk + 1u)
		return VARVE_OK;
	tracks->local_chunk = 0;
	TRY(definition_events(packed, place, tracks, chunk, &reader, &count, causes));
	for (uint64_t i = 0; i < count; i++) {
		TRY(definition_event(reader, true, &key, values, causes));
		if (!(key[0] & (DEFINED_LATE - 1u)))
			TRY(local_set(tracks, chunk, values, causes));
	}
	tracks->local_chunk = chunk + 1;
	return VARVE_OK;
}

/* Sets the text of a name, and its base: the id of the base in this chunk. */
static enum varve_status name_make(const struct packed_tracks *tracks, uint32_t chunk,
				   const uint64_t *values, struct definition *made,
				   struct varve_causes *causes)
{
	unsigned table = values[2] ? 0 : 1;
	uint64_t number = values[2 + table];
	made->id = (uint32_t)values[1];
	if (!number || number > tracks->names[table].count)
		return definitions_damaged(causes, "a name is not in its list");
	const struct packed_text *text = &tracks->names[table].texts[number - 1];
	made->text = text->bytes;
	made->text_length = text->length;
	made->base_kind = text->base_kind & ~(uint32_t)NAME_BASE_AS_IS;
	made->base = text->base;
	if (text->base_kind == VARVE_BASE_NAME) {
		if (text->base > tracks->names[table].count)
			return definitions_damaged(causes, "a name is not in its list");
		uint64_t local = text->base ? tracks->names[table].local[text->base - 1] : 0;
		made->base = local >> 32 == chunk + 1u ? (uint32_t)local : 0;
	} else if (text->base_kind == VARVE_BASE_HANDLE && !table) {
		if (text->base > tracks->handle_count)
			return definitions_damaged(causes, "a handle is not in its list");
		made->base = text->base ? tracks->handles[text->base - 1] : 0;
	}
	return VARVE_OK;
}

static enum varve_status definition_make(const struct packed_tracks *tracks, uint32_t chunk,
					 const uint8_t *key, const uint64_t *values,
					 struct definition *made, struct varve_causes *causes)
{
	*made = (struct definition){
		.type = (enum define)(DEFINE_FIRST + (key[0] & (DEFINED_LATE - 1u))),
		.before = values[0] >> 1,
		.after_gap = values[0] & 1,
		.late = key[0] & DEFINED_LATE,
	};
	switch (made->type) {
	case DEFINE_NAME:
		return name_make(tracks, chunk, values, made, causes);
	case DEFINE_HANDLE:
		made->kind = key[1];
		made->how = key[2];
		made->origin = key[3];
		made->id = (uint32_t)values[1];
		made->fd = (int32_t)values[2];
		made->name = (uint32_t)values[3];
		made->other = (uint32_t)values[4];
		made->device = values[5];
		made->inode = values[6];
		return VARVE_OK;
	case DEFINE_IDENTITY:
		made->kind = key[1];
		made->how = key[2];
		made->id = (uint32_t)values[1];
		made->device = values[2];
		made->inode = values[3];
		return VARVE_OK;
	case DEFINE_PROCESS:
		if (!values[1] || values[1] > tracks->names[1].count)
			return definitions_damaged(causes, "a process is not in its list");
		made->text = tracks->names[1].texts[values[1] - 1].bytes;
		made->text_length = tracks->names[1].texts[values[1] - 1].length;
		return VARVE_OK;
	case DEFINE_THREAD:
	default:
		made->id = (uint32_t)values[1];
		made->fd = (int32_t)values[2];
		made->other = (uint32_t)values[3];
		return VARVE_OK;
	}
}

/* Reads the events of a chunk as stored. Those of the last chunk are kept, because the first chunk is read often. */
static enum varve_status events_keep(struct packed *packed, const struct packed_place *place,
				     struct packed_tracks *tracks, uint32_t chunk,
				     struct varve_causes *causes)
{
	struct track_reader *reader;
	uint64_t count;
	if (tracks->event_chunk == chunk + 1u && tracks->local_chunk == chunk + 1u)
		return VARVE_OK;
	tracks->event_chunk = tracks->local_chunk = 0;
	TRY(definition_events(packed, place, tracks, chunk, &reader, &count, causes));
	if (count > DECODE_BUDGET(packed->size) / sizeof(struct definition))
		return definitions_damaged(causes,
					   "there are more than a file of this size can contain");
	free(tracks->events);
	tracks->events = reallocarray(NULL, (size_t)count + 1, sizeof *tracks->events);
	if (!tracks->events)
		return cause(causes, VARVE_NO_MEMORY, "no memory for definitions");
	for (uint64_t i = 0; i < count; i++) {
		struct packed_event *read = &tracks->events[i];
		TRY(definition_event(reader, false, &read->key, read->values, causes));
		if (!(read->key[0] & (DEFINED_LATE - 1u)))
			TRY(local_set(tracks, chunk, read->values, causes));
	}
	tracks->event_count = (size_t)count;
	tracks->event_chunk = tracks->local_chunk = chunk + 1;
	return VARVE_OK;
}

/* Late definitions are stored after the others. Both lists are sorted; this merges them. */
static enum varve_status definitions_merge(struct packed_tracks *tracks, uint32_t chunk,
					   const struct packed_event *list, size_t first,
					   size_t count, struct definitions *definitions,
					   struct varve_causes *causes)
{
	for (size_t own = 0, late = first; own < first || late < count;) {
		bool is_late = late < count &&
			       (own == first || list[late].values[0] <= list[own].values[0]);
		const struct packed_event *next = &list[is_late ? late++ : own++];
		struct definition *made = &definitions->list[definitions->count++];
		TRY(definition_make(tracks, chunk, next->key, next->values, made, causes));
		if (definitions->count > 1 && made->before < made[-1].before)
			return definitions_damaged(causes, "they are out of order");
	}
	return VARVE_OK;
}

static enum varve_status chunk_definitions_read(struct packed *packed, struct packed_place *place,
						struct packed_tracks *tracks, uint32_t chunk,
						struct definitions *definitions,
						struct varve_causes *causes)
{
	TRY(packed_handles_load(packed, place, tracks, causes));
	TRY(events_keep(packed, place, tracks, chunk, causes));
	size_t count = tracks->event_count, first = 0;
	definitions->list = reallocarray(NULL, count + 1, sizeof *definitions->list);
	if (!definitions->list)
		return cause(causes, VARVE_NO_MEMORY, "no memory for definitions");
	while (first < count && !(tracks->events[first].key[0] & DEFINED_LATE))
		first++;
	return definitions_merge(tracks, chunk, tracks->events, first, count, definitions, causes);
}

/* Copies the texts: they belong to the tracks, which another reader can use after they are returned. */
static enum varve_status definition_texts_keep(struct definitions *definitions,
					       struct varve_causes *causes)
{
	size_t length = 1;
	for (size_t i = 0; i < definitions->count; i++)
		length += definitions->list[i].text ? definitions->list[i].text_length : 0;
	definitions->bytes = malloc(length);
	if (!definitions->bytes)
		return cause(causes, VARVE_NO_MEMORY, "no memory for definitions");
	char *at = (char *)definitions->bytes;
	for (size_t i = 0; i < definitions->count; i++) {
		struct definition *made = &definitions->list[i];
		if (!made->text)
			continue;
		memcpy(at, made->text, made->text_length);
		made->text = at;
		at += made->text_length;
	}
	return VARVE_OK;
}

enum varve_status packed_definitions(struct varve_trace *trace, const struct trace_block *block,
				     struct definitions *definitions, struct varve_causes *causes)
{
	struct packed *packed = trace->packed;
	struct packed_place *place = &packed->places[block->place - packed->places];
	struct packed_tracks *tracks;
	*definitions = (struct definitions){0};
	TRY(packed_tracks_take(packed, place, &tracks, causes));
	enum varve_status status =
		chunk_definitions_read(packed, place, tracks, block->chunk, definitions, causes);
	if (status == VARVE_OK)
		status = definition_texts_keep(definitions, causes);
	packed_tracks_give(packed, place, tracks);
	if (status != VARVE_OK)
		definitions_clear(definitions);
	return status;
}
