/* Command line: the path of the preload library. */
#ifndef CLI_PRELOAD_LIBRARY_H
#define CLI_PRELOAD_LIBRARY_H

#include <stdbool.h>

enum { LIBRARY_PATH = 4096 };

enum library { LIBRARY_USUAL, LIBRARY_SYNC /* also with the layers in the sync library */ };

/* Searches beside the running program (a build folder), then in ../lib (installed), then at the place for which it was
 * built. */
bool library_find(enum library which, char path[LIBRARY_PATH]);

#endif
