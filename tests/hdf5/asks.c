/* Effects that a program would notice if the recorder called HDF5 wrongly, or at the wrong time: errors on the stack or in the
 * output, texts that disappear while they are read. Each case prints its results. asks.py runs it with Varve and without. */
#include <fcntl.h>
#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void stack(const char *when)
{
	printf("%s: %zd errors\n", when, H5Eget_num(H5E_DEFAULT));
}

static herr_t seen(hid_t group, const char *name, const H5L_info_t *info, void *data)
{
	H5G_info_t about;
	printf("%s of %d\n", name, H5Gget_info(group, &about) < 0 ? -1 : (int)about.nlinks);
	return 0;
}

/* To find the path of an object that was opened by a reference or an address, HDF5 goes through all links of a file: then it
 * reaches an object that cannot be read. */
static void found(void)
{
	hobj_ref_t good, folder;
	H5O_info_t broken, about;
	hid_t file = H5Fcreate("found.h5", H5F_ACC_TRUNC, 0, 0), space = H5Screate(H5S_SCALAR),
	      group = H5Gcreate2(file, "folder", 0, 0, 0),
	      bad = H5Dcreate2(file, "a_bad", H5T_NATIVE_INT, space, 0, 0, 0);
	H5Oget_info1(bad, &broken);
	H5Dclose(bad);
	H5Dclose(H5Dcreate2(group, "good", H5T_NATIVE_INT, space, 0, 0, 0));
	H5Gclose(group);
	H5Rcreate(&good, file, "folder/good", H5R_OBJECT, -1);
	H5Rcreate(&folder, file, "folder", H5R_OBJECT, -1);
	H5Oget_info_by_name1(file, "folder/good", &about, 0);
	H5Fclose(file);
	int descriptor = open("found.h5", O_RDWR);
	if (pwrite(descriptor, "\xff\xff\xff\xff", 4, (off_t)broken.addr) != 4)
		puts("not broken");
	close(descriptor);
	file = H5Fopen("found.h5", H5F_ACC_RDONLY, 0);
	hid_t object = H5Rdereference2(file, 0, H5R_OBJECT, &good);
	stack("H5Rdereference2");
	H5Oclose(object);
	object = H5Rdereference1(file, H5R_OBJECT, &good);
	stack("H5Rdereference1");
	H5Oclose(object);
	object = H5Oopen_by_addr(file, about.addr);
	stack("H5Oopen_by_addr");
	H5Oclose(object);
	group = H5Rdereference2(file, 0, H5R_OBJECT, &folder);
	stack("folder");
	object = H5Oopen_by_idx(group, ".", H5_INDEX_NAME, H5_ITER_INC, 0, 0);
	stack("H5Oopen_by_idx");
	H5Oclose(object);
	/* A group that no recorded call has opened. */
	printf("%d\n", H5Literate(group, H5_INDEX_NAME, H5_ITER_INC, NULL, seen, NULL));
	object = H5Dopen2(group, "good", 0);
	H5Dclose(object);
	H5Gclose(group);
	H5Fclose(file);
	H5Sclose(space);
}

/* A filter that is not registered. */
static void filters(void)
{
	hsize_t size = 8, chunk = 4;
	hid_t file = H5Fcreate("filters.h5", H5F_ACC_TRUNC, 0, 0),
	      space = H5Screate_simple(1, &size, NULL), list = H5Pcreate(H5P_DATASET_CREATE);
	H5Pset_chunk(list, 1, &chunk);
	H5Pset_filter(list, 32000, H5Z_FLAG_OPTIONAL, 3, (unsigned[]){1, 2, 3});
	hid_t dataset = H5Dcreate2(file, "filtered", H5T_NATIVE_INT, space, 0, list, 0);
	stack("H5Dcreate2");
	hid_t its = H5Dget_create_plist(dataset);
	stack("H5Dget_create_plist");
	H5Eprint2(H5E_DEFAULT, stdout);
	H5Pclose(its);
	H5Pclose(list);
	H5Dclose(dataset);
	H5Sclose(space);
	H5Fclose(file);
}

static herr_t walked(unsigned number, const H5E_error2_t *error, void *data)
{
	char major[100] = "", minor[100] = "";
	H5E_type_t type;
	H5Eget_msg(error->maj_num, &type, major, sizeof major);
	H5Eget_msg(error->min_num, &type, minor, sizeof minor);
	printf("%u %s | %s | %s | %s\n", number, error->func_name, major, minor, error->desc);
	return 0;
}

/* Functions that do not change the stack of errors. */
static void errors(void)
{
	char text[100];
	H5E_type_t type;
	H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
	hid_t file = H5Fcreate("errors.h5", H5F_ACC_TRUNC, 0, 0);
	H5Dopen2(file, "nothing/here", 0);
	stack("H5Dopen2");
	H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, walked, NULL);
	stack("H5Ewalk2");
	H5Dopen2(file, "nothing/here", 0);
	H5Eget_msg(H5E_HEAP, &type, text, sizeof text);
	stack("H5Eget_msg");
	free(H5Eget_major(H5E_TST));
	stack("H5Eget_major");
	free(H5Eget_minor(H5E_BADFILE));
	stack("H5Eget_minor");
	H5Fclose(file);
}

/* A dataset with the extent of others, in another file. */
static void virtual_one(void)
{
	hsize_t size = 10, most = H5S_UNLIMITED, chunk = 5, start = 0, one = 1;
	int data[100] = {7};
	hid_t file = H5Fcreate("source.h5", H5F_ACC_TRUNC, 0, 0),
	      space = H5Screate_simple(1, &size, &most), list = H5Pcreate(H5P_DATASET_CREATE);
	H5Pset_chunk(list, 1, &chunk);
	hid_t dataset = H5Dcreate2(file, "source", H5T_NATIVE_INT, space, 0, list, 0);
	H5Dwrite(dataset, H5T_NATIVE_INT, 0, 0, 0, data);
	H5Dclose(dataset);
	H5Pclose(list);
	H5Fclose(file);
	file = H5Fcreate("virtual.h5", H5F_ACC_TRUNC, 0, 0);
	list = H5Pcreate(H5P_DATASET_CREATE);
	H5Sselect_hyperslab(space, H5S_SELECT_SET, &start, NULL, &one, &most);
	H5Pset_virtual(list, space, "source.h5", "source", space);
	H5Dclose(H5Dcreate2(file, "virtual", H5T_NATIVE_INT, space, 0, list, 0));
	H5Pclose(list);
	H5Fclose(file);
	file = H5Fopen("virtual.h5", H5F_ACC_RDONLY, 0);
	dataset = H5Dopen2(file, "virtual", 0);
	memset(data, 0, sizeof data);
	printf("%d\n", H5Dread(dataset, H5T_NATIVE_INT, 0, 0, 0, data));
	printf("%d\n", data[0]);
	H5Dclose(dataset);
	H5Fclose(file);
	H5Sclose(space);
}

int main(int count, char **arguments)
{
	const char *which = count > 1 ? arguments[1] : "";
	setvbuf(stdout, NULL, _IONBF, 0);
	if (strcmp(which, "found") == 0)
		found();
	else if (strcmp(which, "filters") == 0)
		filters();
	else if (strcmp(which, "errors") == 0)
		errors();
	else if (strcmp(which, "virtual") == 0)
		virtual_one();
	else
		return 2;
	return 0;
}
