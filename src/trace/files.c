/* Trace: the files that a run names, each absolute path once. See definitions.h. Memory: a path and an entry for each. */
#include "trace/definitions.h"

#include "base/hash.h"
#include "trace/names.h"

#include <stdlib.h>
#include <string.h>

/* Places of files by the hash of their path. */
struct varve_files_inside {
	size_t *table; /* place + 1; 0: free */
	size_t room;   /* a power of two */
	size_t budget; /* bytes that paths may still take */
};

static size_t *find(const struct varve_files *files, const char *path, size_t length)
{
	const struct varve_files_inside *inside = files->inside;
	size_t at = (size_t)hash64(path, length, 0) & (inside->room - 1);
	for (; inside->table[at]; at = (at + 1) & (inside->room - 1)) {
		const struct varve_text *known = &files->files[inside->table[at] - 1].absolute;
		if (known->length == length && !memcmp(known->bytes, path, length))
			break;
	}
	return &inside->table[at];
}

static enum status grow(struct varve_files *files, struct varve_causes *causes)
{
	struct varve_files_inside *inside = files->inside;
	if (files->count * 2 < inside->room)
		return STATUS_OK;
	size_t room = inside->room ? inside->room * 2 : 1024;
	size_t *table = calloc(room, sizeof *table);
	struct varve_file *list = reallocarray(files->files, room, sizeof *list);
	if (list)
		files->files = list;
	if (!table || !list) {
		free(table);
		return cause(causes, STATUS_NO_MEMORY, "no memory for %zu files", room);
	}
	free(inside->table);
	inside->table = table;
	inside->room = room;
	for (size_t i = 0; i < files->count; i++)
		*find(files, files->files[i].absolute.bytes, files->files[i].absolute.length) =
			i + 1;
	return STATUS_OK;
}

static enum status add(struct varve_files *files, const struct varve_file *file,
		       struct varve_causes *causes)
{
	TRY(grow(files, causes));
	size_t *place = find(files, file->absolute.bytes, file->absolute.length);
	if (!*place) {
		if (file->absolute.length >= files->inside->budget)
			return cause(causes, STATUS_LIMIT,
				     "the paths are longer than any run of this size names");
		files->inside->budget -= file->absolute.length + 1;
		char *path = malloc(file->absolute.length + 1);
		if (!path)
			return cause(causes, STATUS_NO_MEMORY, "no memory for a path");
		memcpy(path, file->absolute.bytes, file->absolute.length);
		path[file->absolute.length] = 0;
		struct varve_text text = {path, file->absolute.length};
		files->files[files->count++] = (struct varve_file){.given = text, .absolute = text};
		*place = files->count;
	}
	struct varve_file *known = &files->files[*place - 1];
	if (file->how == VARVE_IDENTITY_SEEN || (file->how && known->how != VARVE_IDENTITY_SEEN)) {
		known->how = file->how;
		known->device = file->device;
		known->inode = file->inode;
	}
	return STATUS_OK;
}

enum status files_make(struct varve_trace *trace, struct varve_files *files,
		       struct varve_causes *causes)
{
	*files = (struct varve_files){.inside = calloc(1, sizeof *files->inside)};
	struct names names = {0};
	enum status status =
		files->inside ? STATUS_OK : cause(causes, STATUS_NO_MEMORY, "no memory for files");
	if (files->inside)
		files->inside->budget = DECODE_BUDGET(trace->size);
	for (size_t i = 0; status == STATUS_OK && i < trace->block_count; i++) {
		struct definitions definitions;
		status = block_definitions(trace, &trace->blocks[i], &definitions, causes);
		if (status == STATUS_DAMAGED) {
			status = STATUS_OK;
			continue;
		}
		if (status == STATUS_OK)
			status = names_load(&names, &definitions, trace->blocks[i].header.length,
					    causes);
		if (status == STATUS_OK)
			status = names_apply(&names, causes);
		for (size_t k = 0; status == STATUS_OK && k < definitions.count; k++) {
			struct varve_file file;
			const struct definition *name = &definitions.list[k];
			if (name->type == DEFINE_NAME &&
			    names_file_of_name(&names, name->id, &file) && file.absolute.bytes &&
			    file.absolute.length && file.absolute.bytes[0] == '/')
				status = add(files, &file, causes);
		}
		definitions_clear(&definitions);
	}
	names_clear(&names);
	if (status != STATUS_OK)
		files_clear(files);
	return status;
}

void files_clear(struct varve_files *files)
{
	for (size_t i = 0; i < files->count; i++)
		free((void *)(uintptr_t)files->files[i].absolute.bytes);
	free(files->files);
	if (files->inside)
		free(files->inside->table);
	free(files->inside);
	*files = (struct varve_files){0};
}
