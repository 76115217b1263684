/* Codec: from a raw lane to a block of columns. See encode.h.
 *
 * encode_scan() has read the lane. This file writes the columns: shapes and structure, times, then for each function its
 * results, errors and argument words. Columns that are straight lines are written at once; for others the values are collected.
 */
#include "codec/inprocess/encode.h"

#include "codec/inprocess/column_rows.h"
#include "codec/inprocess/encode_state.h"

#include <string.h>

/* The largest number of records that a lane can hold. */
static size_t records_most(size_t lane_size)
{
	return lane_size / (WORD_ARGUMENTS * 8) + 1;
}

static size_t arena_align(size_t size)
{
	return (size + 63) / 64 * 64;
}

/* Places the arrays in `memory` (NULL: only counts) and returns the bytes that they take. The rest of codec peephole uses the
 * memory of the arrays of codec columns, the first seven: a lane is encoded with only one of the codecs. */
static size_t lay_out(struct encode *encode, uint8_t *memory, size_t lane_size)
{
	size_t most = records_most(lane_size), used = 0;
	size_t sizes[] = {
		most * sizeof *encode->position,
		most * sizeof *encode->grouped,
		most * sizeof *encode->shape_of,
		most * sizeof *encode->times,
		most * 20,
		most * sizeof *encode->values,
		most + SHAPES_MOST * 4,
		lane_size * 2,
		most * sizeof *encode->ordinals,
		column_writer_size(false),
		most * sizeof *encode->summaries,
		sizeof *encode->peephole,
	};
	uint8_t *part[sizeof sizes / sizeof *sizes];
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		part[i] = memory ? memory + used : NULL;
		used += arena_align(sizes[i]);
	}
	if (!memory)
		return used;
	encode->position = (uint32_t *)(void *)part[0];
	encode->grouped = (uint32_t *)(void *)part[1];
	encode->shape_of = (uint16_t *)(void *)part[2];
	encode->times = part[3];
	encode->times_long = part[4];
	encode->values = (uint64_t *)(void *)part[5];
	encode->definitions = part[7];
	encode->ordinals = (uint64_t *)(void *)part[8];
	column_writer_start(&encode->writer, part[9], part[6], false);
	encode->summaries = (struct block_summary *)(void *)part[10];
	encode->peephole = (struct peephole_writer *)(void *)part[11];
	encode->rest = part[0];
	return used;
}

/* The arrays have 40 bytes for each four words of a lane: enough for the rest of a record without arguments, and for that of
 * four argument words. */
_Static_assert(REST_RECORD_MOST + 1 <= 4 + 4 + 2 + 1 + 20 + 8 + 1 &&
		       REST_WORD_MOST * WORD_ARGUMENTS <= 4 + 4 + 2 + 1 + 20 + 8 + 1,
	       "the rest has room in the arrays of columns");

size_t encode_workspace_size(size_t lane_size)
{
	return arena_align(sizeof(struct encode)) + lay_out(NULL, NULL, lane_size);
}

void encode_prepare(void *workspace, size_t lane_size)
{
	struct encode *encode = workspace;
	encode->room = lane_size;
	lay_out(encode, (uint8_t *)workspace + arena_align(sizeof *encode), lane_size);
}

size_t encode_output_size(size_t lane_size)
{
	/* The rows of the header do not shrink with the number of records: a function needs them even if it is called once. */
	size_t rows = sizeof(struct block_summary) +
		      (2 + 2 * RECORD_ARGUMENTS_MOST) * sizeof(struct block_column);
	return lane_size * 3 + 65536 + FUNCTIONS_MOST * rows;
}

/* Positions of records, grouped by function. With a single function they already are. */
static const uint32_t *records_group(struct encode *encode)
{
	uint32_t place = 0;
	for (size_t i = 0; i < encode->function_count; i++) {
		encode->functions[i].first_place = encode->functions[i].next_place = place;
		place += encode->functions[i].count;
	}
	if (encode->function_count == 1)
		return encode->position;
	for (size_t i = 0; i < encode->count; i++)
		encode->grouped[encode->shapes[encode->shape_of[i]].function->next_place++] =
			encode->position[i];
	return encode->grouped;
}

