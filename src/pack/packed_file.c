/* Pack: the file of a packed trace. See packed_file.h. It writes at the end of the file, and headers of data blocks when these
 * are full. */
#include "pack/packed_file.h"
#include "pack/pack.h"

#include "base/hash.h"
#include "codec/block.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

/* Data blocks are as long as this, and a part more. */
enum { DATA_BLOCK = 1 << 26, SECTION_LEVEL = 15 };

static enum status failed(struct varve_causes *causes, const char *what, const char *path)
{
	return cause(causes, STATUS_SYSTEM, "%s %s: %s", path, what, strerror(errno));
}

/* A file without a name leaves nothing behind, whatever happens. Not every file system has them. */
static int open_nameless(const char *target)
{
	char folder[4096];
	const char *slash = strrchr(target, '/');
	size_t length = slash ? (size_t)(slash - target) + 1 : 1;
	if (length >= sizeof folder)
		return -1;
	memcpy(folder, slash ? target : ".", length);
	folder[length] = 0;
	return open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0666);
}

/* A name beside the target that nobody has. */
static enum status name_aside(char path[4096], const char *target, struct varve_causes *causes)
{
	if (snprintf(path, 4096, "%s.%d.packing", target, (int)getpid()) < 4096)
		return STATUS_OK;
	return cause(causes, STATUS_LIMIT, "the name %s is too long", target);
}

enum status packed_file_create(struct packed_file *file, const char *target,
			       const uint8_t run_id[16], struct varve_causes *causes)
{
	*file = (struct packed_file){.fd = open_nameless(target)};
	memcpy(file->run_id, run_id, sizeof file->run_id);
	if (file->fd < 0) {
		TRY(name_aside(file->path, target, causes));
		file->fd = open(file->path, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0666);
	}
	if (file->fd < 0) {
		enum status status = failed(causes, "cannot be written", target);
		file->path[0] = 0;
		return status;
	}
	file->data_hash = XXH64_createState();
	if (!file->data_hash) {
		packed_file_drop(file);
		return cause(causes, STATUS_NO_MEMORY, "no memory for a packed trace");
	}
	return STATUS_OK;
}

void packed_file_drop(struct packed_file *file)
{
	if (file->fd >= 0)
		close(file->fd);
	if (file->path[0])
		unlink(file->path);
	XXH64_freeState(file->data_hash);
	free(file->buffer);
	*file = (struct packed_file){.fd = -1};
}

static enum status write_at(struct packed_file *file, const void *bytes, size_t length,
			    uint64_t offset, struct varve_causes *causes)
{
	const uint8_t *from = bytes;
	while (length) {
		ssize_t wrote = pwrite(file->fd, from, length, (off_t)offset);
		if (wrote < 0 && errno == EINTR)
			continue;
		if (wrote <= 0) {
			errno = wrote < 0 ? errno : ENOSPC;
			return failed(causes, "cannot be written",
				      file->path[0] ? file->path : "the packed trace");
		}
		from += wrote;
		offset += (uint64_t)wrote;
		length -= (size_t)wrote;
	}
	return STATUS_OK;
}

static enum status append(struct packed_file *file, const void *bytes, size_t length,
			  struct varve_causes *causes)
{
	TRY(write_at(file, bytes, length, file->at, causes));
	file->at += length;
	return STATUS_OK;
}

static void note(struct packed_file *file, enum packed_section kind, uint64_t offset)
{
	if (!file->foot.section[kind].length)
		file->foot.section[kind].offset = offset;
	file->foot.section[kind].length = file->at - file->foot.section[kind].offset;
}

static enum status put_block(struct packed_file *file, enum packed_section kind,
			     const void *payload, size_t length, struct varve_causes *causes)
{
	uint64_t offset = file->at;
	uint8_t *block = malloc(block_plain_size(length));
	if (!block)
		return cause(causes, STATUS_NO_MEMORY, "no memory for a section");
	size_t size =
		block_plain(block, BLOCK_PACKED, file->run_id, (uint64_t)kind, payload, length);
	enum status status = append(file, block, size, causes);
	free(block);
	note(file, kind, offset);
	return status;
}

enum status packed_file_section(struct packed_file *file, enum packed_section kind,
				const struct bytes *bytes, struct varve_causes *causes)
{
	if (bytes->failed)
		return cause(causes, STATUS_NO_MEMORY, "no memory for a section");
	size_t room = ZSTD_compressBound(bytes->length);
	uint8_t *payload = malloc(room + VARINT_MOST);
	if (!payload)
		return cause(causes, STATUS_NO_MEMORY, "no memory for a section");
	uint8_t *at = varint_put(payload, bytes->length);
	size_t size = ZSTD_compress(at, room, bytes->at ? (const void *)bytes->at : "",
				    bytes->length, SECTION_LEVEL);
	enum status status =
		ZSTD_isError(size)
			? cause(causes, STATUS_NO_MEMORY, "no memory for zstd")
			: put_block(file, kind, payload, (size_t)(at - payload) + size, causes);
	free(payload);
	return status;
}

