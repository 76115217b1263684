/* Sink: the variables that Varve reads, and which one a wrong name was meant for.
 *
 * Used by the command, which prints a message, and by a library that is preloaded alone, which stores it in the trace. Reads no
 * environment and prints nothing.
 */
#ifndef SINK_RUN_VARIABLES_H
#define SINK_RUN_VARIABLES_H

#include <stdbool.h>
#include <stddef.h>

/* Whether Varve reads a variable with this name, which begins with VARVE_. */
bool variable_known(const char *name, size_t length);

/* The variable that an unknown name, which begins with VARVE_, was meant for; NULL: the name is known, or near to none. */
const char *variable_meant(const char *name, size_t length);

#endif