static void put_structure(struct encode *encode, struct column_rows *to)
{
	size_t shapes = encode->shape_count;
	uint8_t *table = encode->writer.plane;
	for (size_t i = 0; i < shapes; i++) {
		const struct encode_shape *shape = &encode->shapes[i];
		uint16_t id = (uint16_t)(shape->key >> 16);
		memcpy(table + i * 4, &id, sizeof id);
		table[i * 4 + 2] = shape->key & DEPTH_MASK;
		table[i * 4 + 3] = (uint8_t)(shape->marks |
					     (shape->key & MARK_CONTINUED ? VARVE_CONTINUED : 0) |
					     (shape->key & MARK_VFORK ? VARVE_VFORK : 0) |
					     (shape->key & MARK_RUNTIME ? VARVE_RUNTIME : 0));
	}
	column_rows_bytes(to, COLUMN_SHAPES, table, shapes * 4, NATURE_TEXT);
	if (shapes > 256) {
		for (size_t i = 0; i < encode->count; i++)
			encode->values[i] = encode->shape_of[i];
		column_rows_values(to, 0, COLUMN_STRUCTURE, encode->values, encode->count);
		return;
	}
	uint8_t *structure = encode->writer.plane;
	for (size_t i = 0; i < encode->count; i++)
		structure[i] = (uint8_t)encode->shape_of[i];
	column_rows_bytes(to, COLUMN_STRUCTURE, structure, encode->count, NATURE_TEXT);
}

static void put_results(struct encode *encode, struct column_rows *to,
			const struct encode_function *function, const uint32_t *places)
{
	const uint64_t *base = (const uint64_t *)(const void *)encode->lane;
	uint16_t id = function->row->id;
	uint32_t finished = function_finished(function);
	if (finished) {
		if (!function->broken[0]) {
			column_rows_line(to, id, COLUMN_RESULT, finished, function->first[0],
					 function->stride[0]);
		} else {
			size_t count = 0;
			for (size_t i = 0; i < function->count; i++) {
				const uint64_t *words = base + places[i];
				int32_t error;
				if (words[WORD_EXIT])
					encode->values[count++] = (uint64_t)record_result(
						words, words[WORD_EXIT] >> 63, &error);
			}
			column_rows_values(to, id, COLUMN_RESULT, encode->values, count);
		}
	}
	if (function->failed) {
		size_t count = 0;
		for (size_t i = 0; i < function->count; i++)
			if (base[places[i] + WORD_EXIT] >> 63)
				encode->values[count++] = base[places[i] + WORD_RESULT] >> 48;
		column_rows_values(to, id, COLUMN_ERROR, encode->values, count);
	}
}

static void put_words(struct encode *encode, struct column_rows *to,
		      const struct encode_function *function, const uint32_t *places)
{
	const uint64_t *base = (const uint64_t *)(const void *)encode->lane + WORD_ARGUMENTS;
	uint16_t id = function->row->id;
	for (unsigned word = 0; word < function->row->words; word++) {
		if (!function->broken[word + 1]) {
			/* A pair that is a single line is stored as a whole. */
			column_rows_line(to, id, COLUMN_WORD + word, function->count,
					 function->first[word + 1], function->stride[word + 1]);
			continue;
		}
		bool pair = function->row->pairs >> word & 1;
		uint64_t mask = pair ? UINT32_MAX : UINT64_MAX;
		for (size_t i = 0; i < function->count; i++)
			encode->values[i] = base[places[i] + word] & mask;
		column_rows_values(to, id, COLUMN_WORD + word, encode->values, function->count);
		if (!pair)
			continue;
		for (size_t i = 0; i < function->count; i++)
			encode->values[i] = base[places[i] + word] >> 32;
		column_rows_values(to, id, COLUMN_HANDLE + word, encode->values, function->count);
	}
}

