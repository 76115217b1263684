/* Command line: progress of long work, as one line on stderr that is overwritten.
 *
 * A thread draws it, so that long silent work still shows a time, and a step costs one store.
 */
#ifndef CLI_TERMINAL_PROGRESS_H
#define CLI_TERMINAL_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PROGRESS_ROOM = 80 };

/* From now on work that takes longer than `after_ns` is shown on `fd`. Without this nothing is. */
void progress_allow(int fd, int64_t after_ns);

/* Work begins: `what` is it, of `total` things that are called `things`; 0: nobody knows how many. */
void progress_start(const char *what, const char *things, uint64_t total);

extern uint64_t progress_done;

/* So many are done. */
static inline void progress_step(uint64_t done)
{
	__atomic_store_n(&progress_done, done, __ATOMIC_RELAXED);
}

/* The work is over, the line is gone. Nothing, when none was begun. */
void progress_end(void);

/* Writes a message to stderr; the line is not in its way. */
void progress_message(const char *text, size_t length);

/* The line that is shown after this time. */
void progress_text(char text[PROGRESS_ROOM], const char *what, const char *things, uint64_t done,
		   uint64_t total, int64_t elapsed_ns);

#endif
