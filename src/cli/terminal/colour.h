/* Command line: colour in text output. Without colour it costs one check of a flag; JSON and CSV never have colour. */
#ifndef CLI_TERMINAL_COLOUR_H
#define CLI_TERMINAL_COLOUR_H

#include "cli/terminal/terminal.h"

enum ink { INK_NONE, INK_HEADING, INK_FUNCTION, INK_PATH, INK_BAD };

/* Chooses colour from --color and the terminal; `when` is the value of --color, or NULL. */
bool colour_choose(const char *when);

void put_ink_bytes(enum ink ink);

/* The colour of the following text, until INK_NONE. */
static inline void put_ink(enum ink ink)
{
	if (terminal.colour)
		put_ink_bytes(ink);
}

/* Prints a heading of a table, with its newline. */
void put_heading(const char *line);

#endif
