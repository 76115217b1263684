/* Trace: conditions on arguments, `arg.NAME`. See filter_tree.h.
 *
 * Arguments with the same name can be of different kinds: the mode of open is permission bits, that of fopen is a text. So
 * a condition is bound separately for each kind. If the written value is not valid for a kind, the condition is false for
 * that kind; it must be valid for at least one.
 */
#include "codec/host/decode.h"
#include "trace/filter/filter_tree.h"
#include "trace/names/value_words.h"

#include <stdlib.h>
#include <string.h>

enum { FD_CWD = -100, OCTAL_DIGITS = 3, NOT_TRIED = 0, UNFIT = UINT16_MAX };

/* The state while a condition is tried with one kind after the other. */
struct attempt {
	struct varve_filter *filter;
	struct term *term;
	const struct varve_kind *kind;
	const struct literal *bad;     /* the first value that is not valid for a kind */
	const struct literal *decimal; /* the first value that should be octal */
	bool numbers;		       /* the value is valid for a kind that is not a text */
	bool op_fits;		       /* the comparison applies to at least one kind */
	uint16_t *bound_of_kind;
};

static bool style_is_text(enum varve_style style)
{
	return style == VARVE_STYLE_NAME || style == VARVE_STYLE_STRING;
}

static bool style_is_signed(enum varve_style style)
{
	return style == VARVE_STYLE_SIGNED || style == VARVE_STYLE_OFFSET ||
	       style == VARVE_STYLE_TIME || style == VARVE_STYLE_ENUM || style == VARVE_STYLE_FD ||
	       style == VARVE_STYLE_DIRFD;
}

static bool op_applies(const struct term *term, enum varve_style style)
{
	bool equal = term->op == WORD_EQUAL || term->op == WORD_UNEQUAL || term->op == WORD_IN;
	bool order = term->op >= WORD_LESS && term->op <= WORD_MORE_EQUAL;
	if (equal)
		return true;
	if (style == VARVE_STYLE_FLAGS)
		return term->op == WORD_HAS;
	return style_is_text(style) ? !order && term->op != WORD_HAS : order;
}

static const struct varve_value *value_named(const struct varve_kind *kind, const char *name)
{
	for (uint32_t i = 0; i < kind->value_count; i++)
		if (!strcmp(kind->values[i].name, name))
			return &kind->values[i];
	return NULL;
}

/* Converts one word of a value of flags. */
static bool flag_bits(const struct varve_kind *kind, const struct literal *literal,
		      struct bits *bits)
{
	const struct varve_value *value = value_named(kind, literal->bytes);
	if (value) {
		bits->value = value->value;
		/* A name for 0 means that no bit is set. */
		bits->mask = value->mask ? value->mask : UINT64_MAX;
		return true;
	}
	if (value_of_words(kind, literal->bytes, &bits->value)) {
		bits->mask = UINT64_MAX;
		return true;
	}
	struct literal alone = *literal;
	wide number;
	alone.bar = NULL;
	if (!literal_number(&alone, true, &number) || number < 0)
		return false;
	bits->value = bits->mask = (uint64_t)number;
	return true;
}

/* Converts a time to a number of units of `unit` ns. If it is not a whole number of units, the comparisons < <= > >= use
 * the next whole number that gives the same result, and no value is equal to it. */
static bool whole_units(const struct attempt *attempt, const struct literal *literal, int64_t unit,
			wide *number)
{
	wide ns;
	if (!unit || !literal_time(literal, &ns) || !strcmp(literal->bytes, "0"))
		return false;
	wide units = ns / unit, rest = ns % unit;
	enum word_type op = attempt->term->op;
	*number = units + (rest > 0 && (op == WORD_LESS || op == WORD_MORE_EQUAL)) -
		  (rest < 0 && (op == WORD_MORE || op == WORD_LESS_EQUAL));
	return !rest || op == WORD_LESS || op == WORD_MORE_EQUAL || op == WORD_MORE ||
	       op == WORD_LESS_EQUAL;
}