/* Bytes of calls that have them in an argument word. */
static uint64_t bytes_reported(const struct encode *encode, const struct encode_function *function,
			       const uint32_t *places)
{
	const uint64_t *base = (const uint64_t *)(const void *)encode->lane;
	uint64_t sum = 0;
	for (size_t i = 0; i < function->count; i++) {
		const uint64_t *words = base + places[i];
		if (words[WORD_EXIT] && !(words[WORD_EXIT] & EXIT_FAILED))
			sum = bytes_sum(sum, words[WORD_ARGUMENTS + function->row->bytes_word]);
	}
	return sum;
}

/* Bytes of calls that move the same number each time, except at the end of the file. */
static uint64_t bytes_fixed(const struct encode *encode, const struct encode_function *function,
			    const uint32_t *places)
{
	const uint64_t *base = (const uint64_t *)(const void *)encode->lane;
	uint64_t calls = 0;
	for (size_t i = 0; i < function->count; i++) {
		const uint64_t *words = base + places[i];
		uint64_t exit = words[WORD_EXIT];
		calls += exit && !(exit & EXIT_FAILED) && (int64_t)words[WORD_RESULT] != -1;
	}
	return calls * function->row->bytes_word;
}

static uint64_t bytes_moved(const struct encode *encode, const struct encode_function *function,
			    const uint32_t *places)
{
	const struct call_row *row = function->row;
	const uint64_t *base = (const uint64_t *)(const void *)encode->lane;
	bool times = row->bytes_rule == VARVE_BYTES_RESULT_TIMES;
	uint32_t finished = function_finished(function);
	uint64_t sum = 0;
	if (row->bytes_rule == VARVE_BYTES_NONE || !finished)
		return 0;
	if (row->bytes_rule == VARVE_BYTES_WORD)
		return bytes_reported(encode, function, places);
	if (row->bytes_rule == VARVE_BYTES_FIXED)
		return bytes_fixed(encode, function, places);
	size_t factor = row->bytes_word + 1u;
	if (!function->broken[0] && (function->stride[0] == 0 || finished < 2) &&
	    (!times || (!function->broken[factor] &&
			(function->stride[factor] == 0 || function->count < 2)))) {
		int64_t result = (int64_t)function->first[0];
		uint64_t each =
			result > 0 ? (uint64_t)result * (times ? function->first[factor] : 1) : 0;
		return __builtin_mul_overflow(each, finished, &sum) ? UINT64_MAX : sum;
	}
	for (size_t i = 0; i < function->count; i++) {
		const uint64_t *words = base + places[i];
		int32_t error;
		int64_t result =
			words[WORD_EXIT] ? record_result(words, words[WORD_EXIT] >> 63, &error) : 0;
		if (result > 0)
			sum = bytes_sum(
				sum, (uint64_t)result *
					     (times ? words[WORD_ARGUMENTS + row->bytes_word] : 1));
	}
	return sum;
}

