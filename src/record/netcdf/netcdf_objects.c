/* Record: hooks of NetCDF and PnetCDF for files, groups, variables and attributes. See netcdf.h, library_ops.h.
 *
 * A file is identified by its path and by device and inode, like its descriptors. A group belongs to its file, a variable to its
 * file or group. Numbers are used again after a file is closed: its groups are forgotten with it, and a known variable counts only
 * if it belongs to the present file.
 */
#include "record/netcdf/netcdf.h"

#include "base/text.h"
#include "record/library/library_ops.h"
#include "record/wrap.h"

#include <string.h>

enum {
	NC_GROUP_BITS = 0xffff, /* part of an ncid: the number of the group in its file */
	NC_IN_MEMORY = 0x8000,	/* flag of create and open */
	NC_NAME_ROOM = 1032,	/* for names; at present the longest has 256 bytes */
};

static uint64_t pointer_word(const void *pointer)
{
	return (uint64_t)(uintptr_t)pointer;
}

static bool is_group(enum family family, int32_t ncid)
{
	return family == FAMILY_NC_FILE && (ncid & NC_GROUP_BITS);
}

/* ---- files and groups */

/* The path may begin with the file system type for ROMIO, as in "ufs:name". */
static const char *without_prefix(const char *path)
{
	const char *at = path;
	while (*at >= 'a' && *at <= 'z')
		at++;
	return *at == ':' && at > path && at - path < 8 ? at + 1 : path;
}

static void file_describe(struct library_call *call, struct entity *file, const char *path,
			  bool memory)
{
	long length = text_length(call->self, path, ENTITY_PATH - 1);
	if (!file || length < 0)
		return;
	if (memory || strstr(path, "://"))
		entity_text(call->self, file, path, (size_t)length);
	else
		entity_file(call->self, file, without_prefix(path));
}

static void group_learn(struct library_call *call, struct entity *entity)
{
	int32_t ncid = (int32_t)(uint32_t)entity->value;
	char name[ENTITY_TEXT];
	uint64_t length = 0;
	if (!nc_ask(call, NC_ASK_GROUP, ncid, pointer_word(&length), 0, 0, 0, 0) ||
	    length >= sizeof name ||
	    !nc_ask(call, NC_ASK_GROUP, ncid, pointer_word(&length), pointer_word(name), 0, 0, 0))
		return;
	uint64_t whole = entity->value & ~(uint64_t)NC_GROUP_BITS, number = entity->value - whole;
	struct entity *file = entity_meet(call, FAMILY_NC_FILE, whole, VARVE_HANDLE_NC_FILE);
	if (file && file->number[NC_GROUPS] < number)
		file->number[NC_GROUPS] = number;
	entity_make(call, FAMILY_NC_FILE, entity->value, VARVE_HANDLE_NC_GROUP, name, length, file);
}

void nc_learn(struct library_call *call, struct entity *entity)
{
	int32_t ncid = (int32_t)(uint32_t)entity->value;
	char path[ENTITY_PATH];
	uint64_t length = 0; /* an int in PnetCDF */
	if (is_group(entity->family, ncid))
		group_learn(call, entity);
	else if (nc_ask(call, NC_ASK_PATH, ncid, pointer_word(&length), 0, 0, 0, 0) &&
		 length < sizeof path - 1 &&
		 nc_ask(call, NC_ASK_PATH, ncid, pointer_word(&length), pointer_word(path), 0, 0,
			0)) {
		path[length] = 0;
		file_describe(call, entity, path, false);
	}
}

/* nc_create calls nc__create: what that call has made is also the result of this one. */
void before_nc_open(struct library_call *call)
{
	call->kept[0] = __atomic_load_n(&recorder.next_handle, __ATOMIC_RELAXED);
}

