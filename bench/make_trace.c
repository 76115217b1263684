/* Bench: a large trace without a program: lanes are filled here and go through the encoder and the writer of a run.
 *
 * usage: make_trace TRACE STREAMS RECORDS BLOCK [mixed | strided | random]
 *
 * Each stream is a thread of a process of its own and writes RECORDS records, BLOCK of them in a block. Mixed: of eight calls six
 * are strided pwrites, one a pread at a random place, one an lseek; strided: pwrites alone; random: pwrites at random places.
 * Streams run at the same time: their calls are interleaved.
 */
#include "call_ids.h"
#include "codec/encode.h"
#include "codec/record.h"
#include "sink/collect.h"
#include "sink/data.h"
#include "sink/run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { STEP = 1000 }; /* ns between two calls of a stream */

enum pattern { MIXED, STRIDED, RANDOM };

struct maker {
	enum pattern pattern;
	struct run run;
	struct data_file data;
	struct lane *lane;
	size_t size;
	void *workspace;
	uint8_t *output;
	uint64_t chance;
};

static void put_words(struct lane *lane, uint64_t header, const uint64_t *words, size_t count)
{
	uint64_t *at = (uint64_t *)((char *)lane + lane->position);
	memcpy(at + 1, words, (count - 1) * sizeof *words);
	at[0] = header + (lane->position << 32);
	lane->position += count * sizeof *at;
}

/* The name of the file and the handle of descriptor 3. */
static void put_definitions(struct lane *lane, uint32_t tag)
{
	char text[64] = "";
	int length = snprintf(text, sizeof text, "/data/run/out.%04u", lane->process);
	size_t words = 6 + ((size_t)length + 7) / 8;
	uint64_t name[16] = {words, 1, BASE_NONE, 0, (uint64_t)length};
	memcpy(name + 5, text, sizeof text);
	put_words(lane, record_header(tag, DEFINE_NAME, 0, 0), name, words);
	const uint64_t handle[] = {9, 1, HANDLE_FILE, 3, 1, 0, 0, 0};
	put_words(lane, record_header(tag, DEFINE_HANDLE, 0, 0), handle, 9);
}

static void put_call(struct maker *maker, uint64_t number, uint64_t entry, uint32_t tag)
{
	uint64_t pair = pair_make(3, 1);
	maker->chance = maker->chance * 6364136223846793005ull + 1442695040888963407ull;
	uint64_t exit = entry + 300 + maker->chance % 500;
	uint64_t place = (maker->chance >> 30) & 0xffffff;
	if (maker->pattern == RANDOM) {
		const uint64_t words[] = {entry, exit, 512, pair, 512, place * 512};
		put_words(maker->lane, record_header(tag, CALL_pwrite, 7, 0), words, 7);
	} else if (maker->pattern == MIXED && number % 8 == 6) {
		const uint64_t words[] = {entry, exit, 4096, pair, 4096, place * 512};
		put_words(maker->lane, record_header(tag, CALL_pread, 7, 0), words, 7);
	} else if (maker->pattern == MIXED && number % 8 == 7) {
		const uint64_t words[] = {entry, exit, 0, pair, 0, 0};
		put_words(maker->lane, record_header(tag, CALL_lseek, 7, 0), words, 7);
	} else {
		const uint64_t words[] = {entry, exit, 512, pair, 512, number * 512};
		put_words(maker->lane, record_header(tag, CALL_pwrite, 7, 0), words, 7);
	}
}

