/* Record: which real function a call of a library function would have reached without Varve. See library.h.
 *
 * It is not always the next one: a process may have two builds of one library, each with its own callers, and libraries that were
 * opened with local scope. The calling object decides, in this order: the version that it was linked against, its own function,
 * what was loaded at the start, what it depends on, and anything else that is loaded. Results are kept by calling address until an
 * object is unloaded. Of the loader's locks, only that of its list is taken, which is held only while the list changes.
 */
#include "record/library/library.h"

#include "base/sys.h"
#include "record/library/table_lock.h"
#include "record/loader/lookup.h"
#include "record/loader/version.h"

#include <dlfcn.h>
#include <string.h>

/* Addresses of programs have this many bits; the bits above are free. */
enum { ADDRESS_BITS = 48 };
#define ADDRESS (((uintptr_t)1 << ADDRESS_BITS) - 1)

enum { SITES = 4096, LIBRARIES = 64, OBJECTS = 512, CANDIDATES = 16 };

/* The result for a calling address. */
struct site {
	_Alignas(64) uintptr_t key; /* 0: free; 1: being written */
	void *real;
	const struct library *library;
	uint64_t epoch;
	bool own; /* the library calls its own function */
};

static struct site *sites; /* made at the first call, because most programs make none */
static struct library libraries[LIBRARIES];
static uint32_t library_count;
static uint64_t epoch = 1; /* incremented when an object was unloaded */

struct object {
	ElfW(Addr) base;
	const ElfW(Dyn) * dynamic;
};

struct candidate {
	struct object object;
	struct symbols symbols;
	void *function;
	bool versioned;
};

/* All objects, and those that define the name. */
struct search {
	const char *name;
	uint32_t hash;
	uint32_t object_count;
	uint32_t count;
	bool past_us; /* the objects that follow are behind the recorder */
	struct object objects[OBJECTS];
	struct candidate candidates[CANDIDATES];
};

static const ElfW(Dyn) * dynamic_of(const struct dl_phdr_info *info)
{
	for (unsigned i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_DYNAMIC)
			return (const ElfW(Dyn) *)(uintptr_t)(info->dlpi_addr +
							      info->dlpi_phdr[i].p_vaddr);
	return NULL;
}

static bool library_is_ours(const void *address)
{
	struct dl_find_object ours, theirs;
	return _dl_find_object(&recorder, &ours) == 0 &&
	       _dl_find_object((void *)(uintptr_t)address, &theirs) == 0 &&
	       ours.dlfo_link_map == theirs.dlfo_link_map;
}

static int object_look(struct dl_phdr_info *info, size_t size, void *data)
{
	struct search *search = data;
	struct object object = {info->dlpi_addr, dynamic_of(info)};
	(void)size;
	if (search->object_count < OBJECTS)
		search->objects[search->object_count++] = object;
	struct symbols symbols = symbols_of(object.base, object.dynamic);
	const ElfW(Sym) *symbol = symbol_in(&symbols, search->name, search->hash, false);
	if (!symbol || search->count == CANDIDATES)
		return 0;
	void *function = (void *)(uintptr_t)(object.base + symbol->st_value);
	/* An object before the recorder that has the name is called first. It has passed this call on, as tools do, by looking
	 * behind itself. */
	if (library_is_ours(function))
		search->past_us = true;
	else if (search->past_us)
		search->candidates[search->count++] = (struct candidate){
			object, symbols, function,
			symbols.versions &&
				(symbols.versions[symbol - symbols.table] & 0x7fff) > 1};
	return 0;
}

/* The text of the n-th entry with this tag in a dynamic section; NULL: there is none. */
static const char *dynamic_text(const struct object *object, ElfW(Sxword) tag, unsigned which)
{
	struct symbols symbols = symbols_of(object->base, object->dynamic);
	for (const ElfW(Dyn) *entry = object->dynamic; entry && entry->d_tag != DT_NULL; entry++)
		if (entry->d_tag == tag && !which--)
			return symbols.strings ? symbols.strings + entry->d_un.d_val : NULL;
	return NULL;
}

