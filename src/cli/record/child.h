/* Command line: the program that `varve record` runs: finds and starts it, passes signals on, waits for it. */
#ifndef CLI_RECORD_CHILD_H
#define CLI_RECORD_CHILD_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

struct child {
	pid_t pid;
	sigset_t watched; /* signals that are taken with sigtimedwait(), with SIGCHLD */
	sigset_t mask;	  /* the mask when this command was started, which the program gets */
	/* the disposition of SIGCHLD then, which the program gets */
	struct sigaction on_child_end;
};

/* Finds a program like execvp(). 0; EXIT_NO_PROGRAM or EXIT_NOT_EXECUTABLE after a message. */
int child_find(const char *name, char path[4096]);

/* The same without a message: 0 or an errno. */
int child_look(const char *name, char path[4096]);

/* Whether a name without a slash, which PATH does not have, is a file in the working directory. */
bool child_is_here(const char *name);

/* Blocks the signals; call it before child_start(). */
void child_prepare(struct child *child);

/* Starts the program with the dispositions and the mask that this command had. 0 or an errno. */
int child_start(struct child *child, const char *path, char **words, char **environment);

/* Waits up to `milliseconds`, and passes signals on. True: the program has ended, with `*status` as from waitpid(). */
bool child_wait(struct child *child, int milliseconds, int *status);

#endif
