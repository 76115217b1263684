/* Built by mpi/nested as libmpi.so: two functions of MPI that a signal handler may call. MPI_Cart_shift returns numbers computed
 * from its arguments. The program that is linked with it is cart_shift_steps.c. */
int MPI_Init(int *argc, char ***argv);
int MPI_Cart_shift(int comm, int direction, int disp, int *from, int *to);

int MPI_Init(int *argc, char ***argv)
{
	return argc || argv;
}

int MPI_Cart_shift(int comm, int direction, int disp, int *from, int *to)
{
	*from = disp;
	*to = comm + direction;
	return 0;
}
