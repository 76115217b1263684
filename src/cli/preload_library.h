/* Command line: the path of the preload library. */
#ifndef CLI_PRELOAD_LIBRARY_H
#define CLI_PRELOAD_LIBRARY_H

#include <stdbool.h>

enum { LIBRARY_PATH = 4096 };

enum library { LIBRARY_USUAL, LIBRARY_SYNC /* with the wrappers of layers that are apart */ };

/* Looks beside the program that runs (a build folder), in ../lib of it (installed), then where it was built for. */
bool library_find(enum library which, char path[LIBRARY_PATH]);

#endif
