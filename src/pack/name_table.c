/* Pack: names of a stream. See name_table.h; how a name is stored as an event is in docs/format.md. */
#include "pack/name_table.h"

#include "base/hash.h"
#include "base/host/list.h"
#include "loop/skeleton.h"

static enum varve_status name_table_no_memory(struct varve_causes *causes)
{
	return cause(causes, VARVE_NO_MEMORY, "no memory for the names of a stream");
}

static uint64_t name_hash(const struct pack_name *name)
{
	uint64_t seed = (uint64_t)name->base << 16 | name->base_kind << 8 | name->copy;
	return hash64(name->text, name->length, seed);
}

static bool same_name(const struct pack_name *a, const struct pack_name *b)
{
	return a->base_kind == b->base_kind && a->base == b->base && a->copy == b->copy &&
	       a->length == b->length && !memcmp(a->text, b->text, a->length);
}

static size_t slot_of(const struct name_table *table, const struct pack_name *name)
{
	size_t at = name_hash(name) & (table->slot_count - 1);
	while (table->slots[at] && !same_name(&table->names[table->slots[at] - 1], name))
		at = (at + 1) & (table->slot_count - 1);
	return at;
}

static enum varve_status name_table_grow(struct name_table *table, struct varve_causes *causes)
{
	if (list_room(&table->names, table->count, &table->room, 1, sizeof *table->names) !=
	    VARVE_OK)
		return name_table_no_memory(causes);
	if (!table->skeleton)
		table->skeleton = malloc(sizeof *table->skeleton);
	if (!table->skeleton)
		return name_table_no_memory(causes);
	if ((table->count + 1) * 2 <= table->slot_count)
		return VARVE_OK;
	size_t count = table->slot_count ? table->slot_count * 2 : 128;
	uint32_t *slots = calloc(count, sizeof *slots);
	if (!slots)
		return name_table_no_memory(causes);
	free(table->slots);
	table->slots = slots;
	table->slot_count = count;
	for (size_t i = 0; i < table->count; i++)
		slots[slot_of(table, &table->names[i])] = (uint32_t)i + 1;
	return VARVE_OK;
}

/* The first few skeletons distinguish places in the tree; if a program has many, it has no loop over them. */
static uint32_t skeleton_number(struct name_table *table, const struct pack_name *name)
{
	struct skeleton *skeleton = table->skeleton;
	skeleton_split(skeleton, name->text, name->length);
	uint64_t hash = hash64(skeleton->key, skeleton->length, name->base_kind);
	for (size_t i = 0; i < table->skeleton_count; i++)
		if (table->skeletons[i] == hash)
			return (uint32_t)i + 1;
	if (table->skeleton_count == SKELETONS_NUMBERED)
		return 0;
	table->skeletons[table->skeleton_count++] = hash;
	return (uint32_t)table->skeleton_count;
}

enum varve_status name_table_find(struct name_table *table, const struct pack_name *name,
				  uint32_t *number, struct varve_causes *causes)
{
	/* No recorder writes such a name, and a skeleton would cut it. */
	if (name->length > SKELETON_TEXT_MOST)
		return cause(causes, VARVE_LIMIT,
			     "a name of %u bytes is too long to pack; at most %d are allowed",
			     name->length, SKELETON_TEXT_MOST);
	TRY(name_table_grow(table, causes));
	size_t at = slot_of(table, name);
	if (!table->slots[at]) {
		char *text = arena_get(&table->texts, (size_t)name->length + 1, 1);
		if (!text || table->count == UINT32_MAX / 4)
			return name_table_no_memory(causes);
		memcpy(text, name->text, name->length);
		struct pack_name *kept = &table->names[table->count++];
		*kept = *name;
		kept->text = text;
		kept->skeleton = skeleton_number(table, kept);
		table->slots[at] = (uint32_t)table->count;
	}
	*number = table->slots[at];
	return VARVE_OK;
}

void name_table_clear(struct name_table *table)
{
	free(table->names);
	free(table->slots);
	free(table->skeleton);
	arena_clear(table->texts.chunks);
	*table = (struct name_table){0};
}

static enum varve_status put_names(const void *context, struct track_list *list)
{
	const struct name_table *table = context;
	for (size_t i = 0; i < table->count; i++) {
		const struct pack_name *name = &table->names[i];
		struct skeleton *skeleton = table->skeleton;
		const uint8_t tag[] = {(uint8_t)name->base_kind, (uint8_t)name->copy};
		uint64_t values[1 + 2 * SKELETON_FIELDS_MOST];
		skeleton_split(skeleton, name->text, name->length);
		skeleton_tag(skeleton, tag, sizeof tag);
		values[0] = name->base;
		memcpy(values + 1, skeleton->values,
		       2 * skeleton->fields * sizeof *skeleton->values);
		TRY(track_list_put(list, skeleton->key, (uint32_t)skeleton->length, values,
				   1 + 2 * skeleton->fields));
	}
	return VARVE_OK;
}

enum varve_status name_table_track(const struct name_table *table, struct values_coder *coder,
				   struct track *track, struct varve_causes *causes)
{
	return track_of_list(coder, put_names, table, track, causes);
}
