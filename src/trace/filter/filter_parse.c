/* Trace: makes the tree of a filter from its words. See filter_tree.h; docs/filter.md has the grammar.
 *
 * The parser looks one word ahead. Recursion is limited by FILTER_DEPTH_MOST: chains of `and` and of `or` are lists.
 * Fields are looked up here, values stay as written until they are bound.
 */
#include "trace/filter/filter_tree.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

struct parser {
	struct varve_filter *filter;
	struct word word; /* the next word */
	unsigned depth;	  /* number of parentheses and nots around it */
};

static enum varve_status parse_step(struct parser *parser)
{
	return filter_next(parser->filter, &parser->word);
}

/* The text for the next word in an error. */
static struct shown next_shown(const struct parser *parser)
{
	const struct word *word = &parser->word;
	if (word->type == WORD_END)
		return (struct shown){"the end"};
	struct shown inner = filter_shown(parser->filter->text + word->at, word->end - word->at);
	struct shown shown;
	snprintf(shown.text, sizeof shown.text, "`%.61s`", inner.text);
	return shown;
}

/* What was probably meant by a word that cannot be here; NULL: not known. */
static const char *word_meant(const struct word *word)
{
	static const struct {
		char name[12];
		const char *meant;
	} words[] = {{"and", "write `and` in small letters"},
		     {"or", "write `or` in small letters"},
		     {"in", "write `in` in small letters"},
		     {"like", "write `like` in small letters"},
		     {"is", "write =="},
		     {"equals", "write =="},
		     {"contains", "write for example path like '*out*'"}};
	static const char *const units[] = {"b",   "k",	  "m",	"g",  "kb", "mb", "gb",	 "kib",
					    "mib", "gib", "ns", "us", "ms", "s",  "min", "h"};
	for (size_t i = 0; word->type == WORD_BARE && i < sizeof words / sizeof *words; i++)
		if (!strcasecmp(word->bytes, words[i].name))
			return words[i].meant;
	for (size_t i = 0; word->type == WORD_BARE && i < sizeof units / sizeof *units; i++)
		if (!strcasecmp(word->bytes, units[i]))
			return "write a number and its unit without a space, as in 10KiB";
	return NULL;
}

static enum varve_status parse_unexpected(struct parser *parser, const char *expected)
{
	struct shown shown = next_shown(parser);
	bool reserved = parser->word.type >= WORD_AND && parser->word.bytes;
	const char *meant = word_meant(&parser->word);
	return filter_wrong(parser->filter, parser->word.at, "expected %s, found %s%s%s", expected,
			    shown.text, meant || reserved ? "; " : "",
			    meant      ? meant
			    : reserved ? "put it in quotes to use it as a value"
				       : "");
}

static enum varve_status term_make(struct parser *parser, enum term_type type, struct term **result)
{
	TRY(filter_take(parser->filter, 1, sizeof **result, result));
	(*result)->type = type;
	(*result)->at = parser->word.at;
	return VARVE_OK;
}

static enum varve_status parse_literal(struct parser *parser, const char *expected,
				       struct literal **result)
{
	struct literal **to = result;
	for (;;) {
		const struct word *word = &parser->word;
		if (word->type != WORD_BARE && word->type != WORD_QUOTED)
			return parse_unexpected(parser, expected);
		TRY(filter_take(parser->filter, 1, sizeof **to, to));
		**to = (struct literal){.bytes = word->bytes,
					.length = word->length,
					.at = word->at,
					.quoted = word->type == WORD_QUOTED};
		TRY(parse_step(parser));
		if (parser->word.type != WORD_BAR)
			return VARVE_OK;
		to = &(*to)->bar;
		TRY(parse_step(parser));
	}
}

static bool value_follows(const struct parser *parser)
{
	return parser->word.type == WORD_BARE || parser->word.type == WORD_QUOTED;
}

/* Parses a value, or `low:high`, `low:`, `:high`, `low:high:stride`. */
static enum varve_status parse_item(struct parser *parser, struct item **result)
{
	struct item *made;
	TRY(filter_take(parser->filter, 1, sizeof *made, &made));
	*result = made;
	made->at = parser->word.at;
	if (parser->word.type != WORD_COLON)
		TRY(parse_literal(parser, "a value", &made->low));
	if (parser->word.type != WORD_COLON)
		return VARVE_OK;
	made->range = true;
	TRY(parse_step(parser));
	if (value_follows(parser))
		TRY(parse_literal(parser, "a value", &made->high));
	if (!made->low && !made->high)
		return filter_wrong(
			parser->filter, made->at,
			"a range needs a first or a last value; write for example 0:15 or 4KiB:");
	if (parser->word.type != WORD_COLON)
		return VARVE_OK;
	if (!made->low)
		return filter_wrong(parser->filter, made->at,
				    "a range with a stride needs a first value");
	TRY(parse_step(parser));
	return parse_literal(parser, "a stride", &made->stride);
}

