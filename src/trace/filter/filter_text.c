/* Trace: compares texts for a filter. See filter_tree.h.
 *
 * Equality, prefixes, suffixes, shell patterns, and POSIX extended regular expressions of the C library. The library
 * copies repeated parts when it compiles, so the size of an expression is computed first.
 */
#include "base/pattern.h"
#include "trace/filter/filter_tree.h"

#include <stdlib.h>
#include <string.h>

enum {
	REGEX_LENGTH_MOST = 256,
	REGEX_REPEAT_MOST = 255,
	REGEX_NESTED_MOST = 4,
	REGEX_WEIGHT_MOST = 600,
	REGEX_WEIGHT_ALL = 6000
};

struct filter_regex {
	regex_t compiled;
	struct filter_regex *next;
};

/* The size of what is inside one level of parentheses. */
struct weighed {
	size_t sum;
	size_t last;	      /* size of the last atom, to which a repetition applies */
	bool repeated;	      /* the last atom is repeated */
	unsigned last_nested; /* nesting of repetitions in the last atom */
	unsigned nested;      /* the largest nesting of all atoms */
};

/* Reads `{n}`, `{n,}` or `{n,m}` at `text`: how many copies the library makes. False: it is no repetition. */
static bool repeat_read(const char *text, size_t *length, size_t *times)
{
	size_t low = 0, high = 0, at = 1;
	bool comma = false;
	for (; text[at] && text[at] != '}'; at++) {
		if (text[at] == ',' && !comma) {
			comma = true;
			continue;
		}
		if (text[at] < '0' || text[at] > '9')
			return false;
		size_t *number = comma ? &high : &low;
		*number = *number * 10 + (size_t)(text[at] - '0');
		if (*number > REGEX_REPEAT_MOST)
			*number = REGEX_REPEAT_MOST + 1;
	}
	*length = at + (text[at] == '}');
	*times = high > low ? high : low + comma;
	return true;
}

/* Length of an atom: a set in brackets, an escaped byte, or a byte. */
static size_t atom_length(const char *text)
{
	if (*text == '\\')
		return text[1] ? 2 : 1;
	if (*text != '[')
		return 1;
	size_t at = 1 + (text[1] == '^');
	at += text[at] == ']';
	while (text[at] && text[at] != ']') {
		/* [:alpha:] and others */
		const char *kind =
			text[at] == '[' && text[at + 1] ? strchr(":.=", text[at + 1]) : NULL;
		const char *end = NULL;
		if (kind) {
			char closing[] = {*kind, ']', 0};
			end = strstr(text + at + 2, closing);
		}
		at = end ? (size_t)(end + 2 - text) : at + 1;
	}
	return at + (text[at] == ']');
}

static enum varve_status weight_repeat(struct varve_filter *filter, size_t at,
				       struct weighed *level, size_t times)
{
	if (times > REGEX_REPEAT_MOST)
		return filter_wrong(filter, at,
				    "a regular expression can repeat a part at most %d times",
				    REGEX_REPEAT_MOST);
	/* Two repetitions mean the same as one of them, but take the C library exponential time. */
	if (level->repeated)
		return filter_wrong(filter, at,
				    "two repetitions follow each other in this regular expression; "
				    "one has the same effect");
	level->repeated = true;
	level->last_nested++;
	if (level->last_nested > level->nested)
		level->nested = level->last_nested;
	if (level->nested > REGEX_NESTED_MOST)
		return filter_wrong(
			filter, at,
			"repetitions of a regular expression can be nested at most %d deep",
			REGEX_NESTED_MOST);
	times = times ? times : 1;
	level->sum += level->last * (times - 1);
	level->last *= times;
	if (level->sum > REGEX_WEIGHT_MOST)
		return filter_wrong(filter, at,
				    "this regular expression is too large: with expanded "
				    "repetitions it has more than %d parts",
				    REGEX_WEIGHT_MOST);
	return VARVE_OK;
}

