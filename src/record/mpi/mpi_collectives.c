/* Record: how many bytes each rank contributes to a collective. See mpi_hooks.h, and calls/mpi.calls for what is counted.
 *
 * Only arguments that are significant on this rank are read: MPI allows any value for the others.
 */
#include "call_ids.h"
#include "record/library/library_ops.h"
#include "record/mpi/mpi_hooks.h"
#include "record/wrap.h"

/* Each collective has eight ids; blocking, non-blocking and persistent ones have the same first arguments. */
enum { IDS_EACH = 8, COUNTS_SHOWN = 32 };

enum shape {
	SHAPE_NONE,
	SHAPE_BUFFER_ROOT,   /* buffer, count, type, root, comm */
	SHAPE_SEND,	     /* sendbuf, count, type, recvbuf, count, type, [root,] comm */
	SHAPE_SEND_RECEIVES, /* sendbuf, count, type, recvbuf, counts, displs, type, [root,] comm */
	SHAPE_SENDS_RECEIVE, /* sendbuf, counts, displs, type, recvbuf, count, type, root, comm */
	SHAPE_SENDS,  /* sendbuf, counts, displs, type(s), recvbuf, counts, displs, type(s), comm */
	SHAPE_REDUCE, /* sendbuf, recvbuf, count(s), type, op, [root,] comm */
};

enum many { ONCE, FOR_ALL, FOR_NEIGHBOURS };

struct collective {
	uint16_t id;
	uint8_t shape;
	uint8_t many; /* how often the count is sent, or how long the arrays of counts are */
	uint8_t root; /* number of the argument; 0: none */
	uint8_t comm;
	bool root_only; /* only the root contributes */
	bool counts;	/* the count of a reduction is an array */
	bool types;	/* the type is an array */
};

static const struct collective collectives[] = {
	{CALL_MPI_Barrier, SHAPE_NONE, ONCE, 0, 0, false, false, false},
	{CALL_MPI_Bcast, SHAPE_BUFFER_ROOT, ONCE, 3, 4, true, false, false},
	{CALL_MPI_Gather, SHAPE_SEND, ONCE, 6, 7, false, false, false},
	{CALL_MPI_Gatherv, SHAPE_SEND_RECEIVES, ONCE, 7, 8, false, false, false},
	{CALL_MPI_Scatter, SHAPE_SEND, FOR_ALL, 6, 7, true, false, false},
	{CALL_MPI_Scatterv, SHAPE_SENDS_RECEIVE, FOR_ALL, 7, 8, true, false, false},
	{CALL_MPI_Allgather, SHAPE_SEND, ONCE, 0, 6, false, false, false},
	{CALL_MPI_Allgatherv, SHAPE_SEND_RECEIVES, ONCE, 0, 7, false, false, false},
	{CALL_MPI_Alltoall, SHAPE_SEND, FOR_ALL, 0, 6, false, false, false},
	{CALL_MPI_Alltoallv, SHAPE_SENDS, FOR_ALL, 0, 8, false, false, false},
	{CALL_MPI_Alltoallw, SHAPE_SENDS, FOR_ALL, 0, 8, false, false, true},
	{CALL_MPI_Reduce, SHAPE_REDUCE, ONCE, 5, 6, false, false, false},
	{CALL_MPI_Allreduce, SHAPE_REDUCE, ONCE, 0, 5, false, false, false},
	{CALL_MPI_Scan, SHAPE_REDUCE, ONCE, 0, 5, false, false, false},
	{CALL_MPI_Exscan, SHAPE_REDUCE, ONCE, 0, 5, false, false, false},
	{CALL_MPI_Reduce_scatter, SHAPE_REDUCE, FOR_ALL, 0, 5, false, true, false},
	{CALL_MPI_Reduce_scatter_block, SHAPE_REDUCE, FOR_ALL, 0, 5, false, false, false},
	{CALL_MPI_Neighbor_allgather, SHAPE_SEND, ONCE, 0, 6, false, false, false},
	{CALL_MPI_Neighbor_allgatherv, SHAPE_SEND_RECEIVES, FOR_NEIGHBOURS, 0, 7, false, false,
	 false},
	{CALL_MPI_Neighbor_alltoall, SHAPE_SEND, FOR_NEIGHBOURS, 0, 6, false, false, false},
	{CALL_MPI_Neighbor_alltoallv, SHAPE_SENDS, FOR_NEIGHBOURS, 0, 8, false, false, false},
	{CALL_MPI_Neighbor_alltoallw, SHAPE_SENDS, FOR_NEIGHBOURS, 0, 8, false, false, true},
};

