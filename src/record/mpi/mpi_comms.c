/* Record: communicators, groups, windows and infos of MPI: their members and their contents. See mpi_hooks.h.
 *
 * Members are recorded as ranks in MPI_COMM_WORLD, which MPI translates locally. An entity is described when it is made and when it
 * changes.
 */
#include "call_ids.h"
#include "record/library/library_ops.h"
#include "record/mpi/mpi_hooks.h"
#include "record/wrap.h"

#include <string.h>

enum {
	RANKS_AT_ONCE = 128,
	KEY_ROOM = 256,
	VALUE_ROOM = 1040,
};

/* Writes ranks as ranges: first, last, distance. */
struct runs {
	char *at;
	const char *end;
	bool some;
	int64_t first;
	int64_t last;
	int64_t stride;
	int64_t count; /* ranks in the present range */
};

static void runs_number(struct runs *runs, int64_t rank)
{
	if (runs->some)
		runs->at = text_add(runs->at, runs->end, ",");
	runs->some = true;
	runs->at = rank < 0 ? text_add(runs->at, runs->end, "?")
			    : text_add_signed(runs->at, runs->end, rank);
}

static void runs_flush(struct runs *runs)
{
	bool run = runs->count > 2 || (runs->count == 2 && runs->stride == 1);
	if (!runs->count)
		return;
	runs_number(runs, runs->first);
	if (run) {
		runs->at = text_add(runs->at, runs->end, ":");
		runs->at = text_add_signed(runs->at, runs->end, runs->last);
		if (runs->stride != 1) {
			runs->at = text_add(runs->at, runs->end, ":");
			runs->at = text_add_signed(runs->at, runs->end, runs->stride);
		}
	} else if (runs->count == 2) {
		runs_number(runs, runs->last);
	}
	runs->count = 0;
}

static void runs_add(struct runs *runs, int64_t rank)
{
	if (runs->count == 1 && rank >= 0 && runs->first >= 0 && rank != runs->first) {
		runs->stride = rank - runs->first;
	} else if (runs->count >= 2 && rank >= 0 && rank == runs->last + runs->stride) {
		/* the range continues */
	} else if (runs->count == 2 && runs->stride != 1) {
		/* Two ranks are not a range: the second may begin one. */
		int64_t second = runs->last;
		runs->count = 1;
		runs_flush(runs);
		runs->first = runs->last = second;
		runs->count = 1;
		runs_add(runs, rank);
		return;
	} else {
		runs_flush(runs);
		runs->first = rank;
	}
	runs->last = rank;
	runs->count++;
}

/* `group` and `world` must be valid. */
static char *group_text(char *at, const char *end, const struct library_call *call, uint64_t group,
			uint64_t world)
{
	struct runs runs = {.at = at, .end = end};
	int size = 0, given[RANKS_AT_ONCE], translated[RANKS_AT_ONCE];
	if (!mpi_ask(call, ASK_GROUP_SIZE, group, mpi_place(&size), 0, 0, 0))
		return at;
	for (int first = 0; first < size && runs.at + 24 < end; first += RANKS_AT_ONCE) {
		int count = size - first < RANKS_AT_ONCE ? size - first : RANKS_AT_ONCE;
		for (int i = 0; i < count; i++)
			given[i] = first + i;
		if (!mpi_ask(call, ASK_GROUP_RANKS, group, (uint64_t)count, mpi_place(given), world,
			     mpi_place(translated)))
			break;
		for (int i = 0; i < count; i++)
			runs_add(&runs, translated[i]);
	}
	runs_flush(&runs);
	return runs.at;
}

/* A group for this call only; group_return() frees it. 0: none. */
static uint64_t group_borrow(const struct library_call *call, enum mpi_asked which, uint64_t comm)
{
	uint64_t group = 0;
	return mpi_ask(call, which, comm, mpi_place(&group), 0, 0, 0)
		       ? entity_value(call, FAMILY_GROUP, group)
		       : 0;
}

static void group_return(const struct library_call *call, uint64_t group)
{
	if (group)
		mpi_ask(call, ASK_GROUP_FREE, mpi_place(&group), 0, 0, 0, 0);
}

char *mpi_members(char *at, const char *end, const struct library_call *call, uint64_t comm)
{
	uint64_t all = mpi_world(call);
	uint64_t world = all ? group_borrow(call, ASK_COMM_GROUP, all) : 0;
	uint64_t group = world ? group_borrow(call, ASK_COMM_GROUP, comm) : 0;
	int inter = 0;
	if (group)
		at = group_text(at, end, call, group, world);
	if (group && mpi_ask(call, ASK_COMM_INTER, comm, mpi_place(&inter), 0, 0, 0) && inter) {
		uint64_t remote = group_borrow(call, ASK_COMM_REMOTE_GROUP, comm);
		at = text_add(at, end, " | ");
		if (remote)
			at = group_text(at, end, call, remote, world);
		group_return(call, remote);
	}
	group_return(call, group);
	group_return(call, world);
	return at;
}

