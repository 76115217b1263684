/* Record: hooks of HDF5's files, groups, datasets, attributes and objects: their names, and when they are closed.
 *
 * The name of an object is its path in the file, made from the path of the location and the name that was passed: HDF5 need not be
 * asked. HDF5 returns the name of an object that was found by its number in a group; an object that was found by an address or a
 * reference has no name. An object that is reached through a link to another file, or in a mounted file, is counted for the file of
 * the location.
 */
#include "record/hdf5/hdf5.h"
#include "record/library/library_ops.h"

#include "record/wrap.h"

#include <string.h>

/* Asynchronous functions begin with the place of the call in its source: file, function, line. */
enum { NOW = 0, LATER = 3 };

struct entity *h5_made(struct library_call *call, enum varve_handle_kind kind,
		       const struct h5_text *text, const struct entity *other)
{
	struct entity *made =
		entity_make(call, FAMILY_H5, call->result, kind, text ? text->bytes : NULL,
			    text ? h5_text_length(text) : 0, other);
	if (made)
		call->handle = made->handle;
	struct entity *file = made ? entity_other(made) : NULL;
	if (file)
		file->number[H5_INSIDE]++;
	return made;
}

struct entity *h5_file_of(struct entity *entity)
{
	if (!entity || entity->kind == VARVE_HANDLE_H5_FILE)
		return entity;
	return entity_other(entity);
}

/* Whether the path of a location is known, also to HDF5. */
static bool has_path(const struct entity *from)
{
	return from &&
	       (from->kind == VARVE_HANDLE_H5_FILE ||
		(from->kind != VARVE_HANDLE_ATTRIBUTE && from->length && from->text[0] == '/'));
}

/* Adds the path of `name` from the location `from`, without empty parts and `.`. If the path of `from` is not known (an anonymous
 * group, or one that was found by a reference), it is a ?: `?/name` is not at the root. */
static void add_path(struct library_call *call, struct h5_text *text, const struct entity *from,
		     const char *name)
{
	long length = name ? text_length(call->self, name, ENTITY_TEXT) : -1;
	if (length < 0)
		length = 0;
	if (!length || name[0] != '/') {
		bool known = has_path(from);
		bool below =
			from && from->kind != VARVE_HANDLE_H5_FILE && from->length > 1 &&
			(known || (from->kind != VARVE_HANDLE_ATTRIBUTE && from->text[0] == '?'));
		if (below)
			h5_add_bytes(text, from->text, from->length);
		else if (!known)
			h5_add(text, "?");
	}
	for (long i = 0; i < length;) {
		long end = i;
		while (end < length && name[end] != '/')
			end++;
		if (end > i && !(end - i == 1 && name[i] == '.')) {
			h5_add(text, "/");
			h5_add_bytes(text, name + i, (size_t)(end - i));
		}
		i = end + 1;
	}
	if (!h5_text_length(text))
		h5_add(text, "/");
}

/* Files */

static void file_opened(struct library_call *call, unsigned first, unsigned access)
{
	if (call->failed)
		return;
	struct entity *file = h5_made(call, VARVE_HANDLE_H5_FILE, NULL, NULL);
	const struct entity *list = h5_find(call, call->given[first + access]);
	if (!file)
		return;
	file->number[H5_STRONG] = list && list->number[H5_CLOSING] == 3;
	entity_file(call->self, file, given_pointer(call, first));
}

void after_h5_file_create(struct library_call *call)
{
	file_opened(call, NOW, 3);
}

void after_h5_file_open(struct library_call *call)
{
	file_opened(call, NOW, 2);
}

void after_h5_file_create_async(struct library_call *call)
{
	file_opened(call, LATER, 3);
}

void after_h5_file_open_async(struct library_call *call)
{
	file_opened(call, LATER, 2);
}

/* Another identifier of the same file. */
static void file_again(struct library_call *call, const struct entity *file)
{
	struct h5_text text;
	if (call->failed)
		return;
	struct entity old = file ? *file : (struct entity){.kind = VARVE_HANDLE_H5_FILE};
	struct entity *known = h5_find(call, call->result);
	if (known && known->kind == VARVE_HANDLE_H5_FILE && !known->number[H5_CLOSED]) {
		/* The existing identifier, with one more reference. */
		known->number[H5_HELD]++;
		call->handle = known->handle;
		return;
	}
	h5_text_begin(&text);
	if (file)
		h5_add_bytes(&text, file->text, file->length);
	struct entity *made = h5_made(call, VARVE_HANDLE_H5_FILE, &text, NULL);
	if (!made)
		return;
	made->how = old.how;
	made->device = old.device;
	made->inode = old.inode;
	made->number[H5_STRONG] = old.number[H5_STRONG];
}

void after_h5_file_reopen(struct library_call *call)
{
	file_again(call, h5_file_of(h5_find(call, call->given[NOW])));
}

