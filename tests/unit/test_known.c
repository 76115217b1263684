/* Tests: the set of hashes: entries are found again although others have the same hash, also after the table grew. */
#include "base/host/known.h"
#include "unit/harness.h"

enum { THINGS = 3000, SAME = 7 };

/* Thing i has a hash that SAME others have too; one in a hundred has hash 0. */
static uint64_t hash_of(size_t thing)
{
	return thing % 100 < 1 ? 0 : (thing % (THINGS / SAME)) * 0x9e3779b97f4a7c15ull;
}

/* The place of the thing, or the free place for it. */
static size_t find(const struct known *known, size_t thing)
{
	size_t at = known_first(known, hash_of(thing));
	while (known_is(known, at) && known_number(known, at) != thing)
		at = known_next(known, hash_of(thing), at);
	return at;
}

CASE(each_thing_is_found_among_others_of_its_hash)
{
	struct known known = {.listed = true};
	for (size_t i = 0; i < THINGS; i++) {
		size_t room = known_wanted(&known);
		if (room)
			CHECK_EQ(known_grow(&known, room, NULL), VARVE_OK);
		size_t at = find(&known, i);
		CHECK(!known_is(&known, at));
		known_put(&known, at, hash_of(i));
	}
	CHECK_EQ(known.count, THINGS);
	for (size_t i = 0; i < THINGS; i++)
		CHECK(known_is(&known, find(&known, i)));
	CHECK(!known_is(&known, find(&known, THINGS)));
	known_clear(&known);
}

CASE(hashes_alone_count_what_differs)
{
	struct known known = {0};
	for (size_t i = 0; i < 3 * THINGS; i++) {
		size_t room = known_wanted(&known);
		if (room)
			CHECK_EQ(known_grow(&known, room, NULL), VARVE_OK);
		size_t at = known_first(&known, i % THINGS);
		CHECK_EQ(known_is(&known, at), i >= THINGS || i == 1);
		if (!known_is(&known, at))
			known_put(&known, at, i % THINGS);
	}
	/* 0 and 1 are stored in the same way: a collision for one path in 2^64. */
	CHECK_EQ(known.count, THINGS - 1);
	CHECK(!known.numbers);
	known_clear(&known);
}

RUN(ENTRY(each_thing_is_found_among_others_of_its_hash), ENTRY(hashes_alone_count_what_differs))
