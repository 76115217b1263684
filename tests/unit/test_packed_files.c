/* Tests: a packed trace of several files with a wrong list of files. It must be refused with a reason, or opened with a report of
 * the damage, and no bytes outside of a file may be read. */
#include "base/host/bytes.h"
#include "pack/pack.h"
#include "trace/packed/packed.h"
#include "unit/trace_maker.h"

#include <zstd.h>

enum { STREAMS = 4, CALLS = 50, RECORDS_MOST = 256, FILES = 3 };

static struct made_trace made;
static char packed[128], first_path[160];
static uint8_t *first; /* packed.0 without changes */
static size_t first_size;
static struct record records[RECORDS_MOST];

/* Offsets without a rule: each stream has parts. */
static bool start(void)
{
	struct varve_causes causes = {0};
	struct pack_result result;
	if (first)
		return true;
	if (!made_start(&made))
		return false;
	for (uint32_t thread = 1; thread <= STREAMS; thread++) {
		struct written lane = made_lane(&made, 1, thread, 1, 0);
		struct definition handle = {.type = DEFINE_HANDLE, .id = 9, .fd = 3};
		CHECK(written_define(&lane, &handle));
		for (uint64_t i = 0; i < CALLS; i++)
			made_handle_call(&lane, 0, 0, (thread * 7919 + i * i * 31) << i % 20,
					 lane.now + 1000, lane.now + 1500 + i);
		made_append(&made, &lane);
	}
	made_finish(&made);
	snprintf(packed, sizeof packed, "%s/packed", made.folder);
	snprintf(first_path, sizeof first_path, "%s/packed.0", packed);
	const struct pack_settings settings = {
		.source = made.path, .target = packed, .files = FILES, .verify = true};
	if (!CHECK_EQ(pack_trace(&settings, &result, &causes), VARVE_OK) ||
	    !CHECK_EQ(result.files, FILES))
		return false;
	int fd = open(first_path, O_RDONLY);
	first_size = (size_t)lseek(fd, 0, SEEK_END);
	first = malloc(first_size);
	CHECK_EQ(pread(fd, first, first_size, 0), first_size);
	close(fd);
	return true;
}

static void put_block(int fd, uint64_t at, enum packed_section kind, const void *payload,
		      size_t length)
{
	struct block_header header;
	memcpy(&header, first, sizeof header);
	uint8_t *block = malloc(block_plain_size(length));
	size_t size =
		block_plain(block, BLOCK_PACKED, header.run_id, (uint64_t)kind, payload, length);
	CHECK_EQ(pwrite(fd, block, size, (off_t)at), size);
	free(block);
}

/* All feet of packed.0, which ends with one. */
static void put_feet(int fd, uint64_t at, struct packed_foot *foot)
{
	foot->file_size = at + packed_foot_block();
	for (unsigned i = 0; i < PACKED_HEADS; i++)
		put_block(fd, i * packed_foot_block(), SECTION_FOOT, foot, sizeof *foot);
	put_block(fd, at, SECTION_FOOT, foot, sizeof *foot);
	CHECK_EQ(ftruncate(fd, (off_t)foot->file_size), 0);
}

static uint64_t put_section(int fd, uint64_t at, struct packed_foot *foot, enum packed_section kind,
			    const void *bytes, size_t length)
{
	uint8_t payload[16384];
	uint8_t *end = varint_put(payload, length);
	size_t frame = ZSTD_compress(end, sizeof payload - VARINT_MOST, bytes, length, 1);
	CHECK(!ZSTD_isError(frame));
	size_t stored = (size_t)(end - payload) + frame;
	put_block(fd, at, kind, payload, stored);
	foot->section[kind].offset = at;
	foot->section[kind].length = block_plain_size(stored);
	return at + block_plain_size(stored);
}

/* The list of parts for more files, which have no blocks of data; `count` is FILES at least. */
static uint64_t put_parts(int fd, uint64_t at, struct packed_foot *foot, size_t count)
{
	static uint8_t list[16384], more[32768];
	const uint8_t *payload =
		first + foot->section[SECTION_PARTS].offset + sizeof(struct block_header);
	uint64_t length = 0, blocks = 0;
	varint_get(&payload, first + first_size, &length);
	size_t frame =
		ZSTD_findFrameCompressedSize(payload, (size_t)(first + first_size - payload));
	CHECK_EQ(ZSTD_decompress(list, sizeof list, payload, frame), length);
	const uint8_t *in = list;
	for (int i = 0; i < FILES; i++)
		for (varint_get(&in, list + length, &blocks); blocks; blocks--)
			while (*in++ & 0x80)
				continue;
	size_t before = (size_t)(in - list);
	memcpy(more, list, before);
	memset(more + before, 0, count - FILES);
	memcpy(more + before + count - FILES, in, length - before);
	return put_section(fd, at, foot, SECTION_PARTS, more, length + count - FILES);
}

/* packed.0 with another list of files. */
static void put_list(const struct bytes *list, size_t count)
{
	struct packed_foot foot;
	int fd = open(first_path, O_RDWR);
	uint64_t at = first_size - packed_foot_block();
	memcpy(&foot, first + sizeof(struct block_header), sizeof foot);
	if (count > FILES && count <= PACKED_FILES_MOST)
		at = put_parts(fd, at, &foot, count);
	at = put_section(fd, at, &foot, SECTION_FILES, list->at, list->length);
	put_feet(fd, at, &foot);
	close(fd);
}

