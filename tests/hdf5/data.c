/* Files, groups, datasets, selections, datatypes, property lists and attributes, as their records must describe them. */
#include "lib/expect.h"

#include <hdf5.h>

#include <hdf5_hl.h>
#include <unistd.h>

enum { ROWS = 20, COLUMNS = 10 };

static int data[ROWS * COLUMNS];
static hsize_t size[2] = {ROWS, COLUMNS};

/* A dataset that is larger than HDF5's buffers: a write is one pwrite, a read one pread, at a known place. */
static void large(hid_t file)
{
	enum { MANY = 40000 };
	hsize_t many[1] = {MANY}, start[1] = {1000}, count[1] = {30000};
	int *numbers = calloc(MANY, sizeof *numbers);
	hid_t space, memory, dataset;
	herr_t done;
	WORKS(space, H5Screate_simple(1, many, NULL), "H5Screate_simple", "'dims': '[40000]'");
	WORKS(dataset, H5Dcreate2(file, "large", H5T_NATIVE_INT, space, 0, 0, 0), "H5Dcreate2",
	      "'name': 'large'");
	WORKS(done, H5Dwrite(dataset, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, 0, numbers), "H5Dwrite",
	      "'elements': 40000, 'bytes': 160000, 'inside': [['pwrite', %lld, 160000]]",
	      (long long)H5Dget_offset(dataset));
	expect("H5Dget_offset", 0, "'dset_id_path': '/large'");
	WORKS(done, H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL),
	      "H5Sselect_hyperslab", "'selection': 'hyperslab start=[1000] count=[30000]'");
	WORKS(memory, H5Screate_simple(1, count, NULL), "H5Screate_simple", "'dims': '[30000]'");
	WORKS(done, H5Dread(dataset, H5T_NATIVE_INT, memory, space, 0, numbers), "H5Dread",
	      "'elements': 30000, 'bytes': 120000, 'inside': [['pread', %lld, 120000]]",
	      (long long)H5Dget_offset(dataset) + 4000);
	expect("H5Dget_offset", 0, "'dset_id_path': '/large'");
	WORKS(done, H5Dclose(dataset), "H5Dclose", "'dset_id_path': '/large'");
	WORKS(done, H5Sclose(memory), "H5Sclose", "");
	WORKS(done, H5Sclose(space), "H5Sclose", "");
	free(numbers);
}

