/* Run by hdf5/beside with count_writes.c preloaded: creates `beside.h5` with one dataset, and writes the dataset three times.
 * Status 0 when all calls succeeded.
 */
#include <hdf5.h>

int main(void)
{
	int data[4] = {1, 2, 3, 4};
	hsize_t size[] = {4};
	hid_t file = H5Fcreate("beside.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
	hid_t space = H5Screate_simple(1, size, NULL);
	hid_t set = H5Dcreate2(file, "data", H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT,
			       H5P_DEFAULT);
	herr_t result = 0;
	for (int i = 0; i < 3; i++)
		result |= H5Dwrite(set, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, data);
	return H5Dclose(set) < 0 || H5Fclose(file) < 0 || result < 0;
}
