/* Pages: completion for bash. See pages.h.
 *
 * The script needs only bash. If bash-completion is installed, the words after `varve record` are completed by the
 * completion of that program.
 */
#include "pages/pages.h"

static const char head[] =
	"# Completion of varve for bash. Made from the table of verbs.\n"
	"\n"
	"# Traces; if none matches, folders that can contain traces.\n"
	"_varve_traces()\n"
	"{\n"
	"\tmapfile -t COMPREPLY < <(compgen -d -X '!*.varve' -- \"$cur\")\n"
	"\tcompopt -o filenames 2>/dev/null\n"
	"\t((${#COMPREPLY[@]})) || mapfile -t COMPREPLY < <(compgen -d -- \"$cur\")\n"
	"}\n"
	"\n"
	"# The program's own completion, if there is one; $1 is its place among the words.\n"
	"_varve_program()\n"
	"{\n"
	"\tlocal by\n"
	"\tfor by in _comp_command_offset _command_offset; do\n"
	"\t\tdeclare -F $by >/dev/null || continue\n"
	"\t\t$by \"$1\"\n"
	"\t\treturn\n"
	"\tdone\n"
	"\tcompopt -o filenames 2>/dev/null\n"
	"\tif (($1 == COMP_CWORD)); then\n"
	"\t\tmapfile -t COMPREPLY < <(compgen -c -- \"$cur\")\n"
	"\telse\n"
	"\t\tmapfile -t COMPREPLY < <(compgen -f -- \"$cur\")\n"
	"\tfi\n"
	"}\n"
	"\n"
	"# Fills COMPREPLY with what $kind, $words and $cur ask for; $1: the place of an operand.\n"
	"_varve_offer()\n"
	"{\n"
	"\tlocal before\n"
	"\tcase $kind in\n"
	"\tword) mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$cur\") ;;\n"
	"\tlist)\n"
	"\t\tbefore=${cur%\"${cur##*,}\"}\n"
	"\t\tcompopt -o nospace 2>/dev/null\n"
	"\t\tmapfile -t COMPREPLY < <(compgen -P \"$before\" -W \"$words\" -- \"${cur##*,}\")\n"
	"\t\t;;\n"
	"\tfile)\n"
	"\t\tcompopt -o filenames 2>/dev/null\n"
	"\t\tmapfile -t COMPREPLY < <(compgen -f -- \"$cur\")\n"
	"\t\t;;\n"
	"\tfolder)\n"
	"\t\tcompopt -o filenames 2>/dev/null\n"
	"\t\tmapfile -t COMPREPLY < <(compgen -d -- \"$cur\")\n"
	"\t\t;;\n"
	"\ttrace) _varve_traces ;;\n"
	"\tpid) mapfile -t COMPREPLY < <(compgen -W \"$(" FIND_RECORDED ")\" -- \"$cur\") ;;\n"
	"\tprogram) _varve_program \"$1\" ;;\n"
	"\tesac\n"
	"}\n\n";

static const char tail[] =
	"_varve()\n"
	"{\n"
	"\tlocal cur=${COMP_WORDS[COMP_CWORD]} verb=${COMP_WORDS[1]} kind= "
	"words= options= program=\n"
	"\tlocal at word count=0 ended=\n"
	"\tCOMPREPLY=()\n"
	"\tif ((COMP_CWORD == 1)); then\n"
	"\t\tkind=word words=\"$_varve_verbs --help --version\"\n"
	"\t\t_varve_offer\n"
	"\t\treturn\n"
	"\tfi\n"
	"\tif [[ $verb == help ]]; then\n"
	"\t\tkind=word words=$_varve_verbs\n"
	"\t\t_varve_offer\n"
	"\t\treturn\n"
	"\tfi\n"
	"\t_varve_verb || return\n"
	"\t# Over the words before: options with their values, then operands. "
	"An = is a word of its own.\n"
	"\tfor ((at = 2; at < COMP_CWORD; at++)); do\n"
	"\t\tword=${COMP_WORDS[at]}\n"
	"\t\tif [[ -z $ended && $word == -- ]]; then\n"
	"\t\t\tended=yes\n"
	"\t\telif [[ -z $ended && $word == -?* ]]; then\n"
	"\t\t\t_varve_option \"$word\" || continue\n"
	"\t\t\t((at++))\n"
	"\t\t\t[[ ${COMP_WORDS[at]} == = ]] && ((at++))\n"
	"\t\t\tif ((at >= COMP_CWORD)); then\n"
	"\t\t\t\t[[ $cur == = ]] && cur=\n"
	"\t\t\t\t_varve_offer\n"
	"\t\t\t\treturn\n"
	"\t\t\tfi\n"
	"\t\telse\n"
	"\t\t\t((count++))\n"
	"\t\t\t[[ -n $program ]] && break\n"
	"\t\tfi\n"
	"\tdone\n"
	"\tif [[ $cur == -* && -z $ended && ($count -eq 0 || -z $program) ]]; then\n"
	"\t\tkind=word words=\"$options --help\"\n"
	"\t\t_varve_offer\n"
	"\t\treturn\n"
	"\tfi\n"
	"\t_varve_operand $count && _varve_offer $at\n"
	"}\n"
	"\n"
	"complete -F _varve varve\n";

