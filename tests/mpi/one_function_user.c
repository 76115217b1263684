/* Run by mpi/absent: a program that is linked with one_function.c. It calls the one function of MPI that the library has, and
 * other functions where their weak references are not NULL, and prints the results.
 */
#include <stdio.h>

int MPI_Init(int *, char ***);
__attribute__((weak)) int MPI_Comm_rank(long, int *), MPI_Initialized(int *), MPI_Finalize(void);
__attribute__((weak)) int PMPI_Init(int *, char ***), MPI_Barrier(long);

int main(void)
{
	int rank = 5, flag = 5;
	printf("%d\n", MPI_Init(NULL, NULL));
	if (MPI_Comm_rank)
		printf("%d\n", MPI_Comm_rank(0, &rank));
	if (MPI_Initialized)
		printf("%d\n", MPI_Initialized(&flag));
	if (MPI_Initialized)
		printf("%d %d\n", rank, flag);
	if (MPI_Barrier)
		printf("%d\n", MPI_Barrier(0));
	if (PMPI_Init)
		printf("%d\n", PMPI_Init(NULL, NULL));
	if (MPI_Finalize)
		printf("%d\n", MPI_Finalize());
	return 0;
}
