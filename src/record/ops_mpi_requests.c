/* Record: requests of MPI: numbers in order of creation, and a record for each completion. See mpi.h.
 *
 * A request is read before the call that may complete it, because that sets it to null. Some libraries use one value for many
 * requests at a time (what was complete from the start): such are told apart by the place where the program keeps them, and
 * else taken in order of creation. Where the program wants no statuses MPI is given room of ours.
 */
#include "record/hold.h"
#include "record/inner.h"
#include "record/library_ops.h"
#include "record/mpi.h"

#include <string.h>

enum {
	REQUESTS = 1 << 16,
	CHAINS = 1 << 14,
	/* Room for the statuses of a call. */
	ROOM_REQUESTS = 64,
	ROOMS = 64,
};

struct request {
	uint64_t value;
	uint64_t place; /* where the library has put it */
	uint64_t bytes;
	uint32_t number;
	uint32_t library;
	uint32_t next; /* place in the table + 1: of its chain, or of free ones */
	int32_t peer;
	int32_t tag;
	uint32_t taken; /* by the call with this ticket */
	uint8_t how;
	bool active;
	bool cancel; /* the program asked for it; else what a status says about it may be anything */
};

struct requests {
	uint32_t first[CHAINS]; /* oldest first */
	uint32_t free;
	uint32_t used;
	struct request request[REQUESTS];
};

static struct requests *table;
static uint32_t numbers;
static uint32_t tickets;

static bool table_hold(void)
{
	return hold_with(HELD_REQUESTS, &table, sizeof *table);
}

static void table_release(void)
{
	hold_end(HELD_REQUESTS);
}

static uint32_t *chain_of(const struct library_call *call, uint64_t value)
{
	uint64_t mix = (value ^ (uint64_t)call->library->number << 56) * 0x9e3779b97f4a7c15ull;
	_Static_assert(CHAINS == 1 << (64 - 50), "a chain for each value of these bits");
	return &table->first[mix >> 50];
}

static bool is_request(const struct library_call *call, const struct request *request,
		       uint64_t value)
{
	return request->value == value && request->library == call->library->number;
}

/* The link to it: that at the same place, or the oldest; NULL: there is none. The table is held. */
static uint32_t *link_to(const struct library_call *call, uint64_t value, const void *place)
{
	uint32_t *oldest = NULL;
	for (uint32_t *link = chain_of(call, value); *link;
	     link = &table->request[*link - 1].next) {
		const struct request *request = &table->request[*link - 1];
		if (!is_request(call, request, value))
			continue;
		if (request->place == mpi_place(place))
			return link;
		if (!oldest)
			oldest = link;
	}
	return oldest;
}

static void unlink_at(uint32_t *link)
{
	struct request *request = &table->request[*link - 1];
	uint32_t at = *link;
	*link = request->next;
	request->number = 0;
	request->next = table->free;
	table->free = at;
}

static uint64_t request_value(const struct library_call *call, const void *pointer, size_t at)
{
	return entity_value_at(call, FAMILY_REQUEST, pointer, at);
}

void mpi_request_new(const struct library_call *call, unsigned how, uint64_t bytes, int32_t peer,
		     int32_t tag)
{
	const void *place = given_pointer(call, call->row->arguments - 1u);
	uint64_t value = request_value(call, place, 0);
	if (!value || !table_hold())
		return;
	/* One that is still known there was given up without our seeing it. */
	uint32_t *link = link_to(call, value, place);
	if (link && table->request[*link - 1].place == mpi_place(place))
		unlink_at(link);
	uint32_t at = table->free;
	if (at)
		table->free = table->request[at - 1].next;
	else if (table->used < REQUESTS)
		at = ++table->used;
	uint32_t number = number_take(&numbers) + 1;
	if (at) {
		table->request[at - 1] = (struct request){
			.value = value,
			.place = mpi_place(place),
			.bytes = bytes,
			.number = number,
			.library = call->library->number,
			.peer = peer,
			.tag = tag,
			.how = (uint8_t)how,
			.active = !(how & REQUEST_PERSISTENT),
		};
		link = chain_of(call, value);
		while (*link)
			link = &table->request[*link - 1].next;
		*link = at;
	} else {
		loss_count(LOSS_UNTRACKED, 1);
	}
	table_release();
}

/* Its place in the table + 1; 0: it is not known. */
static uint32_t request_find(const struct library_call *call, uint64_t value, const void *place)
{
	if (!value || !table || !table_hold())
		return 0;
	const uint32_t *link = link_to(call, value, place);
	uint32_t at = link ? *link : 0;
	table_release();
	return at;
}

