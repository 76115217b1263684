/* Record: requests of MPI: numbers in order of creation, and a record for each completion. See mpi_hooks.h, mpi_requests.h.
 *
 * A request is read before the call that may complete it, because that call sets it to null. If the program ignores statuses, the
 * recorder passes its own to MPI.
 */
#include "record/inner.h"
#include "record/library/library_ops.h"
#include "record/library/table_lock.h"
#include "record/mpi/mpi_hooks.h"
#include "record/mpi/mpi_requests.h"

#include <string.h>

/* Rooms for the statuses of a call. */
enum { ROOM_REQUESTS = 64, ROOMS = 64 };

static uint32_t tickets;

static uint64_t request_value(const struct library_call *call, const void *pointer, size_t at)
{
	return entity_value_at(call, FAMILY_REQUEST, pointer, at);
}

static struct mpi_request_key request_key_at(const struct library_call *call, uint64_t value,
					     const void *place)
{
	return (struct mpi_request_key){value, mpi_place(place), call->library->number};
}

/* The key of an element of an array. */
static struct mpi_request_key key_at(const struct library_call *call, const void *array, size_t at)
{
	const char *place = (const char *)array + at * (mpi_wide(call) ? 8 : 4);
	return request_key_at(call, request_value(call, array, at), place);
}

static struct mpi_request mpi_request_made(const struct library_call *call, unsigned how,
					   uint64_t bytes, int32_t peer, int32_t tag)
{
	const void *place = given_pointer(call, call->row->arguments - 1u);
	return (struct mpi_request){
		.value = request_value(call, place, 0),
		.place = mpi_place(place),
		.bytes = bytes,
		.library = call->library->number,
		.peer = peer,
		.tag = tag,
		.how = (uint8_t)how,
		.active = !(how & REQUEST_PERSISTENT),
	};
}

void mpi_request_new(const struct library_call *call, unsigned how, uint64_t bytes, int32_t peer,
		     int32_t tag)
{
	struct mpi_request made = mpi_request_made(call, how, bytes, peer, tag);
	if (made.value)
		mpi_request_add(&made);
}

void mpi_file_request_new(const struct library_call *call, enum direction direction, uint64_t bytes)
{
	struct mpi_request made = mpi_request_made(call, REQUEST_FILE, bytes, PEER_NOBODY, TAG_ANY);
	made.direction = (uint8_t)direction;
	made.file = entity_value(call, FAMILY_MPI_FILE, call->given[0]);
	if (made.value)
		mpi_request_add(&made);
}

static uint32_t found_at(const struct library_call *call, const void *array, size_t at)
{
	struct mpi_request_key key = key_at(call, array, at);
	return mpi_request_find(&key);
}

uint32_t mpi_request_number(const struct library_call *call, uint64_t value, const void *place)
{
	struct mpi_request_key key = request_key_at(call, value, place);
	uint32_t at = mpi_request_find(&key);
	return at ? mpi_request_by(at)->number : 0;
}

/* ---- start of requests */

static void request_started(struct library_call *call, unsigned how, uint64_t bytes, unsigned peer,
			    unsigned tag)
{
	call->added[0] = bytes;
	mpi_request_new(call, how, bytes, mpi_peer(call, given_int(call, peer)),
			given_int(call, tag));
}

/* The bytes of a send; 0 if it is to MPI_PROC_NULL. */
static uint64_t bytes_to(const struct library_call *call, unsigned count, unsigned peer)
{
	return mpi_peer(call, given_int(call, peer)) == PEER_NOBODY ? 0 : mpi_bytes(call, count);
}

void after_mpi_start_send(struct library_call *call)
{
	if (!call->failed)
		request_started(call, REQUEST_OTHER, bytes_to(call, 1, 3), 3, 4);
}

void after_mpi_start_receive(struct library_call *call)
{
	if (call->failed)
		return;
	if (call->row->id != CALL_MPI_Imrecv && call->row->id != CALL_MPI_Imrecv_c) {
		request_started(call, REQUEST_RECEIVE, mpi_bytes(call, 1), 3, 4);
		return;
	}
	call->added[0] = mpi_bytes(call, 1);
	mpi_request_new(call, REQUEST_RECEIVE, call->added[0], PEER_NOBODY, TAG_ANY);
}

/* Source and tag of the receive are arguments 8 and 9 of Isendrecv, 5 and 6 of Isendrecv_replace. */
void after_mpi_start_send_receive(struct library_call *call)
{
	bool replace = call->row->arguments < 10;
	if (!call->failed)
		request_started(call, REQUEST_BOTH, bytes_to(call, 1, 3), replace ? 5 : 8,
				replace ? 6 : 9);
}

void after_mpi_start_other(struct library_call *call)
{
	if (!call->failed)
		mpi_request_new(call, REQUEST_OTHER, 0, PEER_NOBODY, TAG_ANY);
}

void after_mpi_persist_send(struct library_call *call)
{
	if (!call->failed)
		request_started(call, REQUEST_OTHER | REQUEST_PERSISTENT, bytes_to(call, 1, 3), 3,
				4);
}

void after_mpi_persist_receive(struct library_call *call)
{
	if (!call->failed)
		request_started(call, REQUEST_RECEIVE | REQUEST_PERSISTENT, mpi_bytes(call, 1), 3,
				4);
}

/* The bytes of all partitions; the number of elements in each is an MPI_Count in all MPI libraries. */
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
		request_started(call, REQUEST_OTHER | REQUEST_PERSISTENT, bytes_of_parts(call), 4,
				5);
}

