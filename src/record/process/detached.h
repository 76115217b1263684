/* Record: work of the recorder that needs descriptors, invisible to the program.
 *
 * A file that the recorder opens takes the lowest free number for a moment. In a program with several threads another thread
 * may open a file at that moment and get a different number than without Varve, or fork and pass our descriptor on. In such a
 * program the work is done by a thread with its own descriptor table, which ends when the work is done. docs/adr/0011.
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
