/* Calls nearly every function of HDF5 that has a full row, some of them so that they fail, and prints the outcome of each: result,
 * identifier, and the number of errors on HDF5's stack. It must print the same with and without Varve: identifiers are numbered, so
 * that one made by Varve would be seen, and a call by Varve would have cleared the stack. */
#include <hdf5.h>
#include <hdf5_hl.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static hid_t shown(const char *call, int64_t result)
{
	/* The stack is read before anything else is called. */
	long errors = (long)H5Eget_num(H5E_DEFAULT);
	char name[64];
	sscanf(call + strcspn(call, "H"), "%63[A-Za-z0-9_]", name);
	printf("%-34s %" PRIx64 " errors %ld\n", name, (uint64_t)result, errors);
	return result;
}
#define DO(call) shown(#call, (int64_t)(call))

enum { ROWS = 20, COLUMNS = 10 };
static int data[ROWS * COLUMNS], read_back[ROWS * COLUMNS];
static long long_back[ROWS * COLUMNS];

static void sum_of(const char *what)
{
	long sum = 0;
	for (int i = 0; i < ROWS * COLUMNS; i++)
		sum = sum * 31 % 1000003 + read_back[i];
	printf("%s %ld\n", what, sum);
	memset(read_back, 0, sizeof read_back);
}

static herr_t link_seen(hid_t group, const char *name, const H5L_info_t *info, void *data_)
{
	H5O_info_t about;
	(void)data_;
	printf("  link %s type %d there %d\n", name, info->type,
	       H5Oget_info_by_name2(group, name, &about, H5O_INFO_BASIC, 0) >= 0);
	return 0;
}

static herr_t object_seen(hid_t object, const char *name, const H5O_info_t *info, void *data_)
{
	(void)object;
	(void)data_;
	printf("  object %s type %d\n", name, info->type);
	return 0;
}

static herr_t attribute_seen(hid_t object, const char *name, const H5A_info_t *info, void *data_)
{
	(void)data_;
	printf("  attribute %s %d there %d\n", name, (int)info->data_size,
	       H5Aexists(object, name) > 0);
	return 0;
}

static herr_t attribute_seen_before(hid_t object, const char *name, void *data_)
{
	(void)object;
	(void)data_;
	printf("  attribute %s\n", name);
	return 0;
}

static herr_t group_seen(hid_t group, const char *name, void *data_)
{
	(void)group;
	(void)data_;
	printf("  member %s\n", name);
	return 0;
}

static herr_t element_seen(void *element, hid_t type, unsigned ndim, const hsize_t *point,
			   void *sum)
{
	(void)type;
	(void)ndim;
	(void)point;
	*(long *)sum += *(int *)element;
	return 0;
}

static herr_t gathered(const void *buffer, size_t size, void *sum)
{
	(void)buffer;
	*(size_t *)sum += size;
	return 0;
}

static herr_t scattering(const void **from, size_t *size, void *unused)
{
	(void)unused;
	*from = data;
	*size = 10 * sizeof(int);
	return 0;
}

static herr_t appended(hid_t dataset, hsize_t *size, void *unused)
{
	(void)dataset;
	(void)size;
	(void)unused;
	return 0;
}