static const struct collective *collective_of(const struct library_call *call)
{
	unsigned number = (call->row->id - (unsigned)CALL_MPI_Barrier) / IDS_EACH;
	const struct collective *found = &collectives[number];
	return number < sizeof collectives / sizeof collectives[0] &&
			       call->row->id - found->id < IDS_EACH
		       ? found
		       : NULL;
}

/* From how many ranks a rank receives, and to how many it sends. */
struct partners {
	int in;
	int out;
	bool inter;
};

static void neighbours_ask(const struct library_call *call, uint64_t comm, struct partners *found)
{
	int topology = 0, weighted, rank = 0;
	if (!mpi_ask(call, ASK_TOPOLOGY, comm, mpi_place(&topology), 0, 0, 0))
		return;
	int cart = mpi_wide(call) ? 1 : 2, graph = mpi_wide(call) ? 2 : 1;
	if (topology == cart) {
		int dimensions = 0;
		mpi_ask(call, ASK_CART_DIMENSIONS, comm, mpi_place(&dimensions), 0, 0, 0);
		found->in = found->out = 2 * dimensions;
	} else if (topology == graph) {
		if (mpi_ask(call, ASK_COMM_RANK, comm, mpi_place(&rank), 0, 0, 0))
			mpi_ask(call, ASK_GRAPH_NEIGHBOURS, comm, (uint64_t)rank,
				mpi_place(&found->in), 0, 0);
		found->out = found->in;
	} else {
		mpi_ask(call, ASK_DIST_GRAPH_NEIGHBOURS, comm, mpi_place(&found->in),
			mpi_place(&found->out), mpi_place(&weighted), 0);
	}
}

static struct partners partners_of(const struct library_call *call, const struct collective *what)
{
	struct partners found = {0};
	uint64_t comm = call->given[what->comm];
	int inter = 0;
	if (what->many == FOR_NEIGHBOURS) {
		neighbours_ask(call, comm, &found);
		return found;
	}
	mpi_ask(call, ASK_COMM_INTER, comm, mpi_place(&inter), 0, 0, 0);
	/* A reduction with scatter scatters in the rank's own group. */
	bool remote = inter && what->shape != SHAPE_REDUCE;
	mpi_ask(call, remote ? ASK_COMM_REMOTE_SIZE : ASK_COMM_SIZE, comm, mpi_place(&found.out), 0,
		0, 0);
	found.in = found.out;
	found.inter = inter;
	return found;
}

/* Whether this rank is the root, which passes a constant in an intercommunicator. */
static bool is_root(const struct library_call *call, const struct collective *what, bool inter)
{
	int rank = -1;
	int32_t root = given_int(call, what->root);
	if (inter)
		return mpi_peer(call, root) == -3;
	return mpi_ask(call, ASK_COMM_RANK, call->given[what->comm], mpi_place(&rank), 0, 0, 0) &&
	       rank == root;
}

static int rank_in(const struct library_call *call, const struct collective *what)
{
	int rank = 0;
	mpi_ask(call, ASK_COMM_RANK, call->given[what->comm], mpi_place(&rank), 0, 0, 0);
	return rank;
}

