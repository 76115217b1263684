/* Tests: packed traces from 6 KB to 2 MB, each with flipped bits and truncated at random places, through trace.h. DAMAGE_TIMES: how
 * often each; VARVE_DAMAGE_TIMES sets another number.
 *
 * A call is computed from its thread and ordinal, so each call that is read is compared with the expected one. A flipped bit loses
 * nothing and is reported. A truncated trace returns chunks one by one, as far as the cut (tests/decoder/_damaged.py compares with
 * the second decoder which chunks are whole). */
#include "pack/pack.h"
#include "trace/packed/packed.h"
#include "unit/trace_maker.h"

#include <stdlib.h>

enum { THREADS = 2, SIZES = 5, BLOCK_CALLS = 6000 };

/* Calls of each thread. */
static const size_t sizes[SIZES] = {80, 1750, 8000, 29000, 84000};

struct packed_file_bytes {
	char path[160];
	uint8_t *bytes;
	size_t length;
	size_t calls; /* of all threads */
};

/* Random, but the same for the same call. */
static uint64_t offset_of(uint32_t thread, uint64_t ordinal)
{
	struct chance chance = chance_start(thread * 1000003 + ordinal * 7 + 1);
	chance_word(&chance);
	return chance_word(&chance) >> 24;
}

static void fill(struct written *lane, uint32_t thread, uint64_t first, size_t calls)
{
	for (uint64_t i = 0; i < calls; i++) {
		uint64_t offset = offset_of(thread, first + i);
		uint64_t entry = lane->now + 100 * (1 + offset % 23);
		made_call(lane, 0, first + i, offset, entry, entry + 100 * (offset % 31));
	}
}

static bool make(struct made_trace *made, size_t calls, struct packed_file_bytes *file)
{
	struct varve_causes causes = {0};
	struct pack_result result;
	if (!made_start(made))
		return false;
	for (uint32_t thread = 1; thread <= THREADS; thread++)
		for (size_t done = 0, sequence = 1; done < calls; sequence++) {
			size_t some = calls - done < BLOCK_CALLS ? calls - done : BLOCK_CALLS;
			struct written lane =
				made_lane_of(made, 512 * 1024, 1, thread, sequence, done);
			fill(&lane, thread, done, some);
			made_append(made, &lane);
			done += some;
		}
	made_finish(made);
	snprintf(file->path, sizeof file->path, "%s/packed", made->folder);
	const struct pack_settings settings = {.source = made->path, .target = file->path};
	if (!CHECK_EQ(pack_trace(&settings, &result, &causes), VARVE_OK))
		return false;
	file->calls = calls * THREADS;
	file->length = result.bytes;
	file->bytes = malloc(file->length);
	int fd = open(file->path, O_RDONLY);
	CHECK_EQ(pread(fd, file->bytes, file->length, 0), file->length);
	close(fd);
	printf("# %zu calls in %zu bytes\n", file->calls, file->length);
	return true;
}

static void put(const struct packed_file_bytes *file, const uint8_t *bytes, size_t length)
{
	int fd = open(file->path, O_WRONLY | O_TRUNC);
	CHECK_EQ(pwrite(fd, bytes, length, 0), length);
	close(fd);
}

/* The result of reading a file. */
struct found {
	enum varve_status status; /* status of opening it */
	uint64_t mended;
	size_t damages;
	size_t calls;
	bool right; /* each call is the expected one */
};