void after_h5_file_reopen_async(struct library_call *call)
{
	file_again(call, h5_file_of(h5_find(call, call->given[LATER])));
}

void after_h5_file_image(struct library_call *call)
{
	struct h5_text text;
	if (call->failed)
		return;
	h5_text_begin(&text);
	h5_add(&text, "(image in memory)");
	h5_made(call, VARVE_HANDLE_H5_FILE, &text, NULL);
}

/* Objects in files */

static struct entity *thing_opened(struct library_call *call, unsigned first,
				   enum varve_handle_kind kind)
{
	struct h5_text text;
	if (call->failed)
		return NULL;
	struct entity *from = h5_find(call, call->given[first]);
	h5_text_begin(&text);
	add_path(call, &text, from, given_pointer(call, first + 1));
	return h5_made(call, kind, &text, h5_file_of(from));
}

void after_h5_group_open(struct library_call *call)
{
	thing_opened(call, NOW, VARVE_HANDLE_H5_GROUP);
}

void after_h5_group_open_async(struct library_call *call)
{
	thing_opened(call, LATER, VARVE_HANDLE_H5_GROUP);
}

void after_h5_dataset_open(struct library_call *call)
{
	thing_opened(call, NOW, VARVE_HANDLE_DATASET);
}

void after_h5_dataset_open_async(struct library_call *call)
{
	thing_opened(call, LATER, VARVE_HANDLE_DATASET);
}

void after_h5_type_open(struct library_call *call)
{
	thing_opened(call, NOW, VARVE_HANDLE_H5_TYPE);
}

void after_h5_type_open_async(struct library_call *call)
{
	thing_opened(call, LATER, VARVE_HANDLE_H5_TYPE);
}

/* A new dataset has the extent of its dataspace. */
static void extent_known(struct library_call *call, struct entity *dataset, uint64_t space)
{
	static struct library_name number;
	int64_t (*ask)(int64_t) = (int64_t(*)(int64_t))library_function(
		call, &number, "H5Sget_simple_extent_npoints");
	if (!dataset || !ask || !h5_quiet(call))
		return;
	int rank = h5_rank(call, space);
	if (rank < 0)
		return;
	h5_extent_is(dataset, rank, ask((int64_t)space));
}

void after_h5_dataset_create(struct library_call *call)
{
	extent_known(call, thing_opened(call, NOW, VARVE_HANDLE_DATASET), call->given[NOW + 3]);
}

void after_h5_dataset_create_async(struct library_call *call)
{
	extent_known(call, thing_opened(call, LATER, VARVE_HANDLE_DATASET), call->given[LATER + 3]);
}

static struct entity *anonymous_made(struct library_call *call, enum varve_handle_kind kind)
{
	struct h5_text text;
	if (call->failed)
		return NULL;
	h5_text_begin(&text);
	h5_add(&text, "(anonymous)");
	return h5_made(call, kind, &text, h5_file_of(h5_find(call, call->given[0])));
}

void after_h5_dataset_anonymous(struct library_call *call)
{
	extent_known(call, anonymous_made(call, VARVE_HANDLE_DATASET), call->given[2]);
}

void after_h5_group_anonymous(struct library_call *call)
{
	anonymous_made(call, VARVE_HANDLE_H5_GROUP);
}

void after_h5_table_open(struct library_call *call)
{
	thing_opened(call, NOW, VARVE_HANDLE_DATASET);
}

/* For H5Oopen and similar functions: the kind of the opened object. */
static enum varve_handle_kind kind_of_result(struct library_call *call)
{
	if (!h5_quiet(call))
		return VARVE_HANDLE_H5_OBJECT;
	switch (h5_what(call, call->result)) {
	case H5_GROUP:
		return VARVE_HANDLE_H5_GROUP;
	case H5_DATASET:
		return VARVE_HANDLE_DATASET;
	case H5_DATATYPE:
		return VARVE_HANDLE_H5_TYPE;
	case H5_BAD:
	case H5_FILE:
	case H5_DATASPACE:
		break;
	}
	return VARVE_HANDLE_H5_OBJECT;
}

void after_h5_object_open(struct library_call *call)
{
	if (!call->failed)
		thing_opened(call, NOW, kind_of_result(call));
}

void after_h5_object_open_async(struct library_call *call)
{
	/* Not asked, because the object may not exist yet. */
	thing_opened(call, LATER, VARVE_HANDLE_H5_OBJECT);
}

void after_h5_object_found(struct library_call *call)
{
	if (!call->failed)
		h5_made(call, kind_of_result(call), NULL,
			h5_file_of(h5_find(call, call->given[0])));
}

