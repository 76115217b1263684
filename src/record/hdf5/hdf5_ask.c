/* Record: queries to HDF5. See hdf5.h for when they are allowed.
 *
 * The functions are those of the library that was called; if one is missing, the result is "not known". These calls leave no
 * record.
 */
#include "record/hdf5/hdf5.h"

#include "base/text.h"
#include "record/wrap.h"

#include <string.h>

typedef int64_t h5_id;

void h5_add(struct h5_text *text, const char *piece)
{
	text->at = text_add(text->at, text->bytes + sizeof text->bytes, piece);
}

void h5_add_bytes(struct h5_text *text, const char *bytes, size_t length)
{
	size_t room = (size_t)(text->bytes + sizeof text->bytes - text->at) - 1;
	if (length > room)
		length = room;
	memcpy(text->at, bytes, length);
	text->at += length;
	*text->at = 0;
}

void h5_add_number(struct h5_text *text, uint64_t number)
{
	text->at = text_add_number(text->at, text->bytes + sizeof text->bytes, number);
}

bool h5_add_sizes(struct library_call *call, struct h5_text *text, const uint64_t *sizes,
		  unsigned count)
{
	if (count > H5_RANK_MOST || !sizes ||
	    !memory_readable(call->self, sizes, count * sizeof *sizes))
		return false;
	for (unsigned i = 0; i < count; i++) {
		h5_add(text, i ? "," : "[");
		if (sizes[i] == UINT64_MAX)
			h5_add(text, "unlimited");
		else
			h5_add_number(text, sizes[i]);
	}
	h5_add(text, count ? "]" : "[]");
	return true;
}

uint64_t h5_word(struct library_call *call, const struct h5_text *text)
{
	size_t length = h5_text_length(text);
	if (call->hidden || !length)
		return 0;
	return name_define(call->self, text->bytes, length, VARVE_BASE_NONE, 0, 0);
}

bool h5_quiet(struct library_call *call)
{
	static struct library_name errors;
	/* H5Eget_num() does not clear the stack. */
	long (*ask)(h5_id) = (long (*)(h5_id))library_function(call, &errors, "H5Eget_num");
	return !call->failed && ask && ask(0) == 0;
}

enum h5_what h5_what(struct library_call *call, uint64_t id)
{
	static struct library_name type;
	int (*ask)(h5_id) = (int (*)(h5_id))library_function(call, &type, "H5Iget_type");
	return ask && (h5_id)id > 0 ? (enum h5_what)ask((h5_id)id) : H5_BAD;
}

/* The entity of a dataspace, which hooks keep up to date. */
static struct entity *known_space(struct library_call *call, uint64_t space)
{
	struct entity *entity = h5_find(call, space);
	return entity && entity->kind == VARVE_HANDLE_DATASPACE ? entity : NULL;
}

int64_t h5_points(struct library_call *call, uint64_t space)
{
	static struct library_name points;
	struct entity *entity = known_space(call, space);
	if (LIKELY(entity && entity->number[H5_ELEMENTS]))
		return (int64_t)entity->number[H5_ELEMENTS] - 1;
	int64_t (*ask)(h5_id) =
		(int64_t(*)(h5_id))library_function(call, &points, "H5Sget_select_npoints");
	int64_t found = ask && h5_what(call, space) == H5_DATASPACE ? ask((h5_id)space) : -1;
	if (entity && found >= 0)
		entity->number[H5_ELEMENTS] = (uint64_t)found + 1;
	return found;
}

/* The H5S class of a dataspace; -1: it has none, or is not a dataspace. */
static int space_class(struct library_call *call, uint64_t space)
{
	static struct library_name class;
	int (*ask)(h5_id) =
		(int (*)(h5_id))library_function(call, &class, "H5Sget_simple_extent_type");
	return ask && h5_what(call, space) == H5_DATASPACE ? ask((h5_id)space) : -1;
}

int h5_rank(struct library_call *call, uint64_t space)
{
	static struct library_name rank;
	struct entity *entity = known_space(call, space);
	if (LIKELY(entity && entity->number[H5_RANK]))
		return (int)entity->number[H5_RANK] - 1;
	int (*ask)(h5_id) =
		(int (*)(h5_id))library_function(call, &rank, "H5Sget_simple_extent_ndims");
	/* A dataspace without an H5S class has no rank: the query would fail. */
	int found = ask && space_class(call, space) >= 0 ? ask((h5_id)space) : -1;
	if (entity && found >= 0)
		entity->number[H5_RANK] = (uint64_t)found + 1;
	return found;
}

uint64_t h5_type_size(struct library_call *call, uint64_t type)
{
	static struct library_name size;
	struct entity *entity = h5_find(call, type);
	if (LIKELY(entity && entity->kind == VARVE_HANDLE_H5_TYPE && entity->number[H5_SIZE]))
		return entity->number[H5_SIZE] - 1;
	size_t (*ask)(h5_id) = (size_t(*)(h5_id))library_function(call, &size, "H5Tget_size");
	size_t found = ask && h5_what(call, type) == H5_DATATYPE ? ask((h5_id)type) : 0;
	if (found && entity && entity->kind == VARVE_HANDLE_H5_TYPE)
		entity->number[H5_SIZE] = found + 1;
	return found;
}

