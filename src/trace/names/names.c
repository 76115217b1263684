/* Trace: names and handles of a block, from definitions and records. See names.h. */
#include "trace/names/names_inside.h"

#include <stdlib.h>
#include <string.h>

enum { TEXT_CHUNK = 1 << 16 };

char *names_room(struct names *names, size_t length)
{
	names->texts.budget = &names->budget;
	return arena_bytes(&names->texts, length, TEXT_CHUNK);
}

struct varve_text names_keep(struct names *names, struct varve_text text)
{
	char *bytes = text.bytes ? names_room(names, text.length + 1) : NULL;
	if (!bytes)
		return (struct varve_text){0};
	memcpy(bytes, text.bytes, text.length);
	return (struct varve_text){bytes, text.length};
}

static size_t slot_of(uint32_t id, size_t room)
{
	return (size_t)(((uint64_t)id * 0x9e3779b97f4a7c15ull) >> 32) & (room - 1);
}

struct name_entry *names_find(const struct names *names, uint32_t id)
{
	if (!names->name_room || !id)
		return NULL;
	size_t at = slot_of(id, names->name_room);
	while (names->names[at].definition && names->names[at].definition->id != id)
		at = (at + 1) & (names->name_room - 1);
	return &names->names[at];
}

static struct handle_entry *find_handle(const struct names *names, uint32_t handle)
{
	size_t at = slot_of(handle, names->handle_room);
	while (names->handles[at].handle && names->handles[at].handle != handle)
		at = (at + 1) & (names->handle_room - 1);
	return &names->handles[at];
}

const struct handle_entry *names_handle(const struct names *names, uint32_t handle)
{
	if (!names->handle_room || !handle)
		return NULL;
	const struct handle_entry *entry = find_handle(names, handle);
	return entry->handle ? entry : NULL;
}

static enum varve_status grow_handles(struct names *names, size_t room, struct varve_causes *causes)
{
	struct handle_entry *old = names->handles;
	size_t old_room = names->handle_room;
	names->handles = calloc(room, sizeof *old);
	if (!names->handles) {
		names->handles = old;
		return cause(causes, VARVE_NO_MEMORY, "no memory for %zu handles", room);
	}
	names->handle_room = room;
	for (size_t i = 0; i < old_room; i++)
		if (old[i].handle)
			*find_handle(names, old[i].handle) = old[i];
	free(old);
	return VARVE_OK;
}

/* The entry of a handle, created if it is new; beyond the budget a temporary one. */
static enum varve_status make_handle(struct names *names, uint32_t handle,
				     struct handle_entry **entry, struct varve_causes *causes)
{
	*entry = names->handle_room ? find_handle(names, handle) : NULL;
	if (*entry && (*entry)->handle)
		return VARVE_OK;
	if (!*entry || names->handle_count * 2 >= names->handle_room) {
		size_t room = names->handle_room ? names->handle_room * 2 : 64;
		if (room * sizeof **entry > names->budget) {
			names->spare = (struct handle_entry){0};
			*entry = &names->spare;
			return VARVE_OK;
		}
		names->budget -= room * sizeof **entry;
		TRY(grow_handles(names, room, causes));
		*entry = find_handle(names, handle);
	}
	**entry = (struct handle_entry){.handle = handle};
	names->handle_count++;
	return VARVE_OK;
}

static void identity_take(uint32_t *how, uint64_t *device, uint64_t *inode,
			  const struct definition *definition)
{
	*how = definition->how;
	*device = definition->device;
	*inode = definition->inode;
}

static enum varve_status define_handle(struct names *names, const struct definition *definition,
				       struct varve_causes *causes)
{
	struct handle_entry *entry;
	if (!definition->id)
		return VARVE_OK;
	TRY(make_handle(names, definition->id, &entry, causes));
	entry->kind = definition->kind;
	entry->name = definition->name;
	entry->other = definition->other;
	if (definition->how != VARVE_IDENTITY_NONE)
		identity_take(&entry->how, &entry->device, &entry->inode, definition);
	return VARVE_OK;
}

/* `first`: only if no identity is known yet. */
static enum varve_status define_identity(struct names *names, const struct definition *definition,
					 bool first, struct varve_causes *causes)
{
	if (!definition->id)
		return VARVE_OK;
	if (definition->kind == 0) {
		struct name_entry *name = names_find(names, definition->id);
		if (name && name->definition && !(first && name->how != VARVE_IDENTITY_NONE))
			identity_take(&name->how, &name->device, &name->inode, definition);
		return VARVE_OK;
	}
	struct handle_entry *entry;
	TRY(make_handle(names, definition->id, &entry, causes));
	if (!(first && entry->how != VARVE_IDENTITY_NONE))
		identity_take(&entry->how, &entry->device, &entry->inode, definition);
	return VARVE_OK;
}

/* A late definition belongs to its row only; other records of this block do not use it. */
static bool defines_handle(const struct definition *definition)
{
	return definition->type == DEFINE_HANDLE && !definition->late;
}

