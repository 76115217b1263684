/* Calls nearly every function of PnetCDF that changes files or transfers data: each type and shape, independent, collective, of
 * many variables, and posted; writes results and data that were read, and for transfers the expected record. Any number of
 * processes. */
#include "said.h"

#include <mpi.h>
#include <pnetcdf.h>

enum { ROWS = 4, COLUMNS = 6, ALL = ROWS * COLUMNS };

static int rank, size, posted;

#define FACTS "\"variable\": \"%s\", \"selection\": \"%s\", \"elements\": %d, \"bytes\": %zu"
#define POSTED "\"variable\": \"%s\", \"selection\": \"%s\", \"request\": %d, \"bytes\": %zu"
#define DONE(call) done(#call, call)

/* The place of this process's data: a block of rows of its own. */
struct shapes {
	MPI_Offset start[2], count[2], stride[2], map[2], second[2];
	MPI_Offset *starts[2], *counts[2], *strides[2], *maps[2];
	char var[40], var1[40], vara[60], vars[80], varm[100], varn[128];
	int whole;
};
static struct shapes at;

static void place(void)
{
	at = (struct shapes){.start = {rank * ROWS + 1, 2},
			     .count = {2, 2},
			     .stride = {1, 3},
			     .map = {1, 2},
			     .second = {rank * ROWS + 3, 0}};
	for (int one = 0; one < 2; one++) {
		at.starts[one] = at.start;
		at.counts[one] = at.count;
		at.strides[one] = at.stride;
		at.maps[one] = at.map;
	}
	at.whole = ALL * size;
	snprintf(at.var, sizeof at.var, "count=[%d,%d]", ROWS * size, COLUMNS);
	snprintf(at.var1, sizeof at.var1, "start=[%lld,2]", (long long)at.start[0]);
	snprintf(at.vara, sizeof at.vara, "%s count=[2,2]", at.var1);
	snprintf(at.vars, sizeof at.vars, "%s stride=[1,3]", at.vara);
	snprintf(at.varm, sizeof at.varm, "%s map=[1,2]", at.vars);
	snprintf(at.varn, sizeof at.varn, "%s; start=[%lld,0] count=[2,2]", at.vara,
		 (long long)at.second[0]);
}
/* For varn: another start. If two blocks reach into the next process's rows, the second has one row. */
static MPI_Offset narrow[2] = {1, 3};
static MPI_Offset *two_starts[2], *two_counts[2];

/* All elements get one value, another each time: processes overwrite each other's, in an unknown order. */
static int rounds;
#define FILL(type)                                                                                 \
	rounds++;                                                                                  \
	for (int element = 0; element < 2 * at.whole + 32; element++)                              \
	data[element] = (type)(rounds % 100 + 1)

#define MOVED(function, what, number, type, ...)                                                   \
	expect(#function, function(ncid, varid, __VA_ARGS__), FACTS, variable, what, number,       \
	       (number) * sizeof(type))

