/* Tests: tracks: random events, in loops, of several shapes, with up to TRACK_COLUMNS_MOST values, folded and read back: all, some,
 * and after skipping. The meaning of shapes and values does not matter here. */
#include "unit/packed_track.h"

enum { SHAPES = 9, EVENTS_MOST = 6000 };

static struct bench bench;

/* The stored events: their shapes, and their values side by side. */
struct script {
	size_t count;
	uint32_t shape[EVENTS_MOST];
	uint64_t hint[EVENTS_MOST];
	size_t first[EVENTS_MOST + 1]; /* value */
	uint64_t *values;
	uint8_t key[SHAPES][40];
	uint32_t length[SHAPES], columns[SHAPES];
};
static struct script script;

static void shapes_by_chance(struct chance *chance)
{
	static const uint32_t columns[] = {0, 1, 2, 3, 7, TRACK_COLUMNS_MOST};
	for (uint32_t i = 0; i < SHAPES; i++) {
		script.length[i] = (uint32_t)chance_below(chance, 20);
		chance_fill(chance, script.key[i], script.length[i]);
		/* Keys differ in their last byte; one has no bytes at all. */
		if (i)
			script.key[i][script.length[i]++] = (uint8_t)i;
		else
			script.length[i] = 0;
		script.columns[i] = columns[chance_below(chance, 6)];
	}
}

static void event(struct chance *chance, uint32_t shape, uint64_t hint)
{
	size_t at = script.count++, first = script.first[at];
	script.shape[at] = shape;
	script.hint[at] = hint;
	script.first[at + 1] = first + script.columns[shape];
	script.values = realloc(script.values, (first + script.columns[shape] + 1) * 8);
	for (uint32_t i = 0; i < script.columns[shape]; i++)
		script.values[first + i] = value_by_nature(chance, shape + i, at);
}

/* Loops in loops, with something between them. */
static void script_by_chance(struct chance *chance)
{
	script.count = 0;
	shapes_by_chance(chance);
	size_t most = chance_once(chance, 8) ? EVENTS_MOST : chance_below(chance, 400);
	while (script.count < most) {
		uint32_t body[6];
		uint64_t hints[6];
		size_t length = 1 + chance_below(chance, 5), inner = chance_below(chance, length);
		uint64_t trips = 1 + chance_below(chance, chance_once(chance, 4) ? 300 : 8);
		for (size_t i = 0; i < length; i++) {
			body[i] = (uint32_t)chance_below(chance, SHAPES);
			hints[i] = chance_once(chance, 3) ? chance_below(chance, 3) : 0;
		}
		bool varies = chance_once(chance, 3);
		for (; trips; trips--)
			for (size_t i = 0; i < length; i++) {
				uint64_t times = i != inner ? 1
						 : varies   ? chance_below(chance, 4)
							    : 3;
				for (; times && script.count < most; times--)
					event(chance, body[i], hints[i]);
			}
	}
}

/* Some at a time: one, a few, hundreds. All have a group that exists in the track. */
static enum varve_status put_events(struct track_writer *writer, bool second)
{
	static uint32_t symbols[EVENTS_MOST], groups[EVENTS_MOST];
	struct chance chance = chance_start(script.count);
	for (size_t i = 0; i < script.count; i++) {
		uint32_t shape = script.shape[i];
		const uint8_t *key = script.length[shape] ? script.key[shape] : NULL;
		TRY(track_symbol(writer, key, script.length[shape], script.columns[shape],
				 script.hint[i], &symbols[i], &bench.causes));
		groups[i] = UINT32_MAX;
	}
	for (size_t i = 0, some; i < script.count; i += some) {
		const uint64_t *values = script.values + script.first[i];
		some = 1 + chance_below(&chance, chance_once(&chance, 2) ? 700 : 5);
		if (some > script.count - i)
			some = script.count - i;
		if (some == 1 && !second)
			TRY(track_see(writer, symbols[i], &bench.causes));
		else if (!second)
			TRY(track_see_all(writer, symbols + i, some, &bench.causes));
		else if (chance_once(&chance, 2))
			TRY(track_put_all(writer, symbols + i, some, values, groups + i,
					  &bench.causes));
		else if (some == 1)
			TRY(track_put(writer, symbols[i], values, &bench.causes));
		else
			TRY(track_put_all(writer, symbols + i, some, values, NULL, &bench.causes));
	}
	for (size_t i = 0; second && i < script.count; i++)
		CHECK(groups[i] == UINT32_MAX || groups[i] < track_groups(writer));
	return VARVE_OK;
}

