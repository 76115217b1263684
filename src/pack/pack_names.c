/* Pack: names and definitions of a block. See stream_packer.h.
 *
 * Names are valid in their block only. Here each gets a number that is unique in the stream: among the names if calls use it,
 * otherwise among the other names.
 */
#include "pack/stream_packer.h"

#include "base/host/list.h"

/* Maximum length of a chain of bases of a name. */
enum { BASES_MOST = 64 };

#include <stdlib.h>
#include <string.h>

static enum varve_status names_no_memory(struct stream_packer *packer)
{
	return cause(packer->causes, VARVE_NO_MEMORY, "no memory for the names of a block");
}

static struct local_name *local_find(const struct stream_packer *packer, uint32_t id)
{
	size_t mask = packer->local_room - 1;
	size_t at = (size_t)(((uint64_t)id * 0x9e3779b97f4a7c15ull) >> 32) & mask;
	while (packer->locals[at].id && packer->locals[at].id != id)
		at = (at + 1) & mask;
	return &packer->locals[at];
}

/* Adds a name of the block. */
static enum varve_status local_put(struct stream_packer *packer, const struct local_name *name)
{
	if ((packer->local_count + 1) * 2 > packer->local_room) {
		struct local_name *old = packer->locals;
		size_t old_room = packer->local_room, room = old_room * 2;
		struct local_name *locals = calloc(room, sizeof *locals);
		if (!locals)
			return names_no_memory(packer);
		packer->locals = locals;
		packer->local_room = room;
		for (size_t i = 0; i < old_room; i++)
			if (old[i].id)
				*local_find(packer, old[i].id) = old[i];
		free(old);
	}
	struct local_name *place = local_find(packer, name->id);
	packer->local_count += !place->id;
	*place = *name;
	if (name->id > packer->local_last)
		packer->local_last = name->id;
	return VARVE_OK;
}

/* Late definitions of a packed trace are added again with their rows. */
static void drop_late(struct definitions *definitions)
{
	size_t kept = 0;
	for (size_t i = 0; i < definitions->count; i++)
		if (!definitions->list[i].late)
			definitions->list[kept++] = definitions->list[i];
	definitions->count = kept;
}

enum varve_status packer_names(struct stream_packer *packer)
{
	drop_late(&packer->definitions);
	size_t count = packer->definitions.count, room = 64;
	while (room < count * 2 + 64)
		room *= 2;
	if (room != packer->local_room) {
		free(packer->locals);
		packer->locals = malloc(room * sizeof *packer->locals);
		packer->local_room = packer->locals ? room : 0;
		if (!packer->locals)
			return names_no_memory(packer);
	}
	memset(packer->locals, 0, room * sizeof *packer->locals);
	packer->local_last = 0;
	packer->local_count = 0;
	packer->late_count = 0;
	packer->block_number++;
	packer_changed(packer, DEPENDS_NAMES);
	for (size_t i = 0; i < count; i++) {
		const struct definition *definition = &packer->definitions.list[i];
		if (definition->type != DEFINE_NAME || !definition->id)
			continue;
		/* If an id occurs twice, the last definition counts, as for readers. */
		TRY(local_put(packer, &(struct local_name){.id = definition->id,
							   .definition = definition}));
	}
	return VARVE_OK;
}

/* A number that no other name of the block has: if two names are equal, the second is a copy. */
static enum varve_status own_number(struct stream_packer *packer, unsigned table,
				    struct pack_name *name, uint32_t *number)
{
	struct name_table *names = &packer->names[table];
	for (name->copy = 0;; name->copy++) {
		TRY(name_table_find(names, name, number, packer->causes));
		struct pack_name *found = &names->names[*number - 1];
		if (found->used == packer->block_number)
			continue;
		found->used = packer->block_number;
		return VARVE_OK;
	}
}

static enum varve_status name_number(struct stream_packer *packer, uint32_t id, unsigned table,
				     unsigned depth, uint32_t *number);

/* The name in a definition. A base that is missing, or that leads back to the name, stays an id. */
static enum varve_status name_of(struct stream_packer *packer, const struct definition *definition,
				 unsigned table, unsigned depth, struct pack_name *name)
{
	*name = (struct pack_name){.base_kind = definition->base_kind,
				   .base = definition->base,
				   .length = definition->text_length,
				   .text = definition->text ? definition->text : ""};
	if (name->base_kind > VARVE_BASE_UNKNOWN)
		name->base_kind = VARVE_BASE_UNKNOWN;
	if (name->base_kind == VARVE_BASE_HANDLE && !table)
		return packer_handle(packer, definition->base, &name->base);
	if (name->base_kind != VARVE_BASE_NAME || !definition->base)
		return VARVE_OK;
	TRY(name_number(packer, definition->base, table, depth + 1, &name->base));
	if (!name->base) {
		name->base_kind |= NAME_BASE_AS_IS;
		name->base = definition->base;
	}
	return VARVE_OK;
}

static enum varve_status name_number(struct stream_packer *packer, uint32_t id, unsigned table,
				     unsigned depth, uint32_t *number)
{
	struct local_name *local = local_find(packer, id);
	struct pack_name name;
	*number = 0;
	if (!id || depth > BASES_MOST || !local->id || local->busy)
		return VARVE_OK;
	*number = local->number[table];
	if (*number)
		return VARVE_OK;
	local->busy = true;
	TRY(name_of(packer, local->definition, table, depth, &name));
	local->busy = false;
	TRY(own_number(packer, table, &name, number));
	local->number[table] = *number;
	return VARVE_OK;
}

