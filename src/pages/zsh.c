/* Pages: completion for zsh, with _arguments. See pages.h. */
#include "pages/pages.h"

#include <string.h>

static const char head[] = "#compdef varve\n"
			   "# Completion of varve for zsh. Made from the table of verbs.\n"
			   "\n"
			   "_varve_traces() {\n"
			   "\t_path_files -g '*.varve(-/)' || _path_files -/\n"
			   "}\n"
			   "\n"
			   "_varve_recorded() {\n"
			   "\tlocal -a recorded\n"
			   "\trecorded=(${(f)\"$(" FIND_RECORDED ")\"})\n"
			   "\t_describe -t processes 'recorded process' recorded\n"
			   "}\n";

/* Writes a function for a list of words separated by commas. */
static void put_list(FILE *file, const char *name, const struct value_kind *kind)
{
	fprintf(file,
		"\n_varve_%s() {\n\tlocal -a names\n"
		"\tcompset -P '*,'\n\tcompset -S ',*'\n\tnames=(",
		name);
	put_kind_words(file, kind);
	fputs(")\n\tcompadd -S '' -a names\n}\n", file);
}

static void put_action(FILE *file, const struct value_kind *kind, bool first)
{
	static const char *const actions[] = {[TAKES_TEXT] = "",
					      [TAKES_LAYERS] = "_varve_layers",
					      [TAKES_FUNCTIONS] = "_varve_functions",
					      [TAKES_CALLS] = "_varve_calls",
					      [TAKES_FILE] = "_files",
					      [TAKES_FOLDER] = "_files -/",
					      [TAKES_TRACE] = "_varve_traces",
					      [TAKES_PID] = "_varve_recorded",
					      [TAKES_PROGRAM] = " _normal"};
	if (kind->takes == TAKES_WORD) {
		fputc('(', file);
		put_kind_words(file, kind);
		fputc(')', file);
	} else if (kind->takes == TAKES_LAYERS && kind->words) {
		fputs("_varve_all_layers", file);
	} else if (kind->takes == TAKES_PROGRAM && first) {
		fputs(" _command_names -e", file);
	} else {
		fputs(actions[kind->takes], file);
	}
}

/* Writes text inside single quotes; brackets and colons have a meaning for _arguments, so they are escaped. */
static void put_description(FILE *file, const char *text)
{
	for (; *text; text++) {
		char one[2] = {*text, 0};
		if (*text == '\'')
			fputs("'\\''", file);
		else
			put_line(file, one, "[]:\\");
	}
}

static void put_option(FILE *file, const struct verb_option *known, bool last)
{
	fputs("\t\t\t\t", file);
	if (known->letter)
		fprintf(file, "{-%c%s,--%s%s}'[", known->letter, known->value ? "+" : "",
			known->name, known->value ? "=" : "");
	else
		fprintf(file, "'--%s%s[", known->name, known->value ? "=" : "");
	put_description(file, known->help);
	fputc(']', file);
	if (known->value) {
		fputc(':', file);
		put_description(file, known->value);
		fputc(':', file);
		put_action(file, &known->kind, true);
	}
	fputs(last ? "'\n" : "' \\\n", file);
}

static void put_operands(FILE *file, const struct verb *verb)
{
	if (verb->program_follows) {
		fputs("\t\t\t\t'(-)1:program: _command_names -e' \\\n"
		      "\t\t\t\t'*::argument: _normal' \\\n",
		      file);
		return;
	}
	for (int k = 0; k < VERB_OPERANDS_MOST && k < verb->most; k++) {
		fprintf(file, "\t\t\t\t'%d:operand:", k + 1);
		put_action(file, &verb->operands[k], true);
		fputs("' \\\n", file);
	}
}

void zsh_write(FILE *file)
{
	fputs(head, file);
	put_list(file, "layers", &(struct value_kind){TAKES_LAYERS, NULL});
	put_list(file, "all_layers", &(struct value_kind){TAKES_LAYERS, "varve"});
	put_list(file, "functions", &(struct value_kind){TAKES_FUNCTIONS, NULL});
	put_list(file, "calls", &(struct value_kind){TAKES_CALLS, NULL});
	fputs("\n_varve() {\n"
	      "\tlocal curcontext=$curcontext state line\n"
	      "\tlocal -a verbs\n"
	      "\ttypeset -A opt_args\n"
	      "\tverbs=(\n",
	      file);
	for (size_t i = 0; i < verbs_count; i++) {
		fprintf(file, "\t\t'%s:", verbs[i].name);
		put_description(file, verbs[i].line);
		fputs("'\n", file);
	}
	fputs("\t)\n"
	      "\t_arguments -C \\\n"
	      "\t\t'(-)'{-h,--help}'[show help]' \\\n"
	      "\t\t'(-)'{-V,--version}'[show the version]' \\\n"
	      "\t\t'(-)1:verb:->verb' \\\n"
	      "\t\t'*::word:->word' && return\n"
	      "\tcase $state in\n"
	      "\tverb) _describe -t verbs verb verbs ;;\n"
	      "\tword)\n"
	      "\t\tcurcontext=${curcontext%:*}-$line[1]:\n"
	      "\t\tcase $line[1] in\n"
	      "\t\thelp) _describe -t verbs verb verbs ;;\n",
	      file);
	for (size_t i = 0; i < verbs_count; i++) {
		fprintf(file, "\t\t%s)\n", verbs[i].name);
		/* Directly after the verb, _arguments does not recognise that `--` ends the options. */
		if (verbs[i].program_follows)
			fputs("\t\t\tif [[ $words[2] == -- && CURRENT -gt 2 ]]; then\n"
			      "\t\t\t\twords[2]=()\n\t\t\t\t((CURRENT--))\n\t\t\tfi\n",
			      file);
		fputs("\t\t\t_arguments -S \\\n", file);
		put_operands(file, &verbs[i]);
		for (size_t k = 0; k < verb_option_count(&verbs[i]); k++)
			put_option(file, verb_option_at(&verbs[i], k), false);
		put_option(file, &option_help, true);
		fputs("\t\t\t;;\n", file);
	}
	fputs("\t\tesac\n\t\t;;\n\tesac\n}\n\n_varve \"$@\"\n", file);
}