uint64_t h5_attribute_size(struct library_call *call, uint64_t attribute)
{
	static struct library_name size;
	uint64_t (*ask)(h5_id) =
		(uint64_t(*)(h5_id))library_function(call, &size, "H5Aget_storage_size");
	const struct entity *entity = h5_find(call, attribute);
	/* The type number of attributes differs between versions: only known attributes are asked. */
	return ask && entity && entity->kind == VARVE_HANDLE_ATTRIBUTE &&
			       h5_what(call, attribute) != H5_BAD
		       ? ask((h5_id)attribute)
		       : 0;
}

uint64_t h5_chunk_size(struct library_call *call, uint64_t dataset, const uint64_t *offset)
{
	static struct library_name size;
	uint64_t found = 0;
	int (*ask)(h5_id, const uint64_t *, uint64_t *) =
		(int (*)(h5_id, const uint64_t *, uint64_t *))library_function(
			call, &size, "H5Dget_chunk_storage_size");
	return ask && ask((h5_id)dataset, offset, &found) >= 0 ? found : 0;
}

static uint64_t changes; /* counts changes of extents */

void h5_extents_changed(void)
{
	__atomic_add_fetch(&changes, 1, __ATOMIC_RELAXED);
}

static void extent_was(struct entity *dataset, int rank, int64_t elements, uint64_t age)
{
	dataset->number[H5_RANK] = (uint64_t)rank + 1;
	dataset->number[H5_ELEMENTS] = (uint64_t)elements + 1;
	dataset->number[H5_AGE] = age;
}

void h5_extent_is(struct entity *dataset, int rank, int64_t elements)
{
	extent_was(dataset, rank, elements, __atomic_load_n(&changes, __ATOMIC_RELAXED));
}

bool h5_elements(const struct entity *dataset, uint64_t *elements)
{
	if (!dataset || dataset->kind != VARVE_HANDLE_DATASET || !dataset->number[H5_ELEMENTS] ||
	    dataset->number[H5_AGE] != __atomic_load_n(&changes, __ATOMIC_RELAXED))
		return false;
	*elements = dataset->number[H5_ELEMENTS] - 1;
	return true;
}

void h5_extent(struct library_call *call, struct entity *dataset, unsigned known)
{
	static struct library_name of, dimensions, number, closing;
	uint64_t elements, age = __atomic_load_n(&changes, __ATOMIC_RELAXED);
	if (!dataset || dataset->kind != VARVE_HANDLE_DATASET ||
	    (known == H5_RANK ? dataset->number[H5_RANK] != 0 : h5_elements(dataset, &elements)) ||
	    h5_what(call, dataset->value) != H5_DATASET)
		return;
	h5_id (*ask)(h5_id) = (h5_id(*)(h5_id))library_function(call, &of, "H5Dget_space");
	int (*rank)(h5_id) =
		(int (*)(h5_id))library_function(call, &dimensions, "H5Sget_simple_extent_ndims");
	int64_t (*points)(h5_id) =
		(int64_t(*)(h5_id))library_function(call, &number, "H5Sget_simple_extent_npoints");
	int (*close)(h5_id) = (int (*)(h5_id))library_function(call, &closing, "H5Sclose");
	if (!ask || !rank || !points || !close)
		return;
	h5_id space = ask((h5_id)dataset->value);
	if (space < 0)
		return;
	extent_was(dataset, rank(space), points(space), age);
	close(space);
}

size_t h5_name(struct library_call *call, uint64_t id, char *path, size_t room)
{
	static struct library_name name;
	long (*ask)(h5_id, char *, size_t) =
		(long (*)(h5_id, char *, size_t))library_function(call, &name, "H5Iget_name");
	enum h5_what what = h5_what(call, id);
	if (!ask ||
	    (what != H5_FILE && what != H5_GROUP && what != H5_DATASET && what != H5_DATATYPE))
		return 0;
	long length = ask((h5_id)id, path, room);
	return length < 0 ? 0 : (size_t)length < room ? (size_t)length : room - 1;
}

size_t h5_attribute_name(struct library_call *call, uint64_t attribute, char *name, size_t room)
{
	static struct library_name naming;
	long (*ask)(h5_id, size_t, char *) =
		(long (*)(h5_id, size_t, char *))library_function(call, &naming, "H5Aget_name");
	if (!ask || h5_what(call, attribute) == H5_BAD)
		return 0;
	long length = ask((h5_id)attribute, room, name);
	return length < 0 ? 0 : (size_t)length < room ? (size_t)length : room - 1;
}