static void request_restarted(const struct library_call *call, const void *array, size_t at)
{
	uint32_t found = found_at(call, array, at);
	if (found)
		mpi_request_by(found)->active = true;
}

void after_mpi_restart(struct library_call *call)
{
	if (!call->failed)
		request_restarted(call, given_pointer(call, 0), 0);
}

void after_mpi_restart_all(struct library_call *call)
{
	for (int32_t i = 0; !call->failed && i < given_int(call, 0); i++)
		request_restarted(call, given_pointer(call, 1), (size_t)i);
}

void after_mpi_cancel(struct library_call *call)
{
	uint32_t found = found_at(call, given_pointer(call, 0), 0);
	if (!call->failed && found)
		mpi_request_by(found)->cancel = true;
}

void before_mpi_request_free(struct library_call *call)
{
	call->kept[0] = found_at(call, given_pointer(call, 0), 0);
}

void after_mpi_request_free(struct library_call *call)
{
	if (!call->failed && call->kept[0])
		mpi_request_forget((uint32_t)call->kept[0]);
}

/* ---- completion of requests
 *
 * kept[0]: for a call on one request, its place in the table; for a call on many, the address of its room. */

/* Data of a call on many requests while it runs. */
struct room {
	struct room *next; /* next free room */
	uint64_t size;	   /* of a room that was mapped for this call; 0: it is in the pool */
	uint64_t count;
	uint32_t
		at[]; /* places of the requests; behind them statuses if the program ignores them */
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
	if (!table_lock_with(TABLE_ROOMS, &rooms, (size_t)ROOMS * ROOM_SIZE))
		return NULL;
	if (rooms_free) {
		room = rooms_free;
		rooms_free = room->next;
	} else if (rooms_used < ROOMS) {
		room = (struct room *)(void *)(rooms + (size_t)rooms_used++ * ROOM_SIZE);
	}
	table_lock_end(TABLE_ROOMS);
	if (room)
		room->size = 0;
	return room;
}

_Static_assert(ROOM_SIZE % 8 == 0, "rooms of the pool are aligned");

static void status_room_give(struct room *room)
{
	if (room->size) {
		sys_munmap(room, room->size);
		return;
	}
	if (!table_lock(TABLE_ROOMS))
		return;
	room->next = rooms_free;
	rooms_free = room;
	table_lock_end(TABLE_ROOMS);
}

static void *room_statuses(struct room *room, uint64_t count)
{
	return (char *)room->at + (count * 4 + 7) / 8 * 8;
}

/* Arguments: request, [flag,] status. */
void before_mpi_wait(struct library_call *call)
{
	unsigned last = call->row->arguments - 1u;
	call->kept[0] = found_at(call, given_pointer(call, 0), 0);
	_Static_assert(sizeof call->kept >= 8 + MPI_STATUS, "there is room for a status");
	if (mpi_status_ignored(call, call->given[last]))
		call->given[last] = mpi_place(&call->kept[1]);
}

/* First takes the requests that are where they were made; the others are then taken by value in order of creation. */
static void many_find(const struct library_call *call, struct room *room, const char *array)
{
	uint32_t ticket = number_take(&tickets) + 1, from = 0;
	bool held = mpi_requests_begin();
	for (size_t i = 0; i < room->count; i++) {
		struct mpi_request_key key = key_at(call, array, i);
		room->at[i] = held ? mpi_request_take(&key, ticket) : 0;
	}
	for (size_t i = 0; held && i < room->count; i++) {
		struct mpi_request_key key = key_at(call, array, i);
		if (!room->at[i])
			room->at[i] = mpi_request_take_oldest(&key, ticket, &from);
	}
	if (held)
		mpi_requests_end();
}

/* For calls with arguments: count, requests, ... */
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
	uint32_t at; /* place in the table */
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

/* The i-th request that the call has completed; false: there are no more. If the call failed: those that MPI has set to null. */
static bool request_completed(const struct library_call *call, size_t i, struct done *done)
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
				      (room->at[i] ? mpi_request_by(room->at[i])->value : 0))
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
	const struct mpi_request *request = mpi_request_by(done->at);
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
	struct entity *file =
		request->file ? entity_find(call, FAMILY_MPI_FILE, request->file) : NULL;
	uint64_t words[] = {
		request->number,	 (uint64_t)(int64_t)peer,
		(uint64_t)(int64_t)tag,	 cancelled ? COMPLETION_CANCELLED : COMPLETION_DONE,
		word_entity(self, file), request->direction};
	_Static_assert(WORDS_mpi_completion == 6, "a completion has six words");
	inner_record(self, CALL_mpi_completion, words, WORDS_mpi_completion,
		     cancelled ? 0 : (int64_t)bytes);
}

static bool is_active(uint32_t at)
{
	return at && mpi_request_by(at)->active;
}

void returned_mpi_wait(struct library_call *call)
{
	struct done done;
	for (size_t i = 0; !call->hidden && request_completed(call, i, &done); i++)
		if (is_active(done.at))
			inner_completion(call, &done);
}

void after_mpi_wait(struct library_call *call)
{
	struct done done;
	for (size_t i = 0; request_completed(call, i, &done); i++) {
		if (!is_active(done.at))
			continue;
		if (mpi_request_by(done.at)->how & REQUEST_PERSISTENT)
			mpi_request_by(done.at)->active = false;
		else
			mpi_request_forget(done.at);
	}
	if (call->row->id != CALL_MPI_Wait && call->row->id != CALL_MPI_Test && room_of(call))
		status_room_give(room_of(call));
}
