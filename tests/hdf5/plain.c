/* Functions of the plain tier with unusual arguments: doubles, variable arguments, callbacks, more arguments than there are
 * registers, results that are pointers or structures' sizes. Prints the outcome of each. */
#include <hdf5.h>
#include <hdf5_hl.h>
#include <stdio.h>
#include <string.h>

static herr_t error_seen(unsigned number, const H5E_error2_t *error, void *unused)
{
	(void)unused;
	printf("  error %u line %u %s\n", number, error->line, error->desc);
	return 0;
}

static herr_t property_set(hid_t list, const char *name, size_t size, void *value)
{
	(void)list;
	printf("  set %s %zu %d\n", name, size, *(int *)value);
	return 0;
}

static herr_t printed(hid_t stack, void *unused)
{
	(void)unused;
	/* The program reads the stack while HDF5 is working on it. */
	printf("  automatically: %ld\n", (long)H5Eget_num(stack));
	return 0;
}

static int property_seen(hid_t list, const char *name, void *count)
{
	(void)list;
	(void)name;
	++*(int *)count;
	return 0;
}

int main(void)
{
	double w0 = 0, left = 0, middle = 0, right = 0;
	size_t slots = 0, bytes = 0;
	int nothing = 0, value = 5, back = 0, at = 0, count = 0;
	unsigned major, minor, release;
	hid_t access = H5Pcreate(H5P_FILE_ACCESS), transfer = H5Pcreate(H5P_DATASET_XFER);
	printf("version %d", H5get_libversion(&major, &minor, &release));
	printf(" open %d check %d\n", H5open(), H5check_version(major, minor, release));
	printf("cache %d", H5Pset_cache(access, 0, 521, 1000, 0.625));
	printf(" %d", H5Pget_cache(access, &nothing, &slots, &bytes, &w0));
	printf(" %zu %zu %g\n", slots, bytes, w0);
	printf("ratios %d", H5Pset_btree_ratios(transfer, 0.125, 0.25, 0.375));
	printf(" %d", H5Pget_btree_ratios(transfer, &left, &middle, &right));
	printf(" %g %g %g\n", left, middle, right);
	hid_t class = H5Pcreate_class(H5P_ROOT, "own", NULL, NULL, NULL, NULL, NULL, NULL);
	printf("register %d\n", H5Pregister2(class, "number", sizeof value, &value, NULL,
					     property_set, NULL, NULL, NULL, NULL, NULL));
	hid_t list = H5Pcreate(class);
	value = 6;
	printf("set %d\n", H5Pset(list, "number", &value));
	printf("get %d", H5Pget(list, "number", &back));
	printf(" %d\n", back);
	printf("inserted %d\n",
	       H5Pinsert2(list, "other", sizeof value, &value, NULL, NULL, NULL, NULL, NULL, NULL));
	printf("iterated %d", H5Piterate(list, &at, property_seen, &count));
	printf(" %d\n", count);
	char *name = H5Pget_class_name(class);
	printf("class %s\n", name);
	H5free_memory(name);

	hid_t own = H5Eregister_class("own class", "own library", "1.0"),
	      maj = H5Ecreate_msg(own, H5E_MAJOR, "major"),
	      min = H5Ecreate_msg(own, H5E_MINOR, "minor"), stack = H5Ecreate_stack();
	printf("push %d\n",
	       H5Epush2(stack, "file.c", "function", 42, own, maj, min, "%s %d %g %ld %s %g",
			"text", 7, 1.5, 123456789012L, "more", 2.25));
	printf("walk %d\n", H5Ewalk2(stack, H5E_WALK_DOWNWARD, error_seen, NULL));
	printf("count %ld", (long)H5Eget_num(stack));
	printf(" pop %d\n", H5Epop(stack, 1));
	H5Eset_auto2(H5E_DEFAULT, printed, NULL);
	printf("fails %d\n", H5Tget_size(12345) == 0);
	hid_t current = H5Eget_current_stack();
	printf("current %ld left %ld\n", (long)H5Eget_num(current), (long)H5Eget_num(H5E_DEFAULT));
	printf("put back %d %ld\n", H5Eset_current_stack(current), (long)H5Eget_num(H5E_DEFAULT));
	H5Eset_auto2(H5E_DEFAULT, NULL, NULL);

	size_t start, end, size, from, length;
	printf("fields %d", H5Tget_fields(H5T_NATIVE_DOUBLE, &start, &end, &size, &from, &length));
	printf(" %zu %zu %zu %zu %zu\n", start, end, size, from, length);
	hid_t type = H5Tcopy(H5T_NATIVE_DOUBLE);
	printf("fields %d\n", H5Tset_fields(type, start, end, size, from, length));
	printf("filter %d\n", H5Zfilter_avail(H5Z_FILTER_DEFLATE));
	printf("memory %d %d\n", H5allocate_memory(16, 1) != NULL, H5Iget_ref(type));
	H5Tclose(type);
	H5Pclose(list);
	H5Pclose_class(class);
	H5Eclose_stack(stack);
	H5Eclose_msg(maj);
	H5Eclose_msg(min);
	H5Eunregister_class(own);
	return 0;
}
