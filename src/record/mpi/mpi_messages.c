/* Record: start and end of MPI; messages that the call itself sends and receives. See mpi_hooks.h, library_ops.h.
 *
 * If the program passes MPI_STATUS_IGNORE to a receive, the recorder passes its own status to MPI, because sender, tag and length
 * of the message would not be known otherwise.
 */
#include "record/library/library_ops.h"
#include "record/mpi/mpi_hooks.h"
#include "record/mpi/rank.h"
#include "record/wrap.h"

#include <string.h>

enum { LIBRARIES_MOST = 128 };

/* Whether functions of a library may be called. If the start of MPI was not recorded (sessions, another thread), MPI is asked each
 * time. */
enum { STATE_UNKNOWN, STATE_RUNNING, STATE_ENDED };
static uint8_t states[LIBRARIES_MOST];

struct asked {
	const char *name;
	struct library_name cache;
};

static struct asked functions[ASK_COUNT] = {
	[ASK_INITIALIZED] = {"PMPI_Initialized", {{0}}},
	[ASK_FINALIZED] = {"PMPI_Finalized", {{0}}},
	[ASK_TYPE_SIZE] = {"PMPI_Type_size", {{0}}},
	[ASK_TYPE_SIZE_X] = {"PMPI_Type_size_x", {{0}}},
	[ASK_TYPE_EXTENT] = {"PMPI_Type_get_extent", {{0}}},
	[ASK_TYPE_TRUE_EXTENT] = {"PMPI_Type_get_true_extent", {{0}}},
	[ASK_TYPE_NAME] = {"PMPI_Type_get_name", {{0}}},
	[ASK_COMM_SIZE] = {"PMPI_Comm_size", {{0}}},
	[ASK_COMM_RANK] = {"PMPI_Comm_rank", {{0}}},
	[ASK_COMM_INTER] = {"PMPI_Comm_test_inter", {{0}}},
	[ASK_COMM_REMOTE_SIZE] = {"PMPI_Comm_remote_size", {{0}}},
	[ASK_COMM_GROUP] = {"PMPI_Comm_group", {{0}}},
	[ASK_COMM_REMOTE_GROUP] = {"PMPI_Comm_remote_group", {{0}}},
	[ASK_GROUP_SIZE] = {"PMPI_Group_size", {{0}}},
	[ASK_GROUP_RANKS] = {"PMPI_Group_translate_ranks", {{0}}},
	[ASK_GROUP_FREE] = {"PMPI_Group_free", {{0}}},
	[ASK_TOPOLOGY] = {"PMPI_Topo_test", {{0}}},
	[ASK_CART_DIMENSIONS] = {"PMPI_Cartdim_get", {{0}}},
	[ASK_GRAPH_NEIGHBOURS] = {"PMPI_Graph_neighbors_count", {{0}}},
	[ASK_DIST_GRAPH_NEIGHBOURS] = {"PMPI_Dist_graph_neighbors_count", {{0}}},
	[ASK_INFO_KEYS] = {"PMPI_Info_get_nkeys", {{0}}},
	[ASK_INFO_KEY] = {"PMPI_Info_get_nthkey", {{0}}},
	[ASK_INFO_LENGTH] = {"PMPI_Info_get_valuelen", {{0}}},
	[ASK_INFO_VALUE] = {"PMPI_Info_get", {{0}}},
	[ASK_INFO_FREE] = {"PMPI_Info_free", {{0}}},
	[ASK_FILE_INFO] = {"PMPI_File_get_info", {{0}}},
};

/* Handles are passed as words; a function ignores words beyond its parameters. */
typedef int mpi_function(uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t e);

static bool messages_ask(const struct library_call *call, enum mpi_asked which, uint64_t a,
			 uint64_t b, uint64_t c, uint64_t d, uint64_t e)
{
	mpi_function *function =
		library_function(call, &functions[which].cache, functions[which].name);
	return function && function(a, b, c, d, e) == 0;
}

static uint8_t *state_of(const struct library_call *call)
{
	return call->library->number < LIBRARIES_MOST ? &states[call->library->number] : NULL;
}

bool mpi_running(const struct library_call *call)
{
	const uint8_t *state = state_of(call);
	if (state && LIKELY(*state != STATE_UNKNOWN))
		return *state == STATE_RUNNING;
	int begun = 0, ended = 0;
	return messages_ask(call, ASK_INITIALIZED, mpi_place(&begun), 0, 0, 0, 0) && begun &&
	       messages_ask(call, ASK_FINALIZED, mpi_place(&ended), 0, 0, 0, 0) && !ended;
}

bool mpi_ask(const struct library_call *call, enum mpi_asked which, uint64_t a, uint64_t b,
	     uint64_t c, uint64_t d, uint64_t e)
{
	return mpi_running(call) && messages_ask(call, which, a, b, c, d, e);
}

int32_t mpi_peer(const struct library_call *call, int32_t rank)
{
	if (rank >= 0)
		return rank;
	if (mpi_wide(call))
		return rank == -4 ? -3 : rank;
	return rank == -1 ? -2 : rank == -2 ? -1 : rank;
}

bool mpi_status_ignored(const struct library_call *call, uint64_t given)
{
	return given == (mpi_wide(call) ? 0 : 1);
}

