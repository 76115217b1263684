/* Command line: progress of long work, as one line on stderr that is overwritten.
 *
 * A thread draws it, so that even work without steps shows a time, and a step costs only one store.
 */
#ifndef CLI_TERMINAL_PROGRESS_H
#define CLI_TERMINAL_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PROGRESS_ROOM = 80 };

/* Allows progress on `fd` for work that takes longer than `after_ns`. Without this call, no progress is shown. */
void progress_allow(int fd, int64_t after_ns);

/* Starts the progress of some work. `what` is the name of the work, `things` the plural of its units, and `total` their
 * number; 0: not known. */
void progress_start(const char *what, const char *things, uint64_t total);

extern uint64_t progress_done;

/* Sets the number of units that are done. */
static inline void progress_step(uint64_t done)
{
	__atomic_store_n(&progress_done, done, __ATOMIC_RELAXED);
}

/* Ends the progress and removes the line. Does nothing if no progress was started. */
void progress_end(void);

/* Writes a message to stderr, after removing the line. */
void progress_message(const char *text, size_t length);

/* The text of the line after this time. */
void progress_text(char text[PROGRESS_ROOM], const char *what, const char *things, uint64_t done,
		   uint64_t total, int64_t elapsed_ns);

#endif
