/* Object: finds I/O of an object that Varve cannot record: imported symbols without a row, and code that enters the kernel
 * directly.
 *
 * Reads files and tables of calls; prints nothing.
 */
#ifndef OBJECT_UNSEEN_H
#define OBJECT_UNSEEN_H

#include "codec/host/tables.h"
#include "object/elf.h"

#include <varve/varve.h>

struct unseen_symbol {
	char name[64];
	const char *why;
};

struct unseen {
	struct unseen_symbol *symbols;
	size_t symbol_count;
	const char **kernel; /* names of system calls for I/O that it makes without the C library */
	size_t kernel_count;
	bool kernel_any; /* there are some with a number that is only known at run time */
	bool go;	 /* contains the runtime of Go, which makes all system calls directly */
	size_t not_known; /* imports without calls; the trace does not show whether they would be recorded */
};

/* A hash table of symbols that have rows. */
struct unseen_rows {
	const char **symbols; /* NULL: the place is free */
	size_t room;	      /* a power of two */
};

/* What this Varve records, and what the Varve recorded that made a trace. */
struct unseen_known {
	struct tables tables;
	struct unseen_rows own;
	struct unseen_rows recorded;
	bool by_trace;
	bool part; /* the trace contains only functions that were called */
};

/* For a recorder with the functions of `trace`, which must stay valid, or (NULL) of this version. If there is no memory for it,
 * objects are ELF_UNREADABLE. unseen_known_clear() is required. */
void unseen_known_make(struct unseen_known *known, const struct varve_trace *trace);
void unseen_known_clear(struct unseen_known *known);

/* What cannot be recorded of the object at `path`. Also ELF_OK, without findings, for the C library itself. After ELF_OK,
 * unseen_clear() is required. */
enum elf_status unseen_find(const char *path, const struct unseen_known *known,
			    struct unseen *unseen);
void unseen_clear(struct unseen *unseen);

static inline bool unseen_any(const struct unseen *unseen)
{
	return unseen->symbol_count || unseen->kernel_count || unseen->kernel_any;
}

#endif
