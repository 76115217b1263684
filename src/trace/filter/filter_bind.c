/* Trace: binds the conditions of a filter to this trace. See filter_tree.h.
 *
 * Names of functions, layers and kinds become marks by function; values become sets of numbers or matchers of texts; each
 * field gets its place in the records of each function. Values that are not valid are reported here, with a correction.
 */
#include "base/key_values.h"
#include "base/parse.h"
#include "codec/host/decode.h"
#include "trace/filter/filter_tree.h"
#include "trace/names/errno_names.h"
#include "trace/processes/launcher_processes.h"

#include <stdio.h>
#include <string.h>

enum { ERRORS_MOST = 256 };

/* ---- where functions have a field ---- */

static struct place place_of_field(const struct tables *tables, const struct varve_field *field)
{
	return (struct place){.way = field->output ? PLACE_OUTPUT : PLACE_INPUT,
			      .word = (uint8_t)field->word,
			      .style = (uint8_t)tables_style(tables, field->kind),
			      .kind = field->kind};
}

static bool place_of_style(const struct tables *tables, const struct varve_function *function,
			   enum varve_style one, enum varve_style other, bool output,
			   struct place *place)
{
	const struct varve_field *field =
		tables_field(tables, function, one, other, output, function->words);
	if (field)
		*place = place_of_field(tables, field);
	return field != NULL;
}

static struct place place_of_argument(const struct tables *tables,
				      const struct varve_function *function, const char *name)
{
	for (uint32_t i = 0; i < function->field_count; i++) {
		const struct varve_field *field = &function->fields[i];
		enum varve_style style = tables_style(tables, field->kind);
		if (field->word >= 0 && field->kind < tables->kind_count &&
		    style != VARVE_STYLE_ABSENT && style != VARVE_STYLE_NOTHING &&
		    !strcmp(field->name, name))
			return place_of_field(tables, field);
	}
	return (struct place){.way = PLACE_NONE};
}

static struct place place_in(const struct tables *tables, const struct varve_function *function,
			     const struct places *places)
{
	struct place place = {.way = PLACE_NONE};
	if (places->argument)
		return place_of_argument(tables, function, places->argument);
	if (places->field->id == FIELD_SIZE)
		place.way = function->bytes_rule == VARVE_BYTES_NONE ? PLACE_NONE : PLACE_MOVED;
	else if (places->field->id == FIELD_FD)
		(void)(place_of_style(tables, function, VARVE_STYLE_FD, VARVE_STYLE_DIRFD, false,
				      &place) ||
		       place_of_style(tables, function, VARVE_STYLE_FD, VARVE_STYLE_DIRFD, true,
				      &place));
	else if (places->field->id == FIELD_OFFSET) {
		const struct varve_field *offset = tables_offset(tables, function, function->words);
		if (offset)
			place = place_of_field(tables, offset);
	} else if (places->field->id == FIELD_RESULT &&
		   tables_style(tables, function->result_kind) != VARVE_STYLE_NOTHING) {
		place.way = PLACE_RESULT;
		place.style = (uint8_t)tables_style(tables, function->result_kind);
	}
	return place;
}

enum varve_status places_find(struct varve_filter *filter, const struct field *field,
			      const char *argument, struct places **result)
{
	const struct tables *tables = &filter->trace->tables;
	for (struct places *places = filter->places; places; places = places->next)
		if (places->field == field && (!argument || !strcmp(places->argument, argument))) {
			*result = places;
			return VARVE_OK;
		}
	struct places *made;
	TRY(filter_take(filter, 1, sizeof *made, &made));
	TRY(filter_take(filter, filter->functions, sizeof *made->by_function, &made->by_function));
	made->field = field;
	made->argument = argument;
	made->next = filter->places;
	filter->places = made;
	/* Of a function that is not in the tables, only the result is known. */
	if (field->id == FIELD_RESULT)
		made->by_function[0].way = PLACE_RESULT;
	for (uint32_t i = 0; i < tables->function_count; i++) {
		struct place *place = &made->by_function[i + 1];
		*place = place_in(tables, &tables->functions[i], made);
		place->unrecorded = place->style == VARVE_STYLE_POINTER && !filter->addresses;
	}
	*result = made;
	return VARVE_OK;
}

