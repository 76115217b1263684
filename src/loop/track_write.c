/* Loop: from events to a track. See track.h. */
#include "loop/track.h"

#include "base/hash.h"
#include "base/host/list.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Maximum number of leaves whose values are put at once. */
enum { LEAVES_MOST = 64 };

struct symbol {
	uint64_t hint;
	uint32_t shape;
};

struct track_writer {
	struct values_coder *coder;
	size_t window;
	size_t blocks; /* maximum number of blocks of a column before it becomes raw */
	struct track track;
	size_t shape_room;
	struct symbol *symbols;
	size_t symbol_count, symbol_room;
	uint32_t *slots; /* symbol + 1, by hash of key and hint; the size is a power of two */
	size_t slot_count;
	struct fold *fold;
	/* for the second pass */
	uint32_t *symbol_of; /* by branch of the tree: its symbol in the first pass */
	struct values_writer *columns;
	size_t column_count;
	size_t *first_column; /* by group */
	bool *shared;	      /* by group: whether several places share it */
	struct fold_walk walk;
	bool walking;
	size_t branch, leaves, leaf; /* position of the walk */
	uint64_t times;
	uint64_t put;
};

static enum varve_status fold_no_memory(struct varve_causes *causes)
{
	return cause(causes, VARVE_NO_MEMORY, "no memory to fold a stream");
}

void track_clear(struct track *track)
{
	for (size_t i = 0; i < track->group_count; i++) {
		uint32_t columns = track->shapes[track->groups[i].shape].columns;
		for (uint32_t k = 0; track->groups[i].columns && k < columns; k++)
			values_clear(&track->groups[i].columns[k]);
		free(track->groups[i].columns);
	}
	for (size_t i = 0; i < track->shape_count; i++)
		free(track->shapes[i].key);
	for (size_t i = 0; track->trips && i < track->tree.loops; i++)
		values_clear(&track->trips[i]);
	free(track->trips);
	free(track->shapes);
	free(track->groups);
	free(track->numbers);
	fold_tree_clear(&track->tree);
	*track = (struct track){0};
}

enum varve_status track_start(struct track_writer **result, struct values_coder *coder,
			      size_t window, struct varve_causes *causes)
{
	struct track_writer *writer = *result = calloc(1, sizeof *writer);
	if (!writer)
		return fold_no_memory(causes);
	writer->coder = coder;
	writer->window = window;
	writer->blocks = VALUES_BLOCKS;
	writer->slot_count = 64;
	writer->slots = calloc(writer->slot_count, sizeof *writer->slots);
	enum varve_status status =
		writer->slots ? fold_start(&writer->fold, window, causes) : fold_no_memory(causes);
	if (status != VARVE_OK) {
		track_drop(writer);
		*result = NULL;
	}
	return status;
}

void track_few(struct track_writer *writer)
{
	writer->blocks = VALUES_BLOCKS_FEW;
}

void track_drop(struct track_writer *writer)
{
	if (!writer)
		return;
	struct fold_tree tree;
	if (writer->fold && fold_finish(writer->fold, &tree, NULL) == VARVE_OK)
		fold_tree_clear(&tree);
	for (size_t i = 0; i < writer->column_count; i++)
		values_drop(&writer->columns[i]);
	if (writer->walking)
		fold_walk_stop(&writer->walk);
	track_clear(&writer->track);
	free(writer->columns);
	free(writer->first_column);
	free(writer->shared);
	free(writer->symbol_of);
	free(writer->symbols);
	free(writer->slots);
	free(writer);
}

static uint64_t symbol_hash(const uint8_t *key, uint32_t length, uint64_t hint)
{
	return hash64(key, length, hint);
}

static enum varve_status slots_grow(struct track_writer *writer, struct varve_causes *causes)
{
	size_t count = writer->slot_count * 2;
	uint32_t *slots = calloc(count, sizeof *slots);
	if (!slots)
		return fold_no_memory(causes);
	for (size_t i = 0; i < writer->symbol_count; i++) {
		const struct symbol *symbol = &writer->symbols[i];
		const struct track_shape *shape = &writer->track.shapes[symbol->shape];
		size_t at = symbol_hash(shape->key, shape->length, symbol->hint) & (count - 1);
		while (slots[at])
			at = (at + 1) & (count - 1);
		slots[at] = (uint32_t)i + 1;
	}
	free(writer->slots);
	writer->slots = slots;
	writer->slot_count = count;
	return VARVE_OK;
}

