/* Tests: lanes as a recorder leaves them, written word by word from codec/lane.h, together with the expected decoded records.
 *
 * A lane is filled at random: calls of any function, finished, failed, open or continued; definitions of all types; words that were
 * reserved and never written; before all that, the words of an older generation. The clock counts nanoseconds, so that ticks are
 * known without the code under test. */
#ifndef TESTS_UNIT_LANE_WRITER_H
#define TESTS_UNIT_LANE_WRITER_H

#include "codec/inprocess/encode.h"
#include "codec/inprocess/peephole.h"
#include "codec/record.h"
#include "unit/chance.h"

#include <stdlib.h>
#include <string.h>

enum { TEXT_MOST = 300 };

struct written {
	struct lane *lane;
	size_t size;
	const struct call_row *rows;
	size_t row_count;
	struct chance chance;
	uint64_t now; /* ns */
	uint64_t fresh;
	uint64_t gaps;
	uint64_t backward;
	bool in_gap;
	bool uneven;	 /* contains a record that columns cannot store */
	uint32_t window; /* of codec peephole */
	struct record *records;
	uint64_t *positions; /* place of each record in the lane */
	size_t count;
	struct definition *definitions; /* the texts are allocated */
	size_t definition_count;
};

/* Limits of the random content. */
struct flavour {
	uint64_t functions; /* different ones, 0: all */
	uint64_t records;   /* at most */
	bool steady;	    /* words are in straight lines, times are short */
	bool plain;	    /* no gaps, no definitions, no continued calls */
	bool uneven;	    /* unknown functions and wrong word counts */
	bool alike;	    /* few different words and handles: records are similar */
};

/* Space for one more after `count` elements: lists grow at powers of two. */
static inline void *list_room(void *list, size_t count, size_t size)
{
	return count & (count - 1) ? list : realloc(list, (count ? count * 2 : 1) * size);
}

static inline void written_clear(struct written *written)
{
	for (size_t i = 0; i < written->definition_count; i++)
		free((void *)(uintptr_t)written->definitions[i].text);
	free(written->definitions);
	free(written->records);
	free(written->positions);
	free(written->lane);
	*written = (struct written){0};
}

/* An empty lane of `size` bytes with random words of an older generation. */
static inline struct written written_start(size_t size, uint64_t seed, uint32_t resolution)
{
	struct written written = {.size = size,
				  .chance = chance_start(seed),
				  .rows = call_rows,
				  .row_count = call_rows_count,
				  .window = PEEPHOLE_WINDOW};
	written.lane = aligned_alloc(64, (size + 63) / 64 * 64);
	struct lane *lane = written.lane;
	memset(lane, 0, size);
	uint64_t base = chance_below(&written.chance, 1ull << 50);
	*lane = (struct lane){
		.magic = LANE_MAGIC,
		.version = LANE_VERSION,
		.clock_kind = 2,
		.size = size,
		.pid = 1234,
		.tid = 1235,
		.process = 1 + (uint32_t)chance_below(&written.chance, 9),
		.thread = 1 + (uint32_t)chance_below(&written.chance, 9),
		.rank = -1,
		.resolution = resolution,
		.start_monotonic = (int64_t)base,
		.state = LANE_FILLING,
		.generation = 1 + chance_below(&written.chance, 1000),
		.first_ordinal = chance_below(&written.chance, 1ull << 40),
		.position = LANE_HEADER,
	};
	chance_fill(&written.chance, lane->run_id, sizeof lane->run_id);
	written.now = base + chance_below(&written.chance, 1ull << 42);
	lane->begin = (struct lane_clock){written.now, (int64_t)written.now};
	written.fresh = lane->first_ordinal;
	return written;
}

static inline size_t written_room(const struct written *written)
{
	return (written->size - (size_t)written->lane->position) / 8;
}

/* Reserves words; NULL: the lane is full. */
static inline uint64_t *written_reserve(struct written *written, size_t words)
{
	if (written_room(written) < words)
		return NULL;
	uint64_t *at = (uint64_t *)(void *)written->lane + written->lane->position / 8;
	written->lane->position += words * 8;
	return at;
}