uint32_t mpi_request_number(const struct library_call *call, uint64_t value, const void *place)
{
	uint32_t at = request_find(call, value, place);
	return at ? table->request[at - 1].number : 0;
}

static void request_forget(const struct library_call *call, uint32_t at)
{
	if (!table_hold())
		return;
	uint32_t *link = chain_of(call, table->request[at - 1].value);
	while (*link && *link != at)
		link = &table->request[*link - 1].next;
	if (*link)
		unlink_at(link);
	table_release();
}

/* ---- requests are made */

static void start(struct library_call *call, unsigned how, uint64_t bytes, unsigned peer,
		  unsigned tag)
{
	call->added[0] = bytes;
	mpi_request_new(call, how, bytes, mpi_peer(call, given_int(call, peer)),
			given_int(call, tag));
}

/* What goes to nobody is no bytes. */
static uint64_t bytes_to(const struct library_call *call, unsigned count, unsigned peer)
{
	return mpi_peer(call, given_int(call, peer)) == PEER_NOBODY ? 0 : mpi_bytes(call, count);
}

void after_mpi_start_send(struct library_call *call)
{
	if (!call->failed)
		start(call, REQUEST_OTHER, bytes_to(call, 1, 3), 3, 4);
}

void after_mpi_start_receive(struct library_call *call)
{
	if (call->failed)
		return;
	if (call->row->id != CALL_MPI_Imrecv && call->row->id != CALL_MPI_Imrecv_c) {
		start(call, REQUEST_RECEIVE, mpi_bytes(call, 1), 3, 4);
		return;
	}
	call->added[0] = mpi_bytes(call, 1);
	mpi_request_new(call, REQUEST_RECEIVE, call->added[0], PEER_NOBODY, TAG_ANY);
}

/* Isendrecv has its receive at 5, Isendrecv_replace receives as much as it sends. */
void after_mpi_start_send_receive(struct library_call *call)
{
	bool replace = call->row->arguments < 10;
	if (!call->failed)
		start(call, REQUEST_BOTH, bytes_to(call, 1, 3), replace ? 5 : 8, replace ? 6 : 9);
}

void after_mpi_start_other(struct library_call *call)
{
	if (!call->failed)
		mpi_request_new(call, REQUEST_OTHER, 0, PEER_NOBODY, TAG_ANY);
}

void after_mpi_persist_send(struct library_call *call)
{
	if (!call->failed)
		start(call, REQUEST_OTHER | REQUEST_PERSISTENT, bytes_to(call, 1, 3), 3, 4);
}

void after_mpi_persist_receive(struct library_call *call)
{
	if (!call->failed)
		start(call, REQUEST_RECEIVE | REQUEST_PERSISTENT, mpi_bytes(call, 1), 3, 4);
}

/* Partitions of count elements each; the count is large in all MPIs. */
static uint64_t bytes_of_parts(const struct library_call *call)
{
	int32_t parts = given_int(call, 1);
	int64_t count = (int64_t)call->given[2];
	return parts > 0 && count > 0
		       ? (uint64_t)parts * (uint64_t)count * mpi_type_size(call, call->given[3])
		       : 0;
}

void after_mpi_persist_parts(struct library_call *call)
{
	if (!call->failed)
		start(call, REQUEST_OTHER | REQUEST_PERSISTENT, bytes_of_parts(call), 4, 5);
}

static void restarted(const struct library_call *call, const void *array, size_t at)
{
	const char *place = (const char *)array + at * (mpi_wide(call) ? 8 : 4);
	uint32_t found = request_find(call, request_value(call, array, at), place);
	if (found)
		table->request[found - 1].active = true;
}

void after_mpi_restart(struct library_call *call)
{
	if (!call->failed)
		restarted(call, given_pointer(call, 0), 0);
}

void after_mpi_restart_all(struct library_call *call)
{
	for (int32_t i = 0; !call->failed && i < given_int(call, 0); i++)
		restarted(call, given_pointer(call, 1), (size_t)i);
}

void after_mpi_cancel(struct library_call *call)
{
	const void *place = given_pointer(call, 0);
	uint32_t found = request_find(call, request_value(call, place, 0), place);
	if (!call->failed && found)
		table->request[found - 1].cancel = true;
}

void before_mpi_request_free(struct library_call *call)
{
	const void *place = given_pointer(call, 0);
	call->kept[0] = request_find(call, request_value(call, place, 0), place);
}

void after_mpi_request_free(struct library_call *call)
{
	if (!call->failed && call->kept[0])
		request_forget(call, (uint32_t)call->kept[0]);
}

/* ---- requests are completed
 *
 * kept[0]: of a call on one request its place in the table; of one on many the address of its room. */

