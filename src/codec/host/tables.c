/* Codec: reading the tables of functions, arguments and kinds that a trace contains.
 *
 * The layout is in gen/tables.py and docs/format.md. The bytes are hostile: the same code walks them twice, first to check
 * everything and to count, then to fill memory of exactly that size. Each counted element takes at least a byte of input, so
 * memory is bounded by the size of the input, or by a limit if the tables are packed.
 */
#include "codec/host/tables.h"

#include "base/hash.h"
#include "base/varint.h"
#include "codec/lane.h"

#include <stdlib.h>
#include <string.h>
#include <zstd.h>

enum { TABLES_PACKED = 2, TRAILING_MOST = 7, FIELD_OUTPUT = 1, TABLES_MOST = 1 << 24 };

/* Fields of a function: more than any function has, and few enough to be searched for each record. */
enum { FIELDS_MOST = 255 };

/* A walk over the bytes. Pointers are NULL on the first walk, which only counts. */
struct walk {
	const uint8_t *at;
	const uint8_t *end;
	const uint8_t *begin;
	struct varve_causes *causes;
	size_t text_bytes;
	size_t value_count;
	size_t field_count;
	uint64_t layer_count;
	uint64_t kind_count;
	uint64_t function_count;
	const char **layers;
	struct varve_kind *kinds;
	struct varve_value *values;
	struct varve_function *functions;
	struct varve_field *fields;
	struct call_row *rows;
	char *text;
};

static enum varve_status tables_damaged(const struct walk *walk, const char *what)
{
	return cause(walk->causes, VARVE_DAMAGED, "tables: %s at byte %zu", what,
		     (size_t)(walk->at - walk->begin));
}

/* Reads a number that must not be above `most`. */
static enum varve_status get_number(struct walk *walk, uint64_t most, const char *what,
				    uint64_t *number)
{
	/* A shortcut for small numbers, because there are many: reading them determines how fast a trace opens. */
	if (walk->at < walk->end && *walk->at < 0x80)
		*number = *walk->at++;
	else if (!varint_get(&walk->at, walk->end, number))
		return tables_damaged(walk, "truncated or overlong number");
	return *number <= most ? VARVE_OK : tables_damaged(walk, what);
}

/* Reads a count of elements that take at least `bytes_each` each. */
static enum varve_status get_count(struct walk *walk, size_t bytes_each, const char *what,
				   uint64_t *count)
{
	TRY(get_number(walk, UINT32_MAX, what, count));
	size_t room = (size_t)(walk->end - walk->at) / bytes_each;
	return *count <= room ? VARVE_OK : tables_damaged(walk, what);
}

static enum varve_status get_string(struct walk *walk, const char **string)
{
	uint64_t length;
	TRY(get_number(walk, UINT64_MAX, "", &length));
	if (length > (size_t)(walk->end - walk->at))
		return tables_damaged(walk, "name beyond the end");
	/* Only the first walk checks the characters. */
	for (size_t i = 0; !walk->text && i < length; i++)
		if (walk->at[i] < 0x20 || walk->at[i] > 0x7e)
			return tables_damaged(walk, "name that is not printable");
	if (walk->text) {
		char *copy = walk->text + walk->text_bytes;
		memcpy(copy, walk->at, (size_t)length);
		copy[length] = '\0';
		*string = copy;
	}
	walk->at += length;
	walk->text_bytes += (size_t)length + 1;
	return VARVE_OK;
}

static enum varve_status walk_layers(struct walk *walk)
{
	TRY(get_count(walk, 1, "too many layers", &walk->layer_count));
	if (walk->layer_count > UINT8_MAX)
		return tables_damaged(walk, "too many layers");
	for (uint64_t i = 0; i < walk->layer_count; i++) {
		const char *name = NULL;
		TRY(get_string(walk, &name));
		if (walk->layers)
			walk->layers[i] = name;
	}
	return VARVE_OK;
}

static enum varve_status walk_values(struct walk *walk, uint64_t count)
{
	for (uint64_t i = 0; i < count; i++) {
		struct varve_value value = {0};
		TRY(get_number(walk, UINT64_MAX, "", &value.value));
		TRY(get_number(walk, UINT64_MAX, "", &value.mask));
		TRY(get_string(walk, &value.name));
		if (walk->values)
			walk->values[walk->value_count] = value;
		walk->value_count++;
	}
	return VARVE_OK;
}

