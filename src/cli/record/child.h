/* Command line: the program that `varve record` runs: finds and starts it, passes signals on, waits for it. */
#ifndef CLI_RECORD_CHILD_H
#define CLI_RECORD_CHILD_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

struct child {
	pid_t pid;
	sigset_t watched;	       /* signals that we take ourselves, SIGCHLD among them */
	sigset_t mask;		       /* what we had blocked when we were started: the program's */
	struct sigaction on_child_end; /* likewise: what SIGCHLD did */
};

/* Finds a program as execvp would. 0, or EXIT_NO_PROGRAM or EXIT_NOT_EXECUTABLE after a message. */
int child_find(const char *name, char path[4096]);

/* The same without a message: 0 or an errno. */
int child_look(const char *name, char path[4096]);

/* Whether a name without a slash, which PATH does not have, is a file in the working directory. */
bool child_is_here(const char *name);

/* From here on signals wait for us; before child_start(). */
void child_prepare(struct child *child);

/* Starts the program with our own dispositions and mask as they were. 0 or an errno. */
int child_start(struct child *child, const char *path, char **words, char **environment);

/* Waits up to `milliseconds`, passing signals on meanwhile. True: it has ended, `*status` as of waitpid. */
bool child_wait(struct child *child, int milliseconds, int *status);

#endif
