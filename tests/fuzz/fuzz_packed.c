/* Fuzzing: a packed trace: its sections as they are before they are compressed, put together to a file and read as a trace.
 *
 * Input: a byte of flags, then as parts the sections in the order of `kinds`, with SECOND all of them and without it those of
 * version 1, then the data. The list of parts stands without checks: these are made. Data is the first block, so that places in it
 * are known. With RAW the rest is the file as it is.
 */
#include "fuzz.h"

#include "base/varint.h"
#include "loop/packed.h"
#include "loop/values.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

enum { RAW = 1, CHECK = 2, SECOND = 4, STREAMS_MOST = 64 };

static const enum packed_section kinds[] = {SECTION_NODES,  SECTION_TABLES, SECTION_STRUCTURE,
					    SECTION_OTHERS, SECTION_REST,   SECTION_STREAMS,
					    SECTION_PARTS,  SECTION_DAMAGE, SECTION_ANSWERS};
enum { KINDS = sizeof kinds / sizeof *kinds, KINDS_FIRST = KINDS - 1 };

struct file {
	uint8_t *bytes;
	size_t size;
	struct packed_foot foot;
};

static void put_block(struct file *file, enum packed_section kind, const void *payload,
		      size_t length)
{
	static const uint8_t run_id[16];
	file->bytes = realloc(file->bytes, file->size + block_plain_size(length));
	if (!file->bytes)
		abort();
	size_t size = block_plain(file->bytes + file->size, BLOCK_PACKED, run_id, (uint64_t)kind,
				  payload, length);
	file->foot.section[kind].offset = file->size;
	file->foot.section[kind].length = size;
	file->size += size;
}

static void put_section(struct file *file, enum packed_section kind, const uint8_t *bytes,
			size_t length)
{
	size_t room = ZSTD_compressBound(length);
	uint8_t *payload = malloc(room + VARINT_MOST);
	if (!payload)
		abort();
	uint8_t *at = varint_put(payload, length);
	size_t size = ZSTD_compress(at, room, bytes, length, 1);
	if (ZSTD_isError(size))
		abort();
	put_block(file, kind, payload, (size_t)(at - payload) + size);
	free(payload);
}

static uint64_t streams_of(struct part streams)
{
	uint64_t count = 0;
	const uint8_t *at = streams.bytes;
	if (!streams.size || !varint_get(&at, at + streams.size, &count))
		return 0;
	return count < STREAMS_MOST ? count : STREAMS_MOST;
}

/* The list of parts with the check of each behind it; the caller frees it. */
static uint8_t *checked_parts(const struct file *file, struct part list, uint64_t streams,
			      size_t *length)
{
	uint8_t *made = malloc(list.size * 3 + 8);
	const uint8_t *at = list.bytes, *end = at + list.size;
	uint64_t parts, offset, stored, last = 0;
	if (!made)
		abort();
	if (list.size)
		memcpy(made, list.bytes, list.size);
	*length = list.size;
	for (; list.size && streams && varint_get(&at, end, &parts); streams--)
		for (; parts && varint_get(&at, end, &offset) && varint_get(&at, end, &stored);
		     parts--) {
			offset += last;
			last = offset + (uint32_t)stored;
			bool there = offset < file->size && stored <= file->size - offset;
			uint32_t check =
				there ? values_check(file->bytes + offset, (size_t)stored) : 0;
			memcpy(made + *length, &check, sizeof check);
			*length += sizeof check;
		}
	return made;
}

static struct file assemble(struct input *input, bool second, uint64_t *streams)
{
	struct file file = {.foot = {.version = second ? 2 : 1}};
	struct part parts[KINDS];
	size_t count = second ? KINDS : KINDS_FIRST;
	for (size_t i = 0; i < count; i++)
		parts[i] = input_part(input);
	struct part data = input_rest(input);
	put_block(&file, SECTION_DATA, data.bytes ? data.bytes : (const uint8_t *)"", data.size);
	*streams = streams_of(parts[5]);
	for (size_t i = 0; i < count; i++) {
		if (kinds[i] != SECTION_PARTS) {
			put_section(&file, kinds[i], parts[i].bytes, parts[i].size);
			continue;
		}
		size_t length;
		uint8_t *list = checked_parts(&file, parts[i], *streams, &length);
		put_section(&file, kinds[i], list, length);
		free(list);
	}
	size_t foot = packed_foot_size(file.foot.version);
	file.foot.file_size = file.size + block_plain_size(foot);
	put_block(&file, SECTION_FOOT, &file.foot, foot);
	return file;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct input input = {bytes, size};
	uint8_t flags = input_byte(&input);
	uint64_t streams = 1;
	char path[128];
	if (flags & RAW) {
		struct part raw = input_rest(&input);
		folder_write("packed", raw.size ? raw.bytes : bytes, raw.size);
	} else {
		struct file file = assemble(&input, flags & SECOND, &streams);
		folder_write("packed", file.bytes, file.size);
		free(file.bytes);
	}
	snprintf(path, sizeof path, "%s/packed", folder_path());
	bound_begin(size, (size_t)streams + 2);
	read_trace(path, flags & CHECK ? 1u : 0u, READ_WHAT(flags));
	bound_end();
	return 0;
}