/* Computes the size of an expression with all repetitions expanded. The depth is limited by its length. */
static enum varve_status regex_weigh(struct varve_filter *filter, const struct literal *literal,
				     size_t *weight)
{
	struct weighed levels[REGEX_LENGTH_MOST + 1] = {0};
	size_t depth = 0;
	for (const char *text = literal->bytes; *text;) {
		struct weighed *level = &levels[depth];
		size_t length = 1, times = 1;
		if (*text == '(') {
			levels[++depth] = (struct weighed){0};
		} else if (*text == ')' && depth) {
			size_t inner = level->sum + 1;
			unsigned nested = level->nested;
			level = &levels[--depth];
			level->sum += inner;
			level->last = inner;
			level->repeated = false;
			level->last_nested = nested;
			if (nested > level->nested)
				level->nested = nested;
		} else if (*text == '*' || *text == '?') {
			TRY(weight_repeat(filter, literal->at, level, 1)); /* one copy is enough */
		} else if (*text == '+') {
			TRY(weight_repeat(filter, literal->at, level, 2));
		} else if (*text == '{' && repeat_read(text, &length, &times)) {
			TRY(weight_repeat(filter, literal->at, level, times));
		} else if (*text == '\\' && text[1] >= '1' && text[1] <= '9') {
			return filter_wrong(
				filter, literal->at,
				"a regular expression cannot use back references (`\\%c`)",
				text[1]);
		} else {
			length = atom_length(text);
			level->sum++;
			level->last = 1;
			level->repeated = false;
			level->last_nested = 0;
		}
		text += length;
	}
	*weight = 0;
	for (size_t i = 0; i <= depth; i++)
		*weight += levels[i].sum;
	return VARVE_OK;
}

static enum varve_status regex_compile(struct varve_filter *filter, const struct literal *literal,
				       regex_t **result)
{
	size_t weight = 0;
	if (literal->length > REGEX_LENGTH_MOST)
		return filter_wrong(
			filter, literal->at,
			"a regular expression can have at most %d bytes, this one has %zu",
			REGEX_LENGTH_MOST, literal->length);
	TRY(regex_weigh(filter, literal, &weight));
	filter->regex_weight += weight;
	if (filter->regex_weight > REGEX_WEIGHT_ALL)
		return filter_wrong(
			filter, literal->at,
			"all regular expressions of this filter together are too large");
	struct filter_regex *regex = malloc(sizeof *regex);
	if (!regex)
		return cause(filter->causes, VARVE_NO_MEMORY, "no memory for a filter");
	int wrong = regcomp(&regex->compiled, literal->bytes, REG_EXTENDED | REG_NOSUB);
	if (wrong) {
		char why[128];
		regerror(wrong, &regex->compiled, why, sizeof why);
		free(regex);
		if (*literal->bytes == '*')
			return filter_wrong(filter, literal->at,
					    "a regular expression cannot begin with `*`; for "
					    "shell patterns write `like`");
		return filter_wrong(filter, literal->at, "not a regular expression: %s", why);
	}
	regex->next = filter->regexes;
	filter->regexes = regex;
	*result = &regex->compiled;
	return VARVE_OK;
}

void filter_regexes_free(struct varve_filter *filter)
{
	while (filter->regexes) {
		struct filter_regex *next = filter->regexes->next;
		regfree(&filter->regexes->compiled);
		free(filter->regexes);
		filter->regexes = next;
	}
}

static enum word_type matcher_op(enum word_type op)
{
	if (op == WORD_UNFITS)
		return WORD_FITS;
	return op == WORD_UNEQUAL || op == WORD_IN ? WORD_EQUAL : op;
}

enum varve_status matcher_make(struct varve_filter *filter, struct term *term)
{
	term->matcher.op = matcher_op(term->op);
	term->matcher.items = term->items;
	if (term->matcher.op != WORD_FITS || term->matcher.regex)
		return VARVE_OK;
	return regex_compile(filter, term->items->low, &term->matcher.regex);
}

/* Not regexec(): texts are not ended by a zero byte. */
static bool fits_regex(regex_t *regex, struct varve_text text)
{
	regoff_t length = (regoff_t)text.length;
	return text.length <= INT32_MAX &&
	       re_search(regex, text.bytes, length, 0, length, NULL) >= 0;
}

bool matcher_fits(const struct matcher *matcher, struct varve_text text)
{
	const struct literal *literal = matcher->items->low;
	if (matcher->op == WORD_FITS)
		return fits_regex(matcher->regex, text);
	if (matcher->op == WORD_LIKE)
		return pattern_fits(literal->bytes, text.bytes, text.length);
	if (matcher->op == WORD_STARTS)
		return literal->length <= text.length &&
		       !memcmp(literal->bytes, text.bytes, literal->length);
	if (matcher->op == WORD_ENDS)
		return literal->length <= text.length &&
		       !memcmp(literal->bytes, text.bytes + text.length - literal->length,
			       literal->length);
	for (const struct item *item = matcher->items; item; item = item->next)
		if (item->low->length == text.length &&
		    !memcmp(item->low->bytes, text.bytes, text.length))
			return true;
	return false;
}
