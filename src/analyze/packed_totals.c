/* Analyze: reads the totals of one kind that a packed trace stores for a stream. See packed.h. */
#include "analyze/totals.h"
#include "trace/packed/packed.h"

#include "loop/skeleton.h"

#include <stdlib.h>

static enum varve_status totals_damaged(struct varve_causes *causes)
{
	return cause(causes, VARVE_DAMAGED, "damaged totals");
}

/* Reads one total: its key is the tag and the skeleton of its text. */
static enum varve_status total_read(struct track_reader *reader, const struct totals_kind *kind,
				    uint64_t scale, char *text, struct totals *totals,
				    struct varve_causes *causes)
{
	uint32_t group;
	uint64_t values[TRACK_COLUMNS_MOST] = {0};
	TRY(track_take(reader, 1, &group, causes));
	const struct track_shape *shape =
		&reader->track->shapes[reader->track->groups[group].shape];
	uint32_t fixed = kind->sums + kind->numbered;
	if (shape->length < kind->tag_bytes || shape->columns < fixed)
		return totals_damaged(causes);
	for (uint32_t i = 0; i < shape->columns; i++)
		TRY(track_values(reader, group, i, reader->taken[group] - 1, 1, &values[i],
				 causes));
	const uint8_t *skeleton = shape->key + kind->tag_bytes;
	size_t length = shape->length - kind->tag_bytes, place;
	size_t wanted =
		skeleton_join(skeleton, length, values + fixed, shape->columns - fixed, NULL);
	/* The first files of version 3 have one sum less, so the text does not fit there either. */
	if (wanted > TOTAL_TEXT_MOST)
		return totals_damaged(causes);
	skeleton_join(skeleton, length, values + fixed, shape->columns - fixed, text);
	/* A damaged file of a few bytes can claim any number of totals in any number of streams. */
	uint64_t weight =
		2 * sizeof(struct total) + wanted; /* the list has room for twice as many */
	if (totals->budget && *totals->budget < weight)
		return cause(causes, VARVE_LIMIT,
			     "it claims more totals of files or regions than a trace of this size "
			     "can contain");
	if (totals->budget)
		*totals->budget -= weight;
	struct total_key key = {.number = kind->numbered ? values[kind->sums] : 0,
				.text = {text, (uint32_t)wanted}};
	for (unsigned i = 0; i < kind->tag_bytes; i++)
		key.tag |= (uint32_t)shape->key[i] << 8 * i;
	size_t before = totals->known.count;
	TRY(totals_find(totals, &key, &place, causes));
	if (totals->known.count == before)
		return totals_damaged(causes); /* each key occurs once */
	for (unsigned i = 0; i < kind->sums; i++)
		totals->list[place].sums[i] = values[i] * (kind->ticks >> i & 1 ? scale : 1);
	return VARVE_OK;
}

enum varve_status packed_totals(struct varve_trace *trace, const struct trace_block *block,
				const struct totals_kind *kind, struct totals *totals,
				struct varve_causes *causes)
{
	struct packed *packed = trace->packed;
	struct packed_place *place = &packed->places[block->place - packed->places];
	struct packed_tracks *tracks;
	struct track_reader *reader;
	char *text = malloc(TOTAL_TEXT_MOST);
	if (!text)
		return cause(causes, VARVE_NO_MEMORY, "no memory for a text");
	enum varve_status status = packed_tracks_take(packed, place, &tracks, causes);
	if (status != VARVE_OK) {
		free(text);
		return status;
	}
	status = packed_track(packed, place, tracks, kind->track, 0, &reader, causes);
	uint64_t count = status == VARVE_OK && reader ? reader->track->events : 0;
	for (uint64_t i = 0; status == VARVE_OK && i < count; i++)
		status = total_read(reader, kind, place->resolution, text, totals, causes);
	packed_tracks_give(packed, place, tracks);
	free(text);
	return status;
}