static uint64_t counts_note(const struct library_call *call, unsigned argument, int count)
{
	char text[COUNTS_SHOWN * 21 + 16];
	const char *end = text + sizeof text;
	char *at = text_add(text, end, "[");
	for (int i = 0; i < count; i++) {
		at = text_add(at, end, i ? "," : "");
		if (i == COUNTS_SHOWN) {
			at = text_add(at, end, "...");
			break;
		}
		at = text_add_number(at, end, mpi_count_at(call, argument, (size_t)i));
	}
	at = text_add(at, end, "]");
	return mpi_note(call, text, (size_t)(at - text));
}

/* The bytes of an array of counts, with one type for all or one for each. */
static uint64_t counts_bytes(const struct library_call *call, const struct collective *what,
			     unsigned counts, unsigned type, int number)
{
	uint64_t sum = 0;
	for (int i = 0; i < number; i++) {
		uint64_t count = mpi_count_at(call, counts, (size_t)i);
		if (what->types && count)
			count *= mpi_type_size(call, entity_value_at(call, FAMILY_DATATYPE,
								     given_pointer(call, type),
								     (size_t)i));
		sum += count;
	}
	return what->types || !sum ? sum : sum * mpi_type_size(call, call->given[type]);
}

static uint64_t bytes_sent(struct library_call *call, const struct collective *what, bool root,
			   const struct partners *with)
{
	bool place = mpi_in_place(call, 0);
	uint64_t each = what->many == ONCE ? 1 : (uint64_t)with->out;
	switch ((enum shape)what->shape) {
	case SHAPE_BUFFER_ROOT:
		return mpi_bytes(call, 1);
	case SHAPE_SEND:
		return mpi_bytes(call, place ? 4 : 1) * each;
	case SHAPE_SEND_RECEIVES:
		if (root || !what->root)
			call->added[1] = counts_note(call, 4, with->in);
		if (!place)
			return mpi_bytes(call, 1);
		return mpi_count_at(call, 4, (size_t)rank_in(call, what)) *
		       mpi_type_size(call, call->given[6]);
	case SHAPE_SENDS_RECEIVE:
		call->added[1] = counts_note(call, 1, with->out);
		return counts_bytes(call, what, 1, 3, with->out);
	case SHAPE_SENDS:
		call->added[2] = counts_note(call, 5, with->in);
		if (!place) {
			call->added[1] = counts_note(call, 1, with->out);
			return counts_bytes(call, what, 1, 3, with->out);
		}
		return counts_bytes(call, what, 5, 7, with->in);
	case SHAPE_REDUCE:
		if (!what->counts)
			return mpi_bytes(call, 2) * each;
		call->added[1] = counts_note(call, 2, with->out);
		return counts_bytes(call, what, 2, 3, with->out);
	case SHAPE_NONE:
		break;
	}
	return 0;
}

/* Stores the bytes that this rank contributes, and its arrays of counts as texts. */
static void contribution_store(struct library_call *call)
{
	const struct collective *what = collective_of(call);
	if (!what || what->shape == SHAPE_NONE)
		return;
	struct partners with = partners_of(call, what);
	bool root = what->root && is_root(call, what, with.inter);
	int32_t given = what->root ? mpi_peer(call, given_int(call, what->root)) : 0;
	if (what->root_only && !root)
		return;
	/* In an intercommunicator the root only receives, and the other ranks of its group do nothing. */
	if (what->root && with.inter && !what->root_only && (root || given == PEER_NOBODY))
		return;
	/* With MPI_IN_PLACE in a gather, ranks other than the root still have their own buffers; the root's part is in the
	 * result. */
	call->added[0] = bytes_sent(call, what, root, &with);
}

void after_mpi_collective(struct library_call *call)
{
	if (!call->failed)
		contribution_store(call);
}

void after_mpi_start_collective(struct library_call *call)
{
	if (call->failed)
		return;
	contribution_store(call);
	mpi_request_new(call, REQUEST_OTHER, call->added[0], PEER_NOBODY, TAG_ANY);
}

void after_mpi_persist_collective(struct library_call *call)
{
	if (call->failed)
		return;
	contribution_store(call);
	mpi_request_new(call, REQUEST_OTHER | REQUEST_PERSISTENT, call->added[0], PEER_NOBODY,
			TAG_ANY);
}