/* The number of a literal for the kind of the attempt. VARVE_ABSENT: it is not valid. */
static enum varve_status number_by_kind(void *with, const struct literal *literal, wide *number)
{
	struct attempt *attempt = with;
	enum varve_style style = attempt->kind->style;
	bool fits;
	uint64_t value;
	const struct varve_value *named = style == VARVE_STYLE_ENUM && !literal->bar
						  ? value_named(attempt->kind, literal->bytes)
						  : NULL;
	if (named) {
		*number = (int64_t)named->value;
		return VARVE_OK;
	}
	if (style == VARVE_STYLE_FLAGS) {
		uint64_t all = 0;
		fits = true;
		for (const struct literal *word = literal; word && fits; word = word->bar) {
			struct bits bits = {0};
			fits = flag_bits(attempt->kind, word, &bits);
			all |= bits.value;
			if (!fits)
				literal = word;
		}
		*number = all;
	} else if (style == VARVE_STYLE_TIME) {
		fits = literal_time(literal, number);
	} else if (style == VARVE_STYLE_DIRFD && !strcmp(literal->bytes, "AT_FDCWD")) {
		fits = !literal->bar;
		*number = FD_CWD;
	} else if (style == VARVE_STYLE_OCTAL && !literal->quoted && literal->bytes[0] >= '1' &&
		   literal->bytes[0] <= '9') {
		/* 644 would be read as a decimal number and never match. */
		attempt->decimal = attempt->decimal ? attempt->decimal : literal;
		fits = false;
	} else if (!literal->bar && value_of_words(attempt->kind, literal->bytes, &value)) {
		fits = true;
		*number = value;
	} else if (whole_units(attempt, literal, value_unit(attempt->kind), number)) {
		fits = true;
	} else {
		fits = literal_number(literal, style == VARVE_STYLE_OCTAL, number);
	}
	if (fits)
		return VARVE_OK;
	attempt->bad = attempt->bad ? attempt->bad : literal;
	return VARVE_ABSENT;
}

static enum varve_status try_bits(struct attempt *attempt, struct bound *bound)
{
	size_t count = 0;
	for (const struct literal *word = attempt->term->items->low; word; word = word->bar)
		count++;
	TRY(filter_take(attempt->filter, count, sizeof *bound->bits, &bound->bits));
	for (const struct literal *word = attempt->term->items->low; word; word = word->bar)
		if (!flag_bits(attempt->kind, word, &bound->bits[bound->bit_count++])) {
			attempt->bad = attempt->bad ? attempt->bad : word;
			return VARVE_ABSENT;
		}
	return VARVE_OK;
}

static enum varve_status try_text(struct attempt *attempt, struct bound *bound)
{
	for (const struct item *item = attempt->term->items; item; item = item->next)
		if (item->range || item->low->bar) {
			attempt->bad = attempt->bad ? attempt->bad
				       : item->low  ? item->low
						    : item->high;
			return VARVE_ABSENT;
		}
	bound->is_text = true;
	return matcher_make(attempt->filter, attempt->term);
}

/* Binds the condition for values of one kind. VARVE_ABSENT: it does not apply. */
static enum varve_status try_kind(struct attempt *attempt, struct bound *bound)
{
	struct term *term = attempt->term;
	enum varve_style style = attempt->kind->style;
	if (!op_applies(term, style))
		return VARVE_ABSENT;
	attempt->op_fits = true;
	bound->is_signed = style_is_signed(style);
	if (style_is_text(style))
		return try_text(attempt, bound);
	if (term->op == WORD_HAS)
		return try_bits(attempt, bound);
	for (const struct item *item = term->items; item; item = item->next)
		if (style == VARVE_STYLE_FLAGS && item->range) {
			attempt->bad = attempt->bad ? attempt->bad
				       : item->low  ? item->low
						    : item->high;
			return VARVE_ABSENT;
		}
	return numbers_make(attempt->filter, term, bound->is_signed, number_by_kind, attempt,
			    &bound->numbers);
}

static void offer_values(const struct attempt *attempt, struct nearest *nearest)
{
	const struct tables *tables = &attempt->filter->trace->tables;
	for (uint32_t i = 0; i < tables->kind_count; i++)
		for (uint32_t j = 0; attempt->bound_of_kind[i] && j < tables->kinds[i].value_count;
		     j++)
			nearest_offer(nearest, tables->kinds[i].values[j].name);
}

/* The value is valid for no kind: the error names the last one that was tried. */
static enum varve_status no_kind_fits(struct attempt *attempt)
{
	struct varve_filter *filter = attempt->filter;
	const struct term *term = attempt->term;
	struct shown name = filter_shown(term->argument, strlen(term->argument));
	enum varve_style style = attempt->kind->style;
	bool flags = style == VARVE_STYLE_FLAGS, named = flags || style == VARVE_STYLE_ENUM;
	const char *is = style_is_text(style)	     ? "a text"
			 : flags		     ? "flags"
			 : style == VARVE_STYLE_TIME ? "a time"
						     : "a number";
	if (!attempt->op_fits || !attempt->bad)
		return filter_wrong(filter, term->op_at, "`arg.%s` is %s; use %s", name.text, is,
				    style_is_text(style) ? "==, in, ~, like or startswith"
				    : flags		 ? "==, in or has"
							 : "==, <, > or in");
	struct shown shown = filter_shown(attempt->bad->bytes, attempt->bad->length);
	struct nearest nearest = {.wanted = attempt->bad->bytes, .length = attempt->bad->length};
	offer_values(attempt, &nearest);
	if (named || nearest.name) {
		struct shown ask = nearest_ask(&nearest);
		return filter_wrong(filter, attempt->bad->at, "`arg.%s` has no value `%s`%s",
				    name.text, shown.text, ask.text);
	}
	if (style_is_text(style))
		return filter_wrong(
			filter, attempt->bad->at,
			"`arg.%s` is a text, which has no ranges; put a text with `|` in quotes",
			name.text);
	return filter_wrong(filter, attempt->bad->at,
			    "`arg.%s` is %s, and `%s` is not; write for example %s", name.text, is,
			    shown.text,
			    style == VARVE_STYLE_OCTAL	? "0644"
			    : style == VARVE_STYLE_TIME ? "10ms"
							: "4KiB or 0x1f");
}

