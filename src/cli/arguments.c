/* Command line: reads the options of a verb, prints its help, suggests the most similar word. All of this uses the table
 * of verbs. See verbs.h. */
#include "base/nearest.h"
#include "cli/facts.h"
#include "cli/terminal/output.h"
#include "cli/verbs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *option(const struct arguments *arguments, const char *name)
{
	for (size_t i = 0; i < verb_option_count(arguments->verb); i++)
		if (!strcmp(verb_option_at(arguments->verb, i)->name, name))
			return arguments->values[i];
	return NULL;
}

size_t verb_own_option_count(const struct verb *verb)
{
	size_t count = 0;
	while (count < VERB_OPTIONS_MOST && verb->options[count].name)
		count++;
	return count;
}

/* Options after the name of a program belong to the program, so `record` has no common options. */
size_t verb_option_count(const struct verb *verb)
{
	return verb_own_option_count(verb) + (verb->program_follows ? 0 : common_options_count);
}

const struct verb_option *verb_option_at(const struct verb *verb, size_t i)
{
	size_t own = verb_own_option_count(verb);
	return i < own ? &verb->options[i] : &common_options[i - own];
}

static const char *option_name(const void *context, size_t i)
{
	return verb_option_at(context, i)->name;
}

/* A filter in place of an option that another verb has; NULL: there is none, or the verb has no --where. */
static const char *where_instead(const struct verb *verb, const char *name)
{
	static const struct {
		char name[12];
		const char *where;
	} options[] = {{"layer", "layer == posix"},   {"function", "function == write"},
		       {"process", "process == 1"},   {"stream", "process == 1 and thread == 2"},
		       {"thread", "thread == 2"},     {"pid", "pid == 1234"},
		       {"tid", "tid == 1234"},	      {"file", "path like '*.dat'"},
		       {"path", "path like '*.dat'"}, {"failed", "failed"},
		       {"from", "time >= 1s"},	      {"to", "time < 2s"}};
	bool has = false;
	for (size_t i = 0; i < verb_option_count(verb); i++)
		has |= !strcmp(verb_option_at(verb, i)->name, "where");
	for (size_t i = 0; has && i < sizeof options / sizeof *options; i++)
		if (!strcmp(options[i].name, name))
			return options[i].where;
	return NULL;
}

static int wrong_option(const struct verb *verb, const char *word)
{
	char name[64];
	snprintf(name, sizeof name, "%.*s", (int)(strcspn(word + 2, "=") & 63), word + 2);
	const char *near =
		word[1] == '-' ? nearest(name, verb_option_count(verb), option_name, verb) : NULL;
	const char *where = word[1] == '-' ? where_instead(verb, name) : NULL;
	if (where)
		message("%s: unknown option %s; use a filter, as in --where \"%s\"", verb->name,
			word, where);
	else if (near)
		message("%s: unknown option %s; did you mean --%s?", verb->name, word, near);
	else
		message("%s: unknown option %s; see `varve %s --help`", verb->name, word,
			verb->name);
	return verb->failure;
}

/* The index of the option in a word; verb_option_count() if there is none. */
static size_t find_option(const struct verb *verb, const char *word)
{
	size_t length = word[1] == '-' ? strcspn(word + 2, "=") : 0, i = 0;
	for (; i < verb_option_count(verb); i++) {
		const struct verb_option *known = verb_option_at(verb, i);
		if (length ? strlen(known->name) == length &&
				     !strncmp(known->name, word + 2, length)
			   : known->letter && known->letter == word[1])
			break;
	}
	return i;
}

/* The value of an option, from its word or from the next one; NULL after a message. */
static const char *option_value(const struct verb *verb, const struct verb_option *known, int count,
				char **words, int *at)
{
	const char *word = words[*at];
	const char *attached = word[1] == '-' ? strchr(word, '=') : word[2] ? word + 1 : NULL;
	if (!known->value) {
		if (!attached)
			return "";
		message("%s: --%s takes no value; write only --%s", verb->name, known->name,
			known->name);
		return NULL;
	}
	if (attached)
		return attached + 1;
	if (*at + 1 < count)
		return words[++*at];
	message("%s: --%s needs a value: --%s %s; see `varve %s --help`", verb->name, known->name,
		known->name, known->value, verb->name);
	return NULL;
}