/* ---- names ---- */

static enum varve_status no_such(struct varve_filter *filter, const struct literal *literal,
				 const char *what, const struct nearest *nearest)
{
	struct shown shown = filter_shown(literal->bytes, literal->length);
	struct shown ask = nearest_ask(nearest);
	if (strpbrk(literal->bytes, "*?["))
		return filter_wrong(filter, literal->at,
				    "no %s has the name `%s`; for patterns write `like`", what,
				    shown.text);
	return filter_wrong(filter, literal->at, "unknown %s `%s` in this trace%s", what,
			    shown.text, ask.text);
}

static bool has_symbol(const struct varve_function *function, const char *name)
{
	const char *symbol = function->symbols;
	for (uint32_t i = 0; i < function->symbol_count; i++, symbol += strlen(symbol) + 1)
		if (!strcmp(symbol, name))
			return true;
	return false;
}

static enum varve_status known_function(struct varve_filter *filter, const struct literal *literal)
{
	const struct tables *tables = &filter->trace->tables;
	struct nearest nearest = {.wanted = literal->bytes, .length = literal->length};
	for (uint32_t i = 0; i < tables->function_count; i++)
		if (!strcmp(tables->functions[i].name, literal->bytes))
			return VARVE_OK;
	for (uint32_t i = 0; i < tables->function_count; i++) {
		const struct varve_function *function = &tables->functions[i];
		nearest_offer(&nearest, function->name);
		if (!has_symbol(function, literal->bytes))
			continue;
		struct shown shown = filter_shown(literal->bytes, literal->length);
		struct shown name = filter_shown(function->name, strlen(function->name));
		return filter_wrong(filter, literal->at,
				    "`%s` is recorded under the name `%s`; use that name",
				    shown.text, name.text);
	}
	return no_such(filter, literal, "function", &nearest);
}

static enum varve_status known_layer(struct varve_filter *filter, const struct literal *literal)
{
	const struct tables *tables = &filter->trace->tables;
	struct nearest nearest = {.wanted = literal->bytes, .length = literal->length};
	for (uint32_t i = 0; i < tables->layer_count; i++) {
		if (!strcmp(tables->layers[i], literal->bytes))
			return VARVE_OK;
		nearest_offer(&nearest, tables->layers[i]);
	}
	if (nearest.name)
		return no_such(filter, literal, "layer", &nearest);
	char names[192] = "";
	size_t used = 0;
	for (uint32_t i = 0; i < tables->layer_count && used < sizeof names; i++)
		used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", i ? ", " : "",
					 tables->layers[i]);
	struct shown shown = filter_shown(literal->bytes, literal->length);
	return filter_wrong(filter, literal->at,
			    "unknown layer `%s` in this trace; it has the layers %s", shown.text,
			    names);
}

static enum varve_status known_kind(struct varve_filter *filter, const struct literal *literal)
{
	struct nearest nearest = {.wanted = literal->bytes, .length = literal->length};
	for (uint32_t i = 0; i < FILTER_KINDS; i++) {
		if (!strcmp(handle_kind_name(i), literal->bytes))
			return VARVE_OK;
		nearest_offer(&nearest, handle_kind_name(i));
	}
	return no_such(filter, literal, "kind", &nearest);
}