static void contiguous(hid_t file)
{
	hsize_t start[2] = {2, 0}, count[2] = {3, COLUMNS};
	hid_t space, memory, dataset, early;
	herr_t done;
	WORKS(early, H5Pcreate(H5P_DATASET_CREATE), "H5Pcreate",
	      "'cls_id_path': 'H5P_DATASET_CREATE'");
	WORKS(done, H5Pset_alloc_time(early, H5D_ALLOC_TIME_EARLY), "H5Pset_alloc_time",
	      "'plist_id_path': 'dataset create', 'alloc_time': 'H5D_ALLOC_TIME_EARLY'");
	WORKS(space, H5Screate_simple(2, size, NULL), "H5Screate_simple",
	      "'rank': 2, 'dims': '[20,10]', 'maxdims': null");
	WORKS(dataset,
	      H5Dcreate2(file, "plain", H5T_NATIVE_INT, space, H5P_DEFAULT, early, H5P_DEFAULT),
	      "H5Dcreate2",
	      "'name': 'plain', 'type_id_path': 'H5T_NATIVE_INT', 'space_id_path': 'simple "
	      "[20,10]', "
	      "'lcpl_id_path': 'H5P_DEFAULT', 'dcpl_id_path': 'dataset create: alloc_time=early', "
	      "'dapl_id_path': 'H5P_DEFAULT'");
	WORKS(done, H5Dwrite(dataset, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, data),
	      "H5Dwrite",
	      "'dset_id_path': '/plain', 'mem_type_id_path': 'H5T_NATIVE_INT', "
	      "'mem_space_id_path': 'H5S_ALL', "
	      "'file_space_id_path': 'H5S_ALL', 'dxpl_id_path': 'H5P_DEFAULT', 'elements': 200, "
	      "'bytes': 800, "
	      "'transfer': 'H5FD_MPIO_INDEPENDENT', 'selection': 'all'");
	WORKS(done, H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL),
	      "H5Sselect_hyperslab",
	      "'space_id_path': 'simple [20,10]', 'op': 'H5S_SELECT_SET', "
	      "'selection': 'hyperslab start=[2,0] count=[3,10]'");
	WORKS(memory, H5Screate_simple(2, count, NULL), "H5Screate_simple", "'dims': '[3,10]'");
	WORKS(done, H5Dread(dataset, H5T_NATIVE_INT, memory, space, H5P_DEFAULT, data), "H5Dread",
	      "'mem_space_id_path': 'simple [3,10]', 'file_space_id_path': 'simple [20,10]', "
	      "'elements': 30, 'bytes': 120, "
	      "'selection': 'hyperslab start=[2,0] count=[3,10]'");
	WORKS(done,
	      H5Dread(dataset, H5T_NATIVE_LLONG, memory, space, H5P_DEFAULT, (long long[30]){0}),
	      "H5Dread", "'mem_type_id_path': 'H5T_NATIVE_LLONG', 'elements': 30, 'bytes': 240");
	WORKS(done, H5Dclose(dataset), "H5Dclose", "'dset_id_path': '/plain'");
	WORKS(done, H5Sclose(memory), "H5Sclose", "'space_id_path': 'simple [3,10]'");
	WORKS(done, H5Sclose(space), "H5Sclose", "'space_id_path': 'simple [20,10]'");
	WORKS(done, H5Pclose(early), "H5Pclose",
	      "'plist_id_path': 'dataset create: alloc_time=early'");
}

/* Names: from groups, with useless parts, absolute. */
static void names(hid_t file)
{
	hid_t outer, inner, root, opened;
	herr_t done;
	WORKS(outer, H5Gcreate2(file, "outer", 0, 0, 0), "H5Gcreate2", "'name': 'outer'");
	WORKS(inner, H5Gcreate2(outer, ".//inner/", 0, 0, 0), "H5Gcreate2",
	      "'loc_id_path': '/outer', 'name': './/inner/'");
	WORKS(root, H5Gopen2(inner, "/", 0), "H5Gopen2",
	      "'loc_id_path': '/outer/inner', 'name': '/'");
	WORKS(opened, H5Oopen(root, "outer/./inner", 0), "H5Oopen", "'loc_id_path': '/'");
	WORKS(done, H5Oclose(opened), "H5Oclose", "'object_id_path': '/outer/inner'");
	WORKS(opened, H5Dopen2(inner, "/plain", 0), "H5Dopen2", "'loc_id_path': '/outer/inner'");
	/* The extent of the opened object is not known: the recorder asks HDF5. */
	WORKS(done, H5Dread(opened, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, 0, data), "H5Dread",
	      "'dset_id_path': '/plain', 'elements': 200, 'bytes': 800, 'selection': 'all'");
	WORKS(done, H5Iinc_ref(opened), "H5Iinc_ref", "'id_path': '/plain'");
	WORKS(done, H5Dclose(opened), "H5Dclose", "'dset_id_path': '/plain'");
	WORKS(done, H5Dflush(opened), "H5Dflush", "'dset_id_path': '/plain'");
	WORKS(done, H5Idec_ref(opened), "H5Idec_ref", "'id_path': '/plain'");
	WORKS(opened, H5Oopen_by_idx(file, "outer", H5_INDEX_NAME, H5_ITER_INC, 0, 0),
	      "H5Oopen_by_idx",
	      "'group_name': 'outer', 'idx_type': 'H5_INDEX_NAME', 'order': 'H5_ITER_INC', 'n': 0");
	WORKS(done, H5Gclose(opened), "H5Gclose", "'group_id_path': '/outer/inner'");
	WORKS(done, H5Gclose(root), "H5Gclose", "'group_id_path': '/'");
	WORKS(done, H5Gclose(inner), "H5Gclose", "'group_id_path': '/outer/inner'");
	WORKS(done, H5Gclose(outer), "H5Gclose", "'group_id_path': '/outer'");
}

