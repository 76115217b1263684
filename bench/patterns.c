/* Bench: four ways in which parallel programs place their I/O. bench/growth measures how the structure of a packed trace
 * grows with ranks.
 *
 *	patterns NAME COUNT     COUNT accesses of 64 bytes by each rank, in the working directory
 *
 *	shared      each rank writes a part of one file, item after item
 *	each        a file for each rank and step, with ten items
 *	interleaved blocks of ten items of one file, which the ranks write in turn
 *	neighbour   each rank writes its part of one file, then reads that of the next rank
 */
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ITEM = 64, ITEMS = 10, PATH_ROOM = 64 };

static char item[ITEM];

static _Noreturn void stop(const char *what)
{
	perror(what);
	exit(3);
}

static int open_file(const char *path)
{
	int fd = open(path, O_CREAT | O_RDWR, 0644);
	if (fd < 0)
		stop(path);
	return fd;
}

static void write_item(int fd, long place)
{
	if (pwrite(fd, item, ITEM, (off_t)place * ITEM) != ITEM)
		stop("pwrite");
}

static void shared(int rank, int ranks, int count)
{
	(void)ranks;
	int fd = open_file("shared.dat");
	for (int i = 0; i < count; i++)
		write_item(fd, (long)rank * count + i);
	close(fd);
}

static void each(int rank, int ranks, int count)
{
	(void)ranks;
	char path[PATH_ROOM];
	for (int step = 0; step < count / ITEMS; step++) {
		snprintf(path, sizeof path, "out.%04d.%d", rank, step);
		int fd = open_file(path);
		for (int i = 0; i < ITEMS; i++)
			if (write(fd, item, ITEM) != ITEM)
				stop("write");
		close(fd);
		unlink(path);
		MPI_Barrier(MPI_COMM_WORLD);
	}
}

static void interleaved(int rank, int ranks, int count)
{
	int fd = open_file("interleaved.dat");
	for (int step = 0; step < count / ITEMS; step++)
		for (int i = 0; i < ITEMS; i++)
			write_item(fd, ((long)step * ranks + rank) * ITEMS + i);
	close(fd);
}

static void neighbour(int rank, int ranks, int count)
{
	int fd = open_file("neighbour.dat");
	for (int i = 0; i < count; i++)
		write_item(fd, (long)rank * count + i);
	MPI_Barrier(MPI_COMM_WORLD);
	int next = (rank + 1) % ranks;
	for (int i = 0; i < count; i++)
		if (pread(fd, item, ITEM, ((off_t)next * count + i) * ITEM) != ITEM)
			stop("pread");
	close(fd);
}

static const struct {
	const char *name;
	void (*run)(int rank, int ranks, int count);
} patterns[] = {
	{"shared", shared},
	{"each", each},
	{"interleaved", interleaved},
	{"neighbour", neighbour},
};

int main(int argc, char **argv)
{
	int rank, ranks, count = argc == 3 ? atoi(argv[2]) : 0;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	for (size_t i = 0; count > 0 && i < sizeof patterns / sizeof *patterns; i++) {
		if (strcmp(argv[1], patterns[i].name) != 0)
			continue;
		patterns[i].run(rank, ranks, count);
		MPI_Finalize();
		return 0;
	}
	fprintf(stderr, "usage: patterns shared|each|interleaved|neighbour COUNT\n");
	MPI_Finalize();
	return 2;
}