static enum varve_status parse_set(struct parser *parser, struct item **result)
{
	for (;;) {
		TRY(parse_item(parser, result));
		if (parser->word.type != WORD_COMMA)
			return VARVE_OK;
		TRY(parse_step(parser));
		result = &(*result)->next;
	}
}

static enum varve_status one_value(struct parser *parser, struct item **result)
{
	TRY(filter_take(parser->filter, 1, sizeof **result, result));
	(*result)->at = parser->word.at;
	TRY(parse_literal(parser, "a value", &(*result)->low));
	if (parser->word.type == WORD_COMMA || parser->word.type == WORD_COLON)
		return filter_wrong(parser->filter, parser->word.at,
				    "a set or range needs `in`; a date needs quotes");
	return VARVE_OK;
}

/* Whether a function of the trace has an argument with this name. */
static bool is_argument(const struct varve_trace *trace, const char *name)
{
	for (uint32_t i = 0; i < trace->tables.function_count; i++) {
		const struct varve_function *function = &trace->tables.functions[i];
		for (uint32_t k = 0; k < function->field_count; k++)
			if (!strcmp(function->fields[k].name, name))
				return true;
	}
	return false;
}

static enum varve_status parse_field(struct parser *parser, struct term *term)
{
	struct varve_filter *filter = parser->filter;
	const struct word *word = &parser->word;
	if (word->type != WORD_BARE)
		return parse_unexpected(parser, "a field");
	if (!strncmp(word->bytes, "arg.", 4) && word->bytes[4]) {
		term->field = &filter_argument;
		term->argument = word->bytes + 4;
		return parse_step(parser);
	}
	term->field = field_find(word->bytes);
	if (term->field)
		return parse_step(parser);
	struct nearest nearest = {.wanted = word->bytes, .length = word->length};
	for (size_t i = 0; i < filter_field_count; i++)
		nearest_offer(&nearest, filter_fields[i].name);
	struct shown shown = filter_shown(word->bytes, word->length);
	struct shown ask = nearest_ask(&nearest);
	if (!nearest.name && is_argument(filter->trace, word->bytes))
		return filter_wrong(filter, word->at,
				    "unknown field `%s`; for the argument write arg.%s", shown.text,
				    shown.text);
	return filter_wrong(filter, word->at, "unknown field `%s`%s", shown.text, ask.text);
}

static enum varve_status parse_inside(struct parser *parser, struct term *term)
{
	struct varve_filter *filter = parser->filter;
	term->type = TERM_INSIDE;
	if (filter->inside_count >= FILTER_INSIDE_MOST)
		return filter_wrong(filter, term->at, "at most %d `inside` are allowed",
				    FILTER_INSIDE_MOST);
	term->inside = UINT32_C(1) << filter->inside_count++;
	TRY(parse_step(parser));
	return parse_set(parser, &term->items);
}

/* Reports a field without a comparison. */
static enum varve_status term_alone(struct varve_filter *filter, const struct term *term)
{
	const char *name = term->argument ? term->argument : term->field->name;
	const char *before = term->argument ? "arg." : "";
	struct shown shown = filter_shown(name, strlen(name));
	return filter_wrong(
		filter, term->at,
		"`%s%s` alone is not a condition; compare it with a value, or write `has %s%s`",
		before, shown.text, before, shown.text);
}

static enum varve_status parse_comparison(struct parser *parser, struct term *term)
{
	term->type = TERM_COMPARE;
	term->op = parser->word.type;
	term->op_at = parser->word.at;
	switch (parser->word.type) {
	case WORD_EQUAL:
	case WORD_UNEQUAL:
	case WORD_LESS:
	case WORD_LESS_EQUAL:
	case WORD_MORE:
	case WORD_MORE_EQUAL:
	case WORD_FITS:
	case WORD_UNFITS:
	case WORD_LIKE:
	case WORD_STARTS:
	case WORD_ENDS:
	case WORD_HAS:
		TRY(parse_step(parser));
		return one_value(parser, &term->items);
	case WORD_IN:
		TRY(parse_step(parser));
		return parse_set(parser, &term->items);
	case WORD_END:
	case WORD_CLOSE:
	case WORD_AND:
	case WORD_OR:
		return term_alone(parser->filter, term);
	case WORD_BARE:
	case WORD_QUOTED:
	case WORD_OPEN:
	case WORD_COMMA:
	case WORD_COLON:
	case WORD_BAR:
	case WORD_INSIDE:
		break;
	case WORD_NOT:
		return filter_wrong(parser->filter, parser->word.at,
				    "write `not` before the field, as in not function in a,b");
	}
	return parse_unexpected(parser, "a comparison such as == or in");
}

