/* Trace: what was done with each file in a stream of a packed trace: its track of totals. See packed.h. */
#include "trace/file_totals.h"
#include "trace/packed.h"

#include "loop/skeleton.h"

#include <stdlib.h>

static enum status damaged(struct varve_causes *causes)
{
	return cause(causes, STATUS_DAMAGED, "the totals of files are damaged");
}

/* One file: its key is the layer and the skeleton of its path. */
static enum status total_read(struct track_reader *reader, uint64_t scale, char *path,
			      struct file_totals *totals, struct varve_causes *causes)
{
	uint32_t group;
	uint64_t values[TRACK_COLUMNS_MOST];
	TRY(track_take(reader, 1, &group, causes));
	const struct track_shape *shape =
		&reader->track->shapes[reader->track->groups[group].shape];
	if (!shape->length || shape->columns < FILE_COLUMNS)
		return damaged(causes);
	for (uint32_t i = 0; i < shape->columns; i++)
		TRY(track_values(reader, group, i, reader->taken[group] - 1, 1, &values[i],
				 causes));
	const uint8_t *key = shape->key + 1;
	const uint64_t *numbers = values + FILE_COLUMNS;
	size_t count = shape->columns - FILE_COLUMNS, place;
	size_t length = skeleton_join(key, shape->length - 1u, numbers, count, NULL);
	if (length > FILE_PATH_MOST)
		return damaged(causes);
	skeleton_join(key, shape->length - 1u, numbers, count, path);
	TRY(file_totals_find(totals, shape->key[0], (struct varve_text){path, (uint32_t)length},
			     &place, causes));
	totals->list[place].counters =
		(struct varve_counters){.calls = values[FILE_CALLS],
					.failures = values[FILE_FAILURES],
					.unfinished = values[FILE_UNFINISHED],
					.bytes = values[FILE_BYTES],
					.ns = values[FILE_TICKS] * scale};
	return STATUS_OK;
}

enum status packed_file_totals(struct varve_trace *trace, const struct trace_block *block,
			       struct file_totals *totals, struct varve_causes *causes)
{
	struct packed *packed = trace->packed;
	struct packed_place *place = &packed->places[block->place - packed->places];
	struct packed_lane *lane;
	struct track_reader *reader;
	char *path = malloc(FILE_PATH_MOST);
	if (!path)
		return cause(causes, STATUS_NO_MEMORY, "no memory for a path");
	enum status status = packed_lane_take(packed, place, &lane, causes);
	if (status != STATUS_OK) {
		free(path);
		return status;
	}
	status = packed_track(packed, place, lane, PACKED_FILES, 0, &reader, causes);
	uint64_t count = status == STATUS_OK && reader ? reader->track->events : 0;
	for (uint64_t i = 0; status == STATUS_OK && i < count; i++)
		status = total_read(reader, place->resolution, path, totals, causes);
	packed_lane_give(packed, place, lane);
	free(path);
	return status;
}
