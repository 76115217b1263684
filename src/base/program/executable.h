/* Base: whether the preload library can work in a program, judged from its file. `varve record` and traced programs check this
 * before they start a program. Prints nothing and changes nothing.
 */
#ifndef BASE_PROGRAM_EXECUTABLE_H
#define BASE_PROGRAM_EXECUTABLE_H

#include <stdbool.h>
#include <stddef.h>

/* Why a program that is started will not be recorded: values of the kind untraced_why. */
enum untraced {
	UNTRACED_NOT = 0,
	UNTRACED_STATIC = 1,
	UNTRACED_32_BIT = 2,
	UNTRACED_SET_UID = 3,
	UNTRACED_UNREACHABLE = 4, /* the program cannot open the library or the run */
	UNTRACED_ENVIRONMENT = 5, /* the environment would be too large with our variables */
	UNTRACED_SHARED = 6,	  /* a process that uses the thread data of its creator */
	UNTRACED_FOREIGN = 7,	  /* for another machine or another C library */
	UNTRACED_LISTING = 8,	  /* the loader only lists libraries: nothing of the program runs */
	UNTRACED_NOT_FOLLOWED = 9, /* excluded on request: --no-follow */
	UNTRACED_RANK = 10,	   /* excluded on request: a rank that is not in --ranks */
};

/* Finds the program that execvp() would start under this name: `folders` is the value of PATH, NULL if it is not set. Writes
 * the path to `path` and returns 0, otherwise returns an errno with the reason. */
int executable_find(const char *name, const char *folders, char *path, size_t room);

/* Whether the preload library can work in the program at `path`; a script is judged by its interpreter. Also UNTRACED_NOT if
 * the file cannot be read. */
enum untraced executable_look(const char *path);

/* Whether the program is a loader; and whether an option as first argument makes a loader only inspect the given program, or
 * print something about itself. It then loads the preload library, but runs no program. */
bool executable_is_loader(const char *path);
bool executable_only_looks(const char *option);

/* Whether the preload variable is harmless in such a program (static, set-uid) and can be left in its environment for the
 * programs that it starts. Loaders of other kinds print errors about it, or fail. */
bool executable_ignores(enum untraced why);

#endif
