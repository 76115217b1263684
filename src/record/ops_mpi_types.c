/* Record: datatypes of MPI: their sizes, how they were made, and the pieces of memory or file that they are. See mpi.h.
 *
 * A datatype is described when it is made, from the arguments of its constructor and what is known of the datatypes that it
 * is made of: those may be freed long before it. Extent and size are asked from MPI.
 */
#include "base/sys.h"
#include "call_ids.h"
#include "record/hold.h"
#include "record/library_ops.h"
#include "record/mpi.h"
#include "record/wrap.h"

#include <string.h>

enum {
	PIECES = 16,
	LAYOUTS = 8192,
	NUMBERS_SHOWN = 16,
	/* of struct entity's numbers */
	NUMBER_SIZE = 0,   /* bytes of an element + 1; 0: not asked yet */
	NUMBER_LAYOUT = 1, /* its place among layouts + 1 */
	NUMBER_MADE = 2,   /* length of the part of its text that tells how it was made */
};

struct piece {
	int64_t offset;
	uint64_t length;
};

/* In order of the type map, neighbours joined. */
struct layout {
	int64_t lower;
	int64_t extent;
	uint32_t count;
	bool more;     /* there are more pieces than these */
	uint32_t next; /* of a free one */
	struct piece piece[PIECES];
};

static struct layout *layouts;
static uint32_t layouts_used;
static uint32_t layouts_free; /* place + 1 */

static bool layouts_hold(void)
{
	return hold_with(HELD_LAYOUTS, &layouts, LAYOUTS * sizeof *layouts);
}

static uint32_t layout_keep(const struct layout *made)
{
	uint32_t place = 0;
	if (!layouts_hold())
		return 0;
	if (layouts_free) {
		place = layouts_free;
		layouts_free = layouts[place - 1].next;
	} else if (layouts_used < LAYOUTS) {
		place = ++layouts_used;
	}
	if (place)
		layouts[place - 1] = *made;
	hold_end(HELD_LAYOUTS);
	return place;
}

static void layout_forget(uint32_t place)
{
	if (!place || !layouts_hold())
		return;
	layouts[place - 1].next = layouts_free;
	layouts_free = place;
	hold_end(HELD_LAYOUTS);
}

static struct entity *type_of(const struct library_call *call, uint64_t datatype)
{
	return entity_find(call, FAMILY_DATATYPE, entity_value(call, FAMILY_DATATYPE, datatype));
}

uint64_t mpi_type_size(const struct library_call *call, uint64_t datatype)
{
	struct entity *entity = type_of(call, datatype);
	if (entity && LIKELY(entity->number[NUMBER_SIZE]))
		return entity->number[NUMBER_SIZE] - 1;
	int size = 0;
	int64_t large = 0;
	if (!mpi_ask(call, ASK_TYPE_SIZE, datatype, mpi_place(&size), 0, 0, 0))
		return 0;
	large = size;
	if (size < 0 &&
	    (!mpi_ask(call, ASK_TYPE_SIZE_X, datatype, mpi_place(&large), 0, 0, 0) || large < 0))
		return 0;
	if (entity)
		entity->number[NUMBER_SIZE] = (uint64_t)large + 1;
	return (uint64_t)large;
}

uint64_t mpi_bytes(const struct library_call *call, unsigned count_argument)
{
	uint64_t count = mpi_count(call, count_argument);
	return count ? count * mpi_type_size(call, call->given[count_argument + 1]) : 0;
}

char *mpi_type_text(char *at, const char *end, const struct library_call *call, uint64_t datatype)
{
	uint64_t value = entity_value(call, FAMILY_DATATYPE, datatype);
	const char *name = mpi_predefined(call, FAMILY_DATATYPE, value);
	if (name)
		return text_add(at, end, name);
	const struct entity *entity = type_of(call, datatype);
	size_t length = entity ? entity->number[NUMBER_MADE] : 0;
	if (!length || length > entity->length)
		return text_add(at, end, "a datatype");
	for (size_t i = 0; i < length && at + 1 < end; i++)
		*at++ = entity->text[i];
	*at = 0;
	return at;
}