/* One block: calls `first` to `first + count` of the stream. */
static bool make_block(struct maker *maker, uint32_t stream, uint32_t streams, uint64_t sequence,
		       uint64_t first, uint64_t count)
{
	struct lane *lane = maker->lane;
	uint64_t begin = first * STEP + (uint64_t)stream * STEP / streams;
	*lane = (struct lane){.magic = LANE_MAGIC,
			      .version = LANE_VERSION,
			      .clock_kind = 2,
			      .size = maker->size,
			      .pid = (int32_t)(1000 + stream),
			      .tid = (int32_t)(1000 + stream),
			      .process = 1 + stream,
			      .thread = 1,
			      .rank = (int32_t)stream,
			      .resolution = 100,
			      .state = LANE_FILLING,
			      .generation = sequence,
			      .first_ordinal = first,
			      .begin = {begin, (int64_t)begin},
			      .position = LANE_HEADER};
	memcpy(lane->run_id, maker->run.control->run_id, sizeof lane->run_id);
	uint32_t tag = lane_tag(sequence, lane->process, lane->thread);
	put_definitions(lane, tag);
	for (uint64_t i = 0; i < count; i++)
		put_call(maker, first + i, begin + i * STEP, tag);
	uint64_t end = begin + count * STEP;
	struct encoded encoded = {0};
	return encode_lane(lane, maker->size, (struct codec_choice){CODEC_COLUMNS, 0},
			   (struct lane_clock){end, (int64_t)end}, call_rows, call_rows_count,
			   maker->workspace, maker->output, &encoded) == STATUS_OK &&
	       encoded.records == count &&
	       data_append(&maker->data, maker->run.control, NULL, maker->output, encoded.length) ==
		       STATUS_OK;
}

int main(int argc, char **argv)
{
	static const char *const names[] = {"mixed", "strided", "random"};
	int pattern = MIXED;
	while (argc == 6 && pattern <= RANDOM && strcmp(argv[5], names[pattern]) != 0)
		pattern++;
	if (argc < 5 || argc > 6 || pattern > RANDOM)
		return fprintf(stderr, "usage: make_trace TRACE STREAMS RECORDS BLOCK "
				       "[mixed | strided | random]\n"),
		       2;
	uint32_t streams = (uint32_t)strtoul(argv[2], NULL, 10);
	uint64_t records = strtoull(argv[3], NULL, 10), block = strtoull(argv[4], NULL, 10);
	struct varve_causes causes = {0};
	struct maker maker = {.pattern = (enum pattern)pattern,
			      .size = LANE_HEADER + 1024 + block * 7 * 8};
	char path[4096];
	if (argv[1][0] != '/' && getcwd(path, sizeof path - 1 - strlen(argv[1])))
		strcat(strcat(path, "/"), argv[1]);
	else
		snprintf(path, sizeof path, "%s", argv[1]);
	maker.lane = aligned_alloc(64, (maker.size + 63) / 64 * 64);
	maker.workspace = aligned_alloc(64, (encode_workspace_size(maker.size) + 63) / 64 * 64);
	maker.output = aligned_alloc(64, (encode_output_size(maker.size) + 63) / 64 * 64);
	const struct run_settings settings = {
		.trace = path, .library = "/none", .clock_kind = CLOCK_KIND_MONOTONIC};
	if (!maker.lane || !maker.workspace || !maker.output ||
	    run_create(&settings, &maker.run, &causes) != STATUS_OK ||
	    data_open(path, maker.run.control, &maker.data) != STATUS_OK)
		return fprintf(stderr, "make_trace: %s\n",
			       causes.count ? causes.text[0] : "failed"),
		       1;
	encode_prepare(maker.workspace, maker.size);
	uint64_t sequence = 1;
	for (uint64_t first = 0; first < records; first += block, sequence++)
		for (uint32_t stream = 0; stream < streams; stream++)
			if (!make_block(&maker, stream, streams, sequence, first,
					records - first < block ? records - first : block))
				return fprintf(stderr, "make_trace: a block could not be made\n"),
				       1;
	struct collected collected;
	if (collect_finish(&maker.run, RUN_EXITED, 0, &collected, &causes) != STATUS_OK)
		return fprintf(stderr, "make_trace: %s\n",
			       causes.count ? causes.text[0] : "failed"),
		       1;
	data_close(&maker.data);
	run_detach(&maker.run);
	free(maker.lane);
	free(maker.workspace);
	free(maker.output);
	return 0;
}
