/* Object: finds I/O of an object that Varve cannot record: imported symbols without a row, and code that enters the kernel
 * itself.
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
	bool kernel_any; /* some whose number is known only when it runs */
	bool go;	 /* the runtime of Go is in it, which makes all system calls by itself */
	size_t not_known; /* imports without calls; the trace does not show whether they would be recorded */
};

/* Symbols that have rows, at places by their hashes. */
struct unseen_rows {
	const char **symbols; /* NULL: a free place */
	size_t room;	      /* a power of two */
};

/* What this Varve records, and what the one did that made a trace. */
struct unseen_known {
	struct tables tables;
	struct unseen_rows own;
	struct unseen_rows recorded;
	bool by_trace;
	bool part; /* the trace names only functions that have calls */
};

/* For a recorder with the functions of `trace`, which must stay, or (NULL) of this version. Without memory for it objects
 * are ELF_UNREADABLE. unseen_known_clear() is needed. */
void unseen_known_make(struct unseen_known *known, const struct varve_trace *trace);
void unseen_known_clear(struct unseen_known *known);

/* What is not seen in the object at `path`. ELF_OK also for the C library itself, which has nothing unseen. After ELF_OK
 * unseen_clear() is needed. */
enum elf_status unseen_find(const char *path, const struct unseen_known *known,
			    struct unseen *unseen);
void unseen_clear(struct unseen *unseen);

static inline bool unseen_any(const struct unseen *unseen)
{
	return unseen->symbol_count || unseen->kernel_count || unseen->kernel_any;
}

#endif