static struct found read_file(const char *path)
{
	struct found found = {.right = true};
	struct varve_trace *trace;
	struct varve_cursor *cursor;
	const struct varve_call *call;
	struct varve_causes causes = {0};
	struct trace_filter all = TRACE_FILTER_ALL;
	found.status = trace_open(path, 0, &trace, &causes);
	if (found.status != VARVE_OK)
		return found;
	enum varve_status status = cursor_open(trace, &all, VARVE_ORDER_STREAM,
					       VARVE_COLUMNS_ALL & ~VARVE_FILES, &cursor, &causes);
	while (status == VARVE_OK && (status = cursor_next(cursor, &call, &causes)) == VARVE_OK) {
		uint64_t offset = offset_of(call->stream->thread, call->ordinal);
		found.right &= call->word_count == 3 && call->words[2] == offset &&
			       call->result == (int64_t)offset + 1 &&
			       call->end - call->start == (int64_t)(100 * (offset % 31));
		found.calls++;
	}
	CHECK_EQ(status, VARVE_END);
	cursor_close(cursor);
	found.damages = trace->damage_count;
	found.mended = trace->packed->mended;
	trace_close(trace);
	return found;
}

static void flip(const struct packed_file_bytes *file, uint8_t *copy, struct chance *chance)
{
	size_t bit = (size_t)chance_below(chance, file->length * 8);
	memcpy(copy, file->bytes, file->length);
	copy[bit / 8] ^= (uint8_t)(1u << bit % 8);
	put(file, copy, file->length);
	struct found found = read_file(file->path);
	if (!CHECK_EQ(found.status, VARVE_OK) || !CHECK_EQ(found.calls, file->calls) ||
	    !CHECK_EQ(found.damages, 0) || !CHECK_EQ(found.mended, 1) || !CHECK(found.right))
		printf("# bit %zu of %zu bytes\n", bit, file->length);
}

/* Cuts in ascending order: a later one leaves at least as much. Behind the data nothing is missing, before it there are no
 * records. */
static void cut(const struct packed_file_bytes *file, uint64_t times, struct chance *chance)
{
	struct packed_foot foot;
	struct block_header header;
	struct found found;
	size_t last = 0, different = 0, step = file->length / (times + 1) + 1;
	memcpy(&foot, file->bytes + sizeof header, sizeof foot);
	uint64_t begin = foot.section[SECTION_DATA].offset;
	for (size_t at = chance_below(chance, step); at < file->length; at += step) {
		put(file, file->bytes, at);
		found = read_file(file->path);
		size_t calls = found.calls;
		different += calls != last;
		bool good = CHECK(calls >= last) && CHECK(found.right) &&
			    CHECK(found.status == VARVE_OK ? found.damages > 0 : at < begin);
		if (at < begin)
			good = CHECK_EQ(calls, 0) && good;
		if (at > file->length - packed_foot_block())
			good = CHECK_EQ(calls, file->calls) && good;
		if (!good)
			printf("# cut at %zu of %zu bytes\n", at, file->length);
		last = calls;
	}
	/* The chunks become readable one after the other. */
	if (file->calls > 8 * BLOCK_CALLS && times > 100)
		CHECK(different > file->calls / BLOCK_CALLS / 4);
}

static void damage(size_t which)
{
	struct made_trace made;
	struct packed_file_bytes file = {0};
	struct chance chance = chance_start(which + 1);
	uint64_t times = chance_runs("VARVE_DAMAGE_TIMES", DAMAGE_TIMES);
	if (!make(&made, sizes[which], &file))
		return;
	uint8_t *copy = malloc(file.length);
	for (uint64_t i = 0; i < times; i++)
		flip(&file, copy, &chance);
	cut(&file, times, &chance);
	put(&file, file.bytes, file.length);
	struct found found = read_file(file.path);
	CHECK_EQ(found.calls, file.calls);
	CHECK_EQ(found.mended + found.damages, 0);
	free(copy);
	free(file.bytes);
	unlink(file.path);
	made_clear(&made);
}

CASE(six_kilobytes)
{
	damage(0);
}

CASE(fifty_kilobytes)
{
	damage(1);
}

CASE(two_hundred_kilobytes)
{
	damage(2);
}

CASE(seven_hundred_kilobytes)
{
	damage(3);
}

CASE(two_megabytes)
{
	damage(4);
}

RUN(ENTRY(six_kilobytes), ENTRY(fifty_kilobytes), ENTRY(two_hundred_kilobytes),
    ENTRY(seven_hundred_kilobytes), ENTRY(two_megabytes))
