/* Base: the environment variables of launchers (mpirun, srun ...): one table, used wherever a rank, a size or a job is asked
 * for.
 *
 * Owns the names and the order in which they are read. It never reads the environment itself: callers pass a function like
 * getenv(). No allocation.
 */
#ifndef BASE_PROGRAM_LAUNCHERS_H
#define BASE_PROGRAM_LAUNCHERS_H

#include <stdbool.h>
#include <stddef.h>

typedef char *launcher_get(const char *name);

/* A launcher, or the interface to processes that several of them have. Unused places are NULL. */
struct launcher {
	const char *name;
	const char *rank[2];
	const char *size;     /* number of ranks of the job */
	const char *local[2]; /* number of ranks that it starts on this host */
	const char *key[3];   /* together these name the job: unique, and the same on all hosts */
	bool batch;	      /* the variables are set in a batch script too, which is no rank */
};

/* One that was started inside another's job stands before that one: its programs have the variables of both. */
enum { LAUNCHER_COUNT = 6 };
extern const struct launcher launchers[LAUNCHER_COUNT];

/* Launcher whose rank variable is set and not empty, `*variable`; NULL: there is none. */
const struct launcher *launcher_find(launcher_get *get, const char **variable);

/* Values, or NULL; launcher_rank_in(): as in the environment of another program. The batch job is that of the batch system, not
 * the launcher's. */
const char *launcher_rank(launcher_get *get);
const char *launcher_rank_in(char *const *environment);
const char *launcher_size(launcher_get *get);
const char *launcher_local(launcher_get *get);
const char *launcher_batch_job(launcher_get *get);
/* The name of the world in its job, and whether, by MPICH, another world started it. */
const char *launcher_namespace(launcher_get *get);
const char *launcher_spawned(launcher_get *get);

/* Whether the nearest launcher is one that names no job (MPICH's), maybe inside a job of others. */
bool launcher_names_none(launcher_get *get);

/* Whether a variable with this name holds a rank, a size or the number of a job. */
bool launcher_number(const char *name, size_t length);

#endif
