/* Command line: colour in text output. Without colour it costs one check of a flag; JSON and CSV never have it. */
#ifndef CLI_TERMINAL_COLOUR_H
#define CLI_TERMINAL_COLOUR_H

#include "cli/terminal/terminal.h"

enum ink { INK_NONE, INK_HEADING, INK_FUNCTION, INK_PATH, INK_BAD };

/* Whether --color and the terminal ask for it; false: `when` is no word that it takes. */
bool colour_choose(const char *when, bool *colour);

void put_ink_bytes(enum ink ink);

/* What follows has this colour, until INK_NONE. */
static inline void put_ink(enum ink ink)
{
	if (terminal.colour)
		put_ink_bytes(ink);
}

/* A line that stands above a table, its newline included. */
void put_heading(const char *line);

#endif
