/* Slice: writes a new trace as a folder with data.K and index.K. See slice_output.h.
 *
 * The folder is written beside its target, under a name that ends in `.part` and the pid, and renamed when it is complete.
 * Never touches a folder that contains anything but a trace.
 */
#include "base/text.h"
#include "base/trace_files.h"
#include "slice/slice_output.h"

#include "base/host/list.h"
#include "codec/block.h"
#include "trace/packed/packed.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct folder {
	struct slice_output output;
	char *path;
	char *unfinished; /* its path while it is written */
	bool force;
	bool made; /* `unfinished` exists */
	uint8_t run_id[16];
	uint32_t node;
	FILE *data;
	uint64_t size;
	struct index_entry *entries;
	size_t entry_count, entry_room;
};

enum { NAME_ROOM = 4096 + 64, BUFFER = 1 << 20 };

/* Messages name what the user gave, not the unfinished files. */
static enum varve_status folder_failed(struct varve_causes *causes, const char *what,
				       const char *path)
{
	return cause(causes, VARVE_SYSTEM, "cannot %s %s: %s", what, path, strerror(errno));
}

static bool is_of_trace(const char *name)
{
	return trace_file_is(name) || !strcmp(name, ".") || !strcmp(name, "..");
}

/* Whether the path is a packed file, or a folder that contains a trace, or part of one, and nothing else. */
static bool only_a_trace(const char *path)
{
	DIR *list = opendir(path);
	if (!list)
		return packed_is(path);
	bool only = true;
	for (struct dirent *entry; only && (entry = readdir(list));)
		only = is_of_trace(entry->d_name);
	closedir(list);
	return only;
}

static void remove_trace(const char *path)
{
	DIR *list = opendir(path);
	if (!list) {
		unlink(path);
		return;
	}
	for (struct dirent *entry; (entry = readdir(list));)
		if (is_of_trace(entry->d_name) && entry->d_name[0] != '.')
			unlinkat(dirfd(list), entry->d_name, 0);
	closedir(list);
	rmdir(path);
}

static enum varve_status folder_start(struct slice_output *output, const uint8_t run_id[16],
				      struct varve_causes *causes)
{
	struct folder *folder = (struct folder *)output;
	if (folder->data)
		fclose(folder->data);
	folder->data = NULL;
	if (folder->made)
		remove_trace(folder->unfinished);
	memcpy(folder->run_id, run_id, sizeof folder->run_id);
	folder->made = !mkdir(folder->unfinished, 0777);
	if (!folder->made && errno == EEXIST)
		return cause(causes, VARVE_SYSTEM, "cannot create %s: %s already exists; remove it",
			     folder->path, folder->unfinished);
	return folder->made ? VARVE_OK : folder_failed(causes, "create", folder->path);
}

/* The path of a file of the present node. */
static void node_file(const struct folder *folder, enum trace_file file, char *path)
{
	const char *end = path + NAME_ROOM;
	char *at = text_add(text_add(path, end, folder->unfinished), end, "/");
	trace_file_name(at, end, file, folder->node);
}

static enum varve_status folder_node(struct slice_output *output, uint32_t number,
				     struct varve_causes *causes)
{
	struct folder *folder = (struct folder *)output;
	char path[NAME_ROOM];
	folder->node = number;
	folder->size = folder->entry_count = 0;
	node_file(folder, TRACE_FILE_DATA, path);
	folder->data = fopen(path, "wxe");
	if (!folder->data)
		return folder_failed(causes, "create", folder->path);
	setvbuf(folder->data, NULL, _IOFBF, BUFFER);
	return VARVE_OK;
}

static enum varve_status folder_block(struct slice_output *output, const uint8_t *bytes,
				      size_t length, struct varve_causes *causes)
{
	struct folder *folder = (struct folder *)output;
	struct block_header header;
	if (list_room(&folder->entries, folder->entry_count, &folder->entry_room, 1,
		      sizeof *folder->entries))
		return cause(causes, VARVE_NO_MEMORY, "no memory for an index of %zu blocks",
			     folder->entry_count);
	memcpy(&header, bytes, sizeof header);
	folder->entries[folder->entry_count++] = index_entry_of(&header, folder->size);
	folder->size += length;
	return fwrite(bytes, 1, length, folder->data) == length
		       ? VARVE_OK
		       : folder_failed(causes, "write", folder->path);
}

