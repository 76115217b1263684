/* Record: hooks of HDF5's dataspaces and datatypes, and their descriptions.
 *
 * A dataspace is described by its extent. Its selection changes often: the text of the selection is kept as an entity that records
 * do not use, and is in the records of calls that select or transfer data. Selections other than hyperslabs and points have no
 * text: then HDF5 is asked for their kind.
 */
#include "call_ids.h"
#include "record/hdf5/hdf5.h"
#include "record/library/library_ops.h"

#include "record/wrap.h"

#include <string.h>

enum { KEPT_RANK };
enum { POINTS_SHOWN = 16 };
enum { SELECT_SET = 0, SELECT_LAST = 7 };

static const char *const joins[SELECT_LAST + 1] = {"",	     " or ",   " and ",	   " xor ",
						   " notb ", " nota ", " append ", " prepend "};

/* Dataspaces */

static void space_made(struct library_call *call)
{
	struct h5_text text;
	h5_text_begin(&text);
	bool quiet = h5_quiet(call);
	if (quiet)
		h5_add_space(call, &text, call->result);
	h5_made(call, VARVE_HANDLE_DATASPACE, &text, NULL);
	if (quiet)
		h5_points(call, call->result);
}

void after_h5_space_create(struct library_call *call)
{
	if (!call->failed)
		space_made(call);
}

/* The number of selected elements has to be asked again. */
static void selection_changed(struct library_call *call, uint64_t space)
{
	struct entity *entity = h5_find(call, space);
	if (entity && entity->kind == VARVE_HANDLE_DATASPACE)
		entity->number[H5_ELEMENTS] = 0;
}

/* Stores the text of the selection, or of its offset. */
static void space_text(struct library_call *call, enum family family, uint64_t space,
		       const char *bytes, size_t length)
{
	struct entity *entity = entity_find(call, family, space);
	if (entity)
		entity_text(call->self, entity, bytes, length);
	else
		entity_make(call, family, space, VARVE_HANDLE_DATASPACE, bytes, length, NULL);
}

static void selection_set(struct library_call *call, uint64_t space, const struct h5_text *text)
{
	selection_changed(call, space);
	space_text(call, FAMILY_H5_SELECTION, space, text->bytes, h5_text_length(text));
}

/* Gives a dataspace the selection, or the offset, of another one. */
static void space_text_copy(struct library_call *call, enum family family, uint64_t from,
			    uint64_t to)
{
	struct h5_text text;
	const struct entity *entity = entity_find(call, family, from);
	if (!entity) {
		entity_gone(call, family, to);
		return;
	}
	h5_text_begin(&text);
	h5_add_bytes(&text, entity->text, entity->length);
	space_text(call, family, to, text.bytes, h5_text_length(&text));
}

void h5_selection_gone(struct library_call *call, uint64_t space)
{
	entity_gone(call, FAMILY_H5_SELECTION, space);
	entity_gone(call, FAMILY_H5_OFFSET, space);
}

void after_h5_space_copy(struct library_call *call)
{
	if (call->failed)
		return;
	space_made(call);
	space_text_copy(call, FAMILY_H5_SELECTION, call->given[0], call->result);
	space_text_copy(call, FAMILY_H5_OFFSET, call->given[0], call->result);
}

/* The dataspace of a dataset has the extent of the dataset. */
void after_h5_space_of(struct library_call *call)
{
	static struct library_name number;
	if (call->failed)
		return;
	space_made(call);
	struct entity *dataset = h5_find(call, call->given[0]);
	int64_t (*ask)(int64_t) = (int64_t(*)(int64_t))library_function(
		call, &number, "H5Sget_simple_extent_npoints");
	if (!dataset || dataset->kind != VARVE_HANDLE_DATASET || !ask || !h5_quiet(call))
		return;
	int rank = h5_rank(call, call->result);
	if (rank < 0)
		return;
	h5_extent_is(dataset, rank, ask((int64_t)call->result));
}

/* What HDF5 does with the offset of the selection: a new extent resets it, a copy of a selection has that of its source. */
static void offset_change(struct library_call *call)
{
	uint16_t function = call->row->id;
	if (function == CALL_H5Sset_extent_simple || function == CALL_H5Sset_extent_none)
		entity_gone(call, FAMILY_H5_OFFSET, call->given[0]);
	else if (function == CALL_H5Sselect_copy)
		space_text_copy(call, FAMILY_H5_OFFSET, call->given[1], call->given[0]);
}

/* The extent has changed, or the selection by a function that does not describe it. */
void after_h5_space_change(struct library_call *call)
{
	struct h5_text text;
	struct entity *space = h5_find(call, call->given[0]);
	if (call->failed || !space)
		return;
	entity_gone(call, FAMILY_H5_SELECTION, call->given[0]);
	offset_change(call);
	space->number[H5_ELEMENTS] = space->number[H5_RANK] = 0;
	h5_text_begin(&text);
	if (h5_quiet(call))
		h5_add_space(call, &text, call->given[0]);
	if (h5_text_length(&text) != space->length ||
	    memcmp(text.bytes, space->text, space->length) != 0)
		entity_text(call->self, space, text.bytes, h5_text_length(&text));
}

/* Selections */

