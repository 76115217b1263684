/* Base: hashes. XXH64 for what is stored, XXH3 for tables in memory. Header only: they are inlined on hot paths. */
#ifndef BASE_HASH_H
#define BASE_HASH_H

#define XXH_INLINE_ALL
#include <stddef.h>
#include <stdint.h>
#include <xxhash.h>

static inline uint64_t hash64(const void *bytes, size_t length, uint64_t seed)
{
	/* XXH64 checks whether `bytes` is NULL, so analyzers assume that it can be. */
	if (!bytes && length)
		__builtin_unreachable();
	return XXH64(bytes, length, seed);
}

/* Takes half the time of hash64() for a path; never stored. */
static inline uint64_t hash_name(const void *bytes, size_t length, uint64_t seed)
{
	return XXH3_64bits(bytes, length) ^ seed * 0x9e3779b97f4a7c15ull;
}

#endif