static inline uint64_t written_header(const struct written *written, const uint64_t *at,
				      uint16_t function, size_t words, unsigned low)
{
	const struct lane *lane = written->lane;
	uint32_t position = (uint32_t)((const uint8_t *)at - (const uint8_t *)lane);
	return record_header(lane_tag(lane->generation, lane->process, lane->thread) + position,
			     function, (unsigned)words, low);
}

/* Ticks by the definition: whole resolutions since the run's start. */
static inline int64_t written_ticks(const struct written *written, uint64_t counter)
{
	int64_t ns = (int64_t)(counter - (uint64_t)written->lane->start_monotonic);
	int64_t by = (int64_t)written->lane->resolution;
	return ns / by - (ns % by < 0);
}

/* A call: `record` has function, depth, marks, result, error, words; times are counters. The ordinal of a continued call is given,
 * that of others is counted here. False: no space. */
static inline bool written_call(struct written *written, const struct record *record,
				uint64_t entry, uint64_t exit)
{
	bool continued = record->marks & VARVE_CONTINUED, failed = record->marks & VARVE_FAILED;
	size_t words = WORD_ARGUMENTS + record->words + continued;
	uint64_t *at = written_reserve(written, words);
	if (!at)
		return false;
	bool open = record->marks & VARVE_UNFINISHED;
	at[WORD_ENTRY] = entry;
	at[WORD_EXIT] = open ? 0 : exit | (failed ? EXIT_FAILED : 0);
	at[WORD_RESULT] = !failed ? (uint64_t)record->result
				  : (uint64_t)record->error << 48 |
					    ((uint64_t)record->result & 0xffffffffffffull);
	memcpy(at + WORD_ARGUMENTS, record->word, record->words * 8);
	if (continued)
		at[words - 1] = record->ordinal;
	at[WORD_HEADER] = written_header(written, at, record->function, words,
					 record->depth | (continued ? MARK_CONTINUED : 0u) |
						 (record->marks & VARVE_VFORK ? MARK_VFORK : 0u));
	written->records = list_room(written->records, written->count, sizeof *written->records);
	written->positions =
		list_room(written->positions, written->count, sizeof *written->positions);
	written->positions[written->count] = (uint64_t)((uint8_t *)at - (uint8_t *)written->lane);
	struct record *kept = &written->records[written->count++];
	*kept = *record;
	kept->entry = written_ticks(written, entry);
	kept->exit = open ? kept->entry : written_ticks(written, exit);
	if (open)
		kept->result = 0;
	if (!continued)
		kept->ordinal = written->fresh++;
	written->backward += kept->exit < kept->entry;
	written->in_gap = false;
	return true;
}

/* A definition with the words and the text that lane.h lists. */
static inline bool written_define(struct written *written, const struct definition *definition)
{
	const struct definition *d = definition;
	uint64_t field[7] = {0};
	size_t fields = 0;
	switch (d->type) {
	case DEFINE_FIRST:
		memcpy(field, (uint64_t[]){d->id, d->base_kind, d->base, d->text_length}, 32);
		fields = 4;
		break;
	case DEFINE_HANDLE:
		memcpy(field,
		       (uint64_t[]){d->id, d->kind | d->how << 8 | d->origin << 16,
				    (uint64_t)(int64_t)d->fd, d->name, d->other, d->device,
				    d->inode},
		       56);
		fields = 7;
		break;
	case DEFINE_IDENTITY:
		memcpy(field, (uint64_t[]){d->kind, d->id, d->device, d->inode, d->how}, 40);
		fields = 5;
		break;
	case DEFINE_PROCESS:
		field[0] = d->text_length;
		fields = 1;
		break;
	case DEFINE_THREAD:
		memcpy(field, (uint64_t[]){d->id, (uint64_t)(int64_t)d->fd, d->other}, 24);
		fields = 3;
		break;
	}
	size_t words = 2 + fields + (d->text_length + 7) / 8;
	uint64_t *at = written_reserve(written, words);
	if (!at)
		return false;
	memset(at, 0, words * 8);
	at[1] = words;
	memcpy(at + 2, field, fields * 8);
	char *text = malloc(d->text_length + 1u);
	if (d->text_length) {
		memcpy(at + 2 + fields, d->text, d->text_length);
		memcpy(text, d->text, d->text_length);
	}
	text[d->text_length] = 0;
	at[WORD_HEADER] = written_header(written, at, (uint16_t)d->type, 0, 0);
	written->definitions = list_room(written->definitions, written->definition_count,
					 sizeof *written->definitions);
	struct definition *kept = &written->definitions[written->definition_count++];
	*kept = *d;
	kept->before = written->count;
	kept->text = text;
	written->in_gap = false;
	return true;
}