static void properties(void)
{
	hsize_t chunk[2] = {5, 5}, edge[1] = {4};
	unsigned values[1] = {3};
	int fill = 7;
	hid_t dataset = DO(H5Pcreate(H5P_DATASET_CREATE)),
	      space = DO(H5Screate_simple(1, edge, NULL));
	DO(H5Pset_chunk(dataset, 2, chunk));
	DO(H5Pset_chunk(dataset, -1, chunk)); /* fails */
	DO(H5Pset_chunk_opts(dataset, 0));
	DO(H5Pset_deflate(dataset, 6));
	DO(H5Pset_deflate(dataset, 60)); /* fails */
	DO(H5Pset_shuffle(dataset));
	DO(H5Pset_fletcher32(dataset));
	DO(H5Pset_nbit(dataset));
	DO(H5Pset_szip(dataset, H5_SZIP_NN_OPTION_MASK, 8));
	DO(H5Pset_scaleoffset(dataset, H5Z_SO_INT, 0));
	DO(H5Pset_filter(dataset, H5Z_FILTER_DEFLATE, H5Z_FLAG_OPTIONAL, 1, values));
	DO(H5Pmodify_filter(dataset, H5Z_FILTER_DEFLATE, H5Z_FLAG_OPTIONAL, 1, values));
	DO(H5Premove_filter(dataset, H5Z_FILTER_SZIP));
	DO(H5Pget_nfilters(dataset));
	DO(H5Pset_alloc_time(dataset, H5D_ALLOC_TIME_EARLY));
	DO(H5Pset_fill_time(dataset, H5D_FILL_TIME_IFSET));
	DO(H5Pset_fill_value(dataset, H5T_NATIVE_INT, &fill));
	DO(H5Pset_dset_no_attrs_hint(dataset, 1));
	DO(H5Pset_attr_creation_order(dataset, H5P_CRT_ORDER_TRACKED));
	DO(H5Pset_attr_phase_change(dataset, 8, 6));
	DO(H5Pset_obj_track_times(dataset, 0));
	hid_t copy = DO(H5Pcopy(dataset));
	DO(H5Pequal(copy, dataset));
	DO(H5Pset_layout(copy, H5D_CONTIGUOUS));
	DO(H5Pclose(copy));
	DO(H5Pclose(dataset));
	dataset = DO(H5Pcreate(H5P_DATASET_CREATE));
	DO(H5Pset_external(dataset, "raw.data", 0, 16));
	DO(H5Pclose(dataset));
	dataset = DO(H5Pcreate(H5P_DATASET_CREATE));
	DO(H5Pset_virtual(dataset, space, "other.h5", "/x", space));
	DO(H5Pclose(dataset));
	DO(H5Sclose(space));

	hid_t access = DO(H5Pcreate(H5P_DATASET_ACCESS));
	DO(H5Pset_chunk_cache(access, 521, 1 << 20, 0.5));
	DO(H5Pset_efile_prefix(access, "."));
	DO(H5Pset_virtual_prefix(access, "."));
	DO(H5Pset_virtual_printf_gap(access, 1));
	DO(H5Pset_virtual_view(access, H5D_VDS_FIRST_MISSING));
	DO(H5Pset_append_flush(access, 1, edge, appended, NULL));
	DO(H5Pclose(access));

	hid_t file = DO(H5Pcreate(H5P_FILE_ACCESS));
	DO(H5Pset_alignment(file, 1, 4096));
	DO(H5Pset_cache(file, 0, 521, 1 << 20, 0.75));
	DO(H5Pset_libver_bounds(file, H5F_LIBVER_EARLIEST, H5F_LIBVER_LATEST));
	DO(H5Pset_fclose_degree(file, H5F_CLOSE_STRONG));
	DO(H5Pset_sieve_buf_size(file, 4096));
	DO(H5Pset_meta_block_size(file, 4096));
	DO(H5Pset_small_data_block_size(file, 4096));
	DO(H5Pset_page_buffer_size(file, 65536, 10, 10));
	DO(H5Pset_file_locking(file, 1, 1));
	DO(H5Pset_evict_on_close(file, 0));
	DO(H5Pset_gc_references(file, 0));
	DO(H5Pset_elink_file_cache_size(file, 2));
	DO(H5Pset_metadata_read_attempts(file, 3));
	DO(H5Pset_core_write_tracking(file, 1, 4096));
	DO(H5Pset_family_offset(file, 0));
	DO(H5Pset_multi_type(file, H5FD_MEM_DEFAULT));
	DO(H5Pset_mdc_log_options(file, 1, "mdc.log", 0));
	H5AC_cache_config_t config = {.version = H5AC__CURR_CACHE_CONFIG_VERSION};
	DO(H5Pget_mdc_config(file, &config));
	DO(H5Pset_mdc_config(file, &config));
	H5AC_cache_image_config_t image = {.version = H5AC__CURR_CACHE_IMAGE_CONFIG_VERSION,
					   .entry_ageout = H5AC__CACHE_IMAGE__ENTRY_AGEOUT__NONE};
	DO(H5Pset_mdc_image_config(file, &image));
	DO(H5Pset_file_image(file, data, 16));
	DO(H5Pset_fapl_sec2(file));
	DO(H5Pset_fapl_stdio(file));
	DO(H5Pset_fapl_log(file, "vfd.log", H5FD_LOG_LOC_IO, 0));
	DO(H5Pset_fapl_family(file, 1 << 20, H5P_DEFAULT));
	DO(H5Pset_fapl_split(file, ".meta", H5P_DEFAULT, ".raw", H5P_DEFAULT));
	DO(H5Pset_fapl_multi(file, NULL, NULL, NULL, NULL, 1));
	DO(H5Pset_driver(file, H5FD_SEC2, NULL));
	DO(H5Pclose(file));
	file = DO(H5Pcreate(H5P_FILE_ACCESS));
	DO(H5Pset_fapl_core(file, 4096, 0));
	DO(H5Pclose(file));

	hid_t create = DO(H5Pcreate(H5P_FILE_CREATE));
	DO(H5Pset_userblock(create, 512));
	DO(H5Pset_sizes(create, 8, 8));
	DO(H5Pset_sym_k(create, 16, 4));
	DO(H5Pset_istore_k(create, 32));
	DO(H5Pset_file_space_strategy(create, H5F_FSPACE_STRATEGY_PAGE, 0, 1));
	DO(H5Pset_file_space_page_size(create, 4096));
	DO(H5Pset_shared_mesg_nindexes(create, 1));
	DO(H5Pset_shared_mesg_index(create, 0, H5O_SHMESG_DTYPE_FLAG, 40));
	DO(H5Pset_shared_mesg_phase_change(create, 50, 40));
	DO(H5Pset_file_space(create, H5F_FILE_SPACE_ALL, 1));
	DO(H5Pclose(create));

	hid_t transfer = DO(H5Pcreate(H5P_DATASET_XFER));
	DO(H5Pset_buffer(transfer, 1 << 20, NULL, NULL));
	DO(H5Pset_edc_check(transfer, H5Z_ENABLE_EDC));
	DO(H5Pset_hyper_vector_size(transfer, 1024));
	DO(H5Pset_preserve(transfer, 1));
	DO(H5Pset_data_transform(transfer, "x*1"));
	DO(H5Pset_btree_ratios(transfer, 0.1, 0.5, 0.9));
	DO(H5Pclose(transfer));

	hid_t links = DO(H5Pcreate(H5P_LINK_CREATE));
	DO(H5Pset_create_intermediate_group(links, 1));
	DO(H5Pset_char_encoding(links, H5T_CSET_UTF8));
	DO(H5Pclose(links));
	hid_t group = DO(H5Pcreate(H5P_GROUP_CREATE));
	DO(H5Pset_link_creation_order(group, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED));
	DO(H5Pset_link_phase_change(group, 8, 6));
	DO(H5Pset_est_link_info(group, 4, 8));
	DO(H5Pset_local_heap_size_hint(group, 256));
	DO(H5Pclose(group));
	hid_t copying = DO(H5Pcreate(H5P_OBJECT_COPY));
	DO(H5Pset_copy_object(copying, H5O_COPY_SHALLOW_HIERARCHY_FLAG));
	DO(H5Pclose(copying));
	hid_t linked = DO(H5Pcreate(H5P_LINK_ACCESS));
	DO(H5Pset_elink_prefix(linked, "."));
	DO(H5Pset_elink_fapl(linked, H5P_DEFAULT));
	DO(H5Pset_elink_acc_flags(linked, H5F_ACC_RDONLY));
	DO(H5Pset_nlinks(linked, 8));
	size_t size = 0;
	DO(H5Pencode(linked, NULL, &size));
	char *bytes = malloc(size);
	DO(H5Pencode(linked, bytes, &size));
	hid_t decoded = DO(H5Pdecode(bytes));
	DO(H5Pclose(decoded));
	DO(H5Pclose(linked));
	DO(H5Pclose(linked)); /* fails */
	free(bytes);
}

