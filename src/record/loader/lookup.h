/* Record: functions that a program looks up by name (dlsym, dlvsym); the result is an entry of the recorder. See lookup.c.
 * Assembler files include it, too.
 */
#ifndef RECORD_LOADER_LOOKUP_H
#define RECORD_LOADER_LOOKUP_H

/* How many library functions can have an entry, in one process; a power of two. */
#define LOOKUPS 4096

#ifndef __ASSEMBLER__
#include "record/library/library.h"

/* The data of an entry of lookup.S. All words are 0 until the entry is taken. */
struct looked {
	uint64_t function; /* its address, and in the upper 16 bits the number of its symbol */
	uint64_t
		library; /* number of its library in the low 8 bits, above it the epoch in which it was found */
	uint64_t
		caller; /* last calling address times 2; plus 1 if that address is in the library itself */
};

static inline void *looked_function(const struct looked *looked)
{
	return (void *)(uintptr_t)(looked->function & 0xffffffffffff);
}

/* The data of an entry that was returned. */
struct looked *lookup_of(uint32_t number);

/* The recorder has started: adds what was counted before to the run's counter. */
void lookup_started(void);

/* library_find.c: completes a call through an entry: the real function, its library, whether the library calls itself. */
void library_looked(struct library_call *call, struct looked *looked);
#endif
#endif
