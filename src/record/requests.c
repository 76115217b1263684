/* Record: asynchronous requests by number. See requests.h. */
#include "record/requests.h"

#include <stddef.h>

enum { REQUESTS = 2048, PROBES = 16 };

struct entry {
	uint64_t key;
	struct request request;
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

uint32_t request_new(uint64_t key, const struct request *made)
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
		entry->request.opcode = made->opcode;
		entry->request.direction = made->direction;
		entry->request.fd = made->fd;
		entry->request.handle = made->handle;
		__atomic_store_n(&entry->request.number, number, __ATOMIC_RELEASE);
	}
	return number;
}

struct request request_find(uint64_t key)
{
	struct entry *entry = find(key);
	if (!entry)
		return (struct request){.fd = -1};
	struct request found = entry->request;
	found.number = __atomic_load_n(&entry->request.number, __ATOMIC_ACQUIRE);
	return found;
}

struct request request_take(uint64_t key)
{
	struct entry *entry = find(key);
	if (!entry)
		return (struct request){.fd = -1};
	struct request found = entry->request;
	found.number = __atomic_exchange_n(&entry->request.number, 0, __ATOMIC_ACQ_REL);
	__atomic_store_n(&entry->key, 0, __ATOMIC_RELEASE);
	return found;
}
