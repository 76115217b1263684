/* Tests: src/base/clock.h: counts of the run's clock to ticks of the trace, over hours and years. */
#include "base/clock.h"
#include "unit/chance.h"
#include "unit/harness.h"

#define SECOND 1000000000ll
#define HOUR (3600 * SECOND)
#define YEAR (365 * 24 * HOUR)

static int64_t floor_div(__int128 value, __int128 by)
{
	__int128 result = value / by;
	return (int64_t)(value % by < 0 ? result - 1 : result);
}

/* If the clock counts nanoseconds, ticks are exactly the floor. */
CASE(nanoseconds_are_floored_exactly)
{
	static const uint32_t resolutions[] = {1, 3, 7, 10, 100, 1000};
	static const int64_t spans[] = {1, 999, SECOND, HOUR, 24 * HOUR, YEAR};
	struct chance chance = chance_start(3);
	for (size_t r = 0; r < sizeof resolutions / sizeof *resolutions; r++) {
		int64_t resolution = resolutions[r];
		for (int i = 0; i < 20000; i++) {
			int64_t start = (int64_t)chance_below(&chance, 10 * YEAR);
			int64_t begin =
				start + (int64_t)chance_below(&chance, 1000 * (uint64_t)SECOND);
			int64_t span = spans[chance_below(&chance, sizeof spans / sizeof *spans)];
			struct clock_line line =
				clock_line((uint64_t)begin, begin, (uint64_t)(begin + span),
					   begin + span, start, resolutions[r]);
			int64_t at = begin + (int64_t)chance_below(&chance, (uint64_t)span + 1);
			if (chance_once(&chance, 2)) /* at and around whole ticks */
				at = start + (at - start) / resolution * resolution +
				     (int64_t)chance_below(&chance, 3) - 1;
			if (!CHECK_EQ(clock_ticks(&line, (uint64_t)at),
				      floor_div(at - start, resolution)))
				return;
		}
	}
}

/* A machine's counter: `hz` counts per second, at `at` ns. Exact, so the difference that is found is the error of the line. */
static uint64_t counter_at(uint64_t hz, int64_t at)
{
	return (uint64_t)((__int128)at * hz / SECOND);
}

static bool near_to(int64_t got, int64_t expected)
{
	return got - expected <= 1 && expected - got <= 1;
}

CASE(a_year_of_time_stamp_counts)
{
	static const uint64_t rates[] = {1000000000, 1800000000, 2194843000,
					 2999999999, 3700000001, 5000000000};
	static const uint32_t resolutions[] = {1, 100, 1000};
	struct chance chance = chance_start(4);
	for (size_t h = 0; h < sizeof rates / sizeof *rates; h++)
		for (size_t r = 0; r < sizeof resolutions / sizeof *resolutions; r++)
			for (int i = 0; i < 2000; i++) {
				uint64_t hz = rates[h], resolution = resolutions[r];
				int64_t boot = (int64_t)chance_below(&chance, (uint64_t)YEAR);
				int64_t begin =
					boot + (int64_t)chance_below(&chance, (uint64_t)HOUR);
				struct clock_line line = clock_line(
					counter_at(hz, begin), begin, counter_at(hz, begin + YEAR),
					begin + YEAR, boot, resolutions[r]);
				int64_t at = begin + (int64_t)chance_below(&chance, (uint64_t)YEAR);
				int64_t ticks = clock_ticks(&line, counter_at(hz, at));
				if (!CHECK(near_to(ticks,
						   floor_div(at - boot, (__int128)resolution)))) {
					printf("# hz %" PRIu64 " resolution %" PRIu64 " at %" PRId64
					       "\n",
					       hz, resolution, at);
					return;
				}
			}
}

/* The pairs are a moment apart, the records an hour later: the error depends only on the pairs. */
CASE(a_pause_of_an_hour)
{
	static const uint64_t rates[] = {1000000000, 2194843000, 5000000000};
	for (size_t h = 0; h < sizeof rates / sizeof *rates; h++) {
		uint64_t hz = rates[h];
		int64_t start = 5 * HOUR, begin = start + SECOND, end = begin + HOUR + 5 * SECOND;
		struct clock_line line = clock_line(counter_at(hz, begin), begin,
						    counter_at(hz, end), end, start, 100);
		int64_t before = begin + 1000, after = before + HOUR;
		CHECK(near_to(clock_ticks(&line, counter_at(hz, before)), (before - start) / 100));
		CHECK(near_to(clock_ticks(&line, counter_at(hz, after)), (after - start) / 100));
		int64_t pause = clock_ticks(&line, counter_at(hz, after)) -
				clock_ticks(&line, counter_at(hz, before));
		CHECK(near_to(pause, HOUR / 100));
	}
}