static void selections(hid_t file)
{
	hsize_t most[2] = {H5S_UNLIMITED, COLUMNS}, start[2] = {1, 2}, stride[2] = {4, 3},
		count[2] = {2, 2}, block[2] = {1, 2}, points[6] = {0, 0, 3, 4, 7, 8};
	hssize_t offset[2] = {1, -1}, inside[2] = {1, 1};
	hid_t space, copy, dataset, list;
	herr_t done;
	WORKS(space, H5Screate_simple(2, size, most), "H5Screate_simple", "'maxdims': '[-1,10]'");
	WORKS(list, H5Pcreate(H5P_DATASET_CREATE), "H5Pcreate",
	      "'cls_id_path': 'H5P_DATASET_CREATE'");
	WORKS(done, H5Pset_chunk(list, 2, (hsize_t[2]){5, 5}), "H5Pset_chunk",
	      "'ndims': 2, 'dim': '[5,5]'");
	WORKS(done, H5Pset_deflate(list, 3), "H5Pset_deflate",
	      "'plist_id_path': 'dataset create: chunk=[5,5]', 'level': 3");
	WORKS(done, H5Pset_shuffle(list), "H5Pset_shuffle",
	      "'plist_id_path': 'dataset create: chunk=[5,5]; deflate=3'");
	WORKS(done, H5Pset_chunk(list, 2, (hsize_t[2]){10, 5}), "H5Pset_chunk", "'dim': '[10,5]'");
	WORKS(copy, H5Pcopy(list), "H5Pcopy",
	      "'plist_id_path': 'dataset create: deflate=3; shuffle; chunk=[10,5]'");
	WORKS(done, H5Pclose(list), "H5Pclose",
	      "'plist_id_path': 'dataset create: deflate=3; shuffle; chunk=[10,5]'");
	WORKS(dataset, H5Dcreate2(file, "chunked", H5T_STD_I64BE, space, 0, copy, 0), "H5Dcreate2",
	      "'type_id_path': 'H5T_STD_I64BE', 'space_id_path': 'simple [20,10] max "
	      "[unlimited,10]', "
	      "'dcpl_id_path': 'dataset create: deflate=3; shuffle; chunk=[10,5]'");
	WORKS(done, H5Pclose(copy), "H5Pclose",
	      "'plist_id_path': 'dataset create: deflate=3; shuffle; chunk=[10,5]'");
	WORKS(done, H5Sselect_hyperslab(space, H5S_SELECT_SET, start, stride, count, block),
	      "H5Sselect_hyperslab",
	      "'selection': 'hyperslab start=[1,2] stride=[4,3] count=[2,2] block=[1,2]'");
	WORKS(done, H5Dwrite(dataset, H5T_NATIVE_INT, space, space, 0, data), "H5Dwrite",
	      "'elements': 8, 'bytes': 32, 'selection': 'hyperslab start=[1,2] stride=[4,3] "
	      "count=[2,2] block=[1,2]'");
	WORKS(done, H5Sselect_hyperslab(space, H5S_SELECT_OR, start, NULL, count, NULL),
	      "H5Sselect_hyperslab",
	      "'op': 'H5S_SELECT_OR', 'selection': 'hyperslab start=[1,2] count=[2,2]'");
	WORKS(done, H5Dwrite(dataset, H5T_NATIVE_INT, space, space, 0, data), "H5Dwrite",
	      "'elements': 10, 'bytes': 40, 'selection': "
	      "'hyperslab start=[1,2] stride=[4,3] count=[2,2] block=[1,2] or hyperslab "
	      "start=[1,2] count=[2,2]'");
	WORKS(copy, H5Scopy(space), "H5Scopy",
	      "'space_id_path': 'simple [20,10] max [unlimited,10]'");
	WORKS(done, H5Sselect_elements(space, H5S_SELECT_SET, 3, points), "H5Sselect_elements",
	      "'num_elem': 3, 'selection': 'points 3: [0,0] [3,4] [7,8]'");
	WORKS(done, H5Dread(dataset, H5T_NATIVE_INT, space, space, 0, data), "H5Dread",
	      "'elements': 3, 'bytes': 12, 'selection': 'points 3: [0,0] [3,4] [7,8]'");
	WORKS(done, H5Dread(dataset, H5T_NATIVE_INT, copy, copy, 0, data), "H5Dread",
	      "'elements': 10, 'selection': "
	      "'hyperslab start=[1,2] stride=[4,3] count=[2,2] block=[1,2] or hyperslab "
	      "start=[1,2] count=[2,2]'");
	WORKS(done, H5Soffset_simple(space, inside), "H5Soffset_simple", "'moved_by': '[1,1]'");
	WORKS(done, H5Dread(dataset, H5T_NATIVE_INT, space, space, 0, data), "H5Dread",
	      "'elements': 3, 'bytes': 12, 'selection': "
	      "'points 3: [0,0] [3,4] [7,8] moved by [1,1]'");
	WORKS(done, H5Soffset_simple(space, offset), "H5Soffset_simple", "'moved_by': '[1,-1]'");
	WORKS(done, H5Sselect_none(space), "H5Sselect_none",
	      "'spaceid_path': 'simple [20,10] max [unlimited,10]'");
	WORKS(done, H5Dread(dataset, H5T_NATIVE_INT, space, space, 0, data), "H5Dread",
	      "'elements': 0, 'bytes': 0, 'selection': 'none'");
	WORKS(done, H5Sselect_copy(space, copy), "H5Sselect_copy",
	      "'dst_id_path': 'simple [20,10] max [unlimited,10]'");
	WORKS(done, H5Dread(dataset, H5T_NATIVE_INT, space, space, 0, data), "H5Dread",
	      "'elements': 10, 'selection': 'hyperslabs'");
	WORKS(done, H5Sclose(copy), "H5Sclose",
	      "'space_id_path': 'simple [20,10] max [unlimited,10]'");
	WORKS(done, H5Dset_extent(dataset, (hsize_t[2]){40, COLUMNS}), "H5Dset_extent",
	      "'dset_id_path': '/chunked', 'extent': '[40,10]'");
	int *whole = malloc(400 * sizeof *whole);
	WORKS(done, H5Dread(dataset, H5T_NATIVE_INT, 0, 0, 0, whole), "H5Dread",
	      "'elements': 400, 'bytes': 1600");
	free(whole);
	WORKS(copy, H5Dget_space(dataset), "H5Dget_space", "'dset_id_path': '/chunked'");
	WORKS(done, H5Sclose(copy), "H5Sclose",
	      "'space_id_path': 'simple [40,10] max [unlimited,10]'");
	WORKS(done, H5Dwrite_chunk(dataset, 0, 1, (hsize_t[2]){10, 5}, 400, data), "H5Dwrite_chunk",
	      "'dset_id_path': '/chunked', 'filters': 1, 'data_size': 400, 'bytes': 400, "
	      "'position': '[10,5]'");
	uint32_t filters = 0;
	WORKS(done, H5Dread_chunk(dataset, 0, (hsize_t[2]){10, 5}, &filters, data), "H5Dread_chunk",
	      "'filters': %u, 'bytes': 400, 'position': '[10,5]'", filters);
	WORKS(done, H5Dclose(dataset), "H5Dclose", "'dset_id_path': '/chunked'");
	WORKS(done, H5Sclose(space), "H5Sclose",
	      "'space_id_path': 'simple [20,10] max [unlimited,10]'");
}