static bool is_called(const struct object *object, const char *name)
{
	const char *own = dynamic_text(object, DT_SONAME, 0);
	return own && name && strcmp(own, name) == 0;
}

/* The first candidate among the objects that the caller's object depends on, nearest first. */
static const struct candidate *needed_by(const struct search *search, const struct object *caller)
{
	_Static_assert(OBJECTS <= 65535, "numbers of objects fit");
	uint16_t queue[OBJECTS];
	uint64_t seen[OBJECTS / 64] = {0};
	uint32_t first = 0, last = 0;
	const struct object *object = caller;
	for (;;) {
		for (uint32_t i = 0; i < search->count; i++)
			if (search->candidates[i].object.dynamic == object->dynamic)
				return &search->candidates[i];
		const char *name;
		for (unsigned which = 0; (name = dynamic_text(object, DT_NEEDED, which)); which++)
			for (uint32_t i = 0; i < search->object_count; i++)
				if (!(seen[i / 64] >> i % 64 & 1) &&
				    is_called(&search->objects[i], name)) {
					seen[i / 64] |= 1ull << i % 64;
					queue[last++] = (uint16_t)i;
				}
		if (first == last)
			return NULL;
		object = &search->objects[queue[first++]];
	}
}

static const struct candidate *candidate_choose(const struct search *search, uintptr_t caller)
{
	struct dl_find_object found;
	if (search->count < 2)
		return search->count ? &search->candidates[0] : NULL;
	if (_dl_find_object((void *)caller, &found) == 0) {
		const struct link_map *map = found.dlfo_link_map;
		struct object object = {map->l_addr, map->l_ld};
		const char *file;
		/* Also a tool that was preloaded: a function without versions serves all of them. */
		const struct candidate *first = &search->candidates[0];
		if (!first->versioned && symbols_first(&first->symbols))
			return first;
		if (version_needed(map, search->name, &file))
			for (uint32_t i = 0; i < search->count; i++)
				if (is_called(&search->candidates[i].object, file))
					return &search->candidates[i];
		/* The library calls its own function. */
		for (uint32_t i = 0; i < search->count; i++)
			if (search->candidates[i].object.dynamic == map->l_ld)
				return &search->candidates[i];
		for (uint32_t i = 0; i < search->count; i++)
			if (symbols_first(&search->candidates[i].symbols))
				return &search->candidates[i];
		const struct candidate *near = needed_by(search, &object);
		if (near)
			return near;
	}
	return &search->candidates[0];
}

static struct library *library_known(const void *dynamic)
{
	for (uint32_t i = 0; i < __atomic_load_n(&library_count, __ATOMIC_ACQUIRE); i++)
		if (libraries[i].dynamic == dynamic)
			return &libraries[i];
	return NULL;
}

/* The library of an object, added when it is new. NULL: there are too many. */
static const struct library *library_of(const struct candidate *candidate)
{
	struct library *library = library_known(candidate->object.dynamic);
	if (library)
		return library;
	if (!table_lock(TABLE_LIBRARIES))
		return NULL;
	library = library_known(candidate->object.dynamic);
	if (!library && library_count < LIBRARIES) {
		library = &libraries[library_count];
		static const char open_mpi[] = "ompi_mpi_comm_world";
		*library = (struct library){
			.number = library_count + 1,
			.dynamic = candidate->object.dynamic,
			.symbols = candidate->symbols,
			.wide = symbol_in(&candidate->symbols, open_mpi, symbol_hash(open_mpi),
					  false) != NULL,
		};
		__atomic_store_n(&library_count, library_count + 1, __ATOMIC_RELEASE);
	}
	table_lock_end(TABLE_LIBRARIES);
	return library;
}

