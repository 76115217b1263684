/* A program with NetCDF that computes its expected calls: serial FORMAT, one of classic, offset, data, netcdf4. Writes a file,
 * reads it again. Selections, elements and bytes of the calls are written here by hand or counted by the loops, never read from the
 * library. */
#include "said.h"

#include <netcdf.h>

enum { ROWS = 4, COLUMNS = 6, STEPS = 3 };

static const char *const formats[] = {"classic", "offset", "data", "netcdf4"};
static const int modes[] = {0, NC_64BIT_OFFSET, NC_64BIT_DATA, NC_NETCDF4};
static const char *const mode_texts[] = {"NC_CLOBBER", "NC_CLOBBER|NC_64BIT_OFFSET",
					 "NC_CLOBBER|NC_64BIT_DATA", "NC_CLOBBER|NC_NETCDF4"};

static void write_file(int format)
{
	int ncid, time, row, column, field, matrix, label, single, result;
	result = nc_create("field.nc", modes[format], &ncid);
	expect("nc_create", result,
	       "\"path\": \"field.nc\", \"mode\": \"%s\", \"ncid\": \"field.nc\"",
	       mode_texts[format]);
	result = nc_def_dim(ncid, "time", NC_UNLIMITED, &time);
	expect("nc_def_dim", result,
	       "\"ncid\": \"field.nc\", \"name\": \"time\", \"len\": 0, \"dimid\": %d", time);
	result = nc_def_dim(ncid, "row", ROWS, &row);
	expect("nc_def_dim", result, "\"name\": \"row\", \"len\": %d, \"dimid\": %d", ROWS, row);
	result = nc_def_dim(ncid, "column", COLUMNS, &column);
	expect("nc_def_dim", result, "\"name\": \"column\", \"len\": %d, \"dimid\": %d", COLUMNS,
	       column);
	int dims[3] = {time, row, column};
	result = nc_def_var(ncid, "field", NC_DOUBLE, 3, dims, &field);
	expect("nc_def_var", result,
	       "\"name\": \"field\", \"xtype\": \"NC_DOUBLE\", \"ndims\": 3, \"dimids\": "
	       "\"[%d,%d,%d]\", \"varid\": %d, "
	       "\"variable\": \"field\"",
	       time, row, column, field);
	result = nc_def_var(ncid, "matrix", NC_INT, 2, dims + 1, &matrix);
	expect("nc_def_var", result,
	       "\"name\": \"matrix\", \"xtype\": \"NC_INT\", \"ndims\": 2, \"dimids\": "
	       "\"[%d,%d]\", \"variable\": \"matrix\"",
	       row, column);
	result = nc_def_var(ncid, "label", NC_CHAR, 1, dims + 2, &label);
	expect("nc_def_var", result,
	       "\"name\": \"label\", \"xtype\": \"NC_CHAR\", \"variable\": \"label\"");
	result = nc_def_var(ncid, "single", NC_SHORT, 0, NULL, &single);
	expect("nc_def_var", result,
	       "\"name\": \"single\", \"ndims\": 0, \"variable\": \"single\"");
	if (modes[format] == NC_NETCDF4) {
		size_t chunks[3] = {1, 2, 3};
		result = nc_def_var_chunking(ncid, field, NC_CHUNKED, chunks);
		expect("nc_def_var_chunking", result,
		       "\"varid\": %d, \"storage\": \"NC_CHUNKED\", \"variable\": \"field\", "
		       "\"chunks\": \"[1,2,3]\"",
		       field);
		result = nc_def_var_deflate(ncid, field, 1, 1, 4);
		expect("nc_def_var_deflate", result,
		       "\"shuffle\": 1, \"deflate\": 1, \"deflate_level\": 4, \"variable\": "
		       "\"field\"");
	}
	result = nc_put_att_text(ncid, NC_GLOBAL, "title", 5, "steps");
	expect("nc_put_att_text", result,
	       "\"varid\": \"NC_GLOBAL\", \"name\": \"title\", \"len\": 5, \"variable\": null, "
	       "\"bytes\": 5");
	const float range[2] = {-1, 1};
	result = nc_put_att_float(ncid, field, "range", NC_FLOAT, 2, range);
	expect("nc_put_att_float", result,
	       "\"name\": \"range\", \"xtype\": \"NC_FLOAT\", \"len\": 2, \"variable\": \"field\", "
	       "\"bytes\": 8");
	result = nc_enddef(ncid);
	expect("nc_enddef", result, "\"ncid\": \"field.nc\"");

	double slab[ROWS * COLUMNS];
	for (size_t step = 0; step < STEPS; step++) {
		for (int at = 0; at < ROWS * COLUMNS; at++)
			slab[at] = (double)step + at / 10.0;
		size_t start[3] = {step, 0, 0}, count[3] = {1, ROWS, COLUMNS};
		result = nc_put_vara_double(ncid, field, start, count, slab);
		expect("nc_put_vara_double", result,
		       "\"ncid\": \"field.nc\", \"varid\": %d, \"variable\": \"field\", "
		       "\"selection\": \"start=[%zu,0,0] "
		       "count=[1,%d,%d]\", \"elements\": %d, \"bytes\": %d",
		       field, step, ROWS, COLUMNS, ROWS * COLUMNS, ROWS * COLUMNS * 8);
	}
	long numbers[ROWS * COLUMNS];
	for (int at = 0; at < ROWS * COLUMNS; at++)
		numbers[at] = at;
	result = nc_put_var_long(ncid, matrix, numbers);
	expect("nc_put_var_long", result,
	       "\"variable\": \"matrix\", \"selection\": \"count=[%d,%d]\", \"elements\": %d, "
	       "\"bytes\": %d",
	       ROWS, COLUMNS, ROWS * COLUMNS, ROWS * COLUMNS * 8);
	size_t start[2] = {0, 1}, count[2] = {2, 3};
	ptrdiff_t stride[2] = {2, 2}, map[2] = {1, 2};
	result = nc_put_vars_long(ncid, matrix, start, count, stride, numbers);
	expect("nc_put_vars_long", result,
	       "\"selection\": \"start=[0,1] count=[2,3] stride=[2,2]\", \"elements\": 6, "
	       "\"bytes\": 48");
	result = nc_put_varm_long(ncid, matrix, start, count, stride, map, numbers);
	expect("nc_put_varm_long", result,
	       "\"selection\": \"start=[0,1] count=[2,3] stride=[2,2] map=[1,2]\", \"elements\": "
	       "6, \"bytes\": 48");
	result = nc_put_var_text(ncid, label, "abcdef");
	expect("nc_put_var_text", result, "\"variable\": \"label\", \"elements\": 6, \"bytes\": 6");
	short one = 7;
	result = nc_put_var(ncid, single, &one);
	expect("nc_put_var", result, "\"variable\": \"single\", \"elements\": 1, \"bytes\": 2");
	start[0] = 9;
	result = nc_put_var1_long(ncid, matrix, start, numbers);
	expect("nc_put_var1_long", result,
	       "\"variable\": \"matrix\", \"selection\": \"start=[9,1]\", \"bytes\": 0");
	result = nc_sync(ncid);
	expect("nc_sync", result, "\"ncid\": \"field.nc\"");
	result = nc_redef(ncid);
	expect("nc_redef", result, "\"ncid\": \"field.nc\"");
	result = nc_rename_var(ncid, matrix, "table");
	expect("nc_rename_var", result,
	       "\"varid\": %d, \"name\": \"table\", \"variable\": \"matrix\"", matrix);
	result = nc_enddef(ncid);
	expect("nc_enddef", result, "\"ncid\": \"field.nc\"");
	start[0] = 1;
	result = nc_put_var1_long(ncid, matrix, start, numbers);
	expect("nc_put_var1_long", result,
	       "\"variable\": \"table\", \"selection\": \"start=[1,1]\", \"elements\": 1, "
	       "\"bytes\": 8");
	result = nc_close(ncid);
	expect("nc_close", result, "\"ncid\": \"field.nc\"");
}