enum varve_status names_load(struct names *names, const struct definitions *definitions,
			     uint64_t length, struct varve_causes *causes)
{
	arena_reset(&names->texts);
	names->budget = NAMES_BUDGET(length);
	names->definitions = definitions;
	names->applied = 0;
	size_t room = 64;
	while (room < definitions->count * 2)
		room *= 2;
	/* The tables are cleared for each block, so a large table of a long block would slow down short ones after it. */
	if (names->handle_room > 1024) {
		free(names->handles);
		names->handles = NULL;
		names->handle_room = 0;
	}
	if (room > names->name_room || names->name_room > 8 * room) {
		free(names->names);
		names->name_room = 0;
		names->names = malloc(room * sizeof *names->names);
		if (!names->names)
			return cause(causes, VARVE_NO_MEMORY, "no memory for %zu names", room);
		names->name_room = room;
	}
	memset(names->names, 0, names->name_room * sizeof *names->names);
	if (names->handle_room)
		memset(names->handles, 0, names->handle_room * sizeof *names->handles);
	names->handle_count = 0;
	for (size_t i = 0; i < definitions->count; i++) {
		const struct definition *definition = &definitions->list[i];
		if (definition->type == DEFINE_NAME) {
			struct name_entry *entry = names_find(names, definition->id);
			if (entry)
				entry->definition = definition;
		}
	}
	/* A library handle is defined after the call has returned, after all calls inside it. Its number is never used
	 * again, so the first definition is valid from the beginning of the block. */
	for (size_t i = 0; i < definitions->count; i++) {
		const struct definition *definition = &definitions->list[i];
		if (defines_handle(definition) && definition->kind >= VARVE_HANDLE_COMM &&
		    !names_handle(names, definition->id))
			TRY(define_handle(names, definition, causes));
	}
	/* An identity that was found right after a file was opened is also valid for the call that opened it. */
	for (size_t i = 0; i < definitions->count; i++)
		if (definitions->list[i].type == DEFINE_IDENTITY)
			TRY(define_identity(names, &definitions->list[i], true, causes));
	return VARVE_OK;
}

void names_clear(struct names *names)
{
	arena_clear(names->texts.chunks);
	free(names->names);
	free(names->handles);
	*names = (struct names){0};
}

static enum varve_status definition_apply(struct names *names, size_t at,
					  struct varve_causes *causes)
{
	const struct definitions *definitions = names->definitions;
	for (; names->applied < definitions->count; names->applied++) {
		const struct definition *definition = &definitions->list[names->applied];
		if (definition->before > at)
			break;
		if (defines_handle(definition))
			TRY(define_handle(names, definition, causes));
		else if (definition->type == DEFINE_IDENTITY)
			TRY(define_identity(names, definition, false, causes));
	}
	return VARVE_OK;
}

enum varve_status names_apply(struct names *names, struct varve_causes *causes)
{
	return definition_apply(names, SIZE_MAX, causes);
}

static uint32_t kind_of_op(const char *op)
{
	if (!strcmp(op, "opendir") || !strcmp(op, "fdopendir") || !strcmp(op, "fts_open"))
		return VARVE_HANDLE_DIR;
	if (!strcmp(op, "fopen") || !strcmp(op, "fdopen") || !strcmp(op, "popen") ||
	    !strcmp(op, "freopen"))
		return VARVE_HANDLE_STREAM;
	if (!strncmp(op, "pipe", 4))
		return VARVE_HANDLE_PIPE;
	if (!strcmp(op, "open"))
		return VARVE_HANDLE_FILE; /* for any other object the recorder writes a definition */
	return !strncmp(op, "socket", 6) ? VARVE_HANDLE_SOCKET : VARVE_HANDLE_UNKNOWN;
}

/* The record created `handle`: its name is the record's first path, or else the name of the handle from which it was
 * created. */
static enum varve_status record_made(struct names *names, const struct tables *tables,
				     const struct named_record *record, uint32_t handle,
				     struct varve_causes *causes)
{
	const struct varve_function *function = record->function;
	uint32_t name = 0, other = 0;
	for (uint32_t i = 0; i < function->field_count; i++) {
		const struct varve_field *field = &function->fields[i];
		if (field->word < 0 || (uint32_t)field->word >= record->words || field->output)
			continue;
		enum varve_style style = tables_style(tables, field->kind);
		uint64_t word = record->word[field->word];
		if (style == VARVE_STYLE_NAME && !name)
			name = (uint32_t)word;
		else if (!other)
			other = field_handle(style, word);
	}
	struct handle_entry *entry;
	/* The new handle is neither a file with that path nor a copy of that descriptor; the recorder's definition
	 * describes it. */
	if (!strcmp(function->op, "make") || !strcmp(function->op, "openpty") ||
	    !strcmp(function->op, "forkpty"))
		return VARVE_OK;
	if (other == handle && !name)
		return VARVE_OK; /* dup2 onto itself: the same handle as before */
	TRY(make_handle(names, handle, &entry, causes));
	/* Library handles always have a definition. */
	if (entry->kind >= VARVE_HANDLE_COMM)
		return VARVE_OK;
	entry->name = name;
	entry->other = name ? 0 : other;
	if (entry->kind == VARVE_HANDLE_UNKNOWN)
		entry->kind = kind_of_op(function->op);
	/* The name may mean another file later; the handle keeps its file. */
	const struct name_entry *named = name ? names_find(names, name) : NULL;
	if (named && entry->how == VARVE_IDENTITY_NONE) {
		entry->how = named->how;
		entry->device = named->device;
		entry->inode = named->inode;
	}
	const struct handle_entry *source = names_handle(names, entry->other);
	if (!source)
		return VARVE_OK;
	if (entry->kind == VARVE_HANDLE_UNKNOWN)
		entry->kind = source->kind;
	if (entry->how == VARVE_IDENTITY_NONE) {
		entry->how = source->how;
		entry->device = source->device;
		entry->inode = source->inode;
	}
	/* A shell that redirects in a loop copies copies of a descriptor: keeps the chain short. */
	if (!source->name && source->other)
		entry->other = source->other;
	return VARVE_OK;
}

