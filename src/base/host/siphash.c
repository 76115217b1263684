/* Base: SipHash-2-4. See siphash.h. */
#include "base/host/siphash.h"

#include <string.h>

static uint64_t sip_turn(uint64_t value, unsigned bits)
{
	return value << bits | value >> (64 - bits);
}

static void sip_rounds(uint64_t v[4], unsigned count)
{
	while (count--) {
		v[0] += v[1];
		v[2] += v[3];
		v[1] = sip_turn(v[1], 13) ^ v[0];
		v[3] = sip_turn(v[3], 16) ^ v[2];
		v[0] = sip_turn(v[0], 32);
		v[2] += v[1];
		v[0] += v[3];
		v[1] = sip_turn(v[1], 17) ^ v[2];
		v[3] = sip_turn(v[3], 21) ^ v[0];
		v[2] = sip_turn(v[2], 32);
	}
}

static void sip_take(uint64_t v[4], uint64_t word)
{
	v[3] ^= word;
	sip_rounds(v, 2);
	v[0] ^= word;
}

uint64_t siphash(const struct siphash_key *key, const void *bytes, size_t length)
{
	/* "somepseudorandomlygeneratedbytes" */
	uint64_t v[4] = {
		key->half[0] ^ 0x736f6d6570736575ull,
		key->half[1] ^ 0x646f72616e646f6dull,
		key->half[0] ^ 0x6c7967656e657261ull,
		key->half[1] ^ 0x7465646279746573ull,
	};
	const uint8_t *at = bytes;
	uint64_t word;
	for (size_t left = length; left >= sizeof word; left -= sizeof word, at += sizeof word) {
		memcpy(&word, at, sizeof word);
		sip_take(v, word);
	}
	word = 0;
	memcpy(&word, at, length % sizeof word);
	sip_take(v, word | (uint64_t)length << 56);
	v[2] ^= 0xff;
	sip_rounds(v, 4);
	return v[0] ^ v[1] ^ v[2] ^ v[3];
}
