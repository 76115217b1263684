/* Codec: opening a block: finds its columns and checks that they are consistent. See decode.h.
 *
 * The structure column holds the shape of each record. From it follows how many values the columns of each function must have;
 * this is checked here, so that taking records (decode_take.c) finds what it needs.
 */
#include "codec/host/decode.h"

#include "base/varint.h"

#include <stdlib.h>
#include <string.h>

static enum varve_status decode_damaged(struct varve_causes *causes, const char *what)
{
	return cause(causes, VARVE_DAMAGED, "damaged block: %s", what);
}

static enum varve_status decode_no_memory(struct varve_causes *causes)
{
	return cause(causes, VARVE_NO_MEMORY, "no memory to decode a block");
}

void decoder_clear(struct decoder *decoder)
{
	column_decoder_clear(&decoder->columns);
	free(decoder->function_at);
	free(decoder->values);
	free(decoder->row);
	free(decoder->function_of);
	*decoder = (struct decoder){0};
}

enum varve_status decoder_hold(struct decoder *decoder, size_t size, struct varve_causes *causes)
{
	if (decoder->limit && size > decoder->limit - decoder->held)
		return cause(causes, VARVE_LIMIT,
			     "the blocks of this time need more than %zu MiB of memory together; "
			     "read one stream after the other (--by-stream)",
			     decoder->limit >> 20);
	decoder->held += size;
	return VARVE_OK;
}

/* Allocates memory for blocks with the functions of these rows. */
static enum varve_status decoder_start(struct decoder *decoder, const struct call_row *rows,
				       size_t row_count, struct varve_causes *causes)
{
	size_t id_count = row_count ? rows[row_count - 1].id + 1u : 1;
	if (decoder->function_of && decoder->id_count >= id_count)
		return VARVE_OK;
	const struct decoder before = *decoder;
	decoder_clear(decoder);
	decoder->limit = before.limit;
	decoder->held = before.held;
	decoder->id_count = id_count;
	decoder->function_at = calloc(id_count, sizeof *decoder->function_at);
	decoder->values = malloc(TAKE_MOST * sizeof *decoder->values);
	decoder->row = malloc(TAKE_MOST * sizeof *decoder->row);
	decoder->function_of = malloc(TAKE_MOST * sizeof *decoder->function_of);
	if (decoder->function_at && decoder->values && decoder->row && decoder->function_of)
		return VARVE_OK;
	decoder_clear(decoder);
	return decode_no_memory(causes);
}

/* Zeroed memory within the budget. */
void *reader_memory(struct block_reader *reader, size_t count, size_t size)
{
	reader->over = count > reader->budget / size;
	if (reader->over)
		return NULL;
	reader->budget -= count * size;
	return calloc(count + 1, size);
}

enum varve_status reader_short(const struct block_reader *reader, struct varve_causes *causes)
{
	return reader->over ? decode_damaged(causes, "it is too large to have been recorded")
			    : decode_no_memory(causes);
}

static struct reader_function *function_find(struct block_reader *reader, uint16_t id)
{
	uint32_t place = id < reader->decoder->id_count ? reader->decoder->function_at[id] : 0;
	return place ? &reader->functions[place - 1] : NULL;
}

/* Reads the shapes, and the functions in them. */
static enum varve_status shapes_read(struct block_reader *reader, const struct call_row *rows,
				     size_t row_count, struct varve_causes *causes)
{
	struct block_column row;
	const uint8_t *stored, *bytes = NULL;
	uint8_t *memory;
	if (!block_column_find(reader->bytes, &reader->header, COLUMN_SHAPES, &row, &stored) ||
	    row.encoding != ENCODING_BYTES || row.count % 4 || row.count / 4 > reader->count)
		return decode_damaged(causes, "it has no shapes");
	size_t count = row.count / 4;
	TRY(block_bytes(reader->decoder, &row, stored, &reader->budget, &bytes, &memory, causes));
	enum varve_status status = VARVE_OK;
	size_t functions = count < row_count ? count : row_count;
	reader->shapes = reader_memory(reader, count, sizeof *reader->shapes);
	if (reader->shapes)
		reader->functions = reader_memory(reader, functions, sizeof *reader->functions);
	if (!reader->shapes || !reader->functions)
		status = reader_short(reader, causes);
	for (size_t i = 0; status == VARVE_OK && i < count; i++) {
		struct reader_shape *shape = &reader->shapes[i];
		memcpy(&shape->function, bytes + i * 4, sizeof shape->function);
		shape->depth = bytes[i * 4 + 2];
		shape->marks = bytes[i * 4 + 3];
		if (!function_find(reader, shape->function)) {
			const struct call_row *known =
				call_row_find(rows, row_count, shape->function);
			if (!known || known->words > RECORD_ARGUMENTS_MOST) {
				status = decode_damaged(
					causes, "it contains a function that is not in its tables");
				break;
			}
			reader->functions[reader->function_count++] = (struct reader_function){
				.id = known->id,
				.words = known->words,
				.some = reader->some ? reader->some[known->id]
						     : WANT_WORDS_OF | WANT_OUTCOME};
			reader->decoder->function_at[known->id] = (uint32_t)reader->function_count;
		}
		shape->index = reader->decoder->function_at[shape->function] - 1;
	}
	reader->shape_count = count;
	free(memory);
	return status;
}

