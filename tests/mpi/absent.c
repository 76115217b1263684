/* A program without MPI, HDF5 and NetCDF that tests for them, like libraries with optional parts: with weak references, and by
 * name. Reads from the standard input lines "NAME RETURNS", looks each up in all loaded objects, and in the library of its
 * argument; calls each function that is found there, and prints its result: RETURNS is i for an int, w for a word, p for a pointer,
 * d for a double, v for nothing. */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define WEAK __attribute__((weak))
WEAK int MPI_Initialized(int *flag);
WEAK int MPI_Finalized(int *flag);
WEAK int MPI_Init(int *argc, char ***argv);
WEAK int MPI_Comm_rank(long comm, int *rank);
WEAK int PMPI_Initialized(int *flag);
WEAK int H5open(void);
WEAK long H5Fopen(const char *name, unsigned flags, long access);
WEAK int nc_open(const char *path, int mode, int *id);
WEAK const char *nc_strerror(int error);
WEAK int ncmpi_open(long comm, const char *path, int mode, long info, int *id);
WEAK double MPI_Wtime(void);

typedef uint64_t word_function(int *flag, long b, long c, long d, long e, long f, long g, long h);
typedef double number_function(double a);

static void say_flag(const char *name, int (*function)(int *flag))
{
	int flag = 5, result = function ? function(&flag) : 0;
	if (function)
		printf("%s %d flag %d\n", name, result, flag);
}

static void weak(void)
{
	int id = 5;
	say_flag("MPI_Initialized", MPI_Initialized);
	say_flag("MPI_Finalized", MPI_Finalized);
	say_flag("PMPI_Initialized", PMPI_Initialized);
	if (MPI_Initialized)
		printf("MPI_Initialized of nothing %d\n", MPI_Initialized(NULL));
	if (MPI_Init)
		printf("MPI_Init %d\n", MPI_Init(NULL, NULL));
	if (MPI_Comm_rank)
		printf("MPI_Comm_rank %d\n", MPI_Comm_rank(0, &id));
	if (MPI_Wtime)
		printf("MPI_Wtime %g\n", MPI_Wtime());
	if (H5open)
		printf("H5open %d\n", H5open());
	if (H5Fopen)
		printf("H5Fopen %ld\n", H5Fopen("nowhere.h5", 0, 0));
	if (nc_open)
		printf("nc_open %d\n", nc_open("nowhere.nc", 0, &id));
	if (nc_strerror)
		printf("nc_strerror %s\n", nc_strerror(-33) ? "text" : "NULL");
	if (ncmpi_open)
		printf("ncmpi_open %d\n", ncmpi_open(0, "nowhere.nc", 0, 0, &id));
	if (id != 5)
		printf("something was left behind: %d\n", id);
}

static void by_name(void *library, const char *name, char returns)
{
	void *function = library ? dlsym(library, name) : NULL;
	int flag = 5;
	uint64_t word = 0;
	if (dlsym(RTLD_DEFAULT, name))
		printf("%s found among all\n", name);
	if (!function) {
		printf("%s not found\n", name);
		return;
	}
	if (returns == 'd') {
		printf("%s %g\n", name, ((number_function *)function)(3.5));
		return;
	}
	word = ((word_function *)function)(&flag, 0, 0, 0, 0, 0, 0, 0);
	if (returns == 'i')
		printf("%s %d", name, (int)word);
	else if (returns == 'v')
		printf("%s", name);
	else
		printf("%s %lld", name, (long long)word);
	printf(flag == 5 ? "\n" : " flag %d\n", flag);
}

int main(int count, char **words)
{
	char name[128], returns;
	void *library = count > 1 ? dlopen(words[1], RTLD_NOW) : NULL;
	weak();
	while (scanf("%127s %c", name, &returns) == 2)
		by_name(library, name, returns);
	puts("end");
	return 3;
}
