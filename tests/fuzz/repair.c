/* Fuzzing: corrects checksums, lengths and tags. See fuzz.h.
 *
 * Without it nearly every input would fail at a checksum, and the code after it would never run. Only the fields that checks use
 * are written, so that they match the other bytes. */
#include "fuzz.h"

#include <string.h>

void repair_block(uint8_t *bytes, size_t room, unsigned how)
{
	struct block_header header;
	if (room < sizeof header)
		return;
	memcpy(&header, bytes, sizeof header);
	uint64_t most = (room - sizeof header) / 8 * 8;
	if (header.summaries > most / sizeof(struct block_summary))
		header.summaries %= (uint32_t)(most / sizeof(struct block_summary)) + 1;
	most -= header.summaries * sizeof(struct block_summary);
	if (header.columns > most / sizeof(struct block_column))
		header.columns %= (uint32_t)(most / sizeof(struct block_column)) + 1;
	header.header_length =
		(uint32_t)(sizeof header + header.summaries * sizeof(struct block_summary) +
			   header.columns * sizeof(struct block_column));
	bool fits = header.length <= room && header.length >= header.header_length &&
		    header.length % BLOCK_ALIGN == 0;
	if (!fits || !(how & REPAIR_KEEP_LENGTH))
		header.length = room / BLOCK_ALIGN * BLOCK_ALIGN;
	block_seal(bytes, &header);
	if (!(how & REPAIR_NEWER))
		return;
	header.version = BLOCK_VERSION + 1;
	memcpy(bytes, &header, sizeof header);
	header.header_check = block_header_check(bytes, header.header_length);
	memcpy(bytes, &header, sizeof header);
}

/* The end of the block at `at`: at the next magic, or by the length in its header. */
static size_t block_end(const uint8_t *bytes, size_t size, size_t at, unsigned how)
{
	uint64_t length = 0;
	if ((how & REPAIR_KEEP_LENGTH) && size - at >= sizeof(struct block_header))
		memcpy(&length, bytes + at + offsetof(struct block_header, length), sizeof length);
	if (length >= sizeof(struct block_header) && length <= size - at && !(length % BLOCK_ALIGN))
		return at + (size_t)length;
	return (size_t)block_search(bytes, size, at + BLOCK_ALIGN);
}

size_t repair_blocks(uint8_t *bytes, size_t size, unsigned how)
{
	size_t count = 0;
	for (size_t at = (size_t)block_search(bytes, size, 0); at < size; count++) {
		size_t end = block_end(bytes, size, at, how);
		repair_block(bytes + at, end - at, how);
		at = (size_t)block_search(bytes, size, end);
	}
	return count;
}

size_t count_blocks(const uint8_t *bytes, size_t size)
{
	size_t count = 0;
	for (size_t at = (size_t)block_search(bytes, size, 0); at < size; count++)
		at = (size_t)block_search(bytes, size, at + BLOCK_ALIGN);
	return count;
}

void repair_tags(struct lane *lane, size_t size)
{
	uint32_t tag = lane_tag(lane->generation, lane->process, lane->thread);
	uint64_t *base = (uint64_t *)(void *)lane;
	for (size_t at = LANE_HEADER; at + 16 <= size;) {
		uint64_t *words = base + at / 8, room = (size - at) / 8;
		uint64_t length = words[WORD_HEADER] >> 8 & 0xff;
		unsigned function = (unsigned)(words[WORD_HEADER] >> 16 & 0xffff);
		if (function >= DEFINE_FIRST)
			length = words[1];
		/* A word that begins no record is not changed: a gap. */
		if (length < 2 || length > room) {
			at += 8;
			continue;
		}
		words[WORD_HEADER] =
			(words[WORD_HEADER] & UINT32_MAX) | (uint64_t)(tag + (uint32_t)at) << 32;
		at += (size_t)length * 8;
	}
}
