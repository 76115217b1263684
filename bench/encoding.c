/* Bench: measures how fast the encoder of the recorder makes blocks of full lanes. The lanes are in memory, nothing is
 * written.
 *
 * usage: encoding strided | random | mixed RECORDS
 *
 * Lanes have the default size of `varve record` and are encoded one after the other with codec columns, as the recorder
 * does when a lane is full. Only encode_lane() is timed, by the thread's processor time. Prints records, ns and bytes of
 * all blocks.
 */
#include "codec/inprocess/encode.h"
#include "filled_lane.h"

#include <inttypes.h>
#include <stdlib.h>
#include <time.h>

enum { LANES = 8, LANE_BYTES = 1 << 20 };

static int64_t thread_ns(void)
{
	struct timespec now;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static void *memory_for(size_t size)
{
	void *memory = aligned_alloc(64, (size + 63) / 64 * 64);
	if (!memory)
		exit(1);
	return memset(memory, 0, size);
}

int main(int argc, char **argv)
{
	int pattern = MIXED;
	while (argc == 3 && pattern <= RANDOM && strcmp(argv[1], pattern_names[pattern]) != 0)
		pattern++;
	if (argc != 3 || pattern > RANDOM)
		return fprintf(stderr, "usage: encoding strided | random | mixed RECORDS\n"), 2;
	const uint64_t wanted = strtoull(argv[2], NULL, 10);
	const uint64_t calls =
		(LANE_BYTES - FILLED_LANE_SIZE(0)) / (FILLED_LANE_SIZE(1) - FILLED_LANE_SIZE(0));
	struct filler filler[LANES];
	uint64_t end[LANES], records = 0, bytes = 0;
	void *workspace = memory_for(encode_workspace_size(LANE_BYTES));
	uint8_t *output = memory_for(encode_output_size(LANE_BYTES));
	for (uint32_t i = 0; i < LANES; i++) {
		filler[i] = (struct filler){
			.pattern = (enum pattern)pattern, .size = LANE_BYTES, .chance = i + 1};
		filler[i].lane = memory_for(LANE_BYTES);
		end[i] = lane_fill(&filler[i], 0, 1, i + 1, i * calls, calls);
	}
	encode_prepare(workspace, LANE_BYTES);
	int64_t ns = 0;
	for (uint32_t i = 0; records < wanted; i = (i + 1) % LANES) {
		struct encoded encoded = {0};
		int64_t from = thread_ns();
		enum varve_status status = encode_lane(
			filler[i].lane, LANE_BYTES, (struct codec_choice){CODEC_COLUMNS, 0},
			(struct lane_clock){end[i], (int64_t)end[i]}, call_rows, call_rows_count,
			workspace, output, &encoded);
		ns += thread_ns() - from;
		if (status != VARVE_OK || encoded.records != calls)
			return fprintf(stderr, "encoding: a lane could not be encoded\n"), 1;
		records += encoded.records;
		bytes += encoded.length;
	}
	printf("records=%" PRIu64 " ns=%" PRId64 " bytes=%" PRIu64 "\n", records, ns, bytes);
	for (uint32_t i = 0; i < LANES; i++)
		free(filler[i].lane);
	free(workspace);
	free(output);
	return 0;
}
