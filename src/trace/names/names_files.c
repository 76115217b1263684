/* Trace: names and handles of a block: the paths and files that they refer to, and the file of a record. See names.h.
 *
 * Names refer to folders, handles to names and to other handles. Recorded chains are short; longer ones are cut, because a
 * hostile trace can contain cycles.
 */
#include "trace/names/names_inside.h"

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

static struct varve_text path_join(struct names *names, struct varve_text folder,
				   struct varve_text text)
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
	else if (definition->base_kind == VARVE_BASE_NAME)
		folder = absolute_of_name(names, definition->base, depth + 1);
	else if (definition->base_kind == VARVE_BASE_HANDLE)
		folder = absolute_of_handle(names, definition->base, depth + 1);
	entry = names_find(names, id);
	if (rooted || (folder.bytes && folder.length && folder.bytes[0] == '/'))
		entry->absolute = path_join(names, folder, text);
	else if (definition->base_kind == VARVE_BASE_NONE)
		entry->absolute = text; /* "pipe:[12]", "socket:[34]": not a path */
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
		if (file->how == VARVE_IDENTITY_NONE && entry->how != VARVE_IDENTITY_NONE) {
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
			if (file->how == VARVE_IDENTITY_NONE) {
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
	return kind < VARVE_HANDLE_COMM || kind == VARVE_HANDLE_MPI_FILE ||
	       kind == VARVE_HANDLE_H5_FILE || kind == VARVE_HANDLE_NC_FILE;
}

/* The handle whose file a call on `handle` uses: for a dataset the handle of its file, for a communicator 0. */
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

/* The file of a name or handle in a word of the record; false: not known. */
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

/* Whether a word of the record is a handle with a file. An output must itself be the handle of the file. */
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

/* The fields of a record that refer to files. */
struct file_fields {
	const struct varve_field *name, *second_name;
	const struct varve_field *used, *second_used;
	const struct varve_field *created;
};

/* Whether a call on the handle of `used` is on a second file with this field. The same descriptor can occur twice: then
 * the call has two positions in one file. */
static bool is_second(struct names *names, const struct tables *tables,
		      const struct named_record *record, const struct varve_field *used,
		      const struct varve_field *field)
{
	enum varve_style style = tables_style(tables, field->kind);
	if (style != tables_style(tables, used->kind) || style == VARVE_STYLE_DIRFD)
		return false;
	uint32_t first = field_handle(style, record->word[used->word]);
	uint32_t second = field_handle(style, record->word[field->word]);
	return style == VARVE_STYLE_FD ||
	       handle_with_file(names, first) != handle_with_file(names, second);
}

static struct file_fields fields_of(struct names *names, const struct tables *tables,
				    const struct named_record *record)
{
	const struct varve_function *function = record->function;
	struct file_fields fields = {0};
	bool succeeded = !(record->marks & (VARVE_FAILED | VARVE_UNFINISHED));
	for (uint32_t i = 0; function && i < function->field_count; i++) {
		const struct varve_field *field = &function->fields[i];
		if (field->word < 0 || (uint32_t)field->word >= record->words ||
		    (field->output && !succeeded))
			continue;
		uint64_t word = record->word[field->word];
		bool is_name = tables_style(tables, field->kind) == VARVE_STYLE_NAME;
		if (is_name && (uint32_t)word && !fields.name)
			fields.name = field;
		else if (is_name && (uint32_t)word && !field->output && !fields.second_name)
			fields.second_name = field;
		else if (is_name || !word_has_file(names, tables, record, field))
			continue;
		else if (field->output && !fields.created)
			fields.created = field;
		else if (!field->output && !fields.used)
			fields.used = field;
		else if (!field->output && !fields.second_used &&
			 is_second(names, tables, record, fields.used, field))
			fields.second_used = field;
	}
	return fields;
}

static bool first_file(struct names *names, const struct tables *tables,
		       const struct named_record *record, const struct file_fields *fields,
		       struct varve_file *file)
{
	struct varve_file open;
	*file = (struct varve_file){0};
	if (!fields->name) {
		const struct varve_field *handle = fields->used ? fields->used : fields->created;
		return handle && file_of_word(names, tables, record, handle, file);
	}
	bool known = file_of_word(names, tables, record, fields->name, file);
	if (fields->created && file_of_word(names, tables, record, fields->created, &open)) {
		file->handle = open.handle;
		file->kind = open.kind;
		if (open.how != VARVE_IDENTITY_NONE) {
			file->how = open.how;
			file->device = open.device;
			file->inode = open.inode;
		}
	}
	return known;
}

bool names_file(struct names *names, const struct tables *tables, const struct named_record *record,
		struct varve_file *file)
{
	struct file_fields fields = fields_of(names, tables, record);
	return first_file(names, tables, record, &fields, file);
}

/* Whether the bytes of a record were read from or written to the file of this field. */
static uint8_t side_of(const struct named_record *record, const struct varve_field *field)
{
	const struct varve_function *function = record->function;
	if (function->side == VARVE_SIDE_WORD) {
		uint64_t word = function->side_word < record->words
					? record->word[function->side_word]
					: VARVE_SIDE_NONE;
		return word <= VARVE_SIDE_WRITTEN ? (uint8_t)word : VARVE_SIDE_NONE;
	}
	if (function->side == VARVE_SIDE_COPIED)
		return strncmp(field->name, "new", 3) ? VARVE_SIDE_READ : VARVE_SIDE_WRITTEN;
	return function->side;
}

void names_files(struct names *names, const struct tables *tables,
		 const struct named_record *record, struct record_files *files)
{
	struct file_fields fields = fields_of(names, tables, record);
	const struct varve_field *first = fields.name	? fields.name
					  : fields.used ? fields.used
							: fields.created;
	const struct varve_field *second = fields.name ? fields.second_name : fields.second_used;
	files->known[0] = first_file(names, tables, record, &fields, &files->file[0]);
	files->known[1] = second && file_of_word(names, tables, record, second, &files->file[1]);
	files->side[0] = first ? side_of(record, first) : VARVE_SIDE_NONE;
	files->side[1] = second && record->function->side == VARVE_SIDE_COPIED
				 ? side_of(record, second)
				 : VARVE_SIDE_NONE;
}
