/* Codec: the next records of an opened block, as columns. See decode.h.
 *
 * decode.c has checked that the columns are consistent. But another process may change the file meanwhile, so the number of
 * values to take is compared with the number that is left.
 */
#include "codec/host/decode.h"

#include "base/varint.h"

#include <string.h>

enum { TIME_LONG = 255 };

static enum varve_status words_damaged(struct varve_causes *causes, const char *what)
{
	return cause(causes, VARVE_DAMAGED, "damaged block: %s", what);
}

static enum varve_status block_changed(struct varve_causes *causes)
{
	return words_damaged(causes, "it was changed while it was read");
}

static size_t column_left(const struct column_reader *column)
{
	return column ? column->count - column->at : 0;
}

/* Sets the ordinals of rows that are not continued, in a block where they are not consecutive. */
static enum varve_status numbers_take(struct block_reader *reader, const struct record_columns *to,
				      size_t count, size_t fresh, struct varve_causes *causes)
{
	uint64_t *values = reader->decoder->values;
	if (!fresh)
		return VARVE_OK;
	if (fresh > column_left(reader->numbers))
		return block_changed(causes);
	column_take(reader->numbers, fresh, values);
	for (size_t i = 0, next = 0; i < count; i++)
		if (!(to->marks[i] & VARVE_CONTINUED))
			to->ordinal[i] = values[next++];
	return VARVE_OK;
}

/* Whether all values are equal. */
static bool all_same(const uint64_t *values, size_t count)
{
	uint64_t broken = 0;
	for (size_t i = 1; i < count; i++)
		broken |= values[i] ^ values[0];
	return !broken;
}

/* Takes rows of a single shape, none of them continued. */
static void shape_take(struct block_reader *reader, const struct record_columns *to, size_t count,
		       const struct reader_shape *shape)
{
	uint16_t *function_of = reader->decoder->function_of;
	for (size_t i = 0; i < count; i++) {
		to->function[i] = shape->function;
		function_of[i] = (uint16_t)shape->index;
		to->ordinal[i] = reader->fresh + i;
	}
	memset(to->depth, shape->depth, count);
	memset(to->marks, shape->marks, count);
	reader->functions[shape->index].rows = (uint32_t)count;
}

/* Takes rows of any shapes. */
static enum varve_status shapes_take(struct block_reader *reader, const struct record_columns *to,
				     size_t count, const uint64_t *values,
				     struct varve_causes *causes)
{
	uint16_t *function_of = reader->decoder->function_of;
	uint64_t fresh = reader->fresh;
	for (size_t i = 0; i < count; i++) {
		if (values[i] >= reader->shape_count)
			return block_changed(causes);
		const struct reader_shape *shape = &reader->shapes[values[i]];
		to->function[i] = shape->function;
		to->depth[i] = shape->depth;
		to->marks[i] = shape->marks;
		function_of[i] = (uint16_t)shape->index;
		reader->functions[shape->index].rows++;
		if (!(shape->marks & VARVE_CONTINUED))
			to->ordinal[i] = fresh++;
		else if (column_left(reader->ordinals))
			column_take(reader->ordinals, 1, &to->ordinal[i]);
		else
			return block_changed(causes);
	}
	return VARVE_OK;
}

/* Takes function, depth, marks and ordinal of each row, and counts the rows of each function. */
static enum varve_status structure_take(struct block_reader *reader,
					const struct record_columns *to, size_t count,
					struct varve_causes *causes)
{
	uint64_t *values = reader->decoder->values;
	for (size_t i = 0; i < reader->function_count; i++)
		reader->functions[i].rows = 0;
	column_take(reader->structure, count, values);
	size_t fresh = count;
	if (values[0] < reader->shape_count && all_same(values, count) &&
	    !(reader->shapes[values[0]].marks & VARVE_CONTINUED)) {
		shape_take(reader, to, count, &reader->shapes[values[0]]);
	} else {
		size_t left = column_left(reader->ordinals);
		TRY(shapes_take(reader, to, count, values, causes));
		fresh -= left - column_left(reader->ordinals);
	}
	if (reader->header.version == BLOCK_VERSION_PART)
		TRY(numbers_take(reader, to, count, fresh, causes));
	reader->fresh += fresh;
	for (size_t i = 0; i < reader->function_count; i++) {
		struct reader_function *function = &reader->functions[i];
		if (function->rows > function->count)
			return block_changed(causes);
		function->count -= function->rows;
	}
	return VARVE_OK;
}

