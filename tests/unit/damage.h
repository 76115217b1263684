/* Tests: a small trace, truncated at every byte and with every bit flipped, one at a time, through trace.h. DAMAGE_STEP: of how
 * many bits of the long tables of functions one is tried, because only their checksum protects them. VARVE_DAMAGE_STEP: the same
 * for all other bits, instead of DAMAGE_OTHERS.
 *
 * Each time the trace must open or be refused, report its damage, and return every record of the undamaged blocks. */
#include "analyze/summary.h"
#include "unit/trace_maker.h"

enum { STREAMS = 2, SEQUENCES = 2, CALLS = 2, RECORDS_MOST = 256 };

/* Place and content of a block of records; the place of the tables. */
struct place {
	uint64_t offset;
	uint64_t length;
	uint32_t thread;
	uint64_t sequence;
};

static struct made_trace made;
static struct place places[STREAMS * SEQUENCES + 1];
static size_t place_count;
static uint64_t run_to, tables_from, tables_to, data_size, index_size;

/* Outside of the tables of functions, one of this number of bits or bytes is tried. */
static uint64_t damage_others(void)
{
	return chance_runs("VARVE_DAMAGE_STEP", DAMAGE_OTHERS);
}

static bool damage_start(void)
{
	if (data_size)
		return true;
	made = (struct made_trace){0};
	if (!made_start(&made))
		return false;
	for (uint64_t sequence = 1; sequence <= SEQUENCES; sequence++)
		for (uint32_t thread = 1; thread <= STREAMS; thread++) {
			struct written lane = made_lane(&made, 1, thread, sequence, sequence * 100);
			struct definition name = {
				.type = DEFINE_NAME, .id = 5, .text = "/a/name", .text_length = 7};
			CHECK(written_define(&lane, &name));
			for (uint64_t i = 0; i < CALLS; i++)
				made_call(&lane, 0, 0, thread * 1000 + sequence * 100 + i,
					  lane.now + 1000, lane.now + 1500);
			made_append(&made, &lane);
		}
	made_finish(&made);
	struct varve_trace *trace;
	if (!CHECK_EQ(trace_open(made.path, TRACE_CHECK, &trace, NULL), VARVE_OK))
		return false;
	CHECK(!trace->damage_count);
	for (size_t i = 0; i < trace->block_count; i++)
		places[place_count++] = (struct place){
			trace->blocks[i].offset, trace->blocks[i].header.length,
			trace->blocks[i].header.thread, trace->blocks[i].header.sequence};
	CHECK_EQ(place_count, STREAMS * SEQUENCES);
	/* The first block describes the run, the second contains the tables. */
	struct block_header header;
	CHECK_EQ(block_open(trace->nodes->data, trace->size, &header, NULL), VARVE_OK);
	run_to = header.length;
	tables_from = header.length + sizeof header;
	CHECK_EQ(block_open(trace->nodes->data + header.length, trace->size - header.length,
			    &header, NULL),
		 VARVE_OK);
	CHECK_EQ(header.type, BLOCK_TABLES);
	tables_to = tables_from - sizeof header + header.length;
	data_size = trace->size;
	trace_close(trace);
	char path[128];
	struct stat found;
	snprintf(path, sizeof path, "%s/index", made.path);
	CHECK_EQ(stat(path, &found), 0);
	index_size = (uint64_t)found.st_size;
	return true;
}

static int open_part(const char *name)
{
	char path[128];
	snprintf(path, sizeof path, "%s/%s", made.path, name);
	return open(path, O_RDWR);
}

