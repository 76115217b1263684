/* Bench: an MPI library for one process that pretends to be one rank of many, for traces with more ranks than a machine
 * can run.
 *
 * It is built with the name of the library that a program of Open MPI loads, and found with LD_LIBRARY_PATH; the program
 * and the recorder are those of a real run. OMPI_COMM_WORLD_RANK and OMPI_COMM_WORLD_SIZE have the values that mpirun
 * sets. STUB_FIRST_FD is the descriptor that the first open of a real run gets: the lower ones belong to the MPI library
 * there. Ranks run one after the other, so barriers do not wait, and data that a rank reads must have been written before.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define API __attribute__((visibility("default")))

/* MPI_COMM_WORLD and similar constants are addresses of these. */
API char ompi_mpi_comm_world[512], ompi_mpi_comm_self[512], ompi_mpi_comm_null[512];

static int number(const char *name)
{
	const char *text = getenv(name);
	return text ? atoi(text) : 0;
}

API int MPI_Init(int *count, char ***arguments)
{
	(void)count;
	(void)arguments;
	int fd, first = number("STUB_FIRST_FD");
	while ((fd = open("/dev/null", O_RDWR)) >= 0 && fd < first - 1)
		;
	if (fd >= first)
		close(fd);
	return 0;
}

API int MPI_Finalize(void)
{
	return 0;
}

API int MPI_Comm_rank(void *comm, int *rank)
{
	(void)comm;
	*rank = number("OMPI_COMM_WORLD_RANK");
	return 0;
}

API int MPI_Comm_size(void *comm, int *size)
{
	(void)comm;
	*size = number("OMPI_COMM_WORLD_SIZE");
	return 0;
}

API int MPI_Barrier(void *comm)
{
	(void)comm;
	return 0;
}

API int MPI_Initialized(int *flag)
{
	*flag = 1;
	return 0;
}

API int MPI_Get_library_version(char *text, int *length)
{
	strcpy(text, "Open MPI stub");
	*length = (int)strlen(text);
	return 0;
}

API void *MPI_Comm_f2c(int handle)
{
	return handle == 0   ? ompi_mpi_comm_world
	       : handle == 1 ? ompi_mpi_comm_self
			     : ompi_mpi_comm_null;
}

#define ALIAS(name) API extern __typeof__(name) P##name __attribute__((alias(#name)))
ALIAS(MPI_Init);
ALIAS(MPI_Finalize);
ALIAS(MPI_Comm_rank);
ALIAS(MPI_Comm_size);
ALIAS(MPI_Barrier);
ALIAS(MPI_Initialized);
ALIAS(MPI_Get_library_version);
ALIAS(MPI_Comm_f2c);
