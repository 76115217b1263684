/* Pages: completion for fish. See pages.h. */
#include "pages/pages.h"

#include <string.h>

static const char head[] =
	"# Completion of varve for fish. Made from the table of verbs.\n"
	"\n"
	"# Whether the verb is $argv[1].\n"
	"function __varve_verb\n"
	"    set -l words (commandline -opc)\n"
	"    test (count $words) -ge 2; and test $words[2] = $argv[1]\n"
	"end\n"
	"\n"
	"# Number of operands after the verb; $argv: options that take a value.\n"
	"function __varve_operands\n"
	"    set -l words (commandline -opc)[3..-1]\n"
	"    set -l count 0\n"
	"    set -l value no\n"
	"    set -l ended no\n"
	"    for word in $words\n"
	"        if test $value = yes\n"
	"            set value no\n"
	"        else if test $ended = no; and test \"$word\" = --\n"
	"            set ended yes\n"
	"        else if test $ended = no; and contains -- $word $argv\n"
	"            set value yes\n"
	"        else if test $ended = no; and string match -q -- '-?*' $word\n"
	"            continue\n"
	"        else\n"
	"            set count (math $count + 1)\n"
	"        end\n"
	"    end\n"
	"    echo $count\n"
	"end\n"
	"\n"
	"# Traces; if none matches, folders that can contain traces.\n"
	"function __varve_traces\n"
	"    set -l folders (__fish_complete_directories (commandline -ct) folder)\n"
	"    set -l traces (string match -r '^.*\\\\.varve/\\t.*' -- $folders)\n"
	"    if set -q traces[1]\n"
	"        string replace -r '/\\t.*' '\\ttrace' -- $traces\n"
	"    else\n"
	"        string join \\n -- $folders\n"
	"    end\n"
	"end\n"
	"\n"
	"# Words of a list with commas.\n"
	"function __varve_list\n"
	"    set -l word (commandline -ct | string replace -r '^--[^=]*=' '')\n"
	"    set -l before (string match -r '^.*,' -- $word)\n"
	"    or set before ''\n"
	"    printf '%s\\n' $before$argv\n"
	"end\n"
	"\n"
	"function __varve_recorded\n"
	"    " FIND_RECORDED "\n"
	"end\n"
	"\n"
	"complete -c varve -f\n"
	"complete -c varve -n __fish_use_subcommand -s h -l help -d 'show help'\n"
	"complete -c varve -n __fish_use_subcommand -s V -l version -d 'show the version'\n";

static void put_description(FILE *file, const char *text)
{
	fputs(" -d '", file);
	put_line(file, text, "'\\");
	fputs("'\n", file);
}

/* Writes the argument of -a: words, or a command that prints them. */
static void put_words(FILE *file, const struct value_kind *kind)
{
	fputs(" -a '", file);
	if (kind_is_list(kind)) {
		fputs("(__varve_list ", file);
		put_kind_words(file, kind);
		fputc(')', file);
	} else if (kind->takes == TAKES_TRACE) {
		fputs("(__varve_traces)", file);
	} else if (kind->takes == TAKES_FOLDER) {
		fputs("(__fish_complete_directories)", file);
	} else if (kind->takes == TAKES_PID) {
		fputs("(__varve_recorded)", file);
	} else {
		put_kind_words(file, kind);
	}
	fputc('\'', file);
}

static void put_value_options(FILE *file, const struct verb *verb)
{
	for (size_t k = 0; k < verb_option_count(verb); k++) {
		const struct verb_option *known = verb_option_at(verb, k);
		if (!known->value)
			continue;
		fprintf(file, " --%s", known->name);
		if (known->letter)
			fprintf(file, " -%c", known->letter);
	}
}

/* Begins a line for a verb. With `test`, for example -eq, the line applies only if the number of operands passes this test
 * against `operands`; NULL: always. */
static void put_condition(FILE *file, const struct verb *verb, const char *test, int operands)
{
	fprintf(file, "complete -c varve -n '__varve_verb %s", verb->name);
	if (test) {
		fputs("; and test (__varve_operands", file);
		put_value_options(file, verb);
		fprintf(file, ") %s %d", test, operands);
	}
	fputc('\'', file);
}

static void put_option(FILE *file, const struct verb *verb, const struct verb_option *known)
{
	put_condition(file, verb, verb->program_follows ? "-eq" : NULL, 0);
	if (known->letter)
		fprintf(file, " -s %c", known->letter);
	fprintf(file, " -l %s", known->name);
	if (known->value && known->kind.takes == TAKES_FILE) {
		fputs(" -rF", file);
	} else if (known->value) {
		fputs(" -x", file);
		if (known->kind.takes != TAKES_TEXT)
			put_words(file, &known->kind);
	}
	put_description(file, known->help);
}

static void put_operands(FILE *file, const struct verb *verb)
{
	if (verb->program_follows) {
		put_condition(file, verb, NULL, 0);
		fputs(" -xa '(__fish_complete_subcommand --fcs-skip=2", file);
		put_value_options(file, verb);
		fputs(")'\n", file);
		return;
	}
	for (int k = 0; k < VERB_OPERANDS_MOST && k < verb->most; k++) {
		put_condition(file, verb, "-eq", k);
		if (verb->operands[k].takes == TAKES_PROGRAM)
			fputs(" -xa '(__fish_complete_command)'", file);
		else
			put_words(file, &verb->operands[k]);
		fputc('\n', file);
	}
}

void fish_write(FILE *file)
{
	fputs(head, file);
	for (size_t i = 0; i < verbs_count; i++) {
		fprintf(file, "complete -c varve -n __fish_use_subcommand -a %s", verbs[i].name);
		put_description(file, verbs[i].line);
	}
	fputs("complete -c varve -n '__varve_verb help' -a '", file);
	for (size_t i = 0; i < verbs_count; i++)
		fprintf(file, "%s ", verbs[i].name);
	fputs("'\n", file);
	for (size_t i = 0; i < verbs_count; i++) {
		fprintf(file, "\n# varve %s\n", verbs[i].name);
		put_operands(file, &verbs[i]);
		for (size_t k = 0; k < verb_option_count(&verbs[i]); k++)
			put_option(file, &verbs[i], verb_option_at(&verbs[i], k));
		put_option(file, &verbs[i], &option_help);
	}
}
