/* Command line: where the preload library is. */
#ifndef CLI_LIBRARY_H
#define CLI_LIBRARY_H

#include <stdbool.h>

enum { LIBRARY_PATH = 4096 };

/* Looks beside the program that runs (a build folder), in ../lib of it (installed), then where it was built for. */
bool library_find(char path[LIBRARY_PATH]);

#endif
