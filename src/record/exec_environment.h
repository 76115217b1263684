/* Record: the environment that a new program image gets: with the preload where it can work, without it where it cannot. */
#ifndef RECORD_EXEC_ENVIRONMENT_H
#define RECORD_EXEC_ENVIRONMENT_H

#include "record/state.h"

#include <stddef.h>

/* Pointers that a changed environment may need beyond those that it has. */
enum { ENVIRONMENT_MORE = 4 };

/* Room for the texts of what is put into it. */
struct exec_environment {
	char preload[2 * CONTROL_PATH];
	char run[CONTROL_PATH];
	char original[CONTROL_PATH];
};

size_t environment_count(char *const *environment);
bool is_variable(const char *entry, const char *name);
/* LD_PRELOAD with this value but for the library. */
void preload_without(const char *value, const char *library, char *text, size_t room);

bool environment_readable(struct thread *self, char *const *given);

/* The environment for a program at `path` (NULL: not known): `given` itself when nothing has to change, else one that is
 * laid out in `pointers` (environment_count() + ENVIRONMENT_MORE of them) and `room`. */
char *const *environment_for(const char *path, char *const *given, char **pointers,
			     struct exec_environment *room);
/* The same without a look at the program: makes no system call. */
char *const *environment_again(char *const *given, char **pointers, struct exec_environment *room);

#endif