static enum varve_status walk_kinds(struct walk *walk)
{
	TRY(get_count(walk, 3, "too many kinds", &walk->kind_count));
	for (uint64_t i = 0; i < walk->kind_count; i++) {
		const char *name = NULL;
		uint64_t style;
		uint64_t count;
		TRY(get_string(walk, &name));
		TRY(get_number(walk, UINT8_MAX, "style out of range", &style));
		TRY(get_count(walk, 3, "too many values", &count));
		size_t first = walk->value_count;
		TRY(walk_values(walk, count));
		if (!walk->kinds)
			continue;
		/* A style of a later version is shown as a hexadecimal number. */
		enum varve_style known =
			style <= VARVE_STYLE_TIME ? (enum varve_style)style : VARVE_STYLE_HEX;
		walk->kinds[i] =
			(struct varve_kind){name, known, (uint32_t)count, walk->values + first};
	}
	return VARVE_OK;
}

/* Reads the fields of one function; `row` has the number of words, and gets the bits of its fields. */
static enum varve_status walk_fields(struct walk *walk, uint64_t count, struct call_row *row)
{
	uint32_t used = 0;
	for (uint64_t i = 0; i < count; i++) {
		struct varve_field field = {0};
		uint64_t kind;
		uint64_t word;
		uint64_t marks;
		TRY(get_string(walk, &field.name));
		if (walk->kind_count == 0)
			return tables_damaged(walk, "field without kinds");
		TRY(get_number(walk, walk->kind_count - 1, "kind out of range", &kind));
		TRY(get_number(walk, row->words, "argument word out of range", &word));
		TRY(get_number(walk, UINT8_MAX, "marks out of range", &marks));
		field.kind = (uint32_t)kind;
		field.word = (int32_t)word - 1;
		field.output = (marks & FIELD_OUTPUT) != 0;
		if (word) {
			uint32_t bit = 1u << field.word;
			if (used & bit)
				return tables_damaged(walk, "argument word used by two fields");
			used |= bit;
			if (walk->kinds && (walk->kinds[kind].style == VARVE_STYLE_FD ||
					    walk->kinds[kind].style == VARVE_STYLE_DIRFD))
				row->pairs |= bit;
			if (walk->kinds && (walk->kinds[kind].style == VARVE_STYLE_NAME ||
					    walk->kinds[kind].style == VARVE_STYLE_STRING))
				row->names |= bit;
			if (walk->kinds && (walk->kinds[kind].style == VARVE_STYLE_POINTER ||
					    walk->kinds[kind].style == VARVE_STYLE_HEX))
				row->hex |= bit;
		}
		if (walk->fields)
			walk->fields[walk->field_count] = field;
		walk->field_count++;
	}
	return VARVE_OK;
}

static enum varve_status walk_row(struct walk *walk, struct call_row *row)
{
	uint64_t words;
	uint64_t rule;
	uint64_t bytes_word;
	TRY(get_number(walk, RECORD_ARGUMENTS_MOST, "too many argument words", &words));
	TRY(get_number(walk, VARVE_BYTES_FIXED, "unknown rule of bytes", &rule));
	TRY(get_number(walk, rule == VARVE_BYTES_FIXED ? UINT8_MAX : RECORD_ARGUMENTS_MOST,
		       "argument word out of range", &bytes_word));
	if ((rule == VARVE_BYTES_RESULT_TIMES || rule == VARVE_BYTES_WORD) && bytes_word >= words)
		return tables_damaged(walk, "argument word out of range");
	row->words = (uint8_t)words;
	row->bytes_rule = (uint8_t)rule;
	row->bytes_word = (uint8_t)bytes_word;
	return VARVE_OK;
}

/* Reads the names under which the function is exported: their texts are stored one after the other. */
static enum varve_status walk_symbols(struct walk *walk, struct varve_function *function)
{
	uint64_t count;
	TRY(get_count(walk, 1, "too many symbols", &count));
	function->symbol_count = (uint32_t)count;
	function->symbols = walk->text ? walk->text + walk->text_bytes : NULL;
	for (uint64_t i = 0; i < count; i++) {
		const char *name = NULL;
		TRY(get_string(walk, &name));
	}
	return VARVE_OK;
}

static bool names_word(const char *name, const char *one, const char *other)
{
	return strstr(name, one) || strstr(name, other);
}

/* Sets the direction of the bytes of a function from its op. If the op of a library function does not determine it, its name
 * does: get or put, read or write. */
static void function_side(const struct walk *walk, struct varve_function *function)
{
	for (uint32_t i = 0; i < function->field_count; i++)
		if (function->fields[i].word >= 0 &&
		    !strcmp(walk->kinds[function->fields[i].kind].name, "direction")) {
			function->side = VARVE_SIDE_WORD;
			function->side_word = (uint8_t)function->fields[i].word;
			return;
		}
	if (function->bytes_rule == VARVE_BYTES_NONE)
		return;
	if (!strcmp(function->op, "copy")) {
		function->side = VARVE_SIDE_COPIED;
		return;
	}
	bool reads = !strcmp(function->op, "read") || !strncmp(function->op, "receive", 7);
	bool writes = !strcmp(function->op, "write") || !strncmp(function->op, "send", 4);
	if (!reads && !writes) {
		reads = names_word(function->name, "read", "get_") ||
			strstr(function->name, "receive");
		writes = names_word(function->name, "write", "put_");
	}
	if (reads)
		function->side = VARVE_SIDE_READ;
	else if (writes)
		function->side = VARVE_SIDE_WRITTEN;
}