static enum varve_status times_take(struct block_reader *reader, const struct record_columns *to,
				    size_t count, struct varve_causes *causes)
{
	const uint8_t *bytes = column_bytes(reader->times);
	uint8_t constant = (uint8_t)reader->times->value;
	if (bytes)
		bytes += reader->times->at;
	reader->times->at += count;
	int64_t last_entry = reader->last_entry, last_exit = reader->last_exit;
	unsigned last_depth = reader->last_depth;
	for (size_t i = 0; i < count; i++) {
		uint8_t time = bytes ? bytes[i] : constant;
		uint64_t gap = time >> 5, duration = time & 31;
		unsigned depth = to->depth[i];
		if (time == TIME_LONG) {
			if (!varint_get(&reader->long_at, reader->long_end, &gap) ||
			    !varint_get(&reader->long_at, reader->long_end, &duration))
				return words_damaged(causes, "its long times are truncated");
			gap = (uint64_t)unzigzag(gap);
			duration = (uint64_t)unzigzag(duration);
		}
		int64_t from = last_depth >= depth ? last_exit : last_entry;
		last_entry = (int64_t)((uint64_t)from + gap);
		last_exit = (int64_t)((uint64_t)last_entry + duration);
		last_depth = depth;
		to->entry[i] = last_entry;
		to->exit[i] = last_exit;
	}
	reader->last_entry = last_entry;
	reader->last_exit = last_exit;
	reader->last_depth = last_depth;
	if (reader->at + count == reader->count && reader->long_at != reader->long_end)
		return words_damaged(causes, "long times are left over");
	return VARVE_OK;
}

/* Groups the rows by function, in order: the rows of one function are adjacent in decoder->row. */
static void rows_group(struct block_reader *reader, size_t count)
{
	struct decoder *decoder = reader->decoder;
	uint32_t next = 0;
	for (size_t i = 0; i < reader->function_count; i++) {
		reader->functions[i].first = next;
		next += reader->functions[i].rows;
	}
	if (reader->functions[decoder->function_of[0]].rows == count) {
		for (size_t i = 0; i < count; i++)
			decoder->row[i] = (uint16_t)i;
		return;
	}
	for (size_t i = 0; i < count; i++)
		decoder->row[reader->functions[decoder->function_of[i]].first++] = (uint16_t)i;
	for (size_t i = 0; i < reader->function_count; i++)
		reader->functions[i].first -= reader->functions[i].rows;
}

/* Takes the results of the rows of a function that returned, and the errors of those that failed. */
static enum varve_status outcome_take(struct block_reader *reader,
				      const struct reader_function *function,
				      const struct record_columns *to, struct varve_causes *causes)
{
	const uint16_t *rows = reader->decoder->row + function->first;
	uint64_t *values = reader->decoder->values;
	size_t finished = 0, failed = 0;
	if (function->well && function->rows <= column_left(function->result)) {
		column_take(function->result, function->rows, values);
		for (uint32_t i = 0; i < function->rows; i++) {
			to->error[rows[i]] = 0;
			to->result[rows[i]] = (int64_t)values[i];
		}
		return VARVE_OK;
	}
	for (uint32_t i = 0; i < function->rows; i++) {
		finished += !(to->marks[rows[i]] & VARVE_UNFINISHED);
		failed += !!(to->marks[rows[i]] & VARVE_FAILED);
	}
	if (finished > column_left(function->result) || failed > column_left(function->error))
		return block_changed(causes);
	if (finished)
		column_take(function->result, finished, values);
	for (uint32_t i = 0, next = 0; i < function->rows; i++) {
		uint16_t row = rows[i];
		to->error[row] = 0;
		to->result[row] = to->marks[row] & VARVE_UNFINISHED ? 0 : (int64_t)values[next++];
	}
	if (!failed)
		return VARVE_OK;
	column_take(function->error, failed, values);
	for (uint32_t i = 0, next = 0; i < function->rows; i++)
		if (to->marks[rows[i]] & VARVE_FAILED)
			to->error[rows[i]] = (int32_t)values[next++];
	return VARVE_OK;
}

