/* Trace: names and handles of a block: the paths and files that they lead to, and the file that a record is about. See names.h.
 *
 * Names lead to folders, handles to names and to other handles. Chains are short in any trace that was recorded, and are cut
 * where they are not: a trace may be made so that they go round.
 */
#include "trace/names_inside.h"

#include <string.h>

enum { CHAIN_MOST = 16, PATH_MOST = 1 << 16 };

struct varve_text names_given(const struct names *names, uint32_t id)
{
	const struct name_entry *entry = names_find(names, id);
	if (!entry || !entry->definition)
		return (struct varve_text){0};
	return (struct varve_text){entry->definition->text ? entry->definition->text : "",
				   entry->definition->text_length};
}

/* Appends `text` to the path in `to`, without `//` and `/./`. Returns the new length. */
static size_t append_clean(char *to, size_t length, struct varve_text text)
{
	for (size_t i = 0; i < text.length;) {
		size_t end = i;
		while (end < text.length && text.bytes[end] != '/')
			end++;
		bool dot = end - i == 1 && text.bytes[i] == '.';
		if (end > i && !dot) {
			if (!length || to[length - 1] != '/')
				to[length++] = '/';
			memcpy(to + length, text.bytes + i, end - i);
			length += end - i;
		}
		i = end + 1;
	}
	return length;
}

static struct varve_text absolute_of_name(struct names *names, uint32_t id, int depth);

static struct varve_text absolute_of_handle(struct names *names, uint32_t handle, int depth)
{
	for (; handle && depth < CHAIN_MOST; depth++) {
		const struct handle_entry *entry = names_handle(names, handle);
		if (!entry)
			break;
		if (entry->name)
			return absolute_of_name(names, entry->name, depth + 1);
		handle = entry->other;
	}
	return (struct varve_text){0};
}

static struct varve_text join(struct names *names, struct varve_text folder, struct varve_text text)
{
	if (folder.length + text.length > PATH_MOST)
		return (struct varve_text){0};
	char *path = names_room(names, folder.length + text.length + 3);
	if (!path)
		return (struct varve_text){0};
	size_t length = append_clean(path, 0, folder);
	length = append_clean(path, length, text);
	if (!length)
		path[length++] = '/';
	return (struct varve_text){path, length};
}

static struct varve_text absolute_of_name(struct names *names, uint32_t id, int depth)
{
	struct name_entry *entry = names_find(names, id);
	if (!entry || !entry->definition || depth >= CHAIN_MOST)
		return (struct varve_text){0};
	if (entry->resolved)
		return entry->absolute;
	const struct definition *definition = entry->definition;
	struct varve_text text = names_given(names, id), folder = {0};
	bool rooted = text.length && text.bytes[0] == '/';
	if (rooted)
		folder = (struct varve_text){"", 0};
	else if (definition->base_kind == BASE_NAME)
		folder = absolute_of_name(names, definition->base, depth + 1);
	else if (definition->base_kind == BASE_HANDLE)
		folder = absolute_of_handle(names, definition->base, depth + 1);
	entry = names_find(names, id);
	if (rooted || (folder.bytes && folder.length && folder.bytes[0] == '/'))
		entry->absolute = join(names, folder, text);
	else if (definition->base_kind == BASE_NONE)
		entry->absolute = text; /* "pipe:[12]", "socket:[34]": stands for itself */
	entry->resolved = entry->absolute.bytes != NULL;
	return entry->absolute;
}

struct varve_text names_absolute(struct names *names, uint32_t id)
{
	return absolute_of_name(names, id, 0);
}

bool names_file_of_name(struct names *names, uint32_t id, struct varve_file *file)
{
	*file = (struct varve_file){0};
	const struct name_entry *entry = names_find(names, id);
	if (!entry || !entry->definition)
		return false;
	file->given = names_given(names, id);
	file->absolute = names_absolute(names, id);
	file->how = entry->how;
	file->device = entry->device;
	file->inode = entry->inode;
	return true;
}

