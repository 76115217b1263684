/* For programs that print the result and effect of each call: the output must be the same with Varve as without. */
#ifndef MPI_SAY_H
#define MPI_SAY_H

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROOM = 4096 };

static int rank, size, peer;
static int given[ROOM], taken[ROOM];
static MPI_Status status, statuses[16];

static unsigned digest(const void *bytes, size_t length)
{
	unsigned hash = 2166136261u;
	for (size_t i = 0; i < length; i++)
		hash = (hash ^ ((const unsigned char *)bytes)[i]) * 16777619u;
	return hash;
}

/* Result and the content of `taken`, which is emptied. */
static int say(const char *name, int result)
{
	int class = -1;
	PMPI_Error_class(result, &class);
	printf("%d %s class %d taken %08x\n", rank, name, class, digest(taken, sizeof taken));
	memset(taken, 0, sizeof taken);
	return result;
}

/* The content of a status; if it is not that of a message, only the count has a meaning. */
static void say_count(const char *name, MPI_Status *told)
{
	int count = -1;
	PMPI_Get_count(told, MPI_BYTE, &count);
	printf("%d %s count %d\n", rank, name, count);
}

static void say_status(const char *name, MPI_Status *told)
{
	printf("%d %s source %d tag %d\n", rank, name, told->MPI_SOURCE, told->MPI_TAG);
	say_count(name, told);
}

#define SAY(function, ...) say(#function, function(__VA_ARGS__))
#define SAY_STATUS(function, ...)                                                                  \
	do {                                                                                       \
		say(#function, function(__VA_ARGS__));                                             \
		say_status(#function, &status);                                                    \
	} while (0)

/* MPICH has a second function for large counts. */
#if defined(MPICH_VERSION)
#define LARGE(function, ...) SAY(function##_c, __VA_ARGS__)
#define ONLY_MPICH(...) __VA_ARGS__
#else
#define LARGE(function, ...) 0
#define ONLY_MPICH(...)
#endif
#define BOTH(function, ...)                                                                        \
	do {                                                                                       \
		SAY(function, __VA_ARGS__);                                                        \
		LARGE(function, __VA_ARGS__);                                                      \
	} while (0)

static void say_begin(int *argc, char ***argv)
{
	int provided;
	MPI_Init_thread(argc, argv, MPI_THREAD_SINGLE, &provided);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	peer = 1 - rank;
	char name[64];
	snprintf(name, sizeof name, "said.%d", rank);
	if (!freopen(name, "w", stdout))
		abort();
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
	for (int i = 0; i < ROOM; i++)
		given[i] = rank * ROOM + i;
}

#endif