void h5_add_space(struct library_call *call, struct h5_text *text, uint64_t space)
{
	static struct library_name dimensions;
	enum { SCALAR, SIMPLE, EMPTY };
	int (*ask)(h5_id, uint64_t *, uint64_t *) =
		(int (*)(h5_id, uint64_t *, uint64_t *))library_function(
			call, &dimensions, "H5Sget_simple_extent_dims");
	if (!ask || h5_what(call, space) != H5_DATASPACE)
		return;
	int what = space_class(call, space);
	if (what != SIMPLE) {
		h5_add(text, what == SCALAR ? "scalar" : what == EMPTY ? "null" : "no extent");
		return;
	}
	uint64_t size[H5_RANK_MOST], most[H5_RANK_MOST];
	int rank = ask((h5_id)space, size, most);
	if (rank < 0 || rank > H5_RANK_MOST)
		return;
	h5_add(text, "simple ");
	h5_add_sizes(call, text, size, (unsigned)rank);
	if (memcmp(size, most, (unsigned)rank * sizeof *size) != 0) {
		h5_add(text, " max ");
		h5_add_sizes(call, text, most, (unsigned)rank);
	}
}

void h5_add_type(struct library_call *call, struct h5_text *text, uint64_t type)
{
	static struct library_name classes, variable;
	static const char *const names[] = {"integer", "float",	   "time",     "string",
					    "bits",    "opaque",   "compound", "reference",
					    "enum",    "variable", "array"};
	enum { STRING = 3, LAST = 10 };
	int (*class)(h5_id) = (int (*)(h5_id))library_function(call, &classes, "H5Tget_class");
	int (*is_variable)(h5_id) =
		(int (*)(h5_id))library_function(call, &variable, "H5Tis_variable_str");
	if (!class || h5_what(call, type) != H5_DATATYPE)
		return;
	int what = class((h5_id)type);
	if (what == STRING && is_variable && is_variable((h5_id)type) > 0) {
		h5_add(text, "string");
		return;
	}
	h5_add(text, what >= 0 && what <= LAST ? names[what] : "type");
	h5_add(text, " ");
	h5_add_number(text, h5_type_size(call, type));
}

void h5_add_selected(struct library_call *call, struct h5_text *text, uint64_t space)
{
	static struct library_name selection;
	enum { NONE, POINTS, HYPERSLABS, ALL };
	int (*ask)(h5_id) =
		(int (*)(h5_id))library_function(call, &selection, "H5Sget_select_type");
	if (!ask || h5_what(call, space) != H5_DATASPACE)
		return;
	int what = ask((h5_id)space);
	h5_add(text, what == NONE	  ? "none"
		     : what == POINTS	  ? "points"
		     : what == HYPERSLABS ? "hyperslabs"
		     : what == ALL	  ? "all"
					  : "");
}

void h5_add_layout(struct library_call *call, struct h5_text *text, uint64_t list)
{
	static struct library_name layouts, chunks, counts, filters;
	enum { CHUNKED = 2, NAMED = 7 };
	static const char *const names[NAMED] = {"none", "deflate", "shuffle",	  "fletcher32",
						 "szip", "nbit",    "scaleoffset"};
	int (*layout)(h5_id) = (int (*)(h5_id))library_function(call, &layouts, "H5Pget_layout");
	int (*chunk)(h5_id, int, uint64_t *) =
		(int (*)(h5_id, int, uint64_t *))library_function(call, &chunks, "H5Pget_chunk");
	int (*count)(h5_id) = (int (*)(h5_id))library_function(call, &counts, "H5Pget_nfilters");
	int (*filter)(h5_id, unsigned, unsigned *, size_t *, unsigned *, size_t, char *,
		      unsigned *) =
		(int (*)(h5_id, unsigned, unsigned *, size_t *, unsigned *, size_t, char *,
			 unsigned *))library_function(call, &filters, "H5Pget_filter2");
	uint64_t size[H5_RANK_MOST];
	if (!layout || !chunk || !count || !filter || layout((h5_id)list) != CHUNKED)
		return;
	int rank = chunk((h5_id)list, H5_RANK_MOST, size);
	h5_add(text, ": chunk=");
	h5_add_sizes(call, text, size, rank > 0 && rank <= H5_RANK_MOST ? (unsigned)rank : 0);
	for (int i = 0, most = count((h5_id)list); i < most; i++) {
		unsigned flags, values[1] = {0};
		size_t room = 1;
		/* The configuration of a filter is not asked: for a filter that is not registered this is an error. */
		int which = filter((h5_id)list, (unsigned)i, &flags, &room, values, 0, NULL, NULL);
		h5_add(text, "; ");
		if (which >= 0 && which < NAMED)
			h5_add(text, names[which]);
		else
			h5_add(text, "filter");
		if (which >= NAMED || which == 1) {
			h5_add(text, "=");
			h5_add_number(text, which == 1 ? values[0] : (unsigned)which);
		}
	}
}