static const char *option_of(const void *arguments, const char *name)
{
	return option(arguments, name);
}

/* Whether giving an option twice would lose its first value, which is an error. Scripts often repeat options of `record`,
 * and --format: there, the last value is used. */
static bool value_lost(const struct arguments *arguments, size_t place, const char *value)
{
	const struct verb *verb = arguments->verb;
	const char *before = arguments->values[place], *name = verb_option_at(verb, place)->name;
	if (verb->program_follows || place >= verb_own_option_count(verb) ||
	    !strcmp(name, "format") || !before || !strcmp(before, value))
		return false;
	message("%s: --%s is given twice, as '%s' and as '%s'; give it once%s", verb->name, name,
		before, value, strcmp(name, "where") ? "" : ", and join filters with `and`");
	return true;
}

/* The number of operands is wrong: prints the missing one, from the usage, or the first one too many. */
static void operands_message(const struct arguments *arguments)
{
	const struct verb *verb = arguments->verb;
	if (verb->most == 1 && verb->operands[0].takes == TAKES_TRACE &&
	    arguments->count > verb->most) {
		message("%s: unexpected operand '%s': %s takes one trace; `varve slice` joins "
			"traces",
			verb->name, arguments->operands[1], verb->name);
		return;
	}
	if (arguments->count >= verb->least) {
		message("%s: unexpected operand '%s'; usage: varve %s", verb->name,
			arguments->operands[verb->most], verb->usage);
		return;
	}
	int left = arguments->count;
	const char *word = strchr(verb->usage, ' ');
	for (; word; word = strchr(word + 1, ' '))
		if (word[1] != '[' && left-- == 0)
			break;
	int length = word ? (int)strcspn(word + 1, ". ") : 0;
	message("%s: no %.*s given; usage: varve %s", verb->name, length, word ? word + 1 : "",
		verb->usage);
}

static bool word_fits(const struct verb *verb, const char *where, const struct value_kind *kind,
		      const char *value)
{
	if (kind->takes != TAKES_WORD || word_among(kind->words, value))
		return true;
	word_message(verb, where, kind->words, value);
	return false;
}

/* Whether options and operands that take one of a few words have one of them. */
static bool words_fit(const struct arguments *arguments)
{
	const struct verb *verb = arguments->verb;
	char where[64];
	for (size_t i = 0; i < verb_option_count(verb); i++) {
		const struct verb_option *known = verb_option_at(verb, i);
		const char *value = arguments->values[i];
		snprintf(where, sizeof where, "--%s", known->name);
		if (value && !word_fits(verb, where, &known->kind, value))
			return false;
	}
	for (int i = 0; i < arguments->count && i < VERB_OPERANDS_MOST; i++) {
		snprintf(where, sizeof where, "operand %d", i + 1);
		if (!word_fits(verb, where, &verb->operands[i], arguments->operands[i]))
			return false;
	}
	return true;
}

