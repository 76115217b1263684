/* Record: describes entities of HDF5 whose creation was not recorded. See hdf5.h.
 *
 * Predefined datatypes, property list classes and default property lists are identifiers that HDF5 makes when it starts and keeps
 * in exported variables: their names are found by their values. Other identifiers come from functions without hooks, like the group
 * that H5Literate passes to a callback: HDF5 is asked what they are, but not for the path of an object, because it may have to
 * search the whole file for that. This runs before the real function.
 */
#include "record/hdf5/hdf5.h"

#include "record/wrap.h"

#include <link.h>
#include <string.h>

/* The identifier H5T_NAME is in the variable H5T_NAME_g. */
static const char *const types[] = {
	"NATIVE_INT",
	"NATIVE_DOUBLE",
	"NATIVE_FLOAT",
	"NATIVE_CHAR",
	"NATIVE_SCHAR",
	"NATIVE_UCHAR",
	"NATIVE_SHORT",
	"NATIVE_USHORT",
	"NATIVE_UINT",
	"NATIVE_LONG",
	"NATIVE_ULONG",
	"NATIVE_LLONG",
	"NATIVE_ULLONG",
	"NATIVE_LDOUBLE",
	"NATIVE_INT8",
	"NATIVE_UINT8",
	"NATIVE_INT16",
	"NATIVE_UINT16",
	"NATIVE_INT32",
	"NATIVE_UINT32",
	"NATIVE_INT64",
	"NATIVE_UINT64",
	"NATIVE_HSIZE",
	"NATIVE_HSSIZE",
	"NATIVE_HADDR",
	"NATIVE_HBOOL",
	"NATIVE_HERR",
	"NATIVE_OPAQUE",
	"NATIVE_B8",
	"NATIVE_B16",
	"NATIVE_B32",
	"NATIVE_B64",
	"C_S1",
	"FORTRAN_S1",
	"IEEE_F32LE",
	"IEEE_F32BE",
	"IEEE_F64LE",
	"IEEE_F64BE",
	"IEEE_F16LE",
	"IEEE_F16BE",
	"STD_I8LE",
	"STD_I8BE",
	"STD_I16LE",
	"STD_I16BE",
	"STD_I32LE",
	"STD_I32BE",
	"STD_I64LE",
	"STD_I64BE",
	"STD_U8LE",
	"STD_U8BE",
	"STD_U16LE",
	"STD_U16BE",
	"STD_U32LE",
	"STD_U32BE",
	"STD_U64LE",
	"STD_U64BE",
	"STD_B8LE",
	"STD_B8BE",
	"STD_B16LE",
	"STD_B16BE",
	"STD_B32LE",
	"STD_B32BE",
	"STD_B64LE",
	"STD_B64BE",
	"STD_REF_OBJ",
	"STD_REF_DSETREG",
	"STD_REF",
	"UNIX_D32LE",
	"UNIX_D32BE",
	"UNIX_D64LE",
	"UNIX_D64BE",
	"VAX_F32",
	"VAX_F64",
	"NATIVE_FLOAT16",
	"NATIVE_INT_LEAST8",
	"NATIVE_INT_LEAST16",
	"NATIVE_INT_LEAST32",
	"NATIVE_INT_LEAST64",
	"NATIVE_UINT_LEAST8",
	"NATIVE_UINT_LEAST16",
	"NATIVE_UINT_LEAST32",
	"NATIVE_UINT_LEAST64",
	"NATIVE_INT_FAST8",
	"NATIVE_INT_FAST16",
	"NATIVE_INT_FAST32",
	"NATIVE_INT_FAST64",
	"NATIVE_UINT_FAST8",
	"NATIVE_UINT_FAST16",
	"NATIVE_UINT_FAST32",
	"NATIVE_UINT_FAST64",
};

/* The property list class H5P_NAME is in the variable H5P_CLS_NAME_ID_g, its default list H5P_NAME_DEFAULT in H5P_LST_NAME_ID_g. */
static const char *const lists[] = {
	"DATASET_CREATE",   "DATASET_ACCESS",	"DATASET_XFER",
	"FILE_CREATE",	    "FILE_ACCESS",	"FILE_MOUNT",
	"GROUP_CREATE",	    "GROUP_ACCESS",	"LINK_CREATE",
	"LINK_ACCESS",	    "OBJECT_CREATE",	"OBJECT_COPY",
	"DATATYPE_CREATE",  "DATATYPE_ACCESS",	"STRING_CREATE",
	"ATTRIBUTE_CREATE", "ATTRIBUTE_ACCESS", "ROOT",
	"MAP_CREATE",	    "MAP_ACCESS",	"REFERENCE_ACCESS",
	"VOL_INITIALIZE",
};

static int first_object(struct dl_phdr_info *info, size_t size, void *data)
{
	(void)size;
	for (unsigned i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_DYNAMIC)
			*(struct symbols *)data = symbols_of(
				info->dlpi_addr,
				(const ElfW(Dyn) *)(uintptr_t)(info->dlpi_addr +
							       info->dlpi_phdr[i].p_vaddr));
	return 1;
}

/* Whether a variable of the library has this identifier. If a program uses the variable, the linker moves it into the program, and
 * the library uses that one. */