static enum varve_status no_argument(struct varve_filter *filter, const struct term *term)
{
	const struct tables *tables = &filter->trace->tables;
	struct nearest nearest = {.wanted = term->argument, .length = strlen(term->argument)};
	struct shown shown = filter_shown(term->argument, nearest.length);
	for (uint32_t i = 0; i < tables->function_count; i++)
		for (uint32_t j = 0; j < tables->functions[i].field_count; j++) {
			const char *name = tables->functions[i].fields[j].name;
			if (!strcmp(name, term->argument))
				return filter_wrong(filter, term->at, "`arg.%s` is never recorded",
						    shown.text);
			nearest_offer(&nearest, name);
		}
	struct shown ask = nearest_ask(&nearest);
	return filter_wrong(filter, term->at, "no function has an argument `%s`%s", shown.text,
			    ask.text);
}

/* Makes one bound for each kind that this argument has in any function. */
static enum varve_status try_kinds(struct attempt *attempt)
{
	struct varve_filter *filter = attempt->filter;
	struct term *term = attempt->term;
	const struct tables *tables = &filter->trace->tables;
	size_t kinds = 0;
	for (size_t i = 0; i < filter->functions; i++) {
		const struct place *place = &term->places->by_function[i];
		kinds += place->way != PLACE_NONE && !attempt->bound_of_kind[place->kind]++;
	}
	TRY(filter_take(filter, kinds, sizeof *term->bounds, &term->bounds));
	TRY(filter_take(filter, filter->functions, sizeof *term->bound_of, &term->bound_of));
	memset(attempt->bound_of_kind, 0, tables->kind_count * sizeof *attempt->bound_of_kind);
	for (size_t i = 0; i < filter->functions; i++) {
		const struct place *place = &term->places->by_function[i];
		if (place->way == PLACE_NONE)
			continue;
		uint16_t *known = &attempt->bound_of_kind[place->kind];
		if (*known == NOT_TRIED) {
			struct bound bound = {.kind = place->kind};
			attempt->kind = &tables->kinds[place->kind];
			enum varve_status status = try_kind(attempt, &bound);
			if (status != VARVE_OK && status != VARVE_ABSENT)
				return status;
			*known = UNFIT;
			if (status == VARVE_OK) {
				attempt->numbers |= !bound.is_text;
				term->bounds[term->bound_count] = bound;
				*known = (uint16_t)++term->bound_count;
			}
		}
		term->bound_of[i] = *known == UNFIT ? 0 : *known;
	}
	/* A number of one or two digits can be meant for a function where this argument is not permission bits. */
	if (attempt->decimal && (!attempt->numbers || attempt->decimal->length >= OCTAL_DIGITS)) {
		struct shown shown =
			filter_shown(attempt->decimal->bytes, attempt->decimal->length);
		return filter_wrong(filter, attempt->decimal->at,
				    "permission bits are octal; write 0%s", shown.text);
	}
	return term->bound_count ? VARVE_OK : no_kind_fits(attempt);
}

enum varve_status argument_bind(struct varve_filter *filter, struct term *term)
{
	const struct tables *tables = &filter->trace->tables;
	bool any = false;
	TRY(places_find(filter, term->field, term->argument, &term->places));
	for (size_t i = 0; i < filter->functions; i++) {
		const struct place *place = &term->places->by_function[i];
		any |= place->way != PLACE_NONE;
		if (place->way != PLACE_NONE && style_is_text((enum varve_style)place->style))
			filter->wants |= WANT_DEFINITIONS;
	}
	if (!any)
		return no_argument(filter, term);
	filter->wants |= WANT_WORDS;
	if (term->type == TERM_PRESENT)
		return VARVE_OK;
	struct attempt attempt = {.filter = filter, .term = term, .kind = tables->kinds};
	attempt.bound_of_kind = calloc(tables->kind_count, sizeof *attempt.bound_of_kind);
	if (!attempt.bound_of_kind)
		return cause(filter->causes, VARVE_NO_MEMORY, "no memory for a filter");
	enum varve_status status = try_kinds(&attempt);
	free(attempt.bound_of_kind);
	return status;
}
