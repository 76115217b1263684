/* Command line: exit statuses, variables and files, for help and man pages. */
#ifndef CLI_FACTS_H
#define CLI_FACTS_H

#include <stddef.h>

/* Each table ends with a row without text. */
struct exit_meaning {
	const char *status;
	const char *text;
};
extern const struct exit_meaning exit_meanings[], exit_meanings_of_record[];

/* Which verbs use a variable or a file. */
enum audience { FOR_RECORD = 1, FOR_READERS = 2, FOR_ALL = 3 };

struct fact {
	const char *name;
	const char *text;
	enum audience audience;
};
extern const struct fact variables[], files[];
extern const size_t variables_count;

#endif