void after_nc_open(struct library_call *call)
{
	const struct library_row *row = call->row;
	const struct library_step *step = &library_steps[row->steps];
	unsigned made = 0;
	for (unsigned i = 0; i < row->step_count; i++)
		if (step[i].store == STEP_ENTITY_NEW)
			made = step[i].argument;
	if (call->failed || !given_pointer(call, made))
		return;
	enum family family = nc_family(call);
	uint64_t value = entity_value_at(call, family, given_pointer(call, made), 0);
	struct entity *file = entity_find(call, family, value);
	if (file && file->handle > call->kept[0]) {
		call->handle = file->handle;
		return;
	}
	unsigned path = (unsigned)row->path;
	bool memory = given_int(call, path + 1) & NC_IN_MEMORY || strstr(nc_name(call), "_mem");
	file = entity_make(call, family, value, VARVE_HANDLE_NC_FILE, NULL, 0, NULL);
	file_describe(call, file, given_pointer(call, path), memory);
}

void before_nc_close(struct library_call *call)
{
	enum family family = nc_family(call);
	uint64_t value = (uint32_t)given_int(call, 0);
	const struct entity *file = entity_find(call, family, value);
	if (!file || is_group(family, given_int(call, 0)))
		return;
	if (family == FAMILY_PNC_FILE)
		nc_requests_gone(call, file);
	else
		for (uint64_t group = 1; group <= file->number[NC_GROUPS]; group++)
			entity_gone(call, family, value | group);
	entity_gone(call, family, value);
}

void after_nc_rename_group(struct library_call *call)
{
	struct entity *group = entity_find(call, FAMILY_NC_FILE, (uint32_t)given_int(call, 0));
	char name[ENTITY_TEXT];
	uint64_t length = 0;
	if (!call->failed && group &&
	    nc_ask(call, NC_ASK_GROUP, given_int(call, 0), pointer_word(&length), 0, 0, 0, 0) &&
	    length < sizeof name &&
	    nc_ask(call, NC_ASK_GROUP, given_int(call, 0), pointer_word(&length),
		   pointer_word(name), 0, 0, 0))
		entity_text(call->self, group, name, length);
}

/* ---- variables */

static enum family variable_family(const struct library_call *call)
{
	return nc_parallel(call) ? FAMILY_PNC_VARIABLE : FAMILY_NC_VARIABLE;
}

static struct entity *variable_make(struct library_call *call, const struct entity *file,
				    int32_t varid, const char *name, size_t length)
{
	uint64_t value = file->value << 32 | (uint32_t)varid;
	return entity_make(call, variable_family(call), value, VARVE_HANDLE_VARIABLE, name, length,
			   file);
}

/* A known variable, and the file that it belongs to. */
static struct entity *variable_known(const struct library_call *call, int32_t ncid, int32_t varid,
				     const struct entity **file)
{
	*file = entity_find(call, nc_family(call), (uint32_t)ncid);
	struct entity *variable = entity_find(call, variable_family(call),
					      (uint64_t)(uint32_t)ncid << 32 | (uint32_t)varid);
	return *file && variable && variable->other == (*file)->handle ? variable : NULL;
}

/* Definitions are before the record: they contain the variable's present name. */
void before_nc_variable(struct library_call *call)
{
	const struct entity *file;
	if (!call->hidden && given_int(call, 1) >= 0)
		word_entity(call->self,
			    variable_known(call, given_int(call, 0), given_int(call, 1), &file));
}

struct entity *nc_variable(struct library_call *call, int32_t ncid, int32_t varid)
{
	if (varid < 0)
		return NULL;
	const struct entity *file;
	struct entity *variable = variable_known(call, ncid, varid, &file);
	if (LIKELY(variable != NULL))
		return variable;
	char name[NC_NAME_ROOM] = "";
	int32_t type = 0, dimensions = 0;
	if (!file || call->failed ||
	    !nc_ask(call, NC_ASK_VARIABLE, ncid, (uint64_t)varid, pointer_word(name),
		    pointer_word(&type), pointer_word(&dimensions), 0))
		return NULL;
	variable = variable_make(call, file, varid, name, strnlen(name, sizeof name));
	if (variable) {
		variable->number[NC_DIMENSIONS] = (uint64_t)dimensions;
		variable->number[NC_TYPE] = (uint32_t)type;
	}
	return variable;
}

