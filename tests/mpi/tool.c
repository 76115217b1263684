/* Another tool that uses the profiling interface: counts the calls and passes them on. */
#include <mpi.h>
#include <stdio.h>

static int seen, own;

int MPI_Comm_rank(MPI_Comm comm, int *rank)
{
	int result = PMPI_Comm_rank(comm, rank);
	own = *rank;
	return result;
}

int MPI_File_open(MPI_Comm comm, const char *name, int mode, MPI_Info info, MPI_File *file)
{
	seen++;
	return PMPI_File_open(comm, name, mode, info, file);
}

int MPI_File_write_at(MPI_File file, MPI_Offset offset, const void *buffer, int count,
		      MPI_Datatype type, MPI_Status *status)
{
	seen++;
	return PMPI_File_write_at(file, offset, buffer, count, type, status);
}

int MPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm *made)
{
	seen++;
	return PMPI_Comm_split(comm, color, key, made);
}

int MPI_Allreduce(const void *from, void *to, int count, MPI_Datatype type, MPI_Op op,
		  MPI_Comm comm)
{
	seen++;
	return PMPI_Allreduce(from, to, count, type, op, comm);
}

int MPI_Ibcast(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm,
	       MPI_Request *request)
{
	seen++;
	return PMPI_Ibcast(buffer, count, type, root, comm, request);
}

int MPI_Wait(MPI_Request *request, MPI_Status *status)
{
	seen++;
	return PMPI_Wait(request, status);
}

int MPI_Finalize(void)
{
	printf("rank %d tool %d\n", own, seen);
	return PMPI_Finalize();
}