/* A dataset that is open more than once, in a file that is: changes by one handle are seen by all. */
static void open_twice(hid_t file)
{
	hsize_t most[2] = {H5S_UNLIMITED, H5S_UNLIMITED}, small[2] = {2, 5};
	hid_t space, list, first, second, third, again;
	herr_t done;
	int *whole = calloc(400, sizeof *whole);
	WORKS(space, H5Screate_simple(2, small, most), "H5Screate_simple", "");
	WORKS(list, H5Pcreate(H5P_DATASET_CREATE), "H5Pcreate", "");
	WORKS(done, H5Pset_chunk(list, 2, small), "H5Pset_chunk", "");
	WORKS(first, H5Dcreate2(file, "twice", H5T_NATIVE_INT, space, 0, list, 0), "H5Dcreate2",
	      "");
	WORKS(again, H5Freopen(file), "H5Freopen", "");
	WORKS(second, H5Dopen2(file, "twice", 0), "H5Dopen2", "");
	WORKS(third, H5Dopen2(again, "twice", 0), "H5Dopen2", "");
	WORKS(done, H5Dread(second, H5T_NATIVE_INT, 0, 0, 0, whole), "H5Dread", "'elements': 10");
	WORKS(done, H5Dread(third, H5T_NATIVE_INT, 0, 0, 0, whole), "H5Dread", "'elements': 10");
	WORKS(done, H5Dset_extent(first, size), "H5Dset_extent", "'extent': '[20,10]'");
	WORKS(done, H5Dread(first, H5T_NATIVE_INT, 0, 0, 0, whole), "H5Dread", "'elements': 200");
	WORKS(done, H5Dread(second, H5T_NATIVE_INT, 0, 0, 0, whole), "H5Dread", "'elements': 200");
	WORKS(done, H5Dread(third, H5T_NATIVE_INT, 0, 0, 0, whole), "H5Dread", "'elements': 200");
	/* This one makes nothing smaller. */
	WORKS(done, H5Dextend(second, (hsize_t[2]){10, 20}), "H5Dextend", "'extent': '[10,20]'");
	WORKS(done, H5Dwrite(second, H5T_NATIVE_INT, 0, 0, 0, whole), "H5Dwrite",
	      "'elements': 400");
	WORKS(done, H5Dwrite(first, H5T_NATIVE_INT, 0, 0, 0, whole), "H5Dwrite", "'elements': 400");
	WORKS(done, H5Dclose(first), "H5Dclose", "");
	WORKS(done, H5Dclose(second), "H5Dclose", "");
	WORKS(done, H5Dclose(third), "H5Dclose", "");
	/* The rank of the opened object is not known: the recorder asks HDF5. */
	WORKS(first, H5Dopen2(file, "twice", 0), "H5Dopen2", "");
	WORKS(done, H5Dset_extent(first, small), "H5Dset_extent", "'extent': '[2,5]'");
	WORKS(done, H5Dread(first, H5T_NATIVE_INT, 0, 0, 0, whole), "H5Dread", "'elements': 10");
	WORKS(done, H5Dclose(first), "H5Dclose", "");
	WORKS(done, H5Fclose(again), "H5Fclose", "");
	WORKS(done, H5Pclose(list), "H5Pclose", "");
	WORKS(done, H5Sclose(space), "H5Sclose", "");
	free(whole);
}

