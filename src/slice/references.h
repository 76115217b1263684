/* Slice: which names and handles of a block are used, and what for. A table that is emptied for each block. */
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
	USE_WORDS = 4, /* a text of Varve or of a fixed vocabulary, or one that stays by rule */
	USE_HANDLE = 8,
};

struct reference {
	uint64_t key;	/* 0: free place */
	unsigned block; /* in which it was noted; another than the present one: free too */
	unsigned uses;
};

struct references {
	struct reference *entries;
	size_t room; /* a power of two, or 0 */
	size_t count;
	unsigned block;
};

/* Forgets all. */
void references_empty(struct references *references);
void references_clear(struct references *references);

/* Notes a use of the name or handle; id 0 is none. `*more` is set when that was not known yet. */
enum varve_status reference_name(struct references *references, uint32_t id, unsigned use,
				 bool *more, struct varve_causes *causes) MUST_CHECK;
enum varve_status reference_handle(struct references *references, uint32_t handle, bool *more,
				   struct varve_causes *causes) MUST_CHECK;

/* What it is used for; 0: it is not. */
unsigned references_to_name(const struct references *references, uint32_t id);
bool references_to_handle(const struct references *references, uint32_t handle);

#endif
