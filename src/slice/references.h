/* Slice: which names and handles of a block are used, and what for. The table is emptied for each block. */
#ifndef SLICE_REFERENCES_H
#define SLICE_REFERENCES_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a name is used for. A handle has USE_HANDLE. */
enum use {
	USE_PATH = 1,  /* path of a file */
	USE_TEXT = 2,  /* any other text */
	USE_WORDS = 4, /* a text of Varve or from a fixed vocabulary, or one that stays by rule */
	USE_HANDLE = 8,
};

struct reference {
	uint64_t key;	/* 0: the place is free */
	unsigned block; /* in which it was added; if not the present one, the place is free */
	unsigned uses;
};

struct references {
	struct reference *entries;
	size_t room; /* a power of two, or 0 */
	size_t count;
	unsigned block;
};

/* Removes all entries. */
void references_empty(struct references *references);
void references_clear(struct references *references);

/* Adds a use of the name or handle; id 0 is ignored. `*more` is set if the use is new. */
enum varve_status reference_name(struct references *references, uint32_t id, unsigned use,
				 bool *more, struct varve_causes *causes) MUST_CHECK;
enum varve_status reference_handle(struct references *references, uint32_t handle, bool *more,
				   struct varve_causes *causes) MUST_CHECK;

/* Returns the uses; 0: not used. */
unsigned references_to_name(const struct references *references, uint32_t id);
bool references_to_handle(const struct references *references, uint32_t handle);

#endif