static void spaces(void)
{
	hsize_t size[2] = {ROWS, COLUMNS}, most[2] = {H5S_UNLIMITED, COLUMNS}, start[2] = {2, 3},
		stride[2] = {4, 2}, count[2] = {3, 2}, block[2] = {1, 2},
		points[6] = {0, 0, 3, 4, 7, 8}, low[2], high[2];
	hssize_t offset[2] = {1, -1};
	hid_t space = DO(H5Screate_simple(2, size, most)), scalar = DO(H5Screate(H5S_SCALAR)),
	      null = DO(H5Screate(H5S_NULL));
	DO(H5Screate_simple(40, size, NULL)); /* fails */
	hid_t copy = DO(H5Scopy(space));
	DO(H5Sselect_hyperslab(space, H5S_SELECT_SET, start, stride, count, block));
	DO(H5Sselect_hyperslab(space, H5S_SELECT_OR, start, NULL, count, NULL));
	DO(H5Sselect_hyperslab(scalar, H5S_SELECT_SET, start, NULL, count, NULL)); /* fails */
	DO(H5Sselect_hyperslab(12345, H5S_SELECT_SET, start, NULL, count, NULL));  /* fails */
	DO(H5Sget_select_npoints(space));
	DO(H5Sget_select_hyper_nblocks(space));
	DO(H5Sget_select_hyper_blocklist(space, 0, 1, (hsize_t[4]){0}));
	DO(H5Sis_regular_hyperslab(space));
	DO(H5Sselect_hyperslab(space, H5S_SELECT_SET, start, stride, count, block));
	DO(H5Sget_regular_hyperslab(space, low, high, (hsize_t[2]){0}, (hsize_t[2]){0}));
	DO(H5Sget_select_bounds(space, low, high));
	DO(H5Soffset_simple(space, offset));
	DO(H5Sselect_valid(space));
	DO(H5Sselect_adjust(space, (hssize_t[2]){1, 1}));
	DO(H5Sselect_intersect_block(space, low, high));
	hid_t both = DO(H5Scombine_hyperslab(space, H5S_SELECT_OR, start, NULL, count, NULL));
	hid_t joined = DO(H5Scombine_select(space, H5S_SELECT_AND, both));
	DO(H5Smodify_select(joined, H5S_SELECT_OR, both));
	DO(H5Sselect_shape_same(joined, both));
	DO(H5Sselect_copy(copy, space));
	hid_t projected = DO(H5Sselect_project_intersection(space, space, space));
	DO(H5Sselect_elements(copy, H5S_SELECT_SET, 3, points));
	DO(H5Sget_select_elem_npoints(copy));
	DO(H5Sget_select_elem_pointlist(copy, 0, 1, (hsize_t[2]){0}));
	DO(H5Sget_select_type(copy));
	DO(H5Sselect_elements(copy, H5S_SELECT_APPEND, 1, points));
	DO(H5Sselect_none(copy));
	DO(H5Sselect_all(copy));
	DO(H5Sget_simple_extent_ndims(copy));
	DO(H5Sget_simple_extent_dims(copy, low, high));
	DO(H5Sget_simple_extent_npoints(copy));
	DO(H5Sget_simple_extent_type(copy));
	DO(H5Sis_simple(null));
	DO(H5Sextent_equal(copy, space));
	DO(H5Sextent_copy(null, scalar));
	DO(H5Sset_extent_simple(null, 1, size, NULL));
	DO(H5Sset_extent_none(null));
	DO(H5Sget_simple_extent_npoints(null));
	DO(H5Sselect_all(null));
	size_t bytes = 0;
	DO(H5Sencode(space, NULL, &bytes));
	char *encoded = malloc(bytes);
	DO(H5Sencode(space, encoded, &bytes));
	hid_t decoded = DO(H5Sdecode(encoded));
	free(encoded);
	DO(H5Iinc_ref(decoded));
	DO(H5Sclose(decoded));
	DO(H5Sget_select_npoints(decoded));
	DO(H5Idec_ref(decoded));
	DO(H5Sget_select_npoints(decoded)); /* fails */
	hid_t all[] = {space, scalar, null, copy, both, joined, projected};
	for (unsigned i = 0; i < sizeof all / sizeof *all; i++)
		DO(H5Sclose(all[i]));
}

