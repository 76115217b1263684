/* Tests: columns to bytes and back, and columns that no writer made. */
#include "codec/column.h"
#include "unit/chance.h"
#include "unit/harness.h"

#include <stdlib.h>

enum { COUNT_MOST = 5000, GUARD = 64 };

static struct column_writer writer;
static void *writer_memory;
static uint8_t plane[COUNT_MOST + 16];

static void start(void)
{
	if (writer_memory)
		return;
	writer_memory = aligned_alloc(16, (column_writer_size(false) + 15) / 16 * 16);
	column_writer_start(&writer, writer_memory, plane, false);
}

enum flavour {
	CONSTANT,
	LINE,
	WRAPPED_LINE,
	BYTES_ONLY,
	NARROW,
	WIDE,
	STEPS,
	STEPS_DOWN,
	TWO_VALUES,
	EXTREMES,
	NEAR_TOP,
	ANYTHING,
	FLAVOURS
};

static void fill(struct chance *chance, enum flavour flavour, uint64_t *values, size_t count)
{
	static const uint64_t extremes[] = {0,	       1, UINT64_MAX, 1ull << 63, (1ull << 63) - 1,
					    UINT32_MAX};
	uint64_t start_at = chance_wide(chance), stride = chance_wide(chance);
	if (flavour == WRAPPED_LINE)
		start_at = UINT64_MAX - chance_below(chance, 10);
	uint64_t last = start_at;
	for (size_t i = 0; i < count; i++) {
		switch (flavour) {
		case CONSTANT:
			values[i] = start_at;
			break;
		case LINE:
		case WRAPPED_LINE:
			values[i] = start_at + i * stride;
			break;
		case BYTES_ONLY:
			values[i] = chance_below(chance, 256);
			break;
		case NARROW:
			values[i] = start_at + chance_below(chance, 7);
			break;
		case WIDE:
			values[i] = chance_word(chance);
			break;
		case STEPS:
			values[i] = last += chance_below(chance, 500);
			break;
		case STEPS_DOWN:
			values[i] = last -= chance_below(chance, 500);
			break;
		case TWO_VALUES:
			values[i] = chance_once(chance, 2) ? start_at : stride;
			break;
		case EXTREMES:
			values[i] = extremes[chance_below(chance, 6)];
			break;
		case NEAR_TOP:
			values[i] = UINT64_MAX - chance_below(chance, 300);
			break;
		case ANYTHING:
		case FLAVOURS:
		default:
			values[i] = chance_wide(chance);
			break;
		}
	}
}

static size_t some_count(struct chance *chance)
{
	return chance_once(chance, 4)
		       ? chance_below(chance, 4)
		       : chance_below(chance, chance_once(chance, 10) ? COUNT_MOST : 200);
}

/* Stored bytes at the very end of their memory, and values at the very end of theirs: a sanitizer detects one step too far. */
static enum varve_status get(enum column_encoding encoding, const uint8_t *stored, size_t size,
			     size_t count, uint64_t *values)
{
	uint8_t *bytes = malloc(size ? size : 1);
	uint64_t *room = malloc(count * sizeof *room + 1);
	memcpy(bytes, stored, size);
	struct varve_causes causes = {0};
	struct column_decoder decoder = {0};
	struct column_reader reader;
	size_t budget = SIZE_MAX;
	enum varve_status status =
		column_open(&reader, &decoder, encoding, bytes, size, count, &budget, &causes);
	if (status == VARVE_OK) {
		/* In two steps: the second continues where the first ended. */
		size_t first = count * 3 / 7;
		column_take(&reader, first, room);
		column_take(&reader, count - first, room + first);
		memcpy(values, room, count * sizeof *values);
		column_close(&reader);
	} else {
		CHECK(causes.count > 0);
	}
	column_decoder_clear(&decoder);
	free(bytes);
	free(room);
	return status;
}

CASE(planes_of_every_flavour)
{
	struct chance chance = chance_start(10);
	uint64_t *values = malloc(COUNT_MOST * 8), *back = malloc(COUNT_MOST * 8);
	uint8_t *stored = malloc(COUNT_MOST * 16 + GUARD * 2);
	start();
	for (int i = 0; i < 4000; i++) {
		enum flavour flavour = (enum flavour)chance_below(&chance, FLAVOURS);
		size_t count = 1 + some_count(&chance) % (COUNT_MOST - 1);
		fill(&chance, flavour, values, count);
		size_t most = count * 16 + GUARD;
		memset(stored + most, 0xa5, GUARD);
		size_t size = (size_t)(column_put_planes(&writer, stored, values, count) - stored);
		CHECK(size <= most);
		for (size_t k = 0; k < GUARD; k++)
			CHECK_EQ(stored[most + k], 0xa5);
		memset(back, 0x5a, count * 8);
		if (!CHECK_EQ(get(ENCODING_PLANES, stored, size, count, back), VARVE_OK) ||
		    !CHECK(memcmp(values, back, count * 8) == 0)) {
			printf("# flavour %d, %zu values\n", (int)flavour, count);
			break;
		}
		CHECK_EQ(get(ENCODING_PLANES, stored, size - 1, count, back), VARVE_DAMAGED);
		stored[size] = 0;
		CHECK_EQ(get(ENCODING_PLANES, stored, size + 1, count, back), VARVE_DAMAGED);
	}
	free(values);
	free(back);
	free(stored);
}

