/* Pack: writes a file of a packed trace. See packed_file.h.
 *
 * Appends to the file, and writes the feet at its beginning last. packed_target.c owns the names.
 */
#include "pack/packed_file.h"

#include "base/hash.h"
#include "codec/block.h"
#include "packed/guard.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zstd.h>

/* The list of parts grows with the number of records, and consists mostly of checksums: in a long list, a search for matches
 * that needs much memory finds nothing. */
enum { SECTION_LEVEL = 15, PARTS_LEVEL = 3, PARTS_LONG = 1 << 16 };

static enum varve_status file_failed(const struct packed_file *file, const char *what,
				     struct varve_causes *causes)
{
	return cause(causes, VARVE_SYSTEM, "cannot %s %s: %s", what, file->name, strerror(errno));
}

enum varve_status packed_file_start(struct packed_file *file, int fd, const char *name,
				    const uint8_t run_id[16], struct varve_causes *causes)
{
	*file = (struct packed_file){
		.fd = fd, .name = name, .at = packed_begin(), .content = XXH64_createState()};
	memcpy(file->run_id, run_id, sizeof file->run_id);
	if (!file->content)
		return cause(causes, VARVE_NO_MEMORY, "no memory for a packed trace");
	XXH64_reset(file->content, 0);
	return VARVE_OK;
}

void packed_file_stop(struct packed_file *file)
{
	if (file->fd >= 0)
		close(file->fd);
	XXH64_freeState(file->content);
	*file = (struct packed_file){.fd = -1};
}

static enum varve_status write_at(struct packed_file *file, const void *bytes, size_t length,
				  uint64_t offset, struct varve_causes *causes)
{
	const uint8_t *from = bytes;
	while (length) {
		ssize_t wrote = pwrite(file->fd, from, length, (off_t)offset);
		if (wrote < 0 && errno == EINTR)
			continue;
		if (wrote <= 0) {
			errno = wrote < 0 ? errno : ENOSPC;
			return file_failed(file, "write", causes);
		}
		from += wrote;
		offset += (uint64_t)wrote;
		length -= (size_t)wrote;
	}
	return VARVE_OK;
}

/* Appends a block to the file. */
static enum varve_status file_append(struct packed_file *file, const uint8_t *block, size_t length,
				     struct varve_causes *causes)
{
	TRY(write_at(file, block, length, file->at, causes));
	XXH64_update(file->content, block + offsetof(struct block_header, payload_check),
		     sizeof(uint64_t));
	file->at += length;
	return VARVE_OK;
}

static enum varve_status file_put_block(struct packed_file *file, enum packed_section kind,
					const void *payload, size_t length,
					struct varve_causes *causes)
{
	uint8_t *block = malloc(block_plain_size(length));
	if (!block)
		return cause(causes, VARVE_NO_MEMORY, "no memory for a section");
	size_t size =
		block_plain(block, BLOCK_PACKED, file->run_id, (uint64_t)kind, payload, length);
	if (!file->foot.section[kind].length) {
		file->foot.section[kind].offset = file->at;
		file->foot.section[kind].length = size;
	}
	enum varve_status status = file_append(file, block, size, causes);
	free(block);
	return status;
}

enum varve_status packed_file_section(struct packed_file *file, enum packed_section kind,
				      const struct bytes *bytes, struct varve_causes *causes)
{
	if (bytes->failed)
		return cause(causes, VARVE_NO_MEMORY, "no memory for a section");
	size_t room = ZSTD_compressBound(bytes->length);
	uint8_t *payload = malloc(room + VARINT_MOST);
	if (!payload)
		return cause(causes, VARVE_NO_MEMORY, "no memory for a section");
	uint8_t *at = varint_put(payload, bytes->length);
	size_t size = ZSTD_compress(
		at, room, bytes->at ? (const void *)bytes->at : "", bytes->length,
		kind == SECTION_PARTS && bytes->length > PARTS_LONG ? PARTS_LEVEL : SECTION_LEVEL);
	enum varve_status status = ZSTD_isError(size)
					   ? cause(causes, VARVE_NO_MEMORY, "no memory for zstd")
					   : file_put_block(file, kind, payload,
							    (size_t)(at - payload) + size, causes);
	free(payload);
	return status;
}

/* Appends the guard of bytes that were just written. */
static enum varve_status put_guard(struct packed_file *file, const uint8_t *bytes, size_t length,
				   struct varve_causes *causes)
{
	size_t size = guard_size(length);
	uint8_t *guard = malloc(size + 1);
	if (!guard)
		return cause(causes, VARVE_NO_MEMORY, "no memory for a guard");
	guard_make(bytes, length, guard);
	enum varve_status status = file_put_block(file, SECTION_GUARD, guard, size, causes);
	free(guard);
	return status;
}

enum varve_status packed_file_guard(struct packed_file *file, struct varve_causes *causes)
{
	size_t length = (size_t)file->at, begin = packed_begin();
	void *bytes = mmap(NULL, length, PROT_READ, MAP_SHARED, file->fd, 0);
	if (bytes == MAP_FAILED)
		return file_failed(file, "read", causes);
	enum varve_status status =
		put_guard(file, (const uint8_t *)bytes + begin, length - begin, causes);
	munmap(bytes, length);
	return status;
}

enum varve_status packed_file_data(struct packed_file *file, uint8_t *block, size_t length,
				   struct varve_causes *causes)
{
	struct block_header header = {.type = BLOCK_PACKED,
				      .header_length = sizeof header,
				      .length = length,
				      .sequence = SECTION_DATA,
				      .rank = -1};
	memcpy(header.run_id, file->run_id, sizeof header.run_id);
	block_seal(block, &header);
	if (!file->foot.section[SECTION_DATA].length)
		file->foot.section[SECTION_DATA].offset = file->at;
	TRY(file_append(file, block, length, causes));
	TRY(put_guard(file, block, length, causes));
	file->foot.section[SECTION_DATA].length =
		file->at - file->foot.section[SECTION_DATA].offset;
	return VARVE_OK;
}

enum varve_status packed_file_foot(struct packed_file *file, struct varve_causes *causes)
{
	uint8_t foot[sizeof(struct block_header) + sizeof file->foot + BLOCK_ALIGN];
	size_t size = packed_foot_block();
	file->foot.version = PACKED_VERSION;
	file->foot.file_size = file->at + size;
	file->foot.content = XXH64_digest(file->content);
	block_plain(foot, BLOCK_PACKED, file->run_id, SECTION_FOOT, &file->foot, sizeof file->foot);
	memcpy(&file->check, foot + offsetof(struct block_header, header_check),
	       sizeof file->check);
	for (unsigned i = 0; i < PACKED_HEADS; i++)
		TRY(write_at(file, foot, size, i * size, causes));
	TRY(write_at(file, foot, size, file->at, causes));
	file->at += size;
	return VARVE_OK;
}

enum varve_status packed_file_copy(struct packed_file *file, const uint8_t *bytes, size_t length,
				   struct varve_causes *causes)
{
	file->at = length;
	return write_at(file, bytes, length, 0, causes);
}

enum varve_status packed_file_sync(const struct packed_file *file, struct varve_causes *causes)
{
	return fsync(file->fd) ? file_failed(file, "write", causes) : VARVE_OK;
}
