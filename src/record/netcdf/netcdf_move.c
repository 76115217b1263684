/* Record: what a call of NetCDF or PnetCDF transfers: which section of a variable, how many elements, how many bytes of memory.
 *
 * Read from the arguments when the call has returned: start, count, stride and map as one text. The order of arguments is: file,
 * variable, arrays, memory; functions for several parts (varn) or several variables (mput, mget) also have their number, and arrays
 * of arrays. PnetCDF's functions without a type in their names have a count and a datatype at the end.
 */
#include "record/netcdf/netcdf.h"

#include "record/library/library_ops.h"
#include "record/mpi/mpi_hooks.h"
#include "record/wrap.h"

#include <string.h>

enum { TEXT_ROOM = 2048, TEXT_MARGIN = 1024 };

struct text {
	char *at;
	char bytes[TEXT_ROOM];
};

static void text_begin(struct text *text)
{
	text->at = text->bytes;
	text->bytes[0] = 0;
}

static void text_add_piece(struct text *text, const char *piece)
{
	text->at = text_add(text->at, text->bytes + sizeof text->bytes, piece);
}

static void add_number(struct text *text, int64_t number)
{
	text->at = text_add_signed(text->at, text->bytes + sizeof text->bytes, number);
}

static uint64_t text_word(struct library_call *call, const struct text *text)
{
	size_t length = (size_t)(text->at - text->bytes);
	return length ? name_define(call->self, text->bytes, length, VARVE_BASE_NONE, 0, 0) : 0;
}

/* The section that a call transfers. Arrays that are not arguments, or are NULL, are NULL. */
struct section {
	const int64_t *array[4]; /* start, count, stride, map */
	uint64_t dimensions;
};

static bool section_readable(struct library_call *call, const struct section *section)
{
	for (unsigned i = 0; i < 4; i++)
		if (section->array[i] && section->dimensions &&
		    !memory_readable(call->self, section->array[i], section->dimensions * 8))
			return false;
	return section->dimensions <= NC_DIMENSIONS_MOST;
}

/* "start=[0,0] count=[1,20]" */
static void section_text(struct text *text, const struct section *section)
{
	static const char *const titles[] = {"start=[", "count=[", "stride=[", "map=["};
	bool first = true;
	for (unsigned i = 0; i < 4; i++) {
		if (!section->array[i])
			continue;
		text_add_piece(text, first ? "" : " ");
		text_add_piece(text, titles[i]);
		for (uint64_t at = 0; at < section->dimensions; at++) {
			text_add_piece(text, at ? "," : "");
			add_number(text, section->array[i][at]);
		}
		text_add_piece(text, "]");
		first = false;
	}
}

static uint64_t section_elements(const struct section *section)
{
	uint64_t elements = 1;
	for (uint64_t at = 0; section->array[1] && at < section->dimensions; at++)
		elements *= (uint64_t)section->array[1][at];
	return elements;
}

/* Adds a section of one variable to the text and returns its elements. For a whole variable, the library is asked for the
 * lengths. */
static uint64_t section_add(struct library_call *call, struct text *text, struct section *section,
			    enum nc_shape shape, int32_t ncid, int32_t varid)
{
	int64_t lengths[NC_DIMENSIONS_MOST];
	if (!section_readable(call, section))
		return 0;
	bool whole = shape == SHAPE_VAR ||
		     (!section->array[1] && shape >= SHAPE_VARA && shape <= SHAPE_VARM);
	if (whole && !call->failed && nc_lengths(call, ncid, varid, lengths))
		section->array[1] = lengths;
	section_text(text, section);
	uint64_t elements = whole && !section->array[1] ? 0 : section_elements(section);
	section->array[1] = section->array[1] == lengths ? NULL : section->array[1];
	return elements;
}

/* ---- memory */

/* Bytes of `count` elements of an MPI datatype; if there is no datatype, or `count` is negative, the number of elements is used. */
static uint64_t datatype_bytes(struct library_call *call, int64_t count, uint64_t datatype,
			       uint64_t elements, uint64_t size)
{
	static struct library_name nothing;
	enum {
		NOTHING_NARROW = 0x0c000000
	}; /* MPI_DATATYPE_NULL, for which MPI must not be called */
	struct library_call beside = *call;
	beside.library = library_owner(call->library, OWNER_MPI);
	uint64_t none = NOTHING_NARROW;
	if (beside.library->wide)
		none = (uint64_t)(uintptr_t)library_function(&beside, &nothing,
							     "ompi_mpi_datatype_null");
	uint64_t value = entity_value(call, FAMILY_DATATYPE, datatype);
	if (beside.library == call->library || value == none)
		return elements * size;
	return (count < 0 ? elements : (uint64_t)count) * mpi_type_size(&beside, value);
}

/* If the name has no type, the arguments after the memory decide. */
static uint64_t memory_bytes(struct library_call *call, unsigned memory, uint64_t elements,
			     int32_t ncid, struct entity *variable)
{
	const struct nc_form *form = nc_form(call);
	if (form->width)
		return elements * form->width;
	uint64_t size = nc_variable_size(call, ncid, variable);
	if (!nc_parallel(call))
		return elements * size;
	return datatype_bytes(call, (int64_t)call->given[memory + 1], call->given[memory + 2],
			      elements, size);
}

/* ---- one variable */

