/* Record: symbols of loaded objects, looked up in their own tables.
 *
 * dlsym is not suitable: it takes the loader's lock, and allocates when it finds nothing, with an allocator that may be calling the
 * recorder at this moment. It also takes ten times as long, in every process, for each function that is wrapped.
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

/* The hash function of DT_GNU_HASH. */
uint32_t symbol_hash(const char *name);

/* strcmp and similar functions may be a sanitizer's, whose runtime looks functions up before it is ready for calls. The asm
 * statements keep the compiler from replacing these loops by such a call. */
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

/* Whether the object was loaded when the program began, behind the recorder: all objects find its symbols. */
bool symbols_first(const struct symbols *symbols);

/* Whether the objects behind the recorder are known, in the order in which names are looked up. */
bool symbols_placed(void);

/* Whether the object is before the recorder: the program, or a library that was preloaded before it. */
bool symbols_before(const ElfW(Dyn) * dynamic);

/* Whether an object before the recorder, other than `but`, defines this name. */
bool symbol_before(const char *name, uint32_t hash, const ElfW(Dyn) * but);

/* The function of this name in the objects that were loaded when the program began and are behind this one; NULL: none, or no plain
 * function. */
void *symbol_after(const struct symbols *symbols, const char *name, uint32_t hash);

/* As symbol_next() for the newest version, but never asks the loader. */
void *symbol_behind(const char *name);

/* The recorder's function of this name; NULL: none. */
void *symbol_own(const char *name, uint32_t hash);

/* The symbol of this name that the object defines; of several versions the one that new programs are linked against, with `hidden`
 * the one that only old programs use. NULL: none. */
const ElfW(Sym) *
	symbol_in(const struct symbols *symbols, const char *name, uint32_t hash, bool hidden);

/* The function that a caller would get without Varve: from the first object behind the recorder that has it. NULL: none. */
void *symbol_next(const char *name, uint32_t hash, bool hidden);

#endif
