/* Messages, requests and collectives of two ranks, with the expected record of each call. */
#include "oracle.h"

#include <string.h>

static int data[64], other[64];

static void blocking(void)
{
	int peer = 1 - rank, got;
	MPI_Status status;
	MPI_Message message;
	if (rank == 0) {
		expect("MPI_Send", 0,
		       "'count':3,'datatype_path':'MPI_INT','dest':'1','tag':'5','bytes':12");
		check(MPI_Send(data, 3, MPI_INT, 1, 5, MPI_COMM_WORLD));
		expect("MPI_Ssend", 0, "'count':7,'datatype_path':'MPI_CHAR','bytes':7");
		check(MPI_Ssend(data, 7, MPI_CHAR, 1, 6, MPI_COMM_WORLD));
		expect("MPI_Send", 0, "'dest':'MPI_PROC_NULL','bytes':0");
		check(MPI_Send(data, 7, MPI_CHAR, MPI_PROC_NULL, 6, MPI_COMM_WORLD));
		expect("MPI_Send", 0, "'bytes':16");
		check(MPI_Send(data, 2, MPI_DOUBLE, 1, 8, MPI_COMM_WORLD));
		expect("MPI_Send", 0, "'bytes':0");
		check(MPI_Send(data, 0, MPI_DOUBLE, 1, 9, MPI_COMM_WORLD));
	} else {
		expect("MPI_Recv", 0,
		       "'source':'MPI_ANY_SOURCE','tag':'MPI_ANY_TAG','received_from':'0',"
		       "'received_tag':'5','bytes':12");
		check(MPI_Recv(data, 20, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD,
			       MPI_STATUS_IGNORE));
		expect("MPI_Probe", 0, "'received_from':'0','received_tag':'6','bytes':7");
		check(MPI_Probe(MPI_ANY_SOURCE, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
		expect("MPI_Recv", 0,
		       "'source':'0','received_from':'0','received_tag':'6','bytes':7");
		check(MPI_Recv(data, 7, MPI_CHAR, 0, 6, MPI_COMM_WORLD, &status));
		expect("MPI_Mprobe", 0, "'received_from':'0','received_tag':'8','bytes':16");
		check(MPI_Mprobe(0, MPI_ANY_TAG, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE));
		expect("MPI_Mrecv", 0, "'received_from':'0','received_tag':'8','bytes':16");
		check(MPI_Mrecv(data, 2, MPI_DOUBLE, &message, MPI_STATUS_IGNORE));
		expect("MPI_Recv", 0, "'received_tag':'9','bytes':0");
		check(MPI_Recv(data, 2, MPI_DOUBLE, 0, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
	}
	expect("MPI_Sendrecv", 0,
	       "'received_from':'%d','received_tag':'%d','received':%d,'bytes':%d", peer, 20 + peer,
	       4 * (peer + 1), 4 * 3);
	check(MPI_Sendrecv(data, rank + 1, MPI_INT, peer, 20 + rank, other, 10, MPI_INT,
			   MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
	expect("MPI_Sendrecv_replace", 0, "'received_from':'%d','received':20,'bytes':40", peer);
	check(MPI_Sendrecv_replace(data, 5, MPI_INT, peer, 1, peer, 1, MPI_COMM_WORLD, &status));
	expect("MPI_Iprobe", 0, "'flag':0,'received_from':'MPI_PROC_NULL','bytes':0");
	check(MPI_Iprobe(peer, 999, MPI_COMM_WORLD, &got, MPI_STATUS_IGNORE));
}

/* Requests have numbers in order of creation. */
static int number;

static void requests(void)
{
	int peer = 1 - rank, flag, index, count, indices[4];
	MPI_Request request[4];
	MPI_Status statuses[4];
	expect("MPI_Irecv", 0, "'source':'MPI_ANY_SOURCE','request':%d,'bytes':40", ++number);
	check(MPI_Irecv(other, 10, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD,
			&request[0]));
	expect("MPI_Isend", 0, "'dest':'%d','request':%d,'bytes':12", peer, ++number);
	check(MPI_Isend(data, 3, MPI_INT, peer, 30 + rank, MPI_COMM_WORLD, &request[1]));
	expect("MPI_Isend", 0, "'dest':'MPI_PROC_NULL','request':%d,'bytes':0", ++number);
	check(MPI_Isend(data, 3, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD, &request[2]));
	request[3] = MPI_REQUEST_NULL;
	expect("MPI_Waitall", 0, "'count':4");
	expect("completion", 0, "'request':%d,'peer':'%d','tag':'%d','state':'done','=':12",
	       number - 2, peer, 30 + peer);
	expect("completion", 0, "'request':%d,'peer':'%d','tag':'%d','=':12", number - 1, peer,
	       30 + rank);
	expect("completion", 0, "'request':%d,'peer':'MPI_PROC_NULL','=':0", number);
	check(MPI_Waitall(4, request, MPI_STATUSES_IGNORE));
	/* One by one, with two small sends at a time, which may have the same request value. */
	expect("MPI_Isend", 0, "'request':%d,'bytes':4", ++number);
	check(MPI_Isend(data, 1, MPI_INT, peer, 40, MPI_COMM_WORLD, &request[0]));
	expect("MPI_Isend", 0, "'request':%d,'bytes':8", ++number);
	check(MPI_Isend(data, 2, MPI_INT, peer, 41, MPI_COMM_WORLD, &request[1]));
	expect("MPI_Recv", 0, "'bytes':4");
	check(MPI_Recv(other, 1, MPI_INT, peer, 40, MPI_COMM_WORLD, &statuses[0]));
	expect("MPI_Recv", 0, "'bytes':8");
	check(MPI_Recv(other, 2, MPI_INT, peer, 41, MPI_COMM_WORLD, &statuses[0]));
	expect("MPI_Wait", 0, "'request':%d", number);
	expect("completion", 0, "'request':%d,'tag':'41','=':8", number);
	check(MPI_Wait(&request[1], MPI_STATUS_IGNORE));
	expect("MPI_Wait", 0, "'request':%d", number - 1);
	expect("completion", 0, "'request':%d,'tag':'40','=':4", number - 1);
	check(MPI_Wait(&request[0], &statuses[0]));
	/* Any and some. */
	for (int i = 0; i < 2; i++) {
		expect("MPI_Irecv", 0, "'request':%d,'bytes':40", ++number);
		check(MPI_Irecv(other + 20 * i, 10, MPI_INT, peer, 50 + i, MPI_COMM_WORLD,
				&request[i]));
	}
	expect("MPI_Barrier", 0, "'bytes':0");
	check(MPI_Barrier(MPI_COMM_WORLD));
	expect("MPI_Send", 0, "'tag':'51','bytes':16");
	check(MPI_Send(data, 4, MPI_INT, peer, 51, MPI_COMM_WORLD));
	expect("MPI_Waitany", 0, "'count':2,'indx':1");
	expect("completion", 0, "'request':%d,'peer':'%d','tag':'51','=':16", number, peer);
	check(MPI_Waitany(2, request, &index, MPI_STATUS_IGNORE));
	expect("MPI_Barrier", 0, "'bytes':0");
	check(MPI_Barrier(MPI_COMM_WORLD));
	expect("MPI_Send", 0, "'tag':'50','bytes':20");
	check(MPI_Send(data, 5, MPI_INT, peer, 50, MPI_COMM_WORLD));
	expect("MPI_Waitsome", 0, "'incount':2,'outcount':1");
	expect("completion", 0, "'request':%d,'tag':'50','=':20", number - 1);
	check(MPI_Waitsome(2, request, &count, indices, MPI_STATUSES_IGNORE));
	/* Nothing is completed. */
	expect("MPI_Irecv", 0, "'request':%d", ++number);
	check(MPI_Irecv(other, 1, MPI_INT, peer, 999, MPI_COMM_WORLD, &request[0]));
	expect("MPI_Test", 0, "'request':%d,'flag':0", number);
	check(MPI_Test(&request[0], &flag, MPI_STATUS_IGNORE));
	expect("MPI_Testall", 0, "'count':1,'flag':0");
	check(MPI_Testall(1, request, &flag, MPI_STATUSES_IGNORE));
	expect("MPI_Testany", 0, "'count':1,'flag':0");
	check(MPI_Testany(1, request, &index, &flag, MPI_STATUS_IGNORE));
	expect("MPI_Testsome", 0, "'incount':1,'outcount':0");
	check(MPI_Testsome(1, request, &count, indices, MPI_STATUSES_IGNORE));
	expect("MPI_Cancel", 0, "'request':%d", number);
	check(MPI_Cancel(&request[0]));
	expect("MPI_Wait", 0, "'request':%d", number);
	expect("completion", 0, "'request':%d,'state':'cancelled','=':0", number);
	check(MPI_Wait(&request[0], &statuses[0]));
	expect("MPI_Wait", 0, "'request':0");
	check(MPI_Wait(&request[0], MPI_STATUS_IGNORE));
}

static void persistent(void)
{
	int peer = 1 - rank;
	MPI_Request request[2];
	expect("MPI_Recv_init", 0, "'source':'MPI_ANY_SOURCE','request':%d,'bytes':40", ++number);
	check(MPI_Recv_init(other, 10, MPI_INT, MPI_ANY_SOURCE, 60, MPI_COMM_WORLD, &request[0]));
	expect("MPI_Send_init", 0, "'dest':'%d','request':%d,'bytes':8", peer, ++number);
	check(MPI_Send_init(data, 2, MPI_INT, peer, 60, MPI_COMM_WORLD, &request[1]));
	for (int i = 0; i < 3; i++) {
		expect("MPI_Startall", 0, "'count':2");
		check(MPI_Startall(2, request));
		expect("MPI_Waitall", 0, "'count':2");
		expect("completion", 0, "'request':%d,'peer':'%d','tag':'60','=':8", number - 1,
		       peer);
		expect("completion", 0, "'request':%d,'peer':'%d','tag':'60','=':8", number, peer);
		check(MPI_Waitall(2, request, MPI_STATUSES_IGNORE));
		/* Both are inactive: nothing is completed a second time. */
		expect("MPI_Waitall", 0, "'count':2");
		check(MPI_Waitall(2, request, MPI_STATUSES_IGNORE));
	}
	for (int i = 0; i < 2; i++) {
		expect("MPI_Request_free", 0, "'request':%d", number - 1 + i);
		check(MPI_Request_free(&request[i]));
	}
}

static void collectives(void)
{
	int counts[2] = {1, 2}, places[2] = {0, 1}, twos[2] = {2, 2};
	MPI_Datatype types[2] = {MPI_INT, MPI_INT};
	int bytes[2] = {0, 8};
	MPI_Request request;
	expect("MPI_Bcast", 0, "'root':'1','bytes':%d", rank == 1 ? 20 : 0);
	check(MPI_Bcast(data, 5, MPI_INT, 1, MPI_COMM_WORLD));
	expect("MPI_Gather", 0, "'root':'0','bytes':8");
	if (rank == 0)
		check(MPI_Gather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, other, 2, MPI_INT, 0,
				 MPI_COMM_WORLD));
	else
		check(MPI_Gather(data, 2, MPI_INT, NULL, 0, MPI_DATATYPE_NULL, 0, MPI_COMM_WORLD));
	if (rank == 0)
		expect("MPI_Gatherv", 0, "'bytes':4,'counts':'[1,2]'");
	else
		expect("MPI_Gatherv", 0, "'bytes':8");
	check(MPI_Gatherv(data, rank + 1, MPI_INT, other, counts, places, MPI_INT, 0,
			  MPI_COMM_WORLD));
	expect("MPI_Scatter", 0, "'bytes':%d", rank == 0 ? 24 : 0);
	check(MPI_Scatter(data, 3, MPI_INT, other, 3, MPI_INT, 0, MPI_COMM_WORLD));
	expect("MPI_Scatterv", 0, "'bytes':%d", rank == 0 ? 12 : 0);
	check(MPI_Scatterv(data, counts, places, MPI_INT, other, rank + 1, MPI_INT, 0,
			   MPI_COMM_WORLD));
	expect("MPI_Allgather", 0, "'bytes':8");
	check(MPI_Allgather(data, 2, MPI_INT, other, 2, MPI_INT, MPI_COMM_WORLD));
	expect("MPI_Allgather", 0, "'bytes':12");
	check(MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, other, 3, MPI_INT, MPI_COMM_WORLD));
	expect("MPI_Allgatherv", 0, "'bytes':%d,'counts':'[1,2]'", 4 * (rank + 1));
	check(MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, other, counts, places, MPI_INT,
			     MPI_COMM_WORLD));
	expect("MPI_Alltoall", 0, "'bytes':16");
	check(MPI_Alltoall(data, 2, MPI_INT, other, 2, MPI_INT, MPI_COMM_WORLD));
	expect("MPI_Alltoallv", 0, "'bytes':16,'counts':'[2,2]','receives':'[2,2]'");
	check(MPI_Alltoallv(data, twos, places, MPI_INT, other, twos, places, MPI_INT,
			    MPI_COMM_WORLD));
	expect("MPI_Alltoallw", 0, "'bytes':16,'counts':'[2,2]','receives':'[2,2]'");
	check(MPI_Alltoallw(data, twos, bytes, types, other, twos, bytes, types, MPI_COMM_WORLD));
	expect("MPI_Reduce", 0, "'operation_path':'MPI_MAX','bytes':12");
	check(MPI_Reduce(data, other, 3, MPI_INT, MPI_MAX, 0, MPI_COMM_WORLD));
	expect("MPI_Allreduce", 0, "'operation_path':'MPI_SUM','bytes':24");
	check(MPI_Allreduce(MPI_IN_PLACE, other, 3, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD));
	expect("MPI_Reduce_scatter", 0, "'bytes':12,'counts':'[1,2]'");
	check(MPI_Reduce_scatter(data, other, counts, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
	expect("MPI_Reduce_scatter_block", 0, "'bytes':16");
	check(MPI_Reduce_scatter_block(data, other, 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
	expect("MPI_Scan", 0, "'bytes':4");
	check(MPI_Scan(data, other, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
	expect("MPI_Exscan", 0, "'bytes':4");
	check(MPI_Exscan(data, other, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
	expect("MPI_Ialltoall", 0, "'request':%d,'bytes':16", ++number);
	check(MPI_Ialltoall(data, 2, MPI_INT, other, 2, MPI_INT, MPI_COMM_WORLD, &request));
	expect("MPI_Wait", 0, "'request':%d", number);
	expect("completion", 0, "'request':%d,'=':16", number);
	check(MPI_Wait(&request, MPI_STATUS_IGNORE));
	expect("MPI_Ibarrier", 0, "'request':%d,'bytes':0", ++number);
	check(MPI_Ibarrier(MPI_COMM_WORLD, &request));
	expect("MPI_Wait", 0, "'request':%d", number);
	expect("completion", 0, "'request':%d,'=':0", number);
	check(MPI_Wait(&request, MPI_STATUS_IGNORE));
}

static void neighbours(void)
{
	int dims[2] = {2, 1}, periods[2] = {1, 0}, source, dest, coords[2], twos[4] = {1, 1, 1, 1},
	    places[4] = {0, 1, 2, 3};
	MPI_Comm cart;
	expect("MPI_Cart_create", 0,
	       "'ndims':2,'dims':'[2,1]','periods':'[1,0]','reorder':0,'members':'0:1'");
	check(MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &cart));
	expect("MPI_Cart_shift", 0,
	       "'direction':1,'from':'MPI_PROC_NULL','to':'MPI_PROC_NULL','comm_path':'0:1'");
	check(MPI_Cart_shift(cart, 1, 1, &source, &dest));
	expect("MPI_Cart_shift", 0, "'direction':0,'from':'%d','to':'%d'", 1 - rank, 1 - rank);
	check(MPI_Cart_shift(cart, 0, 1, &source, &dest));
	expect("MPI_Cart_coords", 0, "'rank':%d", rank);
	check(MPI_Cart_coords(cart, rank, 2, coords));
	expect("MPI_Neighbor_allgather", 0, "'bytes':8");
	check(MPI_Neighbor_allgather(data, 2, MPI_INT, other, 2, MPI_INT, cart));
	expect("MPI_Neighbor_alltoall", 0, "'bytes':32");
	check(MPI_Neighbor_alltoall(data, 2, MPI_INT, other, 2, MPI_INT, cart));
	expect("MPI_Neighbor_alltoallv", 0, "'bytes':16,'counts':'[1,1,1,1]'");
	check(MPI_Neighbor_alltoallv(data, twos, places, MPI_INT, other, twos, places, MPI_INT,
				     cart));
	expect("MPI_Comm_free", 0, "'comm_path':'0:1'");
	check(MPI_Comm_free(&cart));
}

int main(int argc, char **argv)
{
	int provided;
	MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
	expect_begin();
	blocking();
	requests();
	persistent();
	collectives();
	neighbours();
	expect_end();
	return 0;
}
