/* Ranks of a first world and of one that it starts; each opens a file with its world and rank in the name. */
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	MPI_Comm parent, other;
	int rank;
	char name[32];
	MPI_Init(&argc, &argv);
	MPI_Comm_get_parent(&parent);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	snprintf(name, sizeof name, "%s.%d", parent == MPI_COMM_NULL ? "first" : "spawned", rank);
	close(open(name, O_CREAT | O_WRONLY, 0600));
	if (parent == MPI_COMM_NULL)
		MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &other,
			       MPI_ERRCODES_IGNORE);
	else
		other = parent;
	MPI_Comm_disconnect(&other);
	MPI_Finalize();
	return 0;
}
