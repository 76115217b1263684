/* Record: symbols of loaded objects, looked up in their own tables.
 *
 * dlsym does more than is wanted: it takes the loader's lock, and allocates when it finds nothing, by an allocator that may
 * just be calling us. And it takes ten times as long, which every process would pay for each function that is wrapped.
 */
#ifndef RECORD_SYMBOLS_H
#define RECORD_SYMBOLS_H

#include <elf.h>
#include <link.h>
#include <stdbool.h>
#include <stdint.h>

/* The tables of one object. */
struct symbols {
	ElfW(Addr) base;
	const ElfW(Sym) * table;
	const char *strings;
	const uint32_t *hash;
	const uint16_t *versions;
};

struct symbols symbols_of(ElfW(Addr) base, const ElfW(Dyn) * dynamic);

/* As DT_GNU_HASH has it. */
uint32_t symbol_hash(const char *name);

/* Whether the object was there when the program began, behind ours: every other object sees what it defines. */
bool symbols_first(const struct symbols *symbols);

/* What the object defines under this name; of several versions the one that new programs are linked against. With `hidden`
 * the one that only old programs are. NULL: nothing. */
const ElfW(Sym) *
	symbol_in(const struct symbols *symbols, const char *name, uint32_t hash, bool hidden);

/* The function that a caller would get without us: from the first object behind ours that has it. NULL: from none. */
void *symbol_next(const char *name, uint32_t hash, bool hidden);

#endif
