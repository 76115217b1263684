/* Record: functions of libraries that were not there at the start. See late.h.
 *
 * dlsym would not do: it does not see what was opened with local scope, and it waits for a dlopen of another thread, whose
 * constructors may be waiting for us. The list of objects is locked for as long as it is changed only. Symbols are
 * looked up in each object's own table.
 */
#include "record/late.h"

#include "record/state.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <string.h>

struct search {
	const char *name;
	uint32_t hash;
	void *found;
};

struct symbols {
	const ElfW(Sym) * table;
	const char *strings;
	const uint32_t *hash;
	const uint16_t *versions;
};

/* The loader has relocated some of the addresses in place and others not. */
static const void *at(ElfW(Addr) base, ElfW(Addr) address)
{
	return (const void *)(uintptr_t)(address < base ? base + address : address);
}

static struct symbols symbols_of(ElfW(Addr) base, const ElfW(Dyn) * entry)
{
	struct symbols symbols = {0};
	for (; entry && entry->d_tag != DT_NULL; entry++) {
		if (entry->d_tag == DT_SYMTAB)
			symbols.table = at(base, entry->d_un.d_ptr);
		else if (entry->d_tag == DT_STRTAB)
			symbols.strings = at(base, entry->d_un.d_ptr);
		else if (entry->d_tag == DT_GNU_HASH)
			symbols.hash = at(base, entry->d_un.d_ptr);
		else if (entry->d_tag == DT_VERSYM)
			symbols.versions = at(base, entry->d_un.d_ptr);
	}
	return symbols;
}

static uint32_t hash_of(const char *name)
{
	uint32_t hash = 5381;
	for (; *name; name++)
		hash = hash * 33 + (uint8_t)*name;
	return hash;
}

/* A function that the object defines; of several versions the one that new programs are linked against. */
static const ElfW(Sym) * symbol_in(const struct symbols *symbols, const struct search *search)
{
	if (!symbols->table || !symbols->strings || !symbols->hash)
		return NULL;
	uint32_t buckets = symbols->hash[0], first = symbols->hash[1], bloom = symbols->hash[2];
	const uint32_t *bucket = symbols->hash + 4 + (size_t)bloom * (sizeof(ElfW(Addr)) / 4);
	const uint32_t *chain = bucket + buckets;
	if (!buckets)
		return NULL;
	uint32_t i = bucket[search->hash % buckets];
	for (; i >= first && i; i++) {
		const ElfW(Sym) *symbol = &symbols->table[i];
		uint32_t hash = chain[i - first];
		bool hidden = symbols->versions && symbols->versions[i] & 0x8000;
		if ((hash | 1) == (search->hash | 1) && symbol->st_shndx != SHN_UNDEF && !hidden &&
		    (symbol->st_info & 15) == STT_FUNC &&
		    strcmp(symbols->strings + symbol->st_name, search->name) == 0)
			return symbol;
		if (hash & 1)
			break;
	}
	return NULL;
}

static void *function_in(ElfW(Addr) base, const ElfW(Dyn) * dynamic, const struct search *search)
{
	struct symbols symbols = symbols_of(base, dynamic);
	const ElfW(Sym) *symbol = symbol_in(&symbols, search);
	return symbol ? (void *)(uintptr_t)(base + symbol->st_value) : NULL;
}

static int look(struct dl_phdr_info *object, size_t size, void *data)
{
	struct search *search = data;
	struct dl_find_object ours, theirs;
	const ElfW(Dyn) *dynamic = NULL;
	ElfW(Addr) base = object->dlpi_addr;
	(void)size;
	for (unsigned i = 0; i < object->dlpi_phnum; i++)
		if (object->dlpi_phdr[i].p_type == PT_DYNAMIC)
			dynamic =
				(const ElfW(Dyn) *)(uintptr_t)(base + object->dlpi_phdr[i].p_vaddr);
	void *found = function_in(base, dynamic, search);
	if (!found ||
	    (_dl_find_object(&recorder, &ours) == 0 && _dl_find_object(found, &theirs) == 0 &&
	     ours.dlfo_link_map == theirs.dlfo_link_map))
		return 0;
	search->found = found;
	return 1;
}

/* Whether the function is still there: its library may have been closed, and another one opened at its place. */
static bool still_there(void *function, const struct search *search)
{
	struct dl_find_object there;
	return function && _dl_find_object(function, &there) == 0 &&
	       function_in(there.dlfo_link_map->l_addr, there.dlfo_link_map->l_ld, search) ==
		       function;
}

void *late_find(struct late *late, const char *name)
{
	struct search search = {.name = name, .hash = hash_of(name)};
	void *function = __atomic_load_n(&late->function, __ATOMIC_RELAXED);
	if (still_there(function, &search))
		return function;
	dl_iterate_phdr(look, &search);
	__atomic_store_n(&late->function, search.found, __ATOMIC_RELAXED);
	return search.found;
}