static char *pieces_text(char *at, const char *end, const struct layout *layout)
{
	for (uint32_t i = 0; i < layout->count; i++) {
		at = text_add(at, end, i ? " (" : "(");
		at = text_add_signed(at, end, layout->piece[i].offset);
		at = text_add(at, end, ",");
		at = text_add_number(at, end, layout->piece[i].length);
		at = text_add(at, end, ")");
	}
	return layout->more ? text_add(at, end, " ...") : at;
}

static void piece_add(struct layout *layout, int64_t offset, uint64_t length)
{
	if (!length || layout->more)
		return;
	struct piece *last = layout->count ? &layout->piece[layout->count - 1] : NULL;
	if (last && last->offset + (int64_t)last->length == offset)
		last->length += length;
	else if (layout->count == PIECES)
		layout->more = true;
	else
		layout->piece[layout->count++] = (struct piece){offset, length};
}

/* What is known of a datatype that MPI has accepted. */
static struct layout layout_of(const struct library_call *call, uint64_t datatype)
{
	struct layout found = {0};
	const struct entity *entity = type_of(call, datatype);
	uint64_t place = entity ? entity->number[NUMBER_LAYOUT] : 0;
	if (place && place <= LAYOUTS && layouts)
		return layouts[place - 1];
	uint64_t size = mpi_type_size(call, datatype);
	int64_t lower = 0, extent = 0;
	mpi_ask(call, ASK_TYPE_EXTENT, datatype, mpi_place(&found.lower), mpi_place(&found.extent),
		0, 0);
	if (mpi_predefined(call, FAMILY_DATATYPE, entity_value(call, FAMILY_DATATYPE, datatype))) {
		/* Of the pairs only a short and an int have a hole between them. */
		bool hole = size == 6 && found.extent == 8;
		piece_add(&found, 0, hole ? 2 : size);
		piece_add(&found, 4, hole ? 4 : 0);
		return found;
	}
	mpi_ask(call, ASK_TYPE_TRUE_EXTENT, datatype, mpi_place(&lower), mpi_place(&extent), 0, 0);
	piece_add(&found, lower, extent < 0 ? 0 : (uint64_t)extent);
	found.more = true;
	return found;
}

char *mpi_type_pieces(char *at, const char *end, const struct library_call *call, uint64_t datatype)
{
	struct layout layout = layout_of(call, datatype);
	at = mpi_type_text(at, end, call, datatype);
	at = text_add(at, end, " extent ");
	at = text_add_signed(at, end, layout.extent);
	at = text_add(at, end, ": ");
	return pieces_text(at, end, &layout);
}

/* `count` elements one after another, from this offset on. */
static void elements_add(struct layout *layout, const struct layout *element, int64_t offset,
			 int64_t count)
{
	for (int64_t i = 0; i < count && !layout->more; i++) {
		/* A contiguous element: all in one go. */
		if (element->count == 1 && !element->more &&
		    element->piece[0].length == (uint64_t)element->extent) {
			piece_add(layout, offset + element->piece[0].offset,
				  element->piece[0].length * (uint64_t)count);
			return;
		}
		for (uint32_t k = 0; k < element->count; k++)
			piece_add(layout, offset + i * element->extent + element->piece[k].offset,
				  element->piece[k].length);
		layout->more |= element->more;
	}
}

/* Arguments of the constructors, which are ints, or MPI_Counts in functions for large counts. */
static int64_t number_of(const struct library_call *call, unsigned argument)
{
	return mpi_large(call) ? (int64_t)call->given[argument] : given_int(call, argument);
}

/* An element of an array; `words`: MPI_Aint in all of them. */
static int64_t element_of(const struct library_call *call, unsigned argument, size_t at, bool words)
{
	words |= mpi_large(call);
	const char *place = (const char *)given_pointer(call, argument) + at * (words ? 8 : 4);
	int32_t narrow = 0;
	int64_t number = 0;
	if (mpi_place(place) < 4096 || !memory_readable(call->self, place, words ? 8 : 4))
		return 0;
	if (words)
		memcpy(&number, place, sizeof number);
	else
		memcpy(&narrow, place, sizeof narrow);
	return words ? number : narrow;
}

