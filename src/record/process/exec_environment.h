/* Record: the environment that a new program image gets: with the preload where it can work, without it where it cannot. */
#ifndef RECORD_PROCESS_EXEC_ENVIRONMENT_H
#define RECORD_PROCESS_EXEC_ENVIRONMENT_H

#include "record/recorder.h"

#include <stddef.h>

/* Pointers that a changed environment may need beyond those that it has. */
enum { ENVIRONMENT_MORE = 4 };

size_t environment_count(char *const *environment);
/* LD_PRELOAD with this value but for the library. */
void preload_without(const char *value, const char *library, char *text, size_t room);

/* LD_PRELOAD with this value, where the library has the path that only glibc finds (base/program/preload_path.h); false: it has no such
 * path, or has it already, or there is no room. */
bool preload_for_glibc(const char *value, const char *library, char *text, size_t room);

bool environment_readable(struct thread *self, char *const *given);

/* A path, never one to be searched for in PATH, of what `path` means from the folder `fd`; without it: of the descriptor's
 * own file. NULL: none. It may stand in `room`, until an environment does. */
const char *program_of_fd(int fd, const char *path, struct exec_environment *room);

/* Counts the program that is about to be started as one that will not be recorded, and stores the reason in a record; `self`
 * has entered (wrap_enter), NULL: nobody has. untraced_count(): without a record. untraced_withdraw(): it was not started after
 * all. */
void untraced_note(struct thread *self, const char *path, enum untraced why);
void untraced_count(enum untraced why);
void untraced_withdraw(enum untraced why);

/* The environment for a program at `path` (NULL: not known) with the arguments `argv`: `given` itself when nothing has to change, else one that is
 * laid out in `pointers` (environment_count() + ENVIRONMENT_MORE of them) and `room`. A program that will not be traced is
 * noted, and room->why is set. */
char *const *environment_for(struct thread *self, const char *path, char *const *argv,
			     char *const *given, char **pointers, struct exec_environment *room);
/* The same without a look at the program: makes no system call. What is not recorded is not noted: room->why. */
char *const *environment_again(char *const *given, char **pointers, struct exec_environment *room);
/* Whether a program with this environment is recorded as far as --no-follow is concerned. */
bool environment_followed(char *const *given);

#endif