static bool is_kept_in(const struct library_call *call, const struct symbols *program,
		       const struct h5_text *name, uint64_t id)
{
	struct library_name cache = {{0}};
	const ElfW(Sym) *moved = symbol_in(program, name->bytes, symbol_hash(name->bytes), false);
	const int64_t *variable = library_function(call, &cache, name->bytes);
	if (moved && *(const int64_t *)(uintptr_t)(program->base + moved->st_value) == (int64_t)id)
		return true;
	return variable && (uint64_t)*variable == id;
}

static bool learn_named(struct library_call *call, const struct symbols *program,
			struct entity *entity, const char *before, const char *name,
			const char *after, const char *shown_before, const char *shown_after)
{
	struct h5_text text;
	h5_text_begin(&text);
	h5_add(&text, before);
	h5_add(&text, name);
	h5_add(&text, after);
	if (!is_kept_in(call, program, &text, entity->value))
		return false;
	h5_text_begin(&text);
	h5_add(&text, shown_before);
	h5_add(&text, name);
	h5_add(&text, shown_after);
	entity_text(call->self, entity, text.bytes, h5_text_length(&text));
	return true;
}

static void learn_type(struct library_call *call, struct entity *entity)
{
	struct h5_text text;
	struct symbols program = {0};
	h5_type_size(call, entity->value);
	dl_iterate_phdr(first_object, &program);
	for (size_t i = 0; i < sizeof types / sizeof *types; i++)
		if (learn_named(call, &program, entity, "H5T_", types[i], "_g", "H5T_", ""))
			return;
	h5_text_begin(&text);
	h5_add_type(call, &text, entity->value);
	entity_text(call->self, entity, text.bytes, h5_text_length(&text));
}

static void learn_properties(struct library_call *call, struct entity *entity)
{
	struct symbols program = {0};
	dl_iterate_phdr(first_object, &program);
	for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
		if (learn_named(call, &program, entity, "H5P_CLS_", lists[i], "_ID_g", "H5P_",
				"") ||
		    learn_named(call, &program, entity, "H5P_LST_", lists[i], "_ID_g", "H5P_",
				"_DEFAULT"))
			return;
}

static void learn_space(struct library_call *call, struct entity *entity)
{
	struct h5_text text;
	h5_text_begin(&text);
	/* H5S_BLOCK and H5S_PLIST are not identifiers, like H5S_ALL. */
	if (entity->value == 1 || entity->value == 2)
		h5_add(&text, entity->value == 1 ? "H5S_BLOCK" : "H5S_PLIST");
	else
		h5_add_space(call, &text, entity->value);
	entity_text(call->self, entity, text.bytes, h5_text_length(&text));
}

/* Whether this is a function of H5E (not of H5ES): these do not clear the stack of errors, and any query would. */
static bool is_about_errors(const struct library_call *call)
{
	const char *name = library_names + library_symbols[call->symbol].name;
	return strncmp(name, "H5E", 3) == 0 && name[3] != 'S';
}

static void learn_object(struct library_call *call, struct entity *entity)
{
	static struct library_name naming;
	char path[ENTITY_TEXT];
	if (is_about_errors(call))
		return;
	enum h5_what what = h5_what(call, entity->value);
	if (what == H5_DATATYPE || what == H5_DATASPACE) {
		entity->kind = what == H5_DATATYPE ? VARVE_HANDLE_H5_TYPE : VARVE_HANDLE_DATASPACE;
		if (what == H5_DATATYPE)
			learn_type(call, entity);
		else
			learn_space(call, entity);
		return;
	}
	if (what == H5_FILE) {
		long (*ask)(int64_t, char *, size_t) =
			(long (*)(int64_t, char *, size_t))library_function(call, &naming,
									    "H5Fget_name");
		entity->kind = VARVE_HANDLE_H5_FILE;
		if (ask && ask((int64_t)entity->value, path, sizeof path) > 0)
			entity_file(call->self, entity, path);
		return;
	}
	if (what == H5_GROUP || what == H5_DATASET)
		entity->kind = what == H5_GROUP ? VARVE_HANDLE_H5_GROUP : VARVE_HANDLE_DATASET;
}

/* Defaults, which have the number 0 for all kinds: see library.c. */
static const char *default_of(enum varve_handle_kind kind)
{
	return kind == VARVE_HANDLE_PROPERTIES	? "H5P_DEFAULT"
	       : kind == VARVE_HANDLE_DATASPACE ? "H5S_ALL"
						: "H5E_DEFAULT";
}

void h5_learn(struct library_call *call, struct entity *entity)
{
	if (entity->value >> 63) {
		bool is_default = entity->value == (1ull << 63 | entity->kind);
		const char *text = is_default ? default_of(entity->kind) : "invalid";
		entity_text(call->self, entity, text, strlen(text));
		return;
	}
	if (entity->kind == VARVE_HANDLE_H5_TYPE)
		learn_type(call, entity);
	else if (entity->kind == VARVE_HANDLE_PROPERTIES)
		learn_properties(call, entity);
	else if (entity->kind == VARVE_HANDLE_DATASPACE)
		learn_space(call, entity);
	else
		learn_object(call, entity);
}
