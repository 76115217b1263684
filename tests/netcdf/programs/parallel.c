/* A program with parallel NetCDF that computes its expected calls: each process writes its rows of one variable, collectively and
 * independently, and reads those of the next. Any number of processes. */
#include "said.h"

#include <mpi.h>
#include <netcdf.h>
#include <netcdf_par.h>

enum { ROWS = 4, COLUMNS = 6, STEPS = 2 };

int main(int count, char **arguments)
{
	int rank, size, ncid, dims[3], field, rest, result;
	MPI_Init(&count, &arguments);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	say_begin(rank);
	result = nc_create_par("shared.nc", NC_NETCDF4, MPI_COMM_WORLD, MPI_INFO_NULL, &ncid);
	expect("nc_create_par", result,
	       "\"path\": \"shared.nc\", \"mode\": \"NC_CLOBBER|NC_NETCDF4\", \"comm\": "
	       "\"MPI_COMM_WORLD\", \"ncid\": "
	       "\"shared.nc\"");
	done("nc_def_dim", nc_def_dim(ncid, "time", NC_UNLIMITED, &dims[0]));
	done("nc_def_dim", nc_def_dim(ncid, "row", (size_t)(ROWS * size), &dims[1]));
	done("nc_def_dim", nc_def_dim(ncid, "column", COLUMNS, &dims[2]));
	result = nc_def_var(ncid, "field", NC_DOUBLE, 3, dims, &field);
	expect("nc_def_var", result, "\"variable\": \"field\", \"ndims\": 3");
	result = nc_def_var(ncid, "rest", NC_INT, 2, dims + 1, &rest);
	expect("nc_def_var", result, "\"variable\": \"rest\", \"ndims\": 2");
	done("nc_enddef", nc_enddef(ncid));
	result = nc_var_par_access(ncid, field, NC_COLLECTIVE);
	expect("nc_var_par_access", result,
	       "\"variable\": \"field\", \"par_access\": \"NC_COLLECTIVE\"");
	double slab[ROWS * COLUMNS];
	int numbers[ROWS * COLUMNS];
	for (int at = 0; at < ROWS * COLUMNS; at++) {
		slab[at] = rank + at / 100.0;
		numbers[at] = 1000 * rank + at;
	}
	for (size_t step = 0; step < STEPS; step++) {
		size_t start[3] = {step, (size_t)(rank * ROWS), 0}, number[3] = {1, ROWS, COLUMNS};
		result = nc_put_vara_double(ncid, field, start, number, slab);
		expect("nc_put_vara_double", result,
		       "\"ncid\": \"shared.nc\", \"variable\": \"field\", \"selection\": "
		       "\"start=[%zu,%d,0] count=[1,%d,%d]\", "
		       "\"elements\": %d, \"bytes\": %d",
		       step, rank * ROWS, ROWS, COLUMNS, ROWS * COLUMNS, ROWS * COLUMNS * 8);
	}
	result = nc_var_par_access(ncid, rest, NC_INDEPENDENT);
	expect("nc_var_par_access", result,
	       "\"variable\": \"rest\", \"par_access\": \"NC_INDEPENDENT\"");
	for (size_t row = 0; row < ROWS; row++) {
		size_t start[2] = {(size_t)(rank * ROWS) + row, 0}, number[2] = {1, COLUMNS};
		result = nc_put_vara_int(ncid, rest, start, number, numbers + row * COLUMNS);
		expect("nc_put_vara_int", result,
		       "\"variable\": \"rest\", \"selection\": \"start=[%zu,0] count=[1,%d]\", "
		       "\"elements\": %d, \"bytes\": %d",
		       start[0], COLUMNS, COLUMNS, COLUMNS * 4);
	}
	expect("nc_close", nc_close(ncid), "\"ncid\": \"shared.nc\"");
	MPI_Barrier(MPI_COMM_WORLD);

	result = nc_open_par("shared.nc", NC_NOWRITE, MPI_COMM_WORLD, MPI_INFO_NULL, &ncid);
	expect("nc_open_par", result,
	       "\"path\": \"shared.nc\", \"mode\": \"NC_NOWRITE\", \"comm\": \"MPI_COMM_WORLD\", "
	       "\"ncid\": \"shared.nc\"");
	int next = (rank + 1) % size;
	size_t start[3] = {0, (size_t)(next * ROWS), 0}, number[3] = {STEPS, ROWS, COLUMNS};
	float narrow[STEPS * ROWS * COLUMNS];
	result = nc_get_vara_float(ncid, field, start, number, narrow);
	expect("nc_get_vara_float", result,
	       "\"variable\": \"field\", \"selection\": \"start=[0,%d,0] count=[%d,%d,%d]\", "
	       "\"elements\": %d, \"bytes\": %d",
	       next * ROWS, STEPS, ROWS, COLUMNS, STEPS * ROWS * COLUMNS,
	       STEPS * ROWS * COLUMNS * 4);
	say("field %lx", sum_of(narrow, sizeof narrow));
	expect("nc_close", nc_close(ncid), "\"ncid\": \"shared.nc\"");
	MPI_Finalize();
	return 0;
}
