/* Record: hooks of library functions, by op. See library.h; the ops are in calls/kinds_library.calls (MPI, NetCDF,
 * PnetCDF) and calls/kinds_hdf5.calls (HDF5, whose hooks are declared in record/hdf5/hdf5_hooks.h).
 *
 * `before` and `after` hooks are the recorder's own work: raw system calls only, nothing that prints or allocates. They may call
 * functions of the same library, which are not recorded then, if the program cannot notice this: nothing that fails, prints, or
 * changes what the library returns to the program next.
 */
#ifndef RECORD_LIBRARY_LIBRARY_OPS_H
#define RECORD_LIBRARY_LIBRARY_OPS_H

#include "record/hdf5/hdf5_hooks.h"
#include "record/library/library.h"

/* mpi_messages.c: MPI: beginning and end, messages */
library_hook after_mpi_init;
library_hook before_mpi_finalize;
library_hook after_mpi_send;
library_hook before_mpi_receive;
library_hook after_mpi_receive;
library_hook after_mpi_iprobe;
library_hook after_mpi_send_receive;

/* mpi_completions.c: MPI: requests */
library_hook after_mpi_start_send;
library_hook after_mpi_start_receive;
library_hook after_mpi_start_send_receive;
library_hook after_mpi_start_other;
library_hook after_mpi_persist_send;
library_hook after_mpi_persist_receive;
library_hook after_mpi_persist_parts;
library_hook after_mpi_restart;
library_hook after_mpi_restart_all;
library_hook after_mpi_cancel;
library_hook before_mpi_request_free;
library_hook after_mpi_request_free;
library_hook before_mpi_wait;
library_hook before_mpi_wait_many;
library_hook returned_mpi_wait;
library_hook after_mpi_wait;

/* mpi_types.c: MPI: datatypes */
library_hook after_type_new;
library_hook before_type_free;
library_hook after_type_free;
library_hook after_type_name;

/* mpi_comms.c: MPI: communicators, groups, infos, windows */
library_hook after_comm_new;
library_hook after_comm_get;
library_hook after_comm_start_new;
library_hook after_comm_name;
library_hook after_comm_shift;
library_hook after_group_new;
library_hook after_info_get;
library_hook after_info_set;
library_hook after_win_new;
library_hook after_win_move;
library_hook after_win_fetch;
library_hook after_win_start;

/* mpi_files.c: MPI: files */
library_hook after_mpi_file_open;
library_hook after_mpi_file_info;
library_hook after_mpi_file_view;
library_hook before_mpi_file_move;
library_hook after_mpi_file_move;
library_hook after_mpi_file_iread;
library_hook after_mpi_file_iwrite;
library_hook after_mpi_file_begin;

/* mpi_collectives.c: MPI: collectives */
library_hook after_mpi_collective;
library_hook after_mpi_start_collective;
library_hook after_mpi_persist_collective;

/* netcdf_objects.c: NetCDF and PnetCDF: files, groups, variables, attributes */
library_hook before_nc_open;
library_hook after_nc_open;
library_hook before_nc_close;
library_hook after_nc_rename_group;
library_hook before_nc_variable;
library_hook after_nc_variable;
library_hook after_nc_def_var;
library_hook after_nc_rename_var;
library_hook after_nc_chunking;
library_hook after_nc_attribute;

/* netcdf_move.c: data */
library_hook after_nc_move;
library_hook after_nc_move_many;

/* netcdf_requests.c: data that is transferred later */
library_hook after_nc_post;
library_hook before_nc_wait;
library_hook returned_nc_wait;
library_hook returned_nc_cancel;

#endif