static inline bool written_gap(struct written *written, size_t words)
{
	if (!written_reserve(written, words))
		return false;
	written->gaps += !written->in_gap;
	written->in_gap = true;
	return true;
}

static inline struct definition definition_by_chance(struct chance *chance, char text[TEXT_MOST])
{
	struct definition made = {.type = (enum define)(DEFINE_FIRST + chance_below(chance, 5))};
	uint32_t length = (uint32_t)chance_below(chance, chance_once(chance, 8) ? TEXT_MOST : 30);
	chance_fill(chance, text, TEXT_MOST);
	made.text = text;
	if (made.type != DEFINE_PROCESS)
		made.id = (uint32_t)chance_wide(chance);
	switch (made.type) {
	case DEFINE_FIRST:
		made.base_kind = (uint32_t)chance_below(chance, 4);
		made.base = (uint32_t)chance_wide(chance);
		made.text_length = length;
		break;
	case DEFINE_HANDLE:
		made.kind = (uint32_t)chance_below(chance, 9);
		made.how = (uint32_t)chance_below(chance, 3);
		made.origin = (uint32_t)chance_below(chance, 3);
		made.fd = (int32_t)chance_below(chance, 100) - 2;
		made.name = (uint32_t)chance_wide(chance);
		made.other = (uint32_t)chance_wide(chance);
		made.device = chance_wide(chance);
		made.inode = chance_wide(chance);
		break;
	case DEFINE_IDENTITY:
		made.kind = (uint32_t)chance_below(chance, 2);
		made.how = (uint32_t)chance_below(chance, 3);
		made.device = chance_wide(chance);
		made.inode = chance_wide(chance);
		break;
	case DEFINE_PROCESS:
		made.text_length = length;
		break;
	case DEFINE_THREAD:
		made.fd = (int32_t)chance_wide(chance) & INT32_MAX;
		made.other = (uint32_t)chance_wide(chance);
		break;
	}
	return made;
}

/* One of a few words; a descriptor mostly has the same handle as before. */
static inline uint64_t word_alike(struct chance *chance, const struct call_row *row, uint32_t word)
{
	static const uint64_t few[] = {0, 1, 4096, UINT64_MAX};
	if (!(row->pairs >> word & 1))
		return few[chance_below(chance, 4)];
	int fd = (int)chance_below(chance, 70) - 2;
	return pair_make(fd, (uint32_t)fd + (chance_once(chance, 8) ? 1 : 7));
}