static void site_keep(struct site *site, uintptr_t key, const struct site *made)
{
	uintptr_t old = __atomic_load_n(&site->key, __ATOMIC_RELAXED);
	if (old == 1 || !__atomic_compare_exchange_n(&site->key, &old, 1, false, __ATOMIC_ACQUIRE,
						     __ATOMIC_RELAXED))
		return;
	site->real = made->real;
	site->library = made->library;
	site->epoch = made->epoch;
	site->own = made->own;
	__atomic_store_n(&site->key, key, __ATOMIC_RELEASE);
}

/* A tool's library may have some of MPI's functions; the handles are those of the MPI library behind it. */
static bool is_tool(const struct candidate *chosen, const char *name)
{
	static const char every[] = "PMPI_Initialized";
	bool mpi = strncmp(name, "MPI_", 4) == 0 || strncmp(name, "PMPI_", 5) == 0;
	return mpi && !symbol_in(&chosen->symbols, every, symbol_hash(every), false);
}

static const struct library *library_behind(const struct candidate *tool)
{
	static const char every[] = "PMPI_Initialized";
	struct search search = {.name = every, .hash = symbol_hash(every)};
	dl_iterate_phdr(object_look, &search);
	const struct candidate *chosen = candidate_choose(&search, (uintptr_t)tool->function);
	return library_of(chosen ? chosen : tool);
}

static struct site *sites_make(void)
{
	struct site *made = recorder.quiet ? NULL : sys_memory(SITES * sizeof *made), *there = NULL;
	if (!made || __atomic_compare_exchange_n(&sites, &there, made, false, __ATOMIC_ACQ_REL,
						 __ATOMIC_ACQUIRE))
		return made;
	sys_munmap(made, SITES * sizeof *made);
	return there;
}

static struct site site_look(const char *name, uintptr_t caller)
{
	struct site made = {.epoch = __atomic_load_n(&epoch, __ATOMIC_ACQUIRE)};
	struct search search = {.name = name, .hash = symbol_hash(name)};
	dl_iterate_phdr(object_look, &search);
	const struct candidate *chosen = candidate_choose(&search, caller);
	if (chosen) {
		struct dl_find_object found;
		made.real = chosen->function;
		made.own = _dl_find_object((void *)caller, &found) == 0 &&
			   found.dlfo_link_map->l_ld == chosen->object.dynamic;
		made.library = is_tool(chosen, name) ? library_behind(chosen) : library_of(chosen);
	}
	return made;
}

void *library_find(struct library_call *call)
{
	uintptr_t key = call->caller | (uintptr_t)(call->symbol + 1) << 48;
	size_t at = (call->caller ^ call->caller >> 12 ^ call->symbol * 31u) % SITES;
	struct site *all = __atomic_load_n(&sites, __ATOMIC_ACQUIRE);
	struct site *site = LIKELY(all) ? &all[at] : NULL;
	if (LIKELY(site && __atomic_load_n(&site->key, __ATOMIC_ACQUIRE) == key)) {
		void *real = site->real;
		call->library = site->library;
		call->own = site->own;
		bool present = site->epoch == __atomic_load_n(&epoch, __ATOMIC_RELAXED);
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
		if (LIKELY(__atomic_load_n(&site->key, __ATOMIC_RELAXED) == key && present))
			return real;
	}
	const char *name = library_names + library_symbols[call->symbol].name;
	struct site made = site_look(name, call->caller);
	if (!all)
		all = sites_make();
	if (made.real && made.library && all)
		site_keep(&all[at], key, &made);
	call->library = made.library;
	call->own = made.own;
	return made.real;
}

/* The library that has a function at this address; NULL: none, or there are too many. */
static const struct library *library_at(void *function, const char *name)
{
	struct dl_find_object found;
	if (_dl_find_object(function, &found) != 0)
		return NULL;
	const struct link_map *map = found.dlfo_link_map;
	struct candidate candidate = {.object = {map->l_addr, map->l_ld},
				      .symbols = symbols_of(map->l_addr, map->l_ld),
				      .function = function};
	return is_tool(&candidate, name) ? library_behind(&candidate) : library_of(&candidate);
}

