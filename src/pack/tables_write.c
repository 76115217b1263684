/* Pack: the tables of functions in a packed trace: the functions that it uses, and what these refer to.
 *
 * If a reader's own tables have the same checksum as those of the source, it uses its own, so that a filter may name any
 * function; another reader finds everything that it needs for printing. The form is that of BLOCK_TABLES, version 1 or 3.
 */
#include "pack/packed_write.h"

#include "base/host/bytes.h"

#include <stdlib.h>
#include <string.h>

static void put_string(struct bytes *bytes, const char *text)
{
	size_t length = strlen(text);
	bytes_number(bytes, length);
	bytes_put(bytes, text, length);
}

/* Marks the functions whose records are in a track. */
static void functions_used(const struct track *track, uint8_t *used, size_t id_count)
{
	for (size_t i = 0; i < track->shape_count; i++) {
		const struct track_shape *shape = &track->shapes[i];
		size_t id = shape->length >= 2 ? (size_t)(shape->key[0] | shape->key[1] << 8) : 0;
		if (id < id_count)
			used[id] = 1;
	}
}

/* Numbers the kinds that are used, from 1, in `place`; 0: not used. */
static uint32_t see_kinds(const struct tables *tables, const uint8_t *used, uint32_t *place)
{
	uint32_t count = 0;
	for (uint32_t i = 0; i < tables->function_count; i++) {
		const struct varve_function *function = &tables->functions[i];
		if (!used[function->id])
			continue;
		if (!place[function->result_kind])
			place[function->result_kind] = ++count;
		for (uint32_t k = 0; k < function->field_count; k++)
			if (!place[function->fields[k].kind])
				place[function->fields[k].kind] = ++count;
	}
	return count;
}

static void put_kind(struct bytes *bytes, const struct varve_kind *kind)
{
	put_string(bytes, kind->name);
	bytes_number(bytes, (uint64_t)kind->style);
	bytes_number(bytes, kind->value_count);
	for (uint32_t i = 0; i < kind->value_count; i++) {
		bytes_number(bytes, kind->values[i].value);
		bytes_number(bytes, kind->values[i].mask);
		put_string(bytes, kind->values[i].name);
	}
}

static void function_put(struct bytes *bytes, const struct varve_function *function,
			 const uint32_t *place)
{
	bytes_number(bytes, function->id);
	bytes_number(bytes, function->layer);
	put_string(bytes, function->name);
	put_string(bytes, function->op);
	bytes_number(bytes, place[function->result_kind] - 1);
	bytes_number(bytes, function->words);
	bytes_number(bytes, function->bytes_rule);
	bytes_number(bytes, function->bytes_word);
	bytes_number(bytes, function->field_count);
	for (uint32_t i = 0; i < function->field_count; i++) {
		const struct varve_field *field = &function->fields[i];
		put_string(bytes, field->name);
		bytes_number(bytes, place[field->kind] - 1);
		bytes_number(bytes, (uint64_t)field->word + 1);
		bytes_number(bytes, field->output);
	}
	const char *symbol = function->symbols;
	bytes_number(bytes, function->symbol_count);
	for (uint32_t i = 0; i < function->symbol_count; i++, symbol += strlen(symbol) + 1)
		put_string(bytes, symbol);
}

/* The lowest version that can store everything that is used. */
static uint64_t tables_version(const struct tables *tables, const uint8_t *used)
{
	for (uint32_t i = 0; i < tables->function_count; i++)
		if (used[tables->functions[i].id] &&
		    tables->functions[i].bytes_rule == VARVE_BYTES_FIXED)
			return TABLES_VERSION;
	return TABLES_VERSION_FIRST;
}

static void tables_put(struct bytes *bytes, const struct tables *tables, const uint8_t *used,
		       uint32_t *place)
{
	uint32_t kinds = see_kinds(tables, used, place), functions = 0;
	bytes_number(bytes, tables_version(tables, used));
	bytes_number(bytes, tables->layer_count);
	for (uint32_t i = 0; i < tables->layer_count; i++)
		put_string(bytes, tables->layers[i]);
	bytes_number(bytes, kinds);
	for (uint32_t at = 1; at <= kinds; at++)
		for (uint32_t i = 0; i < tables->kind_count; i++)
			if (place[i] == at)
				put_kind(bytes, &tables->kinds[i]);
	for (uint32_t i = 0; i < tables->function_count; i++)
		functions += used[tables->functions[i].id];
	bytes_number(bytes, functions);
	for (uint32_t i = 0; i < tables->function_count; i++)
		if (used[tables->functions[i].id])
			function_put(bytes, &tables->functions[i], place);
}

enum varve_status tables_write(const struct varve_trace *trace, const struct packed_stream *streams,
			       struct bytes *bytes, struct varve_causes *causes)
{
	uint8_t *used = calloc(trace->id_count + 1, 1);
	uint32_t *place = calloc(trace->tables.kind_count + 1u, sizeof *place);
	for (size_t i = 0; used && i < trace->stream_count; i++) {
		functions_used(&streams[i].tracks[PACKED_CALLS], used, trace->id_count);
		functions_used(&streams[i].tracks[PACKED_RUNTIME], used, trace->id_count);
	}
	bytes_number(bytes, trace->tables_check);
	if (used && place)
		tables_put(bytes, &trace->tables, used, place);
	bool done = used && place && !bytes->failed;
	free(used);
	free(place);
	return done ? VARVE_OK : cause(causes, VARVE_NO_MEMORY, "no memory for the tables");
}
