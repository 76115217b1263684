/* Record: work of ours that needs descriptors, out of the program's sight.
 *
 * A file that we open takes the lowest free number for a moment. In a program with several threads another thread may
 * open a file at that moment and get another number than without us, or fork and pass ours on. So there the work is
 * done by a thread with a descriptor table of its own, which lives as long as the work takes. docs/adr/0011.
 */
#ifndef RECORD_PROCESS_DETACHED_H
#define RECORD_PROCESS_DETACHED_H

#include <stdbool.h>

/* Whether others use the same table of descriptors, threads or a process that clone() made, from which our work has to be
 * kept apart. */
bool detached_needed(void);

/* Does the work before it returns. The caller has blocked all signals. */
void detached_run(void (*work)(void *), void *given);

/* The same where the caller has not: the program's handlers must not run on our thread, which has none of its files. */
void detached_blocking(void (*work)(void *), void *given);

/* As detached_run(), for work on files that may be the program's: to close one in its table would release its locks. Not done at all
 * where there is no thread to be had. */
void detached_only(void (*work)(void *), void *given);

#endif
