/* Bench: a small parallel program with typical I/O: a shared file, a file for each process, collective MPI-IO, HDF5; and
 * loops of single calls, to measure the cost of one call. Run by bench/parallel.
 *
 *	parallel_mpi WORKLOAD FOLDER COUNT
 *
 * Rank 0 prints `calls=N loop_ns=N cpu_ns=N` for the loop only; cpu_ns is the sum of all ranks.
 */
#include <fcntl.h>
#include <hdf5.h>
#include <mpi.h>
#include <netcdf.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

enum { PIECE = 1 << 20, WORK = 100000 };

static int rank, size;
static const char *folder;
static char *piece;
static volatile double sink;

static int64_t now(clockid_t clock)
{
	struct timespec t;
	clock_gettime(clock, &t);
	return t.tv_sec * 1000000000ll + t.tv_nsec;
}

static void path_of(char *path, size_t room, const char *name, int number)
{
	if (number < 0)
		snprintf(path, room, "%s/%s", folder, name);
	else
		snprintf(path, room, "%s/%s.%d", folder, name, number);
}

/* The work of a program between its I/O. */
static void compute(void)
{
	double sum = 0;
	for (int i = 0; i < WORK; i++)
		sum += (double)i * 1e-9;
	sink = sum;
}

static void fail(const char *what)
{
	fprintf(stderr, "parallel_mpi: %s failed\n", what);
	MPI_Abort(MPI_COMM_WORLD, 1);
}

static void shared_file(long count)
{
	char path[4096];
	path_of(path, sizeof path, "shared", -1);
	int fd = open(path, O_CREAT | O_RDWR, 0644);
	for (long i = 0; i < count; i++) {
		compute();
		if (pwrite(fd, piece, PIECE, ((i % 32) * size + rank) * (off_t)PIECE) != PIECE)
			fail("pwrite");
	}
	close(fd);
}

static void file_each(long count)
{
	char path[4096];
	path_of(path, sizeof path, "own", rank);
	for (long i = 0; i < count; i++) {
		FILE *file = fopen(path, i % 16 ? "a" : "w");
		compute();
		if (!file || fwrite(piece, 1, PIECE, file) != PIECE || fclose(file) != 0)
			fail("fwrite");
	}
}

static void collective(long count)
{
	char path[4096];
	MPI_File file;
	path_of(path, sizeof path, "collective", -1);
	if (MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL,
			  &file))
		fail("MPI_File_open");
	for (long i = 0; i < count; i++) {
		compute();
		MPI_File_write_at_all(file, ((i % 32) * size + rank) * (MPI_Offset)PIECE, piece,
				      PIECE, MPI_BYTE, MPI_STATUS_IGNORE);
	}
	MPI_File_close(&file);
}

static void hdf5(long count)
{
	char path[4096];
	path_of(path, sizeof path, "parallel.h5", -1);
	hid_t access = H5Pcreate(H5P_FILE_ACCESS);
	H5Pset_fapl_mpio(access, MPI_COMM_WORLD, MPI_INFO_NULL);
	hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, access);
	hsize_t dims[2] = {(hsize_t)size * 32, PIECE}, counts[2] = {1, PIECE};
	hid_t space = H5Screate_simple(2, dims, NULL),
	      memory = H5Screate_simple(1, counts + 1, NULL);
	hid_t data = H5Dcreate2(file, "data", H5T_NATIVE_CHAR, space, H5P_DEFAULT, H5P_DEFAULT,
				H5P_DEFAULT);
	hid_t transfer = H5Pcreate(H5P_DATASET_XFER);
	H5Pset_dxpl_mpio(transfer, H5FD_MPIO_COLLECTIVE);
	for (long i = 0; i < count; i++) {
		hsize_t start[2] = {(hsize_t)((i % 32) * size + rank), 0};
		compute();
		H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, counts, NULL);
		if (H5Dwrite(data, H5T_NATIVE_CHAR, memory, space, transfer, piece) < 0)
			fail("H5Dwrite");
	}
	H5Dclose(data);
	H5Fclose(file);
}

/* Loops of single calls. */
static void comm_rank(long count)
{
	int at;
	for (long i = 0; i < count; i++)
		MPI_Comm_rank(MPI_COMM_WORLD, &at);
}

static void write_at(long count)
{
	char path[4096];
	MPI_File file;
	path_of(path, sizeof path, "small", rank);
	if (MPI_File_open(MPI_COMM_SELF, path, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL,
			  &file))
		fail("MPI_File_open");
	for (long i = 0; i < count; i++)
		MPI_File_write_at(file, i % 1024 * 8, piece, 8, MPI_BYTE, MPI_STATUS_IGNORE);
	MPI_File_close(&file);
}

static void h5_select(long count)
{
	hsize_t dims[1] = {1024};
	hid_t space = H5Screate_simple(1, dims, NULL);
	for (long i = 0; i < count; i++)
		H5Sselect_all(space);
	H5Sclose(space);
}

static void nc_loop(long count)
{
	char path[4096];
	int id;
	path_of(path, sizeof path, "small.nc", rank);
	if (nc_create(path, NC_CLOBBER, &id) || nc_enddef(id))
		fail("nc_create");
	for (long i = 0; i < count; i++) {
		int old;
		nc_set_fill(id, NC_NOFILL, &old);
	}
	nc_close(id);
}

static const struct {
	const char *name;
	void (*work)(long count);
} workloads[] = {
	{"shared-file", shared_file}, {"file-each", file_each},
	{"collective", collective},   {"hdf5", hdf5},
	{"comm-rank", comm_rank},     {"write-at", write_at},
	{"h5-select", h5_select},     {"nc-fill", nc_loop},
};

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	if (argc != 4)
		fail("usage: parallel_mpi WORKLOAD FOLDER COUNT");
	folder = argv[2];
	long count = atol(argv[3]);
	piece = malloc(PIECE);
	memset(piece, rank + 1, PIECE);
	for (size_t i = 0; i < sizeof workloads / sizeof *workloads; i++) {
		if (strcmp(argv[1], workloads[i].name) != 0)
			continue;
		MPI_Barrier(MPI_COMM_WORLD);
		int64_t wall = now(CLOCK_MONOTONIC), cpu = now(CLOCK_PROCESS_CPUTIME_ID), all;
		workloads[i].work(count);
		cpu = now(CLOCK_PROCESS_CPUTIME_ID) - cpu;
		MPI_Barrier(MPI_COMM_WORLD);
		wall = now(CLOCK_MONOTONIC) - wall;
		MPI_Reduce(&cpu, &all, 1, MPI_INT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
		if (rank == 0)
			printf("calls=%ld loop_ns=%lld cpu_ns=%lld\n", count, (long long)wall,
			       (long long)all);
		MPI_Finalize();
		return 0;
	}
	fail("there is no such workload");
	return 1;
}