static bool track_make(struct track *track, size_t window)
{
	struct track_writer *writer;
	*track = (struct track){0};
	if (!CHECK_EQ(track_start(&writer, &bench.coder, window, &bench.causes), VARVE_OK))
		return false;
	bool good = CHECK_EQ(put_events(writer, false), VARVE_OK) &&
		    CHECK_EQ(track_fold(writer, &bench.causes), VARVE_OK) &&
		    CHECK_EQ(put_events(writer, true), VARVE_OK) &&
		    CHECK_EQ(track_finish(writer, track, &bench.causes), VARVE_OK);
	track_drop(writer);
	bench_read(&bench);
	return good;
}

/* One event as it is read: its shape, and random columns. */
static bool event_is(struct track_reader *reader, size_t at, uint32_t group, uint64_t first,
		     struct chance *chance)
{
	const struct track *track = reader->track;
	const struct track_shape *shape = &track->shapes[track->groups[group].shape];
	uint32_t expected = script.shape[at];
	bool good = CHECK_EQ(shape->length, script.length[expected]) &&
		    CHECK(!memcmp(shape->key, script.key[expected], shape->length)) &&
		    CHECK_EQ(shape->columns, script.columns[expected]);
	for (uint32_t i = 0; good && i < shape->columns; i++) {
		uint64_t value;
		if (chance_once(chance, 2))
			continue;
		good = CHECK_EQ(track_values(reader, group, i, first, 1, &value, &bench.causes),
				VARVE_OK) &&
		       CHECK_EQ(value, script.values[script.first[at] + i]);
	}
	return good;
}

/* Takes and skips at random. */
static bool track_is(const struct track *track, struct chance *chance, bool leaps)
{
	struct track_reader reader;
	uint32_t groups[64];
	if (!CHECK_EQ(track_open(&reader, track, bench.file, bench.size, &bench.decoder,
				 &bench.causes),
		      VARVE_OK))
		return false;
	bool good = CHECK_EQ(track->events, script.count);
	for (size_t at = 0; good && at < script.count;) {
		if (leaps && chance_once(chance, 2)) {
			size_t left = script.count - at;
			at += chance_below(chance,
					   chance_once(chance, 4) ? left + 1 : left / 8 + 1);
			good = CHECK_EQ(track_skip(&reader, at, &bench.causes), VARVE_OK);
		}
		size_t some = 1 + chance_below(chance, 64);
		some = some < script.count - at ? some : script.count - at;
		good = good && CHECK_EQ(track_take(&reader, some, groups, &bench.causes), VARVE_OK);
		/* Numbers in the group are counted back from the taken events. */
		for (size_t i = some; good && i-- > 0;) {
			uint64_t behind = 0;
			for (size_t k = i; k < some; k++)
				behind += groups[k] == groups[i];
			good = event_is(&reader, at + i, groups[i],
					reader.taken[groups[i]] - behind, chance);
		}
		at += some;
	}
	uint32_t more;
	good = good && (leaps || CHECK_EQ(track_take(&reader, 1, &more, NULL), VARVE_DAMAGED));
	track_close(&reader);
	return good;
}

CASE(events_by_chance)
{
	bool good = true;
	uint64_t seeds = chance_runs("VARVE_LOOP_RUNS", 100);
	for (uint64_t seed = 1; good && seed <= seeds; seed++) {
		struct chance chance = chance_start(seed);
		struct track track;
		if (!bench_start(&bench))
			return;
		script_by_chance(&chance);
		good = track_make(&track, chance_once(&chance, 4) ? 8 : FOLD_WINDOW) &&
		       track_is(&track, &chance, false) && track_is(&track, &chance, true);
		if (!good)
			printf("# seed %" PRIu64 "\n", seed);
		track_clear(&track);
		bench_stop(&bench);
	}
}

