/* Pack: a file of a packed trace. See packed_file.h. It writes at the end of the file, and headers of data blocks when these
 * are full. Names are the business of packed_target.c. */
#include "pack/packed_file.h"

#include "base/hash.h"
#include "codec/block.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>

/* Data blocks are as long as this, and a part more. */
enum { DATA_BLOCK = 1 << 26 };

/* The list of parts grows with the records, and is checks for the most part: in a long one a search that takes memory finds
 * nothing. */
enum { SECTION_LEVEL = 15, PARTS_LEVEL = 3, PARTS_LONG = 1 << 16 };

static enum status failed(struct varve_causes *causes, const char *what)
{
	return cause(causes, STATUS_SYSTEM, "the packed trace cannot be %s: %s", what,
		     strerror(errno));
}

enum status packed_file_start(struct packed_file *file, int fd, const uint8_t run_id[16],
			      struct varve_causes *causes)
{
	*file = (struct packed_file){.fd = fd, .data_hash = XXH64_createState()};
	memcpy(file->run_id, run_id, sizeof file->run_id);
	return file->data_hash ? STATUS_OK
			       : cause(causes, STATUS_NO_MEMORY, "no memory for a packed trace");
}

void packed_file_stop(struct packed_file *file)
{
	if (file->fd >= 0)
		close(file->fd);
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
			return failed(causes, "written");
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
	size_t size = ZSTD_compress(
		at, room, bytes->at ? (const void *)bytes->at : "", bytes->length,
		kind == SECTION_PARTS && bytes->length > PARTS_LONG ? PARTS_LEVEL : SECTION_LEVEL);
	enum status status =
		ZSTD_isError(size)
			? cause(causes, STATUS_NO_MEMORY, "no memory for zstd")
			: put_block(file, kind, payload, (size_t)(at - payload) + size, causes);
	free(payload);
	return status;
}

enum status packed_file_data_end(struct packed_file *file, struct varve_causes *causes)
{
	if (!file->in_data)
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
	if (!file->first_check)
		file->first_check = header.header_check;
	file->in_data = false;
	return STATUS_OK;
}

enum status packed_file_data(struct packed_file *file, struct varve_causes *causes)
{
	static const uint8_t empty[sizeof(struct block_header)];
	if (file->in_data && file->at - file->data_begin > DATA_BLOCK)
		TRY(packed_file_data_end(file, causes));
	if (file->in_data)
		return STATUS_OK;
	file->in_data = true;
	file->data_begin = file->at;
	XXH64_reset(file->data_hash, SECTION_DATA);
	return append(file, empty, sizeof empty, causes);
}

enum status packed_file_part(struct packed_file *file, struct spool *spool,
			     struct values_part *part, struct varve_causes *causes)
{
	TRY(packed_file_data(file, causes));
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

enum status packed_file_foot(struct packed_file *file, struct varve_causes *causes)
{
	file->foot.version = PACKED_VERSION;
	file->foot.file_size = file->at + block_plain_size(sizeof file->foot);
	return put_block(file, SECTION_FOOT, &file->foot, sizeof file->foot, causes);
}

enum status packed_file_sync(const struct packed_file *file, struct varve_causes *causes)
{
	return fsync(file->fd) ? failed(causes, "written to disk") : STATUS_OK;
}