static enum varve_status walk_function(struct walk *walk, uint64_t at, uint64_t *last_id)
{
	struct varve_function function = {0};
	struct call_row row = {0};
	uint64_t id;
	uint64_t layer;
	uint64_t result_kind;
	uint64_t count;
	TRY(get_number(walk, DEFINE_FIRST - 1, "id out of range", &id));
	if (id <= *last_id)
		return tables_damaged(walk, "ids out of order");
	*last_id = id;
	if (walk->layer_count == 0 || walk->kind_count == 0)
		return tables_damaged(walk, "function without layers or kinds");
	TRY(get_number(walk, walk->layer_count - 1, "layer out of range", &layer));
	TRY(get_string(walk, &function.name));
	TRY(get_string(walk, &function.op));
	TRY(get_number(walk, walk->kind_count - 1, "kind out of range", &result_kind));
	row.id = (uint16_t)id;
	TRY(walk_row(walk, &row));
	TRY(get_count(walk, 4, "too many fields", &count));
	if (count > FIELDS_MOST)
		return tables_damaged(walk, "too many fields");
	size_t first = walk->field_count;
	TRY(walk_fields(walk, count, &row));
	TRY(walk_symbols(walk, &function));
	if (!walk->functions)
		return VARVE_OK;
	function.id = row.id;
	function.layer = (uint8_t)layer;
	function.result_kind = (uint32_t)result_kind;
	function.field_count = (uint32_t)count;
	function.fields = walk->fields + first;
	function.words = row.words;
	function.bytes_rule = row.bytes_rule;
	function.bytes_word = row.bytes_word;
	function_side(walk, &function);
	walk->functions[at] = function;
	walk->rows[at] = row;
	return VARVE_OK;
}

static enum varve_status walk_all(struct walk *walk)
{
	uint64_t version;
	uint64_t last_id = 0;
	TRY(get_number(walk, UINT64_MAX, "", &version));
	if (version > TABLES_VERSION)
		return cause(walk->causes, VARVE_NEWER, "tables of version %llu",
			     (unsigned long long)version);
	if (version != TABLES_VERSION_FIRST && version != TABLES_VERSION)
		return tables_damaged(walk, "no version");
	TRY(walk_layers(walk));
	TRY(walk_kinds(walk));
	TRY(get_count(walk, 10, "too many functions", &walk->function_count));
	for (uint64_t i = 0; i < walk->function_count; i++)
		TRY(walk_function(walk, i, &last_id));
	if (walk->end - walk->at > TRAILING_MOST)
		return tables_damaged(walk, "unexpected bytes at the end");
	for (; walk->at < walk->end; walk->at++)
		if (*walk->at != 0)
			return tables_damaged(walk, "unexpected bytes at the end");
	return VARVE_OK;
}

/* Takes memory for `count` elements of `size` bytes from `*at`. Types with the strictest alignment come first. */
static void *memory_cut(uint8_t **at, uint64_t count, size_t size)
{
	void *piece = *at;
	*at += (size_t)count * size;
	return piece;
}

static enum varve_status parse_plain(const uint8_t *bytes, size_t size, struct tables *tables,
				     struct varve_causes *causes)
{
	struct walk counted = {.at = bytes, .end = bytes + size, .begin = bytes, .causes = causes};
	TRY(walk_all(&counted));

	size_t needed = (size_t)counted.layer_count * sizeof(const char *) +
			(size_t)counted.kind_count * sizeof(struct varve_kind) +
			counted.value_count * sizeof(struct varve_value) +
			(size_t)counted.function_count * sizeof(struct varve_function) +
			counted.field_count * sizeof(struct varve_field) +
			(size_t)counted.function_count * sizeof(struct call_row) +
			counted.text_bytes;
	uint8_t *memory = calloc(1, needed + 1);
	if (!memory)
		return cause(causes, VARVE_NO_MEMORY, "tables: %zu bytes", needed);

