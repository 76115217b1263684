/* Record: which function a program gets when it looks one up by name (dlsym, dlvsym). Called by lookup.S.
 *
 * Without this, calls through such pointers would not be recorded. First the result of the C library is found. If it is the
 * function that a wrapper calls, the wrapper is returned; a function of MPI, HDF5 ... gets an entry, which leads to exactly that
 * function. All other results are unchanged, and counted if their calls should be recorded. A name that only the recorder has is
 * not found. Allocates nothing, and calls no function that a sanitizer replaces, because its runtime looks these functions up
 * before it is ready.
 */
#include "record/loader/lookup.h"

#include "base/sys.h"
#include "record/loader/lazy_symbols.h"
#include "record/loader/symbols.h"
#include "record/loader/version.h"
#include "record/manual.h"
#include "record/wrap.h"

#include <dlfcn.h>
#include <errno.h>
#include <string.h>

/* Returned in registers: the result, or the function to pass the lookup on to. */
struct answer {
	void *function;
	void *pass;
};

struct answer dlsym_looked(void *handle, const char *name, uintptr_t caller);
struct answer dlvsym_looked(void *handle, const char *name, const char *version, uintptr_t caller);
EXPORTED char *dlerror(void);

extern const char object_begin[] __asm__("__ehdr_start") __attribute__((visibility("hidden")));
extern const char object_end[] __asm__("_end") __attribute__((visibility("hidden")));
extern const char library_stubs[], library_stubs_end[], lookup_entries[], lookup_entries_end[];

enum { PROBES = 64, FILLER_MOST = 4096 };
enum { FIND, FIND_VERSION, FIND_ERROR, FINDERS };

/* Those of the C library, or of another tool behind the recorder. */
static struct {
	void *real[FINDERS];
	uint32_t found;
} finders;
static const char *const finder_names[FINDERS] = {"dlsym", "dlvsym", "dlerror"};

typedef void *find_function(void *handle, const char *name);
typedef void *find_version(void *handle, const char *name, const char *version);
typedef char *find_error(void);

static uint32_t unseen_early; /* lookups to count when the recorder has started */

static struct looked *all_looked; /* made for the first entry */

/* The caller of the last lookup on this thread that failed because only the recorder has the name; 0: none. */
static __thread uintptr_t failed_for;

struct lookup {
	void *handle;
	const char *name;
	const char *version; /* NULL: the version that new programs are linked against */
	uintptr_t caller;
	uint32_t hash;
	int32_t symbol; /* number of the library function; -1: not in a library with stubs */
	void *own;	/* the recorder's function of this name */
	/* the function that it calls; while this is not known, a function of the recorder */
	void *wrapped;
};

static void finders_find(void)
{
	for (int i = 0; i < FINDERS; i++)
		finders.real[i] = symbol_behind(finder_names[i]);
	__atomic_store_n(&finders.found, 1, __ATOMIC_RELEASE);
}

static void *finder_function(int which)
{
	if (UNLIKELY(!__atomic_load_n(&finders.found, __ATOMIC_ACQUIRE)))
		finders_find();
	return finders.real[which];
}

static bool in_us(const void *address)
{
	return (const char *)address >= object_begin && (const char *)address < object_end;
}

/* The loader's result for the recorder: with RTLD_NEXT, the first one behind it. */
static void *symbol_asked(const struct lookup *lookup, void *handle)
{
	if (!lookup->version)
		return ((find_function *)finder_function(FIND))(handle, lookup->name);
	return ((find_version *)finder_function(FIND_VERSION))(handle, lookup->name,
							       lookup->version);
}

static struct answer answer_passed(const struct lookup *lookup)
{
	return (struct answer){NULL, finder_function(lookup->version ? FIND_VERSION : FIND)};
}

static struct answer answer_given(void *function)
{
	return (struct answer){function, NULL};
}

/* The program gets a function whose calls should be recorded, but will not be. */
static void unseen_count(void)
{
	/* Does not start the recorder: the caller may not be ready for the recorder's calls. */
	if (recorder.control)
		loss_count(LOSS_LOOKUP, 1);
	else
		__atomic_fetch_add(&unseen_early, 1, __ATOMIC_RELAXED);
}

