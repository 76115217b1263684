/* Writes files of its own before, between and after its calls of MPI. */
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

static void note(const char *when)
{
	char name[64];
	snprintf(name, sizeof name, "mine.%s", when);
	int fd = open(name, O_CREAT | O_WRONLY, 0644);
	if (fd < 0 || write(fd, "x", 1) != 1)
		_exit(3);
	close(fd);
}

int main(int argc, char **argv)
{
	int rank;
	note("before");
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Barrier(MPI_COMM_WORLD);
	note("inside");
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Finalize();
	note("after");
	return 0;
}