struct writer {
	const struct library_call *call;
	char *at;
	const char *end;
};

static void write_text(struct writer *to, const char *text)
{
	to->at = text_add(to->at, to->end, text);
}

static void write_number(struct writer *to, const char *name, int64_t number)
{
	write_text(to, name);
	write_text(to, "=");
	to->at = text_add_signed(to->at, to->end, number);
	write_text(to, ", ");
}

static void write_array(struct writer *to, const char *name, unsigned argument, int64_t count,
			bool words)
{
	write_text(to, name);
	write_text(to, "=[");
	for (int64_t i = 0; i < count; i++) {
		if (i)
			write_text(to, ",");
		if (i == NUMBERS_SHOWN) {
			write_text(to, "...");
			break;
		}
		to->at = text_add_signed(to->at, to->end,
					 element_of(to->call, argument, (size_t)i, words));
	}
	write_text(to, "], ");
}

static void write_type(struct writer *to, uint64_t datatype)
{
	to->at = mpi_type_text(to->at, to->end, to->call, datatype);
	write_text(to, ")");
}

/* Blocks at equal distances: vector, hvector and contiguous. */
static void make_strided(struct writer *to, struct layout *made, const char *name, bool bytes)
{
	const struct library_call *call = to->call;
	int64_t count = number_of(call, 0), length = number_of(call, 1);
	int64_t stride = bytes ? (int64_t)call->given[2] : number_of(call, 2);
	struct layout element = layout_of(call, call->given[3]);
	write_text(to, name);
	write_number(to, "(count", count);
	write_number(to, "blocklength", length);
	write_number(to, "stride", stride);
	write_type(to, call->given[3]);
	for (int64_t i = 0; i < count && !made->more; i++)
		elements_add(made, &element, i * stride * (bytes ? 1 : element.extent), length);
}

static void make_contiguous(struct writer *to, struct layout *made)
{
	int64_t count = number_of(to->call, 0);
	struct layout element = layout_of(to->call, to->call->given[1]);
	write_number(to, "contiguous(count", count);
	write_type(to, to->call->given[1]);
	elements_add(made, &element, 0, count);
}

/* Blocks at any distances; `lengths`: the argument with their lengths, else 1 is the length of all. */
static void make_indexed(struct writer *to, struct layout *made, const char *name, bool lengths,
			 bool bytes)
{
	const struct library_call *call = to->call;
	int64_t count = number_of(call, 0);
	struct layout element = layout_of(call, call->given[3]);
	write_text(to, name);
	write_number(to, "(count", count);
	if (lengths)
		write_array(to, "blocklengths", 1, count, false);
	else
		write_number(to, "blocklength", number_of(call, 1));
	write_array(to, "displacements", 2, count, bytes);
	write_type(to, call->given[3]);
	for (int64_t i = 0; i < count && !made->more; i++)
		elements_add(made, &element,
			     element_of(call, 2, (size_t)i, bytes) * (bytes ? 1 : element.extent),
			     lengths ? element_of(call, 1, (size_t)i, false) : number_of(call, 1));
}

static void make_struct(struct writer *to, struct layout *made)
{
	const struct library_call *call = to->call;
	int64_t count = number_of(call, 0);
	write_number(to, "struct(count", count);
	write_array(to, "blocklengths", 1, count, false);
	write_array(to, "displacements", 2, count, true);
	write_text(to, "types=[");
	for (int64_t i = 0; i < count; i++) {
		uint64_t type =
			entity_value_at(call, FAMILY_DATATYPE, given_pointer(call, 3), (size_t)i);
		if (i < NUMBERS_SHOWN) {
			write_text(to, i ? "," : "");
			to->at = mpi_type_text(to->at, to->end, call, type);
		}
		if (i == NUMBERS_SHOWN)
			write_text(to, ",...");
		int64_t length = element_of(call, 1, (size_t)i, false);
		if (!length || made->more)
			continue;
		struct layout element = layout_of(call, type);
		elements_add(made, &element, element_of(call, 2, (size_t)i, true), length);
	}
	write_text(to, "])");
}

