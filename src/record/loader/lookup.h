/* Record: functions that a program looks up by name (dlsym, dlvsym); the answer is an entry of the recorder. See lookup.c.
 * Assembler files include it too.
 */
#ifndef RECORD_LOADER_LOOKUP_H
#define RECORD_LOADER_LOOKUP_H

/* Functions of libraries that can be answered, in one process; a power of two. */
#define LOOKUPS 4096

#ifndef __ASSEMBLER__
#include "record/library/library.h"

/* What is behind an entry of lookup.S. All words are 0 until it is taken. */
struct looked {
	uint64_t function; /* its address, and in the upper 16 bits the number of its symbol */
	uint64_t
		library; /* number of its library in the low 8 bits, and the epoch in which it was found */
	uint64_t
		caller; /* twice the address that called last; 1 more: it is in the library itself */
};

static inline void *looked_function(const struct looked *looked)
{
	return (void *)(uintptr_t)(looked->function & 0xffffffffffff);
}

/* The one behind an entry that was answered. */
struct looked *lookup_of(uint32_t number);

/* The recorder has started: what was counted before is counted for the run. */
void lookup_started(void);

/* library_find.c: completes a call that came by an entry: the real function, its library, whether the library calls itself. */
void library_looked(struct library_call *call, struct looked *looked);
#endif
#endif
