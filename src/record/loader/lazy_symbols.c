/* Record: functions of libraries that were not loaded at the start. See lazy_symbols.h.
 *
 * dlsym cannot be used: it does not find what was opened with local scope, and it waits for a dlopen in another thread, whose
 * constructors may wait for this thread. The list of objects is locked only while it is changed.
 */
#include "record/loader/lazy_symbols.h"

#include "record/loader/symbols.h"
#include "record/recorder.h"

#include <dlfcn.h>

struct search {
	const char *name;
	uint32_t hash;
	void *found;
};

static void *function_in(ElfW(Addr) base, const ElfW(Dyn) * dynamic, const struct search *search)
{
	struct symbols symbols = symbols_of(base, dynamic);
	const ElfW(Sym) *symbol = symbol_in(&symbols, search->name, search->hash, false);
	return symbol && (symbol->st_info & 15) == STT_FUNC
		       ? (void *)(uintptr_t)(base + symbol->st_value)
		       : NULL;
}

static int object_search(struct dl_phdr_info *object, size_t size, void *data)
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

/* Whether the function is still loaded: its library may have been closed, and another one opened at its address. */
static bool symbol_still_there(void *function, const struct search *search)
{
	struct dl_find_object there;
	return function && _dl_find_object(function, &there) == 0 &&
	       function_in(there.dlfo_link_map->l_addr, there.dlfo_link_map->l_ld, search) ==
		       function;
}

void *lazy_symbol_find(struct lazy_symbol *symbol, const char *name)
{
	struct search search = {.name = name, .hash = symbol_hash(name)};
	void *function = __atomic_load_n(&symbol->function, __ATOMIC_RELAXED);
	if (symbol_still_there(function, &search))
		return function;
	dl_iterate_phdr(object_search, &search);
	__atomic_store_n(&symbol->function, search.found, __ATOMIC_RELAXED);
	return search.found;
}