enum status packed_file_data_end(struct packed_file *file, struct varve_causes *causes)
{
	if (!file->data_begin)
		return STATUS_OK;
	static const uint8_t zero[BLOCK_ALIGN];
	size_t padding = (size_t)(-file->at % BLOCK_ALIGN);
	XXH64_update(file->data_hash, zero, padding);
	TRY(append(file, zero, padding, causes));
	uint8_t bytes[sizeof(struct block_header)];
	struct block_header header = {.magic = BLOCK_MAGIC,
				      .version = BLOCK_VERSION_PEEPHOLE,
				      .type = BLOCK_PACKED,
				      .header_length = sizeof header,
				      .length = file->at - file->data_begin,
				      .sequence = SECTION_DATA,
				      .rank = -1,
				      .payload_check = XXH64_digest(file->data_hash)};
	memcpy(header.run_id, file->run_id, sizeof header.run_id);
	memcpy(bytes, &header, sizeof header);
	header.header_check = block_header_check(bytes, header.header_length);
	memcpy(bytes, &header, sizeof header);
	TRY(write_at(file, bytes, sizeof bytes, file->data_begin, causes));
	note(file, SECTION_DATA, file->data_begin);
	file->data_begin = 0;
	return STATUS_OK;
}

enum status packed_file_part(struct packed_file *file, struct spool *spool,
			     struct values_part *part, struct varve_causes *causes)
{
	if (file->data_begin && file->at - file->data_begin > DATA_BLOCK)
		TRY(packed_file_data_end(file, causes));
	if (!file->data_begin) {
		static const uint8_t empty[sizeof(struct block_header)];
		file->data_begin = file->at;
		XXH64_reset(file->data_hash, SECTION_DATA);
		TRY(append(file, empty, sizeof empty, causes));
	}
	if (part->stored > file->buffer_room) {
		uint8_t *buffer = realloc(file->buffer, part->stored);
		if (!buffer)
			return cause(causes, STATUS_NO_MEMORY, "no memory for a part");
		file->buffer = buffer;
		file->buffer_room = part->stored;
	}
	TRY(spool_get(spool, part->offset, file->buffer, part->stored, causes));
	part->offset = file->at;
	XXH64_update(file->data_hash, file->buffer, part->stored);
	return append(file, file->buffer, part->stored, causes);
}

/* Makes sure that a name is on disk. */
static void sync_folder(const char *path)
{
	char folder[4096];
	snprintf(folder, sizeof folder, "%s", path);
	char *slash = strrchr(folder, '/');
	if (slash)
		slash[slash == folder] = 0;
	int fd = open(slash ? folder : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd >= 0) {
		fsync(fd); /* file systems that cannot do it need it least */
		close(fd);
	}
}

/* The folder and the file change their names in one step, where the file system can. */
static enum status exchange(struct packed_file *file, const char *target, char **folder,
			    struct varve_causes *causes)
{
	*folder = strdup(file->path);
	if (!*folder)
		return cause(causes, STATUS_NO_MEMORY, "no memory for a name");
	if (!renameat2(AT_FDCWD, file->path, AT_FDCWD, target, RENAME_EXCHANGE))
		return STATUS_OK;
	char aside[4096 + 16];
	snprintf(aside, sizeof aside, "%s.streams", file->path);
	if (rename(target, aside)) {
		free(*folder);
		*folder = NULL;
		return failed(causes, "cannot be replaced", target);
	}
	if (rename(file->path, target)) {
		enum status status = failed(causes, "cannot be replaced", target);
		if (!rename(aside, target)) {
			free(*folder);
			*folder = NULL;
		}
		return status;
	}
	free(*folder);
	*folder = strdup(aside);
	return *folder ? STATUS_OK : cause(causes, STATUS_NO_MEMORY, "no memory for a name");
}

enum status packed_file_seal(struct packed_file *file, struct varve_causes *causes)
{
	file->foot.version = 1;
	file->foot.file_size = file->at + block_plain_size(sizeof file->foot);
	TRY(put_block(file, SECTION_FOOT, &file->foot, sizeof file->foot, causes));
	return fsync(file->fd) ? failed(causes, "cannot be written to disk", "the packed trace")
			       : STATUS_OK;
}

void packed_file_name(const struct packed_file *file, char *name, size_t room)
{
	if (file->path[0])
		snprintf(name, room, "%s", file->path);
	else
		snprintf(name, room, "/proc/self/fd/%d", file->fd);
}

enum status packed_file_publish(struct packed_file *file, const char *target, char **folder,
				struct varve_causes *causes)
{
	struct stat stat;
	*folder = NULL;
	if (!file->path[0]) {
		char name[sizeof file->path];
		packed_file_name(file, name, sizeof name);
		TRY(name_aside(file->path, target, causes));
		if (linkat(AT_FDCWD, name, AT_FDCWD, file->path, AT_SYMLINK_FOLLOW)) {
			enum status status = failed(causes, "cannot be made", file->path);
			file->path[0] = 0;
			return status;
		}
	}
	bool is_folder = !lstat(target, &stat) && S_ISDIR(stat.st_mode);
	if (is_folder)
		TRY(exchange(file, target, folder, causes));
	else if (rename(file->path, target))
		return failed(causes, "cannot be made", target);
	file->path[0] = 0;
	sync_folder(target);
	return STATUS_OK;
}

/* Files that a trace consists of; a folder that holds others stays. */
static bool of_trace(const char *name)
{
	static const char *const begins[] = {"data.", "index", "lanes", "ranks"};
	for (size_t i = 0; i < sizeof begins / sizeof *begins; i++)
		if (!strncmp(name, begins[i], strlen(begins[i])))
			return true;
	return false;
}

bool pack_remove_streams(const char *folder)
{
	DIR *list = opendir(folder);
	if (!list)
		return false;
	for (struct dirent *entry; (entry = readdir(list));)
		if (of_trace(entry->d_name))
			unlinkat(dirfd(list), entry->d_name, 0);
	closedir(list);
	return !rmdir(folder);
}