/* Places with an unknown path: objects found there are not at the root. */
static void without_names(hid_t file)
{
	hid_t group, inner, dataset, space, attribute;
	hobj_ref_t reference;
	hdset_reg_ref_t region;
	herr_t done;
	WORKS(space, H5Screate_simple(2, size, NULL), "H5Screate_simple", "");
	WORKS(group, H5Gcreate_anon(file, 0, 0), "H5Gcreate_anon", "");
	WORKS(inner, H5Gcreate2(group, "inner", 0, 0, 0), "H5Gcreate2",
	      "'loc_id_path': '(anonymous)'");
	WORKS(dataset, H5Dcreate2(inner, "data", H5T_NATIVE_INT, space, 0, 0, 0), "H5Dcreate2",
	      "'loc_id_path': '?/inner'");
	WORKS(attribute, H5Acreate2(dataset, "units", H5T_NATIVE_INT, space, 0, 0), "H5Acreate2",
	      "");
	WORKS(done, H5Aclose(attribute), "H5Aclose", "'attr_id_path': '?/inner/data@units'");
	WORKS(done, H5Dclose(dataset), "H5Dclose", "'dset_id_path': '?/inner/data'");
	WORKS(dataset, H5Dopen2(inner, "/plain", 0), "H5Dopen2", "");
	/* The space is that of the reference's target. */
	WORKS(done, H5Rcreate(&region, file, "large", H5R_DATASET_REGION, space), "H5Rcreate", "");
	WORKS(done, H5Dread(dataset, H5T_NATIVE_INT, 0, 0, 0, data), "H5Dread", "'elements': 200");
	WORKS(done, H5Sclose(space), "H5Sclose", "");
	WORKS(space, H5Rget_region(dataset, H5R_DATASET_REGION, &region), "H5Rget_region", "");
	WORKS(done, H5Dread(dataset, H5T_NATIVE_INT, 0, 0, 0, data), "H5Dread",
	      "'dset_id_path': '/plain', 'elements': 200");
	WORKS(done, H5Dclose(dataset), "H5Dclose", "'dset_id_path': '/plain'");
	WORKS(done, H5Gclose(inner), "H5Gclose", "'group_id_path': '?/inner'");
	WORKS(done, H5Gclose(group), "H5Gclose", "'group_id_path': '(anonymous)'");
	WORKS(done, H5Rcreate(&reference, file, "outer", H5R_OBJECT, -1), "H5Rcreate", "");
	WORKS(group, H5Rdereference2(file, 0, H5R_OBJECT, &reference), "H5Rdereference2", "");
	WORKS(inner, H5Gopen2(group, "inner", 0), "H5Gopen2", "");
	WORKS(done, H5Gclose(inner), "H5Gclose", "'group_id_path': '?/inner'");
	WORKS(done, H5Gclose(group), "H5Gclose", "");
	WORKS(done, H5Sclose(space), "H5Sclose", "");
}

