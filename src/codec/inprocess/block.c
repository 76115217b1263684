/* Codec: block headers: checking, finding, sealing. See block.h. */
#include "codec/block.h"

#include "base/hash.h"

#include <string.h>

_Static_assert(sizeof(struct block_header) == 168, "the block header is a file format");
_Static_assert(sizeof(struct block_summary) == 32, "the summary row is a file format");
_Static_assert(sizeof(struct block_column) == 16, "the column row is a file format");
#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "traces are little-endian and this code reads them in place"
#endif

/* The check is the last field of the fixed part: the bytes before it give the seed for the hash of the bytes after it. */
uint64_t block_header_check(const uint8_t *bytes, uint32_t header_length)
{
	uint64_t before = hash64(bytes, offsetof(struct block_header, header_check), 0);
	return hash64(bytes + sizeof(struct block_header),
		      header_length - sizeof(struct block_header), before);
}

_Static_assert(offsetof(struct block_header, header_check) + 8 == sizeof(struct block_header),
	       "the check is last");

enum varve_status block_open(const uint8_t *bytes, size_t room, struct block_header *header,
			     struct varve_causes *causes)
{
	if (room < sizeof *header)
		return cause(causes, VARVE_TRUNCATED, "truncated block header");
	memcpy(header, bytes, sizeof *header);
	if (header->magic != BLOCK_MAGIC)
		return cause(causes, VARVE_DAMAGED, "bad block header");
	if (header->version > BLOCK_VERSION && header->header_length <= room &&
	    header->header_length >= sizeof *header &&
	    block_header_check(bytes, header->header_length) == header->header_check)
		return cause(causes, VARVE_NEWER,
			     "format version %u is newer than %u, which this Varve reads; install "
			     "a newer Varve",
			     header->version, (unsigned)BLOCK_VERSION);
	uint64_t rows = sizeof *header +
			(uint64_t)header->summaries * sizeof(struct block_summary) +
			(uint64_t)header->columns * sizeof(struct block_column);
	if (header->version < BLOCK_VERSION_FIRST || header->version > BLOCK_VERSION ||
	    header->header_length != rows || header->length < header->header_length ||
	    header->length % BLOCK_ALIGN)
		return cause(causes, VARVE_DAMAGED, "bad block header");
	if (header->header_length > room)
		return cause(causes, VARVE_TRUNCATED, "truncated block header");
	if (block_header_check(bytes, header->header_length) != header->header_check)
		return cause(causes, VARVE_DAMAGED, "wrong checksum of a block header");
	if (header->length > room)
		return cause(causes, VARVE_TRUNCATED, "truncated block");
	return VARVE_OK;
}

enum varve_status block_check(const uint8_t *bytes, const struct block_header *header,
			      struct varve_causes *causes)
{
	const uint8_t *payload = bytes + header->header_length;
	if (hash64(payload, header->length - header->header_length, header->sequence) !=
	    header->payload_check)
		return cause(causes, VARVE_DAMAGED, "wrong checksum of the content of a block");
	return VARVE_OK;
}

struct block_summary block_summary_at(const uint8_t *bytes, const struct block_header *header,
				      uint32_t at)
{
	struct block_summary row;
	(void)header;
	memcpy(&row, bytes + sizeof(struct block_header) + (size_t)at * sizeof row, sizeof row);
	return row;
}

struct block_column block_column_at(const uint8_t *bytes, const struct block_header *header,
				    uint32_t at)
{
	struct block_column row;
	size_t first = sizeof(struct block_header) +
		       (size_t)header->summaries * sizeof(struct block_summary);
	memcpy(&row, bytes + first + (size_t)at * sizeof row, sizeof row);
	return row;
}

uint64_t block_search(const uint8_t *bytes, uint64_t size, uint64_t from)
{
	uint64_t magic = BLOCK_MAGIC;
	for (uint64_t at = (from + BLOCK_ALIGN - 1) / BLOCK_ALIGN * BLOCK_ALIGN;
	     at + sizeof magic <= size; at += BLOCK_ALIGN)
		if (memcmp(bytes + at, &magic, sizeof magic) == 0)
			return at;
	return size;
}

/* Whether the bytes are what one failed write has left. */
static bool block_remnant(const uint8_t *bytes, uint64_t length, const uint8_t run_id[16])
{
	const uint64_t magic = BLOCK_MAGIC;
	struct block_header head = {0};
	while (length && !bytes[length - 1])
		length--;
	if (length >= sizeof head)
		return false;
	memcpy(&head, bytes, length);
	if (length <= offsetof(struct block_header, version))
		return !memcmp(&head.magic, &magic, length);
	if (length < offsetof(struct block_header, sequence))
		return head.magic == magic;
	return head.magic == magic && !memcmp(head.run_id, run_id, sizeof head.run_id);
}

bool block_remnants(const uint8_t *bytes, uint64_t length, const uint8_t run_id[16])
{
	for (uint64_t at = 0; at < length;) {
		uint64_t next = block_search(bytes, length, at + BLOCK_ALIGN);
		if (!block_remnant(bytes + at, next - at, run_id))
			return false;
		at = next;
	}
	return true;
}

void block_seal(uint8_t *bytes, struct block_header *header)
{
	uint64_t padded = (header->length + BLOCK_ALIGN - 1) / BLOCK_ALIGN * BLOCK_ALIGN;
	memset(bytes + header->length, 0, padded - header->length);
	header->length = padded;
	header->magic = BLOCK_MAGIC;
	if (!header->version)
		header->version = header->codec == CODEC_PEEPHOLE || header->type == BLOCK_PACKED
					  ? BLOCK_VERSION_PEEPHOLE
					  : BLOCK_VERSION_FIRST;
	header->payload_check = hash64(bytes + header->header_length,
				       padded - header->header_length, header->sequence);
	memcpy(bytes, header, sizeof *header);
	header->header_check = block_header_check(bytes, header->header_length);
	memcpy(bytes + offsetof(struct block_header, header_check), &header->header_check,
	       sizeof header->header_check);
}

size_t block_plain_size(size_t payload)
{
	return (sizeof(struct block_header) + payload + BLOCK_ALIGN - 1) / BLOCK_ALIGN *
	       BLOCK_ALIGN;
}

size_t block_plain(uint8_t *bytes, enum block_type type, const uint8_t run_id[16],
		   uint64_t sequence, const void *payload, size_t length)
{
	struct block_header header = {
		.type = (uint8_t)type,
		.codec = CODEC_NONE,
		.header_length = sizeof header,
		.length = sizeof header + length,
		.sequence = sequence,
		.rank = -1,
		.records = 0,
	};
	memcpy(header.run_id, run_id, sizeof header.run_id);
	if (length)
		memcpy(bytes + sizeof header, payload, length);
	block_seal(bytes, &header);
	return header.length;
}
