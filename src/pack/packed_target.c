/* Pack: gives a packed trace its name. See packed_target.h.
 *
 * If the file system allows it, files have no name while they are written, so nothing is left behind however the command ends.
 * When they are complete and on disk, they get a name beside the target, and replace the target in one step.
 */
#include "pack/packed_target.h"

#include "base/text.h"
#include "base/trace_files.h"
#include "pack/pack.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { NAME_ROOM = 4096 + 32 };

/* Messages name the target, not the files beside it. */
static enum varve_status target_failed(struct varve_causes *causes, const char *what,
				       const char *path)
{
	return cause(causes, VARVE_SYSTEM, "cannot %s %s: %s", what, path, strerror(errno));
}

/* The folder that contains a path. */
static bool folder_around(const char *path, char folder[4096])
{
	const char *slash = strrchr(path, '/');
	size_t length = slash ? (size_t)(slash - path) + 1 : 1;
	if (length >= 4096)
		return false;
	memcpy(folder, slash ? path : ".", length);
	folder[length] = 0;
	return true;
}

/* Fails on file systems without O_TMPFILE. */
static int open_nameless(const char *path)
{
	char folder[4096];
	return folder_around(path, folder) ? open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0666)
					   : -1;
}

/* Makes a name beside the target; for several files it creates this folder. */
static enum varve_status aside_make(struct packed_target *target, const char *path,
				    struct varve_causes *causes)
{
	char *aside = target->aside;
	if (snprintf(aside, sizeof target->aside, "%s.%d.packing", path, (int)getpid()) >=
	    (int)sizeof target->aside) {
		aside[0] = 0;
		return cause(causes, VARVE_LIMIT, "the name %s is too long", path);
	}
	if (target->count == 1 || !mkdir(aside, 0777))
		return VARVE_OK;
	enum varve_status status =
		errno == EEXIST
			? cause(causes, VARVE_SYSTEM,
				"cannot create %s: %s already exists; remove it", path, aside)
			: target_failed(causes, "create", path);
	aside[0] = 0;
	return status;
}

/* A single file beside the target that could not be created is not ours; the folder of several files is. */
static enum varve_status name_failed(struct packed_target *target, const char *path,
				     struct varve_causes *causes)
{
	enum varve_status status = target_failed(causes, "create", path);
	if (target->count == 1)
		target->aside[0] = 0;
	return status;
}

/* The path of a file beside the target. */
static void target_file_path(const struct packed_target *target, size_t at, char name[NAME_ROOM])
{
	const char *end = name + NAME_ROOM;
	char *to = text_add(name, end, target->aside);
	if (target->count > 1)
		trace_file_name(text_add(to, end, "/"), end, TRACE_FILE_PACKED, (uint32_t)at);
}

enum varve_status packed_target_open(struct packed_target *target, const char *path, size_t count,
				     const uint8_t run_id[16], struct varve_causes *causes)
{
	char name[NAME_ROOM];
	target->count = count;
	target->aside[0] = 0;
	for (size_t i = 0; i < PACKED_FILES_MOST; i++)
		target->files[i].fd = -1;
	for (size_t i = 0; i < count; i++) {
		int fd = target->aside[0] ? -1 : open_nameless(path);
		if (fd < 0 && !i)
			TRY(aside_make(target, path, causes));
		if (fd < 0 && target->aside[0]) {
			target_file_path(target, i, name);
			fd = open(name, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0666);
		}
		if (fd < 0)
			return name_failed(target, path, causes);
		TRY(packed_file_start(&target->files[i], fd, path, run_id, causes));
	}
	return VARVE_OK;
}

void packed_target_drop(struct packed_target *target)
{
	char name[NAME_ROOM];
	for (size_t i = 0; i < target->count; i++) {
		packed_file_stop(&target->files[i]);
		if (target->aside[0]) {
			target_file_path(target, i, name);
			unlink(name);
		}
	}
	if (target->aside[0] && target->count > 1)
		rmdir(target->aside);
	target->count = 0;
}

/* Makes sure that the names in a folder are on disk. */
static void sync_folder(const char *folder)
{
	int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd >= 0) {
		fsync(fd); /* file systems that cannot do it need it least */
		close(fd);
	}
}

/* Exchanges two names in one step, if the file system can. */
static enum varve_status target_exchange(const char *aside, const char *path, char **replaced,
					 struct varve_causes *causes)
{
	*replaced = strdup(aside);
	if (!*replaced)
		return cause(causes, VARVE_NO_MEMORY, "no memory for a name");
	if (!renameat2(AT_FDCWD, aside, AT_FDCWD, path, RENAME_EXCHANGE))
		return VARVE_OK;
	char away[NAME_ROOM];
	snprintf(away, sizeof away, "%s.streams", aside);
	if (rename(path, away)) {
		free(*replaced);
		*replaced = NULL;
		return target_failed(causes, "replace", path);
	}
	if (rename(aside, path)) {
		enum varve_status status = target_failed(causes, "replace", path);
		if (!rename(away, path)) {
			free(*replaced);
			*replaced = NULL;
		}
		return status;
	}
	free(*replaced);
	*replaced = strdup(away);
	return *replaced ? VARVE_OK : cause(causes, VARVE_NO_MEMORY, "no memory for a name");
}

/* Gives files without a name names beside the target. */
static enum varve_status link_aside(struct packed_target *target, const char *path,
				    struct varve_causes *causes)
{
	char name[NAME_ROOM], from[32];
	TRY(aside_make(target, path, causes));
	for (size_t i = 0; i < target->count; i++) {
		target_file_path(target, i, name);
		snprintf(from, sizeof from, "/proc/self/fd/%d", target->files[i].fd);
		if (linkat(AT_FDCWD, from, AT_FDCWD, name, AT_SYMLINK_FOLLOW))
			return name_failed(target, path, causes);
	}
	return VARVE_OK;
}

enum varve_status packed_target_publish(struct packed_target *target, const char *path,
					char **replaced, struct varve_causes *causes)
{
	struct stat stat;
	char folder[4096];
	*replaced = NULL;
	if (!target->aside[0])
		TRY(link_aside(target, path, causes));
	if (target->count > 1)
		sync_folder(target->aside);
	bool there = !lstat(path, &stat);
	if (there && (target->count > 1 || S_ISDIR(stat.st_mode)))
		TRY(target_exchange(target->aside, path, replaced, causes));
	else if (rename(target->aside, path))
		return target_failed(causes, "create", path);
	target->aside[0] = 0;
	if (folder_around(path, folder))
		sync_folder(folder);
	return VARVE_OK;
}

bool pack_remove_replaced(const char *path)
{
	struct stat stat;
	/* Remove a link itself, not its target. */
	if (!lstat(path, &stat) && !S_ISDIR(stat.st_mode))
		return !unlink(path);
	DIR *list = opendir(path);
	if (!list)
		return false;
	for (struct dirent *entry; (entry = readdir(list));)
		if (trace_file_is(entry->d_name))
			unlinkat(dirfd(list), entry->d_name, 0);
	closedir(list);
	return !rmdir(path);
}
