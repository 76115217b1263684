/* Record: the environment that a new program image gets: with the preload where it can work, without it where it cannot. */
#ifndef RECORD_EXEC_ENVIRONMENT_H
#define RECORD_EXEC_ENVIRONMENT_H

#include "record/state.h"

#include <stddef.h>

/* Room that a changed environment needs: pointers for `count` variables and four more, and the texts of two. */
struct exec_environment {
	char preload[2 * CONTROL_PATH];
	char run[CONTROL_PATH];
};

size_t environment_count(char *const *environment);

bool environment_readable(struct thread *self, char *const *given);

/* The environment for a program at `path` (NULL: not known): `given` itself when nothing has to change, else one that is
 * laid out in `pointers` (environment_count() + 4 of them) and `room`. */
char *const *environment_for(const char *path, char *const *given, char **pointers,
			     struct exec_environment *room);

#endif
