/* Pages: man pages, with the macros of man(7). See pages.h. Text is escaped here; the texts of the tables are not changed,
 * except that `commands` in backticks become bold. */
#include "cli/facts.h"
#include "pages/pages.h"

#include <ctype.h>
#include <string.h>

void put_roff_letter(FILE *file, char letter)
{
	static const char *const escapes[] = {['\\'] = "\\e",  ['-'] = "\\-",	 ['~'] = "\\(ti",
					      ['^'] = "\\(ha", ['\''] = "\\(aq", ['`'] = "\\(ga"};
	size_t at = (unsigned char)letter;
	if (at < sizeof escapes / sizeof escapes[0] && escapes[at])
		fputs(escapes[at], file);
	else
		fputc(letter, file);
}

/* Writes running text. `begins`: the next character starts a line, where a dot or an apostrophe would be a request. */
static void put_roff(FILE *file, const char *text, bool fill)
{
	bool begins = true, bold = false;
	for (; *text; text++) {
		if (begins && (*text == '.' || *text == '\''))
			fputs("\\&", file);
		begins = *text == '\n';
		if (*text == '`' && fill) {
			bold = !bold;
			fputs(bold ? "\\fB" : "\\fR", file);
		} else {
			put_roff_letter(file, *text);
		}
	}
}

static void put_section(FILE *file, const char *name)
{
	fprintf(file, ".SH %s\n", name);
}

static void put_title(FILE *file, const char *verb)
{
	fputs(".\\\" Made from the table of verbs.\n.TH VARVE", file);
	if (verb)
		fputs("\\-", file);
	for (; verb && *verb; verb++)
		fputc(toupper((unsigned char)*verb), file);
	fprintf(file, " 1 \"\" \"Varve %s\" \"Varve\"\n", VARVE_VERSION);
}

/* Writes "dump [OPTION...] TRACE": the verb in bold, the placeholders in italics. */
static void put_usage(FILE *file, const char *usage)
{
	fputs("\\fBvarve ", file);
	bool verb = true;
	while (*usage) {
		size_t word = 0;
		while (isupper((unsigned char)usage[word]))
			word++;
		if (verb && *usage == ' ') {
			fputs("\\fR", file);
			verb = false;
		}
		if (word > 1) {
			fprintf(file, "\\fI%.*s\\fR", (int)word, usage);
			usage += word;
			continue;
		}
		fputs(*usage == '-' ? "\\-" : (char[]){*usage, 0}, file);
		usage++;
	}
	fputs(verb ? "\\fR\n" : "\n", file);
}

static void put_option(FILE *file, const struct verb_option *known)
{
	fputs(".TP\n", file);
	if (known->letter)
		fprintf(file, "\\fB\\-%c\\fR, ", known->letter);
	fputs("\\fB\\-\\-", file);
	put_roff(file, known->name, false);
	fputs("\\fR", file);
	if (known->value) {
		fputs(" \\fI", file);
		put_roff(file, known->value, false);
		fputs("\\fR", file);
	}
	/* Without a break, the help of a short option would be on the same line, unlike that of all others. */
	fputs("\n.br\n", file);
	put_roff(file, known->help, true);
	fputc('\n', file);
}

static void put_term(FILE *file, const char *name, const char *text)
{
	fputs(".TP\n\\fB", file);
	put_roff(file, name, false);
	fputs("\\fR\n", file);
	put_roff(file, text, true);
	fputc('\n', file);
}

/* Whether a verb can end with this status; NULL: any verb. */
static bool verb_ends_with(const struct verb *verb, const char *status)
{
	static const char *const answering[] = {"pack", "doctor", "control"};
	bool reads_trace = verb && verb->operands[0].takes == TAKES_TRACE;
	if (verb && !strcmp(status, "3"))
		return reads_trace;
	if (!verb || strcmp(status, "1") != 0)
		return true;
	for (size_t i = 0; i < sizeof answering / sizeof *answering; i++)
		if (!strcmp(verb->name, answering[i]))
			return true;
	return false;
}

static void put_meanings(FILE *file, const struct exit_meaning *meanings, const struct verb *verb)
{
	for (; meanings->text; meanings++)
		if (verb_ends_with(verb, meanings->status))
			put_term(file, meanings->status, meanings->text);
}

static void put_facts(FILE *file, const char *section, const struct fact *facts,
		      enum audience audience)
{
	bool any = false;
	for (; facts->text; facts++) {
		if (!(facts->audience & audience))
			continue;
		if (!any)
			put_section(file, section);
		any = true;
		put_term(file, facts->name, facts->text);
	}
}

