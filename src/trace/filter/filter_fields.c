/* Trace: the table of fields of the filter language, and the names of kinds of handles, which the library uses too. See
 * filter_tree.h; the rows are in filter_fields.def. */
#include "codec/host/decode.h"
#include "trace/filter/filter_tree.h"

#include <string.h>

const struct field filter_fields[] = {
#define FIELD(id, name, source, type, is_signed, wants, help)                                      \
	{FIELD_##id, name, OF_##source, TYPE_##type, is_signed, wants, help},
#include "trace/filter/filter_fields.def"
#undef FIELD
};

const size_t filter_field_count = sizeof filter_fields / sizeof *filter_fields;

/* `arg.NAME`: type, sign and columns depend on the functions that have this argument. */
const struct field filter_argument = {FIELD_ARGUMENT,
				      "arg.NAME",
				      OF_ARGUMENT,
				      TYPE_ARGUMENT,
				      false,
				      0,
				      "argument with this name, of any function"};

const struct field *field_find(const char *name)
{
	/* The name in the columns and the JSON of `info`. */
	if (!strcmp(name, "bytes"))
		name = "size";
	for (size_t i = 0; i < filter_field_count; i++)
		if (!strcmp(filter_fields[i].name, name))
			return &filter_fields[i];
	return NULL;
}

const char *field_type_name(enum field_type type)
{
	static const char *const names[] = {
		[TYPE_TRUTH] = "condition", [TYPE_TEXT] = "text",    [TYPE_NUMBER] = "number",
		[TYPE_BYTES] = "bytes",	    [TYPE_MOMENT] = "time",  [TYPE_DURATION] = "duration",
		[TYPE_ERROR] = "error",	    [TYPE_ARGUMENT] = "any",
	};
	return names[type];
}

const char *handle_kind_name(uint32_t kind)
{
	static const char *const names[FILTER_KINDS] = {
		[VARVE_HANDLE_UNKNOWN] = "unknown",
		[VARVE_HANDLE_FILE] = "file",
		[VARVE_HANDLE_FOLDER] = "folder",
		[VARVE_HANDLE_SOCKET] = "socket",
		[VARVE_HANDLE_PIPE] = "pipe",
		[VARVE_HANDLE_DEVICE] = "device",
		[VARVE_HANDLE_ANONYMOUS] = "anonymous",
		[VARVE_HANDLE_STREAM] = "stream",
		[VARVE_HANDLE_DIR] = "dir",
		[VARVE_HANDLE_COMM] = "comm",
		[VARVE_HANDLE_DATATYPE] = "datatype",
		[VARVE_HANDLE_MPI_FILE] = "mpi_file",
		[VARVE_HANDLE_GROUP] = "group",
		[VARVE_HANDLE_INFO] = "info",
		[VARVE_HANDLE_WINDOW] = "window",
		[VARVE_HANDLE_REDUCTION] = "reduction",
		[VARVE_HANDLE_ERRHANDLER] = "errhandler",
		[VARVE_HANDLE_MESSAGE] = "message",
		[VARVE_HANDLE_H5_FILE] = "h5_file",
		[VARVE_HANDLE_H5_GROUP] = "h5_group",
		[VARVE_HANDLE_DATASET] = "dataset",
		[VARVE_HANDLE_ATTRIBUTE] = "attribute",
		[VARVE_HANDLE_H5_TYPE] = "h5_type",
		[VARVE_HANDLE_DATASPACE] = "dataspace",
		[VARVE_HANDLE_PROPERTIES] = "properties",
		[VARVE_HANDLE_H5_OBJECT] = "h5_object",
		[VARVE_HANDLE_NC_FILE] = "nc_file",
		[VARVE_HANDLE_NC_GROUP] = "nc_group",
		[VARVE_HANDLE_VARIABLE] = "variable",
		[VARVE_HANDLE_REQUEST] = "request",
	};
	return kind < FILTER_KINDS ? names[kind] : names[VARVE_HANDLE_UNKNOWN];
}

const char *filter_field(size_t at, const char **help)
{
	if (at > filter_field_count)
		return NULL;
	const struct field *field = at < filter_field_count ? &filter_fields[at] : &filter_argument;
	if (help)
		*help = field->help;
	return field->name;
}
