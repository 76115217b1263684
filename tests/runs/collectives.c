/* Run by runs/hosts on two hosts: operations on all ranks, blocking and not, on a communicator and on its copy. MPI libraries fail
 * in these if some ranks began an operation before and gave it up. */
#include <mpi.h>

int main(int count, char **words)
{
	MPI_Comm copy;
	MPI_Request request;
	int word = 0;
	MPI_Init(&count, &words);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Comm_dup(MPI_COMM_WORLD, &copy);
	MPI_Ibcast(&word, 1, MPI_INT, 0, MPI_COMM_WORLD, &request);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	MPI_Comm_free(&copy);
	return MPI_Finalize();
}
