/* Command line: the table of verbs, and what their options come to.
 *
 * One table says what exists: `varve --help`, `varve VERB --help` and the reading of options are made from it. One file
 * cmd_VERB.c each holds the function. Statuses of exit are those of every verb but `record`.
 */
#ifndef CLI_VERBS_H
#define CLI_VERBS_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum exit_status {
	EXIT_YES = 0,
	EXIT_NO = 1,
	EXIT_USAGE = 2,
	EXIT_DAMAGED = 3,
	EXIT_SYSTEM = 4,
	EXIT_OWN = 125,	       /* record: its own failure */
	EXIT_NO_PROGRAM = 127, /* record: not found */
	EXIT_NOT_EXECUTABLE = 126,
	EXIT_PIPE = 141, /* whoever read our output went away */
};

enum {
	VERB_OPTIONS_MOST = 28,
	VERB_RULES_MOST = 8,
	COMMON_OPTIONS_MOST = 8,
	VERB_OPERANDS_MOST = 2,
	GIVEN_MOST = 256,
};

/* What the value of an option or an operand can be, as far as completion of a command line can know it. */
enum takes {
	TAKES_TEXT,   /* anything: nothing to offer */
	TAKES_WORD,   /* one of `words` */
	TAKES_LAYERS, /* names with commas between them; `words` too */
	TAKES_FUNCTIONS,
	TAKES_CALLS, /* functions and layers */
	TAKES_FILE,
	TAKES_FOLDER,
	TAKES_TRACE,
	TAKES_PID,     /* of a process that is recorded */
	TAKES_PROGRAM, /* and then its arguments */
};

struct value_kind {
	enum takes takes;
	const char *words; /* with spaces between them, or NULL */
};

struct verb_option {
	const char *name;  /* without the two dashes */
	char letter;	   /* 0: none */
	const char *value; /* what it takes, NULL: nothing */
	const char *help;
	struct value_kind kind;
};

/* Which options exclude or need each other. An option is named without its dashes; "format=csv" is the option with this
 * value. */
struct option_rule {
	const char *option;
	enum { RULE_END, RULE_EXCLUDES, RULE_NEEDS } rule;
	const char *others; /* with spaces between them; one of them is enough for RULE_NEEDS */
	const char *why;
};

/* One option as it was given: some may be repeated. */
struct given {
	const struct verb_option *option;
	const char *value;
};

struct arguments {
	const struct verb *verb;
	/* by place among the verb's options; "" for one without value */
	const char *values[VERB_OPTIONS_MOST + COMMON_OPTIONS_MOST];
	int given_count;
	struct given given[GIVEN_MOST];
	int count; /* of operands */
	char **operands;
};

struct verb {
	const char *name;
	const char *line;
	const char *usage;
	const char *more;     /* paragraphs after the usage, or "" */
	const char *examples; /* one per line */
	bool program_follows; /* options end at the first operand */
	bool paged;	      /* its text may be long: at a terminal it is shown in a pager */
	int failure;	      /* exit status of a wrong use */
	int least, most;      /* operands */
	struct value_kind operands[VERB_OPERANDS_MOST]; /* what they are, as far as they are few */
	int (*run)(const struct arguments *arguments);
	struct verb_option options[VERB_OPTIONS_MOST];
	struct option_rule
		rules[VERB_RULES_MOST]; /* RULE_END after the last one, if there is room */
};

extern const struct verb verbs[];
extern const size_t verbs_count;

/* What verbs understand beside their own options: --help all of them, the common ones all but those that a program
 * follows. */
extern const struct verb_option option_help, common_options[];
extern const size_t common_options_count;

/* The options of a verb, in the order of help: its own, then the common ones. */
size_t verb_own_option_count(const struct verb *verb);
size_t verb_option_count(const struct verb *verb);
const struct verb_option *verb_option_at(const struct verb *verb, size_t i);

int cmd_record(const struct arguments *arguments);
int cmd_info(const struct arguments *arguments);
int cmd_dump(const struct arguments *arguments);
int cmd_slice(const struct arguments *arguments);
int cmd_pack(const struct arguments *arguments);
int cmd_config(const struct arguments *arguments);
int cmd_doctor(const struct arguments *arguments);
int cmd_control(const struct arguments *arguments);
int cmd_version(const struct arguments *arguments);

/* "1 thread", "2 threads": the first word of `things` is a plural. */
struct counted {
	char text[384];
};
struct counted counted(uint64_t count, const char *things);

/* Value of an option of the verb, or NULL when it was not given. */
const char *option(const struct arguments *arguments, const char *name);

/* Whether the options go together, by the rules of the verb. The option of a rule counts where it was given on the command
 * line; `value_of` finds the others wherever they may be set. Prints and returns false when they do not. */
bool options_agree(const struct arguments *arguments,
		   const char *(*value_of)(const void *context, const char *name),
		   const void *context);

/* Reads the words after the verb. Prints and returns false when they are wrong, or when help was asked for; `*status`
 * is the exit status then. */
bool arguments_read(const struct verb *verb, int count, char **words, struct arguments *arguments,
		    int *status);

void print_help(void);
void print_verb_help(const struct verb *verb);

/* The word of `count` that is nearest to `word`, or NULL when none is near; `at` gives the i-th. */
const char *nearest(const char *word, size_t count,
		    const char *(*at)(const void *context, size_t i), const void *context);

/* A message on stderr, "varve: " before it: what is wrong, missing or damaged, and what to do about it. */
void message(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The same for what is good to know; not with --quiet. */
void note(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The causes of a failure on stderr, and the exit status that goes with it. */
int failed(enum varve_status status, const struct varve_causes *causes);

int failed_reading(enum varve_status status, const struct varve_causes *causes);

enum output_format { FORMAT_TEXT, FORMAT_JSON, FORMAT_CSV, FORMAT_WRONG };
/* The value of --format; prints when it is none. */
enum output_format option_format(const struct arguments *arguments);

#endif
