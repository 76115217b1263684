/* Record: hooks of HDF5. See library_ops.h; calls/hdf5.calls and calls/kinds_hdf5.calls assign them to rows. */
#ifndef RECORD_HDF5_HDF5_HOOKS_H
#define RECORD_HDF5_HDF5_HOOKS_H

struct library_call;

/* hdf5_objects.c: files, groups, datasets, attributes, objects of HDF5 */
void after_h5_file_create(struct library_call *call);
void after_h5_file_open(struct library_call *call);
void after_h5_file_create_async(struct library_call *call);
void after_h5_file_open_async(struct library_call *call);
void after_h5_file_reopen(struct library_call *call);
void after_h5_file_reopen_async(struct library_call *call);
void after_h5_file_image(struct library_call *call);
void after_h5_group_open(struct library_call *call);
void after_h5_group_open_async(struct library_call *call);
void after_h5_dataset_open(struct library_call *call);
void after_h5_dataset_open_async(struct library_call *call);
void after_h5_type_open(struct library_call *call);
void after_h5_type_open_async(struct library_call *call);
void after_h5_dataset_create(struct library_call *call);
void after_h5_dataset_create_async(struct library_call *call);
void after_h5_dataset_anonymous(struct library_call *call);
void after_h5_group_anonymous(struct library_call *call);
void after_h5_table_open(struct library_call *call);
void after_h5_object_open(struct library_call *call);
void after_h5_object_open_async(struct library_call *call);
void after_h5_object_found(struct library_call *call);
void after_h5_object_numbered(struct library_call *call);
void after_h5_reference_open(struct library_call *call);
void after_h5_type_commit(struct library_call *call);
void after_h5_attribute_open(struct library_call *call);
void after_h5_attribute_open_async(struct library_call *call);
void after_h5_attribute_open_by_name(struct library_call *call);
void after_h5_attribute_found(struct library_call *call);
void after_h5_attribute_found_by_name(struct library_call *call);
void before_h5_close(struct library_call *call);
void before_h5_close_async(struct library_call *call);
void after_h5_hold(struct library_call *call);
void after_h5_end(struct library_call *call);
void after_h5_other_made(struct library_call *call);

/* hdf5_data.c: transfers of data of HDF5 */
void before_h5_transfer(struct library_call *call);
void after_h5_transfer(struct library_call *call);
void before_h5_transfer_async(struct library_call *call);
void after_h5_transfer_async(struct library_call *call);
void before_h5_transfer_multi(struct library_call *call);
void after_h5_transfer_multi(struct library_call *call);
void after_h5_write_chunk(struct library_call *call);
void after_h5_read_chunk(struct library_call *call);
void after_h5_extend(struct library_call *call);
void after_h5_extend_async(struct library_call *call);
void after_h5_grow(struct library_call *call);
void after_h5_refresh(struct library_call *call);
void before_h5_attribute_transfer(struct library_call *call);
void after_h5_attribute_transfer(struct library_call *call);

/* hdf5_spaces.c: dataspaces and datatypes of HDF5 */
void after_h5_space_create(struct library_call *call);
void after_h5_space_copy(struct library_call *call);
void after_h5_space_of(struct library_call *call);
void after_h5_space_change(struct library_call *call);
void before_h5_select(struct library_call *call);
void after_h5_select_hyperslab(struct library_call *call);
void after_h5_select_elements(struct library_call *call);
void after_h5_select_all(struct library_call *call);
void after_h5_select_none(struct library_call *call);
void after_h5_select_offset(struct library_call *call);
void after_h5_type_create(struct library_call *call);
void after_h5_type_change(struct library_call *call);

/* hdf5_properties.c: property lists of HDF5 */
void after_h5_properties_create(struct library_call *call);
void after_h5_properties_copy(struct library_call *call);
void after_h5_properties_of(struct library_call *call);
void after_h5_layout_of(struct library_call *call);
void after_h5_set_flag(struct library_call *call);
void after_h5_set_truth(struct library_call *call);
void after_h5_set_size(struct library_call *call);
void after_h5_set_two_sizes(struct library_call *call);
void after_h5_set_number(struct library_call *call);
void after_h5_set_two_numbers(struct library_call *call);
void after_h5_set_sizes(struct library_call *call);
void after_h5_set_name(struct library_call *call);
void after_h5_set_external(struct library_call *call);
void after_h5_set_layout(struct library_call *call);
void after_h5_set_alloc_time(struct library_call *call);
void after_h5_set_fill_time(struct library_call *call);
void after_h5_set_closing(struct library_call *call);
void after_h5_set_versions(struct library_call *call);
void after_h5_set_transfer(struct library_call *call);
void after_h5_set_driver(struct library_call *call);
void after_h5_set_filter(struct library_call *call);
void after_h5_remove_filter(struct library_call *call);
void after_h5_set_virtual(struct library_call *call);
void after_h5_set_cache(struct library_call *call);

#endif