/* Arguments: ncid, varid, number of parts, starts, counts (may be NULL: one element each), memory. */
static void parts_add(struct library_call *call, struct text *text, struct nc_moved *moved,
		      const struct entity *variable)
{
	int32_t number = given_int(call, 2);
	const int64_t *const *starts = given_pointer(call, 3);
	const int64_t *const *counts = given_pointer(call, 4);
	if (number < 0 || !memory_readable(call->self, starts, (size_t)number * 8) ||
	    (counts && !memory_readable(call->self, counts, (size_t)number * 8)))
		return;
	for (int32_t i = 0; i < number; i++) {
		struct section section = {{starts[i], counts ? counts[i] : NULL},
					  variable->number[NC_DIMENSIONS]};
		if (!section_readable(call, &section))
			return;
		moved->elements += section_elements(&section);
		if (text->at - text->bytes > TEXT_MARGIN)
			continue;
		text_add_piece(text, i ? "; " : "");
		section_text(text, &section);
		if (text->at - text->bytes > TEXT_MARGIN && i + 1 < number)
			text_add_piece(text, "; ...");
	}
}

struct nc_moved nc_move_of(struct library_call *call, struct entity *variable)
{
	const struct nc_form *form = nc_form(call);
	int32_t ncid = given_int(call, 0);
	struct nc_moved moved = {0};
	struct text text;
	unsigned memory = 2u + form->arrays;
	text_begin(&text);
	if (form->shape == SHAPE_VARN) {
		memory++;
		parts_add(call, &text, &moved, variable);
	} else if (form->shape == SHAPE_VARD) {
		/* The datatype determines the elements: as many as fill the memory. */
		memory++;
		uint64_t size = nc_variable_size(call, ncid, variable);
		moved.bytes = call->failed ? 0 : memory_bytes(call, memory, 0, ncid, variable);
		moved.elements = size ? moved.bytes / size : 0;
		return moved;
	} else {
		struct section section = {{0}, variable->number[NC_DIMENSIONS]};
		for (unsigned i = 0; i < form->arrays; i++)
			section.array[i] = given_pointer(call, 2 + i);
		moved.elements =
			section_add(call, &text, &section, form->shape, ncid, given_int(call, 1));
	}
	moved.text = text_word(call, &text);
	bool done = !call->failed || (int32_t)call->result == NC_RANGE;
	moved.bytes = done ? memory_bytes(call, memory, moved.elements, ncid, variable) : 0;
	if (!done)
		moved.elements = 0;
	return moved;
}

void after_nc_move(struct library_call *call)
{
	if (call->hidden)
		return;
	struct entity *variable = nc_variable(call, given_int(call, 0), given_int(call, 1));
	if (!variable)
		return;
	struct nc_moved moved = nc_move_of(call, variable);
	call->added[0] = word_entity(call->self, variable);
	call->added[1] = moved.text;
	call->added[2] = moved.elements;
	call->added[3] = moved.bytes;
}

/* ---- several variables */

/* Arguments: ncid, number of variables, varids, arrays of arrays, memories; without a type in the name, also counts and
 * datatypes. */
static void one_of_many(struct library_call *call, int32_t which, struct text *text,
			struct nc_moved *all)
{
	const struct nc_form *form = nc_form(call);
	int32_t ncid = given_int(call, 0), varid = ((const int32_t *)given_pointer(call, 2))[which];
	struct entity *variable = nc_variable(call, ncid, varid);
	if (!variable)
		return;
	struct section section = {{0}, variable->number[NC_DIMENSIONS]};
	for (unsigned i = 0; i < form->arrays; i++) {
		const int64_t *const *arrays = given_pointer(call, 3 + i);
		if (arrays && memory_readable(call->self, &arrays[which], 8))
			section.array[i] = arrays[which];
	}
	struct text aside;
	text_begin(&aside);
	uint64_t elements = section_add(call, &aside, &section, form->shape, ncid, varid);
	unsigned memory = 3u + form->arrays;
	uint64_t bytes = elements * form->width;
	const int64_t *counts = given_pointer(call, memory + 1);
	if (!form->width && memory_readable(call->self, &counts[which], 8))
		bytes = datatype_bytes(call, counts[which],
				       entity_value_at(call, FAMILY_DATATYPE,
						       given_pointer(call, memory + 2),
						       (size_t)which),
				       elements, nc_variable_size(call, ncid, variable));
	all->elements += elements;
	all->bytes += bytes;
	if (!which)
		call->added[0] = word_entity(call->self, variable);
	if (text->at - text->bytes > TEXT_MARGIN)
		return;
	text_add_piece(text, which ? "; " : "");
	char name[64];
	size_t length = variable->length < sizeof name - 1 ? variable->length : sizeof name - 1;
	memcpy(name, variable->text, length);
	name[length] = 0;
	text_add_piece(text, name);
	text_add_piece(text, " ");
	text_add_piece(text, aside.bytes);
	if (text->at - text->bytes > TEXT_MARGIN && which + 1 < given_int(call, 1))
		text_add_piece(text, "; ...");
}

void after_nc_move_many(struct library_call *call)
{
	int32_t number = given_int(call, 1);
	const int32_t *varids = given_pointer(call, 2);
	struct nc_moved all = {0};
	struct text text;
	text_begin(&text);
	if (call->hidden || number <= 0 || !varids ||
	    (call->failed && (int32_t)call->result != NC_RANGE))
		return;
	for (int32_t i = 0; i < number; i++)
		one_of_many(call, i, &text, &all);
	call->added[1] = text_word(call, &text);
	call->added[2] = all.elements;
	call->added[3] = all.bytes;
}
