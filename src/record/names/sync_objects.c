/* Record: numbers the objects that threads wait for, in order of first use: addresses would mean nothing to people and hide
 * repetition. A table of fixed size, one word for each entry, without locks.
 */
#include "record/wrap.h"

enum { OBJECTS = 8192, PROBES = 64, NUMBER_BITS = 16 };

/* Address and number in one word, so that an entry is complete or absent. */
static uint64_t objects[OBJECTS];
static uint32_t last;

uint64_t word_object(const void *object)
{
	/* Objects are as large as a word or larger: the last bits of their addresses carry no information. */
	uint64_t key = (uint64_t)(uintptr_t)object >> 2 << NUMBER_BITS;
	size_t at = (size_t)((uintptr_t)object >> 3 ^ (uintptr_t)object >> 12);
	if (!object)
		return 0;
	for (unsigned probe = 0; probe < PROBES; probe++) {
		uint64_t *place = &objects[(at + probe) % OBJECTS];
		uint64_t entry = __atomic_load_n(place, __ATOMIC_RELAXED);
		if (!entry) {
			uint64_t made = key | __atomic_add_fetch(&last, 1, __ATOMIC_RELAXED);
			if (__atomic_compare_exchange_n(place, &entry, made, 0, __ATOMIC_RELAXED,
							__ATOMIC_RELAXED))
				return made & ((1 << NUMBER_BITS) - 1);
		}
		if (entry >> NUMBER_BITS == key >> NUMBER_BITS)
			return entry & ((1 << NUMBER_BITS) - 1);
	}
	return 0;
}