static bool is_within(const struct library *library, uintptr_t caller)
{
	struct dl_find_object found;
	return library && _dl_find_object((void *)caller, &found) == 0 &&
	       found.dlfo_link_map->l_ld == library->dynamic;
}

void library_looked(struct library_call *call, struct looked *looked)
{
	enum { NUMBER_BITS = 8 };
	_Static_assert(LIBRARIES < 1 << NUMBER_BITS, "numbers of libraries fit");
	uint64_t now = __atomic_load_n(&epoch, __ATOMIC_ACQUIRE);
	uint64_t known = __atomic_load_n(&looked->library, __ATOMIC_RELAXED);
	uint64_t caller = __atomic_load_n(&looked->caller, __ATOMIC_RELAXED);
	call->real = looked_function(looked);
	call->symbol = (uint32_t)(looked->function >> ADDRESS_BITS);
	if (UNLIKELY(known >> NUMBER_BITS != now)) {
		const char *name = library_names + library_symbols[call->symbol].name;
		const struct library *library = library_at(call->real, name);
		known = now << NUMBER_BITS | (library ? library->number : 0);
		__atomic_store_n(&looked->library, known, __ATOMIC_RELAXED);
		caller = 0;
	}
	uint32_t number = known & ((1 << NUMBER_BITS) - 1);
	call->library = number ? &libraries[number - 1] : NULL;
	if (UNLIKELY(caller >> 1 != call->caller)) {
		caller = call->caller << 1 | is_within(call->library, call->caller);
		__atomic_store_n(&looked->caller, caller, __ATOMIC_RELAXED);
	}
	call->own = caller & 1;
}

const struct library *library_owner(const struct library *library, enum library_owner owner)
{
	static const char *const names[OWNERS] = {"PMPI_Init", "H5open"};
	const struct library *known = __atomic_load_n(&library->owner[owner], __ATOMIC_ACQUIRE);
	if (LIKELY(known && known->dynamic))
		return known;
	struct search search = {.name = names[owner], .hash = symbol_hash(names[owner])};
	struct object object = {library->symbols.base, library->dynamic};
	known = library;
	if (!symbol_in(&library->symbols, search.name, search.hash, false)) {
		dl_iterate_phdr(object_look, &search);
		const struct candidate *near = search.count ? needed_by(&search, &object) : NULL;
		const struct library *found =
			search.count ? library_of(near ? near : &search.candidates[0]) : NULL;
		known = found ? found : library;
	}
	__atomic_store_n(&((struct library *)(uintptr_t)library)->owner[owner], known,
			 __ATOMIC_RELEASE);
	return known;
}

void library_forget(void)
{
	struct dl_find_object found;
	for (uint32_t i = 0; i < __atomic_load_n(&library_count, __ATOMIC_ACQUIRE); i++) {
		const void *dynamic = libraries[i].dynamic;
		if (dynamic && (_dl_find_object((void *)(uintptr_t)dynamic, &found) != 0 ||
				found.dlfo_link_map->l_ld != dynamic))
			libraries[i].dynamic = NULL;
	}
	__atomic_fetch_add(&epoch, 1, __ATOMIC_RELEASE);
}

void *library_function(const struct library_call *call, struct library_name *cache,
		       const char *name)
{
	const struct library *library = call->library;
	if (!library || !library->dynamic)
		return NULL;
	uintptr_t *place = &cache->found[library->number % LIBRARIES_NAMED];
	uintptr_t known = __atomic_load_n(place, __ATOMIC_RELAXED);
	/* Both are in one word, so that another thread cannot change only one of them. */
	if (LIKELY(known >> ADDRESS_BITS == library->number))
		return (void *)(known & ADDRESS);
	const ElfW(Sym) *symbol = symbol_in(&library->symbols, name, symbol_hash(name), false);
	uintptr_t found = symbol ? library->symbols.base + symbol->st_value : 0;
	__atomic_store_n(place, (uintptr_t)library->number << ADDRESS_BITS | found,
			 __ATOMIC_RELAXED);
	return (void *)found;
}
