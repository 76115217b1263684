/* Base: reading the run's clock, and converting its counts into ticks of the trace.
 *
 * The clock is the time stamp counter if the kernel itself uses it as its clock, otherwise CLOCK_MONOTONIC. A pair of both,
 * read at the start and at the end of a block, defines the line that converts the times of that block.
 */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

#include <stdint.h>
#include <time.h>
#if defined(__x86_64__)
#include <x86intrin.h>
#endif

/* The kernel's clock; 0 if it has no clock with this id. Does not call the C library's function, because another library
 * (libfaketime) may have replaced it. */
int64_t clock_ns(clockid_t id);

/* `tsc` is whether the run's clock is the time stamp counter. */
static inline uint64_t clock_count(int tsc)
{
#if defined(__x86_64__)
	if (__builtin_expect(tsc, 1))
		return __rdtsc();
#endif
	(void)tsc;
	return (uint64_t)clock_ns(CLOCK_MONOTONIC);
}

/* A counter value and the monotonic time at the same moment: the closest pair of three attempts. */
static inline void clock_pair(int tsc, uint64_t *counter, int64_t *monotonic)
{
	uint64_t best = UINT64_MAX;
	if (!tsc) {
		*monotonic = clock_ns(CLOCK_MONOTONIC);
		*counter = (uint64_t)*monotonic;
		return;
	}
	for (int attempt = 0; attempt < 3; attempt++) {
		uint64_t before = clock_count(tsc);
		int64_t ns = clock_ns(CLOCK_MONOTONIC);
		uint64_t after = clock_count(tsc);
		/* The first pair is always kept: a clock that goes backwards gives a pair, too. */
		if (attempt == 0 || after - before < best) {
			best = after - before;
			*counter = before + (uint64_t)((int64_t)best / 2);
			*monotonic = ns;
		}
	}
}

/* ticks(c) = base + floor(((c - origin) * slope + fraction) / 2^CLOCK_SHIFT) */
enum { CLOCK_SHIFT = 62 };
struct clock_line {
	uint64_t origin;
	int64_t base;
	int64_t slope;
	int64_t fraction;
};

/* The line through two pairs; `start` is the monotonic time of tick 0, `resolution` is ns per tick. If the pairs are not at two
 * different moments, the line has one count per ns. */
static inline struct clock_line clock_line(uint64_t counter0, int64_t ns0, uint64_t counter1,
					   int64_t ns1, int64_t start, uint32_t resolution)
{
	int64_t counts = (int64_t)(counter1 - counter0);
	int64_t ns = (int64_t)((uint64_t)ns1 - (uint64_t)ns0);
	if (counts <= 0 || ns <= 0)
		counts = ns = 1;
	if (!resolution)
		resolution = 1;
	/* Rounded up, so that a clock of whole ns never falls short of a whole tick. */
	__int128 unit = (__int128)counts * resolution;
	__int128 slope = (((__int128)ns << CLOCK_SHIFT) + unit - 1) / unit;
	if (slope > INT64_MAX)
		slope = INT64_MAX;
	int64_t offset = (int64_t)((uint64_t)ns0 - (uint64_t)start);
	int64_t base = offset / (int64_t)resolution;
	if (offset % (int64_t)resolution < 0)
		base--;
	__int128 rest = offset - (__int128)base * resolution;
	return (struct clock_line){
		.origin = counter0,
		.base = base,
		.slope = (int64_t)slope,
		.fraction = (int64_t)(((rest << CLOCK_SHIFT) + resolution - 1) / resolution),
	};
}

static inline int64_t clock_ticks(const struct clock_line *line, uint64_t counter)
{
	int64_t counts = (int64_t)(counter - line->origin);
	/* The slope is rounded up; before the origin it must be rounded down for the same reason. */
	__int128 sum = (__int128)counts * (line->slope + (counts >> 63)) + line->fraction;
	return (int64_t)((uint64_t)line->base + (uint64_t)(sum >> CLOCK_SHIFT));
}

#endif