bool arguments_read(const struct verb *verb, int count, char **words, struct arguments *arguments,
		    int *status)
{
	*arguments = (struct arguments){.verb = verb, .operands = words};
	bool options = true;
	for (int at = 0; at < count; at++) {
		char *word = words[at];
		if (!options || word[0] != '-' || !word[1]) {
			words[arguments->count++] = word;
			options = options && !verb->program_follows;
			continue;
		}
		if (!strcmp(word, "--")) {
			options = false;
			continue;
		}
		if (!strcmp(word, "--help") || !strcmp(word, "-h")) {
			print_verb_help(verb);
			*status = EXIT_YES;
			return false;
		}
		size_t place = find_option(verb, word);
		const struct verb_option *known =
			place < verb_option_count(verb) ? verb_option_at(verb, place) : NULL;
		const char *value = known ? option_value(verb, known, count, words, &at) : NULL;
		if (!value) {
			*status = known ? verb->failure : wrong_option(verb, word);
			return false;
		}
		if (value_lost(arguments, place, value)) {
			*status = verb->failure;
			return false;
		}
		arguments->values[place] = value;
		if (arguments->given_count == GIVEN_MOST) {
			message("%s: more than %d options; put some into a settings file",
				verb->name, GIVEN_MOST);
			*status = verb->failure;
			return false;
		}
		arguments->given[arguments->given_count++] = (struct given){known, value};
	}
	bool enough = arguments->count >= verb->least;
	*status = verb->failure;
	if (enough && (verb->most < 0 || arguments->count <= verb->most))
		/* Options of `record` can also be set in variables and files: run_settings.c checks them. */
		return verb->program_follows ||
		       (words_fit(arguments) && options_agree(arguments, option_of, arguments));
	operands_message(arguments);
	return false;
}

static void put_option(const struct verb_option *known)
{
	char left[64];
	snprintf(left, sizeof left, "  %c%c%s--%s%s%s", known->letter ? '-' : ' ',
		 known->letter ? known->letter : ' ', known->letter ? ", " : "  ", known->name,
		 known->value ? " " : "", known->value ? known->value : "");
	put_padded(left, -30);
	for (const char *text = known->help; *text;) {
		const char *line = strchrnul(text, '\n');
		put_bytes(text, (size_t)(line - text));
		put_char('\n');
		text = *line ? line + 1 : line;
		if (*text)
			put_padded("", -30);
	}
}

void print_verb_help(const struct verb *verb)
{
	put_format("varve %s: %s\n\nUsage: varve %s\n", verb->name, verb->line, verb->usage);
	if (verb->second_usage)
		put_format("       varve %s\n", verb->second_usage);
	if (*verb->more)
		put_format("\n%s", verb->more);
	put_text("\nOptions:\n");
	size_t own = verb_own_option_count(verb), count = verb_option_count(verb);
	for (size_t i = 0; i < own; i++)
		put_option(verb_option_at(verb, i));
	put_option(&option_help);
	if (count > own)
		put_text("\nCommon options:\n");
	for (size_t i = own; i < count; i++)
		put_option(verb_option_at(verb, i));
	put_format("\nExamples:\n%s", verb->examples);
}

static void put_meanings(const struct exit_meaning *meanings)
{
	for (; meanings->text; meanings++) {
		put_text("  ");
		put_padded(meanings->status, -12);
		put_format("%s\n", meanings->text);
	}
}

void print_help(void)
{
	put_text("Varve records every I/O call of a program and shows what the program did.\n\n"
		 "Usage: varve VERB [OPTION...] [OPERAND...]\n\nVerbs:\n");
	for (size_t i = 0; i < verbs_count; i++) {
		put_text("  ");
		put_padded(verbs[i].name, -12);
		put_format("%s\n", verbs[i].line);
	}
	put_text("\n`varve VERB --help` explains a verb, with examples.\n\nExit status:\n");
	put_meanings(exit_meanings);
	put_text("\nExit status of `varve record`: that of the program, or\n");
	put_meanings(exit_meanings_of_record);
}

const char *nearest(const char *word, size_t count,
		    const char *(*at)(const void *context, size_t i), const void *context)
{
	struct nearest near = {.wanted = word, .length = strlen(word)};
	for (size_t i = 0; i < count; i++)
		nearest_offer(&near, at(context, i));
	return near.name;
}

enum output_format option_format(const struct arguments *arguments)
{
	const char *value = option(arguments, "format");
	if (!value || !strcmp(value, "text"))
		return FORMAT_TEXT;
	return strcmp(value, "json") ? FORMAT_CSV : FORMAT_JSON;
}