/* Every shape has a symbol with hint 0, by which the shape is found. */
static enum varve_status shape_of(struct track_writer *writer, const uint8_t *key, uint32_t length,
				  uint32_t columns, uint64_t hint, uint32_t *shape,
				  struct varve_causes *causes)
{
	struct track *track = &writer->track;
	if (hint) {
		uint32_t plain;
		TRY(track_symbol(writer, key, length, columns, 0, &plain, causes));
		*shape = writer->symbols[plain].shape;
		return VARVE_OK;
	}
	if (length > TRACK_KEY_MOST || columns > TRACK_COLUMNS_MOST)
		return cause(causes, VARVE_LIMIT, "an event is too long to pack");
	if (list_room(&track->shapes, track->shape_count, &writer->shape_room, 1,
		      sizeof *track->shapes) != VARVE_OK)
		return fold_no_memory(causes);
	uint8_t *copy = malloc((size_t)length + 1);
	if (!copy)
		return fold_no_memory(causes);
	if (length)
		memcpy(copy, key, length);
	*shape = (uint32_t)track->shape_count;
	track->shapes[track->shape_count++] = (struct track_shape){copy, length, columns};
	return VARVE_OK;
}

enum varve_status track_symbol(struct track_writer *writer, const uint8_t *key, uint32_t length,
			       uint32_t columns, uint64_t hint, uint32_t *symbol,
			       struct varve_causes *causes)
{
	/* For events without a key: memcmp() and memcpy() need a valid pointer even for no bytes. */
	if (!length)
		key = (const uint8_t *)"";
	uint64_t hash = symbol_hash(key, length, hint);
	for (size_t at = hash & (writer->slot_count - 1); writer->slots[at];
	     at = (at + 1) & (writer->slot_count - 1)) {
		const struct symbol *known = &writer->symbols[writer->slots[at] - 1];
		const struct track_shape *shape = &writer->track.shapes[known->shape];
		if (known->hint == hint && shape->length == length && shape->columns == columns &&
		    (!length || !memcmp(shape->key, key, length))) {
			*symbol = writer->slots[at] - 1;
			return VARVE_OK;
		}
	}
	uint32_t shape;
	TRY(shape_of(writer, key, length, columns, hint, &shape, causes));
	if (list_room(&writer->symbols, writer->symbol_count, &writer->symbol_room, 1,
		      sizeof *writer->symbols) != VARVE_OK)
		return fold_no_memory(causes);
	if ((writer->symbol_count + 1) * 2 > writer->slot_count)
		TRY(slots_grow(writer, causes));
	size_t at = hash & (writer->slot_count - 1);
	while (writer->slots[at])
		at = (at + 1) & (writer->slot_count - 1);
	*symbol = (uint32_t)writer->symbol_count;
	writer->symbols[writer->symbol_count++] = (struct symbol){hint, shape};
	writer->slots[at] = *symbol + 1;
	return VARVE_OK;
}

enum varve_status track_see(struct track_writer *writer, uint32_t symbol,
			    struct varve_causes *causes)
{
	writer->track.events++;
	return fold_put(writer->fold, symbol, causes);
}

enum varve_status track_see_all(struct track_writer *writer, const uint32_t *symbols, size_t count,
				struct varve_causes *causes)
{
	writer->track.events += count;
	return fold_put_all(writer->fold, symbols, count, causes);
}

/* How often each leaf is visited. */
static enum varve_status leaf_counts(const struct fold_tree *tree, uint64_t *counts,
				     struct varve_causes *causes)
{
	struct fold_walk walk;
	TRY(fold_walk_start(&walk, tree, causes));
	size_t branch, leaves;
	uint64_t times;
	for (fold_walk_next(&walk, &branch, &leaves, &times); times;
	     fold_walk_next(&walk, &branch, &leaves, &times))
		for (size_t i = 0; i < leaves; i++)
			counts[branch + i] += times;
	fold_walk_stop(&walk);
	return VARVE_OK;
}

/* Gives each leaf its group: its own if it is visited often, otherwise that of its shape. Groups are numbered in order of first
 * appearance. */
static enum varve_status group_leaves(struct track_writer *writer, uint64_t *counts,
				      uint32_t *shared, struct varve_causes *causes)
{
	struct track *track = &writer->track;
	size_t room = 0;
	TRY(leaf_counts(&track->tree, counts, causes));
	memset(shared, 0xff, track->shape_count * sizeof *shared);
	for (size_t i = 0; i < track->tree.count; i++) {
		struct fold_branch *branch = &track->tree.branches[i];
		if (branch->symbol == FOLD_LOOP)
			continue;
		uint32_t shape = writer->symbols[branch->symbol].shape;
		writer->symbol_of[i] = branch->symbol;
		bool own = counts[i] >= TRACK_OWN;
		if (own || shared[shape] == UINT32_MAX) {
			if (track->group_count == room) {
				room = room ? room * 2 : 16;
				struct track_group *groups =
					reallocarray(track->groups, room, sizeof *groups);
				if (!groups)
					return fold_no_memory(causes);
				track->groups = groups;
			}
			track->groups[track->group_count] = (struct track_group){.shape = shape};
			branch->symbol = (uint32_t)track->group_count++;
			if (!own)
				shared[shape] = branch->symbol;
		} else {
			branch->symbol = shared[shape];
		}
		track->groups[branch->symbol].count += counts[i];
	}
	return VARVE_OK;
}

