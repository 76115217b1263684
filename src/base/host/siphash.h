/* Base: SipHash-2-4, a hash with a key: without the key it is not possible to find out what was hashed, or to find another text
 * with the same hash. Follows the definition by Aumasson and Bernstein (2012). For names that must not be readable; tables use
 * hash.h.
 */
#ifndef BASE_HOST_SIPHASH_H
#define BASE_HOST_SIPHASH_H

#include <stddef.h>
#include <stdint.h>

struct siphash_key {
	uint64_t half[2];
};

uint64_t siphash(const struct siphash_key *key, const void *bytes, size_t length);

#endif