/* A list from rows of streams and length; the checks are wrong. */
static enum varve_status open_with(uint64_t count, const uint64_t (*rows)[2], size_t given,
				   long *read, size_t *damages, struct varve_causes *causes)
{
	struct bytes list = {0};
	struct varve_trace *trace;
	uint64_t check = 0;
	bytes_number(&list, count);
	for (size_t i = 0; i < given; i++) {
		bytes_number(&list, rows[i][0]);
		if (i)
			bytes_number(&list, rows[i][1]);
		if (i)
			bytes_put(&list, &check, sizeof check);
	}
	put_list(&list, given);
	bytes_clear(&list);
	*read = 0;
	enum varve_status status = trace_open(packed, 0, &trace, causes);
	if (status != VARVE_OK)
		return status;
	trace_close(trace);
	*read = made_read(packed, 0, records, RECORDS_MOST, damages);
	return status;
}

static void refused(uint64_t count, const uint64_t (*rows)[2], size_t given, const char *why)
{
	long read;
	size_t damages;
	struct varve_causes causes = {0};
	CHECK_EQ(open_with(count, rows, given, &read, &damages, &causes), VARVE_DAMAGED);
	CHECK(causes.count && strstr(causes.text[0], why));
}

CASE(lists_that_cannot_be)
{
	if (!start())
		return;
	const uint64_t good[][2] = {{1, 0}, {2, 1000}, {1, 1000}, {0, 5}};
	const uint64_t many[][2] = {{5, 0}, {0, 1000}}, few[][2] = {{1, 0}, {2, 1000}};
	const uint64_t round[][2] = {{2, 0}, {UINT64_MAX - 1, 1000}, {4, 0}};
	static uint64_t thousands[5000][2] = {{STREAMS, 0}};
	refused(0, NULL, 0, "number of files");
	refused(1, good, 1, "number of files");
	refused(UINT64_MAX, good, 3, "number of files");
	refused(5000, thousands, 5000, "number of files");
	refused(3, good, 2, "truncated");
	refused(3, good, 4, "truncated");
	refused(2, many, 2, "streams");
	refused(2, few, 2, "truncated");
	refused(3, round, 3, "streams");
}

CASE(lengths_that_are_not_so)
{
	static const uint64_t lengths[] = {
		0,	    1,		100,	   4096,	   1 << 20,
		1ull << 40, 1ull << 62, INT64_MAX, UINT64_MAX - 1, UINT64_MAX};
	long read;
	size_t damages = 0;
	if (!start())
		return;
	for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
		const uint64_t rows[][2] = {{2, 0}, {1, lengths[i]}, {1, lengths[i]}};
		struct varve_causes causes = {0};
		CHECK_EQ(open_with(FILES, rows, FILES, &read, &damages, &causes), VARVE_OK);
		CHECK(damages >= FILES - 1 && read <= STREAMS * CALLS);
	}
	/* For files that do not exist. */
	uint64_t rows[PACKED_FILES_MOST][2] = {{STREAMS, 0}};
	for (size_t i = 1; i < PACKED_FILES_MOST; i++)
		rows[i][1] = UINT64_MAX;
	struct varve_causes causes = {0};
	CHECK_EQ(open_with(PACKED_FILES_MOST, (const uint64_t(*)[2])rows, PACKED_FILES_MOST, &read,
			   &damages, &causes),
		 VARVE_OK);
	CHECK(damages >= PACKED_FILES_MOST - 1);
}

/* A file with more bytes than there are addresses counts with the length in its list. */
CASE(files_beyond_all_addresses)
{
	long read;
	size_t damages = 0;
	char path[160];
	if (!start())
		return;
	for (int i = 1; i < FILES; i++) {
		snprintf(path, sizeof path, "%s/packed.%d", packed, i);
		if (truncate(path, (off_t)1 << 46))
			return; /* the file system does not support such files */
	}
	const uint64_t rows[][2] = {{2, 0}, {1, INT64_MAX}, {1, INT64_MAX}};
	struct varve_causes causes = {0};
	CHECK_EQ(open_with(FILES, rows, FILES, &read, &damages, &causes), VARVE_LIMIT);
	CHECK(causes.count && strstr(causes.text[0], "too large"));
	const uint64_t small[][2] = {{2, 0}, {1, 4096}, {1, 4096}};
	CHECK_EQ(open_with(FILES, small, FILES, &read, &damages, NULL), VARVE_OK);
}

CASE(all_is_removed)
{
	char path[160];
	for (int i = 0; i < FILES; i++) {
		snprintf(path, sizeof path, "%s/packed.%d", packed, i);
		unlink(path);
	}
	rmdir(packed);
	free(first);
	if (made.folder[0])
		made_clear(&made);
}

RUN(ENTRY(lists_that_cannot_be), ENTRY(lengths_that_are_not_so), ENTRY(files_beyond_all_addresses),
    ENTRY(all_is_removed))
