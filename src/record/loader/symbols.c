/* Record: symbols of loaded objects. See symbols.h. */
#include "record/loader/symbols.h"

#include <dlfcn.h>

enum { OBJECTS_MOST = 256, VERSION_HIDDEN = 0x8000 };

extern const ElfW(Dyn) own_dynamic[] __asm__("_DYNAMIC") __attribute__((visibility("hidden")));

/* The loader has relocated some of the addresses in place and others not. */
static const void *dynamic_address(ElfW(Addr) base, ElfW(Addr) address)
{
	return (const void *)(uintptr_t)(address < base ? base + address : address);
}

struct symbols symbols_of(ElfW(Addr) base, const ElfW(Dyn) * dynamic)
{
	struct symbols symbols = {.base = base};
	for (const ElfW(Dyn) *entry = dynamic; entry && entry->d_tag != DT_NULL; entry++) {
		if (entry->d_tag == DT_SYMTAB)
			symbols.table = dynamic_address(base, entry->d_un.d_ptr);
		else if (entry->d_tag == DT_STRTAB)
			symbols.strings = dynamic_address(base, entry->d_un.d_ptr);
		else if (entry->d_tag == DT_GNU_HASH)
			symbols.hash = dynamic_address(base, entry->d_un.d_ptr);
		else if (entry->d_tag == DT_VERSYM)
			symbols.versions = dynamic_address(base, entry->d_un.d_ptr);
	}
	if (!symbols.table || !symbols.strings || (symbols.hash && !symbols.hash[0]))
		symbols.hash = NULL;
	return symbols;
}

uint32_t symbol_hash(const char *name)
{
	uint32_t hash = 5381;
	for (; *name; name++)
		hash = hash * 33 + (uint8_t)*name;
	return hash;
}

/* Most objects do not define most names; two bits of a Bloom filter show this. */
static bool bloom_has(const struct symbols *symbols, uint32_t hash)
{
	enum { BITS = sizeof(ElfW(Addr)) * 8 };
	const ElfW(Addr) *bloom = (const void *)(symbols->hash + 4);
	ElfW(Addr) word = bloom[hash / BITS & (symbols->hash[2] - 1)];
	return word >> hash % BITS & word >> (hash >> symbols->hash[3]) % BITS & 1;
}

const ElfW(Sym) *
	symbol_in(const struct symbols *symbols, const char *name, uint32_t hash, bool hidden)
{
	if (!symbols->hash || !bloom_has(symbols, hash))
		return NULL;
	uint32_t buckets = symbols->hash[0], first = symbols->hash[1], bloom = symbols->hash[2];
	const uint32_t *bucket = symbols->hash + 4 + (size_t)bloom * (sizeof(ElfW(Addr)) / 4);
	const uint32_t *chain = bucket + buckets;
	uint32_t i = bucket[hash % buckets];
	for (; i >= first && i; i++) {
		const ElfW(Sym) *symbol = &symbols->table[i];
		uint32_t other = chain[i - first];
		bool old = symbols->versions && symbols->versions[i] & VERSION_HIDDEN;
		unsigned type = symbol->st_info & 15;
		if ((other | 1) == (hash | 1) && symbol->st_shndx != SHN_UNDEF && old == hidden &&
		    (type == STT_FUNC || type == STT_GNU_IFUNC || type == STT_NOTYPE ||
		     type == STT_OBJECT) &&
		    names_equal(symbols->strings + symbol->st_name, name))
			return symbol;
		if (other & 1)
			break;
	}
	return NULL;
}

/* The objects behind the recorder, in the order in which names are looked up. */
static struct {
	struct symbols objects[OBJECTS_MOST];
	uint32_t count;
	uint32_t listed;
} next;

static void next_list(void)
{
	const struct link_map *map = _r_debug.r_map;
	uint32_t count = 0;
	while (map && map->l_ld != own_dynamic)
		map = map->l_next;
	for (map = map ? map->l_next : NULL; map && count < OBJECTS_MOST; map = map->l_next) {
		struct symbols object = symbols_of(map->l_addr, map->l_ld);
		/* The vdso has no functions that are wrapped. */
		if (!object.hash && !name_begins(map->l_name, "linux-vdso"))
			break;
		next.objects[count++] = object;
	}
	/* An object has no hash table of this kind: the loader must be asked. */
	next.count = map ? 0 : count;
	__atomic_store_n(&next.listed, 1, __ATOMIC_RELEASE);
}

