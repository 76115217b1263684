/* Record: datatypes of MPI: their sizes, how they were made, and the pieces of memory or file that they consist of. See
 * mpi_hooks.h.
 *
 * A datatype is described when it is made, from the arguments of its constructor and the descriptions of the datatypes that it is
 * made from, because these may be freed long before it. MPI is asked for extent and size. The arguments are read twice: first for a
 * key, by which an equal datatype that was made before is found; if there is none, for the text and the layout.
 */
#include "base/hash.h"
#include "base/sys.h"
#include "call_ids.h"
#include "record/library/library_ops.h"
#include "record/mpi/mpi_hooks.h"
#include "record/mpi/mpi_layout.h"
#include "record/wrap.h"

#include <string.h>

enum {
	NUMBERS_SHOWN = 16,
	NUMBERS_KEYED = 64, /* longer arrays are not compared with those of earlier datatypes */
	/* Indices of struct entity's numbers. */
	NUMBER_SIZE = 0,   /* bytes of an element + 1; 0: not asked yet */
	NUMBER_LAYOUT = 1, /* place of its layout */
	NUMBER_SHOWN =
		2, /* length of the part of its text that is its name, or describes how it was made */
	NUMBER_KEY = 3, /* hash of everything that it was made from; 0: not known */
};

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

void mpi_type_named(struct entity *entity, size_t length)
{
	entity->number[NUMBER_SHOWN] = length;
	entity->number[NUMBER_KEY] = entity->value << 1 | 1;
}

char *mpi_type_text(char *at, const char *end, const struct library_call *call, uint64_t datatype)
{
	const struct entity *entity = type_of(call, datatype);
	size_t length = entity ? entity->number[NUMBER_SHOWN] : 0;
	if (length && length <= entity->length)
		return text_add_bytes(at, end, entity->text, length);
	const char *name = mpi_predefined(call, FAMILY_DATATYPE,
					  entity_value(call, FAMILY_DATATYPE, datatype));
	return text_add(at, end, name ? name : "a datatype");
}

/* The layout of a datatype that MPI has accepted: a stored one, or one that is made in `room`. */
static const struct layout *layout_of(const struct library_call *call, uint64_t datatype,
				      struct layout *room)
{
	struct entity *entity = type_of(call, datatype);
	const struct layout *kept = entity ? layout_at(entity->number[NUMBER_LAYOUT]) : NULL;
	if (LIKELY(kept))
		return kept;
	uint64_t size = mpi_type_size(call, datatype);
	int64_t lower = 0, extent = 0;
	memset(room, 0, sizeof *room);
	mpi_ask(call, ASK_TYPE_EXTENT, datatype, mpi_place(&room->lower), mpi_place(&room->extent),
		0, 0);
	if (mpi_predefined(call, FAMILY_DATATYPE, entity_value(call, FAMILY_DATATYPE, datatype))) {
		/* Of the predefined pairs, only short and int have a hole between them. */
		bool hole = size == 6 && room->extent == 8;
		layout_add(room, 0, hole ? 2 : size);
		layout_add(room, 4, hole ? 4 : 0);
		if (entity)
			entity->number[NUMBER_LAYOUT] = layout_keep(room);
		return room;
	}
	mpi_ask(call, ASK_TYPE_TRUE_EXTENT, datatype, mpi_place(&lower), mpi_place(&extent), 0, 0);
	layout_add(room, lower, extent < 0 ? 0 : (uint64_t)extent);
	room->more = true;
	return room;
}

char *mpi_type_pieces(char *at, const char *end, const struct library_call *call, uint64_t datatype)
{
	struct layout room;
	const struct layout *layout = layout_of(call, datatype, &room);
	at = mpi_type_text(at, end, call, datatype);
	at = text_add(at, end, " extent ");
	at = text_add_signed(at, end, layout->extent);
	at = text_add(at, end, ": ");
	return layout_text(at, end, layout);
}

/* A number in the arguments of a constructor: an int, or an MPI_Count in functions for large counts. */
static int64_t number_of(const struct library_call *call, unsigned argument)
{
	return mpi_large(call) ? (int64_t)call->given[argument] : given_int(call, argument);
}

