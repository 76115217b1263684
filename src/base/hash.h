/* Base: the one hash, XXH64, for checksums and for tables of names. Header only: it is inlined on hot paths. */
#ifndef BASE_HASH_H
#define BASE_HASH_H

#define XXH_INLINE_ALL
#include <stddef.h>
#include <stdint.h>
#include <xxhash.h>

static inline uint64_t hash64(const void *bytes, size_t length, uint64_t seed)
{
	return XXH64(bytes, length, seed);
}

#endif
