/* Base: launchers (mpirun, srun ...): the names of their programs, and one table of their environment variables, used wherever a
 * rank, a size or a job is needed.
 *
 * Owns the names and the order in which they are read. It never reads the environment itself: callers pass a function like
 * getenv(). No allocation.
 */
#ifndef BASE_PROGRAM_LAUNCHERS_H
#define BASE_PROGRAM_LAUNCHERS_H

#include <stdbool.h>
#include <stddef.h>

typedef char *launcher_get(const char *name);

/* A launcher, or a process interface that several launchers share. Unused entries are NULL. */
struct launcher {
	const char *name;
	const char *rank[2];
	const char *size;     /* number of ranks of the job */
	const char *local[2]; /* number of ranks that it starts on this host */
	const char *key[3];   /* together they identify the job: unique, and equal on all hosts */
	bool batch;	      /* also set in a batch script, which is not a rank */
};

/* A launcher that is started inside the job of another one precedes it in the table, because its programs have the variables of
 * both. */
enum { LAUNCHER_COUNT = 6 };
extern const struct launcher launchers[LAUNCHER_COUNT];

/* The first launcher with a rank variable that is set and not empty; `*variable` is set to its name. NULL: none. */
const struct launcher *launcher_find(launcher_get *get, const char **variable);

/* Values of variables, or NULL. launcher_rank_in() reads the environment of another program. launcher_batch_job() is the job of
 * the batch system, not the launcher's. */
const char *launcher_rank(launcher_get *get);
const char *launcher_rank_in(char *const *environment);
const char *launcher_size(launcher_get *get);
const char *launcher_local(launcher_get *get);
const char *launcher_batch_job(launcher_get *get);
/* The name of the world in its job; and a value that is set if another world started this one (MPICH). */
const char *launcher_namespace(launcher_get *get);
const char *launcher_spawned(launcher_get *get);

/* Whether the innermost launcher is one that gives its jobs no names (MPICH's), possibly inside a job of another launcher. */
bool launcher_names_none(launcher_get *get);

/* Whether a variable with this name contains a rank, a size or the number of a job. */
bool launcher_number(const char *name, size_t length);

/* Whether a launcher, or a daemon of one, has this file name. */
bool launcher_program(const char *name, size_t length);

#endif
