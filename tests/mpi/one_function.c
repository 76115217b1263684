/* Built by mpi/absent into a library that has one function of MPI and no other. MPI_Init prints a line, and returns 1 when it is
 * given arguments. The program that is linked with it is one_function_user.c.
 */
#include <stdio.h>

int MPI_Init(int *argc, char ***argv);

int MPI_Init(int *argc, char ***argv)
{
	puts("the only one");
	return argc || argv;
}
