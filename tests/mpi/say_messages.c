/* Messages, requests, collectives, with valid arguments and with some that fail. Two ranks. */
#include "say.h"

static MPI_Request request, requests[8];

/* A call that makes a request: printed when it is complete. */
#define LATER(function, ...)                                                                       \
	do {                                                                                       \
		int result = function(__VA_ARGS__, &request);                                      \
		say(#function " wait", MPI_Wait(&request, MPI_STATUS_IGNORE));                     \
		say(#function, result);                                                            \
	} while (0)
#define PERSIST(function, ...)                                                                     \
	do {                                                                                       \
		int result = function(__VA_ARGS__, &request);                                      \
		int started = MPI_Start(&request);                                                 \
		say(#function " wait", MPI_Wait(&request, MPI_STATUS_IGNORE));                     \
		say(#function " start", started);                                                  \
		say(#function " free", MPI_Request_free(&request));                                \
		say(#function, result);                                                            \
	} while (0)
/* A collective in all its forms; those for large counts have arrays of their own. */
#define UNPACK(...) __VA_ARGS__
#if defined(MPICH_VERSION)
#define ALL_FORMS(name, later, small, large)                                                       \
	do {                                                                                       \
		SAY(MPI_##name, UNPACK small);                                                     \
		SAY(MPI_##name##_c, UNPACK large);                                                 \
		LATER(MPI_##later, UNPACK small);                                                  \
		LATER(MPI_##later##_c, UNPACK large);                                              \
		PERSIST(MPI_##name##_init, UNPACK small, MPI_INFO_NULL);                           \
		PERSIST(MPI_##name##_init_c, UNPACK large, MPI_INFO_NULL);                         \
	} while (0)
#else
#define ALL_FORMS(name, later, small, large)                                                       \
	do {                                                                                       \
		SAY(MPI_##name, UNPACK small);                                                     \
		LATER(MPI_##later, UNPACK small);                                                  \
	} while (0)
#endif
#define FORMS(name, later, ...) ALL_FORMS(name, later, (__VA_ARGS__), (__VA_ARGS__))

static void pairs(void)
{
	static char buffer[1 << 16];
	void *detached;
	int length, flag;
	MPI_Message message;
	SAY(MPI_Buffer_attach, buffer, sizeof buffer);
#define SENDS(mode)                                                                                \
	do {                                                                                       \
		if (rank == 0)                                                                     \
			SAY(MPI_##mode, given, 10, MPI_INT, 1, 3, MPI_COMM_WORLD);                 \
		else                                                                               \
			SAY_STATUS(MPI_Recv, taken, 20, MPI_INT, 0, MPI_ANY_TAG, MPI_COMM_WORLD,   \
				   &status);                                                       \
	} while (0)
	SENDS(Send);
	SENDS(Bsend);
	SENDS(Ssend);
	ONLY_MPICH(SENDS(Send_c); SENDS(Bsend_c); SENDS(Ssend_c); SENDS(Rsend_c);)
	if (rank == 0) {
		PMPI_Barrier(MPI_COMM_WORLD);
		SAY(MPI_Rsend, given, 10, MPI_INT, 1, 3, MPI_COMM_WORLD);
	} else {
		MPI_Irecv(taken, 10, MPI_INT, 0, 3, MPI_COMM_WORLD, &request);
		PMPI_Barrier(MPI_COMM_WORLD);
		SAY(MPI_Wait, &request, &status);
		say_status("Rsend", &status);
	}
	SAY(MPI_Buffer_detach, &detached, &length);
	printf("%d detached %d %d\n", rank, detached == buffer, length);
	ONLY_MPICH(MPI_Count large; SAY(MPI_Buffer_attach_c, buffer, sizeof buffer);
		   SAY(MPI_Buffer_detach_c, &detached, &large);)
	if (rank == 0) {
		for (int i = 0; i < 8; i++)
			MPI_Send(given + i, 4, MPI_INT, 1, 70 + i, MPI_COMM_WORLD);
	} else {
		SAY_STATUS(MPI_Probe, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
		do
			MPI_Iprobe(0, 70, MPI_COMM_WORLD, &flag, &status);
		while (!flag);
		say_status("MPI_Iprobe", &status);
		SAY(MPI_Recv, taken, 4, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD,
		    MPI_STATUS_IGNORE);
		SAY_STATUS(MPI_Mprobe, 0, 71, MPI_COMM_WORLD, &message, &status);
		SAY_STATUS(MPI_Mrecv, taken, 4, MPI_INT, &message, &status);
		printf("%d message null %d\n", rank, message == MPI_MESSAGE_NULL);
		do
			MPI_Improbe(0, 72, MPI_COMM_WORLD, &flag, &message, MPI_STATUS_IGNORE);
		while (!flag);
		LATER(MPI_Imrecv, taken, 4, MPI_INT, &message);
#if defined(MPICH_VERSION)
		SAY_STATUS(MPI_Recv_c, taken, 4, MPI_INT, 0, 73, MPI_COMM_WORLD, &status);
		MPI_Mprobe(0, 74, MPI_COMM_WORLD, &message, &status);
		SAY_STATUS(MPI_Mrecv_c, taken, 4, MPI_INT, &message, &status);
		MPI_Mprobe(0, 75, MPI_COMM_WORLD, &message, &status);
		LATER(MPI_Imrecv_c, taken, 4, MPI_INT, &message);
#else
		for (int i = 3; i < 6; i++)
			SAY(MPI_Recv, taken, 4, MPI_INT, 0, 70 + i, MPI_COMM_WORLD,
			    MPI_STATUS_IGNORE);
#endif
		/* Too short: the message is truncated. */
		say("truncated",
		    MPI_Recv(taken, 1, MPI_INT, 0, 76, MPI_COMM_WORLD, &status) != MPI_SUCCESS);
		memset(taken, 0, sizeof taken);
		SAY(MPI_Recv, taken, 4, MPI_INT, 0, 77, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	}
	SAY_STATUS(MPI_Sendrecv, given, 5, MPI_INT, peer, 1, taken, 9, MPI_INT, peer, MPI_ANY_TAG,
		   MPI_COMM_WORLD, &status);
	memcpy(taken, given, 64);
	SAY_STATUS(MPI_Sendrecv_replace, taken, 5, MPI_INT, peer, 1, MPI_ANY_SOURCE, 1,
		   MPI_COMM_WORLD, &status);
#if defined(MPICH_VERSION)
	SAY_STATUS(MPI_Sendrecv_c, given, 5, MPI_INT, peer, 1, taken, 9, MPI_INT, peer, 1,
		   MPI_COMM_WORLD, &status);
	memcpy(taken, given, 64);
	SAY_STATUS(MPI_Sendrecv_replace_c, taken, 5, MPI_INT, peer, 1, peer, 1, MPI_COMM_WORLD,
		   &status);
	LATER(MPI_Isendrecv, given, 5, MPI_INT, peer, 1, taken, 9, MPI_INT, peer, 1,
	      MPI_COMM_WORLD);
	LATER(MPI_Isendrecv_c, given, 5, MPI_INT, peer, 1, taken, 9, MPI_INT, peer, 1,
	      MPI_COMM_WORLD);
	memcpy(taken, given, 64);
	LATER(MPI_Isendrecv_replace, taken, 5, MPI_INT, peer, 1, peer, 1, MPI_COMM_WORLD);
	LATER(MPI_Isendrecv_replace_c, taken, 5, MPI_INT, peer, 1, peer, 1, MPI_COMM_WORLD);
	memset(taken, 0, sizeof taken);
#endif
	/* Absolute addresses. */
	MPI_Aint address;
	MPI_Datatype absolute;
	int one = 1;
	MPI_Get_address(taken, &address);
	MPI_Type_create_hindexed(1, &one, &address, MPI_INT, &absolute);
	MPI_Type_commit(&absolute);
	SAY_STATUS(MPI_Sendrecv, given, 1, MPI_INT, peer, 1, MPI_BOTTOM, 1, absolute, peer, 1,
		   MPI_COMM_WORLD, &status);
	MPI_Type_free(&absolute);
	/* Calls that fail. */
	SAY(MPI_Send, given, -1, MPI_INT, peer, 3, MPI_COMM_WORLD);
	SAY(MPI_Send, given, 1, MPI_DATATYPE_NULL, peer, 3, MPI_COMM_WORLD);
	SAY(MPI_Send, given, 1, MPI_INT, 99, 3, MPI_COMM_WORLD);
	SAY(MPI_Send, given, 1, MPI_INT, peer, -9, MPI_COMM_WORLD);
	SAY(MPI_Send, given, 1, MPI_INT, peer, 3, MPI_COMM_NULL);
	SAY(MPI_Recv, taken, 1, MPI_INT, 77, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	SAY_STATUS(MPI_Recv, taken, 1, MPI_INT, MPI_PROC_NULL, 3, MPI_COMM_WORLD, &status);
	request = MPI_REQUEST_NULL;
	SAY(MPI_Isend, given, 1, MPI_INT, 99, 3, MPI_COMM_WORLD, &request);
	SAY(MPI_Irecv, taken, -3, MPI_INT, 0, 3, MPI_COMM_WORLD, &request);
}

static void completions(void)
{
	int index, flag, count, indices[8];
#define STARTS(mode)                                                                               \
	do {                                                                                       \
		MPI_Irecv(taken, 10, MPI_INT, peer, 5, MPI_COMM_WORLD, &requests[0]);              \
		PMPI_Barrier(MPI_COMM_WORLD);                                                      \
		SAY(MPI_##mode, given, 10, MPI_INT, peer, 5, MPI_COMM_WORLD, &requests[1]);        \
		SAY(MPI_Waitall, 2, requests, statuses);                                           \
		say_status(#mode, &statuses[0]);                                                   \
	} while (0)
	static char buffer[1 << 16];
	void *detached;
	MPI_Buffer_attach(buffer, sizeof buffer);
#undef SAY
#define SAY(function, ...) say_result(#function, function(__VA_ARGS__))
#define say_result(name, result) printf("%d %s %d\n", rank, name, (result) != MPI_SUCCESS)
	STARTS(Isend);
	STARTS(Ibsend);
	STARTS(Issend);
	STARTS(Irsend);
	ONLY_MPICH(STARTS(Isend_c); STARTS(Ibsend_c); STARTS(Issend_c); STARTS(Irsend_c);)
#define PERSISTS(mode)                                                                             \
	do {                                                                                       \
		SAY(MPI_Recv_init, taken, 10, MPI_INT, peer, 5, MPI_COMM_WORLD, &requests[0]);     \
		SAY(MPI_##mode, given, 10, MPI_INT, peer, 5, MPI_COMM_WORLD, &requests[1]);        \
		for (int i = 0; i < 2; i++) {                                                      \
			SAY(MPI_Start, &requests[0]);                                              \
			PMPI_Barrier(MPI_COMM_WORLD);                                              \
			SAY(MPI_Startall, 1, &requests[1]);                                        \
			SAY(MPI_Waitall, 2, requests, MPI_STATUSES_IGNORE);                        \
		}                                                                                  \
		SAY(MPI_Request_free, &requests[0]);                                               \
		SAY(MPI_Request_free, &requests[1]);                                               \
	} while (0)
	PERSISTS(Send_init);
	PERSISTS(Bsend_init);
	PERSISTS(Ssend_init);
	PERSISTS(Rsend_init);
#if defined(MPICH_VERSION)
	PERSISTS(Send_init_c);
	PERSISTS(Bsend_init_c);
	PERSISTS(Ssend_init_c);
	PERSISTS(Rsend_init_c);
	SAY(MPI_Recv_init_c, taken, 10, MPI_INT, peer, 5, MPI_COMM_WORLD, &request);
	SAY(MPI_Request_free, &request);
	SAY(MPI_Irecv_c, taken, 10, MPI_INT, peer, 5, MPI_COMM_WORLD, &request);
	MPI_Send(given, 10, MPI_INT, peer, 5, MPI_COMM_WORLD);
	SAY(MPI_Wait, &request, &status);
	say_status("MPI_Irecv_c", &status);
#endif
	MPI_Buffer_detach(&detached, &count);
#undef SAY
#define SAY(function, ...) say(#function, function(__VA_ARGS__))
	memset(taken, 0, sizeof taken);
	/* Each way to complete, with statuses and without. */
	for (int ignore = 0; ignore < 2; ignore++) {
		for (int way = 0; way < 8; way++) {
			for (int i = 0; i < 3; i++)
				MPI_Irecv(taken + 16 * i, 16, MPI_INT, MPI_ANY_SOURCE, 10 + i,
					  MPI_COMM_WORLD, &requests[i]);
			requests[3] = MPI_REQUEST_NULL;
			for (int i = 0; i < 3; i++)
				MPI_Send(given, i + 1, MPI_INT, peer, 10 + i, MPI_COMM_WORLD);
			PMPI_Barrier(MPI_COMM_WORLD);
			int left = 3, seen = 0;
			while (left > 0) {
				MPI_Status *one = ignore ? MPI_STATUS_IGNORE : &statuses[0];
				MPI_Status *many = ignore ? MPI_STATUSES_IGNORE : statuses;
				int result = 0;
				count = 0;
				switch (way) {
				case 0:
					result = MPI_Wait(&requests[3 - left], one);
					count = 1;
					indices[0] = 3 - left;
					break;
				case 1:
					result = MPI_Waitall(4, requests, many);
					count = 3;
					for (int i = 0; i < 3; i++)
						indices[i] = i;
					break;
				case 2:
					result = MPI_Waitany(4, requests, &index, one);
					count = 1;
					indices[0] = index;
					break;
				case 3:
					result = MPI_Waitsome(4, requests, &count, indices, many);
					break;
				case 4:
					result = MPI_Test(&requests[3 - left], &flag, one);
					count = flag;
					indices[0] = 3 - left;
					break;
				case 5:
					result = MPI_Testall(4, requests, &flag, many);
					count = flag ? 3 : 0;
					for (int i = 0; i < 3; i++)
						indices[i] = i;
					break;
				case 6:
					result = MPI_Testany(4, requests, &index, &flag, one);
					count = flag;
					indices[0] = index;
					break;
				default:
					result = MPI_Testsome(4, requests, &count, indices, many);
					break;
				}
				if (result || count < 0)
					abort();
				for (int i = 0; i < count; i++) {
					int length = -1;
					if (!ignore)
						PMPI_Get_count(&statuses[i], MPI_INT, &length);
					seen += 1 << indices[i];
					if (!ignore && (statuses[i].MPI_TAG != 10 + indices[i] ||
							length != indices[i] + 1))
						printf("%d way %d: index %d tag %d length %d\n",
						       rank, way, indices[i], statuses[i].MPI_TAG,
						       length);
				}
				left -= count;
			}
			for (int i = 0; i < 4; i++)
				seen += requests[i] == MPI_REQUEST_NULL ? 100 : 0;
			printf("%d way %d ignore %d seen %d\n", rank, way, ignore, seen);
			say("received", 0);
		}
	}
	/* Nothing to wait for. */
	for (int i = 0; i < 4; i++)
		requests[i] = MPI_REQUEST_NULL;
	SAY(MPI_Wait, &requests[0], MPI_STATUS_IGNORE);
	SAY(MPI_Waitall, 4, requests, MPI_STATUSES_IGNORE);
	SAY(MPI_Waitall, 0, NULL, MPI_STATUSES_IGNORE);
	SAY(MPI_Waitany, 4, requests, &index, MPI_STATUS_IGNORE);
	SAY(MPI_Waitsome, 4, requests, &count, indices, MPI_STATUSES_IGNORE);
	SAY(MPI_Testany, 4, requests, &index, &flag, MPI_STATUS_IGNORE);
	printf("%d undefined %d %d\n", rank, index == MPI_UNDEFINED, count == MPI_UNDEFINED);
	SAY(MPI_Waitall, -4, requests, MPI_STATUSES_IGNORE);
	/* Cancelled, tested. */
	SAY(MPI_Irecv, taken, 1, MPI_INT, peer, 999, MPI_COMM_WORLD, &request);
	SAY(MPI_Request_get_status, request, &flag, &status);
	SAY(MPI_Cancel, &request);
	SAY(MPI_Wait, &request, &status);
	MPI_Test_cancelled(&status, &flag);
	printf("%d cancelled %d\n", rank, flag);
	SAY(MPI_Isend, given, 1, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD, &request);
	SAY(MPI_Request_free, &request);
	printf("%d null %d\n", rank, request == MPI_REQUEST_NULL);
}

static int query(void *extra, MPI_Status *told)
{
	(void)extra;
	MPI_Status_set_elements(told, MPI_INT, 3);
	MPI_Status_set_cancelled(told, 0);
	told->MPI_SOURCE = MPI_UNDEFINED;
	told->MPI_TAG = MPI_UNDEFINED;
	return MPI_SUCCESS;
}

static int free_extra(void *extra)
{
	(void)extra;
	return MPI_SUCCESS;
}

static int cancel_it(void *extra, int complete)
{
	(void)extra;
	(void)complete;
	return MPI_SUCCESS;
}

static void generalised(void)
{
	SAY(MPI_Grequest_start, query, free_extra, cancel_it, NULL, &request);
	SAY(MPI_Grequest_complete, request);
	SAY(MPI_Wait, &request, &status);
	say_count("MPI_Grequest_start", &status);
#if defined(MPICH_VERSION)
	int flag, parts[2] = {0, 1};
	if (rank == 0) {
		SAY(MPI_Psend_init, given, 4, 2, MPI_INT, 1, 4, MPI_COMM_WORLD, MPI_INFO_NULL,
		    &request);
		SAY(MPI_Start, &request);
		SAY(MPI_Pready_list, 2, parts, request);
		SAY(MPI_Pready, 2, request);
		SAY(MPI_Pready_range, 3, 3, request);
		SAY(MPI_Wait, &request, MPI_STATUS_IGNORE);
	} else {
		int result = MPI_Precv_init(taken, 4, 2, MPI_INT, 0, 4, MPI_COMM_WORLD,
					    MPI_INFO_NULL, &request);
		MPI_Start(&request);
		do
			MPI_Parrived(request, 3, &flag);
		while (!flag);
		MPI_Wait(&request, MPI_STATUS_IGNORE);
		say("MPI_Precv_init", result);
	}
	SAY(MPI_Request_free, &request);
#endif
}

static void collectives(void)
{
	int counts[2] = {1, 2}, places[2] = {0, 1}, twos[2] = {2, 2}, starts[2] = {0, 2},
	    bytes[2] = {0, 8};
	MPI_Datatype types[2] = {MPI_INT, MPI_INT};
	MPI_Count large[2] = {1, 2}, large_twos[2] = {2, 2};
	MPI_Aint wide[2] = {0, 1}, wide_starts[2] = {0, 2}, wide_bytes[2] = {0, 8};
	MPI_Comm all = MPI_COMM_WORLD;
	(void)large, (void)large_twos, (void)wide, (void)wide_starts, (void)wide_bytes;
	SAY(MPI_Barrier, all);
	LATER(MPI_Ibarrier, all);
	ONLY_MPICH(PERSIST(MPI_Barrier_init, all, MPI_INFO_NULL);)
	FORMS(Bcast, Ibcast, rank ? taken : given, 5, MPI_INT, 0, all);
	FORMS(Gather, Igather, given, 5, MPI_INT, taken, 5, MPI_INT, 1, all);
	FORMS(Scatter, Iscatter, given, 5, MPI_INT, taken, 5, MPI_INT, 1, all);
	FORMS(Allgather, Iallgather, given, 5, MPI_INT, taken, 5, MPI_INT, all);
	FORMS(Alltoall, Ialltoall, given, 5, MPI_INT, taken, 5, MPI_INT, all);
	FORMS(Reduce, Ireduce, given, taken, 5, MPI_INT, MPI_SUM, 1, all);
	FORMS(Allreduce, Iallreduce, given, taken, 5, MPI_INT, MPI_MAX, all);
	FORMS(Scan, Iscan, given, taken, 5, MPI_INT, MPI_SUM, all);
	FORMS(Exscan, Iexscan, given, taken, 5, MPI_INT, MPI_SUM, all);
	FORMS(Reduce_scatter_block, Ireduce_scatter_block, given, taken, 5, MPI_INT, MPI_SUM, all);
	ALL_FORMS(Gatherv, Igatherv,
		  (given, rank + 1, MPI_INT, taken, counts, places, MPI_INT, 0, all),
		  (given, rank + 1, MPI_INT, taken, large, wide, MPI_INT, 0, all));
	ALL_FORMS(Scatterv, Iscatterv,
		  (given, counts, places, MPI_INT, taken, rank + 1, MPI_INT, 0, all),
		  (given, large, wide, MPI_INT, taken, rank + 1, MPI_INT, 0, all));
	ALL_FORMS(Allgatherv, Iallgatherv,
		  (given, rank + 1, MPI_INT, taken, counts, places, MPI_INT, all),
		  (given, rank + 1, MPI_INT, taken, large, wide, MPI_INT, all));
	ALL_FORMS(Alltoallv, Ialltoallv,
		  (given, twos, starts, MPI_INT, taken, twos, starts, MPI_INT, all),
		  (given, large_twos, wide_starts, MPI_INT, taken, large_twos, wide_starts, MPI_INT,
		   all));
	ALL_FORMS(
		Alltoallw, Ialltoallw, (given, twos, bytes, types, taken, twos, bytes, types, all),
		(given, large_twos, wide_bytes, types, taken, large_twos, wide_bytes, types, all));
	ALL_FORMS(Reduce_scatter, Ireduce_scatter, (given, taken, counts, MPI_INT, MPI_SUM, all),
		  (given, taken, large, MPI_INT, MPI_SUM, all));
	BOTH(MPI_Reduce_local, given, taken, 5, MPI_INT, MPI_SUM);
	/* In place. */
	memcpy(taken, given, 64);
	SAY(MPI_Allreduce, MPI_IN_PLACE, taken, 5, MPI_INT, MPI_SUM, all);
	memcpy(taken, given, 64);
	SAY(MPI_Alltoall, MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, taken, 2, MPI_INT, all);
	memcpy(taken, given, 64);
	SAY(MPI_Alltoallv, MPI_IN_PLACE, NULL, NULL, MPI_DATATYPE_NULL, taken, twos, starts,
	    MPI_INT, all);
	memcpy(taken, given, 64);
	if (rank == 0)
		SAY(MPI_Gather, MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, taken, 2, MPI_INT, 0, all);
	else
		SAY(MPI_Gather, given, 2, MPI_INT, NULL, 0, MPI_DATATYPE_NULL, 0, all);
	if (rank == 0)
		SAY(MPI_Scatter, given, 2, MPI_INT, MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, 0, all);
	else
		SAY(MPI_Scatter, NULL, 0, MPI_DATATYPE_NULL, taken, 2, MPI_INT, 0, all);
	/* Calls that fail. */
	SAY(MPI_Bcast, given, -1, MPI_INT, 0, all);
	SAY(MPI_Bcast, given, 1, MPI_INT, 99, all);
	SAY(MPI_Allreduce, given, taken, 1, MPI_INT, MPI_OP_NULL, all);
	SAY(MPI_Barrier, MPI_COMM_NULL);
}

static void neighbours(void)
{
	int dims[1] = {2}, periods[1] = {1}, ones[2] = {1, 1}, places[2] = {0, 1};
	MPI_Datatype types[2] = {MPI_INT, MPI_INT};
	MPI_Count large[2] = {1, 1};
	MPI_Aint wide[2] = {0, 1}, bytes[2] = {0, 4};
	MPI_Comm cart;
	(void)large, (void)wide;
	MPI_Cart_create(MPI_COMM_WORLD, 1, dims, periods, 0, &cart);
	FORMS(Neighbor_allgather, Ineighbor_allgather, given, 3, MPI_INT, taken, 3, MPI_INT, cart);
	FORMS(Neighbor_alltoall, Ineighbor_alltoall, given, 3, MPI_INT, taken, 3, MPI_INT, cart);
	ALL_FORMS(Neighbor_allgatherv, Ineighbor_allgatherv,
		  (given, 1, MPI_INT, taken, ones, places, MPI_INT, cart),
		  (given, 1, MPI_INT, taken, large, wide, MPI_INT, cart));
	ALL_FORMS(Neighbor_alltoallv, Ineighbor_alltoallv,
		  (given, ones, places, MPI_INT, taken, ones, places, MPI_INT, cart),
		  (given, large, wide, MPI_INT, taken, large, wide, MPI_INT, cart));
	ALL_FORMS(Neighbor_alltoallw, Ineighbor_alltoallw,
		  (given, ones, bytes, types, taken, ones, bytes, types, cart),
		  (given, large, bytes, types, taken, large, bytes, types, cart));
	MPI_Comm_free(&cart);
}

int main(int argc, char **argv)
{
	say_begin(&argc, &argv);
	pairs();
	completions();
	generalised();
	collectives();
	neighbours();
	return MPI_Finalize();
}
