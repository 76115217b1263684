/* Codec: the single pass over a lane's records: shapes, times, and which argument columns are straight lines.
 *
 * This is the encoder's hot loop; it touches each record once, while it is in the cache. No allocation, no I/O.
 */
#include "codec/inprocess/encode_state.h"

#include "base/varint.h"

/* A gap below 8 ticks and a duration below 31 share a byte; any other pair is TIME_LONG and is stored in times_long. */
enum { GAP_SHORT = 8, DURATION_SHORT = 31, TIME_LONG = 255 };

static struct encode_function *function_new(struct encode *encode, uint16_t id)
{
	for (size_t i = 0; i < encode->function_count; i++)
		if (encode->functions[i].row->id == id)
			return &encode->functions[i];
	const struct call_row *row = call_row_find(encode->rows, encode->row_count, id);
	if (!row || encode->function_count == FUNCTIONS_MOST)
		return NULL;
	struct encode_function *function = &encode->functions[encode->function_count++];
	*function = (struct encode_function){.row = row};
	return function;
}

/* The shape with this key and these marks, added if it is new. SHAPES_MOST: no room, or no such function. */
static size_t shape_find(struct encode *encode, uint32_t key, uint8_t marks)
{
	uint32_t hash = (key ^ (uint32_t)marks << 27) * 0x9e3779b1u;
	for (uint32_t slot = hash >> 20;; slot = (slot + 1) % SHAPE_SLOTS) {
		size_t at = encode->shape_slot[slot];
		if (at == 0) {
			if (encode->shape_count == SHAPES_MOST)
				return SHAPES_MOST;
			struct encode_function *function =
				function_new(encode, (uint16_t)(key >> 16));
			if (!function)
				return SHAPES_MOST;
			at = encode->shape_count++;
			encode->shape_slot[slot] = (uint16_t)(at + 1);
			encode->shapes[at] = (struct encode_shape){
				.key = key,
				.marks = marks,
				.length = (uint8_t)(WORD_ARGUMENTS + function->row->words +
						    (key & MARK_CONTINUED ? 1 : 0)),
				.function = function,
			};
			return at;
		}
		if (encode->shapes[at - 1].key == key && encode->shapes[at - 1].marks == marks)
			return at - 1;
	}
}

/* Stores a time that does not fit into a byte. */
static __attribute__((noinline)) void time_long(struct encode *encode, int64_t gap,
						int64_t duration)
{
	encode->times_long_end = varint_put(encode->times_long_end, zigzag(gap));
	encode->times_long_end = varint_put(encode->times_long_end, zigzag(duration));
	if (duration < 0)
		encode->found->backward++;
}

/* Adds a value to column `at`, and checks whether the column is still a straight line. */
static inline void column_see(struct encode_function *function, size_t at, uint64_t value,
			      uint32_t seen)
{
	uint64_t step = value - function->last[at];
	if (UNLIKELY(seen < 2)) {
		if (seen == 0)
			function->first[at] = value;
		else
			function->stride[at] = step;
	} else {
		function->broken[at] |= step ^ function->stride[at];
	}
	function->last[at] = value;
}

/* Handles two columns at once, from the third value on. */
typedef uint64_t two __attribute__((vector_size(16), aligned(8), may_alias));

static inline void two_see(struct encode_function *function, const uint64_t *words, size_t at)
{
	two value = *(const two *)(words + at);
	two *last = (two *)(function->last + at), *broken = (two *)(function->broken + at);
	*broken |= (value - *last) ^ *(const two *)(function->stride + at);
	*last = value;
}

/* Handles result and words of a plain record, which has at most EASY values. Values read beyond the end of the record go to
 * columns that are not used. */
enum { EASY = 8 };

static inline void plain_see(struct encode_function *function, const uint64_t *values, bool wide)
{
	two_see(function, values, 0);
	two_see(function, values, 2);
	if (wide) {
		two_see(function, values, 4);
		two_see(function, values, 6);
	}
}

/* Handles any record: the first of a function, long ones, and those that failed, did not return or began in an earlier block.
 * Returns the exit time, and decides whether further records of this shape are plain. */