/* What is kept of a call on many requests while it runs. */
struct room {
	struct room *next; /* of a free one */
	uint64_t size;	   /* of one that was made for this call; 0: of the pool */
	uint64_t count;
	uint32_t at[]; /* place in the table of each; statuses follow if the program wants none */
};

enum { ROOM_SIZE = sizeof(struct room) + ROOM_REQUESTS * (4 + MPI_STATUS) + 8 };

static struct room *rooms_free;
static char *rooms;
static uint32_t rooms_used;

static struct room *room_take(uint64_t count)
{
	if (count > ROOM_REQUESTS) {
		uint64_t size = sizeof(struct room) + count * (4 + MPI_STATUS) + 8;
		struct room *room = recorder.quiet ? NULL : sys_memory(size);
		if (room)
			room->size = size;
		return room;
	}
	struct room *room = NULL;
	if (!hold_with(HELD_ROOMS, &rooms, (size_t)ROOMS * ROOM_SIZE))
		return NULL;
	if (rooms_free) {
		room = rooms_free;
		rooms_free = room->next;
	} else if (rooms_used < ROOMS) {
		room = (struct room *)(void *)(rooms + (size_t)rooms_used++ * ROOM_SIZE);
	}
	hold_end(HELD_ROOMS);
	if (room)
		room->size = 0;
	return room;
}

_Static_assert(ROOM_SIZE % 8 == 0, "rooms of the pool are aligned");

static void room_give(struct room *room)
{
	if (room->size) {
		sys_munmap(room, room->size);
		return;
	}
	if (!hold(HELD_ROOMS))
		return;
	room->next = rooms_free;
	rooms_free = room;
	hold_end(HELD_ROOMS);
}

static void *room_statuses(struct room *room, uint64_t count)
{
	return (char *)room->at + (count * 4 + 7) / 8 * 8;
}

/* Request, [flag,] status. */
void before_mpi_wait(struct library_call *call)
{
	unsigned last = call->row->arguments - 1u;
	const void *place = given_pointer(call, 0);
	call->kept[0] = request_find(call, request_value(call, place, 0), place);
	_Static_assert(sizeof call->kept >= 8 + MPI_STATUS, "there is room for a status");
	if (mpi_status_ignored(call, call->given[last]))
		call->given[last] = mpi_place(&call->kept[1]);
}

/* Those of one value that are kept at other places than at first: each is taken once, in order of creation. */
static uint32_t take_oldest(const struct library_call *call, uint64_t value, uint32_t ticket)
{
	for (uint32_t at = *chain_of(call, value); at; at = table->request[at - 1].next) {
		struct request *request = &table->request[at - 1];
		if (is_request(call, request, value) && request->taken != ticket) {
			request->taken = ticket;
			return at;
		}
	}
	return 0;
}

static void many_find(const struct library_call *call, struct room *room, const char *array)
{
	uint32_t ticket = number_take(&tickets) + 1;
	bool held = table && table_hold();
	for (size_t i = 0; i < room->count; i++) {
		const char *place = array + i * (mpi_wide(call) ? 8 : 4);
		uint64_t value = held ? request_value(call, array, i) : 0;
		const uint32_t *link = value ? link_to(call, value, place) : NULL;
		room->at[i] =
			link && table->request[*link - 1].place == mpi_place(place) ? *link : 0;
		if (room->at[i])
			table->request[room->at[i] - 1].taken = ticket;
	}
	for (size_t i = 0; held && i < room->count; i++) {
		uint64_t value = room->at[i] ? 0 : request_value(call, array, i);
		if (value)
			room->at[i] = take_oldest(call, value, ticket);
	}
	if (held)
		table_release();
}

/* Count, requests, ... */
static struct room *many_begin(struct library_call *call)
{
	int32_t count = given_int(call, 0);
	const char *array = given_pointer(call, 1);
	call->kept[0] = 0;
	if (count <= 0 || !array)
		return NULL;
	struct room *room = room_take((uint64_t)count);
	if (!room) {
		loss_count(LOSS_UNTRACKED, 1);
		return NULL;
	}
	room->count = (uint64_t)count;
	many_find(call, room, array);
	call->kept[0] = mpi_place(room);
	return room;
}

void before_mpi_wait_many(struct library_call *call)
{
	unsigned last = call->row->arguments - 1u;
	struct room *room = many_begin(call);
	if (room && mpi_status_ignored(call, call->given[last]))
		call->given[last] = mpi_place(room_statuses(room, room->count));
}

struct done {
	uint32_t at; /* in the table */
	const void *status;
};

static struct room *room_of(const struct library_call *call)
{
	return (struct room *)(uintptr_t)call->kept[0];
}

