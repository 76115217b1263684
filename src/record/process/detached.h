/* Record: work of the recorder that needs descriptors, invisible to the program.
 *
 * A file that the recorder opens takes the lowest free number for a moment. In a program with several threads another thread may
 * open a file at that moment and get a different number than without Varve, or fork and pass the recorder's descriptor on. In such
 * a program the work is done by a thread with its own descriptor table, which ends when the work is done. docs/adr/0011.
 */
#ifndef RECORD_PROCESS_DETACHED_H
#define RECORD_PROCESS_DETACHED_H

#include <stdbool.h>

/* Whether other threads, or a process made by clone(), use the same descriptor table, so that the work has to be detached. */
bool detached_needed(void);

/* Returns after the work is done. The caller has blocked all signals. */
void detached_run(void (*work)(void *), void *given);

/* The same for callers that have not blocked signals: the program's handlers must not run on the recorder's thread, which does not
 * have the program's files. */
void detached_blocking(void (*work)(void *), void *given);

/* As detached_run(), for work on files that the program may have open: closing them in its descriptor table would release its
 * locks. The work is not done if no thread can be made. */
void detached_only(void (*work)(void *), void *given);

#endif
