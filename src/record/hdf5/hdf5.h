/* Record: what the hooks of HDF5 share: queries to the library, texts, and the meaning of the numbers of its entities.
 *
 * Each function of HDF5 that can fail clears the library's stack of errors, and prints when it fails. So hooks call only functions
 * that cannot fail, with identifiers that HDF5 has reported as valid, and either before the real function, which clears the stack
 * anyway, or after one that has left the stack empty. Functions of H5E do not clear the stack: nothing is asked during them. Hooks
 * make no identifiers, except in h5_extent(), and ask nothing for which HDF5 would have to search a file.
 */
#ifndef RECORD_HDF5_HDF5_H
#define RECORD_HDF5_HDF5_H

#include "record/library/library.h"

#include <stddef.h>

/* Indices of number[] of an entity. Where a value is stored plus 1, 0 means that it is not known. */
enum {
	/* of a dataset: elements in its extent; of a dataspace: selected elements; plus 1 */
	H5_ELEMENTS = 0,
	/* of both: the rank, plus 1 */
	H5_RANK = 1,
	/* of a dataset: number of changed extents when its own was stored */
	H5_AGE = 2,
	/* of a datatype: its size, plus 1 */
	H5_SIZE = 0,
	/* of a property list: 1 when transfers are collective; the degree of H5Pset_fclose_degree; number of sources of a virtual
	 * dataset */
	H5_TRANSFER = 0,
	H5_CLOSING = 1,
	H5_SOURCES = 2,
	/* of a file: whether closing it closes everything in it; number of open objects in it; whether it was closed while some
	 * were open, and stays known until they are closed */
	H5_STRONG = 0,
	H5_INSIDE = 1,
	H5_CLOSED = 2,
	/* of any: its count of references minus 1 */
	H5_HELD = 3,
};

/* The part of H5I_type_t that is the same in all versions. */
enum h5_what { H5_BAD = -1, H5_FILE = 1, H5_GROUP, H5_DATATYPE, H5_DATASPACE, H5_DATASET };

enum { H5_RANK_MOST = 32 };

/* A text that is being made; it is cut where there is no more room. */
struct h5_text {
	char *at;
	char bytes[ENTITY_TEXT];
};

static inline void h5_text_begin(struct h5_text *text)
{
	text->at = text->bytes;
	text->bytes[0] = 0;
}

static inline size_t h5_text_length(const struct h5_text *text)
{
	return (size_t)(text->at - text->bytes);
}

void h5_add(struct h5_text *text, const char *piece);
void h5_add_bytes(struct h5_text *text, const char *bytes, size_t length);
void h5_add_number(struct h5_text *text, uint64_t number);
/* Adds "[100,unlimited]"; false: the sizes cannot be read. */
bool h5_add_sizes(struct library_call *call, struct h5_text *text, const uint64_t *sizes,
		  unsigned count);
/* The word of a text. */
uint64_t h5_word(struct library_call *call, const struct h5_text *text);

/* hdf5_ask.c */
/* Whether HDF5 may be asked after the real function: the call has not failed, and the stack of errors is empty. */
bool h5_quiet(struct library_call *call);
enum h5_what h5_what(struct library_call *call, uint64_t id);
/* -1: not a dataspace. */
int64_t h5_points(struct library_call *call, uint64_t space);
int h5_rank(struct library_call *call, uint64_t space);
/* 0: not a datatype. */
uint64_t h5_type_size(struct library_call *call, uint64_t type);
/* Bytes of an attribute in its file. */
uint64_t h5_attribute_size(struct library_call *call, uint64_t attribute);
/* Bytes of a chunk in its file. */
uint64_t h5_chunk_size(struct library_call *call, uint64_t dataset, const uint64_t *offset);
/* Stores rank and elements of a dataset, if `known`, one of these two numbers, is not known. This makes an identifier and closes
 * it, so that HDF5's next identifier differs. Only after a function that uses the dataset: the extent of a virtual dataset opens
 * its sources, which must be done by that function. */
void h5_extent(struct library_call *call, struct entity *dataset, unsigned known);
/* Gets the present number of elements of a dataset; false: not known. */
bool h5_elements(const struct entity *dataset, uint64_t *elements);
void h5_extent_is(struct entity *dataset, int rank, int64_t elements);
/* An extent has changed. A dataset may be open by many identifiers, of several files, so all extents are asked again. */
void h5_extents_changed(void);
/* The path of an object; 0: it has none. Only for objects whose path HDF5 has: for one that was found by an address or a reference
 * it searches the whole file. */
size_t h5_name(struct library_call *call, uint64_t id, char *path, size_t room);
size_t h5_attribute_name(struct library_call *call, uint64_t attribute, char *name, size_t room);
void h5_add_space(struct library_call *call, struct h5_text *text, uint64_t space);
void h5_add_type(struct library_call *call, struct h5_text *text, uint64_t type);
/* Adds layout, chunks and filters of a dataset's creation list. */
void h5_add_layout(struct library_call *call, struct h5_text *text, uint64_t list);
/* Adds the kind of a dataspace's selection. */
void h5_add_selected(struct library_call *call, struct h5_text *text, uint64_t space);

/* hdf5_learn.c: describes an entity whose creation was not recorded. */
void h5_learn(struct library_call *call, struct entity *entity);

/* hdf5_objects.c */
static inline struct entity *h5_find(const struct library_call *call, uint64_t id)
{
	return entity_find(call, FAMILY_H5, id);
}

/* Makes the entity of the call's result. */
struct entity *h5_made(struct library_call *call, enum varve_handle_kind kind,
		       const struct h5_text *text, const struct entity *other);
/* The file that contains the entity, or NULL. */
struct entity *h5_file_of(struct entity *entity);

/* hdf5_spaces.c */
/* Adds the text of a dataspace's selection; nothing when it is not known. */
void h5_add_selection(struct library_call *call, struct h5_text *text, uint64_t space);
/* The dataspace is closed. */
void h5_selection_gone(struct library_call *call, uint64_t space);

#endif
