/* Base: whether the preload library can work in a program, from its file: `varve record` and traced programs look before they
 * start one. Prints nothing and changes nothing.
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
	UNTRACED_UNREACHABLE = 4, /* the library or the run cannot be opened there */
	UNTRACED_ENVIRONMENT = 5, /* with our variables it would be too large */
	UNTRACED_SHARED = 6,	  /* a process that runs on its maker's thread data */
	UNTRACED_FOREIGN = 7,	  /* of another machine or another C library */
	UNTRACED_LISTING = 8,	  /* the loader only lists libraries: nothing of the program runs */
	UNTRACED_NOT_FOLLOWED = 9, /* left out on request: --no-follow */
	UNTRACED_RANK = 10,	   /* left out on request: a rank that --ranks does not name */
};

/* Finds the program that execvp() would start under this name: `folders` is the value of PATH, NULL when it is not set. Its
 * path is written to `path`, and 0 returned; otherwise the errno that is the reason. */
int executable_find(const char *name, const char *folders, char *path, size_t room);

/* Whether the preload can work in the program at `path`; a script is what its interpreter is. UNTRACED_NOT also for what cannot
 * be looked at. */
enum untraced executable_look(const char *path);

/* Whether the program is a loader, and whether its first argument makes it only inspect the given program or print
 * something about itself: then it preloads, and runs nothing. */
bool executable_is_loader(const char *path);
bool executable_only_looks(const char *option);

/* Whether the preload does no harm in such a program (static, set-uid) and can reach the programs that it starts. The loaders
 * of others complain on stderr, or fail. */
bool executable_ignores(enum untraced why);

#endif
