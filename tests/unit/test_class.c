/* Tests: tracks of many streams stored once, and read again as the track of each; and classes that no writer made: each byte
 * changed, truncated at each length, random bytes. Nothing may crash, hang, or take more memory than its budget. */
#include "loop/class.h"
#include "unit/packed_track.h"

enum { MEMBERS_MOST = 40, EVENTS_READ = 300, PARTS_READ = 64, BUDGET = 1 << 22 };

static struct bench bench;

/* The difference of members in one number. */
static uint64_t member_value(struct chance *chance, unsigned nature, size_t member)
{
	switch (nature % 4) {
	case 0:
		return 9;
	case 1:
		return member * 1048576 + 3;
	case 2:
		return (member + 1) % 5 * 64;
	default:
		return chance_wide(chance);
	}
}

static enum varve_status put(struct track_writer *writer, bool second, const char *key,
			     uint32_t columns, const uint64_t *values)
{
	uint32_t symbol;
	TRY(track_symbol(writer, (const uint8_t *)key, (uint32_t)strlen(key), columns, 0, &symbol,
			 &bench.causes));
	return second ? track_put(writer, symbol, values, &bench.causes)
		      : track_see(writer, symbol, &bench.causes);
}

/* The events of one member: two loops, one inside the other, then a few alone. */
static enum varve_status run(struct track_writer *writer, bool second, uint64_t seed, size_t member)
{
	struct chance rule = chance_start(seed), own = chance_start(seed * 1000 + member);
	unsigned natures[4];
	for (size_t i = 0; i < 4; i++)
		natures[i] = (unsigned)chance_below(&rule, 4);
	uint64_t start = member_value(&own, natures[0], member);
	uint64_t stride = member_value(&own, natures[1], member);
	uint64_t outer = 3 + member_value(&own, natures[2] % 3, member) % 40;
	bool odd = chance_once(&rule, 3) &&
		   member % 3 == 1; /* some are irregular where others are not */
	for (uint64_t i = 0; i < outer; i++) {
		const uint64_t open[] = {i, start};
		TRY(put(writer, second, "open", 2, open));
		for (uint64_t k = 0; k < 4; k++) {
			uint64_t at = odd ? chance_word(&own) : start + (i * 4 + k) * stride;
			const uint64_t values[] = {at, 4096,
						   natures[3] == 3 ? chance_word(&own) : k};
			TRY(put(writer, second, "write", 3, values));
		}
	}
	TRY(put(writer, second, "", 0, NULL));
	return put(writer, second, "close", 1, &start);
}

static bool make(struct track *track, uint64_t seed, size_t member)
{
	struct track_writer *writer;
	*track = (struct track){0};
	if (!CHECK_EQ(track_start(&writer, &bench.coder, FOLD_WINDOW, &bench.causes), VARVE_OK))
		return false;
	bool good = CHECK_EQ(run(writer, false, seed, member), VARVE_OK) &&
		    CHECK_EQ(track_fold(writer, &bench.causes), VARVE_OK) &&
		    CHECK_EQ(run(writer, true, seed, member), VARVE_OK) &&
		    CHECK_EQ(track_finish(writer, track, &bench.causes), VARVE_OK);
	track_drop(writer);
	return good;
}

/* Parts of a track in the order in which a class needs them. */
struct listing {
	struct values_part *parts;
	size_t count;
};

static void list_parts(void *context, const struct values *values)
{
	struct listing *listing = context;
	listing->parts = realloc(listing->parts, (listing->count + values->part_count + 1) *
							 sizeof *listing->parts);
	memcpy(listing->parts + listing->count, values->parts,
	       values->part_count * sizeof *values->parts);
	listing->count += values->part_count;
}

