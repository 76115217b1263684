/* Trace: finds the foot of a packed file, and replaces a damaged one in memory. See packed.h.
 *
 * From version 3 on it is stored three times: twice at the beginning, and at the end. One good foot is enough. If none is
 * good, the file is searched for blocks: each contains its kind and length.
 */
#include "trace/packed/packed.h"

#include "base/hash.h"

#include <stdlib.h>
#include <string.h>

/* Whether there is a good block with a foot at `at`. */
static bool is_foot(const uint8_t *bytes, uint64_t room, uint64_t at, struct block_header *header)
{
	return at <= room && block_open(bytes + at, room - at, header, NULL) == VARVE_OK &&
	       header->type == BLOCK_PACKED && header->sequence == SECTION_FOOT &&
	       block_check(bytes + at, header, NULL) == VARVE_OK;
}

/* The same for a foot of this version. */
static bool is_foot_of(const uint8_t *bytes, uint64_t room, uint64_t at, uint32_t version,
		       struct block_header *header, struct packed_foot *foot)
{
	size_t size = packed_foot_size(version);
	if (!is_foot(bytes, room, at, header) || header->length != block_plain_size(size))
		return false;
	*foot = (struct packed_foot){0};
	memcpy(foot, bytes + at + header->header_length, size);
	return foot->version == version;
}

/* The places of the feet in a file of this length. */
enum { FEET = PACKED_HEADS + 1 };
static size_t feet_places(uint64_t length, uint64_t places[FEET])
{
	size_t size = packed_foot_block(), count = 0;
	for (; count < PACKED_HEADS && (count + 1) * size <= length; count++)
		places[count] = count * size;
	if (length >= FEET * size)
		places[count++] = length - size;
	return count;
}

bool packed_foot_find(const uint8_t *bytes, uint64_t length, struct block_header *header,
		      struct packed_foot *foot)
{
	uint64_t places[FEET];
	size_t count = feet_places(length, places);
	for (size_t i = 0; i < count; i++)
		for (uint32_t version = PACKED_VERSION; version >= PACKED_VERSION_GUARDED;
		     version--)
			if (is_foot_of(bytes, length, places[i], version, header, foot))
				return true;
	return false;
}

void packed_feet_mend(struct packed *packed, uint64_t base, uint64_t length,
		      const uint8_t run_id[16], const struct packed_foot *foot)
{
	size_t size = packed_foot_block();
	uint64_t places[FEET];
	uint8_t *block = malloc(size);
	if (!block)
		return;
	block_plain(block, BLOCK_PACKED, run_id, SECTION_FOOT, foot, sizeof *foot);
	size_t count = feet_places(length, places);
	/* In a truncated file, the place of the last foot contains other data. */
	if (length != foot->file_size && count == FEET)
		count--;
	for (size_t i = 0; i < count; i++)
		packed_patch(packed, base + places[i], block, size);
	free(block);
}

/* Makes the content of a foot from all blocks of the file with good headers. */
static bool foot_scan(const uint8_t *bytes, uint64_t length, uint8_t run_id[16],
		      struct packed_foot *foot)
{
	struct block_header header;
	XXH64_state_t *content = XXH64_createState();
	if (!content)
		return false;
	XXH64_reset(content, 0);
	*foot = (struct packed_foot){.version = PACKED_VERSION};
	for (uint64_t at = 0; (at = block_search(bytes, length, at)) < length;) {
		enum varve_status status = block_open(bytes + at, length - at, &header, NULL);
		uint64_t kind = header.sequence, end = at + BLOCK_ALIGN;
		if (status == VARVE_OK && header.type == BLOCK_PACKED && kind < SECTIONS) {
			end = at + header.length;
			if (!foot->section[kind].length) {
				foot->section[kind].offset = at;
				foot->section[kind].length = header.length;
			}
			if (kind != SECTION_FOOT) {
				memcpy(run_id, header.run_id, sizeof header.run_id);
				XXH64_update(content, &header.payload_check,
					     sizeof header.payload_check);
				foot->file_size = end;
			}
		}
		at = end;
	}
	foot->content = XXH64_digest(content);
	XXH64_freeState(content);
	/* Only version 3 and later have guards. After the last block there is a foot. */
	if (foot->section[SECTION_DATA].length)
		foot->section[SECTION_DATA].length =
			foot->file_size - foot->section[SECTION_DATA].offset;
	foot->file_size += packed_foot_block();
	foot->section[SECTION_FOOT].offset = foot->section[SECTION_FOOT].length = 0;
	return foot->section[SECTION_GUARD].length && foot->section[SECTION_NODES].length;
}

static enum varve_status packed_newer(struct varve_causes *causes)
{
	return cause(causes, VARVE_NEWER,
		     "the trace was packed by a newer Varve; install the version that wrote it, or "
		     "a later one");
}

/* In a file before version 3, the foot is the last block, and its length is known. */
static bool find_last(const struct packed *packed, struct block_header *header,
		      struct packed_foot *foot)
{
	for (uint32_t version = PACKED_VERSION_GUARDED - 1; version; version--) {
		size_t size = block_plain_size(packed_foot_size(version));
		if (packed->size >= size && is_foot_of(packed->file, packed->size,
						       packed->size - size, version, header, foot))
			return true;
	}
	return false;
}

/* Whether there is a good foot of an unknown, newer version. */
static bool is_newer(const struct packed *packed)
{
	struct block_header header;
	uint32_t version;
	for (size_t size = block_plain_size(packed_foot_size(1)); size <= packed_foot_block();
	     size += BLOCK_ALIGN) {
		uint64_t at = packed->size - size;
		if (packed->size < size || !is_foot(packed->file, packed->size, at, &header))
			continue;
		memcpy(&version, packed->file + at + header.header_length, sizeof version);
		return version > PACKED_VERSION;
	}
	if (!is_foot(packed->file, packed->size, 0, &header))
		return false;
	memcpy(&version, packed->file + header.header_length, sizeof version);
	return version > PACKED_VERSION;
}

enum varve_status packed_foot_read(struct varve_trace *trace, struct varve_causes *causes)
{
	struct packed *packed = trace->packed;
	struct packed_foot *foot = &packed->foot;
	struct block_header header;
	if (packed_foot_find(packed->file, packed->size, &header, foot) ||
	    find_last(packed, &header, foot)) {
		memcpy(packed->run_id, header.run_id, sizeof header.run_id);
	} else if (is_newer(packed)) {
		return packed_newer(causes);
	} else if (!foot_scan(packed->file, packed->size, packed->run_id, foot)) {
		return packed_damaged(
			causes,
			"its beginning or its end is missing: the file is truncated or incomplete");
	}
	memcpy(trace->run_id, packed->run_id, sizeof trace->run_id);
	if (foot->version < PACKED_VERSION_GUARDED)
		return foot->file_size == packed->size
			       ? VARVE_OK
			       : packed_damaged(causes, "it has the wrong length");
	if (foot->file_size < packed_begin())
		return packed_damaged(
			causes, "the file is shorter than the tables of contents at its beginning");
	packed_feet_mend(packed, 0, packed->size < foot->file_size ? packed->size : foot->file_size,
			 packed->run_id, foot);
	return VARVE_OK;
}
