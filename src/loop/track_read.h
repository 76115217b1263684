/* Loop: reads a track: first the group of each event, then the values of chosen columns.
 *
 * Events are never expanded in memory: loops are walked. Columns that are not read are not touched.
 */
#ifndef LOOP_TRACK_READ_H
#define LOOP_TRACK_READ_H

#include "base/host/arena.h"
#include "loop/track.h"

/* Maximum memory for the trip counts of one stream. */
enum { TRIPS_BYTES_MOST = 1 << 28 };

struct track_column {
	struct values_reader reader;
	uint64_t at;
};

struct track_reader {
	const struct track *track;
	const uint8_t *file; /* contains the parts */
	size_t file_size;
	struct column_decoder *decoder;
	struct fold_tree tree;
	struct fold_walk walk;
	bool walking;
	size_t branch, leaves, leaf; /* the present span, and its next leaf */
	uint64_t times;
	uint64_t at;	     /* events taken so far */
	struct arena memory; /* for the members below; there are many columns, most of them small */
	uint64_t *taken;     /* by group */
	size_t *first_column;
	struct track_column **columns; /* NULL: not used yet */
	size_t column_count;
};

/* Add a cause; also used by code that reads the tracks of a stream: VARVE_DAMAGED, VARVE_NO_MEMORY. */
enum varve_status track_damaged(struct varve_causes *causes, const char *what);
enum varve_status track_no_memory(struct varve_causes *causes);

/* The track must stay valid. After VARVE_OK, track_close() is required. */
enum varve_status track_open(struct track_reader *reader, const struct track *track,
			     const uint8_t *file, size_t file_size, struct column_decoder *decoder,
			     struct varve_causes *causes) MUST_CHECK;
void track_close(struct track_reader *reader);
/* Restarts at the first event. */
void track_rewind(struct track_reader *reader);

/* The groups of the next `count` events. VARVE_DAMAGED: there are fewer events. */
enum varve_status track_take(struct track_reader *reader, size_t count, uint32_t *group,
			     struct varve_causes *causes) MUST_CHECK;

/* Skips to event number `at`, which must not be before the present position; reads only the tree. */
enum varve_status track_skip(struct track_reader *reader, uint64_t at,
			     struct varve_causes *causes) MUST_CHECK;

/* Reads `count` values of a column, from value number `first` on, which is the number of the event in its group. */
enum varve_status track_values(struct track_reader *reader, uint32_t group, uint32_t column,
			       uint64_t first, size_t count, uint64_t *values,
			       struct varve_causes *causes) MUST_CHECK;

#endif
