/* Loop: a track: a sequence of events of one stream, as a tree of loops with columns of values.
 *
 * An event has a shape (bytes that are the same each time) and as many values as its shape says. Records, definitions, names
 * and lists of blocks are all stored as tracks. Events are put twice: first their shapes, which are folded, then their values,
 * which go directly to the columns of their place in the tree. So the memory consists of the tree and a few blocks for each
 * column.
 *
 * Places of the tree that are visited often have their own columns; the others share columns by shape (a *group* is a set of
 * columns). Nothing here gives shapes and values a meaning.
 */
#ifndef LOOP_TRACK_H
#define LOOP_TRACK_H

#include "loop/fold.h"
#include "loop/values.h"

enum {
	TRACK_OWN = 16, /* a place with at least this number of visits has its own columns */
	TRACK_COLUMNS_MOST = 72,
	TRACK_KEY_MOST = 65536
};

struct track_shape {
	uint8_t *key;
	uint32_t length;
	uint32_t columns;
};

struct track_group {
	uint32_t shape;
	uint64_t count; /* number of events */
	struct values *columns;
};

/* One stream's track. Symbols of the tree are groups. */
struct track {
	struct track_shape *shapes;
	size_t shape_count;
	struct fold_tree tree;
	struct values *trips; /* of each loop, in preorder */
	struct track_group *groups;
	size_t group_count;
	uint64_t events;
	uint64_t *numbers; /* of columns, after track_settle() */
};
void track_clear(struct track *track);

struct track_writer;
enum varve_status track_start(struct track_writer **result, struct values_coder *coder,
			      size_t window, struct varve_causes *causes) MUST_CHECK;
/* Makes columns raw after a few blocks. For tracks whose values change with each block of the trace: their series would take
 * too much memory until all streams are packed. Must be called before track_fold(). */
void track_few(struct track_writer *writer);
/* The number of a shape. Equal shapes with different hints are different symbols. */
enum varve_status track_symbol(struct track_writer *writer, const uint8_t *key, uint32_t length,
			       uint32_t columns, uint64_t hint, uint32_t *symbol,
			       struct varve_causes *causes) MUST_CHECK;
/* Adds the next event, in the first pass. */
enum varve_status track_see(struct track_writer *writer, uint32_t symbol,
			    struct varve_causes *causes) MUST_CHECK;
/* Adds the next `count` events, in the first pass. */
enum varve_status track_see_all(struct track_writer *writer, const uint32_t *symbols, size_t count,
				struct varve_causes *causes) MUST_CHECK;
/* Ends the first pass. */
enum varve_status track_fold(struct track_writer *writer, struct varve_causes *causes) MUST_CHECK;
/* Adds the next event, in the second pass. VARVE_DAMAGED: it differs from that of the first pass. */
enum varve_status track_put(struct track_writer *writer, uint32_t symbol, const uint64_t *values,
			    struct varve_causes *causes) MUST_CHECK;
/* Adds the next `count` events, in the second pass. `values` are those of the first event, then those of the second ...
 * `groups`, if not NULL, gets the group of each event. */
enum varve_status track_put_all(struct track_writer *writer, const uint32_t *symbols, size_t count,
				const uint64_t *values, uint32_t *groups,
				struct varve_causes *causes) MUST_CHECK;
/* Number of groups, after track_fold(). */
size_t track_groups(const struct track_writer *writer);
/* Returns the track, which the caller clears. Call track_drop() in any case. */
enum varve_status track_finish(struct track_writer *writer, struct track *result,
			       struct varve_causes *causes) MUST_CHECK;
void track_drop(struct track_writer *writer);
/* Reduces the memory of a finished track. After that it can be written, but not opened with track_open(). If there is no memory
 * for the copy, nothing changes. */
void track_settle(struct track *track);

/* Makes a track of a list in memory: `put_all` puts each event with track_list_put(); it is called twice. */
struct track_list;
typedef enum varve_status track_lister(const void *context, struct track_list *list);
enum varve_status track_list_put(struct track_list *list, const uint8_t *key, uint32_t length,
				 const uint64_t *values, uint32_t columns) MUST_CHECK;
enum varve_status track_of_list(struct values_coder *coder, track_lister *put_all,
				const void *context, struct track *track,
				struct varve_causes *causes) MUST_CHECK;

#endif
