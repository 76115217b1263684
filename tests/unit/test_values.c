/* Tests: columns of values: series and raw parts, read from any place and compared with an array, and bytes in a spool. The meaning
 * of the values does not matter here. */
#include "unit/packed_track.h"

static struct bench bench;

static struct values put_all(const uint64_t *list, size_t count)
{
	struct values_writer writer;
	struct values values = {0};
	struct chance chance = chance_start(count);
	values_start(&writer, VALUES_BLOCKS);
	/* Several at a time, or one by one; values that are put at once are adjacent or apart. */
	for (size_t i = 0, some; i < count; i += some) {
		some = 1 + chance_below(&chance, chance_once(&chance, 2) ? 4 : 3000);
		some = some < count - i ? some : count - i;
		uint64_t *apart = malloc(some * 3 * sizeof *apart);
		for (size_t k = 0; k < some; k++)
			apart[k * 3] = list[i + k];
		enum varve_status status =
			some == 1 ? values_put(&writer, &bench.coder, list[i], &bench.causes)
			: chance_once(&chance, 2) ? values_put_all(&writer, &bench.coder, apart, 3,
								   some, &bench.causes)
						  : values_put_all(&writer, &bench.coder, list + i,
								   1, some, &bench.causes);
		free(apart);
		if (!CHECK_EQ(status, VARVE_OK))
			break;
	}
	CHECK_EQ(values_finish(&writer, &bench.coder, &values, &bench.causes), VARVE_OK);
	CHECK_EQ(values.count, count);
	bench_read(&bench);
	return values;
}

/* Seeks and takes at random, also none and all. */
static bool reads(const struct values *values, const uint64_t *list, size_t count,
		  struct chance *chance, int times)
{
	uint64_t *got = malloc((count + 1) * sizeof *got);
	struct values_reader reader;
	bool good = true;
	size_t now = 0;
	values_open(&reader, values, bench.file, bench.size);
	for (int i = 0; good && i < times; i++) {
		if (!chance_once(chance, 3)) {
			now = chance_below(chance, count + 1);
			if (chance_once(chance, 4))
				now = now / VALUES_PART * VALUES_PART;
			good = CHECK_EQ(values_seek(&reader, &bench.decoder, now, &bench.causes),
					VARVE_OK);
		}
		size_t some = chance_below(chance, count - now + 1);
		if (chance_once(chance, 2) && some > 40)
			some = chance_below(chance, 40);
		good = good &&
		       CHECK_EQ(values_take(&reader, &bench.decoder, some, got, &bench.causes),
				VARVE_OK);
		good = good && CHECK(!memcmp(got, list + now, some * sizeof *got));
		now += some;
	}
	values_close(&reader);
	free(got);
	return good;
}

CASE(any_place_of_any_column)
{
	static const size_t counts[] = {0,     1,     2,     3,	    64,	   65,	 1000,
					16383, 16384, 16385, 32768, 32769, 50000};
	struct chance chance = chance_start(3);
	if (!bench_start(&bench))
		return;
	for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
		for (unsigned nature = 0; nature < NATURES; nature++) {
			size_t count = counts[c];
			uint64_t *list = malloc((count + 1) * sizeof *list);
			for (size_t i = 0; i < count; i++)
				list[i] = value_by_nature(&chance, nature, i);
			struct values values = put_all(list, count);
			CHECK_EQ(values.part_count, values.raw ? values_parts(count) : 0);
			CHECK(nature > 2 || !values.raw);
			if (!reads(&values, list, count, &chance, count > 9000 ? 12 : 60))
				printf("# %zu values of nature %u\n", count, nature);
			values_clear(&values);
			free(list);
		}
	}
	bench_stop(&bench);
}

/* A series that becomes raw late, at every place near the end of a part. */
CASE(columns_that_become_irregular)
{
	struct chance chance = chance_start(4);
	if (!bench_start(&bench))
		return;
	for (size_t regular = VALUES_PART - 3; regular < VALUES_PART + 3; regular++) {
		size_t count = regular + 200;
		uint64_t *list = malloc(count * sizeof *list);
		for (size_t i = 0; i < count; i++)
			list[i] = i < regular ? i * 8 : chance_word(&chance);
		struct values values = put_all(list, count);
		CHECK(values.raw);
		CHECK(reads(&values, list, count, &chance, 30));
		values_clear(&values);
		free(list);
	}
	bench_stop(&bench);
}

