/* Write: makes a block from rows. See block_write.h.
 *
 * First shapes and groups, then the columns in the order of docs/format.md. What codec columns cannot store (a function that is
 * not in the tables, or too many shapes) is written with codec rows.
 */
#include "write/block_write.h"

#include "base/varint.h"
#include "codec/inprocess/column_rows.h"
#include "write/rows_write.h"

#include <stdlib.h>
#include <string.h>

enum { SHAPE_SLOTS = 1 << 14, SHAPES_MOST = SHAPE_SLOTS / 2, IDS = 1 << 16 };
enum { GAP_SHORT = 8, DURATION_SHORT = 31, TIME_LONG = 255 };

/* The records of one function of the block. */
struct function_rows {
	const struct call_row *row;
	uint32_t count, first, next; /* indices in `grouped` */
	struct block_summary summary;
};

static enum varve_status maker_no_memory(struct varve_causes *causes)
{
	return cause(causes, VARVE_NO_MEMORY, "no memory to make a block");
}

/* Frees what grows with the number of records. */
static void lists_free(struct block_maker *maker)
{
	free(maker->plane);
	free(maker->times);
	free(maker->times_long);
	free(maker->values);
	free(maker->shape_of);
	free(maker->grouped);
}

void block_maker_clear(struct block_maker *maker)
{
	lists_free(maker);
	free(maker->zstd);
	free(maker->shapes);
	free(maker->slots);
	free(maker->functions);
	free(maker->place_of);
	free(maker->output);
	*maker = (struct block_maker){0};
}

/* Allocates what does not grow. */
static enum varve_status maker_start(struct block_maker *maker, struct varve_causes *causes)
{
	if (maker->place_of)
		return VARVE_OK;
	maker->zstd = aligned_alloc(64, (column_writer_size(false) + 63) / 64 * 64);
	maker->shapes = malloc(SHAPES_MOST * sizeof *maker->shapes);
	maker->slots = malloc(SHAPE_SLOTS * sizeof *maker->slots);
	maker->functions = calloc(SHAPES_MOST, sizeof *maker->functions);
	maker->place_of = calloc(IDS, sizeof *maker->place_of);
	return maker->zstd && maker->shapes && maker->slots && maker->functions && maker->place_of
		       ? VARVE_OK
		       : maker_no_memory(causes);
}

static enum varve_status maker_room(struct block_maker *maker, const struct block_rows *block,
				    struct varve_causes *causes)
{
	TRY(maker_start(maker, causes));
	if (block->count + SHAPES_MOST * 4 > maker->room) {
		size_t room = block->count * 2 + SHAPES_MOST * 4;
		lists_free(maker);
		maker->plane = malloc(room);
		maker->times = malloc(room);
		maker->times_long = malloc(room * 2 * VARINT_MOST);
		maker->values = malloc(room * sizeof *maker->values);
		maker->shape_of = malloc(room * sizeof *maker->shape_of);
		maker->grouped = malloc(room * sizeof *maker->grouped);
		maker->room = room;
		if (!maker->plane || !maker->times || !maker->times_long || !maker->values ||
		    !maker->shape_of || !maker->grouped) {
			maker->room = 0;
			return maker_no_memory(causes);
		}
		column_writer_start(&maker->writer, maker->zstd, maker->plane, false);
	}
	/* A value takes at most 8 bytes, a pair 16; then there are the heads of columns and of planes. */
	size_t size = rows_size(block) + block->count * 80 + block->word_count * 16 +
		      SHAPES_MOST * 4 + (size_t)block->definition_bytes * 2 + 65536;
	for (size_t i = 0; i < maker->function_count; i++)
		size += sizeof(struct block_summary) + (2 + 2u * maker->functions[i].row->words) *
							       (sizeof(struct block_column) + 256);
	if (size <= maker->output_room)
		return VARVE_OK;
	free(maker->output);
	maker->output_room = size * 2;
	maker->output = aligned_alloc(64, (maker->output_room + 63) / 64 * 64);
	if (!maker->output)
		maker->output_room = 0;
	return maker->output ? VARVE_OK : maker_no_memory(causes);
}

/* The function of a record, added if it is new; NULL: codec columns cannot store the record. */
static struct function_rows *function_find(struct block_maker *maker, const struct block_row *row,
					   const struct call_row *rows, size_t row_count)
{
	uint32_t place = maker->place_of[row->function];
	if (place)
		return &maker->functions[place - 1];
	const struct call_row *known = call_row_find(rows, row_count, row->function);
	if (!known || maker->function_count == SHAPES_MOST)
		return NULL;
	struct function_rows *function = &maker->functions[maker->function_count++];
	*function = (struct function_rows){.row = known, .summary = {.function = row->function}};
	maker->place_of[row->function] = (uint32_t)maker->function_count;
	return function;
}

static uint32_t shape_key(const struct block_row *row)
{
	return (uint32_t)row->function | (uint32_t)row->depth << 16 | (uint32_t)row->marks << 24;
}

