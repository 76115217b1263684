/* Command line: what of an object's I/O Varve cannot see: symbols that it imports and no row covers, code that enters the
 * kernel by itself. Knows files and tables of calls; prints nothing.
 */
#ifndef CLI_UNSEEN_H
#define CLI_UNSEEN_H

#include "cli/elf.h"

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
};

/* What is not seen in the object at `path` by a recorder with the functions of `trace`, or (NULL) of this version. ELF_OK also for the C library itself,
 * which has nothing unseen. After ELF_OK unseen_clear() is needed. */
enum elf_status unseen_find(const char *path, const struct varve_trace *trace,
			    struct unseen *unseen);
void unseen_clear(struct unseen *unseen);

static inline bool unseen_any(const struct unseen *unseen)
{
	return unseen->symbol_count || unseen->kernel_count || unseen->kernel_any;
}

#endif