/* Event by event, all columns. */
static bool same_tracks(const struct track *a, const struct track *b)
{
	struct track_reader one, other;
	if (!CHECK_EQ(track_open(&one, a, bench.file, bench.size, &bench.decoder, &bench.causes),
		      VARVE_OK) ||
	    !CHECK_EQ(track_open(&other, b, bench.file, bench.size, &bench.decoder, &bench.causes),
		      VARVE_OK))
		return false;
	bool good = CHECK_EQ(a->events, b->events);
	for (uint64_t at = 0; good && at < a->events; at++) {
		uint32_t group, also;
		good = CHECK_EQ(track_take(&one, 1, &group, &bench.causes), VARVE_OK) &&
		       CHECK_EQ(track_take(&other, 1, &also, &bench.causes), VARVE_OK) &&
		       CHECK_EQ(group, also);
		uint64_t number = good ? one.taken[group] - 1 : 0;
		uint32_t columns = good ? a->shapes[a->groups[group].shape].columns : 0;
		for (uint32_t i = 0; good && i < columns; i++) {
			uint64_t value, expected;
			good = CHECK_EQ(track_values(&one, group, i, number, 1, &expected, NULL),
					VARVE_OK) &&
			       CHECK_EQ(track_values(&other, group, i, number, 1, &value, NULL),
					VARVE_OK) &&
			       CHECK_EQ(value, expected);
		}
	}
	track_close(&one);
	track_close(&other);
	return good;
}

static bool member_is(const struct track_class *class, size_t member, const struct track *track)
{
	struct track read;
	struct listing listing = {0};
	if (!CHECK_EQ(class_member(class, member, &read, &bench.causes), VARVE_OK))
		return false;
	track_parts(track, list_parts, &listing);
	bool good = CHECK_EQ(class_parts(class, member), listing.count);
	if (good) {
		track_parts_set(&read, listing.parts);
		good = same_tracks(track, &read);
	}
	member_clear(&read);
	free(listing.parts);
	return good;
}

/* The members of `tracks` that are in the class of `members[0]`. */
static size_t alike(struct track *tracks, size_t count, struct track **members)
{
	size_t found = 0;
	for (size_t i = 0; i < count; i++)
		if (track_alike(&tracks[0], &tracks[i])) {
			CHECK_EQ(track_form(&tracks[0]), track_form(&tracks[i]));
			members[found++] = &tracks[i];
		}
	return found;
}

static bool round_trip(uint64_t seed, size_t count)
{
	struct track tracks[MEMBERS_MOST], *members[MEMBERS_MOST];
	struct bytes bytes = {0}, again = {0};
	struct track_class class;
	size_t budget = BUDGET, made = 0;
	bool good = true;
	for (; good && made < count; made++)
		good = make(&tracks[made], seed, made);
	bench_read(&bench);
	size_t found = good ? alike(tracks, count, members) : 0;
	good = good && CHECK_EQ(found, count) &&
	       CHECK_EQ(class_write(&bytes, members, found, &bench.causes), VARVE_OK);
	struct input input = {bytes.at, bytes.at + bytes.length, false};
	good = good &&
	       CHECK_EQ(class_read(&class, &input, found, &budget, &bench.causes), VARVE_OK);
	if (good) {
		good = CHECK(input.at == input.end);
		for (size_t i = 0; good && i < found; i++)
			good = member_is(&class, i, members[i]);
		class_clear(&class);
	}
	/* The same events again give the same bytes, although their parts are elsewhere, whether or not they are settled. */
	for (size_t i = 0; i < made; i++)
		track_clear(&tracks[i]);
	for (made = 0; good && made < count; made++) {
		good = make(&tracks[made], seed, made);
		if (seed % 4)
			track_settle(&tracks[made]);
	}
	good = good && CHECK_EQ(class_write(&again, members, found, &bench.causes), VARVE_OK) &&
	       CHECK_EQ(again.length, bytes.length) &&
	       CHECK(!memcmp(again.at, bytes.at, bytes.length));
	for (size_t i = 0; i < made; i++)
		track_clear(&tracks[i]);
	bytes_clear(&bytes);
	bytes_clear(&again);
	return good;
}

