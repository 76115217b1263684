/* Tests: a small packed trace with flipped bits and truncated, through trace.h. One flipped bit is always repaired, and reported.
 * With useless guards, or truncated, it must be refused with a reason, or report its damage and return nothing wrong, or return
 * everything: a few bits have no meaning (padding, headers of data). VARVE_DAMAGE_STEP: of how many bits, and of how many bytes,
 * one is tried.
 * timeout: 300
 */
#include "pack/pack.h"
#include "trace/packed/packed.h"
#include "unit/trace_maker.h"

enum { STREAMS = 2, SEQUENCES = 3, CALLS = 4, RECORDS_MOST = 64 };

static struct made_trace made;
static char packed[128];
static uint8_t *bytes;
static size_t size;
static struct record whole[RECORDS_MOST];
static long whole_count;

/* Offsets that are no line, names, and a call that is open at the end of each block except the last. */
static void fill(struct written *lane, uint32_t thread, uint64_t sequence)
{
	struct definition name = {
		.type = DEFINE_NAME, .id = 5, .text = "/a/name.0007", .text_length = 12};
	struct definition handle = {.type = DEFINE_HANDLE, .id = 9, .fd = 3, .name = 5};
	CHECK(written_define(lane, &name));
	CHECK(written_define(lane, &handle));
	if (sequence > 1)
		made_handle_call(lane, VARVE_CONTINUED, (sequence - 1) * 100 + CALLS, 7,
				 lane->now - 100, lane->now + 100);
	for (uint64_t i = 0; i < CALLS; i++)
		made_handle_call(lane, 0, 0, (thread * 7919 + i * i * 31) << i, lane->now + 1000,
				 lane->now + 1500 + i);
	if (sequence < SEQUENCES)
		made_handle_call(lane, VARVE_UNFINISHED, 0, 7, lane->now + 10, 0);
}

static bool start(void)
{
	struct varve_causes causes = {0};
	struct pack_result result;
	size_t damages;
	if (size)
		return true;
	if (!made_start(&made))
		return false;
	for (uint64_t sequence = 1; sequence <= SEQUENCES; sequence++)
		for (uint32_t thread = 1; thread <= STREAMS; thread++) {
			struct written lane = made_lane(&made, 1, thread, sequence, sequence * 100);
			fill(&lane, thread, sequence);
			made_append(&made, &lane);
		}
	made_finish(&made);
	snprintf(packed, sizeof packed, "%s/packed", made.folder);
	const struct pack_settings settings = {.source = made.path, .target = packed};
	if (!CHECK_EQ(pack_trace(&settings, &result, &causes), VARVE_OK))
		return false;
	whole_count = made_read(packed, 0, whole, RECORDS_MOST, &damages);
	CHECK_EQ(whole_count, STREAMS * (SEQUENCES * CALLS + SEQUENCES - 1));
	CHECK_EQ(damages, 0);
	struct record folder[RECORDS_MOST];
	CHECK_EQ(made_read(made.path, 0, folder, RECORDS_MOST, &damages), whole_count);
	CHECK(!memcmp(folder, whole, (size_t)whole_count * sizeof *whole));
	int fd = open(packed, O_RDONLY);
	size = (size_t)lseek(fd, 0, SEEK_END);
	bytes = malloc(size);
	CHECK_EQ(pread(fd, bytes, size, 0), size);
	close(fd);
	return true;
}

static bool is_of_whole(const struct record *record)
{
	for (long i = 0; i < whole_count; i++)
		if (!memcmp(record, &whole[i], sizeof *record))
			return true;
	return false;
}

/* Reads the changed file. */
static bool survives(void)
{
	static struct record records[RECORDS_MOST];
	struct varve_trace *trace;
	struct varve_causes causes = {0};
	size_t damages = 0;
	enum varve_status status = trace_open(packed, 0, &trace, &causes);
	if (status != VARVE_OK)
		return CHECK(status != VARVE_NO_MEMORY && status != VARVE_LIMIT) &&
		       CHECK(causes.count > 0 && causes.text[0][0]);
	trace_close(trace);
	long count = made_read(packed, 0, records, RECORDS_MOST, &damages);
	bool good =
		CHECK(count >= 0 && count <= whole_count) && CHECK(count == whole_count || damages);
	for (long i = 0; good && i < count; i++)
		good = CHECK(is_of_whole(&records[i]));
	return good;
}

static void put(int fd, const uint8_t *from, size_t length, size_t at)
{
	CHECK_EQ(pwrite(fd, from, length, (off_t)at), length);
}