/* Marks the functions whose name, or whose layer, satisfies the condition. */
static enum varve_status mark_functions(struct varve_filter *filter, struct term *term)
{
	const struct tables *tables = &filter->trace->tables;
	enum field_id id = term->field->id;
	bool layer = id == FIELD_LAYER || id == FIELD_PARENT_LAYER;
	TRY(filter_take(filter, filter->functions, 1, &term->by_function));
	if (!layer && id != FIELD_FUNCTION && id != FIELD_PARENT_FUNCTION)
		return VARVE_OK;
	for (uint32_t i = 0; i < tables->function_count; i++) {
		const struct varve_function *function = &tables->functions[i];
		const char *name = layer ? tables->layers[function->layer] : function->name;
		term->by_function[i + 1] =
			term->type == TERM_PRESENT ||
			matcher_fits(&term->matcher, (struct varve_text){name, strlen(name)}) !=
				term->negate;
	}
	return VARVE_OK;
}

/* ---- conditions ---- */

static enum varve_status wrong_op(struct varve_filter *filter, const struct term *term,
				  const char *is, const char *instead)
{
	size_t length = strcspn(filter->text + term->op_at, " \t\r\n\"'");
	length = length > 10 ? 10 : length;
	struct shown op = filter_shown(filter->text + term->op_at, length);
	return filter_wrong(filter, term->op_at, "`%s` is %s: `%s` does not apply; use %s",
			    term->field->name, is, op.text, instead);
}

/* Checks that each value is a single word or a quoted text. */
static enum varve_status plain_texts(struct varve_filter *filter, const struct term *term)
{
	for (const struct item *item = term->items; item; item = item->next) {
		if (item->range)
			return filter_wrong(filter, item->at,
					    "`%s` is a text, which has no ranges; put a text with "
					    "a colon in quotes",
					    term->field ? term->field->name : "inside");
		if (item->low->bar)
			return filter_wrong(filter, item->low->bar->at - 1,
					    "put a text with `|` in quotes");
	}
	return VARVE_OK;
}

static enum varve_status bind_text(struct varve_filter *filter, struct term *term)
{
	if (term->op >= WORD_LESS && term->op <= WORD_MORE_EQUAL)
		return wrong_op(filter, term, "a text", "==, in, ~, like or startswith");
	if (term->op == WORD_HAS)
		return wrong_op(filter, term, "a text", "~ or like");
	TRY(plain_texts(filter, term));
	bool names = term->op == WORD_EQUAL || term->op == WORD_UNEQUAL || term->op == WORD_IN;
	for (const struct item *item = term->items; names && item; item = item->next) {
		enum field_id id = term->field->id;
		if (id == FIELD_FUNCTION || id == FIELD_PARENT_FUNCTION)
			TRY(known_function(filter, item->low));
		else if (id == FIELD_LAYER || id == FIELD_PARENT_LAYER)
			TRY(known_layer(filter, item->low));
		else if (id == FIELD_KIND)
			TRY(known_kind(filter, item->low));
	}
	return matcher_make(filter, term);
}

struct asked {
	struct varve_filter *filter;
	const struct term *term;
};

static enum varve_status date_of(const struct asked *asked, const struct literal *literal, wide *ns)
{
	const struct varve_trace *trace = asked->filter->trace;
	if (!literal_date(literal, ns))
		return filter_wrong(asked->filter, literal->at,
				    "not a date and time of day; write for example "
				    "\"2026-11-15T20:00:05.25\" (UTC) "
				    "or \"2026-11-15T21:00:05+01:00\"");
	size_t at = 0;
	uint64_t start;
	const char *text = key_values_find(trace->description, trace->description_length,
					   "start_realtime", &at);
	if (!text || !parse_number(text, INT64_MAX, &start))
		return filter_wrong(
			asked->filter, literal->at,
			"the time of day at which the run began is not recorded in this trace");
	*ns -= start;
	return VARVE_OK;
}