static enum varve_status columns_start(struct track_writer *writer, struct varve_causes *causes)
{
	const struct track *track = &writer->track;
	size_t count = 0;
	writer->first_column = calloc(track->group_count + 1, sizeof *writer->first_column);
	writer->shared = calloc(track->group_count + 1, sizeof *writer->shared);
	if (!writer->first_column || !writer->shared)
		return fold_no_memory(causes);
	for (size_t i = 0; i < track->group_count; i++) {
		writer->first_column[i] = count;
		count += track->shapes[track->groups[i].shape].columns;
	}
	writer->columns = calloc(count + 1, sizeof *writer->columns);
	if (!writer->columns)
		return fold_no_memory(causes);
	writer->column_count = count;
	for (size_t i = 0; i < count; i++)
		values_start(&writer->columns[i], writer->blocks);
	return VARVE_OK;
}

/* Marks the groups that several leaves share. */
static void note_shared(struct track_writer *writer)
{
	const struct fold_tree *tree = &writer->track.tree;
	uint32_t met = 0;
	for (size_t i = 0; i < tree->count; i++) {
		if (tree->branches[i].symbol == FOLD_LOOP)
			continue;
		/* A number that is not new belongs to a shared group, because groups are numbered in order of first appearance. */
		if (tree->branches[i].symbol < met)
			writer->shared[tree->branches[i].symbol] = true;
		else
			met = tree->branches[i].symbol + 1;
	}
}

enum varve_status track_fold(struct track_writer *writer, struct varve_causes *causes)
{
	struct track *track = &writer->track;
	struct fold *fold = writer->fold;
	writer->fold = NULL;
	TRY(fold_finish(fold, &track->tree, causes));
	uint64_t *counts = calloc(track->tree.count + 1, sizeof *counts);
	uint32_t *shared = calloc(track->shape_count + 1, sizeof *shared);
	writer->symbol_of = calloc(track->tree.count + 1, sizeof *writer->symbol_of);
	enum varve_status status = counts && shared && writer->symbol_of
					   ? group_leaves(writer, counts, shared, causes)
					   : fold_no_memory(causes);
	free(counts);
	free(shared);
	TRY(status);
	TRY(columns_start(writer, causes));
	note_shared(writer);
	TRY(fold_walk_start(&writer->walk, &track->tree, causes));
	writer->walking = true;
	return VARVE_OK;
}

static enum varve_status event_differs(const struct track_writer *writer, size_t ahead,
				       struct varve_causes *causes)
{
	return cause(causes, VARVE_DAMAGED,
		     "event %" PRIu64 " of a stream changed: the trace changed while it was packed",
		     writer->put + ahead);
}

/* The next events to put, which the walk visits in one step: adjacent leaves, possibly repeated. */
struct stretch {
	size_t leaves, trips;
	size_t width; /* number of values of a trip */
	uint32_t group[LEAVES_MOST];
};

/* Determines the stretch for the next events. It has several trips only if the present trip has not begun, the events reach its
 * end, and its leaves do not share columns: in shared columns, the values of a trip must precede those of the next trip. */
static void stretch_find(const struct track_writer *writer, size_t count, struct stretch *stretch)
{
	const struct track *track = &writer->track;
	const struct fold_branch *branches = track->tree.branches + writer->branch + writer->leaf;
	size_t leaves = writer->leaves - writer->leaf;
	bool whole = !writer->leaf && leaves <= count && leaves <= LEAVES_MOST;
	if (leaves > count)
		leaves = count;
	if (leaves > LEAVES_MOST)
		leaves = LEAVES_MOST;
	stretch->leaves = leaves;
	stretch->width = 0;
	for (size_t i = 0; i < leaves; i++) {
		uint32_t group = stretch->group[i] = branches[i].symbol;
		stretch->width += track->shapes[track->groups[group].shape].columns;
		whole = whole && !writer->shared[group];
	}
	uint64_t trips = leaves ? count / leaves : 0;
	if (trips > writer->times)
		trips = writer->times;
	stretch->trips = whole ? (size_t)trips : 1;
}