/* Counts the records of each function: its columns must have that many values. */
static enum varve_status structure_count(struct block_reader *reader, size_t continued,
					 struct varve_causes *causes)
{
	struct column_reader structure = *reader->structure;
	uint64_t *values = reader->decoder->values;
	size_t seen = 0;
	for (size_t left = reader->count; left;) {
		size_t count = left < TAKE_MOST ? left : TAKE_MOST;
		column_take(&structure, count, values);
		left -= count;
		for (size_t i = 0; i < count; i++) {
			if (values[i] >= reader->shape_count)
				return decode_damaged(causes, "a record has no shape");
			reader->shapes[values[i]].count++;
		}
	}
	for (size_t i = 0; i < reader->shape_count; i++) {
		const struct reader_shape *shape = &reader->shapes[i];
		struct reader_function *function = &reader->functions[shape->index];
		function->count += shape->count;
		function->finished += shape->marks & VARVE_UNFINISHED ? 0 : shape->count;
		function->failed += shape->marks & VARVE_FAILED ? shape->count : 0;
		seen += shape->marks & VARVE_CONTINUED ? shape->count : 0;
	}
	if (seen > continued)
		return decode_damaged(causes, "a continued call has no number");
	if (seen < continued)
		return decode_damaged(causes, "it numbers more continued calls than it has");
	if (reader->header.version == BLOCK_VERSION_PART &&
	    reader->count - seen != (reader->numbers ? reader->numbers->count : 0))
		return decode_damaged(causes, "it numbers more or fewer calls than it has");
	return VARVE_OK;
}

/* The place of a function's column, how many values it must have, the part of records that it belongs to (`want`), and whether
 * the caller needs it for this function (`some`); false: no such column. */
static bool column_place(struct reader_function *function, unsigned column,
			 struct column_reader ***place, uint32_t *count, unsigned *want, bool *some)
{
	*want = WANT_RESULTS;
	*some = function->some & WANT_OUTCOME;
	if (column == COLUMN_RESULT) {
		*place = &function->result;
		*count = function->finished;
		return true;
	}
	if (column == COLUMN_ERROR) {
		*place = &function->error;
		*count = function->failed;
		return true;
	}
	bool handle = column >= COLUMN_HANDLE;
	unsigned word = column - (handle ? (unsigned)COLUMN_HANDLE : (unsigned)COLUMN_WORD);
	if (column < COLUMN_WORD || word >= function->words)
		return false;
	*want = WANT_WORDS;
	*some = function->some >> word & 1;
	*place = handle ? &function->handle[word] : &function->word[word];
	*count = function->count;
	return true;
}

static enum varve_status slots_make(struct block_reader *reader, struct varve_causes *causes)
{
	size_t slots = 0;
	for (size_t i = 0; i < reader->function_count; i++)
		slots += 2u * reader->functions[i].words;
	reader->slots = reader_memory(reader, slots, sizeof *reader->slots);
	if (!reader->slots)
		return reader_short(reader, causes);
	struct column_reader **next = reader->slots;
	for (size_t i = 0; i < reader->function_count; i++) {
		struct reader_function *function = &reader->functions[i];
		function->word = next;
		function->handle = next + function->words;
		next += 2u * function->words;
	}
	return VARVE_OK;
}

/* A column of the header, and where its bytes are. open_any() has checked that they are inside the block. */
struct column_walk {
	uint32_t next;
	size_t end;
	struct block_column row;
	const uint8_t *stored;
};