/* The number of a literal, by the type of the field. */
static enum varve_status number_by_type(void *with, const struct literal *literal, wide *number)
{
	const struct asked *asked = with;
	const struct field *field = asked->term->field;
	struct shown shown = filter_shown(literal->bytes, literal->length);
	bool moment = field->type == TYPE_MOMENT;
	if (field->type == TYPE_MOMENT || field->type == TYPE_DURATION) {
		if (moment && literal->quoted && !literal->bar)
			return date_of(asked, literal, number);
		if (literal_time(literal, number))
			return VARVE_OK;
		return filter_wrong(
			asked->filter, literal->at,
			"`%s` is a time, and `%s` is not; write for example 1.5s, 10ms or 3us%s",
			field->name, shown.text, moment ? ", or a date in quotes" : "");
	}
	if (field->type == TYPE_ERROR) {
		if (literal_error(literal, number))
			return VARVE_OK;
		struct nearest nearest = {.wanted = literal->bytes, .length = literal->length};
		for (int32_t i = 1; i < ERRORS_MOST; i++)
			if (errno_name(i))
				nearest_offer(&nearest, errno_name(i));
		struct shown ask = nearest_ask(&nearest);
		return filter_wrong(asked->filter, literal->at, "unknown error `%s`%s", shown.text,
				    ask.text);
	}
	if (literal_number(literal, false, number))
		return VARVE_OK;
	bool zero = literal->bytes[0] == '0' && !literal->quoted;
	return filter_wrong(asked->filter, literal->at,
			    "`%s` is a number, and `%s` is not; write for example %s%s",
			    field->name, shown.text,
			    field->type == TYPE_BYTES ? "4KiB" : "3 or 0x1f",
			    zero ? " without a leading 0" : "");
}

/* Ranges of ranks may also be written `4-7`, as in options. */
static enum varve_status rank_ranges(struct varve_filter *filter, const struct term *term)
{
	for (struct item *item = term->items; item; item = item->next) {
		struct rank_range range;
		struct literal *low = item->low, *high;
		const char *dash = low && !item->range && !low->quoted && !low->bar
					   ? strchr(low->bytes, '-')
					   : NULL;
		const char *end = dash ? parse_rank_range(low->bytes, &range) : NULL;
		if (!end || *end)
			continue;
		char *bytes;
		size_t length = (size_t)(dash - low->bytes);
		TRY(filter_take(filter, 1, sizeof *high, &high));
		TRY(filter_take(filter, length + 1, 1, &bytes));
		memcpy(bytes, low->bytes, length);
		*high = *low;
		high->bytes = dash + 1;
		high->length = low->length - length - 1;
		low->bytes = bytes;
		low->length = length;
		item->high = high;
		item->range = true;
	}
	return VARVE_OK;
}

static enum varve_status bind_number(struct varve_filter *filter, struct term *term)
{
	struct asked asked = {filter, term};
	if (term->field->id == FIELD_RANK)
		TRY(rank_ranges(filter, term));
	if (term->op == WORD_HAS || term->op == WORD_FITS || term->op == WORD_UNFITS ||
	    term->op == WORD_LIKE || term->op == WORD_STARTS || term->op == WORD_ENDS)
		return wrong_op(filter, term,
				term->field->type == TYPE_MOMENT ||
						term->field->type == TYPE_DURATION
					? "a time"
					: "a number",
				"==, <, > or in");
	return numbers_make(filter, term, term->field->is_signed, number_by_type, &asked,
			    &term->numbers);
}

/* Sets the bit of this `inside` term for the functions that satisfy it. */
static enum varve_status bind_inside(struct varve_filter *filter, struct term *term)
{
	const struct tables *tables = &filter->trace->tables;
	TRY(plain_texts(filter, term));
	if (!filter->inside)
		TRY(filter_take(filter, TRACE_FUNCTIONS, sizeof *filter->inside, &filter->inside));
	for (const struct item *item = term->items; item; item = item->next) {
		struct item alone = {.low = item->low};
		struct matcher matcher = {.op = WORD_LIKE, .items = &alone};
		if (!strpbrk(item->low->bytes, "*?[")) {
			TRY(known_function(filter, item->low));
			matcher.op = WORD_EQUAL;
		}
		for (uint32_t i = 0; i < tables->function_count; i++) {
			const char *name = tables->functions[i].name;
			if (matcher_fits(&matcher, (struct varve_text){name, strlen(name)}))
				filter->inside[tables->functions[i].id] |= term->inside;
		}
	}
	filter->wants |= PAGE_INSIDE;
	return VARVE_OK;
}

