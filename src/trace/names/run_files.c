/* Trace: the files named in a run, each absolute path once. See definitions.h. Memory: a path and an entry for each. */
#include "trace/definitions.h"

#include "base/hash.h"
#include "base/host/known.h"
#include "trace/names/names.h"

#include <stdlib.h>
#include <string.h>

struct varve_files_inside {
	struct known known; /* by path */
	size_t budget;	    /* bytes that paths may still use */
};

static bool is_path(const struct varve_file *file, const struct varve_text *path)
{
	return file->absolute.length == path->length &&
	       !memcmp(file->absolute.bytes, path->bytes, path->length);
}

static enum varve_status file_add(struct varve_files *files, const struct varve_file *file,
				  struct varve_causes *causes)
{
	TRY(known_room(&files->inside->known, &files->files, sizeof *files->files, causes));
	uint64_t hash = hash64(file->absolute.bytes, file->absolute.length, 0);
	struct known *known = &files->inside->known;
	size_t at = known_first(known, hash);
	while (known_is(known, at) &&
	       !is_path(&files->files[known_number(known, at)], &file->absolute))
		at = known_next(known, hash, at);
	if (!known_is(known, at)) {
		if (file->absolute.length >= files->inside->budget)
			return cause(causes, VARVE_LIMIT,
				     "the paths are longer than a trace of this size can contain");
		files->inside->budget -= file->absolute.length + 1;
		char *path = malloc(file->absolute.length + 1);
		if (!path)
			return cause(causes, VARVE_NO_MEMORY, "no memory for a path");
		memcpy(path, file->absolute.bytes, file->absolute.length);
		path[file->absolute.length] = 0;
		struct varve_text text = {path, file->absolute.length};
		files->files[files->count++] = (struct varve_file){.given = text, .absolute = text};
		known_put(known, at, hash);
	}
	struct varve_file *entry = &files->files[known_number(known, at)];
	if (file->how == VARVE_IDENTITY_SEEN || (file->how && entry->how != VARVE_IDENTITY_SEEN)) {
		entry->how = file->how;
		entry->device = file->device;
		entry->inode = file->inode;
	}
	return VARVE_OK;
}

enum varve_status files_make(struct varve_trace *trace, struct varve_files *files,
			     struct varve_causes *causes)
{
	*files = (struct varve_files){.inside = calloc(1, sizeof *files->inside)};
	struct names names = {0};
	enum varve_status status = VARVE_OK;
	if (!files->inside)
		return cause(causes, VARVE_NO_MEMORY, "no memory for files");
	*files->inside = (struct varve_files_inside){.known = {.listed = true},
						     .budget = DECODE_BUDGET(trace->size)};
	for (size_t i = 0; status == VARVE_OK && i < trace->block_count; i++) {
		struct definitions definitions;
		status = block_names(trace, &trace->blocks[i], &definitions, &names, causes);
		for (size_t k = 0; status == VARVE_OK && k < definitions.count; k++) {
			struct varve_file file;
			const struct definition *name = &definitions.list[k];
			if (name->type == DEFINE_NAME && !name->late &&
			    names_file_of_name(&names, name->id, &file) && file.absolute.bytes &&
			    file.absolute.length && file.absolute.bytes[0] == '/')
				status = file_add(files, &file, causes);
		}
		definitions_clear(&definitions);
	}
	names_clear(&names);
	if (status != VARVE_OK)
		files_clear(files);
	return status;
}

const struct varve_file *files_find(const struct varve_files *files, struct varve_text path)
{
	const struct varve_file wanted = {.absolute = path};
	const struct known *known = &files->inside->known;
	if (!known->room)
		return NULL;
	uint64_t hash = hash64(path.bytes, path.length, 0);
	for (size_t at = known_first(known, hash); known_is(known, at);
	     at = known_next(known, hash, at)) {
		const struct varve_file *file = &files->files[known_number(known, at)];
		if (is_path(&wanted, &file->absolute))
			return file;
	}
	return NULL;
}

void files_clear(struct varve_files *files)
{
	for (size_t i = 0; i < files->count; i++)
		free((void *)(uintptr_t)files->files[i].absolute.bytes);
	free(files->files);
	if (files->inside)
		known_clear(&files->inside->known);
	free(files->inside);
	*files = (struct varve_files){0};
}
