/* Codec: a block of columns back to records. See decode.h.
 *
 * The structure column says which shape each record has; from it follows how many values each function's columns must
 * have, and that is checked before they are read.
 */
#include "codec/decode.h"

#include "base/varint.h"
#include "codec/column.h"

#include <stdlib.h>
#include <string.h>

enum { TIME_LONG = 255 };

/* The status is not handed through cause(): who reads this file alone, as the analyzer does, sees that it is not OK. */
static enum status damaged(struct varve_causes *causes, const char *what)
{
	cause(causes, STATUS_DAMAGED, "a block is damaged: %s", what);
	return STATUS_DAMAGED;
}

static enum status no_memory(struct varve_causes *causes)
{
	cause(causes, STATUS_NO_MEMORY, "no memory to decode a block");
	return STATUS_NO_MEMORY;
}

/* Where the bytes of each column are; `found` is indexed like the header's rows. */
struct parts {
	const uint8_t *bytes;
	const struct block_header *header;
	size_t *offset;
};

static enum status parts_find(struct parts *parts, struct varve_causes *causes)
{
	size_t at = parts->header->header_length;
	for (uint32_t i = 0; i < parts->header->columns; i++) {
		struct block_column row = block_column_at(parts->bytes, parts->header, i);
		if (row.stored > parts->header->length - at)
			return damaged(causes, "a column goes beyond it");
		parts->offset[i] = at;
		at += row.stored;
	}
	return STATUS_OK;
}

/* The column of the whole block with this number; false when there is none. */
static bool part_find(const struct parts *parts, unsigned column, struct block_column *row,
		      const uint8_t **stored)
{
	for (uint32_t i = 0; i < parts->header->columns; i++) {
		*row = block_column_at(parts->bytes, parts->header, i);
		if (row->function == 0 && row->column == column) {
			*stored = parts->bytes + parts->offset[i];
			return true;
		}
	}
	return false;
}

/* Values of a stored column, in memory of their own. */
static enum status values_read(const uint8_t *stored, const struct block_column *row, size_t count,
			       uint64_t **values, struct varve_causes *causes)
{
	if (row->count != count)
		return damaged(causes, "a column has another number of values than records need");
	free(*values);
	*values = malloc(count * (sizeof **values + 1) + 1);
	if (!*values)
		return no_memory(causes);
	return column_get((enum column_encoding)row->encoding, stored, row->stored, count, *values,
			  causes);
}

static enum status shapes_read(const struct parts *parts, const struct call_row *rows,
			       size_t row_count, struct batch *batch, struct varve_causes *causes)
{
	struct block_column row;
	const uint8_t *stored;
	if (!part_find(parts, COLUMN_SHAPES, &row, &stored) || row.encoding != ENCODING_BYTES ||
	    row.count % 4 || row.count / 4 > batch->count)
		return damaged(causes, "it has no shapes");
	size_t count = row.count / 4;
	uint8_t *bytes = malloc(row.count + 1);
	batch->shapes = calloc(count + 1, sizeof *batch->shapes);
	batch->functions = calloc(count + 1, sizeof *batch->functions);
	if (!bytes || !batch->shapes || !batch->functions) {
		free(bytes);
		return no_memory(causes);
	}
	enum status status = column_get_bytes(stored, row.stored, row.count, bytes, causes);
	for (size_t i = 0; i < count && status == STATUS_OK; i++) {
		struct batch_shape *shape = &batch->shapes[i];
		memcpy(&shape->function, bytes + i * 4, sizeof shape->function);
		shape->depth = bytes[i * 4 + 2];
		shape->marks = bytes[i * 4 + 3];
		size_t index = 0;
		while (index < batch->function_count &&
		       batch->functions[index].id != shape->function)
			index++;
		shape->index = (uint32_t)index;
		if (index < batch->function_count)
			continue;
		const struct call_row *known = call_row_find(rows, row_count, shape->function);
		if (!known || known->words > RECORD_ARGUMENTS_MOST)
			status = damaged(causes, "it holds a function that its tables do not name");
		else
			batch->functions[batch->function_count++] =
				(struct batch_function){.id = known->id, .words = known->words};
	}
	free(bytes);
	batch->shape_count = count;
	return status;
}