static hid_t types(hid_t file)
{
	hsize_t size[1] = {3};
	hid_t record = DO(H5Tcreate(H5T_COMPOUND, 16)), text = DO(H5Tcopy(H5T_C_S1));
	DO(H5Tinsert(record, "number", 0, H5T_NATIVE_INT));
	DO(H5Tinsert(record, "value", 8, H5T_NATIVE_DOUBLE));
	DO(H5Tinsert(record, "value", 8, H5T_NATIVE_DOUBLE)); /* fails */
	DO(H5Tset_size(text, 10));
	DO(H5Tset_size(text, H5T_VARIABLE));
	hid_t colour = DO(H5Tenum_create(H5T_NATIVE_INT)),
	      many = DO(H5Tvlen_create(H5T_NATIVE_INT)),
	      array = DO(H5Tarray_create2(H5T_NATIVE_INT, 1, size)),
	      old = DO(H5Tarray_create1(H5T_NATIVE_INT, 1, size, NULL));
	hid_t native = DO(H5Tget_native_type(record, H5T_DIR_DEFAULT)),
	      base = DO(H5Tget_super(array)), member = DO(H5Tget_member_type(record, 1));
	DO(H5Tpack(native));
	size_t bytes = 0;
	DO(H5Tencode(record, NULL, &bytes));
	char *encoded = malloc(bytes);
	DO(H5Tencode(record, encoded, &bytes));
	hid_t decoded = DO(H5Tdecode(encoded));
	free(encoded);
	DO(H5Tcommit2(file, "record", record, 0, 0, 0));
	DO(H5Tcommit2(file, "record", record, 0, 0, 0)); /* fails */
	DO(H5Tcommitted(record));
	DO(H5Tcommit1(file, "colour", colour));
	DO(H5Tcommit_anon(file, array, 0, 0));
	hid_t opened = DO(H5Topen2(file, "record", 0)), opened1 = DO(H5Topen1(file, "colour"));
	DO(H5Tflush(opened));
	DO(H5Trefresh(opened));
	hid_t list = DO(H5Tget_create_plist(opened));
	DO(H5Pclose(list));
	int numbers[4] = {1, 2, 3, 4};
	DO(H5Tconvert(H5T_NATIVE_INT, H5T_STD_I32BE, 4, numbers, NULL, 0));
	printf("converted %d\n", numbers[1]);
	hid_t all[] = {text, colour, many,    array,  old,    native,
		       base, member, decoded, opened, opened1};
	for (unsigned i = 0; i < sizeof all / sizeof *all; i++)
		DO(H5Tclose(all[i]));
	return record;
}

static void datasets(hid_t file, hid_t record)
{
	hsize_t size[2] = {ROWS, COLUMNS}, most[2] = {H5S_UNLIMITED, COLUMNS}, chunk[2] = {5, 5},
		larger[2] = {2 * ROWS, COLUMNS}, start[2] = {2, 0}, count[2] = {4, COLUMNS},
		at[2] = {0, 0}, bytes = 0, where[2];
	hid_t space = DO(H5Screate_simple(2, size, most)), list = DO(H5Pcreate(H5P_DATASET_CREATE)),
	      memory = DO(H5Screate_simple(2, count, NULL)), links = DO(H5Pcreate(H5P_LINK_CREATE));
	DO(H5Pset_chunk(list, 2, chunk));
	DO(H5Pset_create_intermediate_group(links, 1));
	hid_t first = DO(H5Dcreate2(file, "first", H5T_NATIVE_INT, space, 0, list, 0)),
	      deep = DO(H5Dcreate2(file, "made/on/the/way", H5T_STD_I32BE, space, links, list, 0)),
	      old = DO(H5Dcreate1(file, "old", H5T_NATIVE_INT, memory, 0)),
	      anonymous = DO(H5Dcreate_anon(file, record, memory, 0, 0));
	DO(H5Dcreate2(file, "first", H5T_NATIVE_INT, space, 0, list, 0)); /* fails */
	DO(H5Dwrite(first, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, 0, data));
	DO(H5Dwrite(deep, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, 0, data));
	DO(H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL));
	DO(H5Dwrite(first, H5T_NATIVE_INT, memory, space, 0, data));
	DO(H5Dwrite(first, H5T_NATIVE_INT, space, memory, 0, data));	 /* fails */
	DO(H5Dwrite(first, H5T_NATIVE_INT, memory, space, 12345, data)); /* fails */
	DO(H5Dwrite(12345, H5T_NATIVE_INT, memory, space, 0, data));	 /* fails */
	DO(H5Dread(first, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, 0, read_back));
	sum_of("first");
	DO(H5Dread(deep, H5T_NATIVE_LONG, H5S_ALL, H5S_ALL, 0, long_back));
	DO(H5Dread(first, H5T_NATIVE_INT, memory, space, 0, read_back));
	sum_of("some of first");
	DO(H5Dset_extent(first, larger));
	DO(H5Dextend(deep, larger));
	DO(H5Dset_extent(old, larger)); /* fails */
	DO(H5Dflush(first));
	DO(H5Drefresh(first));
	DO(H5Dget_num_chunks(first, H5S_ALL, &bytes));
	printf("chunks %d\n", (int)bytes);
	unsigned mask = 0;
	haddr_t address = 0;
	DO(H5Dget_chunk_info(first, H5S_ALL, 0, where, &mask, &address, &bytes));
	DO(H5Dget_chunk_info_by_coord(first, at, &mask, &address, &bytes));
	DO(H5Dget_chunk_storage_size(first, at, &bytes));
	DO(H5Dwrite_chunk(first, 0, 0, at, 25 * sizeof(int), data));
	DO(H5Dwrite_chunk(first, 0, 0, start, 25 * sizeof(int), data)); /* fails */
	uint32_t filters = 0;
	DO(H5Dread_chunk(first, 0, at, &filters, read_back));
	sum_of("a chunk");
	DO(H5DOwrite_chunk(first, 0, 0, at, 25 * sizeof(int), data));
	DO(H5DOread_chunk(first, 0, at, &filters, read_back));
	DO(H5DOappend(first, 0, 0, 1, H5T_NATIVE_INT, data));
	H5D_space_status_t status;
	H5D_chunk_index_t index;
	DO(H5Dget_space_status(first, &status));
	DO(H5Dget_chunk_index_type(first, &index));
	DO(H5Dget_storage_size(first));
	DO(H5Dget_offset(old));
	DO(H5Dget_offset(first)); /* none */
	hid_t of[] = {DO(H5Dget_create_plist(first)), DO(H5Dget_access_plist(first))};
	DO(H5Pclose(of[0]));
	DO(H5Pclose(of[1]));
	hid_t type = DO(H5Dget_type(first)), extent = DO(H5Dget_space(first));
	DO(H5Tget_size(type));
	DO(H5Sget_simple_extent_npoints(extent));
	DO(H5Dvlen_get_buf_size(first, H5T_NATIVE_INT, memory, &bytes));
	DO(H5Dvlen_reclaim(H5T_NATIVE_INT, memory, 0, data));
	long sum = 0;
	size_t seen = 0;
	int fill = 3, filled[ROWS * COLUMNS] = {0};
	DO(H5Diterate(data, H5T_NATIVE_INT, memory, element_seen, &sum));
	DO(H5Dfill(&fill, H5T_NATIVE_INT, filled, H5T_NATIVE_INT, memory));
	DO(H5Dgather(memory, data, H5T_NATIVE_INT, sizeof filled, filled, gathered, &seen));
	DO(H5Dscatter(scattering, NULL, H5T_NATIVE_INT, memory, filled));
	printf("sum %ld gathered %zu\n", sum, seen);
	DO(H5Dformat_convert(first));
	hid_t again = DO(H5Dopen2(file, "/made/on/the/way", 0)),
	      again1 = DO(H5Dopen1(file, "first"));
	DO(H5Dopen2(file, "nowhere", 0)); /* fails */
	hid_t all[] = {deep, old, anonymous, again, again1};
	for (unsigned i = 0; i < sizeof all / sizeof *all; i++)
		DO(H5Dclose(all[i]));
	DO(H5Dclose(all[0])); /* fails */
	DO(H5Tclose(type));
	DO(H5Sclose(extent));
	DO(H5Sclose(space));
	DO(H5Sclose(memory));
	DO(H5Pclose(list));
	DO(H5Pclose(links));
	DO(H5Dclose(first));
}

