/* Example: a small parallel program. All ranks write their rows of one HDF5 dataset together.
 *
 * mpicc grid.c $(pkg-config --cflags --libs hdf5-openmpi) -o grid        (or hdf5-mpich)
 */
#include <hdf5.h>
#include <mpi.h>

enum { ROWS = 256, COLUMNS = 1024 };

int main(int count, char **arguments)
{
	static double cells[ROWS][COLUMNS];
	int rank, ranks;
	MPI_Init(&count, &arguments);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	for (int row = 0; row < ROWS; row++)
		for (int column = 0; column < COLUMNS; column++)
			cells[row][column] = rank + row * 0.001 + column;

	hid_t access = H5Pcreate(H5P_FILE_ACCESS);
	H5Pset_fapl_mpio(access, MPI_COMM_WORLD, MPI_INFO_NULL);
	hid_t file = H5Fcreate("grid.h5", H5F_ACC_TRUNC, H5P_DEFAULT, access);

	hsize_t whole[] = {(hsize_t)(ROWS * ranks), COLUMNS};
	hsize_t start[] = {(hsize_t)(ROWS * rank), 0}, part[] = {ROWS, COLUMNS};
	hid_t space = H5Screate_simple(2, whole, NULL);
	hid_t memory = H5Screate_simple(2, part, NULL);
	hid_t dataset = H5Dcreate2(file, "temperature", H5T_NATIVE_DOUBLE, space, H5P_DEFAULT,
				   H5P_DEFAULT, H5P_DEFAULT);
	H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, part, NULL);
	hid_t transfer = H5Pcreate(H5P_DATASET_XFER);
	H5Pset_dxpl_mpio(transfer, H5FD_MPIO_COLLECTIVE);
	herr_t done = H5Dwrite(dataset, H5T_NATIVE_DOUBLE, memory, space, transfer, cells);

	H5Pclose(transfer);
	H5Dclose(dataset);
	H5Sclose(memory);
	H5Sclose(space);
	H5Fclose(file);
	H5Pclose(access);
	MPI_Finalize();
	return done < 0;
}