/* The next column of a function, or of the whole block; false: none left. */
static bool walk_on(const struct block_reader *reader, struct column_walk *walk, bool of_functions)
{
	if (!walk->end)
		walk->end = reader->header.header_length;
	while (walk->next < reader->header.columns) {
		walk->row = block_column_at(reader->bytes, &reader->header, walk->next++);
		walk->stored = reader->bytes + walk->end;
		walk->end += walk->row.stored;
		if ((walk->row.function != 0) == of_functions)
			return true;
	}
	return false;
}

static enum varve_status column_start(struct block_reader *reader, const struct column_walk *walk,
				      struct column_reader **place, struct varve_causes *causes)
{
	struct column_reader *column = &reader->columns[walk->next - 1];
	TRY(column_open(column, &reader->decoder->columns, (enum column_encoding)walk->row.encoding,
			walk->stored, walk->row.stored, walk->row.count, &reader->budget, causes));
	*place = column;
	return VARVE_OK;
}

/* Opens the requested columns of functions. A column that occurs twice is damage. */
static enum varve_status columns_open(struct block_reader *reader, struct varve_causes *causes)
{
	for (struct column_walk walk = {0}; walk_on(reader, &walk, true);) {
		struct reader_function *function = function_find(reader, walk.row.function);
		struct column_reader **place;
		uint32_t count;
		unsigned want;
		bool some;
		if (!function)
			return decode_damaged(causes, "a column of a function without records");
		if (!column_place(function, walk.row.column, &place, &count, &want, &some))
			return decode_damaged(causes, "a column of an unknown number");
		if (!(reader->want & want) || !some)
			continue;
		if (walk.row.count != count)
			return decode_damaged(causes, "a column has a wrong number of values");
		if (*place)
			return decode_damaged(causes, "a column occurs twice");
		TRY(column_start(reader, &walk, place, causes));
	}
	for (size_t i = 0; i < reader->function_count; i++) {
		struct reader_function *function = &reader->functions[i];
		function->well = function->finished == function->count && !function->failed;
		bool whole = !(reader->want & WANT_RESULTS) || !(function->some & WANT_OUTCOME) ||
			     ((!function->finished || function->result) &&
			      (!function->failed || function->error));
		for (unsigned word = 0; (reader->want & WANT_WORDS) && word < function->words;
		     word++)
			whole = whole && (function->word[word] || !(function->some >> word & 1));
		if (!whole)
			return decode_damaged(causes, "a column is missing");
	}
	return VARVE_OK;
}

/* Long times are bytes, decoded when they are needed. */
static enum varve_status long_open(struct block_reader *reader, const struct column_walk *walk,
				   struct varve_causes *causes)
{
	struct column_reader *place;
	uint32_t count = walk->row.count;
	if (walk->row.encoding != ENCODING_BYTES)
		return decode_damaged(causes, "long times in another encoding");
	if (count > reader->count * 2 * VARINT_MOST)
		return decode_damaged(causes, "its long times are too many");
	TRY(column_start(reader, walk, &place, causes));
	if (!column_bytes(place)) {
		/* The same byte throughout: expand it. */
		place->memory = reader_memory(reader, count, 1);
		if (!place->memory)
			return reader_short(reader, causes);
		memset(place->memory, (int)place->value, count);
	}
	reader->long_at = column_bytes(place) ? column_bytes(place) : place->memory;
	reader->long_end = reader->long_at + count;
	return VARVE_OK;
}

/* Opens the columns of the whole block, except shapes and definitions. */
static enum varve_status frame_open(struct block_reader *reader, struct varve_causes *causes)
{
	bool part = reader->header.version == BLOCK_VERSION_PART;
	for (struct column_walk walk = {0}; walk_on(reader, &walk, false);) {
		unsigned column = walk.row.column;
		bool times = column == COLUMN_TIMES || column == COLUMN_TIMES_LONG;
		struct column_reader **place = column == COLUMN_STRUCTURE  ? &reader->structure
					       : column == COLUMN_TIMES	   ? &reader->times
					       : column == COLUMN_ORDINALS ? &reader->ordinals
					       : part && column == COLUMN_NUMBERS ? &reader->numbers
										  : NULL;
		bool some = column == COLUMN_ORDINALS || column == COLUMN_NUMBERS;
		if ((times && !(reader->want & WANT_TIMES)) ||
		    (!place && column != COLUMN_TIMES_LONG))
			continue;
		if (place ? *place != NULL : reader->long_at != NULL)
			return decode_damaged(causes, "a column occurs twice");
		if (!place) {
			TRY(long_open(reader, &walk, causes));
			continue;
		}
		if (column == COLUMN_TIMES && walk.row.encoding != ENCODING_BYTES)
			return decode_damaged(causes, "times in another encoding");
		if (column == COLUMN_ORDINALS && walk.row.count > CONTINUED_MOST)
			return decode_damaged(causes, "it continues more calls than can be open");
		if (some ? walk.row.count > reader->count : walk.row.count != reader->count)
			return decode_damaged(causes, "a column has a wrong number of values");
		TRY(column_start(reader, &walk, place, causes));
	}
	if (!reader->structure)
		return decode_damaged(causes, "it has no structure");
	if ((reader->want & WANT_TIMES) && !reader->times)
		return decode_damaged(causes, "it has no times");
	return VARVE_OK;
}