CASE(members_are_themselves_again)
{
	static const size_t counts[] = {1, 2, 3, 7, 16, MEMBERS_MOST};
	if (!bench_start(&bench))
		return;
	for (uint64_t seed = 1; seed <= 60; seed++)
		if (!round_trip(seed, counts[seed % 6])) {
			printf("# seed %" PRIu64 "\n", seed);
			break;
		}
	bench_stop(&bench);
}

/* Numbers that follow the rank take the same few bytes for any number of ranks. */
CASE(affine_members_cost_nothing)
{
	struct track tracks[MEMBERS_MOST], *members[MEMBERS_MOST];
	size_t lengths[2];
	if (!bench_start(&bench))
		return;
	for (size_t i = 0; i < MEMBERS_MOST; i++) {
		struct track_writer *writer;
		tracks[i] = (struct track){0};
		members[i] = &tracks[i];
		CHECK_EQ(track_start(&writer, &bench.coder, FOLD_WINDOW, NULL), VARVE_OK);
		for (int second = 0; second < 2; second++) {
			for (uint64_t k = 0; k < 100; k++) {
				const uint64_t values[] = {i * 800 + k * 8, 8};
				CHECK_EQ(put(writer, second, "write", 2, values), VARVE_OK);
			}
			if (!second)
				CHECK_EQ(track_fold(writer, NULL), VARVE_OK);
		}
		CHECK_EQ(track_finish(writer, &tracks[i], NULL), VARVE_OK);
		track_drop(writer);
	}
	for (size_t i = 0; i < 2; i++) {
		struct bytes bytes = {0};
		CHECK_EQ(class_write(&bytes, members, i ? MEMBERS_MOST : 2, NULL), VARVE_OK);
		lengths[i] = bytes.length;
		bytes_clear(&bytes);
	}
	CHECK_EQ(lengths[0], lengths[1]);
	for (size_t i = 0; i < MEMBERS_MOST; i++)
		track_clear(&tracks[i]);
	bench_stop(&bench);
}

/* Reads everything in a class, as far as a reader would do at once. */
static void read_member(const struct track_class *class, size_t member)
{
	struct track track;
	struct track_reader reader;
	size_t parts = class_parts(class, member);
	if (class_member(class, member, &track, NULL) != VARVE_OK)
		return;
	struct values_part none[PARTS_READ] = {{0}};
	if (parts <= PARTS_READ) {
		track_parts_set(&track, none);
		if (track_open(&reader, &track, bench.file, bench.size, &bench.decoder, NULL) ==
		    VARVE_OK) {
			for (int i = 0; i < EVENTS_READ; i++) {
				uint32_t group;
				uint64_t value;
				if (track_take(&reader, 1, &group, NULL) != VARVE_OK)
					break;
				CHECK(group < track.group_count);
				if (track.shapes[track.groups[group].shape].columns &&
				    track_values(&reader, group, 0, reader.taken[group] - 1, 1,
						 &value, NULL) == VARVE_NO_MEMORY)
					CHECK(false);
			}
			uint64_t far = reader.at + (track.events - reader.at) / 2;
			if (track.events > reader.at && track_skip(&reader, far, NULL) == VARVE_OK)
				CHECK_EQ(reader.at, far);
			track_close(&reader);
		}
	}
	member_clear(&track);
}

/* In memory of exactly its size. */
static void read_hostile(const uint8_t *bytes, size_t length, size_t members)
{
	uint8_t *copy = malloc(length ? length : 1);
	struct track_class class;
	size_t budget = BUDGET;
	memcpy(copy, bytes, length);
	struct input input = {copy, copy + length, false};
	if (class_read(&class, &input, members, &budget, NULL) == VARVE_OK) {
		for (size_t i = 0; i < members; i++)
			read_member(&class, i);
		class_clear(&class);
	}
	CHECK(budget <= BUDGET);
	free(copy);
}

