/* Threads that write files of their own with a thread-safe HDF5: they take turns inside it. */
#include <hdf5.h>
#include <pthread.h>
#include <stdio.h>

enum { THREADS = 4, TIMES = 100, SIZE = 50 };

static void *writer(void *given)
{
	long number = (long)given, *wrong = NULL;
	for (long i = 0; i < TIMES; i++) {
		char name[32], dataset_name[32];
		hsize_t size[1] = {SIZE}, start[1] = {(hsize_t)number}, count[1] = {10};
		int data[SIZE] = {(int)i}, back[SIZE] = {0};
		snprintf(name, sizeof name, "thread%ld.h5", number);
		snprintf(dataset_name, sizeof dataset_name, "data%ld", number);
		hid_t file = H5Fcreate(name, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
		hid_t space = H5Screate_simple(1, size, NULL),
		      memory = H5Screate_simple(1, count, NULL);
		hid_t dataset = H5Dcreate2(file, dataset_name, H5T_NATIVE_INT, space, H5P_DEFAULT,
					   H5P_DEFAULT, H5P_DEFAULT);
		H5Dwrite(dataset, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, data);
		H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL);
		H5Dread(dataset, H5T_NATIVE_INT, memory, space, H5P_DEFAULT, back);
		if (back[0] != data[number])
			wrong = &number;
		H5Dclose(dataset);
		H5Sclose(space);
		H5Sclose(memory);
		H5Fclose(file);
	}
	return wrong ? given : NULL;
}

int main(void)
{
	pthread_t threads[THREADS];
	int wrong = 0;
	hbool_t safe = 0;
	H5is_library_threadsafe(&safe);
	if (!safe)
		return 77;
	for (long i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, writer, (void *)(i + 1));
	for (int i = 0; i < THREADS; i++) {
		void *result;
		pthread_join(threads[i], &result);
		wrong |= result != NULL;
	}
	puts(wrong ? "wrong" : "right");
	return wrong;
}