static void put_columns(struct encode *encode, uint8_t *block)
{
	/* The number of rows in the header is not known before the payload is written, so the payload is written behind room
	 * for the largest number. */
	const uint32_t *places = records_group(encode);
	size_t column_rows = 8;
	for (size_t i = 0; i < encode->function_count; i++)
		column_rows += 2 + 2u * encode->functions[i].row->words;
	struct block_header *header = &encode->header;
	size_t fixed = sizeof *header + encode->function_count * sizeof(struct block_summary);
	uint8_t *payload = block + fixed + column_rows * sizeof(struct block_column);
	struct column_rows to = {
		.writer = &encode->writer,
		.rows = (struct block_column *)(void *)(block + fixed),
		.at = payload,
	};
	column_rows_bytes(&to, COLUMN_DEFINITIONS, encode->definitions,
			  (size_t)(encode->definitions_end - encode->definitions), NATURE_TEXT);
	if (encode->count)
		put_structure(encode, &to);
	column_rows_bytes(&to, COLUMN_TIMES, encode->times, encode->count, NATURE_NOISE);
	column_rows_bytes(&to, COLUMN_TIMES_LONG, encode->times_long,
			  (size_t)(encode->times_long_end - encode->times_long), NATURE_TEXT);
	column_rows_values(&to, 0, COLUMN_ORDINALS, encode->ordinals, encode->continued);
	struct block_summary *summary = (struct block_summary *)(void *)(block + sizeof *header);
	for (size_t i = 0; i < encode->function_count; i++) {
		const struct encode_function *function = &encode->functions[i];
		const uint32_t *own = places + function->first_place;
		put_results(encode, &to, function, own);
		put_words(encode, &to, function, own);
		summary[i] = (struct block_summary){
			.function = function->row->id,
			.calls = function->count - function->continued,
			.failures = function->failed,
			.unfinished = (int32_t)(function->unfinished - function->continued),
			.bytes = bytes_moved(encode, function, own),
			.ticks = function->ticks,
		};
	}
	header->codec = CODEC_COLUMNS;
	header->columns = to.count;
	header->records = encode->count;
	header->summaries = (uint32_t)encode->function_count;
	header->header_length = (uint32_t)(fixed + header->columns * sizeof(struct block_column));
	size_t length = (size_t)(to.at - payload);
	memmove(block + header->header_length, payload, length);
	header->length = header->header_length + length;
	block_seal(block, header);
	encode->found->length = header->length;
}

enum varve_status encode_lane(const struct lane *lane, size_t lane_size, struct codec_choice choice,
			      struct lane_clock end, const struct call_row *rows, size_t row_count,
			      void *workspace, uint8_t *output, struct encoded *encoded)
{
	struct encode *encode = workspace;
	if (lane_size < LANE_HEADER || lane_size > UINT32_MAX || lane_size > encode->room)
		return VARVE_LIMIT;
	/* Functions and shapes are initialized when they are first used; only what is read before that is cleared. */
	memset(&encode->lane, 0,
	       offsetof(struct encode, functions) - offsetof(struct encode, lane));
	memset(encode->shape_slot, 0, sizeof encode->shape_slot);
	/* A key that no record has, so that the first guess is always wrong. */
	encode->shapes[0] = (struct encode_shape){.key = UINT32_MAX};
	encode->times_long_end = encode->times_long;
	encode->definitions_end = encode->definitions;
	encoded->length = encoded->records = encoded->fresh = encoded->backward = encoded->gaps =
		encoded->definitions = 0;
	encode->lane = lane;
	encode->lane_size = lane_size;
	encode->rows = rows;
	encode->row_count = row_count;
	encode->found = encoded;
	encode->line = clock_line(lane->begin.counter, lane->begin.monotonic, end.counter,
				  end.monotonic, lane->start_monotonic, lane->resolution);
	encode->header = (struct block_header){
		.type = BLOCK_RECORDS,
		.sequence = lane->generation,
		.process = lane->process,
		.thread = lane->thread,
		.pid = lane->pid,
		.tid = lane->tid,
		.rank = lane->rank,
		.resolution = lane->resolution,
		.first_ordinal = lane->first_ordinal,
		.clock_begin = lane->begin,
		.clock_end = end,
		.clock_kind = lane->clock_kind,
	};
	memcpy(encode->header.run_id, lane->run_id, sizeof lane->run_id);
	if (choice.codec == CODEC_PEEPHOLE)
		encode_peephole(encode, output, choice.window);
	else if (choice.codec != CODEC_ROWS && encode_scan(encode) == VARVE_OK)
		put_columns(encode, output);
	else
		encode_rows(encode, output);
	return VARVE_OK;
}
