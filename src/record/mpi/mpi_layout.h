/* Record: which pieces of memory or file a datatype of MPI is, and descriptions of datatypes that are made again and again.
 *
 * Libraries make the same few datatypes for each transfer and free them after it. What is known of such a one is found by its
 * key, a hash of all that it was made of.
 */
#ifndef RECORD_MPI_MPI_LAYOUT_H
#define RECORD_MPI_MPI_LAYOUT_H

#include "record/library/entities.h"

enum { PIECES = 16, SUBARRAY_MOST = 16 };

struct piece {
	int64_t offset;
	uint64_t length;
};

/* In order of the type map, neighbours joined. */
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
/* `count` elements one after another, from this offset on. */
void layout_repeat(struct layout *layout, const struct layout *element, int64_t offset,
		   int64_t count);

/* `count` blocks of `length` elements, `stride` bytes apart. */
void layout_blocks(struct layout *layout, const struct layout *element, int64_t count,
		   int64_t length, int64_t stride);

/* The last dimension is the fastest. */
struct subarray {
	int64_t size[SUBARRAY_MOST];
	int64_t part[SUBARRAY_MOST];
	int64_t start[SUBARRAY_MOST];
};
void layout_subarray(struct layout *layout, const struct layout *element, int64_t dimensions,
		     const struct subarray *of);

/* Layouts are kept by their places, each as long as somebody has it. 0: no room. */
uint32_t layout_keep(const struct layout *layout);
void layout_drop(uint64_t place);
/* NULL: there is none. */
const struct layout *layout_at(uint64_t place);

struct type_made {
	uint64_t key;
	uint64_t size;	 /* bytes of an element */
	uint32_t layout; /* its place; 0: none */
	uint16_t length; /* of the text */
	uint16_t shown;	 /* of that: what others show that are made of it */
	char text[ENTITY_TEXT];
};

/* The description by a key, held until type_made_end(); the caller has its layout from then on. NULL: there is none. */
const struct type_made *type_made_find(uint64_t key);
void type_made_end(void);
/* Keeps a copy; the text is the caller's. */
void type_made_note(const struct type_made *made, const char *text);

#endif