static void types_and_attributes(hid_t file)
{
	hid_t record, text, scalar, attribute, dataset, type;
	herr_t done;
	int value = 5;
	WORKS(record, H5Tcreate(H5T_COMPOUND, 16), "H5Tcreate",
	      "'type': 'H5T_COMPOUND', 'size': 16");
	WORKS(done, H5Tinsert(record, "number", 0, H5T_NATIVE_INT), "H5Tinsert",
	      "'parent_id_path': 'compound 16', 'name': 'number', 'offset': 0, 'member_id_path': "
	      "'H5T_NATIVE_INT'");
	WORKS(done, H5Tcommit2(file, "outer/record", record, 0, 0, 0), "H5Tcommit2",
	      "'type_id_path': 'compound 16'");
	WORKS(done, H5Tclose(record), "H5Tclose", "'type_id_path': '/outer/record'");
	WORKS(text, H5Tcopy(H5T_C_S1), "H5Tcopy", "'type_id_path': 'H5T_C_S1'");
	WORKS(done, H5Tset_size(text, 12), "H5Tset_size", "'type_id_path': 'string 1', 'size': 12");
	WORKS(done, H5Tset_size(text, H5T_VARIABLE), "H5Tset_size", "'type_id_path': 'string 12'");
	WORKS(done, H5Tclose(text), "H5Tclose", "'type_id_path': 'string'");
	/* These two leave no record unless requested, but the type changes. */
	WORKS(type, H5Tcopy(H5T_NATIVE_INT), "H5Tcopy", "");
	if (H5Tset_precision(type, 64) < 0)
		stop("H5Tset_precision");
	WORKS(done, H5Tclose(type), "H5Tclose", "'type_id_path': 'integer 8'");
	WORKS(type, H5Tcopy(H5T_NATIVE_SHORT), "H5Tcopy", "");
	if (H5Tset_offset(type, 8) < 0)
		stop("H5Tset_offset");
	WORKS(done, H5Tclose(type), "H5Tclose", "'type_id_path': 'integer 3'");
	WORKS(scalar, H5Screate(H5S_SCALAR), "H5Screate", "'type': 'H5S_SCALAR'");
	WORKS(dataset, H5Dopen2(file, "plain", 0), "H5Dopen2", "'name': 'plain'");
	WORKS(type, H5Dget_type(dataset), "H5Dget_type", "'dset_id_path': '/plain'");
	WORKS(done, H5Tclose(type), "H5Tclose", "'type_id_path': 'integer 4'");
	WORKS(attribute, H5Acreate2(dataset, "units", H5T_STD_I16LE, scalar, 0, 0), "H5Acreate2",
	      "'loc_id_path': '/plain', 'attr_name': 'units', 'type_id_path': 'H5T_STD_I16LE', "
	      "'space_id_path': 'scalar'");
	WORKS(done, H5Awrite(attribute, H5T_NATIVE_INT, &value), "H5Awrite",
	      "'attr_id_path': '/plain@units', 'bytes': 2");
	WORKS(done, H5Aclose(attribute), "H5Aclose", "'attr_id_path': '/plain@units'");
	WORKS(attribute, H5Aopen_by_name(file, "plain", "units", 0, 0), "H5Aopen_by_name",
	      "'obj_name': 'plain'");
	WORKS(done, H5Aread(attribute, H5T_NATIVE_INT, &value), "H5Aread",
	      "'attr_id_path': '/plain@units', 'bytes': 2");
	WORKS(done, H5Aclose(attribute), "H5Aclose", "'attr_id_path': '/plain@units'");
	WORKS(attribute, H5Aopen_by_idx(file, "plain", H5_INDEX_NAME, H5_ITER_INC, 0, 0, 0),
	      "H5Aopen_by_idx", "'n': 0");
	WORKS(done, H5Aclose(attribute), "H5Aclose", "'attr_id_path': '/plain@units'");
	WORKS(done, H5Dclose(dataset), "H5Dclose", "'dset_id_path': '/plain'");
	WORKS(done, H5Sclose(scalar), "H5Sclose", "'space_id_path': 'scalar'");
}