static enum varve_status open_columns(struct block_reader *reader, const struct call_row *rows,
				      size_t row_count, struct varve_causes *causes)
{
	if (!reader->count)
		return VARVE_OK;
	TRY(shapes_read(reader, rows, row_count, causes));
	TRY(frame_open(reader, causes));
	TRY(structure_count(reader, reader->ordinals ? reader->ordinals->count : 0, causes));
	if (!(reader->want & (WANT_RESULTS | WANT_WORDS)))
		return VARVE_OK;
	TRY(slots_make(reader, causes));
	return columns_open(reader, causes);
}

static enum varve_status open_any(struct block_reader *reader, const struct call_row *rows,
				  size_t row_count, struct varve_causes *causes)
{
	const struct block_header *header = &reader->header;
	if (header->records > BLOCK_RECORDS_MOST)
		return decode_damaged(causes, "its number of records is too large for a block");
	reader->count = (size_t)header->records;
	reader->fresh = header->first_ordinal;
	size_t at = header->header_length;
	for (uint32_t i = 0; i < header->columns; i++) {
		struct block_column row = block_column_at(reader->bytes, header, i);
		if (row.stored > header->length - at)
			return decode_damaged(causes, "a column extends beyond its end");
		at += row.stored;
	}
	reader->columns = reader_memory(reader, header->columns, sizeof *reader->columns);
	if (!reader->columns)
		return reader_short(reader, causes);
	if (header->codec == CODEC_COLUMNS)
		return open_columns(reader, rows, row_count, causes);
	if (header->codec == CODEC_ROWS)
		return rows_open(reader, causes);
	if (header->codec == CODEC_PEEPHOLE && header->version >= BLOCK_VERSION_PEEPHOLE)
		return peephole_open(reader, causes);
	return decode_damaged(causes, "an unknown codec");
}

enum varve_status block_reader_open_some(struct block_reader *reader, struct decoder *decoder,
					 const uint8_t *bytes, const struct block_header *header,
					 const struct call_row *rows, size_t row_count,
					 unsigned want, const uint32_t *some,
					 struct varve_causes *causes)
{
	*reader = (struct block_reader){.decoder = decoder,
					.bytes = bytes,
					.header = *header,
					.want = want,
					.some = some,
					.budget = DECODE_BUDGET(header->length)};
	TRY(decoder_start(decoder, rows, row_count, causes));
	enum varve_status status = open_any(reader, rows, row_count, causes);
	for (size_t i = 0; i < reader->function_count; i++)
		decoder->function_at[reader->functions[i].id] = 0;
	size_t size = DECODE_BUDGET(header->length) - reader->budget;
	if (status == VARVE_OK)
		status = decoder_hold(decoder, size, causes);
	if (status == VARVE_OK)
		reader->held = size;
	if (status != VARVE_OK)
		block_reader_close(reader);
	return status;
}

enum varve_status block_reader_open(struct block_reader *reader, struct decoder *decoder,
				    const uint8_t *bytes, const struct block_header *header,
				    const struct call_row *rows, size_t row_count, unsigned want,
				    struct varve_causes *causes)
{
	return block_reader_open_some(reader, decoder, bytes, header, rows, row_count, want, NULL,
				      causes);
}

void block_reader_shift(struct block_reader *reader, int64_t ticks)
{
	/* Times are stored as differences between records, so it is enough to change the starting values. */
	reader->last_entry = reader->last_exit = reader->shift = ticks;
}

void block_reader_close(struct block_reader *reader)
{
	if (reader->source)
		reader->source->close(reader->context);
	for (uint32_t i = 0; reader->columns && i < reader->header.columns; i++)
		column_close(&reader->columns[i]);
	peephole_close(reader);
	free(reader->columns);
	free(reader->shapes);
	free(reader->functions);
	free(reader->slots);
	if (reader->held)
		reader->decoder->held -= reader->held;
	*reader = (struct block_reader){0};
}