static void attributes(hid_t file)
{
	hid_t scalar = DO(H5Screate(H5S_SCALAR)), dataset = DO(H5Oopen(file, "first", 0));
	int value = 42, back = 0;
	hsize_t from = 0;
	unsigned from1 = 0;
	char name[32];
	H5A_info_t info;
	hid_t units = DO(H5Acreate2(dataset, "units", H5T_NATIVE_INT, scalar, 0, 0)),
	      older = DO(H5Acreate1(dataset, "older", H5T_NATIVE_INT, scalar, 0)),
	      named = DO(
		      H5Acreate_by_name(file, "first", "named", H5T_NATIVE_INT, scalar, 0, 0, 0));
	DO(H5Acreate2(dataset, "units", H5T_NATIVE_INT, scalar, 0, 0)); /* fails */
	DO(H5Awrite(units, H5T_NATIVE_INT, &value));
	DO(H5Aread(units, H5T_NATIVE_INT, &back));
	DO(H5Awrite(12345, H5T_NATIVE_INT, &value)); /* fails */
	printf("value %d\n", back);
	DO(H5Aget_info(units, &info));
	DO(H5Aget_info_by_name(file, "first", "units", &info, 0));
	DO(H5Aget_info_by_idx(file, "first", H5_INDEX_NAME, H5_ITER_INC, 0, &info, 0));
	DO(H5Aget_name(units, sizeof name, name));
	DO(H5Aget_name_by_idx(file, "first", H5_INDEX_NAME, H5_ITER_INC, 0, name, sizeof name, 0));
	DO(H5Aget_num_attrs(dataset));
	DO(H5Aget_storage_size(units));
	DO(H5Aexists(dataset, "units"));
	DO(H5Aexists(dataset, "nothing"));
	DO(H5Aexists_by_name(file, "first", "units", 0));
	hid_t space = DO(H5Aget_space(units)), type = DO(H5Aget_type(units)),
	      list = DO(H5Aget_create_plist(units));
	DO(H5Sclose(space));
	DO(H5Tclose(type));
	DO(H5Pclose(list));
	DO(H5Aiterate2(dataset, H5_INDEX_NAME, H5_ITER_INC, &from, attribute_seen, NULL));
	from = 0;
	DO(H5Aiterate_by_name(file, "first", H5_INDEX_NAME, H5_ITER_INC, &from, attribute_seen,
			      NULL, 0));
	DO(H5Aiterate1(dataset, &from1, attribute_seen_before, NULL));
	hid_t opened[] = {DO(H5Aopen(dataset, "units", 0)), DO(H5Aopen_name(dataset, "older")),
			  DO(H5Aopen_by_name(file, "first", "named", 0, 0)),
			  DO(H5Aopen_by_idx(file, "first", H5_INDEX_NAME, H5_ITER_INC, 0, 0, 0)),
			  DO(H5Aopen_idx(dataset, 0))};
	DO(H5Aopen(dataset, "nothing", 0)); /* fails */
	for (unsigned i = 0; i < sizeof opened / sizeof *opened; i++)
		DO(H5Aclose(opened[i]));
	DO(H5Aclose(units));
	DO(H5Aclose(older));
	DO(H5Aclose(named));
	DO(H5Arename(dataset, "older", "newer"));
	DO(H5Arename_by_name(file, "first", "newer", "newest", 0));
	DO(H5Adelete(dataset, "newest"));
	DO(H5Adelete_by_name(file, "first", "named", 0));
	DO(H5Adelete_by_idx(file, "first", H5_INDEX_NAME, H5_ITER_INC, 0, 0));
	DO(H5Adelete(dataset, "newest")); /* fails */
	DO(H5Sclose(scalar));
	DO(H5Oclose(dataset));
}