bool symbols_first(const struct symbols *symbols)
{
	if (!__atomic_load_n(&next.listed, __ATOMIC_ACQUIRE))
		next_list();
	for (uint32_t i = 0; i < next.count; i++)
		if (next.objects[i].table == symbols->table)
			return true;
	return false;
}

bool symbols_placed(void)
{
	if (!__atomic_load_n(&next.listed, __ATOMIC_ACQUIRE))
		next_list();
	return next.count;
}

bool symbols_before(const ElfW(Dyn) * dynamic)
{
	const struct link_map *map = _r_debug.r_map;
	while (map && map->l_ld != own_dynamic && map->l_ld != dynamic)
		map = map->l_next;
	return map && map->l_ld == dynamic;
}

bool symbol_before(const char *name, uint32_t hash, const ElfW(Dyn) * but)
{
	const struct link_map *map = _r_debug.r_map;
	for (; map && map->l_ld != own_dynamic; map = map->l_next) {
		struct symbols object = symbols_of(map->l_addr, map->l_ld);
		if (map->l_ld != but && symbol_in(&object, name, hash, false))
			return true;
	}
	return false;
}

void *symbol_after(const struct symbols *symbols, const char *name, uint32_t hash)
{
	bool after = false;
	for (uint32_t i = 0; i < next.count; i++) {
		const struct symbols *object = &next.objects[i];
		const ElfW(Sym) *symbol = after ? symbol_in(object, name, hash, false) : NULL;
		if (symbol)
			return (symbol->st_info & 15) == STT_FUNC
				       ? (void *)(uintptr_t)(object->base + symbol->st_value)
				       : NULL;
		after |= object->table == symbols->table;
	}
	return NULL;
}

void *symbol_behind(const char *name)
{
	const struct link_map *map = _r_debug.r_map;
	uint32_t hash = symbol_hash(name);
	while (map && map->l_ld != own_dynamic)
		map = map->l_next;
	/* If the recorder is not in the list: the first object that has the name. */
	for (map = map ? map->l_next : _r_debug.r_map; map; map = map->l_next) {
		struct symbols object = symbols_of(map->l_addr, map->l_ld);
		const ElfW(Sym) *symbol = symbol_in(&object, name, hash, false);
		if (symbol && map->l_ld != own_dynamic)
			return (void *)(uintptr_t)(object.base + symbol->st_value);
	}
	return NULL;
}

/* The recorder's own symbols, read once: every lookup of a program uses them. */
static struct {
	struct symbols symbols;
	uint32_t read;
} own;

void *symbol_own(const char *name, uint32_t hash)
{
	if (!__atomic_load_n(&own.read, __ATOMIC_ACQUIRE)) {
		struct dl_find_object found;
		if (_dl_find_object(&own, &found) != 0)
			return NULL;
		own.symbols = symbols_of(found.dlfo_link_map->l_addr, found.dlfo_link_map->l_ld);
		__atomic_store_n(&own.read, 1, __ATOMIC_RELEASE);
	}
	const ElfW(Sym) *symbol = symbol_in(&own.symbols, name, hash, false);
	return symbol ? (void *)(uintptr_t)(own.symbols.base + symbol->st_value) : NULL;
}

void *symbol_next(const char *name, uint32_t hash, bool hidden)
{
	if (!__atomic_load_n(&next.listed, __ATOMIC_ACQUIRE))
		next_list();
	/* Also when the recorder is not in the loader's list. */
	if (!next.count)
		return hidden ? dlvsym(RTLD_NEXT, name, "GLIBC_2.2.5") : dlsym(RTLD_NEXT, name);
	for (uint32_t i = 0; i < next.count; i++) {
		const struct symbols *object = &next.objects[i];
		const ElfW(Sym) *symbol = symbol_in(object, name, hash, hidden);
		if (!symbol)
			continue;
		void *address = (void *)(uintptr_t)(object->base + symbol->st_value);
		/* An indirect function: the loader has its result. */
		return (symbol->st_info & 15) == STT_GNU_IFUNC ? dlsym(RTLD_NEXT, name) : address;
	}
	return NULL;
}
