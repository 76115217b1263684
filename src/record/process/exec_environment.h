/* Record: the environment of a new program image: with the recorder where it can work, otherwise without. */
#ifndef RECORD_PROCESS_EXEC_ENVIRONMENT_H
#define RECORD_PROCESS_EXEC_ENVIRONMENT_H

#include "record/recorder.h"

#include <stddef.h>

/* The most pointers that the recorder adds to an environment. */
enum { ENVIRONMENT_MORE = 4 };

size_t environment_count(char *const *environment);
/* The text `LD_PRELOAD=value`, without the library. */
void preload_without(const char *value, const char *library, char *text, size_t room);

/* The text `LD_PRELOAD=value`, with the path of the library that only glibc finds (base/program/preload_path.h); false: the library
 * is not in it, has that path already, or there is no room. */
bool preload_for_glibc(const char *value, const char *library, char *text, size_t room);

bool environment_readable(struct thread *self, char *const *given);

/* A path to the program that `path` means, starting from the folder `fd`; without a path: to the descriptor's file. It is never
 * searched for in PATH. NULL: none. The result may be in `room`, until an environment is made there. */
const char *program_of_fd(int fd, const char *path, struct exec_environment *room);

/* Counts a program that is about to be started and will not be recorded, and makes a record with the reason. `self` has entered
 * (wrap_enter); NULL: the function enters itself. untraced_count() makes no record. untraced_withdraw(): the program was not
 * started. */
void untraced_note(struct thread *self, const char *path, enum untraced why);
void untraced_count(enum untraced why);
void untraced_withdraw(enum untraced why);

/* The environment for a program at `path` (NULL: not known) with the arguments `argv`: `given` itself when nothing has to change,
 * otherwise a new one in `pointers` (environment_count() + ENVIRONMENT_MORE of them) and `room`. A program that will not be traced
 * is noted, and room->why is set. */
char *const *environment_for(struct thread *self, const char *path, char *const *argv,
			     char *const *given, char **pointers, struct exec_environment *room);
/* The same without examining the program: makes no system call. A program that will not be recorded is not noted; room->why is
 * set. */
char *const *environment_again(char *const *given, char **pointers, struct exec_environment *room);
/* Whether --no-follow allows to record a program with this environment. */
bool environment_followed(char *const *given);

#endif
