/* Command line: the common options, and the abilities of the terminal. */
#ifndef CLI_TERMINAL_TERMINAL_H
#define CLI_TERMINAL_TERMINAL_H

#include "cli/verbs.h"

extern struct terminal {
	bool quiet;	   /* no notes */
	bool colour;	   /* only in text output */
	bool shows_output; /* standard output is a terminal */
} terminal;

/* Reads the common options. */
void terminal_start(const struct arguments *arguments);

/* Whether it is a terminal that supports escape sequences. */
bool terminal_is_able(int fd);

#endif