static void links(hid_t file)
{
	hid_t group = DO(H5Gcreate2(file, "group", 0, 0, 0)),
	      older = DO(H5Gcreate1(file, "older", 0)), anonymous = DO(H5Gcreate_anon(file, 0, 0)),
	      opened = DO(H5Gopen2(file, "group", 0)), opened1 = DO(H5Gopen1(file, "older"));
	char name[64];
	int from = 0;
	hsize_t count = 0, at = 0;
	H5G_info_t about;
	H5G_stat_t state;
	H5L_info_t link;
	H5O_info_t object;
	DO(H5Gopen2(file, "nowhere", 0)); /* fails */
	DO(H5Olink(anonymous, group, "named", 0, 0));
	DO(H5Lcreate_hard(file, "first", group, "hard", 0, 0));
	DO(H5Lcreate_soft("/first", group, "soft", 0, 0));
	DO(H5Lcreate_external("other.h5", "/x", group, "external", 0, 0));
	DO(H5Lcreate_ud(group, "odd", H5L_TYPE_EXTERNAL, "\0other.h5\0/x", 13, 0, 0));
	DO(H5Lcopy(group, "soft", group, "soft too", 0, 0));
	DO(H5Lmove(group, "soft too", group, "moved", 0, 0));
	DO(H5Lexists(group, "moved", 0));
	DO(H5Lexists(group, "soft too", 0));
	DO(H5Lget_info(group, "hard", &link, 0));
	DO(H5Lget_info_by_idx(file, "group", H5_INDEX_NAME, H5_ITER_INC, 0, &link, 0));
	DO(H5Lget_name_by_idx(file, "group", H5_INDEX_NAME, H5_ITER_INC, 0, name, sizeof name, 0));
	DO(H5Lget_val(group, "soft", name, sizeof name, 0));
	DO(H5Lget_val_by_idx(file, "group", H5_INDEX_NAME, H5_ITER_INC, 5, name, sizeof name, 0));
	DO(H5Literate(group, H5_INDEX_NAME, H5_ITER_INC, &at, link_seen, NULL));
	at = 0;
	DO(H5Literate_by_name(file, "group", H5_INDEX_NAME, H5_ITER_INC, &at, link_seen, NULL, 0));
	DO(H5Lvisit(group, H5_INDEX_NAME, H5_ITER_INC, link_seen, NULL));
	DO(H5Lvisit_by_name(file, "group", H5_INDEX_NAME, H5_ITER_INC, link_seen, NULL, 0));
	DO(H5Ldelete(group, "moved", 0));
	DO(H5Ldelete(group, "moved", 0)); /* fails */
	DO(H5Ldelete_by_idx(file, "group", H5_INDEX_NAME, H5_ITER_INC, 0, 0));
	DO(H5Glink(file, H5L_TYPE_SOFT, "/first", "linked"));
	DO(H5Glink2(file, "/first", H5L_TYPE_HARD, group, "linked"));
	DO(H5Gmove(file, "linked", "linked too"));
	DO(H5Gmove2(group, "linked", group, "linked there"));
	DO(H5Gget_linkval(file, "linked too", sizeof name, name));
	DO(H5Gunlink(file, "linked too"));
	DO(H5Gset_comment(file, "first", "a comment"));
	DO(H5Gget_comment(file, "first", sizeof name, name));
	DO(H5Giterate(file, "group", &from, group_seen, NULL));
	DO(H5Gget_num_objs(group, &count));
	DO(H5Gget_objinfo(file, "first", 0, &state));
	DO(H5Gget_objname_by_idx(group, 0, name, sizeof name));
	DO(H5Gget_objtype_by_idx(group, 0));
	DO(H5Gget_info(group, &about));
	DO(H5Gget_info_by_name(file, "group", &about, 0));
	DO(H5Gget_info_by_idx(file, "/", H5_INDEX_NAME, H5_ITER_INC, 2, &about, 0));
	DO(H5Gflush(group));
	DO(H5Grefresh(group));
	hid_t list = DO(H5Gget_create_plist(group));
	DO(H5Pclose(list));

	hid_t things[] = {DO(H5Oopen(file, "first", 0)), DO(H5Oopen_by_addr(file, 96)),
			  DO(H5Oopen_by_idx(file, "/", H5_INDEX_NAME, H5_ITER_INC, 0, 0))};
	DO(H5Oopen(file, "nowhere", 0)); /* fails */
	DO(H5Oexists_by_name(file, "first", 0));
	DO(H5Oget_info1(file, &object));
	DO(H5Oget_info2(file, &object, H5O_INFO_BASIC));
	DO((H5Oget_info)(file, &object));
	DO(H5Oget_info_by_name1(file, "first", &object, 0));
	DO(H5Oget_info_by_name2(file, "first", &object, H5O_INFO_ALL, 0));
	DO((H5Oget_info_by_name)(file, "first", &object, 0));
	DO(H5Oget_info_by_idx1(file, "/", H5_INDEX_NAME, H5_ITER_INC, 0, &object, 0));
	DO(H5Oget_info_by_idx2(file, "/", H5_INDEX_NAME, H5_ITER_INC, 0, &object, H5O_INFO_HDR, 0));
	DO((H5Oget_info_by_idx)(file, "/", H5_INDEX_NAME, H5_ITER_INC, 0, &object, 0));
	DO(H5Oset_comment(things[0], "another"));
	DO(H5Oset_comment_by_name(file, "first", "a third", 0));
	DO(H5Oget_comment(things[0], name, sizeof name));
	DO(H5Oget_comment_by_name(file, "first", name, sizeof name, 0));
	DO(H5Oincr_refcount(things[0]));
	DO(H5Odecr_refcount(things[0]));
	DO(H5Ocopy(file, "first", file, "copy", 0, 0));
	DO(H5Ovisit1(file, H5_INDEX_NAME, H5_ITER_INC, object_seen, NULL));
	DO(H5Ovisit2(file, H5_INDEX_NAME, H5_ITER_INC, object_seen, NULL, H5O_INFO_BASIC));
	DO((H5Ovisit)(file, H5_INDEX_NAME, H5_ITER_INC, object_seen, NULL));
	DO(H5Ovisit_by_name1(file, "group", H5_INDEX_NAME, H5_ITER_INC, object_seen, NULL, 0));
	DO(H5Ovisit_by_name2(file, "group", H5_INDEX_NAME, H5_ITER_INC, object_seen, NULL,
			     H5O_INFO_BASIC, 0));
	DO((H5Ovisit_by_name)(file, "group", H5_INDEX_NAME, H5_ITER_INC, object_seen, NULL, 0));
	DO(H5Oflush(things[0]));
	DO(H5Orefresh(things[0]));
	DO(H5Odisable_mdc_flushes(things[0]));
	DO(H5Oenable_mdc_flushes(things[0]));

	hobj_ref_t reference;
	hdset_reg_ref_t region;
	hid_t space = DO(H5Dget_space(things[0]));
	H5O_type_t type;
	DO(H5Rcreate(&reference, file, "first", H5R_OBJECT, -1));
	DO(H5Rcreate(&region, file, "first", H5R_DATASET_REGION, space));
	DO(H5Rcreate(&reference, file, "nowhere", H5R_OBJECT, -1)); /* fails */
	DO(H5Rcreate(&reference, file, "first", H5R_OBJECT, -1));
	hid_t found[] = {DO(H5Rdereference1(file, H5R_OBJECT, &reference)),
			 DO(H5Rdereference2(file, 0, H5R_OBJECT, &reference))};
	hid_t selected = DO(H5Rget_region(things[0], H5R_DATASET_REGION, &region));
	DO(H5Rget_obj_type1(file, H5R_OBJECT, &reference));
	DO(H5Rget_obj_type2(file, H5R_OBJECT, &reference, &type));
	DO(H5Rget_name(file, H5R_OBJECT, &reference, name, sizeof name));
	DO(H5Sclose(selected));
	DO(H5Sclose(space));
	DO(H5Oclose(found[0]));
	DO(H5Dclose(found[1]));
	hid_t same = DO(H5Iget_file_id(things[0]));
	DO(H5Fclose(same));
	for (unsigned i = 0; i < sizeof things / sizeof *things; i++)
		DO(H5Oclose(things[i]));
	DO(H5Gclose(group));
	DO(H5Gclose(older));
	DO(H5Gclose(anonymous));
	DO(H5Gclose(opened));
	DO(H5Gclose(opened1));
}

