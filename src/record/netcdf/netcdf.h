/* Record: what the hooks of NetCDF and PnetCDF share: one code for both prefixes.
 *
 * Files and groups are numbers (ncid), variables are numbers in them. Hooks ask the library only for what it has in memory, and
 * only after a call of the program that has used the same file or variable: before it, NetCDF would read from the file what the
 * program's call reads. The only exception is a file whose opening was not recorded.
 */
#ifndef RECORD_NETCDF_NETCDF_H
#define RECORD_NETCDF_NETCDF_H

#include "record/library/library.h"

enum nc_shape {
	SHAPE_NONE,
	SHAPE_VAR,
	SHAPE_VAR1,
	SHAPE_VARA,
	SHAPE_VARS,
	SHAPE_VARM,
	SHAPE_VARN,
	SHAPE_VARD,
};

/* What the name of a function that transfers data means. */
struct nc_form {
	uint8_t known;
	uint8_t shape;	/* enum nc_shape */
	uint8_t arrays; /* how many of start, count, stride, map are arguments */
	bool put;
	bool many;     /* transfers several variables */
	uint8_t width; /* of an element in memory; 0: not in the name */
};

/* number[] of a variable. */
enum {
	NC_DIMENSIONS = 0,
	NC_TYPE = 1,
	NC_SIZE = 2, /* size of its type, plus 1; 0: not known */
};

/* number[] of a file. */
enum {
	NC_GROUPS = 0,	 /* the highest known number of its groups */
	NC_REQUESTS = 1, /* PnetCDF: its oldest and its newest request that is not completed */
};

enum {
	NC_DIMENSIONS_MOST = 32, /* selections of variables with more dimensions are not recorded */
	NC_NOTHING = -1,	 /* not a variable: attributes of the file */
	/* some values did not fit, but all were transferred */
	NC_RANGE = -60,
};

/* Functions of the library that hooks call; their names are in netcdf_ask.c. */
enum nc_asked {
	NC_ASK_VARIABLE,
	NC_ASK_LENGTH,
	NC_ASK_TYPE,
	NC_ASK_PATH,
	NC_ASK_GROUP,
	NC_ASK_ATTRIBUTE,
	NC_ASK_COUNT
};

/* netcdf_ask.c */
const char *nc_name(const struct library_call *call);
static inline bool nc_parallel(const struct library_call *call)
{
	return nc_name(call)[2] == 'm';
}
static inline enum family nc_family(const struct library_call *call)
{
	return nc_parallel(call) ? FAMILY_PNC_FILE : FAMILY_NC_FILE;
}
const struct nc_form *nc_form(const struct library_call *call);
/* Calls the function; false: it does not exist, or it failed. */
bool nc_ask(const struct library_call *call, enum nc_asked which, int32_t ncid, uint64_t b,
	    uint64_t c, uint64_t d, uint64_t e, uint64_t f);
/* Bytes of a type of the library or of the program; 0: not known. */
uint64_t nc_type_size(const struct library_call *call, int32_t ncid, int32_t type);
/* Gets the present lengths of the variable's dimensions. */
bool nc_lengths(const struct library_call *call, int32_t ncid, int32_t varid, int64_t *lengths);

/* netcdf_objects.c */
/* A variable that the call has used; NULL: there is none, or it is not known. */
struct entity *nc_variable(struct library_call *call, int32_t ncid, int32_t varid);
uint64_t nc_variable_size(const struct library_call *call, int32_t ncid, struct entity *variable);
/* Describes a file or group whose opening was not recorded. */
void nc_learn(struct library_call *call, struct entity *entity);

/* netcdf_move.c */
/* What a call transfers: its text (a word) and the amount. */
struct nc_moved {
	uint64_t text;
	uint64_t elements;
	uint64_t bytes;
};
struct nc_moved nc_move_of(struct library_call *call, struct entity *variable);

/* netcdf_requests.c */
/* The file is closed: forgets its requests that are not completed. */
void nc_requests_gone(const struct library_call *call, const struct entity *file);

#endif