/* Reads the damaged trace: [from, to) of data.0 was changed. */
static bool survives(uint64_t from, uint64_t to)
{
	static struct record records[RECORDS_MOST];
	size_t damages = 0;
	long count = made_read(made.path, 0, records, RECORDS_MOST, &damages);
	if (count < 0)
		return CHECK(from < run_to && to == UINT64_MAX); /* no block remains */
	bool good = CHECK(damages > 0) && CHECK(count <= RECORDS_MOST);
	long expected = 0;
	for (size_t i = 0; good && i < place_count; i++) {
		const struct place *place = &places[i];
		if (place->offset < to && from < place->offset + place->length)
			continue;
		for (uint64_t k = 0; k < CALLS; k++, expected++) {
			uint64_t offset = place->thread * 1000 + place->sequence * 100 + k;
			long at = 0;
			while (at < count && records[at].word[2] != offset)
				at++;
			good &= CHECK(at < count) &&
				CHECK_EQ(records[at].ordinal, place->sequence * 100 + k);
		}
	}
	good &= CHECK_EQ(count, expected);
	static unsigned turn;
	struct varve_trace *trace;
	struct varve_summary summary;
	if (turn++ % 4 == 0 && trace_open(made.path, 0, &trace, NULL) == VARVE_OK) {
		good &= CHECK_EQ(summary_make(trace, NULL, true, &summary, NULL), VARVE_OK) &&
			CHECK_EQ(summary.records, expected);
		good &= CHECK(trace->damage_count);
		summary_clear(&summary);
		trace_close(trace);
	}
	return good;
}

/* Flips each bit of a file in turn. */
static void flip_bits(const char *name, uint64_t size, bool data)
{
	int fd = open_part(name);
	uint64_t tried = 0, others = damage_others();
	for (uint64_t bit = 0; bit < size * 8; bit++) {
		bool dull = data && bit / 8 >= tables_from && bit / 8 < tables_to;
		if (bit % (dull ? DAMAGE_STEP : others))
			continue;
		uint8_t byte, flipped;
		CHECK_EQ(pread(fd, &byte, 1, (off_t)(bit / 8)), 1);
		flipped = byte ^ (uint8_t)(1u << bit % 8);
		CHECK_EQ(pwrite(fd, &flipped, 1, (off_t)(bit / 8)), 1);
		bool good = survives(data ? bit / 8 : UINT64_MAX, data ? bit / 8 + 1 : UINT64_MAX);
		CHECK_EQ(pwrite(fd, &byte, 1, (off_t)(bit / 8)), 1);
		tried++;
		if (!good) {
			printf("# %s: bit %u of byte %" PRIu64 " of %" PRIu64 "\n", name,
			       (unsigned)(bit % 8), bit / 8, size);
			break;
		}
	}
	CHECK(tried > 5000 / others);
	close(fd);
}

/* Cuts a file at each byte, from its end. */
static void cut_bytes(const char *name, uint64_t size, bool data)
{
	int fd = open_part(name);
	uint8_t *bytes = malloc(size);
	uint64_t others = damage_others();
	CHECK_EQ(pread(fd, bytes, size, 0), size);
	for (uint64_t length = size; length-- > 0;) {
		CHECK_EQ(ftruncate(fd, (off_t)length), 0);
		bool dull = data && length > tables_from && length < tables_to;
		if (length % (dull ? DAMAGE_STEP : others))
			continue;
		if (!survives(data ? length : UINT64_MAX, UINT64_MAX)) {
			printf("# %s: cut to %" PRIu64 " of %" PRIu64 " bytes\n", name, length,
			       size);
			break;
		}
	}
	CHECK_EQ(pwrite(fd, bytes, size, 0), size);
	free(bytes);
	close(fd);
}

CASE(data_with_a_flipped_bit)
{
	if (damage_start())
		flip_bits("data.0", data_size, true);
}

CASE(an_index_with_a_flipped_bit)
{
	if (damage_start())
		flip_bits("index", index_size, false);
}

CASE(data_that_is_cut)
{
	if (damage_start())
		cut_bytes("data.0", data_size, true);
}

CASE(an_index_that_is_cut)
{
	if (damage_start())
		cut_bytes("index", index_size, false);
}

/* At the end the trace is undamaged again. */
CASE(the_trace_is_whole_again)
{
	struct record records[RECORDS_MOST];
	size_t damages = 1;
	if (!damage_start())
		return;
	CHECK_EQ(made_read(made.path, TRACE_CHECK, records, RECORDS_MOST, &damages),
		 STREAMS * SEQUENCES * CALLS);
	CHECK_EQ(damages, 0);
	made_clear(&made);
}

RUN(ENTRY(data_with_a_flipped_bit), ENTRY(an_index_with_a_flipped_bit), ENTRY(data_that_is_cut),
    ENTRY(an_index_that_is_cut), ENTRY(the_trace_is_whole_again))
