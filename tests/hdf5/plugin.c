/* A library that writes a file with the HDF5 that it is linked with, and reads it back. Meanwhile it calls `meanwhile`. */
#include <hdf5.h>

int plugin_write(const char *name, int number, void (*meanwhile)(void));

int plugin_write(const char *name, int number, void (*meanwhile)(void))
{
	hsize_t size[1] = {10};
	int data[10] = {number}, back[10] = {0};
	hid_t file = H5Fcreate(name, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
	hid_t space = H5Screate_simple(1, size, NULL);
	hid_t dataset = H5Dcreate2(file, "data", H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT,
				   H5P_DEFAULT);
	meanwhile();
	H5Dwrite(dataset, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, data);
	H5Dread(dataset, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, back);
	H5Dclose(dataset);
	H5Sclose(space);
	H5Fclose(file);
	return back[0];
}