	uint8_t *at = memory;
	struct walk filled = {.at = bytes, .end = bytes + size, .begin = bytes, .causes = causes};
	filled.layers = memory_cut(&at, counted.layer_count, sizeof(const char *));
	filled.kinds = memory_cut(&at, counted.kind_count, sizeof(struct varve_kind));
	filled.values = memory_cut(&at, counted.value_count, sizeof(struct varve_value));
	filled.functions = memory_cut(&at, counted.function_count, sizeof(struct varve_function));
	filled.fields = memory_cut(&at, counted.field_count, sizeof(struct varve_field));
	filled.rows = memory_cut(&at, counted.function_count, sizeof(struct call_row));
	filled.text = (char *)at;
	enum varve_status status = walk_all(&filled);
	if (status != VARVE_OK) {
		free(memory);
		return status;
	}
	tables->layer_count = (uint32_t)filled.layer_count;
	tables->layers = filled.layers;
	tables->kind_count = (uint32_t)filled.kind_count;
	tables->kinds = filled.kinds;
	tables->function_count = (uint32_t)filled.function_count;
	tables->functions = filled.functions;
	tables->rows = filled.rows;
	tables->memory = memory;
	return VARVE_OK;
}

/* Version 2: the bytes of another version in a zstd frame. */
static enum varve_status parse_packed(const uint8_t *bytes, size_t size, struct tables *tables,
				      struct varve_causes *causes)
{
	struct walk walk = {.at = bytes + 1, .end = bytes + size, .begin = bytes, .causes = causes};
	uint64_t unpacked, packed;
	TRY(get_number(&walk, TABLES_MOST, "tables that are too large", &unpacked));
	TRY(get_number(&walk, (uint64_t)size, "frame beyond the end", &packed));
	if (packed > (size_t)(walk.end - walk.at) ||
	    (size_t)(walk.end - walk.at) - packed > TRAILING_MOST)
		return tables_damaged(&walk, "frame with a wrong length");
	for (const uint8_t *rest = walk.at + packed; rest < walk.end; rest++)
		if (*rest)
			return tables_damaged(&walk, "unexpected bytes after the frame");
	uint8_t *plain = malloc((size_t)unpacked + 1);
	if (!plain)
		return cause(causes, VARVE_NO_MEMORY, "tables: %zu bytes", (size_t)unpacked);
	enum varve_status status =
		ZSTD_decompress(plain, (size_t)unpacked, walk.at, (size_t)packed) == unpacked
			? parse_plain(plain, (size_t)unpacked, tables, causes)
			: tables_damaged(&walk, "frame that cannot be unpacked");
	free(plain);
	return status;
}

enum varve_status tables_parse(const uint8_t *bytes, size_t size, struct tables *tables,
			       struct varve_causes *causes)
{
	memset(tables, 0, sizeof(*tables));
	return size && bytes[0] == TABLES_PACKED ? parse_packed(bytes, size, tables, causes)
						 : parse_plain(bytes, size, tables, causes);
}

uint64_t tables_check_of(const uint8_t *bytes, size_t size)
{
	while (size && !bytes[size - 1])
		size--;
	return hash64(bytes, size, 0);
}

void tables_clear(struct tables *tables)
{
	free(tables->memory);
	memset(tables, 0, sizeof(*tables));
}

const struct varve_function *tables_find(const struct tables *tables, uint16_t id)
{
	const struct call_row *row = call_row_find(tables->rows, tables->function_count, id);
	return row ? &tables->functions[row - tables->rows] : NULL;
}

bool tables_absent(const struct varve_kind *kind, uint64_t word)
{
	return word == (uint64_t)INT64_MIN && kind->style == VARVE_STYLE_OFFSET &&
	       !strcmp(kind->name, "offset_given");
}

bool tables_set(const struct varve_kind *kind, int64_t result, uint64_t word)
{
	if (kind->style != VARVE_STYLE_HEX)
		return true;
	if (!strcmp(kind->name, "wait_status"))
		return result != 0;
	return word >> 32 || strcmp(kind->name, "waited") != 0;
}

const struct varve_field *tables_field(const struct tables *tables,
				       const struct varve_function *function, enum varve_style one,
				       enum varve_style other, bool output, uint32_t words)
{
	for (uint32_t i = 0; i < function->field_count; i++) {
		const struct varve_field *field = &function->fields[i];
		enum varve_style style = tables_style(tables, field->kind);
		if (field->word >= 0 && (uint32_t)field->word < words &&
		    !!field->output == output && (style == one || style == other))
			return field;
	}
	return NULL;
}

const struct varve_field *tables_offset(const struct tables *tables,
					const struct varve_function *function, uint32_t words)
{
	const struct varve_field *found = tables_field(tables, function, VARVE_STYLE_OFFSET,
						       VARVE_STYLE_OFFSET, false, words);
	for (uint32_t i = 0; !found && i < function->field_count; i++) {
		const struct varve_field *field = &function->fields[i];
		if (field->output && field->word >= 0 && (uint32_t)field->word < words &&
		    tables_style(tables, field->kind) == VARVE_STYLE_OFFSET &&
		    !strcmp(tables->kinds[field->kind].name, "byte_offset"))
			found = field;
	}
	return found;
}
