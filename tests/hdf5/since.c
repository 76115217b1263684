/* Calls functions that HDF5 has since 1.12 and 1.14; they are in later.c. */
#include "lib/expect.h"

#include <hdf5.h>

typedef struct {
	unsigned char bytes[16];
} token;

#define PLACE const char *file, const char *function, unsigned line
hid_t H5Fcreate_async(PLACE, const char *name, unsigned flags, hid_t create, hid_t access,
		      hid_t events);
herr_t H5Fclose_async(PLACE, hid_t id, hid_t events);
hid_t H5Dcreate_async(PLACE, hid_t from, const char *name, hid_t type, hid_t space, hid_t links,
		      hid_t create, hid_t access, hid_t events);
hid_t H5Dopen_async(PLACE, hid_t from, const char *name, hid_t access, hid_t events);
herr_t H5Dwrite_async(PLACE, hid_t dataset, hid_t type, hid_t memory, hid_t space, hid_t transfer,
		      const void *data, hid_t events);
herr_t H5Dclose_async(PLACE, hid_t id, hid_t events);
hid_t H5Gcreate_async(PLACE, hid_t from, const char *name, hid_t links, hid_t create, hid_t access,
		      hid_t events);
herr_t H5Gclose_async(PLACE, hid_t id, hid_t events);
herr_t H5Dread_multi(size_t count, hid_t datasets[], hid_t types[], hid_t memory[], hid_t spaces[],
		     hid_t transfer, void *data[]);
hid_t H5Oopen_by_token(hid_t from, token given);
herr_t H5ESwait(hid_t events, uint64_t timeout, size_t *going, bool *failed);

#define HERE "source.c", "caller", 77
#define SAID "'app_file': 'source.c', 'app_func': 'caller', 'app_line': 77"

int main(void)
{
	enum { EVENTS = 4711 };
	hsize_t size[1] = {50};
	int data[50] = {1}, back[2][50];
	hid_t file, group, first, second, space, opened;
	herr_t done;
	size_t going = 0;
	bool failed = true;
	WORKS(space, H5Screate_simple(1, size, NULL), "H5Screate_simple", "");
	WORKS(file, H5Fcreate_async(HERE, "since.h5", H5F_ACC_TRUNC, 0, 0, EVENTS),
	      "H5Fcreate_async", SAID ", 'filename': 'since.h5', 'flags': 'H5F_ACC_TRUNC'");
	WORKS(group, H5Gcreate_async(HERE, file, "group", 0, 0, 0, EVENTS), "H5Gcreate_async",
	      SAID ", 'name': 'group'");
	WORKS(first, H5Dcreate_async(HERE, group, "first", H5T_NATIVE_INT, space, 0, 0, 0, EVENTS),
	      "H5Dcreate_async",
	      SAID ", 'loc_id_path': '/group', 'name': 'first', 'type_id_path': 'H5T_NATIVE_INT', "
		   "'space_id_path': 'simple [50]', 'dapl_id_path': 'H5P_DEFAULT'");
	WORKS(second,
	      H5Dcreate_async(HERE, group, "second", H5T_NATIVE_INT, space, 0, 0, 0, EVENTS),
	      "H5Dcreate_async", SAID);
	WORKS(done, H5Dwrite_async(HERE, first, H5T_NATIVE_INT, space, space, 0, data, EVENTS),
	      "H5Dwrite_async",
	      SAID ", 'dset_id_path': '/group/first', 'elements': 50, 'bytes': 200");
	hid_t datasets[2] = {first, second}, types[2] = {H5T_NATIVE_INT, H5T_NATIVE_INT},
	      spaces[2] = {space, space};
	void *into[2] = {back[0], back[1]};
	WORKS(done, H5Dread_multi(2, datasets, types, spaces, spaces, 0, into), "H5Dread_multi",
	      "'count': 2, 'elements': 100, 'bytes': 400, 'datasets': '/group/first, "
	      "/group/second'");
	WORKS(done, H5ESwait(EVENTS, 1000, &going, &failed), "H5ESwait",
	      "'timeout': 1000, 'num_in_progress': 3");
	WORKS(opened, H5Oopen_by_token(group, (token){"first"}), "H5Oopen_by_token",
	      "'loc_id_path': '/group'");
	WORKS(done, H5Dclose(opened), "H5Dclose", "");
	WORKS(opened, H5Dopen_async(HERE, file, "group/first", 0, EVENTS), "H5Dopen_async", SAID);
	WORKS(done, H5Dclose_async(HERE, opened, EVENTS), "H5Dclose_async",
	      SAID ", 'dset_id_path': '/group/first'");
	WORKS(done, H5Dclose_async(HERE, first, EVENTS), "H5Dclose_async",
	      SAID ", 'dset_id_path': '/group/first'");
	WORKS(done, H5Dclose_async(HERE, second, EVENTS), "H5Dclose_async",
	      SAID ", 'dset_id_path': '/group/second'");
	WORKS(done, H5Gclose_async(HERE, group, EVENTS), "H5Gclose_async",
	      SAID ", 'group_id_path': '/group'");
	WORKS(done, H5Fclose_async(HERE, file, EVENTS), "H5Fclose_async", SAID);
	WORKS(done, H5Sclose(space), "H5Sclose", "'space_id_path': 'simple [50]'");
	printf("%s %zu %d\n", back[0][0] == 1 ? "right" : "wrong", going, failed);
	return 0;
}
