/* Calls of each sort, in C. Prints what they returned. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
	int rank, sum, bad = 0;
	MPI_Comm half;
	MPI_File file;
	MPI_Request request;
	bad |= MPI_Init(&argc, &argv);
	bad |= MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	bad |= MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
	bad |= MPI_File_open(MPI_COMM_WORLD, "proof.out", MPI_MODE_CREATE | MPI_MODE_RDWR,
			     MPI_INFO_NULL, &file);
	bad |= MPI_File_write_at(file, rank * 4, &rank, 1, MPI_INT, MPI_STATUS_IGNORE);
	bad |= MPI_File_close(&file);
	bad |= MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	bad |= MPI_Ibcast(&sum, 1, MPI_INT, 0, MPI_COMM_WORLD, &request);
	bad |= MPI_Wait(&request, MPI_STATUS_IGNORE);
	bad |= MPI_Comm_free(&half);
	printf("rank %d sum %d ierr %d\n", rank, sum, bad);
	return MPI_Finalize();
}
