/* Record: functions that the C library has in several versions with different behaviour. The preloaded function replaces
 * all of them, and calls the version that the caller was linked against.
 */
#ifndef RECORD_LOADER_VERSION_H
#define RECORD_LOADER_VERSION_H

struct link_map;

/* The version of a function that an object was linked against, and the name of the library that has it; NULL: none. */
const char *version_needed(const struct link_map *object, const char *name, const char **file);

/* Finds the old versions; called at the start, because it may lock. */
void versions_resolve(void);

enum versioned {
	VERSIONED_POSIX_SPAWN,
	VERSIONED_POSIX_SPAWNP,
	VERSIONED_QUICK_EXIT,
	VERSIONED_PTHREAD_COND_WAIT,
	VERSIONED_PTHREAD_COND_TIMEDWAIT,
	VERSIONED_PTHREAD_COND_SIGNAL,
	VERSIONED_PTHREAD_COND_BROADCAST,
	VERSIONED_LIO_LISTIO,
	VERSIONED_LIO_LISTIO64,
	VERSIONED_REALPATH,
	VERSIONED_GLOB,
	VERSIONED_GLOB64,
	VERSIONED_COUNT
};

/* The version for the object that contains `caller`; `newest` if that is the one, or if the version is not known. */
void *version_for(enum versioned function, const void *caller, void *newest);

/* An object was unloaded: another one may be loaded at its address. */
void versions_forget(void);

#endif