void lookup_started(void)
{
	uint32_t count = __atomic_exchange_n(&unseen_early, 0, __ATOMIC_RELAXED);
	if (count)
		loss_count(LOSS_LOOKUP, count);
}

static const struct link_map *object_of(uintptr_t address)
{
	struct dl_find_object found;
	return _dl_find_object((void *)address, &found) == 0 ? found.dlfo_link_map : NULL;
}

static const char *soname_of(const struct link_map *map)
{
	struct symbols symbols = symbols_of(map->l_addr, map->l_ld);
	for (const ElfW(Dyn) *entry = map->l_ld; entry->d_tag != DT_NULL && symbols.strings;
	     entry++)
		if (entry->d_tag == DT_SONAME)
			return symbols.strings + entry->d_un.d_val;
	return "";
}

/* Other objects define names of the C library, too: plug-ins have their own `open`. */
static bool is_object(const void *function, const char *const *names)
{
	const struct link_map *map = object_of((uintptr_t)function);
	const char *name = map ? soname_of(map) : "";
	for (; *names; names++)
		if (name_begins(name, *names))
			return true;
	return false;
}

static bool is_async(const void *function)
{
	static const char *const names[] = {"libaio.so", "liburing.so", "liburing-ffi.so", NULL};
	return is_object(function, names);
}

static bool is_system(const void *function)
{
	static const char *const names[] = {"libc.so.",	 "ld-linux", "libpthread.so.",
					    "librt.so.", "libdl.so", NULL};
	return is_object(function, names) || is_async(function);
}

static bool object_defines(const struct link_map *map, const struct lookup *lookup)
{
	struct symbols symbols = symbols_of(map->l_addr, map->l_ld);
	return symbol_in(&symbols, lookup->name, lookup->hash, false);
}

/* Whether the caller defines the function itself, behind the recorder: then the wrapper calls it, and it looks up the function that
 * it passes the call on to. */
static bool passes_on(const struct lookup *lookup)
{
	const struct link_map *map = object_of(lookup->caller);
	return map && object_defines(map, lookup) && !symbols_before(map->l_ld);
}

static int has_it(struct dl_phdr_info *info, size_t size, void *data)
{
	const struct lookup *lookup = data;
	const ElfW(Dyn) *dynamic = NULL;
	(void)size;
	for (unsigned i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_DYNAMIC)
			dynamic = (const ElfW(Dyn) *)(uintptr_t)(info->dlpi_addr +
								 info->dlpi_phdr[i].p_vaddr);
	struct symbols symbols = symbols_of(info->dlpi_addr, dynamic);
	const ElfW(Sym) *symbol = symbol_in(&symbols, lookup->name, lookup->hash, false);
	return symbol && !in_us((const void *)(uintptr_t)(info->dlpi_addr + symbol->st_value));
}

static bool somebody_has_it(struct lookup *lookup)
{
	return dl_iterate_phdr(has_it, lookup) != 0;
}

struct looked *lookup_of(uint32_t number)
{
	return &all_looked[number];
}

static struct looked *looked_make(void)
{
	size_t size = LOOKUPS * sizeof(struct looked);
	struct looked *made = recorder.quiet ? NULL : sys_memory(size), *there = NULL;
	if (!made || __atomic_compare_exchange_n(&all_looked, &there, made, false, __ATOMIC_ACQ_REL,
						 __ATOMIC_ACQUIRE))
		return made;
	sys_munmap(made, size);
	return there;
}

/* The entry for this function, always the same one; NULL: there is no room. */
static void *entry_for(uint32_t symbol, const void *function)
{
	struct looked *all = __atomic_load_n(&all_looked, __ATOMIC_ACQUIRE);
	uint64_t key = (uint64_t)(uintptr_t)function | (uint64_t)symbol << 48;
	uint64_t at = key * 0x9e3779b97f4a7c15ull >> 32;
	size_t size = (size_t)(lookup_entries_end - lookup_entries) / LOOKUPS;
	_Static_assert((LOOKUPS & (LOOKUPS - 1)) == 0, "a power of two");
	if (!all && !(all = looked_make()))
		return NULL;
	for (unsigned i = 0; i < PROBES; i++, at++) {
		uint64_t *place = &all[at % LOOKUPS].function, there = 0;
		if (__atomic_load_n(place, __ATOMIC_ACQUIRE) == key ||
		    __atomic_compare_exchange_n(place, &there, key, false, __ATOMIC_ACQ_REL,
						__ATOMIC_ACQUIRE) ||
		    there == key)
			return (void *)(uintptr_t)(lookup_entries + at % LOOKUPS * size);
	}
	return NULL;
}