static void high_level(hid_t file)
{
	hsize_t size[2] = {ROWS, COLUMNS};
	const char *names[] = {"a", "b"};
	size_t offsets[] = {0, 4}, sizes[] = {4, 4};
	hid_t kinds[] = {H5T_NATIVE_INT, H5T_NATIVE_INT};
	int fields[] = {1}, some[8] = {1, 2, 3, 4, 5, 6, 7, 8}, back[64] = {0};
	short shorts[ROWS * COLUMNS] = {1};
	long longs[ROWS * COLUMNS] = {2};
	float floats[ROWS * COLUMNS] = {3};
	double doubles[ROWS * COLUMNS] = {4};
	char chars[ROWS * COLUMNS] = {5};
	DO(H5LTmake_dataset(file, "lt", 2, size, H5T_NATIVE_INT, data));
	DO(H5LTmake_dataset_char(file, "lt char", 2, size, chars));
	DO(H5LTmake_dataset_short(file, "lt short", 2, size, shorts));
	DO(H5LTmake_dataset_int(file, "lt int", 2, size, data));
	DO(H5LTmake_dataset_long(file, "lt long", 2, size, longs));
	DO(H5LTmake_dataset_float(file, "lt float", 2, size, floats));
	DO(H5LTmake_dataset_double(file, "lt double", 2, size, doubles));
	DO(H5LTmake_dataset_string(file, "lt string", "a text"));
	DO(H5LTread_dataset(file, "lt", H5T_NATIVE_INT, read_back));
	sum_of("lt");
	DO(H5LTread_dataset_char(file, "lt char", chars));
	DO(H5LTread_dataset_short(file, "lt short", shorts));
	DO(H5LTread_dataset_int(file, "lt int", read_back));
	DO(H5LTread_dataset_long(file, "lt long", longs));
	DO(H5LTread_dataset_float(file, "lt float", floats));
	DO(H5LTread_dataset_double(file, "lt double", doubles));
	DO(H5LTread_dataset_string(file, "lt string", chars));
	DO(H5TBmake_table("title", file, "table", 2, 4, 8, names, offsets, kinds, 4, NULL, 0,
			  some));
	DO(H5TBmake_table("title", file, "table2", 2, 4, 8, names, offsets, kinds, 4, NULL, 0,
			  some));
	DO(H5TBappend_records(file, "table", 1, 8, offsets, sizes, some));
	DO(H5TBwrite_records(file, "table", 0, 1, 8, offsets, sizes, some));
	DO(H5TBwrite_fields_name(file, "table", "b", 0, 2, 4, offsets, sizes, some));
	DO(H5TBwrite_fields_index(file, "table", 1, fields, 0, 2, 4, offsets, sizes, some));
	DO(H5TBread_table(file, "table", 8, offsets, sizes, back));
	DO(H5TBread_fields_name(file, "table", "b", 0, 2, 4, offsets, sizes, back));
	DO(H5TBread_fields_index(file, "table", 1, fields, 0, 2, 4, offsets, sizes, back));
	DO(H5TBread_records(file, "table", 0, 2, 8, offsets, sizes, back));
	DO(H5TBinsert_record(file, "table", 1, 1, 8, offsets, sizes, some));
	DO(H5TBdelete_record(file, "table", 0, 1));
	DO(H5TBadd_records_from(file, "table", 0, 1, "table2", 0));
	DO(H5TBcombine_tables(file, "table", file, "table2", "table3"));
	DO(H5TBinsert_field(file, "table", "c", H5T_NATIVE_INT, 2, some, some));
	DO(H5TBdelete_field(file, "table", "c"));
	hid_t packets = DO(H5PTcreate(file, "packets", H5T_NATIVE_INT, 4, H5P_DEFAULT)),
	      older = DO(H5PTcreate_fl(file, "older packets", H5T_NATIVE_INT, 4, -1));
	DO(H5PTappend(packets, 4, some));
	DO(H5PTread_packets(packets, 1, 2, back));
	DO(H5PTget_next(packets, 2, back));
	DO(H5PTclose(packets));
	DO(H5PTclose(older));
	packets = DO(H5PTopen(file, "packets"));
	DO(H5PTclose(packets));
	unsigned char picture[12] = {1, 2, 3};
	DO(H5IMmake_image_8bit(file, "image", 4, 3, picture));
	DO(H5IMmake_image_24bit(file, "image 24", 2, 2, "INTERLACE_PIXEL", picture));
	DO(H5IMread_image(file, "image", picture));
}

