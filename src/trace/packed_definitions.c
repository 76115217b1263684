/* Trace: the definitions of a chunk of a packed trace, as those of a block. See packed.h. */
#include "trace/packed.h"

#include <stdlib.h>
#include <string.h>

static enum status damaged(struct varve_causes *causes, const char *what)
{
	return cause(causes, STATUS_DAMAGED, "definitions are damaged: %s", what);
}

enum { VALUES_MOST = 7 };

/* Bytes of the key and columns of each type. */
static const struct {
	uint8_t key, columns;
} forms[] = {{1, 4}, {4, 7}, {3, 4}, {1, 2}, {1, 4}};

/* The next event: its type and values; a NAME only where `names`. */
static enum status event(struct track_reader *reader, bool names, const uint8_t **key,
			 uint64_t *values, struct varve_causes *causes)
{
	uint32_t group;
	TRY(track_take(reader, 1, &group, causes));
	const struct track_shape *shape =
		&reader->track->shapes[reader->track->groups[group].shape];
	unsigned type = shape->length ? shape->key[0] & (DEFINED_LATE - 1u) : 255;
	if (type >= sizeof forms / sizeof *forms || shape->length != forms[type].key ||
	    shape->columns != forms[type].columns)
		return damaged(causes, "an unknown type");
	*key = shape->key;
	for (uint32_t i = 0; (!names || !type) && i < shape->columns; i++)
		TRY(track_values(reader, group, i, reader->taken[group] - 1, 1, &values[i],
				 causes));
	return STATUS_OK;
}

static enum status events(struct packed *packed, const struct packed_place *place,
			  struct packed_lane *lane, uint32_t chunk, struct track_reader **reader,
			  uint64_t *count, struct varve_causes *causes)
{
	const struct packed_chunk *own = &place->chunks[chunk];
	*count = own[1].at[PACKED_DEFINITIONS] - own->at[PACKED_DEFINITIONS];
	*reader = NULL;
	if (!*count)
		return STATUS_OK;
	TRY(packed_names_load(packed, place, lane, causes));
	TRY(packed_track(packed, place, lane, PACKED_DEFINITIONS, own->at[PACKED_DEFINITIONS],
			 reader, causes));
	return *reader ? STATUS_OK : damaged(causes, "they are missing");
}

/* Which id a NAME gives to its name in the chunk. A late one, which comes after all others, gives it to a name that has none: what
 * is known of a name is known by the id that the block had for it. */
static enum status local_set(struct packed_lane *lane, uint32_t chunk, const uint8_t *key,
			     const uint64_t *values, struct varve_causes *causes)
{
	if (key[0] & (DEFINED_LATE - 1u))
		return STATUS_OK;
	for (unsigned table = 0; table < 2; table++) {
		uint64_t number = values[2 + table];
		if (number > lane->names[table].count)
			return damaged(causes, "a name is not in its list");
		uint64_t *local = number ? &lane->names[table].local[number - 1] : NULL;
		bool known = local && *local >> 32 == chunk + 1u;
		if (local && !(known && (key[0] & DEFINED_LATE)))
			*local = (uint64_t)(chunk + 1) << 32 | (uint32_t)values[1];
	}
	return STATUS_OK;
}

enum status packed_locals(struct packed *packed, const struct packed_place *place,
			  struct packed_lane *lane, uint32_t chunk, struct varve_causes *causes)
{
	struct track_reader *reader;
	uint64_t count, values[VALUES_MOST];
	const uint8_t *key;
	if (lane->local_chunk == chunk + 1u)
		return STATUS_OK;
	lane->local_chunk = 0;
	TRY(events(packed, place, lane, chunk, &reader, &count, causes));
	for (uint64_t i = 0; i < count; i++) {
		TRY(event(reader, true, &key, values, causes));
		TRY(local_set(lane, chunk, key, values, causes));
	}
	lane->local_chunk = chunk + 1;
	return STATUS_OK;
}

/* The text of a name, and its base by its id in the chunk. */
static enum status name_make(const struct packed_lane *lane, uint32_t chunk, const uint64_t *values,
			     struct definition *made, struct varve_causes *causes)
{
	unsigned table = values[2] ? 0 : 1;
	uint64_t number = values[2 + table];
	made->id = (uint32_t)values[1];
	if (!number || number > lane->names[table].count)
		return damaged(causes, "a name is not in its list");
	const struct packed_text *text = &lane->names[table].texts[number - 1];
	made->text = text->bytes;
	made->text_length = text->length;
	made->base_kind = text->base_kind;
	made->base = text->base;
	if (text->base_kind == BASE_NAME) {
		if (text->base > lane->names[table].count)
			return damaged(causes, "a name is not in its list");
		uint64_t local = text->base ? lane->names[table].local[text->base - 1] : 0;
		made->base = local >> 32 == chunk + 1u ? (uint32_t)local : 0;
	} else if (text->base_kind == BASE_HANDLE && !table) {
		if (text->base > lane->handle_count)
			return damaged(causes, "a handle is not in its list");
		made->base = text->base ? lane->handles[text->base - 1] : 0;
	}
	return STATUS_OK;
}