/* The structure: each record's shape, its place in its function's columns, its ordinal. */
static enum status structure_read(const struct parts *parts, struct batch *batch,
				  struct varve_causes *causes)
{
	struct block_column row;
	const uint8_t *stored;
	uint64_t *continued = NULL;
	size_t continued_count = 0, continued_seen = 0;
	if (!part_find(parts, COLUMN_STRUCTURE, &row, &stored))
		return damaged(causes, "it has no structure");
	TRY(values_read(stored, &row, batch->count, &batch->shape_of, causes));
	batch->place = calloc(batch->count + 1, sizeof *batch->place);
	batch->ordinal = calloc(batch->count + 1, sizeof *batch->ordinal);
	if (!batch->place || !batch->ordinal)
		return no_memory(causes);
	if (part_find(parts, COLUMN_ORDINALS, &row, &stored)) {
		if (row.count > batch->count)
			return damaged(causes, "it continues more calls than it has");
		continued_count = row.count;
		enum status status = values_read(stored, &row, continued_count, &continued, causes);
		if (status != STATUS_OK) {
			free(continued);
			return status;
		}
	}
	uint64_t fresh = batch->header.first_ordinal;
	enum status status = STATUS_OK;
	for (size_t i = 0; i < batch->count && status == STATUS_OK; i++) {
		uint64_t at = batch->shape_of[i];
		if (at >= batch->shape_count) {
			status = damaged(causes, "a record has no shape");
			break;
		}
		const struct batch_shape *shape = &batch->shapes[at];
		struct batch_function *function = &batch->functions[shape->index];
		batch->place[i] = (struct batch_place){function->count++, function->finished,
						       function->failed};
		function->finished += !(shape->marks & RECORD_UNFINISHED);
		function->failed += !!(shape->marks & RECORD_FAILED);
		if (!(shape->marks & RECORD_CONTINUED))
			batch->ordinal[i] = fresh++;
		else if (continued_seen < continued_count)
			batch->ordinal[i] = continued[continued_seen++];
		else
			status = damaged(causes, "a continued call has no number");
	}
	free(continued);
	if (status == STATUS_OK && continued_seen != continued_count)
		status = damaged(causes, "it numbers more continued calls than it has");
	return status;
}

static enum status times_read(const struct parts *parts, struct batch *batch,
			      struct varve_causes *causes)
{
	struct block_column row;
	const uint8_t *stored;
	if (!part_find(parts, COLUMN_TIMES, &row, &stored) || row.count != batch->count ||
	    row.encoding != ENCODING_BYTES)
		return damaged(causes, "it has no times");
	uint8_t *times = malloc(batch->count + 1), *longs = NULL;
	batch->entry = malloc((batch->count + 1) * sizeof *batch->entry);
	batch->exit = malloc((batch->count + 1) * sizeof *batch->exit);
	enum status status =
		times && batch->entry && batch->exit
			? column_get_bytes(stored, row.stored, batch->count, times, causes)
			: no_memory(causes);
	size_t long_size = 0;
	if (status == STATUS_OK && part_find(parts, COLUMN_TIMES_LONG, &row, &stored)) {
		long_size = row.count;
		/* Two varints for each record are the most there can be. */
		if (row.encoding != ENCODING_BYTES || long_size > batch->count * 2 * VARINT_MOST)
			status = damaged(causes, "its long times are too many");
		else if (!(longs = malloc(long_size + 1)))
			status = no_memory(causes);
		else
			status = column_get_bytes(stored, row.stored, long_size, longs, causes);
	}
	const uint8_t *at = longs, *end = longs + long_size;
	int64_t last_entry = 0, last_exit = 0;
	unsigned last_depth = 0;
	for (size_t i = 0; i < batch->count && status == STATUS_OK; i++) {
		uint64_t gap = times[i] >> 5, duration = times[i] & 31;
		unsigned depth = batch->shapes[batch->shape_of[i]].depth;
		if (times[i] == TIME_LONG) {
			if (!longs || !varint_get(&at, end, &gap) ||
			    !varint_get(&at, end, &duration)) {
				status = damaged(causes, "its long times are cut short");
				break;
			}
			gap = (uint64_t)unzigzag(gap);
			duration = (uint64_t)unzigzag(duration);
		}
		int64_t from = last_depth >= depth ? last_exit : last_entry;
		last_entry = (int64_t)((uint64_t)from + gap);
		last_exit = (int64_t)((uint64_t)last_entry + duration);
		last_depth = depth;
		batch->entry[i] = last_entry;
		batch->exit[i] = last_exit;
	}
	if (status == STATUS_OK && at != end)
		status = damaged(causes, "long times are left over");
	free(times);
	free(longs);
	return status;
}