bool packer_has_name(const struct stream_packer *packer, uint32_t id)
{
	return local_find(packer, id)->id != 0;
}

enum varve_status packer_name(struct stream_packer *packer, uint32_t id, unsigned table,
			      uint32_t *number)
{
	return name_number(packer, id, table, 0, number);
}

enum varve_status packer_late(struct stream_packer *packer, const struct definition *definition)
{
	if (list_room(&packer->late, packer->late_count, &packer->late_room, 1,
		      sizeof *packer->late) != VARVE_OK)
		return names_no_memory(packer);
	packer->late[packer->late_count++] = *definition;
	return VARVE_OK;
}

/* For a name that is not in the block. Its text is freed with the page, so the copy in the table of names is used. */
enum varve_status packer_late_name(struct stream_packer *packer, unsigned table,
				   struct varve_text text, uint32_t *id)
{
	struct pack_name name = {
		.base_kind = VARVE_BASE_NONE, .text = text.bytes, .length = (uint32_t)text.length};
	struct local_name local = {.id = packer->local_last + 1};
	while (!local.id || local_find(packer, local.id)->id)
		local.id++;
	*id = local.id;
	packer_changed(packer, DEPENDS_NAMES);
	TRY(own_number(packer, table, &name, &local.number[table]));
	TRY(local_put(packer, &local));
	return packer_late(packer, &(struct definition){.type = DEFINE_NAME,
							.before = packer->calls + packer->runtime,
							.id = *id});
}

static bool has_number(const struct stream_packer *packer, uint32_t id)
{
	const struct local_name *local = local_find(packer, id);
	return local->number[0] || local->number[1];
}

/* Its place, and whether it is after a gap. */
static uint64_t definition_place(const struct definition *definition)
{
	return definition->before * 2 + definition->after_gap;
}

static enum varve_status put_name(struct stream_packer *packer, const struct definition *definition,
				  uint8_t type, bool late)
{
	const struct local_name *local = local_find(packer, definition->id);
	uint64_t values[] = {definition_place(definition), definition->id, local->number[0],
			     local->number[1]};
	/* No record refers to a name without an id, or to one that a later definition replaces. */
	if (!local->id || (!late && local->definition != definition)) {
		struct pack_name name;
		uint32_t number;
		TRY(name_of(packer, definition, 1, 0, &name));
		TRY(own_number(packer, 1, &name, &number));
		values[2] = 0;
		values[3] = number;
	}
	return packer_event(packer, PACKED_DEFINITIONS, &type, 1, values, 4);
}

static enum varve_status put_definition(struct stream_packer *packer,
					const struct definition *definition, uint8_t late)
{
	const uint8_t type = (uint8_t)((definition->type - DEFINE_FIRST) | late);
	uint32_t number;
	switch (definition->type) {
	case DEFINE_NAME:
		return put_name(packer, definition, type, late);
	case DEFINE_HANDLE: {
		const uint8_t key[] = {type, (uint8_t)definition->kind, (uint8_t)definition->how,
				       (uint8_t)definition->origin};
		const uint64_t values[] = {definition_place(definition),
					   definition->id,
					   (uint64_t)(int64_t)definition->fd,
					   definition->name,
					   definition->other,
					   definition->device,
					   definition->inode};
		return packer_event(packer, PACKED_DEFINITIONS, key, sizeof key, values, 7);
	}
	case DEFINE_IDENTITY: {
		const uint8_t key[] = {type, (uint8_t)definition->kind, (uint8_t)definition->how};
		const uint64_t values[] = {definition_place(definition), definition->id,
					   definition->device, definition->inode};
		return packer_event(packer, PACKED_DEFINITIONS, key, sizeof key, values, 4);
	}
	case DEFINE_PROCESS: {
		struct pack_name name = {.text = definition->text,
					 .length = definition->text_length};
		TRY(name_table_find(&packer->names[1], &name, &number, packer->causes));
		const uint64_t values[] = {definition_place(definition), number};
		return packer_event(packer, PACKED_DEFINITIONS, &type, 1, values, 2);
	}
	case DEFINE_THREAD:
	default: {
		const uint64_t values[] = {definition_place(definition), definition->id,
					   (uint64_t)(int64_t)definition->fd, definition->other};
		return packer_event(packer, PACKED_DEFINITIONS, &type, 1, values, 4);
	}
	}
}

enum varve_status packer_definitions(struct stream_packer *packer)
{
	uint32_t number;
	/* All names get their numbers before the first is put, because a name may be relative to a later one. */
	for (size_t i = 0; i < packer->definitions.count; i++) {
		const struct definition *definition = &packer->definitions.list[i];
		if (definition->type == DEFINE_NAME && !has_number(packer, definition->id))
			TRY(packer_name(packer, definition->id, 1, &number));
	}
	for (size_t i = 0; i < packer->definitions.count; i++)
		TRY(put_definition(packer, &packer->definitions.list[i], 0));
	for (size_t i = 0; i < packer->late_count; i++)
		TRY(put_definition(packer, &packer->late[i], DEFINED_LATE));
	return VARVE_OK;
}