static enum status make(const struct packed_lane *lane, uint32_t chunk, const uint8_t *key,
			const uint64_t *values, struct definition *made,
			struct varve_causes *causes)
{
	*made = (struct definition){
		.type = (enum define)(DEFINE_FIRST + (key[0] & (DEFINED_LATE - 1u))),
		.before = values[0],
		.late = key[0] & DEFINED_LATE,
	};
	switch (made->type) {
	case DEFINE_NAME:
		return name_make(lane, chunk, values, made, causes);
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
		return STATUS_OK;
	case DEFINE_IDENTITY:
		made->kind = key[1];
		made->how = key[2];
		made->id = (uint32_t)values[1];
		made->device = values[2];
		made->inode = values[3];
		return STATUS_OK;
	case DEFINE_PROCESS:
		if (!values[1] || values[1] > lane->names[1].count)
			return damaged(causes, "a process is not in its list");
		made->text = lane->names[1].texts[values[1] - 1].bytes;
		made->text_length = lane->names[1].texts[values[1] - 1].length;
		return STATUS_OK;
	case DEFINE_THREAD:
	default:
		made->id = (uint32_t)values[1];
		made->fd = (int32_t)values[2];
		made->other = (uint32_t)values[3];
		return STATUS_OK;
	}
}

/* An event, until the ids of all names of the chunk are known. */
struct read_event {
	const uint8_t *key;
	uint64_t at; /* its place among them */
	uint64_t values[VALUES_MOST];
};

/* Late ones stand at the end of the events, and hold from the beginning. */
static int by_before(const void *left, const void *right)
{
	const struct read_event *a = left, *b = right;
	if (a->values[0] != b->values[0])
		return a->values[0] < b->values[0] ? -1 : 1;
	return a->at < b->at ? -1 : a->at > b->at;
}

static enum status events_read(struct track_reader *reader, struct packed_lane *lane,
			       uint32_t chunk, struct read_event *list, uint64_t count,
			       struct varve_causes *causes)
{
	lane->local_chunk = 0;
	for (uint64_t i = 0; i < count; i++) {
		TRY(event(reader, false, &list[i].key, list[i].values, causes));
		TRY(local_set(lane, chunk, list[i].key, list[i].values, causes));
		list[i].at = i;
	}
	lane->local_chunk = chunk + 1;
	return STATUS_OK;
}

static enum status read_all(struct packed *packed, struct packed_place *place,
			    struct packed_lane *lane, uint32_t chunk,
			    struct definitions *definitions, struct varve_causes *causes)
{
	struct track_reader *reader;
	uint64_t count;
	TRY(packed_handles_load(packed, place, lane, causes));
	TRY(events(packed, place, lane, chunk, &reader, &count, causes));
	if (count > DECODE_BUDGET(packed->size) / sizeof *definitions->list)
		return damaged(causes, "their number does not fit their bytes");
	definitions->list = calloc((size_t)count + 1, sizeof *definitions->list);
	struct read_event *list = calloc((size_t)count + 1, sizeof *list);
	enum status status = definitions->list && list
				     ? events_read(reader, lane, chunk, list, count, causes)
				     : cause(causes, STATUS_NO_MEMORY, "no memory for definitions");
	if (status == STATUS_OK)
		qsort(list, (size_t)count, sizeof *list, by_before);
	for (uint64_t i = 0; status == STATUS_OK && i < count; i++) {
		struct definition *made = &definitions->list[definitions->count++];
		status = make(lane, chunk, list[i].key, list[i].values, made, causes);
	}
	free(list);
	return status;
}

/* Texts belong to the lane, which may be given back and read on meanwhile: they are copied. */
static enum status texts_keep(struct definitions *definitions, struct varve_causes *causes)
{
	size_t length = 1;
	for (size_t i = 0; i < definitions->count; i++)
		length += definitions->list[i].text ? definitions->list[i].text_length : 0;
	definitions->bytes = malloc(length);
	if (!definitions->bytes)
		return cause(causes, STATUS_NO_MEMORY, "no memory for definitions");
	char *at = (char *)definitions->bytes;
	for (size_t i = 0; i < definitions->count; i++) {
		struct definition *made = &definitions->list[i];
		if (!made->text)
			continue;
		memcpy(at, made->text, made->text_length);
		made->text = at;
		at += made->text_length;
	}
	return STATUS_OK;
}

enum status packed_definitions(struct varve_trace *trace, const struct trace_block *block,
			       struct definitions *definitions, struct varve_causes *causes)
{
	struct packed *packed = trace->packed;
	struct packed_place *place = &packed->places[block->place - packed->places];
	struct packed_lane *lane;
	*definitions = (struct definitions){0};
	TRY(packed_lane_take(packed, place, &lane, causes));
	enum status status = read_all(packed, place, lane, block->chunk, definitions, causes);
	if (status == STATUS_OK)
		status = texts_keep(definitions, causes);
	packed_lane_give(place, lane);
	if (status != STATUS_OK)
		definitions_clear(definitions);
	return status;
}