/* Joins the handles into the descriptors of a pair. */
static enum status handles_read(const uint8_t *stored, const struct block_column *row,
				struct batch_function *function, unsigned word,
				struct varve_causes *causes)
{
	uint64_t *handles = NULL;
	enum status status = function->word[word]
				     ? values_read(stored, row, function->count, &handles, causes)
				     : damaged(causes, "a handle has no descriptor");
	for (size_t i = 0; i < function->count && status == STATUS_OK; i++)
		function->word[word][i] = (function->word[word][i] & UINT32_MAX) | handles[i] << 32;
	free(handles);
	return status;
}

static enum status columns_read(const struct parts *parts, struct batch *batch,
				struct varve_causes *causes)
{
	for (uint32_t i = 0; i < parts->header->columns; i++) {
		struct block_column row = block_column_at(parts->bytes, parts->header, i);
		const uint8_t *stored = parts->bytes + parts->offset[i];
		if (row.function == 0)
			continue;
		struct batch_function *function = NULL;
		for (size_t at = 0; at < batch->function_count && !function; at++)
			if (batch->functions[at].id == row.function)
				function = &batch->functions[at];
		if (!function)
			return damaged(causes, "a column belongs to no function");
		unsigned column = row.column;
		if (column == COLUMN_RESULT || column == COLUMN_ERROR) {
			bool error = column == COLUMN_ERROR;
			if (batch->want & WANT_RESULTS)
				TRY(values_read(
					stored, &row, error ? function->failed : function->finished,
					error ? &function->error : &function->result, causes));
		} else if (column >= COLUMN_WORD && column < COLUMN_WORD + function->words) {
			if (batch->want & WANT_WORDS)
				TRY(values_read(stored, &row, function->count,
						&function->word[column - COLUMN_WORD], causes));
		} else if (column >= COLUMN_HANDLE && column < COLUMN_HANDLE + function->words) {
			if (batch->want & WANT_WORDS)
				TRY(handles_read(stored, &row, function, column - COLUMN_HANDLE,
						 causes));
		} else {
			return damaged(causes, "a column of an unknown number");
		}
	}
	for (size_t at = 0; at < batch->function_count; at++) {
		struct batch_function *function = &batch->functions[at];
		bool whole = true;
		if (batch->want & WANT_RESULTS)
			whole = (!function->finished || function->result) &&
				(!function->failed || function->error);
		for (uint32_t word = 0; (batch->want & WANT_WORDS) && word < function->words;
		     word++)
			whole = whole && function->word[word];
		if (!whole)
			return damaged(causes, "a column is missing");
	}
	return STATUS_OK;
}