/* The recorder's function if it calls the one that was found; otherwise the latter. */
static struct answer answer_matched(const struct lookup *lookup, void *found)
{
	/* Also before the recorder has started, and for libraries that were loaded later. */
	void *wrapped = in_us(lookup->wrapped) ? symbol_next(lookup->name, lookup->hash, false)
					       : lookup->wrapped;
	bool lazy = !wrapped;
	if (lazy)
		wrapped = lazy_symbol_find(&(struct lazy_symbol){NULL}, lookup->name);
	if (wrapped == found && (!lazy || is_async(found)))
		return answer_given(lookup->own);
	if (is_system(found))
		unseen_count();
	return answer_given(found);
}

static struct answer answer_for(const struct lookup *lookup, void *found)
{
	if (passes_on(lookup))
		return answer_given(found);
	if (lookup->symbol < 0)
		return answer_matched(lookup, found);
	void *entry = entry_for((uint32_t)lookup->symbol, found);
	if (!entry)
		unseen_count();
	return answer_given(entry ? entry : found);
}

static const char *object_name(const struct link_map *map)
{
	if (map && *map->l_name)
		return map->l_name;
	return program_invocation_name ? program_invocation_name : "<main program>";
}

/* Only the recorder has the name. The loader was asked for it behind the recorder, so there is an error text with the path of the
 * recorder; dlerror() replaces it by the path of the caller, for which there must be room in the text. */
static struct answer not_found(const struct lookup *lookup)
{
	char filler[FILLER_MOST];
	const char *theirs = object_name(object_of(lookup->caller));
	const char *ours = object_name(object_of((uintptr_t)&recorder));
	size_t wanted = name_length(theirs), room = name_length(ours);
	size_t given_length = lookup->version ? name_length(lookup->version) : 0;
	failed_for = lookup->caller;
	if (wanted > room && given_length + wanted - room < sizeof filler) {
		if (given_length)
			memcpy(filler, lookup->version, given_length);
		memset(filler + given_length, 1, wanted - room);
		filler[given_length + wanted - room] = 0;
		((find_version *)finder_function(FIND_VERSION))(RTLD_NEXT, lookup->name, filler);
	}
	return answer_given(NULL);
}

/* In the order in which names are looked up: the caller would have got the first one behind the recorder. */
static struct answer among_all(struct lookup *lookup, bool scope_of_its_own)
{
	void *found = symbol_asked(lookup, RTLD_NEXT);
	if (found)
		return lookup->symbol < 0 ? answer_matched(lookup, found)
					  : answer_given(lookup->own);
	/* An object that was loaded with the caller may have it. */
	if (scope_of_its_own && somebody_has_it(lookup))
		return answer_given(lookup->own);
	return not_found(lookup);
}

static struct answer by_default(struct lookup *lookup)
{
	const struct link_map *map = object_of(lookup->caller);
	if (!symbols_placed())
		return answer_passed(lookup);
	if (symbol_before(lookup->name, lookup->hash, NULL)) {
		/* An object before the recorder may have another version, or none. */
		void *found = lookup->version && lookup->symbol < 0
				      ? symbol_asked(lookup, _r_debug.r_map)
				      : NULL;
		return found ? answer_matched(lookup, found) : answer_passed(lookup);
	}
	struct symbols symbols = map ? symbols_of(map->l_addr, map->l_ld) : (struct symbols){0};
	return among_all(lookup, map && !symbols_before(map->l_ld) && !symbols_first(&symbols));
}