uint64_t nc_variable_size(const struct library_call *call, int32_t ncid, struct entity *variable)
{
	if (!variable->number[NC_SIZE])
		variable->number[NC_SIZE] =
			nc_type_size(call, ncid, (int32_t)variable->number[NC_TYPE]) + 1;
	return variable->number[NC_SIZE] - 1;
}

static void variable_store(struct library_call *call, struct entity *variable)
{
	if (!call->hidden)
		call->added[0] = word_entity(call->self, variable);
}

void after_nc_variable(struct library_call *call)
{
	if (!call->hidden)
		variable_store(call, nc_variable(call, given_int(call, 0), given_int(call, 1)));
}

/* Arguments: ncid, name, type, number of dimensions, dimensions, varid. */
void after_nc_def_var(struct library_call *call)
{
	const struct entity *file =
		entity_find(call, nc_family(call), (uint32_t)given_int(call, 0));
	const int32_t *varid = given_pointer(call, 5);
	const char *name = given_pointer(call, 1);
	if (call->failed || !file || !varid)
		return;
	struct entity *variable = variable_make(call, file, *varid, name, strlen(name));
	if (!variable)
		return;
	variable->number[NC_DIMENSIONS] = (uint64_t)given_int(call, 3);
	variable->number[NC_TYPE] = (uint32_t)given_int(call, 2);
	variable_store(call, variable);
}

void after_nc_rename_var(struct library_call *call)
{
	struct entity *variable = nc_variable(call, given_int(call, 0), given_int(call, 1));
	const char *name = given_pointer(call, 2);
	/* This record has the old name. */
	variable_store(call, variable);
	if (variable && !call->failed)
		entity_text(call->self, variable, name, strlen(name));
}

/* Arguments: ncid, varid, storage, sizes of chunks, which are ints in the function for Fortran. */
void after_nc_chunking(struct library_call *call)
{
	enum { CHUNKED = 0 };
	struct entity *variable = nc_variable(call, given_int(call, 0), given_int(call, 1));
	bool narrow = strstr(nc_name(call), "_ints") != NULL;
	const void *sizes = given_pointer(call, 3);
	char text[NC_DIMENSIONS_MOST * 21 + 3];
	const char *end = text + sizeof text;
	variable_store(call, variable);
	if (call->hidden || call->failed || !variable || !sizes || given_int(call, 2) != CHUNKED ||
	    variable->number[NC_DIMENSIONS] > NC_DIMENSIONS_MOST)
		return;
	char *at = text_add(text, end, "[");
	for (uint64_t i = 0; i < variable->number[NC_DIMENSIONS]; i++) {
		at = text_add(at, end, i ? "," : "");
		at = text_add_number(at, end,
				     narrow ? ((const uint32_t *)sizes)[i]
					    : ((const uint64_t *)sizes)[i]);
	}
	at = text_add(at, end, "]");
	call->added[1] = name_define(call->self, text, (size_t)(at - text), VARVE_BASE_NONE, 0, 0);
}

/* ---- attributes */

/* Arguments: ncid, varid, name; functions that put also have type and length, those for text and strings only length. */
void after_nc_attribute(struct library_call *call)
{
	if (call->hidden)
		return;
	const struct nc_form *form = nc_form(call);
	int32_t ncid = given_int(call, 0), varid = given_int(call, 1), type = 0;
	int64_t length = 0;
	variable_store(call, nc_variable(call, ncid, varid));
	if (call->failed && (int32_t)call->result != NC_RANGE)
		return;
	const char *name = nc_name(call);
	if (!form->put) {
		if (!nc_ask(call, NC_ASK_ATTRIBUTE, ncid, (uint64_t)varid, call->given[2],
			    pointer_word(&type), pointer_word(&length), 0))
			return;
	} else if (strstr(name, "_text") || strstr(name, "_string")) {
		length = (int64_t)call->given[3];
	} else {
		type = given_int(call, 3);
		length = (int64_t)call->given[4];
	}
	uint64_t width = form->width ? form->width : nc_type_size(call, ncid, type);
	call->added[1] = (uint64_t)length * width;
}
