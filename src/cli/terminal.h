/* Command line: what the common options and the terminal ask of every verb. */
#ifndef CLI_TERMINAL_H
#define CLI_TERMINAL_H

#include "cli/verbs.h"

extern struct terminal {
	bool quiet; /* no notes */
} terminal;

void terminal_start(const struct arguments *arguments);

#endif