/* A list that HDF5 returns; and a file that is closed before the objects in it. */
static void opened_again(const char *name)
{
	hid_t file, dataset, list;
	herr_t done;
	WORKS(file, H5Fopen(name, H5F_ACC_RDONLY, 0), "H5Fopen", "");
	WORKS(dataset, H5Dopen2(file, "chunked", 0), "H5Dopen2", "");
	WORKS(list, H5Dget_create_plist(dataset), "H5Dget_create_plist",
	      "'dset_id_path': '/chunked'");
	WORKS(done, H5Pclose(list), "H5Pclose",
	      "'plist_id_path': 'dataset create: chunk=[10,5]; deflate=3; shuffle'");
	WORKS(done, H5Fclose(file), "H5Fclose", "");
	/* As many records as fill a small lane: each block describes the dataset again. */
	for (int i = 0; i < 1000; i++)
		WORKS(done, H5Dflush(dataset), "H5Dflush", "'dset_id_path': '/chunked'");
	WORKS(done, H5Dclose(dataset), "H5Dclose", "'dset_id_path': '/chunked'");
}

/* The high level library gets identifiers of the other one, and calls it. */
static void high_level(hid_t file, const char *path)
{
	herr_t done;
	WORKS(done, H5LTmake_dataset_int(file, "simple", 2, size, data), "H5LTmake_dataset_int",
	      "'loc_id_path': '%s', 'dset_name': 'simple', 'rank': 2, 'dims': '[20,10]'", path);
	WORKS(done, H5LTread_dataset(file, "simple", H5T_NATIVE_INT, data), "H5LTread_dataset",
	      "'loc_id_path': '%s', 'type_id_path': 'H5T_NATIVE_INT'", path);
}

