/* Record: measures the differences between the clocks of hosts, after MPI has begun. Called by the hook of MPI_Init.
 *
 * Only in jobs that the launcher has spread over hosts, and whose ranks are all recorded. Ranks agree on this beforehand
 * (sink/run/agree.h), because an exchange that has begun must be completed: MPI libraries do not support giving up. The exchange
 * has its own communicator. The first rank of each host asks rank 0 for its time, several times; the shortest round counts. Without
 * a measurement, hosts are aligned by wall-clock time.
 */
#include "record/mpi/mpi_hooks.h"

#include "base/clock.h"
#include "base/sys.h"
#include "record/mpi/rank.h"

#include <string.h>

enum {
	ROUNDS = 16,
	TAG_ASK = 1,
	TAG_ANSWER = 2,
	MPICH_BYTE = 0x4c00010d,
	MPICH_ERRORS_RETURN = 0x54000001,
};

enum function { DUP, FREE, ALLGATHER, SEND, RECEIVE, SET_ERRHANDLER, PARENT, FUNCTIONS };
static const char *const names[FUNCTIONS] = {
	"PMPI_Comm_dup", "PMPI_Comm_free",	     "PMPI_Allgather",	    "PMPI_Send",
	"PMPI_Recv",	 "PMPI_Comm_set_errhandler", "PMPI_Comm_get_parent"};
static struct library_name found[FUNCTIONS];

typedef int mpi_function(uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t,
			 uint64_t);

struct exchange {
	mpi_function *function[FUNCTIONS];
	uint64_t comm;
	uint64_t byte;	   /* MPI_BYTE */
	uint64_t returned; /* MPI_ERRORS_RETURN */
	uint64_t status[4];
	int64_t time; /* the time that is sent or received */
	uint32_t own;
};

static bool exchange_prepare(struct exchange *exchange, const struct library_call *call)
{
	static struct library_name byte, errors;
	for (size_t i = 0; i < FUNCTIONS; i++) {
		exchange->function[i] =
			(mpi_function *)(uintptr_t)library_function(call, &found[i], names[i]);
		if (!exchange->function[i])
			return false;
	}
	exchange->byte = mpi_wide(call) ? mpi_place(library_function(call, &byte, "ompi_mpi_byte"))
					: MPICH_BYTE;
	exchange->returned =
		mpi_wide(call)
			? mpi_place(library_function(call, &errors, "ompi_mpi_errors_return"))
			: MPICH_ERRORS_RETURN;
	return exchange->byte && exchange->returned;
}

static bool exchange_send(struct exchange *exchange, int peer, int tag)
{
	return exchange->function[SEND](mpi_place(&exchange->time), sizeof exchange->time,
					exchange->byte, (uint64_t)(int64_t)peer, (uint64_t)tag,
					exchange->comm, 0, 0) == 0;
}

static bool exchange_receive(struct exchange *exchange, int peer, int tag)
{
	return exchange->function[RECEIVE](mpi_place(&exchange->time), sizeof exchange->time,
					   exchange->byte, (uint64_t)(int64_t)peer, (uint64_t)tag,
					   exchange->comm, mpi_place(exchange->status), 0) == 0;
}

/* Rank 0 replies to the first rank of a host. */
static bool clock_answer(struct exchange *exchange, int peer)
{
	for (unsigned round = 0; round < ROUNDS; round++) {
		if (!exchange_receive(exchange, peer, TAG_ASK))
			return false;
		exchange->time = clock_ns(CLOCK_MONOTONIC);
		if (!exchange_send(exchange, peer, TAG_ANSWER))
			return false;
	}
	return true;
}

/* The first rank of another host asks rank 0. */
static void clock_ask(struct exchange *exchange, uint32_t reference)
{
	int64_t best = INT64_MAX, offset = 0;
	for (unsigned round = 0; round < ROUNDS; round++) {
		int64_t before = clock_ns(CLOCK_MONOTONIC);
		if (!exchange_send(exchange, 0, TAG_ASK) ||
		    !exchange_receive(exchange, 0, TAG_ANSWER))
			return;
		int64_t after = clock_ns(CLOCK_MONOTONIC);
		if (after - before >= best)
			continue;
		best = after - before;
		offset = before + best / 2 - exchange->time;
	}
	clock_confirm(reference, offset, (uint64_t)(best + 1) / 2);
}

/* Whether another world started this one: the ranks of that world have agreed among themselves. */
static bool has_parent(const struct exchange *exchange, const struct library_call *call)
{
	uint64_t parent = 0;
	if (exchange->function[PARENT](mpi_place(&parent), 0, 0, 0, 0, 0, 0, 0) != 0)
		return true;
	const char *name =
		mpi_predefined(call, FAMILY_COMM, entity_value(call, FAMILY_COMM, parent));
	return !name || strcmp(name, "MPI_COMM_NULL") != 0;
}

/* Gets the node numbers of all ranks. */
static bool nodes_gather(struct exchange *exchange, uint32_t *nodes)
{
	exchange->own = node_number();
	return exchange->function[ALLGATHER](mpi_place(&exchange->own), sizeof exchange->own,
					     exchange->byte, mpi_place(nodes), sizeof exchange->own,
					     exchange->byte, exchange->comm, 0) == 0;
}

/* Whether no rank before this one is on its host. */
static bool first_of_host(const uint32_t *nodes, int rank)
{
	for (int i = 0; i < rank; i++)
		if (nodes[i] == nodes[rank])
			return false;
	return true;
}

static void clocks_measure(struct exchange *exchange, const uint32_t *nodes, int rank, int size)
{
	if (rank != 0) {
		if (first_of_host(nodes, rank))
			clock_ask(exchange, nodes[0]);
		return;
	}
	clock_confirm(nodes[0], 0, 0);
	for (int peer = 1; peer < size; peer++)
		if (first_of_host(nodes, peer) && !clock_answer(exchange, peer))
			return;
}

void mpi_clocks(struct library_call *call, int rank, int size)
{
	static struct exchange exchange;
	static uint32_t done;
	size_t bytes = (size_t)size * sizeof(uint32_t);
	if (recorder.control->no_clocks || recorder.control->choice.ranks[0] || !recorder.local ||
	    recorder.local >= (uint32_t)size || __atomic_exchange_n(&done, 1, __ATOMIC_ACQ_REL))
		return;
	/* Everything that may fail on one rank only is done before the ranks agree. */
	uint32_t *nodes = sys_memory(bytes);
	if (!nodes)
		return;
	if (exchange_prepare(&exchange, call) && !has_parent(&exchange, call) &&
	    ranks_all_here(rank, size) &&
	    exchange.function[DUP](mpi_world(call), mpi_place(&exchange.comm), 0, 0, 0, 0, 0, 0) ==
		    0) {
		if (!mpi_wide(call))
			exchange.comm = (uint32_t)exchange.comm;
		exchange.function[SET_ERRHANDLER](exchange.comm, exchange.returned, 0, 0, 0, 0, 0,
						  0);
		if (nodes_gather(&exchange, nodes))
			clocks_measure(&exchange, nodes, rank, size);
		exchange.function[FREE](mpi_place(&exchange.comm), 0, 0, 0, 0, 0, 0, 0);
	}
	sys_munmap(nodes, bytes);
}
