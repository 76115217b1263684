/* Run by witness/bytes on two ranks: each writes 10 blocks of 8192 bytes into the file `shared`, and reads 4000 bytes of each. With
 * an argument the calls do not block.
 */
#include <mpi.h>

int main(int count, char **words)
{
	char block[8192] = {0};
	int rank, later = count > 1;
	MPI_File file;
	MPI_Request request;
	MPI_Init(&count, &words);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_File_open(MPI_COMM_WORLD, "shared", MPI_MODE_RDWR | MPI_MODE_CREATE, MPI_INFO_NULL,
		      &file);
	for (int i = 0; i < 10; i++) {
		MPI_Offset at = (rank * 10 + i) * 8192;
		if (later) {
			MPI_File_iwrite_at(file, at, block, 8192, MPI_BYTE, &request);
			MPI_Wait(&request, MPI_STATUS_IGNORE);
			MPI_File_iread_at(file, at, block, 4000, MPI_BYTE, &request);
			MPI_Wait(&request, MPI_STATUS_IGNORE);
		} else {
			MPI_File_write_at(file, at, block, 8192, MPI_BYTE, MPI_STATUS_IGNORE);
			MPI_File_read_at(file, at, block, 4000, MPI_BYTE, MPI_STATUS_IGNORE);
		}
	}
	MPI_File_close(&file);
	return MPI_Finalize();
}
