/* Trace: one row for a file whose paths differ by `..`. See spellings.h.
 *
 * After a symbolic link, `..` leads to another folder than the text suggests, and a trace does not record which folders
 * are links. So a path is replaced only if it certainly names the same file: the text without `..` must be equal, and so
 * must the recorded device and inode. Definitions are read when the first path with `..` appears. Nothing is printed.
 */
#include "trace/names/spellings.h"

#include <stdlib.h>
#include <string.h>

/* Whether a component of the path is `..`. */
static bool is_dotted(struct varve_text path)
{
	for (size_t i = 0; i + 2 < path.length; i++)
		if (!memcmp(path.bytes + i, "/..", 3) &&
		    (i + 3 == path.length || path.bytes[i + 3] == '/'))
			return true;
	return false;
}

/* The path without `..`; `to` must have room for its length. Absolute paths contain neither `//` nor `/./`. */
static struct varve_text without_dots(struct varve_text path, char *to)
{
	size_t length = 0;
	for (size_t i = 0; i < path.length;) {
		size_t end = i + 1;
		while (end < path.length && path.bytes[end] != '/')
			end++;
		if (end - i == 3 && !memcmp(path.bytes + i, "/..", 3)) {
			while (length && to[--length] != '/')
				;
		} else {
			memmove(to + length, path.bytes + i, end - i);
			length += end - i;
		}
		i = end;
	}
	if (!length)
		to[length++] = '/';
	return (struct varve_text){to, length};
}

static bool equal_texts(struct varve_text a, struct varve_text b)
{
	return a.length == b.length && !memcmp(a.bytes, b.bytes, a.length);
}

static bool same_identity(const struct varve_file *a, const struct varve_file *b)
{
	return a->how == VARVE_IDENTITY_SEEN && b->how == VARVE_IDENTITY_SEEN &&
	       a->device == b->device && a->inode == b->inode;
}

static int by_identity(const void *left, const void *right, void *context)
{
	const struct varve_file *files = context;
	const struct varve_file *a = &files[*(const size_t *)left];
	const struct varve_file *b = &files[*(const size_t *)right];
	if (a->inode != b->inode)
		return a->inode < b->inode ? -1 : 1;
	if (a->device != b->device)
		return a->device < b->device ? -1 : 1;
	size_t common =
		a->absolute.length < b->absolute.length ? a->absolute.length : b->absolute.length;
	int order = memcmp(a->absolute.bytes, b->absolute.bytes, common);
	return order ? order
		     : (a->absolute.length > b->absolute.length) -
			       (a->absolute.length < b->absolute.length);
}

static enum varve_status spellings_make(struct spellings *spellings, struct varve_causes *causes)
{
	TRY(files_make(spellings->trace, &spellings->files, causes));
	const struct varve_files *files = &spellings->files;
	spellings->made = true;
	spellings->dotted = calloc(files->count + 1, sizeof *spellings->dotted);
	if (!spellings->dotted)
		return cause(causes, VARVE_NO_MEMORY, "no memory for %zu paths", files->count);
	for (size_t i = 0; i < files->count; i++)
		if (is_dotted(files->files[i].absolute))
			spellings->dotted[spellings->dotted_count++] = i;
	qsort_r(spellings->dotted, spellings->dotted_count, sizeof *spellings->dotted, by_identity,
		files->files);
	return VARVE_OK;
}

/* Of the paths with `..` of this file that are equal without `..`, the first one. */
static void first_dotted(const struct spellings *spellings, const struct varve_file *file,
			 struct varve_text plain, char *room, struct varve_text *path)
{
	const struct varve_file *files = spellings->files.files;
	size_t low = 0, high = spellings->dotted_count;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct varve_file *at = &files[spellings->dotted[middle]];
		if (at->inode < file->inode ||
		    (at->inode == file->inode && at->device < file->device))
			low = middle + 1;
		else
			high = middle;
	}
	for (; low < spellings->dotted_count; low++) {
		const struct varve_file *at = &files[spellings->dotted[low]];
		if (!same_identity(at, file))
			return;
		if (at->absolute.length <= file->absolute.length + plain.length &&
		    equal_texts(without_dots(at->absolute, room), plain)) {
			*path = at->absolute;
			return;
		}
	}
}

enum varve_status spelling_common(struct spellings *spellings, struct varve_text *path,
				  struct varve_causes *causes)
{
	if (!path->length || path->bytes[0] != '/' || !is_dotted(*path))
		return VARVE_OK;
	if (!spellings->made)
		TRY(spellings_make(spellings, causes));
	const struct varve_file *file = files_find(&spellings->files, *path);
	if (!file || file->how != VARVE_IDENTITY_SEEN)
		return VARVE_OK;
	char *plain_room = malloc(path->length + 1), *room = malloc(path->length * 2 + 2);
	if (!plain_room || !room) {
		free(plain_room);
		free(room);
		return cause(causes, VARVE_NO_MEMORY, "no memory for a path");
	}
	struct varve_text plain = without_dots(*path, plain_room);
	const struct varve_file *other = files_find(&spellings->files, plain);
	if (other && same_identity(file, other))
		*path = other->absolute;
	else
		first_dotted(spellings, file, plain, room, path);
	free(plain_room);
	free(room);
	return VARVE_OK;
}

void spellings_clear(struct spellings *spellings)
{
	files_clear(&spellings->files);
	free(spellings->dotted);
	*spellings = (struct spellings){0};
}