static void read_file(void)
{
	int ncid, other, result;
	double all[STEPS * ROWS * COLUMNS];
	result = nc_open("absent.nc", NC_NOWRITE, &ncid);
	expect("nc_open", result,
	       "\"path\": \"absent.nc\", \"mode\": \"NC_NOWRITE\", \"ncid\": null");
	result = nc_open("field.nc", NC_NOWRITE, &ncid);
	expect("nc_open", result, "\"path\": \"field.nc\", \"ncid\": \"field.nc\"");
	result = nc_open("field.nc", NC_NOWRITE, &other);
	expect("nc_open", result, "\"path\": \"field.nc\", \"ncid\": \"field.nc\"");
	/* Variables are numbered in the order of their definition. */
	result = nc_get_var_double(ncid, 0, all);
	expect("nc_get_var_double", result,
	       "\"varid\": 0, \"variable\": \"field\", \"selection\": \"count=[%d,%d,%d]\", "
	       "\"elements\": %d, \"bytes\": %d",
	       STEPS, ROWS, COLUMNS, STEPS * ROWS * COLUMNS, STEPS * ROWS * COLUMNS * 8);
	say("field %lx", sum_of(all, sizeof all));
	result = nc_close(other);
	expect("nc_close", result, "\"ncid\": \"field.nc\"");
	float column[ROWS];
	for (size_t at = 0; at < COLUMNS; at++) {
		size_t start[2] = {0, at}, count[2] = {ROWS, 1};
		result = nc_get_vara_float(ncid, 1, start, count, column);
		expect("nc_get_vara_float", result,
		       "\"variable\": \"table\", \"selection\": \"start=[0,%zu] count=[%d,1]\", "
		       "\"elements\": %d, \"bytes\": %d",
		       at, ROWS, ROWS, ROWS * 4);
		say("column %lx", sum_of(column, sizeof column));
	}
	signed char narrow[ROWS * COLUMNS * STEPS];
	result = nc_get_var_schar(ncid, 99, narrow);
	expect("nc_get_var_schar", result, "\"varid\": 99, \"variable\": null, \"bytes\": 0");
	char text[16] = "";
	result = nc_get_att_text(ncid, NC_GLOBAL, "title", text);
	expect("nc_get_att_text", result, "\"name\": \"title\", \"bytes\": 5");
	say("title %s", text);
	double range[2];
	result = nc_get_att_double(ncid, 0, "range", range);
	expect("nc_get_att_double", result, "\"variable\": \"field\", \"bytes\": 16");
	say("range %g %g", range[0], range[1]);
	result = nc_close(ncid);
	expect("nc_close", result, "\"ncid\": \"field.nc\"");
	result = nc_close(ncid);
	expect("nc_close", result, "\"ncid\": null");
}

int main(int count, char **arguments)
{
	int format = 0;
	for (int at = 0; count > 1 && at < 4; at++)
		if (!strcmp(arguments[1], formats[at]))
			format = at;
	say_begin(0);
	write_file(format);
	read_file();
	return 0;
}