CASE(hostile_classes)
{
	enum { MEMBERS = 3 };
	struct track tracks[MEMBERS], *members[MEMBERS];
	struct chance chance = chance_start(7);
	if (!bench_start(&bench))
		return;
	for (uint64_t seed = 1; seed <= 3; seed++) {
		struct bytes bytes = {0};
		for (size_t i = 0; i < MEMBERS; i++) {
			members[i] = &tracks[i];
			make(&tracks[i], seed, i);
		}
		bench_read(&bench);
		CHECK_EQ(class_write(&bytes, members, MEMBERS, NULL), VARVE_OK);
		for (size_t length = 0; length <= bytes.length; length++)
			read_hostile(bytes.at, length, MEMBERS);
		for (size_t at = 0; at < bytes.length; at++) {
			uint8_t kept = bytes.at[at];
			for (unsigned way = 0; way < 40; way++) {
				unsigned flipped = kept ^ 1u << way % 8;
				bytes.at[at] = (uint8_t)(way < 8    ? flipped
							 : way == 8 ? 0xff
								    : chance_word(&chance));
				read_hostile(bytes.at, bytes.length, MEMBERS);
			}
			bytes.at[at] = kept;
		}
		for (int i = 0; i < 30000; i++) {
			uint8_t noise[64];
			size_t length = chance_below(&chance, sizeof noise);
			for (size_t k = 0; k < length; k++)
				noise[k] = (uint8_t)(chance_once(&chance, 3)
							     ? chance_word(&chance)
							     : chance_below(&chance, 5));
			read_hostile(noise, length, 1 + chance_below(&chance, 3));
		}
		for (size_t i = 0; i < MEMBERS; i++)
			track_clear(&tracks[i]);
		bytes_clear(&bytes);
	}
	bench_stop(&bench);
}

/* A loop of 2^60 trips in a few bytes: opening, reading and skipping take no time. */
CASE(loops_that_no_memory_could_hold)
{
	struct bytes bytes = {0};
	struct track_class class;
	size_t budget = BUDGET;
	const uint64_t trips = 1ull << 60;
	if (!bench_start(&bench))
		return;
	bench_read(&bench);
	const uint64_t numbers[] = {
		1, 1,	      0,		  /* a shape of one column, without a key */
		1, 0,				  /* a group of it */
		2, 0,	      1, 1,		  /* a loop of one leaf */
		1, 2,	      0,		  /* it is entered once */
		1, trips * 2, 0,		  /* the group's events */
		1, 2,	      0, 1, trips * 2, 0, /* trips: one form of one block of no dimension */
		1, 2,	      1, 1, 0,	       0, 1, trips * 2, 0, 1, 16, 0, /* values: a line */
	};
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
		bytes_number(&bytes, numbers[i]);
	struct input input = {bytes.at, bytes.at + bytes.length, false};
	struct track track;
	struct track_reader reader;
	uint32_t group;
	uint64_t value;
	if (CHECK_EQ(class_read(&class, &input, 1, &budget, &bench.causes), VARVE_OK)) {
		CHECK(input.at == input.end);
		if (CHECK_EQ(class_member(&class, 0, &track, &bench.causes), VARVE_OK)) {
			CHECK_EQ(track.events, trips);
			CHECK_EQ(track_open(&reader, &track, bench.file, bench.size, &bench.decoder,
					    &bench.causes),
				 VARVE_OK);
			CHECK_EQ(track_skip(&reader, trips - 5, &bench.causes), VARVE_OK);
			CHECK_EQ(track_take(&reader, 1, &group, &bench.causes), VARVE_OK);
			CHECK_EQ(track_values(&reader, group, 0, trips - 5, 1, &value,
					      &bench.causes),
				 VARVE_OK);
			CHECK_EQ(value, (trips - 5) * 8);
			track_close(&reader);
			member_clear(&track);
		}
		class_clear(&class);
	}
	bytes_clear(&bytes);
	bench_stop(&bench);
}

RUN(ENTRY(members_are_themselves_again), ENTRY(affine_members_cost_nothing), ENTRY(hostile_classes),
    ENTRY(loops_that_no_memory_could_hold))
