/* Codec: stepping through the records of a lane, which may be left by a dead process or written by a hostile one.
 *
 * Every step checks the record's tag and bounds. Words that were reserved but never written (a process was killed between two
 * instructions, or in a signal handler) are skipped: the tag of the next record marks its beginning.
 */
#ifndef CODEC_INPROCESS_LANE_WALK_H
#define CODEC_INPROCESS_LANE_WALK_H

#include "codec/lane.h"

#include <stdbool.h>
#include <stddef.h>

struct lane_walk {
	const uint64_t *base; /* the lane's first word, at its header */
	uint64_t position;    /* bytes */
	uint64_t end;
	uint32_t tag;
	uint64_t gaps;
	bool in_gap;
};

static inline struct lane_walk lane_walk_start(const struct lane *lane, uint64_t size)
{
	uint64_t end = lane->position;
	if (end > size)
		end = size;
	return (struct lane_walk){
		.base = (const uint64_t *)(const void *)lane,
		.position = LANE_HEADER,
		.end = end & ~7ull,
		.tag = lane_tag(lane->generation, lane->process, lane->thread),
	};
}

/* The length in words of the record or definition whose header is at `words`; 0 if it is invalid. */
static inline uint64_t lane_walk_words(const uint64_t *words, uint64_t room)
{
	uint64_t header = words[WORD_HEADER];
	uint64_t length = header >> 8 & 0xff;
	unsigned function = (unsigned)(header >> 16 & 0xffff);
	if (__builtin_expect(function >= DEFINE_FIRST, 0)) {
		if (length != 0 || room < 2)
			return 0;
		length = words[1];
		return length >= 2 && length <= room ? length : 0;
	}
	return length >= WORD_ARGUMENTS && length <= RECORD_WORDS_MOST && length <= room ? length
											 : 0;
}

/* The next record, or NULL at the end; `*length` is its length in words. */
static inline const uint64_t *lane_walk_next(struct lane_walk *walk, uint64_t *length)
{
	while (walk->position < walk->end) {
		const uint64_t *words = walk->base + walk->position / 8;
		if (__builtin_expect(
			    (uint32_t)(*words >> 32) == walk->tag + (uint32_t)walk->position, 1)) {
			uint64_t count = lane_walk_words(words, (walk->end - walk->position) / 8);
			if (__builtin_expect(count != 0, 1)) {
				walk->position += count * 8;
				walk->in_gap = false;
				*length = count;
				return words;
			}
		}
		walk->gaps += !walk->in_gap;
		walk->in_gap = true;
		walk->position += 8;
	}
	return NULL;
}

#endif
