/* Command line: the table of verbs, and the arguments of one.
 *
 * `varve --help`, `varve VERB --help` and the reading of options use the table. The function of each verb is in its file
 * cmd_VERB.c. The exit statuses are those of every verb except `record`.
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
	EXIT_PIPE = 141, /* the reader of the output closed it */
};

enum {
	VERB_OPTIONS_MOST = 28,
	VERB_RULES_MOST = 8,
	COMMON_OPTIONS_MOST = 8,
	VERB_OPERANDS_MOST = 2,
	GIVEN_MOST = 256,
};

/* The kind of value of an option or an operand, for completion. */
enum takes {
	TAKES_TEXT,   /* any text: nothing to complete */
	TAKES_WORD,   /* one of `words` */
	TAKES_LAYERS, /* names separated by commas; also `words` */
	TAKES_FUNCTIONS,
	TAKES_CALLS, /* functions and layers */
	TAKES_FILE,
	TAKES_FOLDER,
	TAKES_TRACE,
	TAKES_PID,     /* of a recorded process */
	TAKES_PROGRAM, /* followed by its arguments */
};

struct value_kind {
	enum takes takes;
	const char *words; /* separated by spaces, or NULL */
};

struct verb_option {
	const char *name;  /* without the two dashes */
	char letter;	   /* 0: none */
	const char *value; /* name of its value; NULL: it has none */
	const char *help;
	struct value_kind kind;
};

/* Which options exclude or need each other. An option is named without its dashes; "format=csv" is the option with this
 * value. */
struct option_rule {
	const char *option;
	enum { RULE_END, RULE_EXCLUDES, RULE_NEEDS } rule;
	const char *others; /* separated by spaces; one of them is enough for RULE_NEEDS */
	const char *why;
};

/* One option as it was given; some can be repeated. */
struct given {
	const struct verb_option *option;
	const char *value;
};

struct arguments {
	const struct verb *verb;
	/* by index of the verb's options; "" for an option without value */
	const char *values[VERB_OPTIONS_MOST + COMMON_OPTIONS_MOST];
	int given_count;
	struct given given[GIVEN_MOST];
	int count; /* number of operands */
	char **operands;
};

struct verb {
	const char *name;
	const char *line;
	const char *usage;
	const char *second_usage; /* a second form; NULL: none */
	const char *more;	  /* paragraphs after the usage, or "" */
	const char *examples;	  /* one per line */
	bool program_follows;	  /* options end at the first operand */
	bool paged;		  /* long text: shown in a pager on a terminal */
	int failure;		  /* exit status of a usage error */
	int least, most;	  /* number of operands */
	/* for completion: the kinds of the first operands */
	struct value_kind operands[VERB_OPERANDS_MOST];
	int (*run)(const struct arguments *arguments);
	struct verb_option options[VERB_OPTIONS_MOST];
	struct option_rule
		rules[VERB_RULES_MOST]; /* RULE_END after the last one, if there is room */
};

extern const struct verb verbs[];
extern const size_t verbs_count;

/* Verbs that beginners try but that do not exist, and what to use instead. */
struct absent_verb {
	const char *name;
	const char *instead;
	bool planned; /* it is planned */
};
extern const struct absent_verb absent_verbs[];
extern const size_t absent_verbs_count;

/* Options besides those of a verb: --help for all verbs, the common ones for verbs that no program follows. */
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

/* "1 thread", "2 lane folders": the first word of `things` that ends in "s" is the plural noun. */
struct counted {
	char text[384];
};
struct counted counted(uint64_t count, const char *things);

/* Value of an option of the verb, or NULL when it was not given. */
const char *option(const struct arguments *arguments, const char *name);

/* Whether the options obey the rules of the verb. A violation is only reported if at least one of its options is on the
 * command line; `value_of` returns the value of an option wherever it was set. Prints and returns false if a rule is
 * violated. */
bool options_agree(const struct arguments *arguments,
		   const char *(*value_of)(const void *context, const char *name),
		   const void *context);

/* Reads the words after the verb. Prints and returns false for a usage error or for --help, with the exit status in `*status`. */
bool arguments_read(const struct verb *verb, int count, char **words, struct arguments *arguments,
		    int *status);

void print_help(void);
void print_verb_help(const struct verb *verb);

/* Of `count` words, the one most similar to `word`, or NULL if none is similar; `at` returns the i-th. */
const char *nearest(const char *word, size_t count,
		    const char *(*at)(const void *context, size_t i), const void *context);

/* Prints "varve: " and a message on stderr: what is wrong, missing or damaged, and what to do about it. */
void message(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The same for notes, which --quiet suppresses. */
void note(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Prints the causes of a failure on stderr; returns the exit status. */
int failed(enum varve_status status, const struct varve_causes *causes);

int failed_reading(enum varve_status status, const struct varve_causes *causes);

/* Whether `words`, which are separated by spaces, contains the value. */
bool word_among(const char *words, const char *value);

/* Prints that the value set at `where` ("--format") is none of these words, and the most similar one. */
void word_message(const struct verb *verb, const char *where, const char *words, const char *value);

enum output_format { FORMAT_TEXT, FORMAT_JSON, FORMAT_CSV };
/* The value of --format; text if it was not given. */
enum output_format option_format(const struct arguments *arguments);

#endif