/* Writes `values`, or the same value each time (`again`), to a word of the rows of a function. */
static void word_put(const struct reader_function *function, const uint16_t *rows,
		     const struct record_columns *to, unsigned word, const uint64_t *values,
		     bool again)
{
	uint64_t *words = to->words + word;
	for (uint32_t i = 0; i < function->rows; i++)
		words[to->word_at[rows[i]]] = values[again ? 0 : i];
}

/* Takes one argument word of each row of the function. */
static void word_take(struct block_reader *reader, const struct reader_function *function,
		      unsigned word, const struct record_columns *to)
{
	const uint16_t *rows = reader->decoder->row + function->first;
	uint64_t *values = reader->decoder->values;
	uint32_t count = function->rows;
	uint64_t *words = to->words + word;
	struct column_reader *column = function->word[word], *handle = function->handle[word];
	bool again = column_constant(column);
	if (again && handle && column_constant(handle)) {
		uint64_t pair = (column->value & UINT32_MAX) | handle->value << 32;
		word_put(function, rows, to, word, &pair, true);
		return;
	}
	if (!again)
		column_take(column, count, values);
	word_put(function, rows, to, word, again ? &column->value : values, again);
	if (!handle)
		return;
	column_take(handle, count, values);
	for (uint32_t i = 0; i < count; i++) {
		uint64_t *pair = &words[to->word_at[rows[i]]];
		*pair = (*pair & UINT32_MAX) | values[i] << 32;
	}
}

static void words_take(struct block_reader *reader, const struct record_columns *to, size_t count)
{
	uint32_t next = 0;
	for (size_t i = 0; i < count; i++) {
		uint8_t words = reader->functions[reader->decoder->function_of[i]].words;
		to->word_at[i] = next;
		to->word_count[i] = words;
		next += words;
	}
	for (size_t i = 0; i < reader->function_count; i++)
		for (unsigned word = 0;
		     reader->functions[i].rows && word < reader->functions[i].words; word++)
			if (reader->functions[i].some >> word & 1)
				word_take(reader, &reader->functions[i], word, to);
}

enum varve_status block_reader_take(struct block_reader *reader, const struct record_columns *to,
				    size_t *count, struct varve_causes *causes)
{
	size_t most = *count < TAKE_MOST ? *count : TAKE_MOST;
	size_t left = reader->count - reader->at;
	*count = left < most ? left : most;
	if (!*count)
		return VARVE_OK;
	if (reader->source) {
		TRY(reader->source->take(reader->context, to, *count, causes));
	} else if (reader->header.codec == CODEC_ROWS) {
		TRY(rows_take(reader, to, *count, causes));
	} else if (reader->header.codec == CODEC_PEEPHOLE) {
		TRY(peephole_take(reader, to, *count, causes));
	} else {
		TRY(structure_take(reader, to, *count, causes));
		if (reader->want & WANT_TIMES)
			TRY(times_take(reader, to, *count, causes));
		if (reader->want & (WANT_RESULTS | WANT_WORDS))
			rows_group(reader, *count);
		if (reader->want & WANT_WORDS)
			words_take(reader, to, *count);
		for (size_t i = 0; (reader->want & WANT_RESULTS) && i < reader->function_count; i++)
			if (reader->functions[i].rows && (reader->functions[i].some & WANT_OUTCOME))
				TRY(outcome_take(reader, &reader->functions[i], to, causes));
	}
	reader->at += *count;
	return VARVE_OK;
}

void record_rows_get(const struct record_rows *rows, size_t at, struct record *record)
{
	*record = (struct record){.function = rows->function[at],
				  .depth = rows->depth[at],
				  .marks = rows->marks[at],
				  .error = rows->error[at],
				  .ordinal = rows->ordinal[at],
				  .entry = rows->entry[at],
				  .exit = rows->exit[at],
				  .result = rows->result[at],
				  .words = rows->word_count[at]};
	memcpy(record->word, rows->words + rows->word_at[at], record->words * sizeof *record->word);
}
