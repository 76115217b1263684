/* Slice: which names and handles of a block are used. See references.h. */
#include "slice/references.h"

#include <stdlib.h>

#define OF_NAMES (1ull << 32)
#define OF_HANDLES (1ull << 33)

void references_empty(struct references *references)
{
	/* Entries of earlier blocks then count as free. */
	references->block++;
	references->count = 0;
}

void references_clear(struct references *references)
{
	free(references->entries);
	*references = (struct references){0};
}

/* The entry of a key, or the place where it can be put. */
static struct reference *reference_find(const struct references *references, uint64_t key)
{
	size_t at = (size_t)((key * 0x9e3779b97f4a7c15ull) >> 32) & (references->room - 1);
	while (references->entries[at].block == references->block && references->entries[at].key &&
	       references->entries[at].key != key)
		at = (at + 1) & (references->room - 1);
	return &references->entries[at];
}

static bool reference_is_taken(const struct references *references, const struct reference *entry)
{
	return entry->key && entry->block == references->block;
}

static enum varve_status references_grow(struct references *references, struct varve_causes *causes)
{
	struct references larger = {.room = references->room ? references->room * 2 : 1024,
				    .count = references->count,
				    .block = references->block};
	larger.entries = calloc(larger.room, sizeof *larger.entries);
	if (!larger.entries)
		return cause(causes, VARVE_NO_MEMORY, "no memory for %zu names and handles",
			     larger.room);
	for (size_t i = 0; i < references->room; i++)
		if (reference_is_taken(references, &references->entries[i]))
			*reference_find(&larger, references->entries[i].key) =
				references->entries[i];
	free(references->entries);
	*references = larger;
	return VARVE_OK;
}

static enum varve_status reference_note(struct references *references, uint64_t key, unsigned use,
					bool *more, struct varve_causes *causes)
{
	if (references->count * 2 >= references->room)
		TRY(references_grow(references, causes));
	struct reference *entry = reference_find(references, key);
	if (!reference_is_taken(references, entry)) {
		*entry = (struct reference){.key = key, .block = references->block};
		references->count++;
	}
	*more |= (entry->uses & use) != use;
	entry->uses |= use;
	return VARVE_OK;
}

enum varve_status reference_name(struct references *references, uint32_t id, unsigned use,
				 bool *more, struct varve_causes *causes)
{
	return id ? reference_note(references, OF_NAMES | id, use, more, causes) : VARVE_OK;
}

enum varve_status reference_handle(struct references *references, uint32_t handle, bool *more,
				   struct varve_causes *causes)
{
	return handle ? reference_note(references, OF_HANDLES | handle, USE_HANDLE, more, causes)
		      : VARVE_OK;
}

static unsigned references_to(const struct references *references, uint64_t key)
{
	const struct reference *entry = references->room ? reference_find(references, key) : NULL;
	return entry && reference_is_taken(references, entry) ? entry->uses : 0;
}

unsigned references_to_name(const struct references *references, uint32_t id)
{
	return references_to(references, OF_NAMES | id);
}

bool references_to_handle(const struct references *references, uint32_t handle)
{
	return references_to(references, OF_HANDLES | handle) != 0;
}