static enum varve_status stretch_put(struct track_writer *writer, const struct stretch *stretch,
				     const uint32_t *symbols, const uint64_t *values,
				     struct varve_causes *causes)
{
	const struct track *track = &writer->track;
	const uint32_t *expected = writer->symbol_of + writer->branch + writer->leaf;
	for (size_t i = 0; i < stretch->trips; i++)
		for (size_t leaf = 0; leaf < stretch->leaves; leaf++)
			if (*symbols++ != expected[leaf])
				return event_differs(writer, i * stretch->leaves + leaf, causes);
	for (size_t leaf = 0; leaf < stretch->leaves; leaf++) {
		uint32_t group = stretch->group[leaf];
		struct values_writer *column = &writer->columns[writer->first_column[group]];
		for (uint32_t left = track->shapes[track->groups[group].shape].columns; left;
		     left--)
			TRY(values_put_all(column++, writer->coder, values++, stretch->width,
					   stretch->trips, causes));
	}
	return VARVE_OK;
}

enum varve_status track_put_all(struct track_writer *writer, const uint32_t *symbols, size_t count,
				const uint64_t *values, uint32_t *groups,
				struct varve_causes *causes)
{
	while (count) {
		struct stretch stretch;
		if (!writer->times) {
			fold_walk_next(&writer->walk, &writer->branch, &writer->leaves,
				       &writer->times);
			writer->leaf = 0;
		}
		if (!writer->times)
			return event_differs(writer, 0, causes);
		stretch_find(writer, count, &stretch);
		TRY(stretch_put(writer, &stretch, symbols, values, causes));
		size_t events = stretch.leaves * stretch.trips;
		for (size_t i = 0; groups && i < events; i++)
			*groups++ = stretch.group[i % stretch.leaves];
		writer->leaf += stretch.leaves;
		if (writer->leaf == writer->leaves) {
			writer->leaf = 0;
			writer->times -= stretch.trips;
		}
		writer->put += events;
		symbols += events;
		count -= events;
		values += stretch.width * stretch.trips;
	}
	return VARVE_OK;
}

enum varve_status track_put(struct track_writer *writer, uint32_t symbol, const uint64_t *values,
			    struct varve_causes *causes)
{
	return track_put_all(writer, &symbol, 1, values, NULL, causes);
}

size_t track_groups(const struct track_writer *writer)
{
	return writer->track.group_count;
}

/* Trip counts are columns, too. */
static enum varve_status trips_finish(struct track_writer *writer, struct varve_causes *causes)
{
	struct track *track = &writer->track;
	track->trips = calloc(track->tree.loops + 1, sizeof *track->trips);
	if (!track->trips)
		return fold_no_memory(causes);
	for (size_t i = 0; i < track->tree.loops; i++) {
		const struct fold_trips *trips = &track->tree.trips[i];
		struct values_writer column;
		values_start(&column, writer->blocks);
		enum varve_status status = VARVE_OK;
		struct series_cursor cursor;
		uint64_t start, stride, count;
		series_seek(&cursor, trips->series.blocks, trips->raw ? 0 : trips->series.count, 0);
		while (status == VARVE_OK &&
		       (count = series_run(&cursor, UINT64_MAX, &start, &stride)))
			for (; status == VARVE_OK && count; count--, start += stride)
				status = values_put(&column, writer->coder, start, causes);
		for (uint64_t k = 0; status == VARVE_OK && trips->raw && k < trips->count; k++)
			status = values_put(&column, writer->coder, trips->raw[k], causes);
		if (status == VARVE_OK)
			status = values_finish(&column, writer->coder, &track->trips[i], causes);
		else
			values_drop(&column);
		TRY(status);
	}
	return VARVE_OK;
}

enum varve_status track_finish(struct track_writer *writer, struct track *result,
			       struct varve_causes *causes)
{
	struct track *track = &writer->track;
	if (writer->put != track->events)
		return cause(causes, VARVE_DAMAGED,
			     "a stream has fewer records than before: the trace changed while it "
			     "was packed");
	TRY(trips_finish(writer, causes));
	for (size_t i = 0; i < track->group_count; i++) {
		struct track_group *group = &track->groups[i];
		uint32_t columns = track->shapes[group->shape].columns;
		group->columns = calloc(columns + 1u, sizeof *group->columns);
		if (!group->columns)
			return fold_no_memory(causes);
		for (uint32_t k = 0; k < columns; k++)
			TRY(values_finish(&writer->columns[writer->first_column[i] + k],
					  writer->coder, &group->columns[k], causes));
	}
	*result = *track;
	writer->track = (struct track){0};
	return VARVE_OK;
}