/* Makes the entity of a handle that the call has stored through a pointer, with this description. A predefined handle keeps its
 * name. */
static struct entity *comm_made(struct library_call *call, enum family family,
				enum varve_handle_kind kind, unsigned argument, const char *text,
				size_t length, const struct entity *other)
{
	uint64_t value = entity_value_at(call, family, given_pointer(call, argument), 0);
	struct entity *entity;
	if (!value)
		return NULL;
	if (mpi_predefined(call, family, value)) {
		entity = entity_meet(call, family, value, kind);
		call->handle = entity ? entity->handle : 0;
		return NULL;
	}
	entity = entity_make(call, family, value, kind, text, length, other);
	return entity;
}

/* The argument that points to the new entity. */
static unsigned new_argument(const struct library_call *call)
{
	const struct library_step *step = &library_steps[call->row->steps];
	for (unsigned i = 0; i < call->row->step_count; i++, step++)
		if (step->store == STEP_ENTITY_NEW || step->store == STEP_ENTITY_OUTPUT)
			return step->argument;
	return 0;
}

/* The value that the call has stored there; 0: none, or the call failed. */
static uint64_t new_value(const struct library_call *call, enum family family, unsigned argument)
{
	return call->failed ? 0 : entity_value_at(call, family, given_pointer(call, argument), 0);
}

void after_comm_new(struct library_call *call)
{
	char text[ENTITY_TEXT];
	unsigned argument = new_argument(call);
	uint64_t comm = new_value(call, FAMILY_COMM, argument);
	if (!comm)
		return;
	char *at = text;
	if (!mpi_predefined(call, FAMILY_COMM, comm))
		at = mpi_members(text, text + sizeof text, call, comm);
	size_t length = (size_t)(at - text);
	if (comm_made(call, FAMILY_COMM, VARVE_HANDLE_COMM, argument, text, length, NULL) && length)
		call->added[0] = mpi_note(call, text, length);
}

/* The parent of a spawned process, which is always the same. */
void after_comm_get(struct library_call *call)
{
	uint64_t comm = new_value(call, FAMILY_COMM, 0);
	if (!comm || entity_find(call, FAMILY_COMM, comm))
		return;
	after_comm_new(call);
}

/* MPI must not be asked about the new communicator before its request is completed: its members are those of the original. */
void after_comm_start_new(struct library_call *call)
{
	const struct entity *from =
		entity_find(call, FAMILY_COMM, entity_value(call, FAMILY_COMM, call->given[0]));
	char text[ENTITY_TEXT];
	size_t length = 0;
	if (call->failed)
		return;
	if (from && from->length && from->length < sizeof text) {
		length = from->length;
		memcpy(text, from->text, length);
	}
	comm_made(call, FAMILY_COMM, VARVE_HANDLE_COMM, new_argument(call), text, length, NULL);
	mpi_request_new(call, REQUEST_OTHER, 0, PEER_NOBODY, TAG_ANY);
}

void after_comm_name(struct library_call *call)
{
	char text[ENTITY_TEXT];
	const char *end = text + sizeof text;
	struct entity *entity =
		call->failed ? NULL
			     : entity_find(call, FAMILY_COMM,
					   entity_value(call, FAMILY_COMM, call->given[0]));
	if (!entity)
		return;
	char *at = text_add(text, end, given_pointer(call, 1));
	at = text_add(at, end, ": ");
	at = mpi_members(at, end, call, call->given[0]);
	entity_text(call->self, entity, text, (size_t)(at - text));
}

/* Stores both ranks in their recorded form. */
void after_comm_shift(struct library_call *call)
{
	for (unsigned i = 0; i < 2 && !call->failed; i++) {
		const int32_t *rank = given_pointer(call, 3 + i);
		call->added[i] = rank ? (uint64_t)(int64_t)mpi_peer(call, *rank) : 0;
	}
}

void after_group_new(struct library_call *call)
{
	char text[ENTITY_TEXT];
	unsigned argument = new_argument(call);
	uint64_t group = new_value(call, FAMILY_GROUP, argument);
	uint64_t all = group ? mpi_world(call) : 0;
	if (!group)
		return;
	uint64_t world = all ? group_borrow(call, ASK_COMM_GROUP, all) : 0;
	char *at = text;
	if (world && !mpi_predefined(call, FAMILY_GROUP, group))
		at = group_text(text, text + sizeof text, call, group, world);
	group_return(call, world);
	comm_made(call, FAMILY_GROUP, VARVE_HANDLE_GROUP, argument, text, (size_t)(at - text),
		  NULL);
}

