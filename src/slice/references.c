/* Slice: which names and handles of a block are used. See references.h. */
#include "slice/references.h"

#include <stdlib.h>

#define OF_NAMES (1ull << 32)
#define OF_HANDLES (1ull << 33)

void uses_empty(struct uses *uses)
{
	/* Entries of blocks before count as free. */
	uses->block++;
	uses->count = 0;
}

void uses_clear(struct uses *uses)
{
	free(uses->entries);
	*uses = (struct uses){0};
}

/* The entry of a key, or the place where it may be put. */
static struct use_entry *find(const struct uses *uses, uint64_t key)
{
	size_t at = (size_t)((key * 0x9e3779b97f4a7c15ull) >> 32) & (uses->room - 1);
	while (uses->entries[at].block == uses->block && uses->entries[at].key &&
	       uses->entries[at].key != key)
		at = (at + 1) & (uses->room - 1);
	return &uses->entries[at];
}

static bool taken(const struct uses *uses, const struct use_entry *entry)
{
	return entry->key && entry->block == uses->block;
}

static enum varve_status grow(struct uses *uses, struct varve_causes *causes)
{
	struct uses larger = {.room = uses->room ? uses->room * 2 : 1024,
			      .count = uses->count,
			      .block = uses->block};
	larger.entries = calloc(larger.room, sizeof *larger.entries);
	if (!larger.entries)
		return cause(causes, VARVE_NO_MEMORY, "no memory for %zu names and handles",
			     larger.room);
	for (size_t i = 0; i < uses->room; i++)
		if (taken(uses, &uses->entries[i]))
			*find(&larger, uses->entries[i].key) = uses->entries[i];
	free(uses->entries);
	*uses = larger;
	return VARVE_OK;
}

static enum varve_status note(struct uses *uses, uint64_t key, unsigned use, bool *more,
			      struct varve_causes *causes)
{
	if (uses->count * 2 >= uses->room)
		TRY(grow(uses, causes));
	struct use_entry *entry = find(uses, key);
	if (!taken(uses, entry)) {
		*entry = (struct use_entry){.key = key, .block = uses->block};
		uses->count++;
	}
	*more |= (entry->uses & use) != use;
	entry->uses |= use;
	return VARVE_OK;
}

enum varve_status use_name(struct uses *uses, uint32_t id, unsigned use, bool *more,
			   struct varve_causes *causes)
{
	return id ? note(uses, OF_NAMES | id, use, more, causes) : VARVE_OK;
}

enum varve_status use_handle(struct uses *uses, uint32_t handle, bool *more,
			     struct varve_causes *causes)
{
	return handle ? note(uses, OF_HANDLES | handle, USE_HANDLE, more, causes) : VARVE_OK;
}

static unsigned uses_of(const struct uses *uses, uint64_t key)
{
	const struct use_entry *entry = uses->room ? find(uses, key) : NULL;
	return entry && taken(uses, entry) ? entry->uses : 0;
}

unsigned uses_of_name(const struct uses *uses, uint32_t id)
{
	return uses_of(uses, OF_NAMES | id);
}

bool uses_handle(const struct uses *uses, uint32_t handle)
{
	return uses_of(uses, OF_HANDLES | handle) != 0;
}
