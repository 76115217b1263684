/* Run by decoder/packed on four ranks: each writes files with its rank and a number in their names, and all of them write one file
 * together: names and offsets that differ by rank alone.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

int main(int count, char **words)
{
	int rank;
	char name[64], text[64] = {0};
	MPI_File file;
	MPI_Init(&count, &words);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	for (int step = 0; step < 30; step++) {
		snprintf(name, sizeof name, "rank.%03d.%d", rank, step % 3);
		int fd = open(name, O_CREAT | O_WRONLY, 0600);
		for (int i = 0; i < 8; i++)
			(void)!pwrite(fd, text, sizeof text, 64 * (4 * i + rank));
		close(fd);
		MPI_Barrier(MPI_COMM_WORLD);
	}
	MPI_File_open(MPI_COMM_WORLD, "shared", MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL,
		      &file);
	MPI_File_write_at_all(file, 64 * rank, text, 64, MPI_CHAR, MPI_STATUS_IGNORE);
	MPI_File_close(&file);
	return MPI_Finalize();
}
