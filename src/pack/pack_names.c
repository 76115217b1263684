/* Pack: names, handles and definitions of a block. See stream_packer.h.
 *
 * Names are local to their block; here each gets a number that is its own in the whole stream: among the names when calls use
 * it, among the other names when something else does.
 */
#include "pack/stream_packer.h"

#include <stdlib.h>
#include <string.h>

static enum status no_memory(struct stream_packer *packer)
{
	return cause(packer->causes, STATUS_NO_MEMORY, "no memory for the names of a block");
}

static struct local_name *local_find(const struct stream_packer *packer, uint32_t id)
{
	size_t mask = packer->local_room - 1;
	size_t at = (size_t)(((uint64_t)id * 0x9e3779b97f4a7c15ull) >> 32) & mask;
	while (packer->locals[at].id && packer->locals[at].id != id)
		at = (at + 1) & mask;
	return &packer->locals[at];
}

/* A place for one more name of the block. */
static enum status local_put(struct stream_packer *packer, const struct local_name *name)
{
	if ((packer->local_count + 1) * 2 > packer->local_room) {
		struct local_name *old = packer->locals;
		size_t old_room = packer->local_room, room = old_room * 2;
		struct local_name *locals = calloc(room, sizeof *locals);
		if (!locals)
			return no_memory(packer);
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
	return STATUS_OK;
}

enum status packer_names(struct stream_packer *packer)
{
	size_t count = packer->definitions.count, room = 64;
	while (room < count * 2 + 64)
		room *= 2;
	if (room != packer->local_room) {
		free(packer->locals);
		packer->locals = malloc(room * sizeof *packer->locals);
		packer->local_room = packer->locals ? room : 0;
		if (!packer->locals)
			return no_memory(packer);
	}
	memset(packer->locals, 0, room * sizeof *packer->locals);
	packer->local_last = 0;
	packer->local_count = 0;
	packer->late_count = 0;
	for (size_t i = 0; i < count; i++) {
		const struct definition *definition = &packer->definitions.list[i];
		if (definition->type != DEFINE_NAME || !definition->id)
			continue;
		/* Of an id that is there twice the last one counts, as for readers. */
		TRY(local_put(packer, &(struct local_name){.id = definition->id,
							   .definition = definition}));
	}
	return STATUS_OK;
}

/* Whether another name of the block already is this one: then it is a copy. */
static uint32_t copies(const struct stream_packer *packer, const struct local_name *local)
{
	uint32_t copy = 0;
	const struct definition *own = local->definition;
	for (size_t i = 0; i < packer->definitions.count; i++) {
		const struct definition *other = &packer->definitions.list[i];
		if (other == own)
			break;
		copy += other->type == DEFINE_NAME && other->text_length == own->text_length &&
			other->base_kind == own->base_kind && other->base == own->base &&
			!memcmp(other->text, own->text, own->text_length);
	}
	return copy;
}

static enum status name_in(struct stream_packer *packer, uint32_t id, unsigned table,
			   unsigned depth, uint32_t *number)
{
	*number = 0;
	if (!id || depth > 16)
		return STATUS_OK;
	struct local_name *local = local_find(packer, id);
	if (!local->id)
		return STATUS_OK;
	*number = local->number[table];
	if (*number)
		return STATUS_OK;
	const struct definition *definition = local->definition;
	struct pack_name name = {.base_kind = definition->base_kind,
				 .length = definition->text_length,
				 .text = definition->text ? definition->text : ""};
	name.base = definition->base;
	if (name.base_kind == BASE_NAME)
		TRY(name_in(packer, definition->base, table, depth + 1, &name.base));
	else if (name.base_kind == BASE_HANDLE && !table)
		TRY(packer_handle(packer, definition->base, &name.base));
	local = local_find(packer, id);
	size_t before = packer->names[table].count;
	TRY(name_table_find(&packer->names[table], &name, number, packer->causes));
	/* Two names of a block that are the same have different numbers: looked for only when it may be so. */
	if (packer->names[table].count == before) {
		name.copy = copies(packer, local);
		if (name.copy)
			TRY(name_table_find(&packer->names[table], &name, number, packer->causes));
	}
	local->number[table] = *number;
	return STATUS_OK;
}

enum status packer_name(struct stream_packer *packer, uint32_t id, unsigned table, uint32_t *number)
{
	return name_in(packer, id, table, 0, number);
}

enum status packer_late(struct stream_packer *packer, const struct definition *definition)
{
	if (packer->late_count == packer->late_room) {
		size_t room = packer->late_room ? packer->late_room * 2 : 16;
		struct definition *late = reallocarray(packer->late, room, sizeof *late);
		if (!late)
			return no_memory(packer);
		packer->late = late;
		packer->late_room = room;
	}
	packer->late[packer->late_count++] = *definition;
	return STATUS_OK;
}

static bool ends_with(struct varve_text path, struct varve_text text)
{
	return path.length > text.length + 1 && text.length &&
	       !memcmp(path.bytes + path.length - text.length, text.bytes, text.length) &&
	       path.bytes[path.length - text.length - 1] == '/';
}

/* One more name of the block, which no definition of it has. Its text goes with the page: it is kept among the names. */
static enum status late_add(struct stream_packer *packer, unsigned table, struct varve_text text,
			    uint32_t folder, uint32_t *id)
{
	struct pack_name name = {.base_kind = folder ? BASE_NAME : BASE_NONE,
				 .text = text.bytes,
				 .length = (uint32_t)text.length};
	struct local_name local = {.id = packer->local_last + 1};
	*id = local.id;
	if (folder)
		name.base = local_find(packer, folder)->number[table];
	TRY(name_table_find(&packer->names[table], &name, &local.number[table], packer->causes));
	TRY(local_put(packer, &local));
	return packer_late(packer, &(struct definition){.type = DEFINE_NAME, .id = *id});
}

enum status packer_late_name(struct stream_packer *packer, unsigned table,
			     const struct varve_file *file, uint32_t *id)
{
	struct varve_text given = file->given;
	uint32_t folder = 0;
	if (given.length && given.bytes[0] != '/' && file->absolute.bytes) {
		if (!ends_with(file->absolute, given)) {
			given = file->absolute;
		} else {
			struct varve_text rest = {file->absolute.bytes,
						  file->absolute.length - given.length - 1};
			TRY(late_add(packer, table, rest, 0, &folder));
		}
	}
	return late_add(packer, table, given, folder, id);
}

static size_t handle_slot(const struct stream_packer *packer, uint32_t handle)
{
	size_t mask = packer->handle_slot_count - 1;
	size_t at = (size_t)(((uint64_t)handle * 0x9e3779b97f4a7c15ull) >> 32) & mask;
	while (packer->handle_slots[at] && packer->handles[packer->handle_slots[at] - 1] != handle)
		at = (at + 1) & mask;
	return at;
}

static enum status handles_grow(struct stream_packer *packer)
{
	if (packer->handle_count < packer->handle_room)
		return STATUS_OK;
	size_t room = packer->handle_room ? packer->handle_room * 2 : 64;
	uint32_t *handles = reallocarray(packer->handles, room, sizeof *handles);
	if (handles)
		packer->handles = handles;
	uint32_t *slots = calloc(room * 2, sizeof *slots);
	if (!handles || !slots) {
		free(slots);
		return no_memory(packer);
	}
	free(packer->handle_slots);
	packer->handle_slots = slots;
	packer->handle_slot_count = room * 2;
	packer->handle_room = room;
	for (size_t i = 0; i < packer->handle_count; i++)
		slots[handle_slot(packer, handles[i])] = (uint32_t)i + 1;
	return STATUS_OK;
}

static void near_first(struct stream_packer *packer, uint32_t number)
{
	memmove(packer->near + 1, packer->near, (HANDLES_NEAR - 1) * sizeof *packer->near);
	packer->near[0] = number;
}

enum status packer_handle(struct stream_packer *packer, uint32_t handle, uint32_t *number)
{
	*number = 0;
	if (!handle)
		return STATUS_OK;
	TRY(handles_grow(packer));
	size_t at = handle_slot(packer, handle);
	if (!packer->handle_slots[at]) {
		packer->handles[packer->handle_count++] = handle;
		packer->handle_slots[at] = (uint32_t)packer->handle_count;
	}
	*number = packer->handle_slots[at];
	/* Numbers are given in the order of first use: the next one comes now, the first or the second time. */
	if (*number == packer->seen_handles + 1) {
		packer->seen_handles++;
		near_first(packer, *number);
	}
	return STATUS_OK;
}

uint32_t packer_nearness(const struct stream_packer *packer, uint32_t number)
{
	for (uint32_t i = 0; i < HANDLES_NEAR; i++)
		if (packer->near[i] == number)
			return i;
	return HANDLES_NEAR;
}

void packer_closed(struct stream_packer *packer, uint32_t number)
{
	uint32_t at = packer_nearness(packer, number);
	if (at == HANDLES_NEAR)
		return;
	memmove(packer->near + at, packer->near + at + 1,
		(HANDLES_NEAR - 1 - at) * sizeof *packer->near);
	packer->near[HANDLES_NEAR - 1] = 0;
}

static enum status put_name(struct stream_packer *packer, const struct definition *definition,
			    uint8_t type)
{
	const struct local_name *local = local_find(packer, definition->id);
	const uint64_t values[] = {definition->before, definition->id, local->number[0],
				   local->number[1]};
	return packer_event(packer, PACKED_DEFINITIONS, &type, 1, values, 4, 0);
}

static enum status put_definition(struct stream_packer *packer, const struct definition *definition,
				  uint8_t late)
{
	const uint8_t type = (uint8_t)((definition->type - DEFINE_FIRST) | late);
	uint32_t number;
	switch (definition->type) {
	case DEFINE_NAME:
		return put_name(packer, definition, type);
	case DEFINE_HANDLE: {
		const uint8_t key[] = {type, (uint8_t)definition->kind, (uint8_t)definition->how,
				       (uint8_t)definition->origin};
		const uint64_t values[] = {
			definition->before, definition->id,    (uint64_t)(int64_t)definition->fd,
			definition->name,   definition->other, definition->device,
			definition->inode};
		return packer_event(packer, PACKED_DEFINITIONS, key, sizeof key, values, 7, 0);
	}
	case DEFINE_IDENTITY: {
		const uint8_t key[] = {type, (uint8_t)definition->kind, (uint8_t)definition->how};
		const uint64_t values[] = {definition->before, definition->id, definition->device,
					   definition->inode};
		return packer_event(packer, PACKED_DEFINITIONS, key, sizeof key, values, 4, 0);
	}
	case DEFINE_PROCESS: {
		struct pack_name name = {.text = definition->text,
					 .length = definition->text_length};
		TRY(name_table_find(&packer->names[1], &name, &number, packer->causes));
		const uint64_t values[] = {definition->before, number};
		return packer_event(packer, PACKED_DEFINITIONS, &type, 1, values, 2, 0);
	}
	case DEFINE_THREAD:
	default: {
		const uint64_t values[] = {definition->before, definition->id,
					   (uint64_t)(int64_t)definition->fd, definition->other};
		return packer_event(packer, PACKED_DEFINITIONS, &type, 1, values, 4, 0);
	}
	}
}

/* Names that no record uses are of the other names, and so are the folders that these start from. */
static enum status number_names(struct stream_packer *packer, const struct definition *list,
				size_t count)
{
	for (size_t i = 0; i < count; i++) {
		uint32_t number;
		if (list[i].type != DEFINE_NAME)
			continue;
		const struct local_name *local = local_find(packer, list[i].id);
		if (!local->number[0] && !local->number[1])
			TRY(packer_name(packer, list[i].id, 1, &number));
	}
	return STATUS_OK;
}

enum status packer_definitions(struct stream_packer *packer)
{
	/* All have their numbers before the first is put: a folder stands before the names that need it. */
	TRY(number_names(packer, packer->definitions.list, packer->definitions.count));
	TRY(number_names(packer, packer->late, packer->late_count));
	for (size_t i = 0; i < packer->definitions.count; i++)
		TRY(put_definition(packer, &packer->definitions.list[i], 0));
	for (size_t i = 0; i < packer->late_count; i++)
		TRY(put_definition(packer, &packer->late[i], DEFINED_LATE));
	return STATUS_OK;
}