#define WAY(name, type, suffix, way)                                                               \
	MOVED(ncmpi_##way##_var##suffix, at.var, at.whole, type, data);                            \
	SHOW(name, way, at.whole);                                                                 \
	MOVED(ncmpi_##way##_var1##suffix, at.var1, 1, type, at.start, data);                       \
	SHOW(name, way, 1);                                                                        \
	MOVED(ncmpi_##way##_vara##suffix, at.vara, 4, type, at.start, at.count, data);             \
	SHOW(name, way, 4);                                                                        \
	MOVED(ncmpi_##way##_vars##suffix, at.vars, 4, type, at.start, at.count, at.stride, data);  \
	SHOW(name, way, 4);                                                                        \
	MOVED(ncmpi_##way##_varm##suffix, at.varm, 4, type, at.start, at.count, at.stride, at.map, \
	      data);                                                                               \
	SHOW(name, way, 4);                                                                        \
	MOVED(ncmpi_##way##_varn##suffix, at.varn, 7, type, 2, two_starts, two_counts, data);      \
	SHOW(name, way, 7)
#define SHOW(name, way, number)                                                                    \
	say(#name " " #way " %lx", sum_of(data, (size_t)(number) * sizeof *data))

/* Several variables at once: here one, twice; the second time with the same data. */
#define MANY_FACTS                                                                                 \
	"\"varids\": \"[%d,%d]\", \"variable\": \"%s\", \"selection\": \"%s\", \"elements\": %d, " \
	"\"bytes\": %zu"
#define MANY_MOVED(function, what, number, type, ...)                                              \
	snprintf(both, sizeof both, "%s %s; %s %s", variable, what, other, what);                  \
	expect(#function, function(ncid, 2, varids, __VA_ARGS__), MANY_FACTS, varids[0],           \
	       varids[1], variable, both, 2 * (number), 2 * (number) * sizeof(type));              \
	say("%lx", sum_of(data, (size_t)(number) * sizeof *data))
#define MANY(type, suffix, way)                                                                    \
	MANY_MOVED(ncmpi_##way##_var##suffix, at.var, at.whole, type, list);                       \
	MANY_MOVED(ncmpi_##way##_var1##suffix, at.var1, 1, type, at.starts, list);                 \
	MANY_MOVED(ncmpi_##way##_vara##suffix, at.vara, 4, type, at.starts, at.counts, list);      \
	MANY_MOVED(ncmpi_##way##_vars##suffix, at.vars, 4, type, at.starts, at.counts, at.strides, \
		   list);                                                                          \
	MANY_MOVED(ncmpi_##way##_varm##suffix, at.varm, 4, type, at.starts, at.counts, at.strides, \
		   at.maps, list)

#define POST(function, what, number, type, ...)                                                    \
	expect(#function, function(ncid, varid, __VA_ARGS__, &request[pending]), POSTED, variable, \
	       what, ++posted, (number) * sizeof(type));                                           \
	moved[pending++] = (number) * sizeof(type)
/* Pending gets must not overlap: each is waited for alone. */
#define NEXT(way)                                                                                  \
	if (#way[1] == 'g') {                                                                      \
		complete(ncid, request, moved, pending);                                           \
		pending = 0;                                                                       \
	}
#define POSTS(type, suffix, way)                                                                   \
	pending = 0;                                                                               \
	POST(ncmpi_##way##_var##suffix, at.var, at.whole, type, data);                             \
	NEXT(way)                                                                                  \
	POST(ncmpi_##way##_var1##suffix, at.var1, 1, type, at.start, data + at.whole);             \
	NEXT(way)                                                                                  \
	POST(ncmpi_##way##_vara##suffix, at.vara, 4, type, at.start, at.count, data + at.whole);   \
	NEXT(way)                                                                                  \
	POST(ncmpi_##way##_vars##suffix, at.vars, 4, type, at.start, at.count, at.stride,          \
	     data + at.whole + 4);                                                                 \
	NEXT(way)                                                                                  \
	POST(ncmpi_##way##_varm##suffix, at.varm, 4, type, at.start, at.count, at.stride, at.map,  \
	     data + at.whole + 8);                                                                 \
	NEXT(way)                                                                                  \
	POST(ncmpi_##way##_varn##suffix, at.varn, 7, type, 2, two_starts, two_counts,              \
	     data + at.whole + 12);                                                                \
	complete(ncid, request, moved, pending);                                                   \
	say("%lx", sum_of(data, (size_t)(at.whole + 20) * sizeof *data))

/* A wait in the present mode: each request that it completes is a record inside its own. */
static int collective;
static void complete(int ncid, int *request, const size_t *moved, int number)
{
	int status[8];
	if (collective)
		expect("ncmpi_wait_all", ncmpi_wait_all(ncid, number, request, status),
		       "\"num\": %d", number);
	else
		expect("ncmpi_wait", ncmpi_wait(ncid, number, request, status), "\"num\": %d",
		       number);
	for (int one = 0; one < number; one++) {
		expect("pnetcdf_event", (int)moved[one], "\"request\": %d",
		       posted - number + one + 1);
		say("status %d %d", status[one], request[one] == NC_REQ_NULL);
	}
}

#define NUMBERS(name, type, xtype)                                                                 \
	static void independent_##name(int ncid, int varid, const char *variable, type *data,      \
				       int *varids, const char *other)                             \
	{                                                                                          \
		type *list[2] = {data, data + at.whole};                                           \
		int request[8], pending;                                                           \
		size_t moved[8];                                                                   \
		char both[256];                                                                    \
		FILL(type);                                                                        \
		WAY(name, type, _##name, put);                                                     \
		WAY(name, type, _##name, get);                                                     \
		FILL(type);                                                                        \
		MANY(type, _##name, mput);                                                         \
		MANY(type, _##name, mget);                                                         \
		FILL(type);                                                                        \
		POSTS(type, _##name, iput);                                                        \
		POSTS(type, _##name, iget);                                                        \
		FILL(type);                                                                        \
		POSTS(type, _##name, bput);                                                        \
	}                                                                                          \
	static void collective_##name(int ncid, int varid, const char *variable, type *data,       \
				      int *varids, const char *other)                              \
	{                                                                                          \
		type *list[2] = {data, data + at.whole};                                           \
		int request[8], pending;                                                           \
		size_t moved[8];                                                                   \
		char both[256];                                                                    \
		FILL(type);                                                                        \
		WAY(name, type, _##name##_all, put);                                               \
		WAY(name, type, _##name##_all, get);                                               \
		FILL(type);                                                                        \
		MANY(type, _##name##_all, mput);                                                   \
		MANY(type, _##name##_all, mget);                                                   \
		FILL(type);                                                                        \
		POSTS(type, _##name, iput);                                                        \
		POSTS(type, _##name, iget);                                                        \
	}
#define TYPES(X)                                                                                   \
	X(text, char, NC_CHAR)                                                                     \
	X(schar, signed char, NC_BYTE)                                                             \
	X(uchar, unsigned char, NC_UBYTE)                                                          \
	X(short, short, NC_SHORT)                                                                  \
	X(ushort, unsigned short, NC_USHORT)                                                       \
	X(int, int, NC_INT)                                                                        \
	X(uint, unsigned, NC_UINT)                                                                 \
	X(long, long, NC_INT64)                                                                    \
	X(float, float, NC_FLOAT)                                                                  \
	X(double, double, NC_DOUBLE)                                                               \
	X(longlong, long long, NC_INT64)                                                           \
	X(ulonglong, unsigned long long, NC_UINT64)
TYPES(NUMBERS)

/* Attributes: text has no type of its own in the file. */
#define ATTRIBUTE(name, type, xtype)                                                               \
	{                                                                                          \
		type given[3] = {1, 2, 3}, got[3];                                                 \
		expect("ncmpi_put_att_" #name, PUT_##name(name, xtype),                            \
		       "\"variable\": \"first\", \"name\": \"" #name                               \
		       "\", \"len\": 3, \"bytes\": %zu",                                           \
		       sizeof given);                                                              \
		expect("ncmpi_get_att_" #name, ncmpi_get_att_##name(ncid, varid, #name, got),      \
		       "\"variable\": \"first\", \"bytes\": %zu", sizeof given);                   \
		say(#name " %lx", sum_of(got, sizeof got));                                        \
	}
#define PUT(name, xtype) ncmpi_put_att_##name(ncid, varid, #name, xtype, 3, given)
#define PUT_text(name, xtype) ncmpi_put_att_text(ncid, varid, "text", 3, given)
#define PUT_schar PUT
#define PUT_uchar PUT
#define PUT_short PUT
#define PUT_ushort PUT
#define PUT_int PUT
#define PUT_uint PUT
#define PUT_long PUT
#define PUT_float PUT
#define PUT_double PUT
#define PUT_longlong PUT
#define PUT_ulonglong PUT

static void attributes(int ncid, int varid)
{
	short given[3] = {4, 5, 6}, got[3];
	TYPES(ATTRIBUTE)
	expect("ncmpi_put_att", ncmpi_put_att(ncid, varid, "own", NC_SHORT, 3, given),
	       "\"bytes\": 6");
	expect("ncmpi_get_att", ncmpi_get_att(ncid, varid, "own", got), "\"bytes\": 6");
	say("own %lx", sum_of(got, sizeof got));
	DONE(ncmpi_rename_att(ncid, varid, "own", "renamed"));
	DONE(ncmpi_copy_att(ncid, varid, "renamed", ncid, NC_GLOBAL));
	DONE(ncmpi_del_att(ncid, varid, "renamed"));
}

/* Data described by an MPI datatype of type double; a variable of floats. */
#define FLEXIBLE(function, what, number, ...)                                                      \
	expect(#function, function(ncid, varid, __VA_ARGS__, data, number, MPI_DOUBLE), FACTS,     \
	       "of_float", what, number, (size_t)(number)*8);                                      \
	say("%lx", sum_of(data, (size_t)(number)*8))
#define FLEXIBLE_WAY(way, all)                                                                     \
	expect("ncmpi_" #way "_var" #all,                                                          \
	       ncmpi_##way##_var##all(ncid, varid, data, at.whole, MPI_DOUBLE), FACTS, "of_float", \
	       at.var, at.whole, (size_t)at.whole * 8);                                            \
	FLEXIBLE(ncmpi_##way##_var1##all, at.var1, 1, at.start);                                   \
	FLEXIBLE(ncmpi_##way##_vara##all, at.vara, 4, at.start, at.count);                         \
	FLEXIBLE(ncmpi_##way##_vars##all, at.vars, 4, at.start, at.count, at.stride);              \
	FLEXIBLE(ncmpi_##way##_varm##all, at.varm, 4, at.start, at.count, at.stride, at.map);      \
	FLEXIBLE(ncmpi_##way##_varn##all, at.varn, 7, 2, two_starts, two_counts)
#define FLEXIBLE_POST(function, what, number, ...)                                                 \
	expect(#function,                                                                          \
	       function(ncid, varid, __VA_ARGS__, data, number, MPI_DOUBLE, &request[pending]),    \
	       POSTED, "of_float", what, ++posted, (size_t)(number)*8);                            \
	moved[pending++] = (size_t)(number)*8
#define FLEXIBLE_POSTS(way)                                                                        \
	pending = 0;                                                                               \
	expect("ncmpi_" #way "_var",                                                               \
	       ncmpi_##way##_var(ncid, varid, data, at.whole, MPI_DOUBLE, &request[pending]),      \
	       POSTED, "of_float", at.var, ++posted, (size_t)at.whole * 8);                        \
	moved[pending++] = (size_t)at.whole * 8;                                                   \
	NEXT(way)                                                                                  \
	FLEXIBLE_POST(ncmpi_##way##_var1, at.var1, 1, at.start);                                   \
	NEXT(way)                                                                                  \
	FLEXIBLE_POST(ncmpi_##way##_vara, at.vara, 4, at.start, at.count);                         \
	NEXT(way)                                                                                  \
	FLEXIBLE_POST(ncmpi_##way##_vars, at.vars, 4, at.start, at.count, at.stride);              \
	NEXT(way)                                                                                  \
	FLEXIBLE_POST(ncmpi_##way##_varm, at.varm, 4, at.start, at.count, at.stride, at.map);      \
	NEXT(way)                                                                                  \
	FLEXIBLE_POST(ncmpi_##way##_varn, at.varn, 7, 2, two_starts, two_counts);                  \
	complete(ncid, request, moved, pending)
#define FLEXIBLE_MANY(function, what, number, ...)                                                 \
	{                                                                                          \
		MPI_Offset numbers[2] = {number, number};                                          \
		char both[256];                                                                    \
		snprintf(both, sizeof both, "of_float %s; second %s", what, what);                 \
		expect(#function, function(ncid, 2, varids, __VA_ARGS__ list, numbers, doubles),   \
		       MANY_FACTS, varids[0], varids[1], "of_float", both, 2 * (number),           \
		       2 * (size_t)(number)*8);                                                    \
	}
#define FLEXIBLE_MANIES(way, all)                                                                  \
	FLEXIBLE_MANY(ncmpi_##way##_var##all, at.var, at.whole)                                    \
	FLEXIBLE_MANY(ncmpi_##way##_var1##all, at.var1, 1, at.starts, )                            \
	FLEXIBLE_MANY(ncmpi_##way##_vara##all, at.vara, 4, at.starts, at.counts, )                 \
	FLEXIBLE_MANY(ncmpi_##way##_vars##all, at.vars, 4, at.starts, at.counts, at.strides, )     \
	FLEXIBLE_MANY(ncmpi_##way##_varm##all, at.varm, 4, at.starts, at.counts, at.strides,       \
		      at.maps, )

static void flexible(int ncid, int varid, int second, double *data)
{
	int request[8], pending, varids[2] = {varid, second};
	void *list[2] = {data, data + at.whole};
	const MPI_Datatype doubles[2] = {MPI_DOUBLE, MPI_DOUBLE};
	size_t moved[8];
	if (collective) {
		FLEXIBLE_WAY(put, _all);
		FLEXIBLE_WAY(get, _all);
		FLEXIBLE_MANIES(mput, _all)
		FLEXIBLE_MANIES(mget, _all)
		return;
	}
	FLEXIBLE_WAY(put, );
	FLEXIBLE_WAY(get, );
	FLEXIBLE_MANIES(mput, )
	FLEXIBLE_MANIES(mget, )
	FLEXIBLE_POSTS(iput);
	FLEXIBLE_POSTS(iget);
	FLEXIBLE_POSTS(bput);
}

/* A datatype describes the place in the variable. */
static void by_datatype(int ncid, int varid, float *data)
{
	int sizes[2] = {ROWS * size, COLUMNS}, parts[2] = {2, 2}, starts[2] = {rank * ROWS, 1};
	MPI_Datatype block;
	MPI_Type_create_subarray(2, sizes, parts, starts, MPI_ORDER_C, MPI_FLOAT, &block);
	MPI_Type_commit(&block);
	if (collective) {
		expect("ncmpi_put_vard_all",
		       ncmpi_put_vard_all(ncid, varid, block, data, 4, MPI_FLOAT),
		       "\"variable\": \"of_float\", \"elements\": 4, \"bytes\": 16");
		expect("ncmpi_get_vard_all",
		       ncmpi_get_vard_all(ncid, varid, block, data, 4, MPI_FLOAT),
		       "\"variable\": \"of_float\", \"elements\": 4, \"bytes\": 16");
	} else {
		expect("ncmpi_put_vard", ncmpi_put_vard(ncid, varid, block, data, 4, MPI_FLOAT),
		       "\"variable\": \"of_float\", \"elements\": 4, \"bytes\": 16");
		expect("ncmpi_get_vard", ncmpi_get_vard(ncid, varid, block, data, 4, MPI_FLOAT),
		       "\"variable\": \"of_float\", \"elements\": 4, \"bytes\": 16");
	}
	say("block %lx", sum_of(data, 16));
	MPI_Type_free(&block);
}

/* Waits for all of a kind, cancelled requests, and one that does not exist. */
static void requests(int ncid, int varid, float *data)
{
	int request[4], status[4];
	for (int one = 0; one < 4; one++)
		expect(one % 2 ? "ncmpi_iget_vara_float" : "ncmpi_iput_vara_float",
		       one % 2 ? ncmpi_iget_vara_float(ncid, varid, at.start, at.count,
						       data + one * 4, &request[one])
			       : ncmpi_iput_vara_float(ncid, varid, at.start, at.count,
						       data + one * 4, &request[one]),
		       POSTED, "of_float", at.vara, ++posted, sizeof(float) * 4);
	expect("ncmpi_wait_all", ncmpi_wait_all(ncid, NC_PUT_REQ_ALL, NULL, NULL),
	       "\"num\": \"NC_PUT_REQ_ALL\"");
	expect("pnetcdf_event", 16, "\"request\": %d", posted - 3);
	expect("pnetcdf_event", 16, "\"request\": %d", posted - 1);
	expect("ncmpi_cancel", ncmpi_cancel(ncid, 1, &request[1], status), "\"num\": 1");
	expect("pnetcdf_cancelled", 0, "\"request\": %d", posted - 2);
	say("status %d", status[0]);
	expect("ncmpi_wait_all", ncmpi_wait_all(ncid, NC_REQ_ALL, NULL, NULL),
	       "\"num\": \"NC_REQ_ALL\"");
	expect("pnetcdf_event", 16, "\"request\": %d", posted);
	request[0] = 99999;
	expect("ncmpi_wait_all", ncmpi_wait_all(ncid, 1, request, status), "\"num\": 1");
	say("status %d", status[0]);
}

int main(int count, char **arguments)
{
	int ncid, dims[2], varid[16], second, filled, record, number = 0, old;
	MPI_Init(&count, &arguments);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	say_begin(rank);
	place();
	two_starts[0] = at.start;
	two_starts[1] = at.second;
	two_counts[0] = at.count;
	two_counts[1] = narrow;
	snprintf(at.varn, sizeof at.varn, "%s; start=[%lld,0] count=[1,3]", at.vara,
		 (long long)at.second[0]);

	expect("ncmpi_create",
	       ncmpi_create(MPI_COMM_WORLD, "every.nc", NC_CLOBBER | NC_64BIT_DATA, MPI_INFO_NULL,
			    &ncid),
	       "\"comm\": \"MPI_COMM_WORLD\", \"path\": \"every.nc\", \"mode\": "
	       "\"NC_CLOBBER|NC_64BIT_DATA\", \"ncid\": "
	       "\"every.nc\"");
	DONE(ncmpi_set_fill(ncid, NC_FILL, &old));
	DONE(ncmpi_def_dim(ncid, "row", ROWS * size, &dims[0]));
	DONE(ncmpi_def_dim(ncid, "wrong", COLUMNS, &dims[1]));
	DONE(ncmpi_rename_dim(ncid, dims[1], "column"));
#define DEFINE(name, type, xtype)                                                                  \
	expect("ncmpi_def_var", ncmpi_def_var(ncid, "of_" #name, xtype, 2, dims, &varid[number]),  \
	       "\"ncid\": \"every.nc\", \"variable\": \"of_" #name "\", \"varid\": %d", number);   \
	number++;
	TYPES(DEFINE)
	DONE(ncmpi_def_var(ncid, "wrong", NC_FLOAT, 2, dims, &second));
	expect("ncmpi_rename_var", ncmpi_rename_var(ncid, second, "second"),
	       "\"variable\": \"wrong\"");
	DONE(ncmpi_def_var(ncid, "first", NC_INT, 1, dims, &filled));
	int fill = -5, time, time_dims[1];
	DONE(ncmpi_def_var_fill(ncid, filled, 0, &fill));
	DONE(ncmpi_def_dim(ncid, "time", NC_UNLIMITED, &time));
	time_dims[0] = time;
	DONE(ncmpi_def_var(ncid, "record", NC_INT, 1, time_dims, &record));
	DONE(ncmpi_def_var_fill(ncid, record, 0, &fill));
	attributes(ncid, filled);
	DONE(ncmpi__enddef(ncid, 0, 4, 0, 4));
	DONE(ncmpi_fill_var_rec(ncid, record, 0));

	/* Space for the whole, twice. */
	char *space = calloc((size_t)(2 * at.whole + 32), sizeof(double));
	for (int one = 0; one < 2; one++) {
		collective = !one;
		if (!collective)
			DONE(ncmpi_begin_indep_data(ncid));
		DONE(ncmpi_buffer_attach(ncid, 1 << 20));
		/* Independent processes take turns: otherwise the data that they read would not be determined. */
		for (int turn = 0; !collective && turn < rank; turn++)
			MPI_Barrier(MPI_COMM_WORLD);
		number = 0;
#define MOVE(name, type, xtype)                                                                    \
	{                                                                                          \
		type *data = (type *)(void *)space;                                                \
		int varids[2] = {varid[number], varid[number]};                                    \
		if (collective)                                                                    \
			collective_##name(ncid, varid[number], "of_" #name, data, varids,          \
					  "of_" #name);                                            \
		else                                                                               \
			independent_##name(ncid, varid[number], "of_" #name, data, varids,         \
					   "of_" #name);                                           \
		number++;                                                                          \
	}
		TYPES(MOVE)
		double *doubles = (double *)(void *)space;
		for (int element = 0; element < 2 * at.whole + 32; element++)
			doubles[element] = 0.5;
		flexible(ncid, varid[8], second, doubles);
		by_datatype(ncid, varid[8], (float *)(void *)space);
		if (collective)
			requests(ncid, varid[8], (float *)(void *)space);
		for (int turn = rank; !collective && turn < size; turn++)
			MPI_Barrier(MPI_COMM_WORLD);
		DONE(ncmpi_buffer_detach(ncid));
		if (!collective)
			DONE(ncmpi_end_indep_data(ncid));
	}
	DONE(ncmpi_sync(ncid));
	DONE(ncmpi_flush(ncid));
	DONE(ncmpi_sync_numrecs(ncid));
	char path[64];
	int length;
	DONE(ncmpi_inq_path(ncid, &length, path));
	say("path %s", path);
	expect("ncmpi_close", ncmpi_close(ncid), "\"ncid\": \"every.nc\"");
	expect("ncmpi_open", ncmpi_open(MPI_COMM_WORLD, "every.nc", NC_WRITE, MPI_INFO_NULL, &ncid),
	       "\"mode\": \"NC_WRITE\", \"ncid\": \"every.nc\"");
	float value;
	expect("ncmpi_get_var1_float_all",
	       ncmpi_get_var1_float_all(ncid, varid[8], at.start, &value), FACTS, "of_float",
	       at.var1, 1, sizeof value);
	say("value %g", value);
	DONE(ncmpi_redef(ncid));
	DONE(ncmpi_enddef(ncid));
	DONE(ncmpi_redef(ncid));
	DONE(ncmpi_abort(ncid));
	DONE(ncmpi_set_default_format(NC_FORMAT_CDF2, &old));
	DONE(ncmpi_create(MPI_COMM_SELF, rank ? "gone.1" : "gone.0", NC_CLOBBER, MPI_INFO_NULL,
			  &ncid));
	DONE(ncmpi_close(ncid));
	MPI_Barrier(MPI_COMM_WORLD);
	if (rank < 2)
		DONE(ncmpi_delete(rank ? "gone.1" : "gone.0", MPI_INFO_NULL));
	free(space);
	MPI_Finalize();
	return 0;
}
