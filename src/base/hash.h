/* Base: hashes. XXH64 for what is stored, XXH3 for tables in memory. Header only: they are inlined on hot paths. */
#ifndef BASE_HASH_H
#define BASE_HASH_H

#define XXH_INLINE_ALL
#include <stddef.h>
#include <stdint.h>
#include <xxhash.h>

static inline uint64_t hash64(const void *bytes, size_t length, uint64_t seed)
{
	/* xxHash looks whether there is anything, so analyzers take it that there may be nothing. */
	if (!bytes && length)
		__builtin_unreachable();
	return XXH64(bytes, length, seed);
}

/* Half the time of the other on a path; never stored. */
static inline uint64_t hash_name(const void *bytes, size_t length, uint64_t seed)
{
	return XXH3_64bits(bytes, length) ^ seed * 0x9e3779b97f4a7c15ull;
}

#endif
