/* Record: asynchronous requests by number. See requests.h. */
#include "record/requests.h"

#include <stddef.h>

enum { REQUESTS = 2048, PROBES = 16 };

struct entry {
	uint64_t key;
	uint32_t number;
	uint32_t opcode;
};

static struct entry table[REQUESTS];
static uint32_t last;

static struct entry *place(uint64_t key, unsigned probe)
{
	return &table[((key * 0x9e3779b97f4a7c15ull >> 40) + probe) % REQUESTS];
}

static struct entry *find(uint64_t key)
{
	for (unsigned probe = 0; key && probe < PROBES; probe++) {
		struct entry *entry = place(key, probe);
		if (__atomic_load_n(&entry->key, __ATOMIC_ACQUIRE) == key)
			return entry;
	}
	return NULL;
}

uint32_t request_new(uint64_t key, uint32_t opcode)
{
	uint32_t number = __atomic_add_fetch(&last, 1, __ATOMIC_RELAXED);
	/* One of the same key, whose completion nobody asked for, is over. */
	struct entry *entry = find(key);
	for (unsigned probe = 0; key && !entry && probe < PROBES; probe++) {
		struct entry *free = place(key, probe);
		uint64_t none = 0;
		if (__atomic_compare_exchange_n(&free->key, &none, key, 0, __ATOMIC_ACQ_REL,
						__ATOMIC_RELAXED))
			entry = free;
	}
	if (entry) {
		entry->opcode = opcode;
		__atomic_store_n(&entry->number, number, __ATOMIC_RELEASE);
	}
	return number;
}

uint32_t request_find(uint64_t key, uint32_t *opcode)
{
	const struct entry *entry = find(key);
	*opcode = entry ? entry->opcode : 0;
	return entry ? __atomic_load_n(&entry->number, __ATOMIC_ACQUIRE) : 0;
}

uint32_t request_take(uint64_t key, uint32_t *opcode)
{
	struct entry *entry = find(key);
	*opcode = 0;
	if (!entry)
		return 0;
	*opcode = entry->opcode;
	uint32_t number = __atomic_exchange_n(&entry->number, 0, __ATOMIC_ACQ_REL);
	__atomic_store_n(&entry->key, 0, __ATOMIC_RELEASE);
	return number;
}