/* The shape of a record, added if it is new; SHAPES_MOST: there is no room for it. */
static size_t shape_find(struct block_maker *maker, uint32_t key)
{
	for (uint32_t slot = key * 0x9e3779b1u >> 18;; slot = (slot + 1) % SHAPE_SLOTS) {
		size_t at = maker->slots[slot];
		if (at && maker->shapes[at - 1] == key)
			return at - 1;
		if (at)
			continue;
		if (maker->shape_count == SHAPES_MOST)
			return SHAPES_MOST;
		maker->shapes[maker->shape_count++] = key;
		maker->slots[slot] = (uint32_t)maker->shape_count;
		return maker->shape_count - 1;
	}
}

/* Determines shape and function of all records; false: codec columns cannot store them. */
static bool rows_sort(struct block_maker *maker, const struct block_rows *block,
		      const struct call_row *rows, size_t row_count)
{
	memset(maker->slots, 0, SHAPE_SLOTS * sizeof *maker->slots);
	maker->shape_count = maker->function_count = 0;
	bool fits = true;
	uint32_t last_key = 0;
	size_t shape = SHAPES_MOST;
	struct function_rows *function = NULL;
	for (size_t i = 0; fits && i < block->count; i++) {
		const struct block_row *row = &block->rows[i];
		uint32_t key = shape_key(row);
		if (shape == SHAPES_MOST || key != last_key) {
			function = function_find(maker, row, rows, row_count);
			shape = shape_find(maker, key);
			last_key = key;
		}
		const struct call_row *known = function ? function->row : NULL;
		fits = known && shape != SHAPES_MOST && known->words == row->words;
		if (!fits)
			break;
		maker->shape_of[i] = (uint32_t)shape;
		function->count++;
	}
	for (size_t i = 0; i < maker->function_count; i++)
		maker->place_of[maker->functions[i].row->id] = 0;
	return fits;
}

/* Lists the records of each function, and computes its summary row. */
static void rows_group(struct block_maker *maker, const struct block_rows *block)
{
	uint32_t place = 0;
	for (size_t i = 0; i < maker->function_count; i++) {
		struct function_rows *function = &maker->functions[i];
		function->first = function->next = place;
		place += function->count;
		maker->place_of[function->row->id] = (uint32_t)i + 1;
	}
	for (size_t i = 0; i < block->count; i++) {
		const struct block_row *row = &block->rows[i];
		struct function_rows *function =
			&maker->functions[maker->place_of[row->function] - 1];
		maker->grouped[function->next++] = (uint32_t)i;
		summary_add(&function->summary, function->row, row, block->words + row->word_at);
	}
	for (size_t i = 0; i < maker->function_count; i++)
		maker->place_of[maker->functions[i].row->id] = 0;
}

static void structure_put(struct block_maker *maker, const struct block_rows *block,
			  struct column_rows *to)
{
	uint8_t *bytes = maker->plane;
	/* Shapes are stored like their keys: function, depth, marks. */
	column_rows_bytes(to, COLUMN_SHAPES, (const uint8_t *)maker->shapes, maker->shape_count * 4,
			  NATURE_TEXT);
	if (maker->shape_count <= 256) {
		for (size_t i = 0; i < block->count; i++)
			bytes[i] = (uint8_t)maker->shape_of[i];
		column_rows_bytes(to, COLUMN_STRUCTURE, bytes, block->count, NATURE_TEXT);
		return;
	}
	for (size_t i = 0; i < block->count; i++)
		maker->values[i] = maker->shape_of[i];
	column_rows_values(to, 0, COLUMN_STRUCTURE, maker->values, block->count);
}

static void times_put(struct block_maker *maker, const struct block_rows *block,
		      struct column_rows *to)
{
	uint8_t *rest = maker->times_long;
	uint64_t entry = 0, exit = 0;
	unsigned depth = 0;
	for (size_t i = 0; i < block->count; i++) {
		const struct block_row *row = &block->rows[i];
		uint64_t gap = (uint64_t)row->entry - (depth >= row->depth ? exit : entry);
		entry = (uint64_t)row->entry;
		exit = (uint64_t)row->exit;
		depth = row->depth;
		maker->times[i] = (uint8_t)(gap << 5 | (exit - entry));
		if (gap < GAP_SHORT && exit - entry < DURATION_SHORT)
			continue;
		maker->times[i] = TIME_LONG;
		rest = varint_put(rest, zigzag((int64_t)gap));
		rest = varint_put(rest, zigzag((int64_t)(exit - entry)));
	}
	column_rows_bytes(to, COLUMN_TIMES, maker->times, block->count, NATURE_NOISE);
	column_rows_bytes(to, COLUMN_TIMES_LONG, maker->times_long,
			  (size_t)(rest - maker->times_long), NATURE_TEXT);
}