static const void *status_at(const struct library_call *call, size_t i)
{
	const char *statuses = given_pointer(call, call->row->arguments - 1u);
	return mpi_status_ignored(call, mpi_place(statuses)) ? NULL
							     : statuses + i * mpi_status_size(call);
}

static bool is_true(const struct library_call *call, unsigned argument)
{
	const int32_t *flag = given_pointer(call, argument);
	return flag && *flag;
}

/* The i-th request that the call has completed; false: there are no more. Of a call that failed, those that MPI has set to
 * null. */
static bool completed(const struct library_call *call, size_t i, struct done *done)
{
	const struct room *room;
	const int32_t *indices;
	int32_t index;
	bool failed = (int32_t)call->result != 0;
	*done = (struct done){0};
	switch (call->row->id) {
	case CALL_MPI_Wait:
	case CALL_MPI_Test:
		*done = (struct done){(uint32_t)call->kept[0], status_at(call, 0)};
		return i == 0 && !failed && (call->row->id == CALL_MPI_Wait || is_true(call, 1));
	case CALL_MPI_Waitall:
	case CALL_MPI_Testall:
		room = room_of(call);
		if (!room || i >= room->count)
			return false;
		if (call->row->id == CALL_MPI_Testall && (failed || !is_true(call, 2)))
			return false;
		if (failed && request_value(call, given_pointer(call, 1), i) ==
				      (room->at[i] ? table->request[room->at[i] - 1].value : 0))
			return true;
		*done = (struct done){room->at[i], status_at(call, i)};
		return true;
	case CALL_MPI_Waitany:
	case CALL_MPI_Testany:
		room = room_of(call);
		indices = given_pointer(call, 2);
		if (i || failed || !room || !indices ||
		    (call->row->id == CALL_MPI_Testany && !is_true(call, 3)))
			return false;
		index = indices[0];
		if (index < 0 || (uint64_t)index >= room->count)
			return false;
		*done = (struct done){room->at[index], status_at(call, 0)};
		return true;
	case CALL_MPI_Waitsome:
	case CALL_MPI_Testsome:
		room = room_of(call);
		indices = given_pointer(call, 3);
		if (failed || !room || !indices || !given_pointer(call, 2) ||
		    (int64_t)i >= *(const int32_t *)given_pointer(call, 2))
			return false;
		index = indices[i];
		if (index >= 0 && (uint64_t)index < room->count)
			*done = (struct done){room->at[index], status_at(call, i)};
		return true;
	default:
		return false;
	}
}

enum { COMPLETION_DONE, COMPLETION_CANCELLED };

INNER void inner_completion(const struct library_call *call, const struct done *done)
{
	struct thread *self = wrap_enter();
	if (!self)
		return;
	const struct request *request = &table->request[done->at - 1];
	struct mpi_status status = mpi_status_read(call, done->status);
	uint64_t bytes = request->bytes;
	int32_t peer = request->peer, tag = request->tag;
	unsigned how = request->how & ~(unsigned)REQUEST_PERSISTENT;
	if (how == REQUEST_RECEIVE || how == REQUEST_BOTH) {
		peer = status.source;
		tag = status.tag;
	}
	if (how == REQUEST_RECEIVE || how == REQUEST_FILE)
		bytes = status.bytes;
	if (how == REQUEST_BOTH)
		bytes += status.bytes;
	bool cancelled = request->cancel && status.cancelled;
	uint64_t words[] = {request->number, (uint64_t)(int64_t)peer, (uint64_t)(int64_t)tag,
			    cancelled ? COMPLETION_CANCELLED : COMPLETION_DONE};
	_Static_assert(WORDS_mpi_completion == 4, "a completion has four words");
	inner_tell(self, CALL_mpi_completion, words, WORDS_mpi_completion,
		   cancelled ? 0 : (int64_t)bytes);
}

static bool is_active(uint32_t at)
{
	return at && table->request[at - 1].active;
}

void returned_mpi_wait(struct library_call *call)
{
	struct done done;
	for (size_t i = 0; !call->hidden && completed(call, i, &done); i++)
		if (is_active(done.at))
			inner_completion(call, &done);
}

void after_mpi_wait(struct library_call *call)
{
	struct done done;
	for (size_t i = 0; completed(call, i, &done); i++) {
		if (!is_active(done.at))
			continue;
		if (table->request[done.at - 1].how & REQUEST_PERSISTENT)
			table->request[done.at - 1].active = false;
		else
			request_forget(call, done.at);
	}
	if (call->row->id != CALL_MPI_Wait && call->row->id != CALL_MPI_Test && room_of(call))
		room_give(room_of(call));
}