static void failures(hid_t file)
{
	H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
	expect("H5Dopen2", H5Dopen2(file, "nowhere", 0), "'name': 'nowhere'");
	long errors = H5Eget_num(H5E_DEFAULT);
	expect("H5Dwrite", H5Dwrite(77, H5T_NATIVE_INT, 0, 0, 0, data),
	       "'file_space_id_path': 'H5S_ALL'");
	expect("H5Dset_extent", H5Dset_extent(file, size), "");
	expect("H5Fopen", H5Fopen("nowhere.h5", H5F_ACC_RDWR, 0),
	       "'filename': 'nowhere.h5', 'flags': 'H5F_ACC_RDWR'");
	expect("H5Sselect_hyperslab",
	       H5Sselect_hyperslab(99, H5S_SELECT_SET, size, NULL, size, NULL), "");
	if (!errors || !H5Eget_num(H5E_DEFAULT))
		stop("the stack of errors is empty");
}

int main(int count, char **arguments)
{
	const char *name = count > 1 ? arguments[1] : "data.h5";
	char folder[2048], path[4096];
	snprintf(path, sizeof path, "%s/%s", getcwd(folder, sizeof folder), name);
	hid_t file, access;
	herr_t done;
	WORKS(file, H5Fcreate(name, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), "H5Fcreate",
	      "'filename': '%s', 'flags': 'H5F_ACC_TRUNC', 'fcpl_id_path': 'H5P_DEFAULT', "
	      "'fapl_id_path': 'H5P_DEFAULT'",
	      name);
	large(file);
	contiguous(file);
	names(file);
	selections(file);
	open_twice(file);
	without_names(file);
	types_and_attributes(file);
	high_level(file, path);
	failures(file);
	WORKS(done, H5Fflush(file, H5F_SCOPE_LOCAL), "H5Fflush", "'scope': 'H5F_SCOPE_LOCAL'");
	WORKS(done, H5Fclose(file), "H5Fclose", "'file_id_path': '%s'", path);
	WORKS(access, H5Pcreate(H5P_FILE_ACCESS), "H5Pcreate", "'cls_id_path': 'H5P_FILE_ACCESS'");
	WORKS(done, H5Pset_fclose_degree(access, H5F_CLOSE_STRONG), "H5Pset_fclose_degree",
	      "'degree': 'H5F_CLOSE_STRONG'");
	WORKS(done, H5Pset_fapl_stdio(access), "H5Pset_fapl_stdio",
	      "'fapl_id_path': 'file access: fclose_degree=strong'");
	WORKS(file, H5Fopen(name, H5F_ACC_RDONLY, access), "H5Fopen",
	      "'flags': 'H5F_ACC_RDONLY', 'fapl_id_path': 'file access: fclose_degree=strong; "
	      "driver=stdio'");
	WORKS(done, H5Dopen2(file, "plain", 0) < 0 ? -1 : 0, "H5Dopen2", "");
	WORKS(done, H5Fclose(file), "H5Fclose", "");
	WORKS(done, H5Pclose(access), "H5Pclose",
	      "'plist_id_path': 'file access: fclose_degree=strong; driver=stdio'");
	opened_again(name);
	puts("done");
	return 0;
}