void h5_add_selection(struct library_call *call, struct h5_text *text, uint64_t space)
{
	const struct entity *selection = entity_find(call, FAMILY_H5_SELECTION, space);
	const struct entity *offset = entity_find(call, FAMILY_H5_OFFSET, space);
	const char *begin = text->at;
	if (selection)
		h5_add_bytes(text, selection->text, selection->length);
	else if (h5_quiet(call))
		h5_add_selected(call, text, space);
	/* HDF5 does not move "all" and "none". */
	size_t length = (size_t)(text->at - begin);
	if (!offset || (length == 3 && !memcmp(begin, "all", 3)) ||
	    (length == 4 && !memcmp(begin, "none", 4)))
		return;
	h5_add(text, " moved by ");
	h5_add_bytes(text, offset->text, offset->length);
}

/* Joins the new selection to the present one. */
static void selection_store(struct library_call *call, int32_t how, const struct h5_text *piece)
{
	struct h5_text text;
	uint64_t space = call->given[0];
	call->added[0] = h5_word(call, piece);
	if (call->failed)
		return;
	if (how == SELECT_SET) {
		selection_set(call, space, piece);
		return;
	}
	const struct entity *old = entity_find(call, FAMILY_H5_SELECTION, space);
	h5_text_begin(&text);
	if (old)
		h5_add_bytes(&text, old->text, old->length);
	else
		h5_add(&text, "all");
	if (h5_text_length(&text) + h5_text_length(piece) + 16 > sizeof text.bytes) {
		if (text.at[-1] != '.')
			h5_add(&text, " ...");
	} else {
		h5_add(&text, how > 0 && how <= SELECT_LAST ? joins[how] : " ? ");
		h5_add_bytes(&text, piece->bytes, h5_text_length(piece));
	}
	selection_set(call, space, &text);
}

void before_h5_select(struct library_call *call)
{
	call->kept[KEPT_RANK] = (uint64_t)h5_rank(call, call->given[0]);
}

static unsigned rank_kept(const struct library_call *call)
{
	int64_t rank = (int64_t)call->kept[KEPT_RANK];
	return rank > 0 && rank <= H5_RANK_MOST ? (unsigned)rank : 0;
}

void after_h5_select_hyperslab(struct library_call *call)
{
	static const char *const names[] = {"hyperslab start=", " stride=", " count=", " block="};
	struct h5_text text;
	h5_text_begin(&text);
	for (unsigned i = 0; i < 4; i++) {
		const uint64_t *sizes = given_pointer(call, i + 2);
		char *before = text.at;
		if (!sizes)
			continue;
		h5_add(&text, names[i]);
		if (!h5_add_sizes(call, &text, sizes, rank_kept(call)))
			text.at = before;
	}
	selection_store(call, given_int(call, 1), &text);
}

void after_h5_select_elements(struct library_call *call)
{
	struct h5_text text;
	unsigned rank = rank_kept(call);
	uint64_t count = call->given[2];
	const uint64_t *points = given_pointer(call, 3);
	h5_text_begin(&text);
	h5_add(&text, "points ");
	h5_add_number(&text, count);
	h5_add(&text, ":");
	for (uint64_t i = 0; rank && i < count; i++) {
		if (i == POINTS_SHOWN) {
			h5_add(&text, " ...");
			break;
		}
		h5_add(&text, " ");
		if (!h5_add_sizes(call, &text, points + i * rank, rank))
			break;
	}
	selection_store(call, given_int(call, 1), &text);
}

static void all_or_none(struct library_call *call, const char *what)
{
	struct h5_text text;
	if (call->failed)
		return;
	h5_text_begin(&text);
	h5_add(&text, what);
	selection_set(call, call->given[0], &text);
}

void after_h5_select_all(struct library_call *call)
{
	all_or_none(call, "all");
}

void after_h5_select_none(struct library_call *call)
{
	all_or_none(call, "none");
}

/* Records the offset, which also moves later selections of this dataspace. */
void after_h5_select_offset(struct library_call *call)
{
	struct h5_text text;
	const int64_t *offset = given_pointer(call, 1);
	unsigned rank = rank_kept(call);
	bool moves = false;
	h5_text_begin(&text);
	if (offset && memory_readable(call->self, offset, rank * sizeof *offset)) {
		for (unsigned i = 0; i < rank; i++) {
			moves |= offset[i] != 0;
			h5_add(&text, i ? "," : "[");
			h5_add(&text, offset[i] < 0 ? "-" : "");
			h5_add_number(&text, offset[i] < 0 ? 0 - (uint64_t)offset[i]
							   : (uint64_t)offset[i]);
		}
		h5_add(&text, rank ? "]" : "[]");
	}
	call->added[0] = h5_word(call, &text);
	if (call->failed)
		return;
	if (moves)
		space_text(call, FAMILY_H5_OFFSET, call->given[0], text.bytes,
			   h5_text_length(&text));
	else
		entity_gone(call, FAMILY_H5_OFFSET, call->given[0]);
}

/* Datatypes */

static void type_described(struct library_call *call, struct entity *type)
{
	struct h5_text text;
	if (!type || !h5_quiet(call))
		return;
	type->number[H5_SIZE] = 0;
	h5_text_begin(&text);
	h5_add_type(call, &text, type->value);
	entity_text(call->self, type, text.bytes, h5_text_length(&text));
}

void after_h5_type_create(struct library_call *call)
{
	if (!call->failed)
		type_described(call, h5_made(call, VARVE_HANDLE_H5_TYPE, NULL, NULL));
}

/* A committed datatype keeps its name. */
void after_h5_type_change(struct library_call *call)
{
	struct entity *type = h5_find(call, call->given[0]);
	if (!call->failed && type &&
	    !(type->length && (type->text[0] == '/' || type->text[0] == '?')))
		type_described(call, type);
}