/* It has all records, and reports one repaired byte. */
static bool repaired(void)
{
	static struct record records[RECORDS_MOST];
	struct varve_trace *trace;
	struct varve_causes causes = {0};
	size_t damages = 0;
	if (!CHECK_EQ(trace_open(packed, 0, &trace, &causes), VARVE_OK))
		return false;
	uint64_t bytes_mended = trace->packed->mended;
	trace_close(trace);
	long count = made_read(packed, 0, records, RECORDS_MOST, &damages);
	return CHECK_EQ(bytes_mended, 1) && CHECK_EQ(damages, 0) && CHECK_EQ(count, whole_count) &&
	       CHECK(!memcmp(records, whole, (size_t)whole_count * sizeof *whole));
}

static void each_bit(const uint8_t *of, size_t step, bool (*good)(void))
{
	int fd = open(packed, O_RDWR);
	for (size_t bit = 0; bit < size * 8; bit += step) {
		uint8_t flipped = of[bit / 8] ^ (uint8_t)(1u << bit % 8);
		put(fd, &flipped, 1, bit / 8);
		bool fine = good();
		put(fd, &of[bit / 8], 1, bit / 8);
		if (!fine) {
			printf("# bit %zu of byte %zu of %zu\n", bit % 8, bit / 8, size);
			break;
		}
	}
	close(fd);
}

CASE(a_flipped_bit)
{
	if (start())
		each_bit(bytes, chance_runs("VARVE_DAMAGE_STEP", 37), repaired);
}

/* The content of each guard is removed, so that nothing can be repaired. */
static void spoil(uint8_t *spoiled)
{
	struct block_header header;
	memcpy(spoiled, bytes, size);
	for (size_t at = packed_begin(); at < size - packed_foot_block(); at += header.length) {
		memcpy(&header, bytes + at, sizeof header);
		if (header.sequence == SECTION_GUARD)
			memset(spoiled + at + sizeof header, 0, header.length - sizeof header);
	}
}

CASE(a_flipped_bit_without_guards)
{
	if (!start())
		return;
	uint8_t *spoiled = malloc(size);
	int fd = open(packed, O_RDWR);
	spoil(spoiled);
	put(fd, spoiled, size, 0);
	each_bit(spoiled, chance_runs("VARVE_DAMAGE_STEP", 29), survives);
	put(fd, bytes, size, 0);
	free(spoiled);
	close(fd);
}

/* All records are there, and a loss is reported. */
static bool all_there(void)
{
	static struct record records[RECORDS_MOST];
	size_t damages = 0;
	return CHECK_EQ(made_read(packed, 0, records, RECORDS_MOST, &damages), whole_count) &&
	       CHECK(damages > 0);
}

/* From its end, and with bytes of its middle removed: each section is truncated once. Bytes after the last part are not needed. */
CASE(cut_short)
{
	if (!start())
		return;
	struct packed_foot foot;
	struct block_header header;
	memcpy(&foot, bytes + sizeof header, sizeof foot);
	uint64_t data = foot.section[SECTION_DATA].offset;
	memcpy(&header, bytes + (data ? data : foot.section[SECTION_GUARD].offset), sizeof header);
	size_t whole_from =
		(size_t)(data ? data + header.length : foot.section[SECTION_GUARD].offset);
	int fd = open(packed, O_RDWR);
	size_t step = chance_runs("VARVE_DAMAGE_STEP", 7);
	for (size_t length = size; length-- > 0;) {
		CHECK_EQ(ftruncate(fd, (off_t)length), 0);
		if (length % step)
			continue;
		bool good = survives() && (length < whole_from || all_there());
		if (good && length % 8 == 0 && length > 8) {
			/* The bytes after it move up. */
			CHECK_EQ(ftruncate(fd, 0), 0);
			put(fd, bytes, length - 8, 0);
			put(fd, bytes + length, size - length, length - 8);
			good = survives();
			CHECK_EQ(ftruncate(fd, 0), 0);
			put(fd, bytes, length, 0);
		}
		if (!good) {
			printf("# cut at %zu of %zu\n", length, size);
			break;
		}
	}
	CHECK_EQ(ftruncate(fd, 0), 0);
	put(fd, bytes, size, 0);
	close(fd);
}

CASE(it_is_whole_again)
{
	struct record records[RECORDS_MOST];
	size_t damages = 1;
	if (!start())
		return;
	CHECK_EQ(made_read(packed, TRACE_CHECK, records, RECORDS_MOST, &damages), whole_count);
	CHECK_EQ(damages, 0);
	free(bytes);
	unlink(packed);
	made_clear(&made);
}

RUN(ENTRY(a_flipped_bit), ENTRY(a_flipped_bit_without_guards), ENTRY(cut_short),
    ENTRY(it_is_whole_again))