/* Writes the ordinals of continued records, or those of all others. */
static void ordinals_put(struct block_maker *maker, const struct block_rows *block, bool continued,
			 struct column_rows *to)
{
	size_t count = 0;
	for (size_t i = 0; i < block->count; i++)
		if (!!(block->rows[i].marks & VARVE_CONTINUED) == continued)
			maker->values[count++] = block->rows[i].ordinal;
	column_rows_values(to, 0, continued ? COLUMN_ORDINALS : COLUMN_NUMBERS, maker->values,
			   count);
}

static void function_columns_put(struct block_maker *maker, const struct block_rows *block,
				 const struct function_rows *function, struct column_rows *to)
{
	const uint32_t *own = maker->grouped + function->first;
	uint16_t id = function->row->id;
	uint64_t *values = maker->values;
	size_t count = 0;
	for (uint32_t i = 0; i < function->count; i++)
		if (!(block->rows[own[i]].marks & VARVE_UNFINISHED))
			values[count++] = (uint64_t)block->rows[own[i]].result;
	column_rows_values(to, id, COLUMN_RESULT, values, count);
	count = 0;
	for (uint32_t i = 0; function->summary.failures && i < function->count; i++)
		if (block->rows[own[i]].marks & VARVE_FAILED)
			values[count++] = (uint32_t)block->rows[own[i]].error;
	column_rows_values(to, id, COLUMN_ERROR, values, count);
	for (unsigned word = 0; word < function->row->words; word++) {
		bool pair = function->row->pairs >> word & 1;
		uint64_t mask = pair ? UINT32_MAX : UINT64_MAX;
		for (uint32_t i = 0; i < function->count; i++)
			values[i] = block->words[block->rows[own[i]].word_at + word] & mask;
		column_rows_values(to, id, COLUMN_WORD + word, values, function->count);
		for (uint32_t i = 0; pair && i < function->count; i++)
			values[i] = block->words[block->rows[own[i]].word_at + word] >> 32;
		column_rows_values(to, id, COLUMN_HANDLE + word, values,
				   pair ? function->count : 0);
	}
}

static void columns_put(struct block_maker *maker, const struct block_rows *block,
			struct block_header *header)
{
	size_t fixed = sizeof *header + maker->function_count * sizeof(struct block_summary);
	size_t most = 8;
	for (size_t i = 0; i < maker->function_count; i++)
		most += 2 + 2u * maker->functions[i].row->words;
	uint8_t *payload = maker->output + fixed + most * sizeof(struct block_column);
	struct column_rows to = {
		.writer = &maker->writer, .rows = (void *)(maker->output + fixed), .at = payload};
	column_rows_bytes(&to, COLUMN_DEFINITIONS, block->definitions, block->definition_bytes,
			  NATURE_TEXT);
	if (block->count) {
		structure_put(maker, block, &to);
		times_put(maker, block, &to);
		ordinals_put(maker, block, true, &to);
		if (block->partial)
			ordinals_put(maker, block, false, &to);
	}
	for (size_t i = 0; i < maker->function_count; i++) {
		function_columns_put(maker, block, &maker->functions[i], &to);
		memcpy(maker->output + sizeof *header + i * sizeof(struct block_summary),
		       &maker->functions[i].summary, sizeof(struct block_summary));
	}
	header->codec = CODEC_COLUMNS;
	header->summaries = (uint32_t)maker->function_count;
	header->columns = to.count;
	header->header_length = (uint32_t)(fixed + to.count * sizeof(struct block_column));
	size_t length = (size_t)(to.at - payload);
	memmove(maker->output + header->header_length, payload, length);
	header->length = header->header_length + length;
}

/* Sets the fields of the header that depend on the records. */
static void fill_header(const struct block_rows *block, struct block_header *header)
{
	header->version = block->partial ? BLOCK_VERSION_PART : BLOCK_VERSION_FIRST;
	header->type = BLOCK_RECORDS;
	header->records = block->count;
	header->definitions = block->definition_count;
	header->first_tick = header->last_tick = 0;
	bool numbered = false;
	for (size_t i = 0; i < block->count; i++) {
		const struct block_row *row = &block->rows[i];
		int64_t last = row->exit > row->entry ? row->exit : row->entry;
		if (!i || row->entry < header->first_tick)
			header->first_tick = row->entry;
		if (!i || last > header->last_tick)
			header->last_tick = last;
		if (!numbered && !(row->marks & VARVE_CONTINUED)) {
			header->first_ordinal = row->ordinal;
			numbered = true;
		}
	}
}

enum varve_status block_make(struct block_maker *maker, const struct block_rows *block,
			     const struct call_row *rows, size_t row_count,
			     struct block_header *header, struct varve_causes *causes)
{
	/* Called first for the lists, and again after the columns are known. */
	maker->function_count = 0;
	TRY(maker_room(maker, block, causes));
	bool columns = rows_sort(maker, block, rows, row_count);
	TRY(maker_room(maker, block, causes));
	fill_header(block, header);
	if (columns) {
		rows_group(maker, block);
		columns_put(maker, block, header);
	} else {
		rows_write(block, rows, row_count, &maker->writer, maker->values, maker->output,
			   header);
	}
	block_seal(maker->output, header);
	return VARVE_OK;
}