static enum varve_status write_index(const struct folder *folder, const struct index_head *end,
				     struct varve_causes *causes)
{
	size_t entries = folder->entry_count * sizeof *folder->entries;
	size_t length = sizeof *end + entries;
	uint8_t *payload = malloc(length), *bytes = malloc(block_plain_size(length));
	char path[NAME_ROOM];
	node_file(folder, TRACE_FILE_INDEX, path);
	enum varve_status status = VARVE_OK;
	if (!payload || !bytes) {
		status = cause(causes, VARVE_NO_MEMORY, "no memory for an index of %zu blocks",
			       folder->entry_count);
	} else {
		memcpy(payload, end, sizeof *end);
		memcpy(payload + sizeof *end, folder->entries, entries);
		size_t size = block_plain(bytes, BLOCK_INDEX, folder->run_id, 0, payload, length);
		FILE *file = fopen(path, "wxe");
		bool written = file && fwrite(bytes, 1, size, file) == size;
		if ((file && fclose(file)) || !written)
			status = folder_failed(causes, "write", folder->path);
	}
	free(payload);
	free(bytes);
	return status;
}

static enum varve_status folder_node_end(struct slice_output *output, struct index_head *end,
					 struct varve_causes *causes)
{
	struct folder *folder = (struct folder *)output;
	FILE *data = folder->data;
	folder->data = NULL;
	if (fclose(data))
		return folder_failed(causes, "write", folder->path);
	end->data_length = folder->size;
	end->entries = folder->entry_count;
	return write_index(folder, end, causes);
}

/* Replaces the old trace by the new one, and removes the old one. */
static enum varve_status folder_replace(struct folder *folder, struct varve_causes *causes)
{
	if (!renameat2(AT_FDCWD, folder->unfinished, AT_FDCWD, folder->path, RENAME_EXCHANGE)) {
		remove_trace(folder->unfinished);
		return VARVE_OK;
	}
	/* Not every file system can exchange two names: for a moment there is no trace. */
	char old[NAME_ROOM];
	snprintf(old, sizeof old, "%s.old", folder->unfinished);
	if (rename(folder->path, old) || rename(folder->unfinished, folder->path))
		return folder_failed(causes, "replace", folder->path);
	remove_trace(old);
	return VARVE_OK;
}

static enum varve_status folder_finish(struct slice_output *output, struct varve_causes *causes)
{
	struct folder *folder = (struct folder *)output;
	struct stat stat;
	bool there = !lstat(folder->path, &stat);
	if (there && folder->force) {
		TRY(folder_replace(folder, causes));
	} else {
		int result = renameat2(AT_FDCWD, folder->unfinished, AT_FDCWD, folder->path,
				       RENAME_NOREPLACE);
		if (result && errno == EINVAL && !there)
			result = rename(folder->unfinished, folder->path);
		if (result)
			return folder_failed(causes, "create", folder->path);
	}
	folder->made = false;
	return VARVE_OK;
}

static void folder_close(struct slice_output *output)
{
	struct folder *folder = (struct folder *)output;
	if (!folder)
		return;
	if (folder->data)
		fclose(folder->data);
	if (folder->made)
		remove_trace(folder->unfinished);
	free(folder->entries);
	free(folder->path);
	free(folder->unfinished);
	free(folder);
}

/* Whether the name can be used; it is checked again when the trace gets it. */
static enum varve_status name_check(const char *path, bool force, struct varve_causes *causes)
{
	struct stat stat;
	if (strlen(path) + 64 > NAME_ROOM)
		return cause(causes, VARVE_USAGE, "the name of the new trace is too long");
	if (lstat(path, &stat))
		return errno == ENOENT ? VARVE_OK : folder_failed(causes, "create", path);
	if (!force)
		return cause(causes, VARVE_USAGE,
			     "%s already exists; choose another name with -o, or use --force to "
			     "replace it",
			     path);
	if (S_ISLNK(stat.st_mode) || !only_a_trace(path))
		return cause(causes, VARVE_USAGE,
			     "%s is not a trace and is not replaced; choose another name with -o",
			     path);
	return VARVE_OK;
}

enum varve_status slice_folder(const char *path, bool force, struct slice_output **output,
			       struct varve_causes *causes)
{
	*output = NULL;
	TRY(name_check(path, force, causes));
	struct folder *folder = calloc(1, sizeof *folder);
	size_t length = strlen(path);
	while (length > 1 && path[length - 1] == '/')
		length--;
	if (folder)
		folder->path = strndup(path, length);
	if (!folder || !folder->path ||
	    asprintf(&folder->unfinished, "%s.part%d", folder->path, (int)getpid()) < 0) {
		free(folder ? folder->path : NULL);
		free(folder);
		return cause(causes, VARVE_NO_MEMORY, "no memory for a new trace");
	}
	folder->force = force;
	folder->output = (struct slice_output){folder_start,	folder_node,   folder_block,
					       folder_node_end, folder_finish, folder_close};
	*output = &folder->output;
	return VARVE_OK;
}
