/* Tests: packed/guard.h: every flipped bit of a range and of its guard is repaired, and so are bursts; damage that cannot be
 * repaired is counted, and good bytes do not change. */
#include "packed/guard.h"
#include "unit/chance.h"
#include "unit/harness.h"

#include <stdlib.h>

static uint8_t *bytes, *copy;
static size_t length, guard, all;

/* A range of random bytes with its guard behind it, and a copy of both. */
static void start(size_t of)
{
	length = of;
	guard = guard_size(of);
	all = length + guard;
	bytes = malloc(all + 1);
	copy = malloc(all + 1);
	struct chance chance = chance_start(of);
	for (size_t i = 0; i < length; i++)
		bytes[i] = (uint8_t)chance_below(&chance, 256);
	guard_make(bytes, length, bytes + length);
	memcpy(copy, bytes, all);
}

static void stop(void)
{
	free(bytes);
	free(copy);
}

static struct guard_mended mend(void)
{
	struct guard_mended found = {0};
	CHECK(guard_mend(bytes, length, bytes + length, &found));
	return found;
}

CASE(every_bit)
{
	static const size_t sizes[] = {1, 8, 127, 128, 129, 1000, 5000};
	for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
		start(sizes[k]);
		CHECK(guard_good(bytes, length, bytes + length));
		for (size_t bit = 0; bit < all * 8; bit++) {
			bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
			CHECK(!guard_good(bytes, length, bytes + length));
			struct guard_mended found = mend();
			CHECK_EQ(found.mended, 1);
			CHECK_EQ(found.wrong, 0);
			if (!CHECK(!memcmp(bytes, copy, all))) {
				printf("# bit %zu of %zu bytes\n", bit, length);
				break;
			}
		}
		stop();
	}
}

/* A hundred bits, nearly every one in a line of its own. */
CASE(many_bits)
{
	start(1 << 20);
	struct chance chance = chance_start(7);
	for (size_t i = 0; i < 100; i++) {
		size_t bit = i * 80000 + (size_t)chance_below(&chance, 40000);
		bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
	}
	mend();
	CHECK(!memcmp(bytes, copy, all));
	stop();
}

/* As many damaged lines as there are groups, with any content. Without the guard the range does not change. */
CASE(bursts)
{
	static const size_t sizes[] = {300, 6000, 70000, 1 << 20};
	for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
		start(sizes[k]);
		struct guard_shape shape = guard_shape(length);
		size_t burst = (shape.parity - 1) * shape.line;
		for (size_t i = 0; i < 40; i++) {
			size_t at = (all - burst) / 39 * i;
			memset(bytes + at, 0x55, burst);
			struct guard_mended found = mend();
			if (at + burst <= length)
				CHECK_EQ(found.wrong, 0);
			CHECK(found.mended <= burst);
			bool both = at < length && at + burst > length;
			if (both)
				memcpy(bytes, copy, length);
			if (!CHECK(!memcmp(bytes, copy, length))) {
				printf("# burst at %zu of %zu bytes\n", at, length);
				break;
			}
			memcpy(bytes, copy, all);
		}
		stop();
	}
}

CASE(too_much)
{
	start(100000);
	memset(bytes + 1000, 0, 50000);
	struct guard_mended found = mend();
	CHECK(found.wrong >= 50000 && found.wrong <= 50000 + 2 * GUARD_LINE_MOST);
	CHECK(!memcmp(bytes, copy, 512));
	CHECK(!memcmp(bytes + 60000, copy + 60000, 40000));
	stop();
}

/* Its size: at most 10 %, and for a short range four lines more. */
CASE(size)
{
	for (size_t of = 1; of < (1 << 23); of += of / 3 + 1)
		CHECK(guard_size(of) <= of / 10 + 4 * GUARD_LINE_LEAST + 64);
	CHECK(guard_size(1 << 20) <= (1 << 20) * 11 / 200);
	CHECK_EQ(guard_size(0), 0);
}

/* The CRC-32 of zlib: its value for nine digits is known. A line is filled up with zeroes. */
CASE(check)
{
	uint8_t line[GUARD_LINE_LEAST] = "123456789";
	uint8_t made[GUARD_LINE_LEAST + 8];
	uint32_t crc = UINT32_MAX, stored;
	for (size_t i = 0; i < sizeof line; i++) {
		crc ^= line[i];
		for (unsigned bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? 0xedb88320 : 0);
	}
	CHECK_EQ(guard_size(9), sizeof made);
	guard_make(line, 9, made);
	memcpy(&stored, made, sizeof stored);
	CHECK_EQ(stored, ~crc);
	CHECK(!memcmp(made + 8, line, sizeof line));
}

RUN(ENTRY(every_bit), ENTRY(many_bits), ENTRY(bursts), ENTRY(too_much), ENTRY(size), ENTRY(check))