static inline bool call_by_chance(struct written *written, const struct flavour *flavour)
{
	struct chance *chance = &written->chance;
	uint64_t functions = flavour->functions && flavour->functions < written->row_count
				     ? flavour->functions
				     : written->row_count;
	const struct call_row *row = &written->rows[chance_below(chance, functions)];
	struct record record = {.function = row->id,
				.words = row->words,
				.depth = (uint8_t)chance_below(chance, 4)};
	if (chance_once(chance, 50))
		record.depth = (uint8_t)chance_below(chance, DEPTH_MOST + 1);
	written->now += chance_below(chance, 1000);
	if (!flavour->steady && chance_once(chance, 40))
		written->now += chance_below(chance, 1ull << 44);
	uint64_t entry = written->now;
	uint64_t exit = written->now += chance_below(chance, 3000);
	for (uint32_t i = 0; i < record.words; i++)
		record.word[i] = flavour->alike	   ? word_alike(chance, row, i)
				 : flavour->steady ? i * 1000 + written->count * i
						   : chance_wide(chance);
	record.result = flavour->steady ? 8 : (int64_t)chance_wide(chance);
	if (!flavour->plain && chance_once(chance, 12)) {
		record.marks = VARVE_UNFINISHED;
	} else if (chance_once(chance, 10)) {
		record.marks = VARVE_FAILED;
		record.error = (int32_t)chance_below(chance, 134);
		record.result =
			chance_once(chance, 2) ? -1 : (int64_t)(chance_word(chance) << 16) >> 16;
	} else if (!flavour->steady && chance_once(chance, 100)) {
		exit = entry - chance_below(chance, 5000); /* the clock went backwards */
	}
	if (!flavour->plain && chance_once(chance, 30))
		record.marks |= VARVE_VFORK;
	if (!flavour->plain && row->words < RECORD_ARGUMENTS_MOST && chance_once(chance, 20)) {
		record.marks |= VARVE_CONTINUED;
		record.ordinal = chance_below(chance, written->lane->first_ordinal + 1);
		entry -= chance_below(chance, 100000);
	}
	if (flavour->uneven && chance_once(chance, 20)) {
		written->uneven = true;
		if (chance_once(chance, 2))
			record.function = 0xfe00;
		record.words = (uint32_t)chance_below(chance, RECORD_ARGUMENTS_MOST);
		chance_fill(chance, record.word, sizeof record.word);
	}
	return written_call(written, &record, entry, exit);
}

/* Fills the lane; words of an older generation remain below. */
static inline void written_fill(struct written *written, const struct flavour *flavour)
{
	struct chance *chance = &written->chance;
	char text[TEXT_MOST];
	if (chance_once(chance, 2)) {
		written->lane->generation--;
		while (call_by_chance(written, flavour))
			;
		written->lane->generation++;
		written->lane->position = LANE_HEADER;
		written->count = 0;
		written->backward = 0;
		written->uneven = false;
		written->fresh = written->lane->first_ordinal;
		written->now = written->lane->begin.counter;
	}
	uint64_t most = chance_below(chance, flavour->records + 1);
	bool more = true;
	while (more && written->count < most) {
		if (!flavour->plain && chance_once(chance, 6)) {
			struct definition made = definition_by_chance(chance, text);
			more = written_define(written, &made);
		} else if (!flavour->plain && chance_once(chance, 25)) {
			more = written_gap(written, 1 + chance_below(chance, 12));
		} else {
			more = call_by_chance(written, flavour);
		}
	}
	if (!flavour->plain && chance_once(chance, 10))
		written_gap(written,
			    1 + chance_below(chance, 12)); /* killed at the entry of a call */
}

/* A clock pair after everything in the lane. */
static inline struct lane_clock written_end(const struct written *written)
{
	return (struct lane_clock){written->now + 1000, (int64_t)(written->now + 1000)};
}

/* The block of a lane, in memory of exactly its length; NULL when encoding fails. */
static inline uint8_t *written_encode(const struct written *written, enum block_codec codec,
				      struct encoded *encoded)
{
	/* One workspace for all, as in a recorder: the content of an earlier lane must not matter. */
	static void *workspace;
	static size_t room;
	size_t output_size = encode_output_size(written->size);
	if (written->size > room) {
		free(workspace);
		room = written->size;
		size_t workspace_size = encode_workspace_size(room);
		workspace = aligned_alloc(64, (workspace_size + 63) / 64 * 64);
		memset(workspace, 0xa5, workspace_size);
		encode_prepare(workspace, room);
	}
	/* The ordinals of the open calls are requested, as by a recorder. */
	*encoded = (struct encoded){0};
	for (size_t i = 0; i < written->count && encoded->open_count < ENCODE_OPEN_MOST; i++)
		if (written->records[i].marks & VARVE_UNFINISHED)
			encoded->open[encoded->open_count++].position = written->positions[i];
	uint8_t *output = malloc(output_size);
	enum varve_status status =
		encode_lane(written->lane, written->size,
			    (struct codec_choice){codec, written->window}, written_end(written),
			    written->rows, written->row_count, workspace, output, encoded);
	if (status != VARVE_OK || encoded->length > output_size) {
		free(output);
		return NULL;
	}
	return realloc(output, encoded->length);
}

#endif