/* An element of an array; `words`: it is an MPI_Aint in all versions of the function. */
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

/* Reads the arguments of a constructor, either for the key, or for the text and the layout. */
struct writer {
	const struct library_call *call;
	char *at; /* NULL: makes the key */
	const char *end;
	uint64_t key;
	bool keyless; /* not everything that it is made from is known */
};

static void write_key(struct writer *to, uint64_t number)
{
	to->key = (to->key ^ number) * 0x9e3779b97f4a7c15ull;
	to->key ^= to->key >> 29;
}

static void write_text(struct writer *to, const char *text)
{
	if (to->at)
		to->at = text_add(to->at, to->end, text);
}

static void write_number(struct writer *to, const char *name, int64_t number)
{
	if (!to->at) {
		write_key(to, (uint64_t)number);
		return;
	}
	write_text(to, name);
	write_text(to, "=");
	to->at = text_add_signed(to->at, to->end, number);
	write_text(to, ", ");
}

static void write_array(struct writer *to, const char *name, unsigned argument, int64_t count,
			bool words)
{
	if (!to->at) {
		to->keyless |= count > NUMBERS_KEYED;
		for (int64_t i = 0; i < count && !to->keyless; i++)
			write_key(to, (uint64_t)element_of(to->call, argument, (size_t)i, words));
		return;
	}
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
	if (to->at) {
		to->at = mpi_type_text(to->at, to->end, to->call, datatype);
		return;
	}
	const struct entity *entity = type_of(to->call, datatype);
	write_key(to, entity ? entity->number[NUMBER_KEY] : 0);
	to->keyless |= !entity || !entity->number[NUMBER_KEY];
}

/* The layout of a datatype that the new one is made from; not needed for the key. */
static const struct layout *element_layout(const struct writer *to, uint64_t datatype,
					   struct layout *room)
{
	static const struct layout none;
	return to->at ? layout_of(to->call, datatype, room) : &none;
}

/* Blocks at equal distances: vector, hvector and contiguous. */
static void make_strided(struct writer *to, struct layout *made, const char *name, bool bytes)
{
	const struct library_call *call = to->call;
	int64_t count = number_of(call, 0), length = number_of(call, 1);
	int64_t stride = bytes ? (int64_t)call->given[2] : number_of(call, 2);
	struct layout room;
	const struct layout *element = element_layout(to, call->given[3], &room);
	write_text(to, name);
	write_number(to, "(count", count);
	write_number(to, "blocklength", length);
	write_number(to, "stride", stride);
	write_type(to, call->given[3]);
	write_text(to, ")");
	layout_blocks(made, element, count, length, stride * (bytes ? 1 : element->extent));
}

static void make_contiguous(struct writer *to, struct layout *made)
{
	int64_t count = number_of(to->call, 0);
	struct layout room;
	const struct layout *element = element_layout(to, to->call->given[1], &room);
	write_number(to, "contiguous(count", count);
	write_type(to, to->call->given[1]);
	write_text(to, ")");
	layout_repeat(made, element, 0, count);
}

