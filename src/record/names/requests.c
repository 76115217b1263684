/* Record: numbers of asynchronous requests. See requests.h. */
#include "record/names/requests.h"

#include <stddef.h>

enum { REQUESTS = 2048, PROBES = 16 };

struct entry {
	uint64_t key;
	struct request request;
	uint32_t open; /* io_uring: requests in flight with this key */
	bool unequal;  /* they have different files or directions */
	bool mixed;    /* the same of those that may have a result above 0 */
};

static struct entry table[REQUESTS];
static uint32_t last;

static struct entry *request_place(uint64_t key, unsigned probe)
{
	return &table[((key * 0x9e3779b97f4a7c15ull >> 40) + probe) % REQUESTS];
}

static struct entry *request_entry(uint64_t key)
{
	for (unsigned probe = 0; key && probe < PROBES; probe++) {
		struct entry *entry = request_place(key, probe);
		if (__atomic_load_n(&entry->key, __ATOMIC_ACQUIRE) == key)
			return entry;
	}
	return NULL;
}

static struct entry *free_place(uint64_t key)
{
	for (unsigned probe = 0; key && probe < PROBES; probe++) {
		struct entry *entry = request_place(key, probe);
		uint64_t none = 0;
		if (__atomic_compare_exchange_n(&entry->key, &none, key, 0, __ATOMIC_ACQ_REL,
						__ATOMIC_RELAXED))
			return entry;
	}
	return NULL;
}

uint32_t request_new(uint64_t key, const struct request *made)
{
	uint32_t number = __atomic_add_fetch(&last, 1, __ATOMIC_RELAXED);
	/* An earlier request with this key is over; the program never asked for its completion. */
	struct entry *entry = request_entry(key);
	if (!entry)
		entry = free_place(key);
	if (entry) {
		entry->request.direction = made->direction;
		entry->request.fd = made->fd;
		entry->request.handle = made->handle;
		__atomic_store_n(&entry->request.number, number, __ATOMIC_RELEASE);
	}
	return number;
}

struct request request_find(uint64_t key)
{
	struct entry *entry = request_entry(key);
	if (!entry)
		return (struct request){.fd = -1};
	struct request found = entry->request;
	found.number = __atomic_load_n(&entry->request.number, __ATOMIC_ACQUIRE);
	return found;
}

struct request request_take(uint64_t key)
{
	struct entry *entry = request_entry(key);
	if (!entry)
		return (struct request){.fd = -1};
	struct request found = entry->request;
	found.number = __atomic_exchange_n(&entry->request.number, 0, __ATOMIC_ACQ_REL);
	__atomic_store_n(&entry->key, 0, __ATOMIC_RELEASE);
	return found;
}

/* Changes the number of requests in flight, unless it is 0: then the last one has just completed. Returns the old number. */
static uint32_t open_add(struct entry *entry, int change)
{
	uint32_t open = __atomic_load_n(&entry->open, __ATOMIC_ACQUIRE);
	while (open)
		if (__atomic_compare_exchange_n(&entry->open, &open, open + (uint32_t)change, 0,
						__ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
			break;
	return open;
}

static bool same_file(const struct request *one, const struct request *other)
{
	return one->fd == other->fd && one->handle == other->handle &&
	       one->direction == other->direction;
}

/* Adds a request whose key is in flight: from here on it is not known which of them completes. */
static void entry_join(struct entry *entry, const struct request *made)
{
	struct request *known = &entry->request;
	bool same = same_file(known, made);
	entry->unequal |= !same;
	if (!known->above_zero) {
		known->direction = made->direction;
		known->fd = made->fd;
		known->handle = made->handle;
	} else {
		entry->mixed |= made->above_zero && !same;
	}
	known->above_zero |= made->above_zero;
	known->moves |= made->moves;
	known->makes_descriptor |= made->makes_descriptor;
	__atomic_store_n(&known->number, 0, __ATOMIC_RELEASE);
}

uint32_t request_add(uint64_t key, const struct request *made)
{
	uint32_t number = __atomic_add_fetch(&last, 1, __ATOMIC_RELAXED);
	struct entry *entry = request_entry(key);
	if (entry && open_add(entry, 1)) {
		/* The entry may have got another key meanwhile. */
		if (__atomic_load_n(&entry->key, __ATOMIC_ACQUIRE) == key)
			entry_join(entry, made);
		else
			open_add(entry, -1);
		return number;
	}
	entry = free_place(key);
	if (entry) {
		entry->request = *made;
		entry->request.number = number;
		entry->unequal = entry->mixed = false;
		__atomic_store_n(&entry->open, 1, __ATOMIC_RELEASE);
	}
	return number;
}

bool request_is_open(uint64_t key)
{
	struct entry *entry = request_entry(key);
	return entry && __atomic_load_n(&entry->open, __ATOMIC_ACQUIRE);
}

struct request request_done(uint64_t key, int32_t result, bool is_last)
{
	struct entry *entry = request_entry(key);
	if (!entry || !__atomic_load_n(&entry->open, __ATOMIC_ACQUIRE))
		return (struct request){.fd = -1, .moves = true};
	struct request found = entry->request;
	if (result > 0 ? entry->mixed : entry->unequal) {
		found.number = found.handle = 0;
		found.direction = DIRECTION_NONE;
		found.fd = -1;
	}
	if (is_last && open_add(entry, -1) == 1)
		__atomic_store_n(&entry->key, 0, __ATOMIC_RELEASE);
	return found;
}

void requests_forget(uint32_t ring)
{
	for (unsigned i = 0; i < REQUESTS; i++) {
		struct entry *entry = &table[i];
		if (__atomic_load_n(&entry->open, __ATOMIC_ACQUIRE) &&
		    entry->request.ring == ring) {
			__atomic_store_n(&entry->open, 0, __ATOMIC_RELEASE);
			__atomic_store_n(&entry->key, 0, __ATOMIC_RELEASE);
		}
	}
}