bool names_file_of_handle(struct names *names, uint32_t handle, struct varve_file *file)
{
	*file = (struct varve_file){0};
	uint32_t at = handle;
	for (int depth = 0; at && depth < CHAIN_MOST; depth++) {
		const struct handle_entry *entry = names_handle(names, at);
		if (!entry)
			break;
		if (!file->handle) {
			file->handle = handle;
			file->kind = entry->kind;
		}
		if (file->how == IDENTITY_NONE && entry->how != IDENTITY_NONE) {
			file->how = entry->how;
			file->device = entry->device;
			file->inode = entry->inode;
		}
		if (entry->name) {
			struct varve_file named;
			if (!names_file_of_name(names, entry->name, &named))
				break;
			file->given = named.given;
			file->absolute = named.absolute;
			if (file->how == IDENTITY_NONE) {
				file->how = named.how;
				file->device = named.device;
				file->inode = named.inode;
			}
			break;
		}
		at = entry->other;
	}
	return file->handle != 0;
}

static bool kind_has_file(uint32_t kind)
{
	return kind < HANDLE_COMM || kind == HANDLE_MPI_FILE || kind == HANDLE_H5_FILE ||
	       kind == HANDLE_NC_FILE;
}

/* The handle whose file a call on `handle` is about: a dataset belongs to its file, a communicator to none (0). */
static uint32_t handle_with_file(struct names *names, uint32_t handle)
{
	for (int depth = 0; handle && depth < CHAIN_MOST; depth++) {
		const struct handle_entry *entry = names_handle(names, handle);
		if (!entry || kind_has_file(entry->kind))
			return handle;
		handle = entry->other;
	}
	return 0;
}

const struct named_late *late_find(const struct named_record *record, int32_t word)
{
	for (size_t i = 0; i < record->late_count; i++)
		if (record->late[i].word == word)
			return &record->late[i];
	return NULL;
}

/* The file of a name (or of a handle) in a word of the record; false: nothing is known. */
static bool file_of_word(struct names *names, const struct tables *tables,
			 const struct named_record *record, const struct varve_field *field,
			 struct varve_file *file)
{
	enum varve_style style = tables_style(tables, field->kind);
	const struct named_late *late = field->output ? late_find(record, field->word) : NULL;
	uint64_t word = record->word[field->word];
	if (late) {
		*file = late->file;
		return late->known;
	}
	return style == VARVE_STYLE_NAME
		       ? names_file_of_name(names, (uint32_t)word, file)
		       : names_file_of_handle(
				 names, handle_with_file(names, field_handle(style, word)), file);
}

/* Whether a word of the record is a handle that leads to a file. An output does so only by itself. */
static bool word_has_file(struct names *names, const struct tables *tables,
			  const struct named_record *record, const struct varve_field *field)
{
	uint32_t handle =
		field_handle(tables_style(tables, field->kind), record->word[field->word]);
	const struct named_late *late = field->output ? late_find(record, field->word) : NULL;
	if (!handle)
		return false;
	if (late)
		return kind_has_file(late->file.kind);
	uint32_t leads = handle_with_file(names, handle);
	return field->output ? leads == handle : leads != 0;
}

bool names_file(struct names *names, const struct tables *tables, const struct named_record *record,
		struct varve_file *file)
{
	const struct varve_function *function = record->function;
	const struct varve_field *name = NULL, *used = NULL, *created = NULL;
	bool succeeded = !(record->marks & (RECORD_FAILED | RECORD_UNFINISHED));
	*file = (struct varve_file){0};
	for (uint32_t i = 0; function && i < function->field_count; i++) {
		const struct varve_field *field = &function->fields[i];
		if (field->word < 0 || (uint32_t)field->word >= record->words ||
		    (field->output && !succeeded))
			continue;
		uint64_t word = record->word[field->word];
		enum varve_style style = tables_style(tables, field->kind);
		if (style == VARVE_STYLE_NAME && !name && (uint32_t)word)
			name = field;
		else if (!word_has_file(names, tables, record, field))
			continue;
		else if (field->output && !created)
			created = field;
		else if (!field->output && !used)
			used = field;
	}
	struct varve_file open;
	if (!name) {
		const struct varve_field *handle = used ? used : created;
		return handle && file_of_word(names, tables, record, handle, file);
	}
	bool known = file_of_word(names, tables, record, name, file);
	if (created && file_of_word(names, tables, record, created, &open)) {
		file->handle = open.handle;
		file->kind = open.kind;
		if (open.how != IDENTITY_NONE) {
			file->how = open.how;
			file->device = open.device;
			file->inode = open.inode;
		}
	}
	return known;
}
