/* Command line: the program that a process became by an exec that never returned.
 *
 * Owns the search, which is done once per trace. Never guesses: if two programs are possible, none is reported. See
 * exec_images.c.
 */
#ifndef CLI_PRINT_EXEC_IMAGES_H
#define CLI_PRINT_EXEC_IMAGES_H

#include <varve/varve.h>

/* Sets the trace of all following calls. */
void images_of(struct varve_trace *trace);

/* The number of the process that an unfinished exec became; 0: the trace does not show that the exec succeeded. */
uint32_t image_after(const struct varve_call *call);

#endif