static const char *kind_name(const struct value_kind *kind)
{
	static const char *const names[] = {
		[TAKES_TEXT] = "any",	    [TAKES_WORD] = "word",   [TAKES_LAYERS] = "list",
		[TAKES_FUNCTIONS] = "list", [TAKES_CALLS] = "list",  [TAKES_FILE] = "file",
		[TAKES_FOLDER] = "folder",  [TAKES_TRACE] = "trace", [TAKES_PID] = "pid",
		[TAKES_PROGRAM] = "program"};
	return names[kind->takes];
}

static void put_kind(FILE *file, const struct value_kind *kind)
{
	fprintf(file, "kind=%s words='", kind_name(kind));
	put_kind_words(file, kind);
	fputs("' ;;\n", file);
}

/* Writes the properties of each verb. */
static void put_verbs(FILE *file)
{
	fputs("_varve_verbs='", file);
	for (size_t i = 0; i < verbs_count; i++)
		fprintf(file, "%s ", verbs[i].name);
	fputs("help'\n\n_varve_verb()\n{\n\tcase $verb in\n", file);
	for (size_t i = 0; i < verbs_count; i++) {
		fprintf(file, "\t%s) program=%s options='", verbs[i].name,
			verbs[i].program_follows ? "yes" : "");
		for (size_t k = 0; k < verb_option_count(&verbs[i]); k++)
			fprintf(file, "--%s ", verb_option_at(&verbs[i], k)->name);
		fputs("' ;;\n", file);
	}
	fputs("\t*) return 1 ;;\n\tesac\n}\n\n", file);
}

void bash_write(FILE *file)
{
	fputs(head, file);
	put_verbs(file);
	fputs("# Type of the value of option $1; false: it takes no value.\n"
	      "_varve_option()\n{\n\tcase \"$verb $1\" in\n",
	      file);
	for (size_t i = 0; i < verbs_count; i++)
		for (size_t k = 0; k < verb_option_count(&verbs[i]); k++) {
			const struct verb_option *known = verb_option_at(&verbs[i], k);
			if (!known->value)
				continue;
			fprintf(file, "\t'%s --%s'", verbs[i].name, known->name);
			if (known->letter)
				fprintf(file, " | '%s -%c'", verbs[i].name, known->letter);
			fputs(") ", file);
			put_kind(file, &known->kind);
		}
	fputs("\t*) return 1 ;;\n\tesac\n}\n\n"
	      "# Type of operand $1, counted from 0; false: there is none.\n"
	      "_varve_operand()\n{\n\tcase \"$verb $1\" in\n",
	      file);
	for (size_t i = 0; i < verbs_count; i++)
		for (int k = 0; k < VERB_OPERANDS_MOST; k++) {
			if (verbs[i].most >= 0 && k >= verbs[i].most)
				break;
			fprintf(file, "\t'%s %d') ", verbs[i].name, k);
			put_kind(file, &verbs[i].operands[k]);
		}
	fputs("\t*) return 1 ;;\n\tesac\n}\n\n", file);
	fputs(tail, file);
}
