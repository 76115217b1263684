/* Loop: reads a track: first the group of each event, then the values of chosen columns.
 *
 * Events are never materialised: loops are walked. Columns that nobody reads are not touched.
 */
#ifndef LOOP_TRACK_READ_H
#define LOOP_TRACK_READ_H

#include "base/host/arena.h"
#include "loop/track.h"

/* What the trip counts of one stream may take in memory. */
enum { TRIPS_BYTES_MOST = 1 << 28 };

struct track_column {
	struct values_reader reader;
	uint64_t at;
};

struct track_reader {
	const struct track *track;
	const uint8_t *file; /* that parts are in */
	size_t file_size;
	struct column_decoder *decoder;
	struct fold_tree tree;
	struct fold_walk walk;
	bool walking;
	size_t branch, leaves, leaf; /* the span that is being given, and the next leaf of it */
	uint64_t times;
	uint64_t at;	     /* events given */
	struct arena memory; /* what follows; columns are many, and most are small */
	uint64_t *taken;     /* by group */
	size_t *first_column;
	struct track_column **columns; /* NULL: not touched yet */
	size_t column_count;
};

/* Causes, also for what reads the tracks of a stream: VARVE_DAMAGED, VARVE_NO_MEMORY. */
enum varve_status track_damaged(struct varve_causes *causes, const char *what);
enum varve_status track_no_memory(struct varve_causes *causes);

/* The track must stay. After VARVE_OK track_close() is needed. */
enum varve_status track_open(struct track_reader *reader, const struct track *track,
			     const uint8_t *file, size_t file_size, struct column_decoder *decoder,
			     struct varve_causes *causes) MUST_CHECK;
void track_close(struct track_reader *reader);
/* Goes back to the first event. */
void track_rewind(struct track_reader *reader);

/* The groups of the next `count` events. VARVE_DAMAGED: there are fewer. */
enum varve_status track_take(struct track_reader *reader, size_t count, uint32_t *group,
			     struct varve_causes *causes) MUST_CHECK;

/* Goes on to event number `at`, which is none that was given; nothing but the tree is looked at. */
enum varve_status track_skip(struct track_reader *reader, uint64_t at,
			     struct varve_causes *causes) MUST_CHECK;

/* `count` values of a column, from its value number `first` on: that is the number of the event in its group. */
enum varve_status track_values(struct track_reader *reader, uint32_t group, uint32_t column,
			       uint64_t first, size_t count, uint64_t *values,
			       struct varve_causes *causes) MUST_CHECK;

#endif
