/* Record: how far the clocks of hosts are apart, measured when MPI has begun. Called by the hook of MPI_Init.
 *
 * Only in jobs that the launcher has spread over hosts, all of whose ranks are recorded, unless switched off. On a
 * communicator of our own, with operations that do not block and a limit of time: a rank that does not take part costs the
 * others that time and nothing else. The first rank of each host asks rank 0 for its time, some times over; the shortest
 * round counts. What could not be ended in time is given up, and the hosts are put beside each other by their time of day.
 */
#include "record/mpi.h"

#include "base/clock.h"
#include "base/sys.h"
#include "record/rank.h"

enum {
	ROUNDS = 16,
	TAG_ASK = 1,
	TAG_TELL = 2,
	PATIENCE_NS = 500000000, /* for all of it, on each rank */
	MPICH_BYTE = 0x4c00010d,
	MPICH_ERRORS_RETURN = 0x54000001,
};

enum function { IDUP, TEST, IALLGATHER, ISEND, IRECV, CANCEL, FREE, SET_ERRHANDLER, FUNCTIONS };
static const char *const names[FUNCTIONS] = {
	"PMPI_Comm_idup", "PMPI_Test",	 "PMPI_Iallgather",   "PMPI_Isend",
	"PMPI_Irecv",	  "PMPI_Cancel", "PMPI_Request_free", "PMPI_Comm_set_errhandler"};
static struct library_name found[FUNCTIONS];

typedef int mpi_function(uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t,
			 uint64_t);

struct exchange {
	mpi_function *function[FUNCTIONS];
	uint64_t comm;
	uint64_t byte;	   /* MPI_BYTE */
	uint64_t returned; /* MPI_ERRORS_RETURN */
	int64_t deadline;
	uint64_t status[4];
};

static bool prepare(struct exchange *exchange, const struct library_call *call)
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

/* Waits for a request; one that does not end in time is given up. */
static bool ended(struct exchange *exchange, uint64_t *request, bool message)
{
	for (;;) {
		int flag = 0;
		if (exchange->function[TEST](mpi_place(request), mpi_place(&flag),
					     mpi_place(exchange->status), 0, 0, 0, 0, 0) != 0)
			return false;
		if (flag)
			return true;
		if (clock_ns(CLOCK_MONOTONIC) > exchange->deadline)
			break;
		sys6(SYS_sched_yield, 0, 0, 0, 0, 0, 0);
	}
	if (message) {
		exchange->function[CANCEL](mpi_place(request), 0, 0, 0, 0, 0, 0, 0);
		exchange->function[FREE](mpi_place(request), 0, 0, 0, 0, 0, 0, 0);
	}
	return false;
}

static bool move(struct exchange *exchange, enum function way, int64_t *time, int peer, int tag)
{
	uint64_t request = 0;
	return exchange->function[way](mpi_place(time), sizeof *time, exchange->byte,
				       (uint64_t)(int64_t)peer, (uint64_t)tag, exchange->comm,
				       mpi_place(&request), 0) == 0 &&
	       ended(exchange, &request, true);
}

/* Rank 0 answers the first rank of a host. */
static bool answer(struct exchange *exchange, int peer)
{
	int64_t time;
	for (unsigned round = 0; round < ROUNDS; round++) {
		if (!move(exchange, IRECV, &time, peer, TAG_ASK))
			return false;
		time = clock_ns(CLOCK_MONOTONIC);
		if (!move(exchange, ISEND, &time, peer, TAG_TELL))
			return false;
	}
	return true;
}

/* The first rank of another host asks rank 0. */
static void ask(struct exchange *exchange, uint32_t reference)
{
	int64_t best = INT64_MAX, offset = 0;
	for (unsigned round = 0; round < ROUNDS; round++) {
		int64_t before = clock_ns(CLOCK_MONOTONIC), there = before;
		if (!move(exchange, ISEND, &there, 0, TAG_ASK) ||
		    !move(exchange, IRECV, &there, 0, TAG_TELL))
			return;
		int64_t after = clock_ns(CLOCK_MONOTONIC);
		if (after - before >= best)
			continue;
		best = after - before;
		offset = before + best / 2 - there;
	}
	clock_confirm(reference, offset, (uint64_t)(best + 1) / 2);
}

/* Node numbers of all ranks; NULL: not all of them take part. */
static uint32_t *nodes_gather(struct exchange *exchange, int size)
{
	uint32_t own = node_number();
	uint64_t request = 0;
	uint32_t *nodes = sys_memory((size_t)size * sizeof *nodes);
	if (!nodes)
		return NULL;
	if (exchange->function[IALLGATHER](mpi_place(&own), sizeof own, exchange->byte,
					   mpi_place(nodes), sizeof own, exchange->byte,
					   exchange->comm, mpi_place(&request)) == 0 &&
	    ended(exchange, &request, false))
		return nodes;
	/* The library may still write into it: it stays. */
	return NULL;
}

/* Whether no rank before this one is on its host. */
static bool first_of_host(const uint32_t *nodes, int rank)
{
	for (int i = 0; i < rank; i++)
		if (nodes[i] == nodes[rank])
			return false;
	return true;
}

static void measure(struct exchange *exchange, const uint32_t *nodes, int rank, int size)
{
	if (rank != 0) {
		if (first_of_host(nodes, rank))
			ask(exchange, nodes[0]);
		return;
	}
	clock_confirm(nodes[0], 0, 0);
	for (int peer = 1; peer < size; peer++)
		if (first_of_host(nodes, peer) && !answer(exchange, peer))
			return;
}

void mpi_clocks(struct library_call *call, int rank, int size)
{
	static struct exchange exchange;
	static uint32_t done;
	uint64_t request = 0;
	if (recorder.control->no_clocks || recorder.control->choice.ranks[0] || !recorder.local ||
	    recorder.local >= (uint32_t)size || __atomic_exchange_n(&done, 1, __ATOMIC_ACQ_REL))
		return;
	exchange.deadline = clock_ns(CLOCK_MONOTONIC) + PATIENCE_NS;
	if (!prepare(&exchange, call) ||
	    exchange.function[IDUP](mpi_world(call), mpi_place(&exchange.comm), mpi_place(&request),
				    0, 0, 0, 0, 0) != 0 ||
	    !ended(&exchange, &request, false))
		return;
	if (!mpi_wide(call))
		exchange.comm = (uint32_t)exchange.comm;
	exchange.function[SET_ERRHANDLER](exchange.comm, exchange.returned, 0, 0, 0, 0, 0, 0);
	uint32_t *nodes = nodes_gather(&exchange, size);
	if (!nodes)
		return;
	measure(&exchange, nodes, rank, size);
	sys_munmap(nodes, (size_t)size * sizeof *nodes);
}