/* Whether a definition is about the record: an identity is, if it is of one of the record's names or handles; a handle is,
 * if the record created it. */
static bool record_refers(const struct tables *tables, const struct named_record *record,
			  const struct definition *definition)
{
	const struct varve_function *function = record->function;
	bool whole = definition->type == DEFINE_HANDLE, handle = whole || definition->kind;
	for (uint32_t i = 0; i < function->field_count; i++) {
		const struct varve_field *field = &function->fields[i];
		if (field->word < 0 || (uint32_t)field->word >= record->words ||
		    (whole && !field->output))
			continue;
		enum varve_style style = tables_style(tables, field->kind);
		uint64_t word = record->word[field->word];
		uint32_t id = handle			  ? field_handle(style, word)
			      : style == VARVE_STYLE_NAME ? (uint32_t)word
							  : 0;
		if (id == definition->id)
			return true;
	}
	return false;
}

/* Applies the definitions about a call's own file. They were written when the call returned: after its record, before the
 * next one. */
static enum varve_status apply_own(struct names *names, const struct tables *tables,
				   const struct named_record *record, size_t at,
				   struct varve_causes *causes)
{
	const struct definitions *definitions = names->definitions;
	for (size_t i = names->applied; i < definitions->count; i++) {
		const struct definition *definition = &definitions->list[i];
		if (definition->before > at + 1 ||
		    (definition->before > at && definition->after_gap))
			break;
		bool whole = defines_handle(definition);
		if ((!whole && definition->type != DEFINE_IDENTITY) ||
		    !record_refers(tables, record, definition))
			continue;
		TRY(whole ? define_handle(names, definition, causes)
			  : define_identity(names, definition, false, causes));
	}
	return VARVE_OK;
}

bool names_makes(const struct tables *tables, const struct varve_function *function)
{
	for (uint32_t i = 0; i < function->field_count; i++) {
		const struct varve_field *field = &function->fields[i];
		enum varve_style style = tables_style(tables, field->kind);
		if (field->output && field->word >= 0 &&
		    (style == VARVE_STYLE_FD || style == VARVE_STYLE_DIRFD ||
		     style == VARVE_STYLE_HANDLE))
			return true;
	}
	return false;
}

uint32_t names_words(const struct tables *tables, const struct varve_function *function)
{
	uint32_t words = 0;
	for (uint32_t i = 0; i < function->field_count; i++) {
		const struct varve_field *field = &function->fields[i];
		enum varve_style style = tables_style(tables, field->kind);
		if (field->word >= 0 && field->word < 32 &&
		    (style == VARVE_STYLE_NAME || style == VARVE_STYLE_FD ||
		     style == VARVE_STYLE_DIRFD || style == VARVE_STYLE_HANDLE))
			words |= 1u << field->word;
	}
	return function->side == VARVE_SIDE_WORD && function->side_word < 32
		       ? words | 1u << function->side_word
		       : words;
}

enum varve_status names_follow(struct names *names, const struct tables *tables,
			       const struct named_record *record, size_t at,
			       struct varve_causes *causes)
{
	const struct varve_function *function = record->function;
	if (names->applied < names->definitions->count)
		TRY(definition_apply(names, at, causes));
	if (!function || (record->marks & (VARVE_FAILED | VARVE_UNFINISHED)))
		return VARVE_OK;
	if (names->applied < names->definitions->count)
		TRY(apply_own(names, tables, record, at, causes));
	for (uint32_t i = 0; i < function->field_count; i++) {
		const struct varve_field *field = &function->fields[i];
		if (!field->output || field->word < 0 || (uint32_t)field->word >= record->words)
			continue;
		uint32_t handle =
			field_handle(tables_style(tables, field->kind), record->word[field->word]);
		if (handle)
			TRY(record_made(names, tables, record, handle, causes));
	}
	return VARVE_OK;
}
