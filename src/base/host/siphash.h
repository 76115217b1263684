/* Base: SipHash-2-4, a hash with a key: without the key one can neither find out what was hashed nor find another text with the
 * same hash. After its definition by Aumasson and Bernstein (2012). For names that must not be read; tables use hash.h.
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