static enum status decode_columns(const struct parts *parts, const struct call_row *rows,
				  size_t row_count, struct batch *batch,
				  struct varve_causes *causes)
{
	if (!batch->count)
		return STATUS_OK;
	TRY(shapes_read(parts, rows, row_count, batch, causes));
	TRY(structure_read(parts, batch, causes));
	if (batch->want & WANT_TIMES)
		TRY(times_read(parts, batch, causes));
	if (batch->want & (WANT_RESULTS | WANT_WORDS))
		TRY(columns_read(parts, batch, causes));
	return STATUS_OK;
}

static enum status decode_parts(struct parts *parts, const struct call_row *rows, size_t row_count,
				struct batch *batch, struct varve_causes *causes)
{
	struct block_column row;
	const uint8_t *stored;
	TRY(parts_find(parts, causes));
	if (batch->header.records > BLOCK_RECORDS_MOST)
		return damaged(causes, "it claims more records than a block can hold");
	batch->count = (size_t)batch->header.records;
	if (batch->header.codec == CODEC_COLUMNS)
		TRY(decode_columns(parts, rows, row_count, batch, causes));
	else if (batch->header.codec != CODEC_BINARY)
		return damaged(causes, "an unknown codec");
	else if (!part_find(parts, COLUMN_ROWS, &row, &stored))
		return damaged(causes, "it has no records");
	else
		TRY(decode_binary(stored, &row, batch, causes));
	if (!(batch->want & WANT_DEFINITIONS) || !batch->header.definitions)
		return STATUS_OK;
	if (!part_find(parts, COLUMN_DEFINITIONS, &row, &stored))
		return damaged(causes, "its definitions are missing");
	return decode_definitions(stored, &row, batch, causes);
}

enum status decode_block(const uint8_t *bytes, const struct block_header *header,
			 const struct call_row *rows, size_t row_count, unsigned want,
			 struct batch *batch, struct varve_causes *causes)
{
	*batch = (struct batch){.header = *header, .want = want};
	TRY(block_check(bytes, header, causes));
	struct parts parts = {.bytes = bytes, .header = header};
	parts.offset = calloc(header->columns + 1u, sizeof *parts.offset);
	if (!parts.offset)
		return no_memory(causes);
	enum status status = decode_parts(&parts, rows, row_count, batch, causes);
	free(parts.offset);
	if (status != STATUS_OK)
		batch_clear(batch);
	return status;
}

void batch_record(const struct batch *batch, size_t at, struct record *record)
{
	if (batch->rows) {
		batch_record_binary(batch, at, record);
		return;
	}
	const struct batch_shape *shape = &batch->shapes[batch->shape_of[at]];
	const struct batch_function *function = &batch->functions[shape->index];
	const struct batch_place *place = &batch->place[at];
	record->function = shape->function;
	record->depth = shape->depth;
	record->marks = shape->marks;
	record->ordinal = batch->ordinal[at];
	record->entry = batch->entry ? batch->entry[at] : 0;
	record->exit = batch->exit ? batch->exit[at] : 0;
	bool finished = !(shape->marks & RECORD_UNFINISHED);
	record->result =
		finished && function->result ? (int64_t)function->result[place->finished] : 0;
	record->error = shape->marks & RECORD_FAILED && function->error
				? (int32_t)function->error[place->failed]
				: 0;
	record->words = batch->want & WANT_WORDS ? function->words : 0;
	for (uint32_t i = 0; i < record->words; i++)
		record->word[i] = function->word[i][place->record];
}

void batch_clear(struct batch *batch)
{
	for (size_t i = 0; i < batch->function_count; i++) {
		free(batch->functions[i].result);
		free(batch->functions[i].error);
		for (size_t word = 0; word < RECORD_ARGUMENTS_MOST; word++)
			free(batch->functions[i].word[word]);
	}
	free(batch->functions);
	free(batch->shapes);
	free(batch->shape_of);
	free(batch->place);
	free(batch->entry);
	free(batch->exit);
	free(batch->ordinal);
	free(batch->rows);
	free(batch->row_at);
	free(batch->definitions);
	free(batch->definition_bytes);
	*batch = (struct batch){0};
}
