/* Bench: fills lanes with artificial records, as a recorder leaves them when they are full. Used by make_trace.c and
 * encoding.c. Header only. */
#ifndef BENCH_FILLED_LANE_H
#define BENCH_FILLED_LANE_H

#include "call_ids.h"
#include "codec/lane.h"
#include "codec/record.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { STEP = 1000 }; /* ns between two calls of a stream */

/* Mixed: of eight calls, six are strided pwrites, one is a pread at a random offset, one an lseek. */
enum pattern { MIXED, STRIDED, RANDOM };
static const char *const pattern_names[] = {"mixed", "strided", "random"};

struct filler {
	enum pattern pattern;
	struct lane *lane;
	size_t size; /* of it: FILLED_LANE_SIZE() of the calls */
	uint8_t run_id[16];
	uint64_t chance;
};

#define FILLED_LANE_SIZE(calls) (LANE_HEADER + 1024 + (calls)*7 * 8)

static inline void put_words(struct lane *lane, uint64_t header, const uint64_t *words,
			     size_t count)
{
	uint64_t *at = (uint64_t *)((char *)lane + lane->position);
	memcpy(at + 1, words, (count - 1) * sizeof *words);
	at[0] = header + (lane->position << 32);
	lane->position += count * sizeof *at;
}

/* Defines the name of the file and the handle of descriptor 3. */
static inline void put_definitions(struct lane *lane, uint32_t tag)
{
	char text[64] = "";
	int length = snprintf(text, sizeof text, "/data/run/out.%04u", lane->process);
	size_t words = 6 + ((size_t)length + 7) / 8;
	uint64_t name[16] = {words, 1, VARVE_BASE_NONE, 0, (uint64_t)length};
	memcpy(name + 5, text, sizeof text);
	put_words(lane, record_header(tag, DEFINE_NAME, 0, 0), name, words);
	const uint64_t handle[] = {9, 1, VARVE_HANDLE_FILE, 3, 1, 0, 0, 0};
	put_words(lane, record_header(tag, DEFINE_HANDLE, 0, 0), handle, 9);
}

static inline void put_call(struct filler *filler, uint64_t number, uint64_t entry, uint32_t tag)
{
	uint64_t pair = pair_make(3, 1);
	filler->chance = filler->chance * 6364136223846793005ull + 1442695040888963407ull;
	uint64_t exit = entry + 300 + filler->chance % 500;
	uint64_t place = (filler->chance >> 30) & 0xffffff;
	if (filler->pattern == RANDOM) {
		const uint64_t words[] = {entry, exit, 512, pair, 512, place * 512};
		put_words(filler->lane, record_header(tag, CALL_pwrite, 7, 0), words, 7);
	} else if (filler->pattern == MIXED && number % 8 == 6) {
		const uint64_t words[] = {entry, exit, 4096, pair, 4096, place * 512};
		put_words(filler->lane, record_header(tag, CALL_pread, 7, 0), words, 7);
	} else if (filler->pattern == MIXED && number % 8 == 7) {
		const uint64_t words[] = {entry, exit, 0, pair, 0, 0};
		put_words(filler->lane, record_header(tag, CALL_lseek, 7, 0), words, 7);
	} else {
		const uint64_t words[] = {entry, exit, 512, pair, 512, number * 512};
		put_words(filler->lane, record_header(tag, CALL_pwrite, 7, 0), words, 7);
	}
}

/* Makes calls `first` to `first + count` of a stream; returns the end of the last one. */
static inline uint64_t lane_fill(struct filler *filler, uint32_t stream, uint32_t streams,
				 uint64_t sequence, uint64_t first, uint64_t count)
{
	struct lane *lane = filler->lane;
	uint64_t begin = first * STEP + (uint64_t)stream * STEP / streams;
	*lane = (struct lane){.magic = LANE_MAGIC,
			      .version = LANE_VERSION,
			      .clock_kind = 2,
			      .size = filler->size,
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
	memcpy(lane->run_id, filler->run_id, sizeof lane->run_id);
	uint32_t tag = lane_tag(sequence, lane->process, lane->thread);
	put_definitions(lane, tag);
	for (uint64_t i = 0; i < count; i++)
		put_call(filler, first + i, begin + i * STEP, tag);
	return begin + count * STEP;
}

#endif
