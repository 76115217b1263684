/* Explicit offsets under several views. flags: none */
#include <mpi.h>

int main(int argc, char **argv)
{
	MPI_File file;
	MPI_Datatype gaps;
	MPI_Request request;
	int data[4] = {0};
	MPI_Init(&argc, &argv);
	MPI_File_open(MPI_COMM_WORLD, "offsets.out", MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL,
		      &file);
	MPI_File_write_at(file, 40, data, 4, MPI_INT, MPI_STATUS_IGNORE);
	MPI_File_set_view(file, 100, MPI_INT, MPI_INT, "native", MPI_INFO_NULL);
	MPI_File_write_at(file, 5, data, 4, MPI_INT, MPI_STATUS_IGNORE);
	MPI_File_iwrite_at(file, 7, data, 4, MPI_INT, &request);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	MPI_File_read_at_all(file, 6, data, 2, MPI_INT, MPI_STATUS_IGNORE);
	MPI_File_write_at_all_begin(file, 8, data, 4, MPI_INT);
	MPI_File_write_at_all_end(file, data, MPI_STATUS_IGNORE);
	MPI_Type_vector(2, 1, 2, MPI_INT, &gaps);
	MPI_Type_commit(&gaps);
	MPI_File_set_view(file, 0, MPI_INT, gaps, "native", MPI_INFO_NULL);
	MPI_File_write_at(file, 3, data, 1, MPI_INT, MPI_STATUS_IGNORE);
	MPI_File_set_view(file, 8, MPI_DOUBLE, MPI_DOUBLE, "native", MPI_INFO_NULL);
	MPI_File_read_at(file, 2, data, 1, MPI_DOUBLE, MPI_STATUS_IGNORE);
	MPI_File_read(file, data, 1, MPI_DOUBLE, MPI_STATUS_IGNORE);
	MPI_File_close(&file);
	MPI_Type_free(&gaps);
	MPI_Finalize();
	return 0;
}