/* The shape of a track depends only on its events: not on earlier tracks of the same coder. */
CASE(the_same_events_are_the_same_track)
{
	struct track one, other;
	if (!bench_start(&bench))
		return;
	for (uint64_t seed = 1; seed <= 20; seed++) {
		struct chance chance = chance_start(seed);
		script_by_chance(&chance);
		if (!track_make(&one, FOLD_WINDOW) || !track_make(&other, FOLD_WINDOW))
			break;
		CHECK_EQ(one.tree.count, other.tree.count);
		CHECK_EQ(one.group_count, other.group_count);
		CHECK(!memcmp(one.tree.branches, other.tree.branches,
			      one.tree.count * sizeof *one.tree.branches));
		track_clear(&one);
		track_clear(&other);
	}
	bench_stop(&bench);
}

/* A trace that changes between the two times is refused. */
CASE(other_events_the_second_time)
{
	if (!bench_start(&bench))
		return;
	for (unsigned way = 0; way < 3; way++) {
		struct track_writer *writer;
		struct track track;
		uint32_t a, b;
		uint64_t value = 7;
		CHECK_EQ(track_start(&writer, &bench.coder, FOLD_WINDOW, NULL), VARVE_OK);
		CHECK_EQ(track_symbol(writer, (const uint8_t *)"a", 1, 1, 0, &a, NULL), VARVE_OK);
		CHECK_EQ(track_symbol(writer, (const uint8_t *)"b", 1, 0, 0, &b, NULL), VARVE_OK);
		for (int i = 0; i < 10; i++)
			CHECK_EQ(track_see(writer, a, NULL), VARVE_OK);
		CHECK_EQ(track_fold(writer, NULL), VARVE_OK);
		for (int i = 0; i < 9; i++)
			CHECK_EQ(track_put(writer, a, &value, NULL), VARVE_OK);
		if (way == 0) { /* another one */
			CHECK_EQ(track_put(writer, b, &value, NULL), VARVE_DAMAGED);
		} else if (way == 1) { /* one less */
			CHECK_EQ(track_finish(writer, &track, NULL), VARVE_DAMAGED);
		} else { /* one more */
			CHECK_EQ(track_put(writer, a, &value, NULL), VARVE_OK);
			CHECK_EQ(track_put(writer, a, &value, NULL), VARVE_DAMAGED);
		}
		track_drop(writer);
	}
	bench_stop(&bench);
}

CASE(limits_of_shapes)
{
	static uint8_t key[TRACK_KEY_MOST + 1];
	struct track_writer *writer;
	uint32_t symbol;
	if (!bench_start(&bench))
		return;
	CHECK_EQ(track_start(&writer, &bench.coder, 2, NULL), VARVE_OK);
	CHECK_EQ(track_symbol(writer, key, TRACK_KEY_MOST, TRACK_COLUMNS_MOST, 0, &symbol, NULL),
		 VARVE_OK);
	CHECK_EQ(track_symbol(writer, key, TRACK_KEY_MOST + 1, 0, 0, &symbol, NULL), VARVE_LIMIT);
	CHECK_EQ(track_symbol(writer, key, 1, TRACK_COLUMNS_MOST + 1, 5, &symbol, NULL),
		 VARVE_LIMIT);
	/* A refused track leaves nothing behind. */
	CHECK_EQ(track_symbol(writer, key, 1, 3, 5, &symbol, NULL), VARVE_OK);
	track_drop(writer);
	free(script.values);
	script.values = NULL;
	bench_stop(&bench);
}

RUN(ENTRY(events_by_chance), ENTRY(the_same_events_are_the_same_track),
    ENTRY(other_events_the_second_time), ENTRY(limits_of_shapes))
