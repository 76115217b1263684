/* Command line: the pager that shows long text. */
#ifndef CLI_TERMINAL_PAGER_H
#define CLI_TERMINAL_PAGER_H

#include <stdbool.h>
#include <stddef.h>

/* `wanted`: the next data starts a pager; `runs`: a pager is running. */
extern struct pager {
	bool wanted; /* from --no-pager, the verb and the terminal */
	bool runs;
} pager;

/* Starts the pager and connects standard output to it, if there is a pager; clears `wanted`. */
void pager_start(void);

/* Waits until the pager has ended, then prints the messages that were deferred. Does nothing if no pager runs. */
void pager_end(void);

/* Defers a message until the pager has ended; false: no memory. */
bool pager_defer(const char *text, size_t length);

#endif
