/* Record: symbols of loaded objects, looked up in their own tables.
 *
 * dlsym is not suitable: it takes the loader's lock, and allocates when it finds nothing, with an allocator that may be
 * calling us at this moment. It also takes ten times as long, in every process, for each function that is wrapped.
 */
#ifndef RECORD_LOADER_SYMBOLS_H
#define RECORD_LOADER_SYMBOLS_H

#include <elf.h>
#include <link.h>
#include <stdbool.h>
#include <stddef.h>
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

/* strcmp and its like may be a sanitizer's, whose runtime looks functions up before it is ready for any call of them. The loops
 * below stay loops: the compiler would make such a call of them. */
static inline size_t name_length(const char *name)
{
	size_t length = 0;
	for (; name[length]; length++)
		__asm__("" : "+r"(length));
	return length;
}

static inline bool name_begins(const char *name, const char *with)
{
	for (; *with && *name == *with; name++, with++)
		__asm__("" : "+r"(name));
	return !*with;
}

static inline bool names_equal(const char *one, const char *other)
{
	for (; *one && *one == *other; one++, other++)
		__asm__("" : "+r"(one));
	return *one == *other;
}

/* Whether the object was there when the program began, behind ours: every other object sees what it defines. */
bool symbols_first(const struct symbols *symbols);

/* Whether it is known what stands behind us in the order in which names are looked up. */
bool symbols_placed(void);

/* Whether the object stands before ours: the program, or a library that was preloaded before us. */
bool symbols_before(const ElfW(Dyn) * dynamic);

/* Whether an object before ours defines this name, one that is not `but`. */
bool symbol_before(const char *name, uint32_t hash, const ElfW(Dyn) * but);

/* What the objects define that were there when the program began and stand behind this one; NULL: nothing, or no plain function. */
void *symbol_after(const struct symbols *symbols, const char *name, uint32_t hash);

/* As symbol_next() for the newest version, but the loader is never asked. */
void *symbol_behind(const char *name);

/* Our own function of this name; NULL: we have none. */
void *symbol_own(const char *name, uint32_t hash);

/* What the object defines under this name; of several versions the one that new programs are linked against. With `hidden`
 * the one that only old programs are. NULL: nothing. */
const ElfW(Sym) *
	symbol_in(const struct symbols *symbols, const char *name, uint32_t hash, bool hidden);

/* The function that a caller would get without us: from the first object behind ours that has it. NULL: from none. */
void *symbol_next(const char *name, uint32_t hash, bool hidden);

#endif