static void put_examples(FILE *file, const char *examples)
{
	fputs(".EX\n", file);
	put_roff(file, examples, false);
	fputs(".EE\n", file);
}

static void put_page_name(FILE *file, const char *verb, const char *end)
{
	fprintf(file, ".BR \\%%varve%s%s (1)%s\n", verb ? "\\-" : "", verb ? verb : "", end);
}

static void put_manuals(FILE *file)
{
	fputs(".BR \\%varve\\-filter (7),\n.BR \\%varve\\-regions (7)\n", file);
}

void man_write_verb(FILE *file, const struct verb *verb)
{
	put_title(file, verb->name);
	put_section(file, "NAME");
	fprintf(file, "varve\\-%s \\- ", verb->name);
	put_roff(file, verb->line, true);
	fputc('\n', file);
	put_section(file, "SYNOPSIS");
	put_usage(file, verb->usage);
	if (verb->second_usage) {
		fputs(".br\n", file);
		put_usage(file, verb->second_usage);
	}
	put_section(file, "DESCRIPTION");
	if (*verb->more) {
		put_roff(file, verb->more, true);
	} else {
		fprintf(file, "\\fBvarve %s\\fR: ", verb->name);
		put_roff(file, verb->line, true);
		fputs(".\n", file);
	}
	put_section(file, "OPTIONS");
	size_t own = verb_own_option_count(verb), count = verb_option_count(verb);
	for (size_t i = 0; i < own; i++)
		put_option(file, verb_option_at(verb, i));
	put_option(file, &option_help);
	if (count > own)
		fputs(".SS Common options\n", file);
	for (size_t i = own; i < count; i++)
		put_option(file, verb_option_at(verb, i));
	put_section(file, "EXAMPLES");
	put_examples(file, verb->examples);
	put_section(file, "EXIT STATUS");
	if (verb->failure != EXIT_USAGE)
		fputs("That of the program, or:\n", file);
	put_meanings(file, verb->failure == EXIT_USAGE ? exit_meanings : exit_meanings_of_record,
		     verb);
	enum audience audience = verb->program_follows ? FOR_RECORD : FOR_READERS;
	put_facts(file, "ENVIRONMENT", variables, audience);
	put_facts(file, "FILES", files, audience);
	put_section(file, "SEE ALSO");
	put_page_name(file, NULL, ",");
	for (size_t i = 0; i < verbs_count; i++)
		if (&verbs[i] != verb)
			put_page_name(file, verbs[i].name, ",");
	put_manuals(file);
}

void man_write(FILE *file)
{
	put_title(file, NULL);
	put_section(file, "NAME");
	fputs("varve \\- records every I/O call that a program makes\n", file);
	put_section(file, "SYNOPSIS");
	put_usage(file, "VERB [OPTION...] [OPERAND...]");
	put_section(file, "DESCRIPTION");
	fputs("Varve records every I/O call that a program makes: the function, its arguments, "
	      "the\n"
	      "file, the times of entry and exit, and the result.\n"
	      "The program is neither changed nor recompiled. Data goes to standard output,\n"
	      "messages to standard error.\n"
	      ".PP\nThe result is a trace: a folder while the program runs, afterwards one file.\n",
	      file);
	put_section(file, "VERBS");
	for (size_t i = 0; i < verbs_count; i++) {
		fputs(".TP\n", file);
		put_page_name(file, verbs[i].name, "");
		put_roff(file, verbs[i].line, true);
		fputc('\n', file);
	}
	put_section(file, "OPTIONS");
	fputs("The page of each verb describes its options.\n", file);
	put_option(file, &(struct verb_option){"help", 'h', NULL, "show help", {0}});
	put_option(file, &(struct verb_option){"version", 'V', NULL, "as `varve version`", {0}});
	put_section(file, "EXAMPLES");
	fputs(".EX\n", file);
	for (size_t i = 0; i < verbs_count; i++) {
		const char *examples = verbs[i].examples;
		char first[256];
		snprintf(first, sizeof first, "%.*s\n", (int)strcspn(examples, "\n"), examples);
		put_roff(file, first, false);
	}
	fputs(".EE\n", file);
	put_section(file, "EXIT STATUS");
	put_meanings(file, exit_meanings, NULL);
	fputs(".PP\nThat of \\fBvarve record\\fR is the program\\(aqs, or:\n", file);
	put_meanings(file, exit_meanings_of_record, NULL);
	put_facts(file, "ENVIRONMENT", variables, FOR_ALL);
	put_facts(file, "FILES", files, FOR_ALL);
	put_section(file, "SEE ALSO");
	for (size_t i = 0; i < verbs_count; i++)
		put_page_name(file, verbs[i].name, ",");
	put_manuals(file);
}
