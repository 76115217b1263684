/* Run by mpi/one_library with each build of HDF5: hdf5_file PATH creates a file and closes it. Status 0 when both calls
 * succeeded.
 */
#include <hdf5.h>

int main(int count, char **words)
{
	if (count != 2)
		return 2;
	hid_t file = H5Fcreate(words[1], H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
	return file < 0 || H5Fclose(file) < 0;
}
