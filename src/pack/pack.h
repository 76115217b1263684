/* Pack: makes the packed form of a trace: one file, or a few, in which loops are folded and what ranks have in common is stored
 * once.
 *
 * The source may have either form. It is only read. The packed trace is written under another name, and gets its own name when
 * it is complete and on disk.
 */
#ifndef PACK_PACK_H
#define PACK_PACK_H

#include "base/status.h"
#include "packed/packed_layout.h"

#include <stdbool.h>
#include <stdint.h>

struct varve_trace;

struct pack_settings {
	const char *source;
	const char *target;
	enum packed_time time;
	bool verify;	  /* compare the packed trace with its source before it gets its name */
	unsigned workers; /* threads; 0: as many as there are processors */
	unsigned files;	  /* at most PACKED_FILES_MOST, at most one for each stream; 0 is 1 */
	void (*progress)(void *context, uint64_t done, uint64_t all); /* records; may be NULL */
	void *context;
};

/* What was made. */
struct pack_result {
	uint64_t records;
	uint64_t source_bytes;
	uint64_t bytes; /* of the packed trace */
	uint64_t files; /* number of its files */
	uint64_t structure_bytes;
	uint64_t data_bytes;
	uint64_t classes;
	uint64_t streams;
	uint64_t damages; /* of the source, which the packed trace stores */
	char *replaced; /* present path of the trace that had the name of the target, to be freed; NULL: none */
};

/* Locks a source before it is packed: two commands that pack the same trace would both remove it. VARVE_BUSY names the other
 * command. If a trace cannot be opened or locked, `*lock` is -1; other functions report the reason. */
enum varve_status pack_lock(const char *source, int *lock, struct varve_causes *causes) MUST_CHECK;
void pack_unlock(int lock);

/* The caller holds the lock of the source. */
enum varve_status pack_trace(const struct pack_settings *settings, struct pack_result *result,
			     struct varve_causes *causes) MUST_CHECK;

/* Compares a packed trace, given by its open files, with its source. VARVE_DAMAGED: they differ. */
enum varve_status pack_verify(const char *source, const int *files, size_t count,
			      struct varve_causes *causes) MUST_CHECK;

/* Checks all of an open packed trace for damage: what is found is repaired in memory, or added to its list of damages. */
enum varve_status pack_check(struct varve_trace *trace, struct varve_causes *causes) MUST_CHECK;
/* Whether a packed trace that was checked had no damage. */
bool pack_is_sound(const struct varve_trace *trace);
/* Whether all of it is undamaged or repaired, so that it can be written as it originally was. */
bool pack_is_whole(const struct varve_trace *trace);
/* Writes it, byte for byte, as `target`. */
enum varve_status pack_repair(const struct varve_trace *trace, const char *target,
			      struct pack_result *result, struct varve_causes *causes) MUST_CHECK;

/* Whether a trace has the packed form. */
bool pack_is_packed(const char *path);

/* Removes a trace whose packed form is complete; from a folder it removes the files of a trace, then the folder. False:
 * something is left. */
bool pack_remove_replaced(const char *path);

#endif
