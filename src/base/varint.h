/* Base: LEB128 varints and zigzag. Readers are bounded and never read past `end`. */
#ifndef BASE_VARINT_H
#define BASE_VARINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { VARINT_MOST = 10 };

static inline uint64_t zigzag(int64_t value)
{
	return ((uint64_t)value << 1) ^ (uint64_t)(value >> 63);
}

static inline int64_t unzigzag(uint64_t value)
{
	return (int64_t)(value >> 1) ^ -(int64_t)(value & 1);
}

/* Writes at most VARINT_MOST bytes at `at` and returns the end. */
static inline uint8_t *varint_put(uint8_t *at, uint64_t value)
{
	while (value >= 0x80) {
		*at++ = (uint8_t)(value | 0x80);
		value >>= 7;
	}
	*at++ = (uint8_t)value;
	return at;
}

/* Reads a varint at `*at`; false if it is truncated or longer than 64 bits. */
static inline bool varint_get(const uint8_t **at, const uint8_t *end, uint64_t *value)
{
	uint64_t sum = 0;
	for (unsigned shift = 0; shift < 64; shift += 7) {
		if (*at >= end)
			return false;
		uint8_t byte = *(*at)++;
		if (shift == 63 && byte > 1)
			return false;
		sum |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80)) {
			*value = sum;
			return true;
		}
	}
	return false;
}

#endif