CASE(planes_are_small_where_values_are_close)
{
	static uint64_t values[1000];
	static uint8_t stored[sizeof values * 2 + 64];
	struct chance chance = chance_start(11);
	start();
	for (size_t i = 0; i < 1000; i++)
		values[i] = 0x123456789abcdef0ull + chance_below(&chance, 200);
	CHECK(column_put_planes(&writer, stored, values, 1000) - stored < 1100);
	for (size_t i = 1; i < 1000; i++)
		values[i] = values[i - 1] + (1ull << 40) + chance_below(&chance, 100);
	CHECK(column_put_planes(&writer, stored, values, 1000) - stored < 1200);
}

CASE(lines_and_constants)
{
	struct chance chance = chance_start(12);
	uint8_t stored[64];
	uint64_t values[50];
	for (int i = 0; i < 20000; i++) {
		uint64_t first = chance_wide(&chance), stride = chance_wide(&chance);
		if (chance_once(&chance, 2))
			stride = -stride;
		size_t count = chance_below(&chance, 50);
		size_t size = (size_t)(column_put_line(stored, first, stride) - stored);
		CHECK_EQ(get(ENCODING_LINE, stored, size, count, values), VARVE_OK);
		for (size_t k = 0; k < count; k++)
			CHECK_EQ(values[k], first + k * stride);
		CHECK_EQ(get(ENCODING_LINE, stored, size - 1, count, values), VARVE_DAMAGED);
		size = (size_t)(column_put_constant(stored, first) - stored);
		CHECK_EQ(get(ENCODING_CONSTANT, stored, size, count, values), VARVE_OK);
		for (size_t k = 0; k < count; k++)
			CHECK_EQ(values[k], first);
		stored[size] = 0;
		CHECK_EQ(get(ENCODING_CONSTANT, stored, size + 1, count, values), VARVE_DAMAGED);
	}
}

CASE(bytes_of_both_natures)
{
	struct chance chance = chance_start(13);
	uint8_t *bytes = malloc(COUNT_MOST + 1), *stored = malloc(COUNT_MOST * 2 + 64);
	uint64_t *values = malloc(COUNT_MOST * 9);
	start();
	for (int i = 0; i < 4000; i++) {
		size_t count = some_count(&chance);
		uint64_t symbols = 1 + chance_below(&chance, chance_once(&chance, 2) ? 4 : 256);
		for (size_t k = 0; k < count; k++)
			bytes[k] = (uint8_t)(chance_below(&chance, symbols) * 37);
		enum plane_nature nature = chance_once(&chance, 2) ? NATURE_TEXT : NATURE_NOISE;
		size_t size =
			(size_t)(column_put_bytes(&writer, stored, bytes, count, nature) - stored);
		CHECK(size <= count + 2);
		CHECK_EQ(get(ENCODING_BYTES, stored, size, count, values), VARVE_OK);
		for (size_t k = 0; k < count; k++)
			CHECK_EQ(values[k], bytes[k]);
		if (count > 1 && stored[0] != PLANE_CONSTANT)
			CHECK_EQ(get(ENCODING_BYTES, stored, size, count - 1, values),
				 VARVE_DAMAGED);
	}
	free(bytes);
	free(stored);
	free(values);
}

/* Possible input of a reader: any bytes, and good columns with a few bytes changed. */
CASE(no_bytes_are_too_hostile)
{
	struct chance chance = chance_start(14);
	uint64_t *values = malloc(COUNT_MOST * 8);
	uint8_t *stored = malloc(COUNT_MOST * 16 + 64);
	start();
	for (int i = 0; i < 40000; i++) {
		size_t count = some_count(&chance), size;
		enum column_encoding encoding = (enum column_encoding)chance_below(&chance, 5);
		if (chance_once(&chance, 3) || !count) {
			size = chance_below(&chance, 40);
			chance_fill(&chance, stored, size);
			if (size && chance_once(&chance, 2))
				stored[0] = (uint8_t)chance_below(&chance, 3);
			if (size > 1 && chance_once(&chance, 2))
				stored[1] = (uint8_t)chance_below(&chance, 10);
		} else {
			fill(&chance, (enum flavour)chance_below(&chance, FLAVOURS), values, count);
			encoding = ENCODING_PLANES;
			size = (size_t)(column_put_planes(&writer, stored, values, count) - stored);
			for (uint64_t k = 1 + chance_below(&chance, 3); k-- > 0;)
				stored[chance_below(&chance, chance_once(&chance, 2) && size > 12
								     ? 12
								     : size)] ^=
					(uint8_t)(1u << chance_below(&chance, 8));
			if (chance_once(&chance, 4))
				size = chance_below(&chance, size);
			if (chance_once(&chance, 4))
				count = some_count(&chance);
		}
		enum varve_status status = get(encoding, stored, size, count, values);
		CHECK(status == VARVE_OK || status == VARVE_DAMAGED);
	}
	CHECK_EQ(get((enum column_encoding)4, stored, 4, 1, values), VARVE_DAMAGED);
	CHECK_EQ(get(ENCODING_PLANES, stored, 0, 1, values), VARVE_DAMAGED);
	free(values);
	free(stored);
}

RUN(ENTRY(planes_of_every_flavour), ENTRY(planes_are_small_where_values_are_close),
    ENTRY(lines_and_constants), ENTRY(bytes_of_both_natures), ENTRY(no_bytes_are_too_hostile))
