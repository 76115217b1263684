/* Record: what the hooks of HDF5 share: questions to the library, texts, and what the numbers of its entities mean.
 *
 * HDF5 clears its stack of errors in each function that can fail, and prints when one does. So it is asked only what cannot
 * fail, about identifiers that it has said to be valid: before the real function, which clears the stack anyway, or
 * after one that has left the stack empty. Functions of H5E leave the stack as it is: nothing is asked for them. Nothing here
 * makes an identifier, but h5_extent(), and nothing is asked that HDF5 would have to look for in a file.
 */
#ifndef RECORD_HDF5_HDF5_H
#define RECORD_HDF5_HDF5_H

#include "record/library/library.h"

#include <stddef.h>

/* number[] of an entity. What is counted from 1 on is not known when it is 0. */
enum {
	/* of a dataset: elements in its extent, of a dataspace: those selected; + 1 */
	H5_ELEMENTS = 0,
	/* of both: the rank, + 1 */
	H5_RANK = 1,
	/* of a dataset: how many extents had been changed when its own was learnt */
	H5_AGE = 2,
	/* of a datatype: its size, + 1 */
	H5_SIZE = 0,
	/* of a property list: 1 when transfers are collective; the degree of H5Pset_fclose_degree; how many datasets a virtual
	 * one is made of */
	H5_TRANSFER = 0,
	H5_CLOSING = 1,
	H5_SOURCES = 2,
	/* of a file: closing it closes all that is in it; how many things in it are open; it was closed, and is known as long
	 * as there are any */
	H5_STRONG = 0,
	H5_INSIDE = 1,
	H5_CLOSED = 2,
	/* of any: by how many its count of references is above 1 */
	H5_HELD = 3,
};

/* H5I_type_t, as far as all versions have it alike. */
enum h5_what { H5_BAD = -1, H5_FILE = 1, H5_GROUP, H5_DATATYPE, H5_DATASPACE, H5_DATASET };

enum { H5_RANK_MOST = 32 };

/* A text that is being made: it ends where there is no more room. */
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
/* "[100,unlimited]"; false: they cannot be read. */
bool h5_add_sizes(struct library_call *call, struct h5_text *text, const uint64_t *sizes,
		  unsigned count);
/* The word for a record. */
uint64_t h5_word(struct library_call *call, const struct h5_text *text);

/* hdf5_ask.c */
/* Whether HDF5 may be asked after the real function. */
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
/* Learns rank and elements of a dataset, if its number `known`, one of both, is not. This makes an identifier and closes it:
 * HDF5 counts on from there. Only after a function that works with the dataset: for the extent of a virtual one its
 * sources are opened, which is that function's to do. */
void h5_extent(struct library_call *call, struct entity *dataset, unsigned known);
/* Whether the elements of a dataset are known as they are now. */
bool h5_elements(const struct entity *dataset, uint64_t *elements);
void h5_extent_is(struct entity *dataset, int rank, int64_t elements);
/* An extent is another: a dataset may be open by many identifiers, of several files. All are asked for anew. */
void h5_extents_changed(void);
/* The path of an object; 0: it has none. HDF5 must have it: it goes through the whole file for that of an object that was found
 * by an address or a reference. */
size_t h5_name(struct library_call *call, uint64_t id, char *path, size_t room);
size_t h5_attribute_name(struct library_call *call, uint64_t attribute, char *name, size_t room);
void h5_add_space(struct library_call *call, struct h5_text *text, uint64_t space);
void h5_add_type(struct library_call *call, struct h5_text *text, uint64_t type);
/* Layout, chunks and filters of a list that a dataset was made with. */
void h5_add_layout(struct library_call *call, struct h5_text *text, uint64_t list);
/* How much of a dataspace is selected, in a word or two. */
void h5_add_selected(struct library_call *call, struct h5_text *text, uint64_t space);

/* hdf5_learn.c: describes what was not seen to be made. */
void h5_learn(struct library_call *call, struct entity *entity);

/* hdf5_objects.c */
static inline struct entity *h5_find(const struct library_call *call, uint64_t id)
{
	return entity_find(call, FAMILY_H5, id);
}

/* The result of the call is this. */
struct entity *h5_made(struct library_call *call, enum varve_handle_kind kind,
		       const struct h5_text *text, const struct entity *other);
/* The file that a thing is in, or NULL. */
struct entity *h5_file_of(struct entity *entity);

/* hdf5_spaces.c */
/* The text of what is selected in a dataspace; empty when it is not known. */
void h5_add_selection(struct library_call *call, struct h5_text *text, uint64_t space);

#endif