/* Blocks at any distances. `lengths`: argument 1 is an array of their lengths; otherwise it is the length of all blocks. */
static void make_indexed(struct writer *to, struct layout *made, const char *name, bool lengths,
			 bool bytes)
{
	const struct library_call *call = to->call;
	int64_t count = number_of(call, 0);
	struct layout room;
	const struct layout *element = element_layout(to, call->given[3], &room);
	write_text(to, name);
	write_number(to, "(count", count);
	if (lengths)
		write_array(to, "blocklengths", 1, count, false);
	else
		write_number(to, "blocklength", number_of(call, 1));
	write_array(to, "displacements", 2, count, bytes);
	write_type(to, call->given[3]);
	write_text(to, ")");
	for (int64_t i = 0; i < count && !made->more; i++)
		layout_repeat(made, element,
			      element_of(call, 2, (size_t)i, bytes) * (bytes ? 1 : element->extent),
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
	for (int64_t i = 0; i < count && !to->keyless; i++) {
		uint64_t type =
			entity_value_at(call, FAMILY_DATATYPE, given_pointer(call, 3), (size_t)i);
		if (i < NUMBERS_SHOWN || !to->at) {
			write_text(to, i ? "," : "");
			write_type(to, type);
		}
		if (i == NUMBERS_SHOWN)
			write_text(to, ",...");
		int64_t length = element_of(call, 1, (size_t)i, false);
		if (!length || made->more)
			continue;
		struct layout room;
		layout_repeat(made, element_layout(to, type, &room),
			      element_of(call, 2, (size_t)i, true), length);
	}
	write_text(to, "])");
}

static void subarray_add(struct writer *to, struct layout *made, const struct layout *element,
			 int64_t dimensions, bool fortran)
{
	struct subarray of;
	if (dimensions <= 0 || dimensions > SUBARRAY_MOST)
		made->more = true;
	for (int64_t d = 0; d < dimensions && !made->more; d++) {
		size_t from = (size_t)(fortran ? dimensions - 1 - d : d);
		of.size[d] = element_of(to->call, 1, from, false);
		of.part[d] = element_of(to->call, 2, from, false);
		of.start[d] = element_of(to->call, 3, from, false);
	}
	if (!made->more)
		layout_subarray(made, element, dimensions, &of);
}

static void make_subarray(struct writer *to, struct layout *made)
{
	const struct library_call *call = to->call;
	int64_t dimensions = given_int(call, 0);
	int32_t order = given_int(call, 4);
	bool fortran = mpi_wide(call) ? order == 1 : order == 57;
	struct layout room;
	const struct layout *element = element_layout(to, call->given[5], &room);
	write_text(to, "subarray(");
	write_array(to, "sizes", 1, dimensions, false);
	write_array(to, "subsizes", 2, dimensions, false);
	write_array(to, "starts", 3, dimensions, false);
	write_text(to, fortran ? "Fortran, " : "C, ");
	write_key(to, fortran);
	write_type(to, call->given[5]);
	write_text(to, ")");
	subarray_add(to, made, element, dimensions, fortran);
}

/* Which elements of a distributed array a process has is not computed here: layout_of() uses the true extent. */
static void make_darray(struct writer *to, struct layout *made)
{
	const struct library_call *call = to->call;
	int64_t dimensions = given_int(call, 2);
	write_number(to, "darray(size", given_int(call, 0));
	write_number(to, "rank", given_int(call, 1));
	write_array(to, "gsizes", 3, dimensions, false);
	write_array(to, "psizes", 6, dimensions, false);
	write_type(to, call->given[8]);
	write_text(to, ")");
	to->keyless = true;
	made->more = true;
}

static void make_resized(struct writer *to, struct layout *made)
{
	struct layout room;
	write_number(to, "resized(lb", (int64_t)to->call->given[1]);
	write_number(to, "extent", (int64_t)to->call->given[2]);
	write_type(to, to->call->given[0]);
	write_text(to, ")");
	*made = *element_layout(to, to->call->given[0], &room);
}

static void make_dup(struct writer *to, struct layout *made)
{
	struct layout room;
	write_text(to, "dup(");
	write_type(to, to->call->given[0]);
	write_text(to, ")");
	*made = *element_layout(to, to->call->given[0], &room);
}

/* False: the function is not a known constructor. */
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

/* The hash of everything that the new datatype is made from; 0: not known, or the constructor is not known. */
static uint64_t key_of(const struct library_call *call)
{
	/* Pieces are not needed here: with `more` set, none are added. */
	struct layout full = {.more = true};
	struct writer to = {.call = call, .key = (uint64_t)call->library->number << 32};
	write_key(&to, call->row->id);
	return make_by(&to, &full, call->row->id) && !to.keyless ? to.key | 1 : 0;
}

/* Describes the datatype like an equal one that was made before; false: there is none. */
static bool type_again(struct library_call *call, uint64_t type, uint64_t key)
{
	const struct type_made *made = type_made_find(key);
	if (!made)
		return false;
	uint32_t layout = made->layout;
	struct entity *entity = entity_make(call, FAMILY_DATATYPE, type, VARVE_HANDLE_DATATYPE,
					    made->text, made->length, NULL);
	if (entity) {
		entity->number[NUMBER_SIZE] = made->size + 1;
		entity->number[NUMBER_LAYOUT] = made->layout;
		entity->number[NUMBER_SHOWN] = made->shown;
		entity->number[NUMBER_KEY] = key;
	}
	type_made_end();
	if (!entity)
		layout_drop(layout);
	return true;
}

/* Drops the layout of an older datatype with the same value, which was freed without a record. */
static void type_replaced(const struct library_call *call, uint64_t type)
{
	struct entity *old = entity_find(call, FAMILY_DATATYPE, type);
	if (!old || mpi_predefined(call, FAMILY_DATATYPE, type))
		return;
	layout_drop(old->number[NUMBER_LAYOUT]);
	old->number[NUMBER_LAYOUT] = 0;
}

void after_type_new(struct library_call *call)
{
	char text[ENTITY_TEXT];
	struct layout made = {0};
	struct writer to = {.call = call, .at = text, .end = text + sizeof text};
	uint64_t type = call->failed ? 0 : type_made(call);
	if (!type)
		return;
	uint64_t key = key_of(call);
	type_replaced(call, type);
	if (LIKELY(type_again(call, type, key)) || mpi_predefined(call, FAMILY_DATATYPE, type) ||
	    !make_by(&to, &made, call->row->id))
		return;
	size_t shown = (size_t)(to.at - text);
	struct entity *entity =
		entity_make(call, FAMILY_DATATYPE, type, VARVE_HANDLE_DATATYPE, NULL, 0, NULL);
	if (!entity)
		return;
	mpi_ask(call, ASK_TYPE_EXTENT, type, mpi_place(&made.lower), mpi_place(&made.extent), 0, 0);
	write_text(&to, " size ");
	to.at = text_add_number(to.at, to.end, mpi_type_size(call, type));
	write_text(&to, " extent ");
	to.at = text_add_signed(to.at, to.end, made.extent);
	if (made.count) {
		write_text(&to, ": ");
		to.at = layout_text(to.at, to.end, &made);
	}
	entity->number[NUMBER_LAYOUT] = made.count ? layout_keep(&made) : 0;
	entity->number[NUMBER_SHOWN] = shown;
	entity->number[NUMBER_KEY] = key;
	entity_text(call->self, entity, text, (size_t)(to.at - text));
	/* If something could not be asked or stored, the next equal datatype tries again. */
	if (entity->number[NUMBER_SIZE] && (!made.count || entity->number[NUMBER_LAYOUT]))
		type_made_note(
			&(struct type_made){.key = key,
					    .size = entity->number[NUMBER_SIZE] - 1,
					    .layout = (uint32_t)entity->number[NUMBER_LAYOUT],
					    .length = (uint16_t)(to.at - text),
					    .shown = (uint16_t)shown},
			text);
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
		layout_drop(call->kept[0]);
}

void after_type_name(struct library_call *call)
{
	char text[ENTITY_TEXT];
	const char *end = text + sizeof text;
	struct entity *entity = call->failed ? NULL : type_of(call, call->given[0]);
	if (!entity || entity->number[NUMBER_SHOWN] > entity->length)
		return;
	char *at = text_add(text, end, given_pointer(call, 1));
	size_t name = (size_t)(at - text);
	if (entity->length && name + 3 + entity->length < sizeof text) {
		at = text_add(at, end, " = ");
		memcpy(at, entity->text, entity->length);
		at += entity->length;
	}
	entity->number[NUMBER_SHOWN] = name;
	/* Datatypes that are made from it show the name. */
	if (entity->number[NUMBER_KEY])
		entity->number[NUMBER_KEY] =
			hash_name(given_pointer(call, 1), name, entity->number[NUMBER_KEY]) | 1;
	entity_text(call->self, entity, text, (size_t)(at - text));
}