static void files(void)
{
	hid_t create = DO(H5Pcreate(H5P_FILE_CREATE)), access = DO(H5Pcreate(H5P_FILE_ACCESS));
	DO(H5Pset_libver_bounds(access, H5F_LIBVER_V18, H5F_LIBVER_LATEST));
	hid_t file = DO(H5Fcreate("every.h5", H5F_ACC_TRUNC, create, access)),
	      other = DO(H5Fcreate("other.h5", H5F_ACC_TRUNC, 0, 0));
	DO(H5Fcreate("every.h5", H5F_ACC_EXCL, 0, 0)); /* fails */
	DO(H5Fopen("nowhere.h5", H5F_ACC_RDONLY, 0));  /* fails */
	hid_t again = DO(H5Freopen(file)),
	      lists[] = {DO(H5Fget_create_plist(file)), DO(H5Fget_access_plist(file))};
	unsigned intent = 0;
	hsize_t size = 0;
	haddr_t end = 0;
	char name[64];
	hid_t ids[16];
	H5F_info1_t info1;
	H5F_info2_t info2;
	void *handle;
	hid_t record = types(file);
	datasets(file, record);
	DO(H5Tclose(record));
	attributes(file);
	links(file);
	high_level(file);
	DO(H5Fflush(file, H5F_SCOPE_GLOBAL));
	DO(H5Fget_intent(file, &intent));
	DO(H5Fget_obj_count(file, H5F_OBJ_ALL));
	DO(H5Fget_obj_ids(file, H5F_OBJ_ALL, 16, ids));
	DO(H5Fget_vfd_handle(file, 0, &handle));
	DO(H5Fget_freespace(file));
	DO(H5Fget_filesize(file, &size));
	DO(H5Fget_eoa(file, &end));
	DO(H5Fincrement_filesize(file, 0));
	DO(H5Fget_file_image(file, NULL, 0));
	DO(H5Fget_name(file, name, sizeof name));
	DO(H5Fget_info1(file, &info1));
	DO(H5Fget_info2(file, &info2));
	H5AC_cache_config_t config = {.version = H5AC__CURR_CACHE_CONFIG_VERSION};
	DO(H5Fget_mdc_config(file, &config));
	DO(H5Fset_mdc_config(file, &config));
	DO(H5Fclear_elink_file_cache(file));
	DO(H5Fset_libver_bounds(file, H5F_LIBVER_EARLIEST, H5F_LIBVER_LATEST));
	DO(H5Fset_latest_format(file, 0));
	DO(H5Fset_dset_no_attrs_hint(file, 0));
	DO(H5Fformat_convert(file));
	DO(H5Fstart_mdc_logging(file)); /* fails */
	DO(H5Fstop_mdc_logging(file));	/* fails */
	DO(H5Fmount(file, "older", other, 0));
	DO(H5Funmount(file, "older"));
	DO(H5Fclose(again));
	DO(H5Fclose(other));
	DO(H5Pclose(lists[0]));
	DO(H5Pclose(lists[1]));
	DO(H5Fclose(file));
	DO(H5Fclose(file)); /* fails */
	DO(H5Fis_hdf5("every.h5"));
	DO(H5Fis_hdf5("nowhere.h5")); /* fails */
	DO(H5Pset_libver_bounds(access, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST));
	file = DO(H5Fcreate("swmr.h5", H5F_ACC_TRUNC, 0, access));
	DO(H5Fstart_swmr_write(file));
	DO(H5Fclose(file));
	char image[4096] = {0};
	DO(H5LTopen_file_image(image, sizeof image, 0)); /* fails */
	DO(H5Pclose(create));
	DO(H5Pclose(access));
}

int main(void)
{
	for (int i = 0; i < ROWS * COLUMNS; i++)
		data[i] = i * 7 % 101;
	setvbuf(stdout, NULL, _IONBF, 0);
	DO(H5set_free_list_limits(-1, -1, -1, -1, -1, -1));
	properties();
	spaces();
	files();
	DO(H5garbage_collect());
	DO(H5close());
	/* Identifiers are numbered from 0 again. */
	hid_t file = DO(H5Fopen("every.h5", H5F_ACC_RDONLY, 0));
	hid_t dataset = DO(H5Dopen2(file, "lt", 0));
	DO(H5Dclose(dataset));
	DO(H5Fclose(file));
	return 0;
}
