/* Record: the table of MPI's requests. See mpi_requests.h. */
#include "record/mpi/mpi_requests.h"

#include "record/library/table_lock.h"

enum { REQUESTS = 1 << 16, CHAIN_BITS = 14 };

struct list {
	uint32_t oldest;
	uint32_t newest;
};

struct requests {
	uint32_t by_place[1 << CHAIN_BITS];
	struct list by_value[1 << CHAIN_BITS];
	uint32_t free;
	uint32_t used;
	struct mpi_request request[REQUESTS];
};

static struct requests *table;
static uint32_t numbers;

struct mpi_request *mpi_request_by(uint32_t at)
{
	return &table->request[at - 1];
}

static uint64_t word_mixed(uint64_t word)
{
	return word * 0x9e3779b97f4a7c15ull;
}

static struct list *request_list(const struct mpi_request_key *key)
{
	return &table->by_value[word_mixed(key->value ^ (uint64_t)key->library << 56) >>
				(64 - CHAIN_BITS)];
}

static uint32_t *request_chain(const struct mpi_request_key *key)
{
	uint64_t value = word_mixed(key->value ^ (uint64_t)key->library << 56);
	return &table->by_place[word_mixed(value ^ key->place) >> (64 - CHAIN_BITS)];
}

static bool request_has_value(const struct mpi_request *request, const struct mpi_request_key *key)
{
	return request->value == key->value && request->library == key->library;
}

/* The link to the request with this value and place, or the end of its chain. */
static uint32_t *link_to(const struct mpi_request_key *key)
{
	uint32_t *link = request_chain(key);
	while (*link && !(mpi_request_by(*link)->place == key->place &&
			  request_has_value(mpi_request_by(*link), key)))
		link = &mpi_request_by(*link)->next;
	return link;
}

static uint32_t oldest_of(const struct mpi_request_key *key)
{
	uint32_t at = request_list(key)->oldest;
	while (at && !request_has_value(mpi_request_by(at), key))
		at = mpi_request_by(at)->newer;
	return at;
}

static struct mpi_request_key request_key_of(const struct mpi_request *request)
{
	return (struct mpi_request_key){request->value, request->place, request->library};
}

static void unlink_at(uint32_t *link)
{
	uint32_t at = *link;
	struct mpi_request *request = mpi_request_by(at);
	struct mpi_request_key key = request_key_of(request);
	struct list *list = request_list(&key);
	*link = request->next;
	*(request->older ? &mpi_request_by(request->older)->newer : &list->oldest) = request->newer;
	*(request->newer ? &mpi_request_by(request->newer)->older : &list->newest) = request->older;
	request->number = 0;
	request->next = table->free;
	table->free = at;
}

bool mpi_requests_begin(void)
{
	return table && table_lock(TABLE_REQUESTS);
}

void mpi_requests_end(void)
{
	table_lock_end(TABLE_REQUESTS);
}

void mpi_request_add(const struct mpi_request *made)
{
	struct mpi_request_key key = request_key_of(made);
	if (!table_lock_with(TABLE_REQUESTS, &table, sizeof *table))
		return;
	uint32_t *link = link_to(&key);
	if (*link)
		unlink_at(link);
	uint32_t at = table->free, number = number_take(&numbers) + 1;
	if (at)
		table->free = mpi_request_by(at)->next;
	else if (table->used < REQUESTS)
		at = ++table->used;
	if (at) {
		struct mpi_request *request = mpi_request_by(at);
		struct list *list = request_list(&key);
		uint32_t *chain = request_chain(&key);
		*request = *made;
		request->number = number;
		request->next = *chain;
		request->older = list->newest;
		*chain = at;
		*(list->newest ? &mpi_request_by(list->newest)->newer : &list->oldest) = at;
		list->newest = at;
	} else {
		loss_count(LOSS_UNTRACKED, 1);
	}
	table_lock_end(TABLE_REQUESTS);
}

uint32_t mpi_request_find(const struct mpi_request_key *key)
{
	if (!key->value || !mpi_requests_begin())
		return 0;
	uint32_t at = *link_to(key);
	if (!at)
		at = oldest_of(key);
	mpi_requests_end();
	return at;
}

void mpi_request_forget(uint32_t at)
{
	if (!mpi_requests_begin())
		return;
	struct mpi_request_key key = request_key_of(mpi_request_by(at));
	uint32_t *link = request_chain(&key);
	while (*link && *link != at)
		link = &mpi_request_by(*link)->next;
	if (*link)
		unlink_at(link);
	mpi_requests_end();
}

uint32_t mpi_request_take(const struct mpi_request_key *key, uint32_t ticket)
{
	uint32_t at = key->value ? *link_to(key) : 0;
	if (at)
		mpi_request_by(at)->taken = ticket;
	return at;
}

uint32_t mpi_request_take_oldest(const struct mpi_request_key *key, uint32_t ticket, uint32_t *from)
{
	if (!key->value)
		return 0;
	/* Requests with one value are taken in order: those before `*from` are taken already. */
	uint32_t at = *from && request_has_value(mpi_request_by(*from), key)
			      ? *from
			      : request_list(key)->oldest;
	while (at &&
	       !(request_has_value(mpi_request_by(at), key) && mpi_request_by(at)->taken != ticket))
		at = mpi_request_by(at)->newer;
	if (at) {
		mpi_request_by(at)->taken = ticket;
		*from = at;
	}
	return at;
}
