/* Names everything that can be named in a file, with words that occur nowhere else. */
#include <hdf5.h>

static int check(hid_t id)
{
	return id < 0;
}

int main(void)
{
	const hsize_t size[2] = {4, 6};
	const int values[24] = {0};
	int bad = 0;
	hid_t file = H5Fcreate("wonderland.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
	hid_t space = H5Screate_simple(2, size, NULL);
	hid_t group = H5Gcreate2(file, "rabbithole", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
	hid_t set = H5Dcreate2(group, "teaparty", H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT,
			       H5P_DEFAULT);
	bad |= check(H5Dwrite(set, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values));
	hid_t about = H5Acreate2(set, "dormouse", H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT);
	bad |= check(H5Awrite(about, H5T_NATIVE_INT, values));
	hid_t type = H5Tcreate(H5T_COMPOUND, 8);
	bad |= check(H5Tinsert(type, "marchhare", 0, H5T_NATIVE_INT));
	bad |= check(H5Tcommit2(file, "madhatter", type, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
	hid_t other = H5Dcreate2(file, "/rabbithole/cheshirecat", type, space, H5P_DEFAULT,
				 H5P_DEFAULT, H5P_DEFAULT);
	bad |= check(H5Dclose(other)) | check(H5Aclose(about)) | check(H5Dclose(set)) |
	       check(H5Gclose(group));
	bad |= check(H5Tclose(type)) | check(H5Sclose(space)) | check(H5Fclose(file));
	return bad;
}