char *mpi_info_text(char *at, const char *end, const struct library_call *call, uint64_t info)
{
	int keys = 0;
	if (!mpi_ask(call, ASK_INFO_KEYS, info, mpi_place(&keys), 0, 0, 0))
		return at;
	for (int i = 0; i < keys && at + 2 < end; i++) {
		char key[KEY_ROOM] = "", value[VALUE_ROOM] = "";
		int length = 0, there = 0;
		if (!mpi_ask(call, ASK_INFO_KEY, info, (uint64_t)i, mpi_place(key), 0, 0))
			break;
		if (!mpi_ask(call, ASK_INFO_LENGTH, info, mpi_place(key), mpi_place(&length),
			     mpi_place(&there), 0) ||
		    !there)
			continue;
		if (length > VALUE_ROOM - 2)
			length = VALUE_ROOM - 2;
		mpi_ask(call, ASK_INFO_VALUE, info, mpi_place(key), (uint64_t)length,
			mpi_place(value), mpi_place(&there));
		at = text_add(at, end, i ? ", " : "");
		at = text_add(at, end, key);
		at = text_add(at, end, "=");
		at = text_add(at, end, value);
	}
	return at;
}

/* For MPI_Info_create, and calls that return an info with content. */
void after_info_get(struct library_call *call)
{
	char text[ENTITY_TEXT];
	unsigned argument = new_argument(call);
	uint64_t info = new_value(call, FAMILY_INFO, argument);
	if (!info)
		return;
	char *at = text;
	if (!mpi_predefined(call, FAMILY_INFO, info))
		at = mpi_info_text(text, text + sizeof text, call, info);
	comm_made(call, FAMILY_INFO, VARVE_HANDLE_INFO, argument, text, (size_t)(at - text), NULL);
}

void after_info_set(struct library_call *call)
{
	char text[ENTITY_TEXT];
	uint64_t info = entity_value(call, FAMILY_INFO, call->given[0]);
	if (call->failed || mpi_predefined(call, FAMILY_INFO, info))
		return;
	struct entity *entity = entity_meet(call, FAMILY_INFO, info, VARVE_HANDLE_INFO);
	char *at = mpi_info_text(text, text + sizeof text, call, info);
	if (entity)
		entity_text(call->self, entity, text, (size_t)(at - text));
}

static const char *window_made(uint16_t id)
{
	switch (id) {
	case CALL_MPI_Win_create:
	case CALL_MPI_Win_create_c:
		return "create";
	case CALL_MPI_Win_allocate:
	case CALL_MPI_Win_allocate_c:
		return "allocate";
	case CALL_MPI_Win_allocate_shared:
	case CALL_MPI_Win_allocate_shared_c:
		return "allocate_shared";
	default:
		return "dynamic";
	}
}

void after_win_new(struct library_call *call)
{
	char text[ENTITY_TEXT];
	const char *end = text + sizeof text;
	if (call->failed)
		return;
	uint16_t id = call->row->id;
	char *at = text_add(text, end, window_made(id));
	/* Arguments: (base, size, unit, info, comm, win), (size, unit, info, comm, base, win), (info, comm, win). */
	bool dynamic = id == CALL_MPI_Win_create_dynamic;
	bool created = id == CALL_MPI_Win_create || id == CALL_MPI_Win_create_c;
	unsigned comm = dynamic ? 1 : created ? 4 : 3;
	if (!dynamic) {
		at = text_add(at, end, " ");
		at = text_add_signed(at, end, (int64_t)call->given[created ? 1 : 0]);
		at = text_add(at, end, " bytes");
	}
	comm_made(
		call, FAMILY_WINDOW, VARVE_HANDLE_WINDOW, new_argument(call), text,
		(size_t)(at - text),
		entity_find(call, FAMILY_COMM, entity_value(call, FAMILY_COMM, call->given[comm])));
}

/* Origin address, count and datatype are the first arguments. */
void after_win_move(struct library_call *call)
{
	if (!call->failed && mpi_peer(call, given_int(call, 3)) != PEER_NOBODY)
		call->added[0] = mpi_bytes(call, 1);
}

static uint64_t fetched_bytes(const struct library_call *call)
{
	switch (call->row->id) {
	case CALL_MPI_Fetch_and_op:
		return mpi_type_size(call, call->given[2]);
	case CALL_MPI_Compare_and_swap:
		return mpi_type_size(call, call->given[3]);
	default:
		return mpi_bytes(call, 4);
	}
}

void after_win_fetch(struct library_call *call)
{
	if (!call->failed)
		call->added[0] = fetched_bytes(call);
}

void after_win_start(struct library_call *call)
{
	if (call->failed)
		return;
	bool both = call->row->id == CALL_MPI_Rget_accumulate ||
		    call->row->id == CALL_MPI_Rget_accumulate_c;
	uint64_t bytes = mpi_bytes(call, both ? 4 : 1);
	int32_t peer = mpi_peer(call, given_int(call, both ? 6 : 3));
	call->added[0] = peer == PEER_NOBODY ? 0 : bytes;
	mpi_request_new(call, REQUEST_OTHER, call->added[0], peer, TAG_ANY);
}