/* Found by its number in a group. HDF5 makes the path from that of the group and the name of the link. */
void after_h5_object_numbered(struct library_call *call)
{
	struct h5_text text;
	char path[ENTITY_TEXT];
	if (call->failed)
		return;
	struct entity *from = h5_find(call, call->given[0]);
	enum varve_handle_kind kind = kind_of_result(call);
	h5_text_begin(&text);
	if (!call->hidden && has_path(from) && h5_quiet(call))
		h5_add_bytes(&text, path, h5_name(call, call->result, path, sizeof path));
	h5_made(call, kind, &text, h5_file_of(from));
}

void after_h5_reference_open(struct library_call *call)
{
	if (!call->failed)
		h5_made(call, kind_of_result(call), NULL, NULL);
}

void after_h5_type_commit(struct library_call *call)
{
	struct h5_text text;
	struct entity *type = h5_find(call, call->given[2]);
	if (call->failed || !type)
		return;
	h5_text_begin(&text);
	add_path(call, &text, h5_find(call, call->given[0]), given_pointer(call, 1));
	entity_text(call->self, type, text.bytes, h5_text_length(&text));
}

/* Attributes: the path of their object, then @ and their name. */

static void attribute_opened(struct library_call *call, unsigned first, const char *object,
			     const char *name)
{
	struct h5_text text;
	char asked[ENTITY_TEXT];
	if (call->failed)
		return;
	struct entity *from = h5_find(call, call->given[first]);
	long length = name ? text_length(call->self, name, ENTITY_TEXT) : 0;
	h5_text_begin(&text);
	add_path(call, &text, from, object);
	h5_add(&text, "@");
	if (name)
		h5_add_bytes(&text, name, length < 0 ? 0 : (size_t)length);
	else if (!call->hidden && h5_quiet(call))
		h5_add_bytes(&text, asked,
			     h5_attribute_name(call, call->result, asked, sizeof asked));
	h5_made(call, VARVE_HANDLE_ATTRIBUTE, &text, h5_file_of(from));
}

void after_h5_attribute_open(struct library_call *call)
{
	attribute_opened(call, NOW, "", given_pointer(call, 1));
}

void after_h5_attribute_open_async(struct library_call *call)
{
	attribute_opened(call, LATER, "", given_pointer(call, LATER + 1));
}

void after_h5_attribute_open_by_name(struct library_call *call)
{
	attribute_opened(call, NOW, given_pointer(call, 1), given_pointer(call, 2));
}

void after_h5_attribute_found(struct library_call *call)
{
	attribute_opened(call, NOW, "", NULL);
}

void after_h5_attribute_found_by_name(struct library_call *call)
{
	attribute_opened(call, NOW, given_pointer(call, 1), NULL);
}

/* Closing */

/* Whether this call ends the identifier; otherwise it only removes a reference. */
static bool let_go(struct entity *entity)
{
	if (!entity->number[H5_HELD])
		return true;
	entity->number[H5_HELD]--;
	return false;
}

/* A closed file is forgotten together with the last object in it. */
static void file_left(struct library_call *call, struct entity *file)
{
	if (!file || file->kind != VARVE_HANDLE_H5_FILE)
		return;
	if (file->number[H5_INSIDE])
		file->number[H5_INSIDE]--;
	if (file->number[H5_CLOSED] && !file->number[H5_INSIDE])
		entity_gone(call, FAMILY_H5, file->value);
}

static void id_closed(struct library_call *call, uint64_t id)
{
	struct entity *entity = h5_find(call, id);
	if (!entity || !let_go(entity))
		return;
	if (entity->kind == VARVE_HANDLE_DATASPACE)
		h5_selection_gone(call, id);
	if (entity->kind == VARVE_HANDLE_H5_FILE && entity->number[H5_STRONG]) {
		entities_gone(call, FAMILY_H5, entity->handle);
	} else if (entity->kind == VARVE_HANDLE_H5_FILE && entity->number[H5_INSIDE]) {
		entity->number[H5_CLOSED] = 1;
		return;
	}
	struct entity *file = entity_other(entity);
	entity_gone(call, FAMILY_H5, id);
	file_left(call, file);
}

void before_h5_close(struct library_call *call)
{
	id_closed(call, call->given[NOW]);
}

void before_h5_close_async(struct library_call *call)
{
	id_closed(call, call->given[LATER]);
}

void after_h5_hold(struct library_call *call)
{
	struct entity *entity = h5_find(call, call->given[0]);
	if (!call->failed && entity)
		entity->number[H5_HELD]++;
}

/* After H5close, HDF5 uses identifiers again. */
void after_h5_end(struct library_call *call)
{
	if (call->failed)
		return;
	entities_gone(call, FAMILY_H5, 0);
	entities_gone(call, FAMILY_H5_SELECTION, 0);
	entities_gone(call, FAMILY_H5_OFFSET, 0);
}

/* For functions whose results need no description. */
void after_h5_other_made(struct library_call *call)
{
	if (!call->failed)
		h5_made(call, (enum varve_handle_kind)call->row->what, NULL, NULL);
}