/* Runs along the dimension that is fastest; the others are counted through. */
static void subarray_add(struct writer *to, struct layout *made, const struct layout *element,
			 int64_t dimensions, bool fortran)
{
	enum { MOST = 16 };
	const struct library_call *call = to->call;
	int64_t size[MOST], part[MOST], start[MOST], at[MOST] = {0};
	if (dimensions <= 0 || dimensions > MOST) {
		made->more = true;
		return;
	}
	for (int64_t d = 0; d < dimensions; d++) {
		size_t from = (size_t)(fortran ? dimensions - 1 - d : d);
		size[d] = element_of(call, 1, from, false);
		part[d] = element_of(call, 2, from, false);
		start[d] = element_of(call, 3, from, false);
		if (part[d] <= 0)
			return;
	}
	int64_t last = dimensions - 1;
	while (!made->more) {
		int64_t index = 0;
		for (int64_t d = 0; d < dimensions; d++)
			index = index * size[d] + start[d] + (d == last ? 0 : at[d]);
		elements_add(made, element, index * element->extent, part[last]);
		int64_t d = last - 1;
		while (d >= 0 && ++at[d] == part[d])
			at[d--] = 0;
		if (d < 0)
			return;
	}
}

static void make_subarray(struct writer *to, struct layout *made)
{
	const struct library_call *call = to->call;
	int64_t dimensions = given_int(call, 0);
	int32_t order = given_int(call, 4);
	bool fortran = mpi_wide(call) ? order == 1 : order == 57;
	struct layout element = layout_of(call, call->given[5]);
	write_text(to, "subarray(");
	write_array(to, "sizes", 1, dimensions, false);
	write_array(to, "subsizes", 2, dimensions, false);
	write_array(to, "starts", 3, dimensions, false);
	write_text(to, fortran ? "Fortran, " : "C, ");
	write_type(to, call->given[5]);
	subarray_add(to, made, &element, dimensions, fortran);
}

/* Which elements a process has of a distributed array is left to MPI: the hull is given. */
static void make_darray(struct writer *to, struct layout *made)
{
	const struct library_call *call = to->call;
	int64_t dimensions = given_int(call, 2);
	write_number(to, "darray(size", given_int(call, 0));
	write_number(to, "rank", given_int(call, 1));
	write_array(to, "gsizes", 3, dimensions, false);
	write_array(to, "psizes", 6, dimensions, false);
	write_type(to, call->given[8]);
	made->more = true;
}

static void make_resized(struct writer *to, struct layout *made)
{
	struct layout element = layout_of(to->call, to->call->given[0]);
	write_number(to, "resized(lb", (int64_t)to->call->given[1]);
	write_number(to, "extent", (int64_t)to->call->given[2]);
	write_type(to, to->call->given[0]);
	*made = element;
}

static void make_dup(struct writer *to, struct layout *made)
{
	*made = layout_of(to->call, to->call->given[0]);
	write_text(to, "dup(");
	write_type(to, to->call->given[0]);
}

