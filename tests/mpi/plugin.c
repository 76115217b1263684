/* A library that uses MPI and is loaded by a program without MPI (loads.c). */
#include <mpi.h>
#include <stdio.h>

/* Functions that may be called before MPI_Init. */
int plugin_ask(void)
{
	int version = 0, sub = 0, begun = 5, ended = 5;
	int bad = MPI_Get_version(&version, &sub) | MPI_Initialized(&begun) | MPI_Finalized(&ended);
	printf("version %d.%d begun %d ended %d\n", version, sub, begun, ended);
	fflush(stdout);
	return bad;
}

int plugin_run(void)
{
	int rank, sum, bad = plugin_ask();
	MPI_File file;
	bad |= MPI_Init(NULL, NULL);
	bad |= MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	bad |= MPI_File_open(MPI_COMM_WORLD, "plugin.out", MPI_MODE_CREATE | MPI_MODE_RDWR,
			     MPI_INFO_NULL, &file);
	bad |= MPI_File_write_at(file, rank * 4, &rank, 1, MPI_INT, MPI_STATUS_IGNORE);
	bad |= MPI_File_close(&file);
	bad |= MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	printf("rank %d sum %d\n", rank, sum);
	return bad | MPI_Finalize();
}

#define FIND(name) __typeof__(name) *name##_found = (__typeof__(name) *)find(#name)

/* The same through the pointers that the program finds: no function is called by its name. */
int plugin_by(void *(*find)(const char *name))
{
	int rank, sum, begun = 5, ended = 5;
	MPI_File file;
	FIND(MPI_Initialized);
	FIND(MPI_Finalized);
	FIND(MPI_Init);
	FIND(MPI_Comm_rank);
	FIND(MPI_File_open);
	FIND(MPI_File_write_at);
	FIND(MPI_File_close);
	FIND(MPI_Allreduce);
	FIND(MPI_Finalize);
	int bad = MPI_Initialized_found(&begun) | MPI_Finalized_found(&ended);
	printf("begun %d ended %d\n", begun, ended);
	bad |= MPI_Init_found(NULL, NULL);
	bad |= MPI_Comm_rank_found(MPI_COMM_WORLD, &rank);
	bad |= MPI_File_open_found(MPI_COMM_WORLD, "plugin.out", MPI_MODE_CREATE | MPI_MODE_RDWR,
				   MPI_INFO_NULL, &file);
	bad |= MPI_File_write_at_found(file, rank * 4, &rank, 1, MPI_INT, MPI_STATUS_IGNORE);
	bad |= MPI_File_close_found(&file);
	bad |= MPI_Allreduce_found(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	printf("rank %d sum %d\n", rank, sum);
	return bad | MPI_Finalize_found();
}
