/* Record: which pieces of memory or file a datatype of MPI consists of, and descriptions of datatypes that are made repeatedly.
 *
 * Libraries make the same few datatypes for each transfer and free them after it. The description of such a datatype is found by
 * its key, a hash of everything that it was made from.
 */
#ifndef RECORD_MPI_MPI_LAYOUT_H
#define RECORD_MPI_MPI_LAYOUT_H

#include "record/library/entities.h"

enum { PIECES = 16, SUBARRAY_MOST = 16 };

struct piece {
	int64_t offset;
	uint64_t length;
};

/* Pieces are in order of the type map, adjacent ones joined. */
struct layout {
	int64_t lower;
	int64_t extent;
	uint32_t count;
	bool more; /* there are more pieces than these */
	struct piece piece[PIECES];
};

/* "(offset,length) ..." */
char *layout_text(char *at, const char *end, const struct layout *layout);
void layout_add(struct layout *layout, int64_t offset, uint64_t length);
/* Adds `count` elements one after another, from this offset on. */
void layout_repeat(struct layout *layout, const struct layout *element, int64_t offset,
		   int64_t count);

/* Adds `count` blocks of `length` elements, `stride` bytes apart. */
void layout_blocks(struct layout *layout, const struct layout *element, int64_t count,
		   int64_t length, int64_t stride);

/* The last dimension varies fastest. */
struct subarray {
	int64_t size[SUBARRAY_MOST];
	int64_t part[SUBARRAY_MOST];
	int64_t start[SUBARRAY_MOST];
};
void layout_subarray(struct layout *layout, const struct layout *element, int64_t dimensions,
		     const struct subarray *of);

/* Stores a layout and returns its place. It stays there while it has users: datatypes and descriptions. 0: no room. */
uint32_t layout_keep(const struct layout *layout);
void layout_drop(uint64_t place);
/* NULL: there is none. */
const struct layout *layout_at(uint64_t place);

struct type_made {
	uint64_t key;
	uint64_t size;	 /* of an element, in bytes */
	uint32_t layout; /* place of the layout; 0: none */
	uint16_t length; /* of the text */
	uint16_t shown;	 /* of the part that datatypes made from this one show */
	char text[ENTITY_TEXT];
};

/* The description with this key; the table is locked until type_made_end(). The caller becomes a user of its layout. NULL: there is
 * none, and the table is not locked. */
const struct type_made *type_made_find(uint64_t key);
void type_made_end(void);
/* Stores a copy, with this text. */
void type_made_note(const struct type_made *made, const char *text);

#endif
