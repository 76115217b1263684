/* Command line: the image that a process became by an exec that never returned.
 *
 * Owns the search, which is made once for a trace. Never guesses: if two images are possible, none is named. See exec_images.c.
 */
#ifndef CLI_PRINT_EXEC_IMAGES_H
#define CLI_PRINT_EXEC_IMAGES_H

#include <varve/varve.h>

/* For calls of this trace from now on. */
void images_of(struct varve_trace *trace);

/* Number of the process that an unfinished exec became; 0: the trace does not show that it succeeded. */
uint32_t image_after(const struct varve_call *call);

#endif