/* False: not a constructor that is known here. */
static bool make_by(struct writer *to, struct layout *made, uint16_t id)
{
	switch (id) {
	case CALL_MPI_Type_contiguous:
	case CALL_MPI_Type_contiguous_c:
		make_contiguous(to, made);
		return true;
	case CALL_MPI_Type_vector:
	case CALL_MPI_Type_vector_c:
		make_strided(to, made, "vector", false);
		return true;
	case CALL_MPI_Type_create_hvector:
	case CALL_MPI_Type_create_hvector_c:
	case CALL_MPI_Type_hvector:
		make_strided(to, made, "hvector", true);
		return true;
	case CALL_MPI_Type_indexed:
	case CALL_MPI_Type_indexed_c:
		make_indexed(to, made, "indexed", true, false);
		return true;
	case CALL_MPI_Type_create_hindexed:
	case CALL_MPI_Type_create_hindexed_c:
	case CALL_MPI_Type_hindexed:
		make_indexed(to, made, "hindexed", true, true);
		return true;
	case CALL_MPI_Type_create_indexed_block:
	case CALL_MPI_Type_create_indexed_block_c:
		make_indexed(to, made, "indexed_block", false, false);
		return true;
	case CALL_MPI_Type_create_hindexed_block:
	case CALL_MPI_Type_create_hindexed_block_c:
		make_indexed(to, made, "hindexed_block", false, true);
		return true;
	case CALL_MPI_Type_create_struct:
	case CALL_MPI_Type_create_struct_c:
	case CALL_MPI_Type_struct:
		make_struct(to, made);
		return true;
	case CALL_MPI_Type_create_subarray:
	case CALL_MPI_Type_create_subarray_c:
		make_subarray(to, made);
		return true;
	case CALL_MPI_Type_create_darray:
	case CALL_MPI_Type_create_darray_c:
		make_darray(to, made);
		return true;
	case CALL_MPI_Type_create_resized:
	case CALL_MPI_Type_create_resized_c:
		make_resized(to, made);
		return true;
	case CALL_MPI_Type_dup:
		make_dup(to, made);
		return true;
	default:
		return false;
	}
}

/* The new datatype is the last argument of every constructor. */
static uint64_t type_made(const struct library_call *call)
{
	return entity_value_at(call, FAMILY_DATATYPE,
			       given_pointer(call, call->row->arguments - 1u), 0);
}

void after_type_new(struct library_call *call)
{
	char text[ENTITY_TEXT];
	struct layout made = {0};
	struct writer to = {call, text, text + sizeof text};
	uint64_t type = call->failed ? 0 : type_made(call);
	if (!type || mpi_predefined(call, FAMILY_DATATYPE, type) ||
	    !make_by(&to, &made, call->row->id))
		return;
	size_t length = (size_t)(to.at - text);
	struct entity *entity =
		entity_make(call, FAMILY_DATATYPE, type, HANDLE_DATATYPE, NULL, 0, NULL);
	if (!entity)
		return;
	mpi_ask(call, ASK_TYPE_EXTENT, type, mpi_place(&made.lower), mpi_place(&made.extent), 0, 0);
	write_text(&to, " size ");
	to.at = text_add_number(to.at, to.end, mpi_type_size(call, type));
	write_text(&to, " extent ");
	to.at = text_add_signed(to.at, to.end, made.extent);
	if (made.count) {
		write_text(&to, ": ");
		to.at = pieces_text(to.at, to.end, &made);
	}
	entity->number[NUMBER_LAYOUT] = made.count ? layout_keep(&made) : 0;
	entity->number[NUMBER_MADE] = length;
	entity_text(call->self, entity, text, (size_t)(to.at - text));
}

void before_type_free(struct library_call *call)
{
	uint64_t type = entity_value_at(call, FAMILY_DATATYPE, given_pointer(call, 0), 0);
	struct entity *entity = type ? entity_find(call, FAMILY_DATATYPE, type) : NULL;
	call->kept[0] = entity ? entity->number[NUMBER_LAYOUT] : 0;
}

void after_type_free(struct library_call *call)
{
	if (!call->failed)
		layout_forget((uint32_t)call->kept[0]);
}

void after_type_name(struct library_call *call)
{
	char text[ENTITY_TEXT];
	const char *end = text + sizeof text;
	struct entity *entity = call->failed ? NULL : type_of(call, call->given[0]);
	if (!entity || entity->number[NUMBER_MADE] > entity->length)
		return;
	char *at = text_add(text, end, given_pointer(call, 1));
	size_t name = (size_t)(at - text);
	if (entity->length && name + 3 + entity->length < sizeof text) {
		at = text_add(at, end, " = ");
		memcpy(at, entity->text, entity->length);
		at += entity->length;
	}
	entity->number[NUMBER_MADE] = name;
	entity_text(call->self, entity, text, (size_t)(at - text));
}
