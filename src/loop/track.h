/* Loop: a track: a sequence of events of one stream, as a tree of loops with columns of values.
 *
 * An event has a shape (bytes: what is the same each time) and as many values as its shape says. Records, definitions, names and
 * lists of blocks are all stored as tracks. Events are put twice: first their shapes, which are folded, then their values, which
 * go straight to the columns of their place in the tree. So memory is the tree, and a few blocks for each column.
 *
 * Places of the tree that are visited often have columns of their own; the others share columns by shape (a *group* is a set of
 * columns). Nothing here gives shapes and values a meaning.
 */
#ifndef LOOP_TRACK_H
#define LOOP_TRACK_H

#include "loop/fold.h"
#include "loop/values.h"

enum {
	TRACK_OWN = 16, /* a place that is visited so often has columns of its own */
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
	uint64_t count; /* events */
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
	uint64_t *numbers; /* of columns, once settled */
};
void track_clear(struct track *track);

struct track_writer;
enum varve_status track_start(struct track_writer **result, struct values_coder *coder,
			      size_t window, struct varve_causes *causes) MUST_CHECK;
/* Makes columns raw after a few blocks. For tracks whose values change with each block of the trace: their series would take too
 * much memory until all streams are packed. To be called before track_fold(). */
void track_few(struct track_writer *writer);
/* The number of a shape. Equal shapes with different hints are different symbols. */
enum varve_status track_symbol(struct track_writer *writer, const uint8_t *key, uint32_t length,
			       uint32_t columns, uint64_t hint, uint32_t *symbol,
			       struct varve_causes *causes) MUST_CHECK;
/* The next event, first time. */
enum varve_status track_see(struct track_writer *writer, uint32_t symbol,
			    struct varve_causes *causes) MUST_CHECK;
/* The next `count` events, first time. */
enum varve_status track_see_all(struct track_writer *writer, const uint32_t *symbols, size_t count,
				struct varve_causes *causes) MUST_CHECK;
/* All events were seen. */
enum varve_status track_fold(struct track_writer *writer, struct varve_causes *causes) MUST_CHECK;
/* The next event, second time. VARVE_DAMAGED: it is not the one that was seen. */
enum varve_status track_put(struct track_writer *writer, uint32_t symbol, const uint64_t *values,
			    struct varve_causes *causes) MUST_CHECK;
/* The next `count` events, second time. `values`: those of the first event, then those of the second ... `groups`, if not NULL,
 * gets the group of each. */
enum varve_status track_put_all(struct track_writer *writer, const uint32_t *symbols, size_t count,
				const uint64_t *values, uint32_t *groups,
				struct varve_causes *causes) MUST_CHECK;
/* Groups that there are, once it is folded. */
size_t track_groups(const struct track_writer *writer);
/* Returns the track, which the caller clears. The writer must be dropped in any case. */
enum varve_status track_finish(struct track_writer *writer, struct track *result,
			       struct varve_causes *causes) MUST_CHECK;
void track_drop(struct track_writer *writer);
/* Reduces the memory of a finished track. After that it can only be written, not opened by track_open(). Without memory for the
 * copy nothing changes. */
void track_settle(struct track *track);

/* A list that is in memory as a track: `put_all` puts its events, each by track_list_put(), and is called twice. */
struct track_list;
typedef enum varve_status track_lister(const void *context, struct track_list *list);
enum varve_status track_list_put(struct track_list *list, const uint8_t *key, uint32_t length,
				 const uint64_t *values, uint32_t columns) MUST_CHECK;
enum varve_status track_of_list(struct values_coder *coder, track_lister *put_all,
				const void *context, struct track *track,
				struct varve_causes *causes) MUST_CHECK;

#endif