static struct answer by_next(struct lookup *lookup)
{
	const struct link_map *map = object_of(lookup->caller);
	if (!map || !symbols_placed())
		return answer_passed(lookup);
	if (symbols_before(map->l_ld))
		return symbol_before(lookup->name, lookup->hash, map->l_ld)
			       ? answer_passed(lookup)
			       : among_all(lookup, false);
	struct symbols symbols = symbols_of(map->l_addr, map->l_ld);
	bool first = symbols_first(&symbols);
	const char *file;
	/* A tool that passes calls on, or (UCX) changes the code of the function that it gets: never return a wrapper. */
	if (object_defines(map, lookup) || version_needed(map, lookup->name, &file))
		return answer_passed(lookup);
	void *found = first ? symbol_after(&symbols, lookup->name, lookup->hash) : NULL;
	/* Resets the thread's error, like every successful lookup. */
	if (found && !lookup->version && symbol_asked(lookup, RTLD_NEXT))
		return answer_for(lookup, found);
	if (found || (!first && somebody_has_it(lookup)))
		unseen_count();
	return answer_passed(lookup);
}

static struct answer by_handle(struct lookup *lookup)
{
	void *found = symbol_asked(lookup, lookup->handle);
	if (!found)
		return answer_given(NULL);
	if (!in_us(found))
		return answer_for(lookup, found);
	/* The program's own handle stands for all objects that were loaded with it. */
	return lookup->handle == _r_debug.r_map && symbols_placed() ? among_all(lookup, false)
								    : answer_given(found);
}

static bool object_is_ours(struct lookup *lookup)
{
	const char *own = symbol_own(lookup->name, lookup->hash);
	if (LIKELY(!own))
		return false;
	lookup->own = (void *)(uintptr_t)own;
	lookup->symbol = -1;
	if (own >= library_stubs && own < library_stubs_end) {
		size_t size = (size_t)(library_stubs_end - library_stubs) / library_symbol_count;
		lookup->symbol = (int32_t)((size_t)(own - library_stubs) / size);
		return true;
	}
	lookup->wrapped = real_by_hash(lookup->hash);
	for (int i = 0; i < FINDERS; i++)
		if (names_equal(lookup->name, finder_names[i]))
			lookup->wrapped = finder_function(i);
	return lookup->wrapped;
}

static struct answer looked_up(struct lookup *lookup)
{
	bool general = lookup->handle == RTLD_DEFAULT || lookup->handle == RTLD_NEXT ||
		       lookup->handle == _r_debug.r_map;
	/* In a process that is not recorded, names that only the recorder has are not found. */
	if ((!general && call_switch[CALL_dlopen] & SWITCH_DEAD) || !lookup->name)
		return answer_passed(lookup);
	lookup->hash = symbol_hash(lookup->name);
	if (LIKELY(!object_is_ours(lookup)) || in_us((const void *)lookup->caller))
		return answer_passed(lookup);
	if (lookup->handle == RTLD_DEFAULT)
		return by_default(lookup);
	return lookup->handle == RTLD_NEXT ? by_next(lookup) : by_handle(lookup);
}

struct answer dlsym_looked(void *handle, const char *name, uintptr_t caller)
{
	return looked_up(&(struct lookup){.handle = handle, .name = name, .caller = caller});
}

struct answer dlvsym_looked(void *handle, const char *name, const char *version, uintptr_t caller)
{
	struct lookup lookup = {
		.handle = handle, .name = name, .version = version, .caller = caller};
	return version ? looked_up(&lookup) : answer_given(NULL);
}

/* The text is "RECORDER: undefined symbol: NAME", sometimes with ", version " and a filler behind it. */
static void text_correct(char *text, uintptr_t caller)
{
	static const char version[] = ", version ";
	const char *ours = object_name(object_of((uintptr_t)&recorder));
	const char *theirs = object_name(object_of(caller));
	size_t length = strlen(ours), wanted = strlen(theirs);
	if (strncmp(text, ours, length) != 0)
		return;
	char *rest = text + length, *filler = strchr(rest, 1);
	size_t room = length;
	if (filler) {
		room += strlen(filler);
		*filler = 0;
		if ((size_t)(filler - rest) >= sizeof version - 1 &&
		    strcmp(filler - (sizeof version - 1), version) == 0)
			filler[-(ptrdiff_t)(sizeof version - 1)] = 0;
	}
	if (wanted > room)
		return;
	memmove(text + wanted, rest, strlen(rest) + 1);
	memcpy(text, theirs, wanted);
}

char *dlerror(void)
{
	char *text = ((find_error *)finder_function(FIND_ERROR))();
	if (UNLIKELY(failed_for) && text)
		text_correct(text, failed_for);
	failed_for = 0;
	return text;
}