CASE(times_never_run_backwards)
{
	struct chance chance = chance_start(5);
	for (int i = 0; i < 200; i++) {
		uint64_t hz = 1000000000 + chance_below(&chance, 4000000000);
		int64_t begin = (int64_t)chance_below(&chance, (uint64_t)YEAR),
			span = 1 + (int64_t)chance_below(&chance, HOUR);
		struct clock_line line =
			clock_line(counter_at(hz, begin), begin, counter_at(hz, begin + span),
				   begin + span, begin / 2, 100);
		uint64_t counter = counter_at(hz, begin);
		int64_t last = clock_ticks(&line, counter);
		for (int k = 0; k < 200; k++) {
			counter += chance_below(&chance, 2000);
			int64_t now = clock_ticks(&line, counter);
			CHECK(now >= last);
			last = now;
		}
	}
}

CASE(counters_before_the_origin_give_earlier_ticks)
{
	struct clock_line line = clock_line(1000000, 1000000, 2000000, 2000000, 0, 100);
	CHECK_EQ(clock_ticks(&line, 1000000), 10000);
	CHECK_EQ(clock_ticks(&line, 999999), 9999);
	CHECK_EQ(clock_ticks(&line, 999900), 9999);
	CHECK_EQ(clock_ticks(&line, 999899), 9998);
	CHECK_EQ(clock_ticks(&line, 0), 0);
	line = clock_line(50, 50, 1050, 1050, 150, 100); /* the pair is before the run's start */
	CHECK_EQ(clock_ticks(&line, 50), -1);
	CHECK_EQ(clock_ticks(&line, 149), -1);
	CHECK_EQ(clock_ticks(&line, 150), 0);
	CHECK_EQ(clock_ticks(&line, 49), -2);
}

/* Lanes of dead processes may contain anything: no pair may stop the program. */
CASE(pairs_that_make_no_line)
{
	struct clock_line line = clock_line(100, 1000, 100, 1000, 0, 1);
	CHECK_EQ(clock_ticks(&line, 100), 1000);
	CHECK_EQ(clock_ticks(&line, 150), 1050);
	line = clock_line(100, 1000, 50, 2000, 0, 1); /* the counter ran backwards */
	CHECK_EQ(clock_ticks(&line, 110), 1010);
	line = clock_line(100, 1000, 200, 900, 0, 1); /* the other clock ran backwards */
	CHECK_EQ(clock_ticks(&line, 110), 1010);
	line = clock_line(0, 0, 1000, 1000, 0, 0); /* no resolution */
	CHECK_EQ(clock_ticks(&line, 7), 7);
	line = clock_line(0, 0, 1, YEAR, 0, 1); /* one count in a year */
	CHECK(clock_ticks(&line, 1) > 0);
}

CASE(no_pair_and_no_counter_breaks_the_arithmetic)
{
	struct chance chance = chance_start(6);
	static const uint64_t edges[] = {0,	    1, UINT64_MAX, 1ull << 63, (1ull << 63) - 1,
					 1ull << 62};
	for (int i = 0; i < 200000; i++) {
		uint64_t word[7];
		for (size_t k = 0; k < 7; k++)
			word[k] = chance_once(&chance, 3) ? edges[chance_below(&chance, 6)]
							  : chance_wide(&chance);
		struct clock_line line =
			clock_line(word[0], (int64_t)word[1], word[2], (int64_t)word[3],
				   (int64_t)word[4], (uint32_t)word[5]);
		clock_ticks(&line, word[6]);
	}
}

CASE(a_pair_is_of_one_moment)
{
	uint64_t counter;
	int64_t before = clock_ns(CLOCK_MONOTONIC), monotonic;
	clock_pair(0, &counter, &monotonic);
	CHECK(monotonic >= before && monotonic <= clock_ns(CLOCK_MONOTONIC));
	CHECK_EQ(counter, monotonic);
#if defined(__x86_64__)
	uint64_t low = clock_count(1);
	clock_pair(1, &counter, &monotonic);
	CHECK(counter >= low && counter <= clock_count(1));
	CHECK(monotonic >= before && monotonic <= clock_ns(CLOCK_MONOTONIC));
#endif
}

RUN(ENTRY(nanoseconds_are_floored_exactly), ENTRY(a_year_of_time_stamp_counts),
    ENTRY(a_pause_of_an_hour), ENTRY(times_never_run_backwards),
    ENTRY(counters_before_the_origin_give_earlier_ticks), ENTRY(pairs_that_make_no_line),
    ENTRY(no_pair_and_no_counter_breaks_the_arithmetic), ENTRY(a_pair_is_of_one_moment))
