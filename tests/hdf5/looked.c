/* A program that is not linked with HDF5: opens each named library with local scope and calls the functions that dlsym finds with
 * its handle. All are open at once, and each call is made from one place in this program for all of them: only the pointer
 * determines which build is called. Then they are closed, opened again, and used once more. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

typedef long handle; /* hid_t */
enum { LIBRARIES = 4, ROUNDS = 5, LENGTH = 10, TRUNCATE = 2 };

struct hdf5 {
	void *library;
	int (*begin)(void);
	handle (*create)(const char *name, unsigned flags, handle creation, handle access);
	handle (*space)(int rank, const unsigned long *size, const unsigned long *most);
	handle (*dataset)(handle place, const char *name, handle type, handle space, handle link,
			  handle creation, handle access);
	int (*write)(handle set, handle type, handle memory, handle file, handle how, const void *);
	int (*close_set)(handle set), (*close_space)(handle space), (*close_file)(handle file);
	handle *number_type;
	handle file, set, flat;
};

static void *found(void *library, const char *name)
{
	void *function = library ? dlsym(library, name) : NULL;
	if (!function || function != dlsym(library, name)) {
		puts(library && function ? "not the same again" : dlerror());
		exit(1);
	}
	return function;
}

static struct hdf5 opened(const char *path)
{
	void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	struct hdf5 made = {library,
			    found(library, "H5open"),
			    found(library, "H5Fcreate"),
			    found(library, "H5Screate_simple"),
			    found(library, "H5Dcreate2"),
			    found(library, "H5Dwrite"),
			    found(library, "H5Dclose"),
			    found(library, "H5Sclose"),
			    found(library, "H5Fclose"),
			    found(library, "H5T_NATIVE_INT_g"),
			    0,
			    0,
			    0};
	if (dlsym(library, "H5no_such_function"))
		exit(1);
	puts(dlerror());
	return made;
}

static int each(struct hdf5 *all, int count, int turn)
{
	int data[LENGTH] = {1, 2, 3}, bad = 0;
	unsigned long size = LENGTH;
	char name[32];
	for (int i = 0; i < count; i++) {
		snprintf(name, sizeof name, "file%d-%d.h5", turn, i);
		bad |= all[i].begin();
		all[i].file = all[i].create(name, TRUNCATE, 0, 0);
		all[i].flat = all[i].space(1, &size, NULL);
		all[i].set = all[i].dataset(all[i].file, "data", *all[i].number_type, all[i].flat,
					    0, 0, 0);
	}
	for (int round = 0; round < ROUNDS; round++)
		for (int i = 0; i < count; i++)
			bad |= all[i].write(all[i].set, *all[i].number_type, 0, 0, 0, data);
	for (int i = 0; i < count; i++)
		bad |= all[i].close_set(all[i].set) | all[i].close_space(all[i].flat) |
		       all[i].close_file(all[i].file);
	return bad;
}

int main(int count, char **paths)
{
	struct hdf5 all[LIBRARIES];
	int libraries = count - 1 < LIBRARIES ? count - 1 : LIBRARIES;
	for (int turn = 0; turn < 2; turn++) {
		for (int i = 0; i < libraries; i++)
			all[i] = opened(paths[i + 1]);
		printf("turn %d: %d\n", turn, each(all, libraries, turn));
		for (int i = 0; i < libraries; i++)
			printf("closed %d\n", dlclose(all[i].library));
	}
	return 0;
}