CASE(beyond_the_end)
{
	const uint64_t list[4] = {1, 2, 3, 9};
	uint64_t got[2];
	if (!bench_start(&bench))
		return;
	struct values values = put_all(list, 4);
	struct values_reader reader;
	values_open(&reader, &values, bench.file, bench.size);
	CHECK_EQ(values_seek(&reader, &bench.decoder, 4, &bench.causes), VARVE_OK);
	CHECK_EQ(values_seek(&reader, &bench.decoder, 5, &bench.causes), VARVE_DAMAGED);
	CHECK_EQ(values_seek(&reader, &bench.decoder, 2, &bench.causes), VARVE_OK);
	CHECK_EQ(values_take(&reader, &bench.decoder, 2, got, &bench.causes), VARVE_OK);
	CHECK(got[0] == 3 && got[1] == 9);
	values_close(&reader);
	values_clear(&values);
	bench_stop(&bench);
}

/* A changed part is refused: each bit of it, its place, its length. */
CASE(damaged_parts)
{
	enum { COUNT = 300 };
	uint64_t list[COUNT], got[COUNT];
	struct chance chance = chance_start(5);
	if (!bench_start(&bench))
		return;
	for (size_t i = 0; i < COUNT; i++)
		list[i] = chance_word(&chance);
	struct values values = put_all(list, COUNT);
	CHECK(values.raw && values.part_count == 1);
	struct values_part good = values.parts[0];
	for (uint64_t bit = 0; bit < good.stored * 8ull; bit += 7) {
		struct values_reader reader;
		uint8_t *byte = &bench.file[good.offset + bit / 8];
		*byte ^= (uint8_t)(1u << bit % 8);
		values_open(&reader, &values, bench.file, bench.size);
		CHECK_EQ(values_take(&reader, &bench.decoder, COUNT, got, NULL), VARVE_DAMAGED);
		values_close(&reader);
		*byte ^= (uint8_t)(1u << bit % 8);
	}
	static const struct values_part wrong[] = {{.offset = UINT64_MAX, .stored = 10},
						   {.stored = 0},
						   {.stored = UINT32_MAX},
						   {.offset = 1ull << 40, .stored = 1}};
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		struct values_reader reader;
		values.parts[0] = wrong[i];
		values_open(&reader, &values, bench.file, bench.size);
		CHECK_EQ(values_take(&reader, &bench.decoder, COUNT, got, NULL), VARVE_DAMAGED);
		values_close(&reader);
	}
	values_clear(&values);
	bench_stop(&bench);
}

/* Bytes of any length are read back from their place, in any order, while others are put. */
CASE(a_spool)
{
	enum { PIECES = 300 };
	static uint8_t bytes[SPOOL_BUFFER * 2 + 1], got[SPOOL_BUFFER * 2 + 1];
	uint64_t offsets[PIECES];
	size_t starts[PIECES], lengths[PIECES];
	struct chance chance = chance_start(6);
	struct varve_causes causes = {0};
	struct spool spool;
	CHECK_EQ(spool_open(&spool, "/nowhere at all", "new", &causes), VARVE_SYSTEM);
	if (!CHECK_EQ(spool_open(&spool, "/tmp", "new", &causes), VARVE_OK))
		return;
	chance_fill(&chance, bytes, sizeof bytes);
	for (size_t i = 0; i < PIECES; i++) {
		lengths[i] = chance_below(&chance, chance_once(&chance, 10) ? sizeof bytes : 3000);
		if (i == 1)
			lengths[i] = SPOOL_BUFFER;
		starts[i] = chance_below(&chance, sizeof bytes - lengths[i] + 1);
		CHECK_EQ(spool_put(&spool, bytes + starts[i], lengths[i], &offsets[i], &causes),
			 VARVE_OK);
		size_t one = chance_below(&chance, i + 1);
		CHECK_EQ(spool_get(&spool, offsets[one], got, lengths[one], &causes), VARVE_OK);
		if (!CHECK(!memcmp(got, bytes + starts[one], lengths[one])))
			break;
	}
	CHECK_EQ(spool_get(&spool, spool.written + spool.held, got, 1, &causes), VARVE_SYSTEM);
	spool_close(&spool);
}

RUN(ENTRY(any_place_of_any_column), ENTRY(columns_that_become_irregular), ENTRY(beyond_the_end),
    ENTRY(damaged_parts), ENTRY(a_spool))
