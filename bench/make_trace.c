/* Bench: makes a large trace without a program: fills lanes, and passes them to the encoder and the writer of a run.
 *
 * usage: make_trace TRACE STREAMS RECORDS BLOCK [mixed | strided | random]
 *
 * Each stream is a thread of its own process and writes RECORDS records, BLOCK of them in a block. Mixed: of eight calls,
 * six are strided pwrites, one is a pread at a random offset, one an lseek; strided: only pwrites; random: pwrites at
 * random offsets. Streams run at the same time: their calls are interleaved.
 */
#include "codec/inprocess/encode.h"
#include "filled_lane.h"
#include "sink/collect.h"
#include "sink/data.h"
#include "sink/run/run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct maker {
	struct filler filler;
	struct run run;
	struct data_file data;
	void *workspace;
	uint8_t *output;
};

/* Makes one block: calls `first` to `first + count` of the stream. */
static bool make_block(struct maker *maker, uint32_t stream, uint32_t streams, uint64_t sequence,
		       uint64_t first, uint64_t count)
{
	uint64_t end = lane_fill(&maker->filler, stream, streams, sequence, first, count);
	struct encoded encoded = {0};
	return encode_lane(maker->filler.lane, maker->filler.size,
			   (struct codec_choice){CODEC_COLUMNS, 0},
			   (struct lane_clock){end, (int64_t)end}, call_rows, call_rows_count,
			   maker->workspace, maker->output, &encoded) == VARVE_OK &&
	       encoded.records == count &&
	       data_append(&maker->data, maker->run.control, NULL, maker->output, encoded.length) ==
		       VARVE_OK;
}

int main(int argc, char **argv)
{
	int pattern = MIXED;
	while (argc == 6 && pattern <= RANDOM && strcmp(argv[5], pattern_names[pattern]) != 0)
		pattern++;
	if (argc < 5 || argc > 6 || pattern > RANDOM)
		return fprintf(stderr, "usage: make_trace TRACE STREAMS RECORDS BLOCK "
				       "[mixed | strided | random]\n"),
		       2;
	uint32_t streams = (uint32_t)strtoul(argv[2], NULL, 10);
	uint64_t records = strtoull(argv[3], NULL, 10), block = strtoull(argv[4], NULL, 10);
	struct varve_causes causes = {0};
	struct maker maker = {
		.filler = {.pattern = (enum pattern)pattern, .size = FILLED_LANE_SIZE(block)}};
	size_t size = maker.filler.size;
	char path[4096];
	if (argv[1][0] != '/' && getcwd(path, sizeof path - 1 - strlen(argv[1])))
		strcat(strcat(path, "/"), argv[1]);
	else
		snprintf(path, sizeof path, "%s", argv[1]);
	maker.filler.lane = aligned_alloc(64, (size + 63) / 64 * 64);
	maker.workspace = aligned_alloc(64, (encode_workspace_size(size) + 63) / 64 * 64);
	maker.output = aligned_alloc(64, (encode_output_size(size) + 63) / 64 * 64);
	const struct run_settings settings = {
		.trace = path, .library = "/none", .clock_kind = CLOCK_KIND_MONOTONIC};
	if (!maker.filler.lane || !maker.workspace || !maker.output ||
	    run_create(&settings, &maker.run, &causes) != VARVE_OK ||
	    data_open(path, maker.run.control, &maker.data) != VARVE_OK)
		return fprintf(stderr, "make_trace: %s\n",
			       causes.count ? causes.text[0] : "failed"),
		       1;
	memcpy(maker.filler.run_id, maker.run.control->run_id, sizeof maker.filler.run_id);
	encode_prepare(maker.workspace, size);
	uint64_t sequence = 1;
	for (uint64_t first = 0; first < records; first += block, sequence++)
		for (uint32_t stream = 0; stream < streams; stream++)
			if (!make_block(&maker, stream, streams, sequence, first,
					records - first < block ? records - first : block))
				return fprintf(stderr, "make_trace: a block could not be made\n"),
				       1;
	struct collected collected;
	if (collect_finish(&maker.run, RUN_EXITED, 0, &collected, &causes) != VARVE_OK)
		return fprintf(stderr, "make_trace: %s\n",
			       causes.count ? causes.text[0] : "failed"),
		       1;
	data_close(&maker.data);
	run_detach(&maker.run);
	free(maker.filler.lane);
	free(maker.workspace);
	free(maker.output);
	return 0;
}