/* Finds in which word functions for regions have the name. */
static enum varve_status bind_region(struct varve_filter *filter)
{
	const struct tables *tables = &filter->trace->tables;
	if (filter->region_words)
		return VARVE_OK;
	TRY(filter_take(filter, filter->functions, 1, &filter->region_words));
	for (uint32_t i = 0; i < tables->function_count; i++) {
		const struct varve_function *function = &tables->functions[i];
		const struct varve_field *name =
			strcmp(function->op, "region")
				? NULL
				: tables_field(tables, function, VARVE_STYLE_STRING,
					       VARVE_STYLE_STRING, false, RECORD_ARGUMENTS_MOST);
		if (name)
			filter->region_words[i + 1] = (uint8_t)(name->word + 1);
	}
	return VARVE_OK;
}

static enum varve_status bind_runtime(struct varve_filter *filter)
{
	/* The trace is not changed. */
	struct varve_trace *trace = (struct varve_trace *)(uintptr_t)filter->trace;
	if (filter->launchers)
		return VARVE_OK;
	TRY(filter_take(filter, trace->process_count + 1, 1, &filter->launchers));
	return launchers_find(trace, filter->launchers, filter->causes);
}

static enum varve_status bind_condition(struct varve_filter *filter, struct term *term)
{
	const struct field *field = term->field;
	term->negate = term->op == WORD_UNEQUAL || term->op == WORD_UNFITS;
	if (field->type == TYPE_ARGUMENT)
		return argument_bind(filter, term);
	/* The marks show whether a record has these fields. */
	bool marks = term->type == TERM_PRESENT &&
		     (field->type == TYPE_MOMENT || field->type == TYPE_DURATION ||
		      field->id == FIELD_ERRNO);
	filter->wants |= marks ? 0 : field->wants;
	if (term->type == TERM_COMPARE)
		TRY(field->type == TYPE_TEXT ? bind_text(filter, term) : bind_number(filter, term));
	filter->worlds |= field->id == FIELD_WORLD;
	if (field->id == FIELD_RUNTIME)
		return bind_runtime(filter);
	if (field->source == OF_FUNCTION || field->source == OF_PARENT)
		return mark_functions(filter, term);
	if (field->source == OF_REGION)
		return bind_region(filter);
	if (field->source == OF_WORDS || field->id == FIELD_RESULT)
		return places_find(filter, field, NULL, &term->places);
	return VARVE_OK;
}

static enum varve_status bind_term(struct varve_filter *filter, struct term *term)
{
	for (struct term *child = term->first; child; child = child->next)
		TRY(bind_term(filter, child));
	if (term->type == TERM_INSIDE)
		return bind_inside(filter, term);
	bool condition = term->type == TERM_PRESENT || term->type == TERM_COMPARE ||
			 term->type == TERM_TRUTH;
	return condition ? bind_condition(filter, term) : VARVE_OK;
}

enum varve_status filter_bind(struct varve_filter *filter)
{
	const struct tables *tables = &filter->trace->tables;
	filter->functions = (size_t)tables->function_count + 1;
	TRY(filter_take(filter, TRACE_FUNCTIONS, sizeof *filter->place_of, &filter->place_of));
	for (uint32_t i = 0; i < tables->function_count; i++)
		filter->place_of[tables->functions[i].id] = (uint16_t)(i + 1);
	size_t at = 0;
	const char *addresses = key_values_find(filter->trace->description,
						filter->trace->description_length, "pointers", &at);
	filter->addresses = addresses && !strcmp(addresses, "1");
	return bind_term(filter, filter->root);
}
