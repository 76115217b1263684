/* Record: the meaning of names of NetCDF's functions, and queries to the library. See netcdf.h. */
#include "record/netcdf/netcdf.h"

#include <string.h>

static const char *const names[2][NC_ASK_COUNT] = {
	{"nc_inq_var", "nc_inq_dimlen", "nc_inq_type", "nc_inq_path", "nc_inq_grpname_full",
	 "nc_inq_att"},
	{"ncmpi_inq_var", "ncmpi_inq_dimlen", NULL, "ncmpi_inq_path", NULL, "ncmpi_inq_att"},
};
static struct library_name found[2][NC_ASK_COUNT];

const char *nc_name(const struct library_call *call)
{
	return library_names + library_symbols[call->symbol].name;
}

typedef int nc_function(int, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t);

bool nc_ask(const struct library_call *call, enum nc_asked which, int32_t ncid, uint64_t b,
	    uint64_t c, uint64_t d, uint64_t e, uint64_t f)
{
	bool parallel = nc_parallel(call);
	if (!names[parallel][which])
		return false;
	nc_function *function = (nc_function *)(uintptr_t)library_function(
		call, &found[parallel][which], names[parallel][which]);
	return function && function(ncid, b, c, d, e, f, 0) == 0;
}

/* ---- names of functions */

/* Types in names of functions, with the bytes of an element in memory. */
static const struct {
	const char *name;
	uint8_t width;
} types[] = {{"text", 1},   {"schar", 1},    {"uchar", 1},     {"ubyte", 1}, {"short", 2},
	     {"ushort", 2}, {"int", 4},	     {"uint", 4},      {"float", 4}, {"long", 8},
	     {"double", 8}, {"longlong", 8}, {"ulonglong", 8}, {"string", 8}};

/* Skips the piece if the text begins with it; otherwise false. */
static bool text_step(const char **text, const char *piece)
{
	size_t length = strlen(piece);
	if (strncmp(*text, piece, length) != 0)
		return false;
	*text += length;
	return true;
}

/* The width of the type at the end of a name, with or without `_all`; 0: there is no type. */
static uint8_t type_width(const char *tail)
{
	size_t length = strlen(tail);
	if (length > 4 && strcmp(tail + length - 4, "_all") == 0)
		length -= 4;
	for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
		if (strlen(types[i].name) == length && !strncmp(types[i].name, tail, length))
			return types[i].width;
	return 0;
}

/* For example ncmpi_iput_vara_double, nc_get_att_int. */
static struct nc_form form_of(const char *name)
{
	static const char letters[] = "1asmnd";
	static const uint8_t arrays[] = {1, 2, 3, 4, 2, 0};
	struct nc_form form = {.known = 1};
	if (!text_step(&name, "ncmpi_"))
		text_step(&name, "nc_");
	form.many = name[0] == 'm';
	if (name[1] == 'p' || name[1] == 'g')
		name++;
	form.put = name[0] == 'p';
	name += strlen("put_");
	if (text_step(&name, "var")) {
		const char *letter = *name && *name != '_' ? strchr(letters, *name) : NULL;
		form.shape = letter ? (uint8_t)(SHAPE_VAR1 + (letter - letters)) : SHAPE_VAR;
		form.arrays = letter ? arrays[letter - letters] : 0;
		name += letter != NULL;
	} else {
		text_step(&name, "att");
	}
	if (text_step(&name, "_"))
		form.width = type_width(name);
	return form;
}

const struct nc_form *nc_form(const struct library_call *call)
{
	enum { FIRST = 0x1800, FORMS = 0x800 };
	static struct nc_form forms[FORMS];
	struct nc_form *form = &forms[(call->row->id - FIRST) % FORMS];
	if (LIKELY(__atomic_load_n(&form->known, __ATOMIC_ACQUIRE)))
		return form;
	/* Another thread would write the same content. */
	struct nc_form made = form_of(nc_name(call));
	made.known = 0;
	*form = made;
	__atomic_store_n(&form->known, 1, __ATOMIC_RELEASE);
	return form;
}

/* ---- types and dimensions */

static uint64_t pointer_word(const void *pointer)
{
	return (uint64_t)(uintptr_t)pointer;
}

uint64_t nc_type_size(const struct library_call *call, int32_t ncid, int32_t type)
{
	static const uint8_t sizes[] = {0, 1, 1, 2, 4, 4, 8, 1, 2, 4, 8, 8, 8};
	uint64_t size = 0;
	if (type >= 0 && (size_t)type < sizeof sizes)
		return sizes[type];
	return nc_ask(call, NC_ASK_TYPE, ncid, (uint64_t)type, 0, pointer_word(&size), 0, 0) ? size
											     : 0;
}

bool nc_lengths(const struct library_call *call, int32_t ncid, int32_t varid, int64_t *lengths)
{
	/* The caller has checked that the number of dimensions is small. */
	int32_t dimensions[NC_DIMENSIONS_MOST], count = 0;
	if (!nc_ask(call, NC_ASK_VARIABLE, ncid, (uint64_t)varid, 0, 0, pointer_word(&count),
		    pointer_word(dimensions)))
		return false;
	for (int32_t i = 0; i < count; i++)
		if (!nc_ask(call, NC_ASK_LENGTH, ncid, (uint64_t)dimensions[i],
			    pointer_word(&lengths[i]), 0, 0, 0))
			return false;
	return true;
}
