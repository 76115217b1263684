/* Ranks that write a dataset together and read it separately. A rank writes its expectations to a file of its own. */
#include "lib/expect.h"

#include <hdf5.h>

#include <mpi.h>
#include <unistd.h>

enum { ROWS = 8, COLUMNS = 20000 };

int main(int count, char **arguments)
{
	int rank, ranks, error = 0;
	char said[4096];
	hid_t access, file, space, memory, dataset, together, create;
	herr_t done;
	MPI_Init(&count, &arguments);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	if (getenv("EXPECTATIONS")) {
		snprintf(said, sizeof said, "%s.%d", getenv("EXPECTATIONS"), (int)getpid());
		expect_into(said);
	}
	hsize_t size[2] = {(hsize_t)(ROWS * ranks), COLUMNS},
		start[2] = {(hsize_t)(ROWS * rank), 0}, part[2] = {ROWS, COLUMNS},
		chunk[2] = {ROWS, COLUMNS};
	int *data = malloc(sizeof *data * ROWS * COLUMNS),
	    *back = calloc(ROWS * COLUMNS, sizeof *back);
	for (int i = 0; i < ROWS * COLUMNS; i++)
		data[i] = rank * 1000003 + i;

	WORKS(access, H5Pcreate(H5P_FILE_ACCESS), "H5Pcreate", "'cls_id_path': 'H5P_FILE_ACCESS'");
	WORKS(done, H5Pset_fapl_mpio(access, MPI_COMM_WORLD, MPI_INFO_NULL), "H5Pset_fapl_mpio",
	      "'fapl_id_path': 'file access', 'comm_path': 'MPI_COMM_WORLD', 'info_path': "
	      "'MPI_INFO_NULL'");
	WORKS(done, H5Pset_all_coll_metadata_ops(access, 1), "H5Pset_all_coll_metadata_ops",
	      "'plist_id_path': 'file access: driver=mpio', 'is_collective': 1");
	WORKS(done, H5Pset_coll_metadata_write(access, 1), "H5Pset_coll_metadata_write",
	      "'plist_id_path': 'file access: driver=mpio; all_coll_metadata_ops=yes'");
	WORKS(file, H5Fcreate("parallel.h5", H5F_ACC_TRUNC, H5P_DEFAULT, access), "H5Fcreate",
	      "'fapl_id_path': 'file access: driver=mpio; all_coll_metadata_ops=yes; "
	      "coll_metadata_write=yes'");
	WORKS(space, H5Screate_simple(2, size, NULL), "H5Screate_simple", "'dims': '[%d,%d]'",
	      ROWS * ranks, COLUMNS);
	WORKS(memory, H5Screate_simple(2, part, NULL), "H5Screate_simple", "'dims': '[%d,%d]'",
	      ROWS, COLUMNS);
	WORKS(dataset, H5Dcreate2(file, "plain", H5T_NATIVE_INT, space, 0, 0, 0), "H5Dcreate2",
	      "'name': 'plain'");
	WORKS(together, H5Pcreate(H5P_DATASET_XFER), "H5Pcreate",
	      "'cls_id_path': 'H5P_DATASET_XFER'");
	WORKS(done, H5Pset_dxpl_mpio(together, H5FD_MPIO_COLLECTIVE), "H5Pset_dxpl_mpio",
	      "'dxpl_id_path': 'dataset xfer', 'xfer_mode': 'H5FD_MPIO_COLLECTIVE'");
	WORKS(done, H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, part, NULL),
	      "H5Sselect_hyperslab", "'selection': 'hyperslab start=[%d,0] count=[%d,%d]'",
	      ROWS * rank, ROWS, COLUMNS);
	WORKS(done, H5Dwrite(dataset, H5T_NATIVE_INT, memory, space, together, data), "H5Dwrite",
	      "'dset_id_path': '/plain', 'dxpl_id_path': 'dataset xfer: mpio=collective', "
	      "'elements': %d, 'bytes': %d, "
	      "'transfer': 'H5FD_MPIO_COLLECTIVE', 'selection': 'hyperslab start=[%d,0] "
	      "count=[%d,%d]'",
	      ROWS * COLUMNS, ROWS * COLUMNS * 4, ROWS * rank, ROWS, COLUMNS);
	WORKS(done, H5Dread(dataset, H5T_NATIVE_INT, memory, space, H5P_DEFAULT, back), "H5Dread",
	      "'dxpl_id_path': 'H5P_DEFAULT', 'elements': %d, 'bytes': %d, 'transfer': "
	      "'H5FD_MPIO_INDEPENDENT'",
	      ROWS * COLUMNS, ROWS * COLUMNS * 4);
	error |= memcmp(data, back, sizeof *data * ROWS * COLUMNS) != 0;
	H5D_mpio_actual_io_mode_t mode;
	H5D_mpio_actual_chunk_opt_mode_t chunks;
	uint32_t local = 0, global = 0;
	WORKS(done, H5Pget_mpio_actual_io_mode(together, &mode), "H5Pget_mpio_actual_io_mode", "");
	WORKS(done, H5Pget_mpio_actual_chunk_opt_mode(together, &chunks),
	      "H5Pget_mpio_actual_chunk_opt_mode", "");
	WORKS(done, H5Pget_mpio_no_collective_cause(together, &local, &global),
	      "H5Pget_mpio_no_collective_cause",
	      "'local_no_collective_cause': 0, 'global_no_collective_cause': 0");
	WORKS(done, H5Dclose(dataset), "H5Dclose", "'dset_id_path': '/plain'");

	WORKS(done, H5Pset_dxpl_mpio_chunk_opt(together, H5FD_MPIO_CHUNK_ONE_IO),
	      "H5Pset_dxpl_mpio_chunk_opt", "'opt_mode': 'H5FD_MPIO_CHUNK_ONE_IO'");
	WORKS(done, H5Pset_dxpl_mpio_chunk_opt_num(together, 2), "H5Pset_dxpl_mpio_chunk_opt_num",
	      "'num_chunk_per_proc': 2");
	WORKS(done, H5Pset_dxpl_mpio_chunk_opt_ratio(together, 50),
	      "H5Pset_dxpl_mpio_chunk_opt_ratio",
	      "'dxpl_id_path': 'dataset xfer: mpio=collective; mpio_chunk_opt=1; "
	      "mpio_chunk_opt_num=2'");
	WORKS(done, H5Pset_dxpl_mpio_collective_opt(together, H5FD_MPIO_COLLECTIVE_IO),
	      "H5Pset_dxpl_mpio_collective_opt", "'opt_mode': 'H5FD_MPIO_COLLECTIVE_IO'");
	WORKS(create, H5Pcreate(H5P_DATASET_CREATE), "H5Pcreate",
	      "'cls_id_path': 'H5P_DATASET_CREATE'");
	WORKS(done, H5Pset_chunk(create, 2, chunk), "H5Pset_chunk", "'dim': '[%d,%d]'", ROWS,
	      COLUMNS);
	WORKS(dataset, H5Dcreate2(file, "chunked", H5T_NATIVE_INT, space, 0, create, 0),
	      "H5Dcreate2", "'dcpl_id_path': 'dataset create: chunk=[%d,%d]'", ROWS, COLUMNS);
	WORKS(done, H5Dwrite(dataset, H5T_NATIVE_INT, memory, space, together, data), "H5Dwrite",
	      "'dset_id_path': '/chunked', 'transfer': 'H5FD_MPIO_COLLECTIVE', 'bytes': %d",
	      ROWS * COLUMNS * 4);
	WORKS(done, H5Dclose(dataset), "H5Dclose", "'dset_id_path': '/chunked'");
	WORKS(done, H5Fset_mpi_atomicity(file, 0), "H5Fset_mpi_atomicity", "'flag': 0");
	WORKS(done, H5Pclose(create), "H5Pclose", "");
	WORKS(done, H5Pclose(together), "H5Pclose",
	      "'plist_id_path': 'dataset xfer: mpio=collective; mpio_chunk_opt=1; "
	      "mpio_chunk_opt_num=2; "
	      "mpio_chunk_opt_ratio=50; mpio_collective_opt=0'");
	WORKS(done, H5Sclose(memory), "H5Sclose", "");
	WORKS(done, H5Sclose(space), "H5Sclose", "");
	WORKS(done, H5Fclose(file), "H5Fclose", "");
	WORKS(done, H5Pclose(access), "H5Pclose", "");
	free(data);
	free(back);
	MPI_Finalize();
	printf("rank %d of %d: %s\n", rank, ranks, error ? "wrong" : "right");
	return error;
}
