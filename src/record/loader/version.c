/* Record: which version of a function a caller was linked against. See version.h.
 *
 * Read from the caller's own dynamic section: its undefined symbols, their version indices, the names of those versions.
 * No lock is taken after the start.
 */
#include "record/loader/version.h"

#include "record/loader/symbols.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

static struct {
	const char *name;
	const char *version;
	void *real;
} old[VERSIONED_COUNT] = {
	[VERSIONED_POSIX_SPAWN] = {"posix_spawn", "GLIBC_2.2.5", NULL},
	[VERSIONED_POSIX_SPAWNP] = {"posix_spawnp", "GLIBC_2.2.5", NULL},
	[VERSIONED_QUICK_EXIT] = {"quick_exit", "GLIBC_2.10", NULL},
	[VERSIONED_PTHREAD_COND_WAIT] = {"pthread_cond_wait", "GLIBC_2.2.5", NULL},
	[VERSIONED_PTHREAD_COND_TIMEDWAIT] = {"pthread_cond_timedwait", "GLIBC_2.2.5", NULL},
	[VERSIONED_PTHREAD_COND_SIGNAL] = {"pthread_cond_signal", "GLIBC_2.2.5", NULL},
	[VERSIONED_PTHREAD_COND_BROADCAST] = {"pthread_cond_broadcast", "GLIBC_2.2.5", NULL},
	[VERSIONED_LIO_LISTIO] = {"lio_listio", "GLIBC_2.2.5", NULL},
	[VERSIONED_LIO_LISTIO64] = {"lio_listio64", "GLIBC_2.2.5", NULL},
	[VERSIONED_REALPATH] = {"realpath", "GLIBC_2.2.5", NULL},
	[VERSIONED_GLOB] = {"glob", "GLIBC_2.2.5", NULL},
	[VERSIONED_GLOB64] = {"glob64", "GLIBC_2.2.5", NULL},
};

void versions_resolve(void)
{
	for (size_t i = 0; i < VERSIONED_COUNT; i++)
		old[i].real = dlvsym(RTLD_NEXT, old[i].name, old[i].version);
}

/* The parts of an object's dynamic section that are needed. */
struct tables {
	const ElfW(Sym) * symbols;
	const char *strings;
	size_t strings_size;
	const uint16_t *versions;
	const uint8_t *needs;
	size_t needs_count;
	size_t undefined; /* all undefined symbols are before this one */
};

/* The loader has relocated some of the addresses in place and others not. */
static const void *object_address(const struct link_map *object, ElfW(Addr) address)
{
	return (const void *)(uintptr_t)(address < object->l_addr ? object->l_addr + address
								  : address);
}

static struct tables tables_of(const struct link_map *object)
{
	struct tables tables = {0};
	/* Old objects have only the old hash table, which contains all symbols. */
	size_t hashed = 0, all = 0;
	for (const ElfW(Dyn) *entry = object->l_ld; entry->d_tag != DT_NULL; entry++) {
		if (entry->d_tag == DT_SYMTAB)
			tables.symbols = object_address(object, entry->d_un.d_ptr);
		else if (entry->d_tag == DT_STRTAB)
			tables.strings = object_address(object, entry->d_un.d_ptr);
		else if (entry->d_tag == DT_STRSZ)
			tables.strings_size = entry->d_un.d_val;
		else if (entry->d_tag == DT_VERSYM)
			tables.versions = object_address(object, entry->d_un.d_ptr);
		else if (entry->d_tag == DT_VERNEED)
			tables.needs = object_address(object, entry->d_un.d_ptr);
		else if (entry->d_tag == DT_VERNEEDNUM)
			tables.needs_count = entry->d_un.d_val;
		else if (entry->d_tag == DT_GNU_HASH)
			hashed = ((const uint32_t *)object_address(object, entry->d_un.d_ptr))[1];
		else if (entry->d_tag == DT_HASH)
			all = ((const uint32_t *)object_address(object, entry->d_un.d_ptr))[1];
	}
	/* An object that defines nothing has an empty table, which does not give the number; the strings are behind the symbols. */
	const char *end = (const char *)tables.symbols;
	if (!all && hashed <= 1 && tables.strings > end)
		all = (size_t)(tables.strings - end) / sizeof *tables.symbols;
	tables.undefined = all ? all : hashed;
	return tables;
}

/* The name of a needed version by its index, and the library that it is needed from. */
static const char *version_name(const struct tables *tables, unsigned index, const char **file)
{
	const uint8_t *place = tables->needs;
	for (size_t i = 0; i < tables->needs_count; i++) {
		const ElfW(Verneed) *need = (const ElfW(Verneed) *)(const void *)place;
		const uint8_t *inner = place + need->vn_aux;
		for (unsigned k = 0; k < need->vn_cnt; k++) {
			const ElfW(Vernaux) *version = (const ElfW(Vernaux) *)(const void *)inner;
			if (version->vna_other == index) {
				*file = tables->strings + need->vn_file;
				return tables->strings + version->vna_name;
			}
			inner += version->vna_next;
		}
		place += need->vn_next;
	}
	return NULL;
}

const char *version_needed(const struct link_map *object, const char *name, const char **file)
{
	struct tables tables = tables_of(object);
	if (!tables.symbols || !tables.strings || !tables.versions || !tables.needs)
		return NULL;
	for (size_t i = 1; i < tables.undefined; i++) {
		const ElfW(Sym) *symbol = &tables.symbols[i];
		if (symbol->st_shndx == SHN_UNDEF && symbol->st_name < tables.strings_size &&
		    names_equal(tables.strings + symbol->st_name, name))
			return version_name(&tables, tables.versions[i] & 0x7fff, file);
	}
	return NULL;
}

static void *version_look(enum versioned function, const void *caller, void *newest)
{
	struct dl_find_object found;
	const char *file;
	if (_dl_find_object((void *)(uintptr_t)caller, &found) != 0)
		return newest;
	const char *version = version_needed(found.dlfo_link_map, old[function].name, &file);
	return version && strcmp(version, old[function].version) == 0 ? old[function].real : newest;
}

/* Results by calling address: each entry is the address times 2; the lowest bit shows that its object needs the old version. */
enum { CALLERS = 256 };
static uintptr_t callers[VERSIONED_COUNT][CALLERS];

void *version_for(enum versioned function, const void *caller, void *newest)
{
	uintptr_t key = (uintptr_t)caller << 1;
	uintptr_t *place =
		&callers[function][((uintptr_t)caller ^ (uintptr_t)caller >> 8) % CALLERS];
	uintptr_t known = __atomic_load_n(place, __ATOMIC_RELAXED);
	if (!old[function].real)
		return newest;
	if ((known & ~(uintptr_t)1) != key) {
		known = key | (version_look(function, caller, newest) != newest);
		__atomic_store_n(place, known, __ATOMIC_RELAXED);
	}
	return known & 1 ? old[function].real : newest;
}

void versions_forget(void)
{
	for (size_t function = 0; function < VERSIONED_COUNT; function++)
		for (size_t i = 0; i < CALLERS; i++)
			if (callers[function][i])
				__atomic_store_n(&callers[function][i], 0, __ATOMIC_RELAXED);
}
