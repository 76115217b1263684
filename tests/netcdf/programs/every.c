/* Calls nearly every function of NetCDF that changes files or transfers data, each type and shape; writes results and data that
 * were read, and for transfers the expected record. */
#include "said.h"

#include <netcdf.h>
#include <netcdf_filter.h>
#include <netcdf_mem.h>

enum { ROWS = 4, COLUMNS = 6, ALL = ROWS * COLUMNS };

#define FACTS "\"variable\": \"%s\", \"selection\": \"%s\", \"elements\": %d, \"bytes\": %zu"
#define MOVED(function, what, elements, type, ...)                                                 \
	expect(#function, function(ncid, varid, __VA_ARGS__), FACTS, variable, what, elements,     \
	       (elements) * sizeof(type))
#define DONE(call) done(#call, call)

static const size_t start[2] = {1, 2}, count[2] = {2, 2};
static const ptrdiff_t stride[2] = {2, 3}, map[2] = {1, 2};

/* All shapes of one type. */
#define SHAPES(name, type, suffix, xtype)                                                          \
	static void move_##name(int ncid, int varid, const char *variable, type *data)             \
	{                                                                                          \
		type got[ALL];                                                                     \
		memset(got, 0, sizeof got);                                                        \
		MOVED(nc_put_var##suffix, "count=[4,6]", ALL, type, (const type *)data);           \
		MOVED(nc_put_var1##suffix, "start=[1,2]", 1, type, start, (const type *)data);     \
		MOVED(nc_put_vara##suffix, "start=[1,2] count=[2,2]", 4, type, start, count,       \
		      (const type *)data);                                                         \
		MOVED(nc_put_vars##suffix, "start=[1,2] count=[2,2] stride=[2,3]", 4, type, start, \
		      count, stride, (const type *)data);                                          \
		MOVED(nc_put_varm##suffix, "start=[1,2] count=[2,2] stride=[2,3] map=[1,2]", 4,    \
		      type, start, count, stride, map, (const type *)data);                        \
		MOVED(nc_get_var##suffix, "count=[4,6]", ALL, type, got);                          \
		show_##name(got, ALL);                                                             \
		MOVED(nc_get_var1##suffix, "start=[1,2]", 1, type, start, got);                    \
		show_##name(got, 1);                                                               \
		MOVED(nc_get_vara##suffix, "start=[1,2] count=[2,2]", 4, type, start, count, got); \
		show_##name(got, 4);                                                               \
		MOVED(nc_get_vars##suffix, "start=[1,2] count=[2,2] stride=[2,3]", 4, type, start, \
		      count, stride, got);                                                         \
		show_##name(got, 4);                                                               \
		MOVED(nc_get_varm##suffix, "start=[1,2] count=[2,2] stride=[2,3] map=[1,2]", 4,    \
		      type, start, count, stride, map, got);                                       \
		show_##name(got, 4);                                                               \
	}

/* Numbers, and attributes of them. */
#define NUMBERS(name, type, xtype)                                                                 \
	static void show_##name(const type *got, size_t number)                                    \
	{                                                                                          \
		say(#name " %lx", sum_of(got, number * sizeof *got));                              \
	}                                                                                          \
	SHAPES(name, type, _##name, xtype)                                                         \
	static void all_##name(int ncid, int varid)                                                \
	{                                                                                          \
		const char *variable = "of_" #name;                                                \
		type data[ALL], got[3];                                                            \
		for (int at = 0; at < ALL; at++)                                                   \
			data[at] = (type)(at + 1);                                                 \
		move_##name(ncid, varid, variable, data);                                          \
		expect("nc_put_att_" #name, nc_put_att_##name(ncid, varid, "a", xtype, 3, data),   \
		       "\"variable\": \"%s\", \"name\": \"a\", \"len\": 3, \"bytes\": %zu",        \
		       variable, 3 * sizeof(type));                                                \
		expect("nc_get_att_" #name, nc_get_att_##name(ncid, varid, "a", got),              \
		       "\"variable\": \"%s\", \"bytes\": %zu", variable, 3 * sizeof(type));        \
		show_##name(got, 3);                                                               \
	}
#define TYPES(X)                                                                                   \
	X(schar, signed char, NC_BYTE)                                                             \
	X(uchar, unsigned char, NC_UBYTE)                                                          \
	X(ubyte, unsigned char, NC_UBYTE)                                                          \
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

static void show_text(const char *got, size_t number)
{
	say("text %.*s", (int)number, got);
}
SHAPES(text, char, _text, NC_CHAR)

typedef char *string;
static void show_string(string *got, size_t number)
{
	for (size_t at = 0; at < number; at++)
		say("string %s", got[at] ? got[at] : "NULL");
	nc_free_string(number, got);
	memset(got, 0, number * sizeof *got);
}
static void move_string(int ncid, int varid, const char *variable, string *data)
{
	const char **given = (const char **)(uintptr_t)data;
	string got[ALL];
	memset(got, 0, sizeof got);
	MOVED(nc_put_var_string, "count=[4,6]", ALL, string, given);
	MOVED(nc_put_var1_string, "start=[1,2]", 1, string, start, given);
	MOVED(nc_put_vara_string, "start=[1,2] count=[2,2]", 4, string, start, count, given);
	MOVED(nc_put_vars_string, "start=[1,2] count=[2,2] stride=[2,3]", 4, string, start, count,
	      stride, given);
	MOVED(nc_put_varm_string, "start=[1,2] count=[2,2] stride=[2,3] map=[1,2]", 4, string,
	      start, count, stride, map, given);
	MOVED(nc_get_var_string, "count=[4,6]", ALL, string, got);
	show_string(got, ALL);
	MOVED(nc_get_var1_string, "start=[1,2]", 1, string, start, got);
	show_string(got, 1);
	MOVED(nc_get_vara_string, "start=[1,2] count=[2,2]", 4, string, start, count, got);
	show_string(got, 4);
	MOVED(nc_get_vars_string, "start=[1,2] count=[2,2] stride=[2,3]", 4, string, start, count,
	      stride, got);
	show_string(got, 4);
	MOVED(nc_get_varm_string, "start=[1,2] count=[2,2] stride=[2,3] map=[1,2]", 4, string,
	      start, count, stride, map, got);
	show_string(got, 4);
	expect("nc_put_att_string", nc_put_att_string(ncid, varid, "a", 2, given),
	       "\"variable\": \"%s\", \"bytes\": 16", variable);
	expect("nc_get_att_string", nc_get_att_string(ncid, varid, "a", got),
	       "\"variable\": \"%s\", \"bytes\": 16", variable);
	show_string(got, 2);
}

/* If the name has no type, the variable's own counts. */
static void show_own(const short *got, size_t number)
{
	say("own %lx", sum_of(got, number * sizeof *got));
}
SHAPES(own, short, , NC_SHORT)

static void data(void)
{
	int ncid, dims[2], varid[16], at = 0;
	expect("nc_create", nc_create("every.nc", NC_NETCDF4, &ncid), "\"ncid\": \"every.nc\"");
	DONE(nc_def_dim(ncid, "row", ROWS, &dims[0]));
	DONE(nc_def_dim(ncid, "column", COLUMNS, &dims[1]));
#define DEFINE(name, type, xtype) DONE(nc_def_var(ncid, "of_" #name, xtype, 2, dims, &varid[at++]));
	TYPES(DEFINE)
	DEFINE(text, char, NC_CHAR)
	DEFINE(string, string, NC_STRING)
	DEFINE(own, short, NC_SHORT)
	DONE(nc_enddef(ncid));
	at = 0;
#define MOVE(name, type, xtype) all_##name(ncid, varid[at++]);
	TYPES(MOVE)
	char text[ALL + 1] = "abcdefghijklmnopqrstuvwx", *strings[ALL];
	move_text(ncid, varid[at++], "of_text", text);
	for (int one = 0; one < ALL; one++)
		strings[one] = text + one;
	move_string(ncid, varid[at++], "of_string", strings);
	short own[ALL] = {1, 2, 3, 4, 5, 6, 7, 8}, got[3];
	move_own(ncid, varid[at], "of_own", own);
	expect("nc_put_att", nc_put_att(ncid, varid[at], "a", NC_SHORT, 3, own), "\"bytes\": 6");
	expect("nc_get_att", nc_get_att(ncid, varid[at], "a", got), "\"bytes\": 6");
	show_own(got, 3);
	expect("nc_put_att_text", nc_put_att_text(ncid, varid[at], "t", 4, "text"), "\"bytes\": 4");
	expect("nc_get_att_text", nc_get_att_text(ncid, varid[at], "t", text), "\"bytes\": 4");
	show_text(text, 4);
	DONE(nc_rename_att(ncid, varid[at], "t", "u"));
	DONE(nc_copy_att(ncid, varid[at], "u", ncid, varid[0]));
	DONE(nc_del_att(ncid, varid[at], "u"));
	DONE(nc_sync(ncid));
	expect("nc_close", nc_close(ncid), "\"ncid\": \"every.nc\"");
}

static void properties(void)
{
	int ncid, group, again, dims[2], varid[12], old;
	size_t chunks[2] = {2, 3};
	unsigned level = 5;
	float fill = -1;
	DONE(nc_set_default_format(NC_FORMAT_NETCDF4, &old));
	say("was %d", old);
	DONE(nc_set_chunk_cache(1 << 20, 101, 0.5f));
	DONE(nc_set_alignment(4096, 512));
	DONE(nc_create("properties.nc", NC_CLOBBER, &ncid));
	DONE(nc_set_default_format(old, NULL));
	DONE(nc_set_fill(ncid, NC_NOFILL, &old));
	DONE(nc_def_grp(ncid, "inner", &group));
	DONE(nc_def_dim(group, "row", ROWS, &dims[0]));
	DONE(nc_def_dim(group, "wrong", COLUMNS, &dims[1]));
	DONE(nc_rename_dim(group, dims[1], "column"));
	for (int at = 0; at < 12; at++) {
		char name[8];
		snprintf(name, sizeof name, "v%d", at);
		expect("nc_def_var", nc_def_var(group, name, NC_FLOAT, 2, dims, &varid[at]),
		       "\"ncid\": \"/inner\", \"variable\": \"%s\"", name);
	}
	DONE(nc_def_var_chunking(group, varid[0], NC_CHUNKED, chunks));
	DONE(nc_def_var_chunking(group, varid[1], NC_CONTIGUOUS, NULL));
	DONE(nc_def_var_deflate(group, varid[2], 1, 1, 3));
	DONE(nc_def_var_szip(group, varid[3], 32, 16));
	DONE(nc_def_var_fletcher32(group, varid[4], NC_FLETCHER32));
	DONE(nc_def_var_fill(group, varid[5], NC_FILL, &fill));
	DONE(nc_def_var_endian(group, varid[6], NC_ENDIAN_BIG));
	DONE(nc_def_var_filter(group, varid[7], 1, 1, &level));
	DONE(nc_def_var_quantize(group, varid[8], NC_QUANTIZE_BITGROOM, 3));
	DONE(nc_def_var_bzip2(group, varid[9], 3));
	DONE(nc_def_var_zstandard(group, varid[10], 3));
	DONE(nc_def_var_blosc(group, varid[11], 1, 3, 0, 1));
	DONE(nc_set_var_chunk_cache(group, varid[0], 1 << 20, 101, 0.75f));
	DONE(nc_enddef(ncid));
	float data[ALL];
	for (int at = 0; at < ALL; at++)
		data[at] = (float)at / 3;
	for (int at = 0; at < 9; at++) {
		char name[8];
		snprintf(name, sizeof name, "v%d", at);
		expect("nc_put_var_float", nc_put_var_float(group, varid[at], data),
		       "\"ncid\": \"/inner\", " FACTS, name, "count=[4,6]", ALL, sizeof data);
	}
	expect("nc_inq_ncid", nc_inq_ncid(ncid, "inner", &again), "\"grp_ncid\": \"/inner\"");
	expect("nc_inq_grp_ncid", nc_inq_grp_ncid(ncid, "inner", &again),
	       "\"grp_ncid\": \"/inner\"");
	expect("nc_inq_grp_full_ncid", nc_inq_grp_full_ncid(ncid, "/inner", &again),
	       "\"grp_ncid\": \"/inner\"");
	expect("nc_inq_grp_parent", nc_inq_grp_parent(group, &again),
	       "\"parent_ncid\": \"properties.nc\"");
	say("parent %d", again == ncid);
	DONE(nc_redef(ncid));
	expect("nc_rename_grp", nc_rename_grp(group, "outer"), "\"name\": \"outer\"");
	DONE(nc_rename_var(group, varid[0], "first"));
	DONE(nc_enddef(ncid));
	expect("nc_get_var_float", nc_get_var_float(group, varid[0], data),
	       "\"ncid\": \"/outer\", " FACTS, "first", "count=[4,6]", ALL, sizeof data);
	say("first %lx", sum_of(data, sizeof data));
	DONE(nc_close(ncid));
}

/* A group that no call has named: its parent's list contains it. */
static void found_group(void)
{
	int ncid, number, groups[4];
	float data[ALL];
	DONE(nc_open("properties.nc", NC_NOWRITE, &ncid));
	say("groups %d %d", nc_inq_grps(ncid, &number, groups), number);
	expect("nc_get_var_float", nc_get_var_float(groups[0], 2, data),
	       "\"ncid\": \"/outer\", " FACTS, "v2", "count=[4,6]", ALL, sizeof data);
	say("v2 %lx", sum_of(data, sizeof data));
	DONE(nc_close(ncid));
}

static void types(void)
{
	struct pair {
		int number;
		double value[2];
	} pairs[2], got[2];
	int ncid, dim, compound, list, choice, opaque, varid, sizes[1] = {2};
	signed char red = 1;
	/* The gaps in it are written to the file too. */
	memset(pairs, 0, sizeof pairs);
	pairs[0].number = 1;
	pairs[1].number = 4;
	pairs[1].value[1] = 6;
	DONE(nc_create("types.nc", NC_NETCDF4 | NC_NOCLOBBER, &ncid));
	DONE(nc_def_compound(ncid, sizeof(struct pair), "pair", &compound));
	DONE(nc_insert_compound(ncid, compound, "number", 0, NC_INT));
	DONE(nc_insert_array_compound(ncid, compound, "value", 8, NC_DOUBLE, 1, sizes));
	DONE(nc_def_vlen(ncid, "list", NC_INT, &list));
	DONE(nc_def_enum(ncid, NC_BYTE, "choice", &choice));
	DONE(nc_insert_enum(ncid, choice, "red", &red));
	DONE(nc_def_opaque(ncid, 7, "opaque", &opaque));
	DONE(nc_def_dim(ncid, "two", 2, &dim));
	DONE(nc_def_var(ncid, "pairs", compound, 1, &dim, &varid));
	expect("nc_put_var", nc_put_var(ncid, varid, pairs), FACTS, "pairs", "count=[2]", 2,
	       sizeof pairs);
	memset(got, 0, sizeof got);
	expect("nc_get_var", nc_get_var(ncid, varid, got), FACTS, "pairs", "count=[2]", 2,
	       sizeof pairs);
	say("pairs %d %g", got[1].number, got[1].value[1]);
	DONE(nc_close(ncid));
	DONE(nc_create("types.nc", NC_NETCDF4 | NC_NOCLOBBER, &ncid));
}

static void files(void)
{
	int ncid, other, dim, varid;
	size_t hint = 8192;
	char path[64];
	DONE(nc__create("hinted.nc", 0, 1024, &hint, &ncid));
	say("hint %zu", hint);
	DONE(nc_def_dim(ncid, "x", 10, &dim));
	DONE(nc_def_var(ncid, "x", NC_INT, 1, &dim, &varid));
	DONE(nc__enddef(ncid, 64, 4, 0, 4));
	DONE(nc_close(ncid));
	hint = 4096;
	DONE(nc__open("hinted.nc", NC_WRITE, &hint, &ncid));
	DONE(nc_create("copied.nc", NC_64BIT_OFFSET, &other));
	DONE(nc_def_dim(other, "x", 10, &dim));
	DONE(nc_copy_var(ncid, varid, other));
	size_t length = 0;
	DONE(nc_inq_path(ncid, &length, path));
	say("path %zu %s", length, path);
	DONE(nc_close(other));
	DONE(nc_redef(ncid));
	DONE(nc_abort(ncid));
	DONE(nc__create_mp("old.nc", 0, 0, 0, &hint, &ncid));
	DONE(nc_close(ncid));
	DONE(nc__open_mp("old.nc", 0, 0, &hint, &ncid));
	DONE(nc_close(ncid));
	DONE(nc_delete_mp("old.nc", 0));
	DONE(nc_delete("copied.nc"));
	DONE(nc_delete("absent.nc"));
	NC_memio memory = {0, NULL, 0};
	DONE(nc_create_mem("memory", NC_NETCDF4, 4096, &ncid));
	DONE(nc_def_dim(ncid, "x", 10, &dim));
	DONE(nc_close_memio(ncid, &memory));
	DONE(nc_open_mem("memory", 0, memory.size, memory.memory, &ncid));
	DONE(nc_close(ncid));
	memory.flags = NC_MEMIO_LOCKED;
	DONE(nc_open_memio("memory", 0, &memory, &ncid));
	DONE(nc_close(ncid));
	free(memory.memory);
}

int main(void)
{
	say_begin(0);
	data();
	properties();
	found_group();
	types();
	files();
	return 0;
}