static __attribute__((noinline)) int64_t
record_see(struct encode *encode, struct encode_shape *shape, const uint64_t *words, int64_t entry)
{
	struct encode_function *function = shape->function;
	bool continued = shape->key & MARK_CONTINUED;
	uint32_t finished = function_finished(function);
	uint64_t fresh = encode->lane->first_ordinal + encode->count - encode->continued;
	int64_t exit = entry;
	if (shape->marks & VARVE_UNFINISHED) {
		encoded_see(encode->found,
			    (uint64_t)(words - (const uint64_t *)(const void *)encode->lane) * 8,
			    continued ? words[shape->length - 1] : fresh);
	} else {
		int32_t error;
		bool failed = shape->marks & VARVE_FAILED;
		exit = clock_ticks(&encode->line, words[WORD_EXIT] & ~EXIT_FAILED);
		column_see(function, 0, (uint64_t)record_result(words, failed, &error), finished);
		function->failed += failed;
	}
	for (size_t at = 1; at <= function->row->words; at++)
		column_see(function, at, words[WORD_RESULT + at], function->count);
	function->unfinished += shape->marks & VARVE_UNFINISHED ? 1 : 0;
	if (continued) {
		function->continued++;
		encode->ordinals[encode->continued++] = words[shape->length - 1];
	}
	shape->plain = !shape->marks && !continued && finished >= 1 && function->row->words < EASY;
	return exit;
}

enum varve_status encode_scan(struct encode *encode)
{
	struct lane_walk walk = lane_walk_start(encode->lane, encode->lane_size);
	const uint64_t *easy_end = walk.base + encode->lane_size / 8 - WORD_RESULT - EASY;
	const struct clock_line line = encode->line;
	struct encode_shape *shape = encode->shapes;
	uint32_t *const position = encode->position;
	uint16_t *const shape_of = encode->shape_of;
	uint8_t *const times = encode->times;
	int64_t first_tick = INT64_MAX, last_tick = INT64_MIN, last_entry = 0, last_exit = 0;
	unsigned last_depth = 0;
	size_t seen = 0;
	uint64_t length;
	const uint64_t *words;
	while ((words = lane_walk_next(&walk, &length))) {
		uint32_t key = (uint32_t)words[WORD_HEADER];
		if (UNLIKELY(key >> 16 >= DEFINE_FIRST)) {
			encode->count = seen;
			encode_definition(encode, words, length);
			continue;
		}
		uint64_t exit_word = words[WORD_EXIT];
		uint8_t marks = (uint8_t)(exit_word >> 63); /* VARVE_FAILED */
		if (UNLIKELY(exit_word == 0))
			marks = VARVE_UNFINISHED;
		struct encode_shape *guess = encode->shapes + shape->next;
		if (UNLIKELY(guess->key != key || guess->marks != marks)) {
			size_t found = shape_find(encode, key, marks);
			if (found == SHAPES_MOST)
				return VARVE_LIMIT;
			shape->next = (uint16_t)found;
			guess = encode->shapes + found;
		}
		shape = guess;
		if (UNLIKELY(length != shape->length))
			return VARVE_LIMIT;
		position[seen] = (uint32_t)(words - walk.base);
		shape_of[seen] = (uint16_t)(shape - encode->shapes);

		struct encode_function *function = shape->function;
		int64_t entry = clock_ticks(&line, words[WORD_ENTRY]), exit;
		if (LIKELY(shape->plain && words <= easy_end)) {
			exit = clock_ticks(&line, exit_word);
			plain_see(function, words + WORD_RESULT, length > WORD_RESULT + EASY / 2);
		} else {
			encode->count = seen;
			exit = record_see(encode, shape, words, entry);
		}
		function->count++;
		int64_t duration = (int64_t)((uint64_t)exit - (uint64_t)entry);
		function->ticks += (uint64_t)duration;

		unsigned depth = key & DEPTH_MASK;
		uint64_t from = (uint64_t)(last_depth >= depth ? last_exit : last_entry);
		int64_t gap = (int64_t)((uint64_t)entry - from);
		if (LIKELY((uint64_t)gap < GAP_SHORT && (uint64_t)duration < DURATION_SHORT)) {
			times[seen] = (uint8_t)(gap << 5 | duration);
		} else {
			times[seen] = TIME_LONG;
			time_long(encode, gap, duration);
			if (duration < 0 && entry > last_tick)
				last_tick = entry; /* the clock went backwards inside the call */
		}
		last_entry = entry;
		last_exit = exit;
		last_depth = depth;
		if (UNLIKELY(entry < first_tick))
			first_tick = entry;
		last_tick = exit > last_tick ? exit : last_tick;
		seen++;
	}
	encode->count = seen;
	encode->found->records = seen;
	encode->found->fresh = seen - encode->continued;
	encode->found->gaps = walk.gaps;
	encode->found->definitions = encode->header.definitions;
	encode->header.first_tick = seen ? first_tick : 0;
	encode->header.last_tick = seen ? last_tick : 0;
	return VARVE_OK;
}