static enum varve_status parse_condition(struct parser *parser, struct term **result)
{
	struct varve_filter *filter = parser->filter;
	if (++filter->conditions > FILTER_CONDITIONS_MOST)
		return filter_wrong(filter, parser->word.at, "at most %d conditions are allowed",
				    FILTER_CONDITIONS_MOST);
	TRY(term_make(parser, TERM_PRESENT, result));
	struct term *term = *result;
	if (parser->word.type == WORD_INSIDE)
		return parse_inside(parser, term);
	if (parser->word.type == WORD_HAS) {
		TRY(parse_step(parser));
		return parse_field(parser, term);
	}
	if (parser->word.type != WORD_BARE)
		return parse_unexpected(parser, "a condition");
	TRY(parse_field(parser, term));
	if (term->field->type != TYPE_TRUTH)
		return parse_comparison(parser, term);
	term->type = TERM_TRUTH;
	if (parser->word.type >= WORD_EQUAL && parser->word.type <= WORD_HAS)
		return filter_wrong(filter, parser->word.at,
				    "`%s` is already a condition; write `%s` or `not %s`",
				    term->field->name, term->field->name, term->field->name);
	return VARVE_OK;
}

static enum varve_status parse_or(struct parser *parser, struct term **result);

static enum varve_status parse_deeper(struct parser *parser)
{
	if (++parser->depth > FILTER_DEPTH_MOST)
		return filter_wrong(parser->filter, parser->word.at,
				    "parentheses and nots can be nested at most %d deep",
				    FILTER_DEPTH_MOST);
	return parse_step(parser);
}

static enum varve_status parse_not(struct parser *parser, struct term **result)
{
	size_t at = parser->word.at;
	if (parser->word.type == WORD_NOT) {
		TRY(term_make(parser, TERM_NOT, result));
		TRY(parse_deeper(parser));
		TRY(parse_not(parser, &(*result)->first));
		parser->depth--;
		return VARVE_OK;
	}
	if (parser->word.type != WORD_OPEN)
		return parse_condition(parser, result);
	TRY(parse_deeper(parser));
	TRY(parse_or(parser, result));
	parser->depth--;
	if (parser->word.type == WORD_END)
		return filter_wrong(parser->filter, at, "missing `)` for this parenthesis");
	if (parser->word.type != WORD_CLOSE)
		return parse_unexpected(parser, "`and`, `or` or `)`");
	return parse_step(parser);
}

/* Parses `part`s with words of type `sign` between them into a list of type `type`; a single part needs no list. */
static enum varve_status parse_chain(struct parser *parser, enum term_type type,
				     enum word_type sign,
				     enum varve_status (*part)(struct parser *, struct term **),
				     struct term **result)
{
	struct term *first = NULL;
	TRY(part(parser, &first));
	*result = first;
	if (parser->word.type != sign)
		return VARVE_OK;
	TRY(term_make(parser, type, result));
	(*result)->first = first;
	for (struct term *last = first; last && parser->word.type == sign; last = last->next) {
		TRY(parse_step(parser));
		TRY(part(parser, &last->next));
	}
	return VARVE_OK;
}

static enum varve_status parse_and(struct parser *parser, struct term **result)
{
	return parse_chain(parser, TERM_AND, WORD_AND, parse_not, result);
}

static enum varve_status parse_or(struct parser *parser, struct term **result)
{
	return parse_chain(parser, TERM_OR, WORD_OR, parse_and, result);
}

/* Recursion is limited, because the parser limits the depth of a tree. */
static unsigned tree_depth(const struct term *term)
{
	unsigned deepest = 0;
	for (const struct term *child = term->first; child; child = child->next) {
		unsigned depth = tree_depth(child);
		deepest = depth > deepest ? depth : deepest;
	}
	return deepest + 1;
}

enum varve_status filter_parse(struct varve_filter *filter)
{
	struct parser parser = {.filter = filter};
	TRY(parse_step(&parser));
	if (parser.word.type == WORD_END)
		return filter_wrong(
			filter, 0, "the filter is empty; write for example failed and size > 4KiB");
	TRY(parse_or(&parser, &filter->root));
	if (parser.word.type == WORD_CLOSE)
		return filter_wrong(filter, parser.word.at, "`)` without `(`");
	if (parser.word.type != WORD_END)
		return parse_unexpected(&parser, "`and`, `or` or the end");
	filter->depth = tree_depth(filter->root);
	return VARVE_OK;
}