static bool status_there(const struct library_call *call, const void *status)
{
	return status == call->kept || (mpi_place(status) > 1 &&
					memory_readable(call->self, status, mpi_status_size(call)));
}

uint64_t mpi_status_bytes(const struct library_call *call, const void *status)
{
	const int32_t *part = status;
	uint64_t bytes = 0;
	if (!status_there(call, status))
		return 0;
	if (mpi_wide(call))
		memcpy(&bytes, &part[4], sizeof bytes);
	else
		bytes = (uint64_t)((uint32_t)part[1] >> 1) << 32 | (uint32_t)part[0];
	return bytes >> 62 ? 0 : bytes;
}

struct mpi_status mpi_status_read(const struct library_call *call, const void *status)
{
	const int32_t *part = status;
	bool wide = mpi_wide(call);
	if (!status_there(call, status))
		return (struct mpi_status){0};
	return (struct mpi_status){
		.bytes = mpi_status_bytes(call, status),
		.source = mpi_peer(call, part[wide ? 0 : 2]),
		.tag = part[wide ? 1 : 3],
		.error = part[wide ? 2 : 4],
		.cancelled = wide ? part[3] != 0 : part[1] & 1,
	};
}

bool mpi_large(const struct library_call *call)
{
	const char *name = library_names + library_symbols[call->symbol].name;
	size_t length = strlen(name);
	return name[length - 2] == '_' && name[length - 1] == 'c';
}

uint64_t mpi_count(const struct library_call *call, unsigned argument)
{
	int64_t count =
		mpi_large(call) ? (int64_t)call->given[argument] : given_int(call, argument);
	return count < 0 ? 0 : (uint64_t)count;
}

uint64_t mpi_count_at(const struct library_call *call, unsigned argument, size_t at)
{
	bool large = mpi_large(call);
	const char *place = (const char *)given_pointer(call, argument) + at * (large ? 8 : 4);
	if (mpi_place(place) < 4096 || !memory_readable(call->self, place, large ? 8 : 4))
		return 0;
	int32_t narrow;
	int64_t count;
	if (large)
		memcpy(&count, place, sizeof count);
	else
		memcpy(&narrow, place, sizeof narrow);
	count = large ? count : narrow;
	return count < 0 ? 0 : (uint64_t)count;
}

uint64_t mpi_note(const struct library_call *call, const char *text, size_t length)
{
	return call->hidden || !length
		       ? 0
		       : name_define(call->self, text, length, VARVE_BASE_NONE, 0, 0);
}

void after_mpi_init(struct library_call *call)
{
	uint8_t *state = state_of(call);
	if (call->failed || !state)
		return;
	__atomic_store_n(state, STATE_RUNNING, __ATOMIC_RELEASE);
	mpi_names_learn(call);
	int rank = 0, size = 0;
	uint64_t world = mpi_world(call);
	if (world && mpi_ask(call, ASK_COMM_RANK, world, mpi_place(&rank), 0, 0, 0) &&
	    mpi_ask(call, ASK_COMM_SIZE, world, mpi_place(&size), 0, 0, 0)) {
		call->added[0] = (uint64_t)rank;
		call->added[1] = (uint64_t)size;
		rank_confirm(rank, size);
		mpi_clocks(call, rank, size);
	}
}

/* Set even if the call fails: no call is safe from here on. */
void before_mpi_finalize(struct library_call *call)
{
	uint8_t *state = state_of(call);
	if (state)
		__atomic_store_n(state, STATE_ENDED, __ATOMIC_RELEASE);
}

/* Sends have buffer, count and datatype as their first arguments, in all modes. */
void after_mpi_send(struct library_call *call)
{
	if (!call->failed && mpi_peer(call, given_int(call, 3)) != PEER_NOBODY)
		call->added[0] = mpi_bytes(call, 1);
}

/* The status is the last argument of all functions that receive or probe. */
void before_mpi_receive(struct library_call *call)
{
	unsigned last = call->row->arguments - 1u;
	if (!mpi_status_ignored(call, call->given[last]))
		return;
	_Static_assert(sizeof call->kept >= MPI_STATUS, "there is room for a status");
	call->given[last] = mpi_place(call->kept);
}

static struct mpi_status status_received(const struct library_call *call)
{
	return mpi_status_read(call, given_pointer(call, call->row->arguments - 1u));
}

static void received_store(struct library_call *call, const struct mpi_status *status)
{
	call->added[0] = (uint64_t)(int64_t)status->source;
	call->added[1] = (uint64_t)(int64_t)status->tag;
	call->added[2] = status->bytes;
}

void after_mpi_receive(struct library_call *call)
{
	if (call->failed)
		return;
	struct mpi_status status = status_received(call);
	received_store(call, &status);
}

void after_mpi_iprobe(struct library_call *call)
{
	const int32_t *flag = given_pointer(call, 3);
	if (!call->failed && flag && *flag)
		after_mpi_receive(call);
	else
		call->added[0] = (uint64_t)(int64_t)PEER_NOBODY;
}

void after_mpi_send_receive(struct library_call *call)
{
	if (call->failed)
		return;
	struct mpi_status status = status_received(call);
	received_store(call, &status);
	call->added[3] = status.bytes;
	if (mpi_peer(call, given_int(call, 3)) != PEER_NOBODY)
		call->added[3] += mpi_bytes(call, 1);
}
