/* Command line: the pager that shows long text. */
#ifndef CLI_TERMINAL_PAGER_H
#define CLI_TERMINAL_PAGER_H

#include <stdbool.h>
#include <stddef.h>

/* Whether the next data would be the first that a pager is to show, or one shows it already. */
extern struct pager {
	bool wanted; /* from --no-pager, the verb and the terminal */
	bool runs;
} pager;

/* Puts the pager behind standard output, if there is one; `wanted` ends. */
void pager_start(void);

/* Waits until the reader has seen enough; says what had to wait meanwhile. Nothing, when none runs. */
void pager_end(void);

/* Keeps a message until the pager has ended; false: no memory. */
bool pager_defer(const char *text, size_t length);

#endif
