/* Fuzzing: a packed trace: its sections before compression, combined to a file and read as a trace.
 *
 * Input: a byte of flags, then as parts the sections in the order of `kinds` (with SECOND or THIRD all of them, otherwise those of
 * version 1), then the data. The list of parts is without checks and without the list of blocks: these are made here. Before
 * version 3 data is the first block, so that its place is known. With THIRD there are feet at the beginning and guards; with HURT a
 * few bytes of the file are wrong, chosen by the bytes of its data. With RAW the rest is the file itself. */
#include "fuzz.h"

#include "base/varint.h"
#include "loop/values.h"
#include "packed/guard.h"
#include "packed/packed_layout.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

enum { RAW = 1, CHECK = 2, SECOND = 4, THIRD = 8, HURT = 16, STREAMS_MOST = 64 };

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

/* A list of parts under construction. */
struct list {
	const uint8_t *at, *end;
	uint8_t *made;
	size_t length;
};

static bool list_number(struct list *list, uint64_t *number)
{
	return varint_get(&list->at, list->end, number);
}

/* The check of a part of the data, which is in memory. */
static void list_check(struct list *list, const uint8_t *data, size_t size, uint64_t offset,
		       uint64_t stored)
{
	bool there = offset < size && stored <= size - offset;
	uint32_t check = there ? values_check(data + offset, (size_t)stored) : 0;
	memcpy(list->made + list->length, &check, sizeof check);
	list->length += sizeof check;
}

/* The parts of one stream: in version 3 those of chunks and summaries, then the others. */
static void list_stream(struct list *list, const uint8_t *data, size_t size, bool third,
			uint64_t last[2])
{
	uint64_t parts[2] = {0}, offset, stored;
	if ((third && !list_number(list, &parts[0])) || !list_number(list, &parts[1]))
		return;
	for (unsigned sort = 0; sort < 2; sort++)
		for (; parts[sort] && list_number(list, &offset) && list_number(list, &stored);
		     parts[sort]--) {
			offset = last[sort] + (third ? (uint64_t)unzigzag(offset) : offset);
			last[sort] = offset + (uint32_t)stored;
			list_check(list, data, size, offset, stored);
		}
}

/* The list of parts with their checks; the caller frees it. `block`: in version 3, the length of the block of data in which places
 * count. */
static uint8_t *checked_parts(const uint8_t *data, size_t size, struct part part, uint64_t streams,
			      uint64_t block, size_t *length)
{
	struct list list = {.at = part.bytes,
			    .end = part.bytes + part.size,
			    .made = malloc(part.size * 3 + 8 + 2 * VARINT_MOST)};
	uint64_t last[2] = {0};
	if (!list.made)
		abort();
	if (block)
		list.length = (size_t)(varint_put(varint_put(list.made, 1), block) - list.made);
	if (part.size)
		memcpy(list.made + list.length, part.bytes, part.size);
	list.length += part.size;
	for (; part.size && streams; streams--)
		list_stream(&list, data, size, block != 0, last);
	*length = list.length;
	return list.made;
}

/* All sections; places of parts count in `data`. */
static void put_sections(struct file *file, const struct part *parts, size_t count,
			 uint64_t streams, const uint8_t *data, size_t size, uint64_t block)
{
	for (size_t i = 0; i < count; i++) {
		if (kinds[i] != SECTION_PARTS) {
			put_section(file, kinds[i], parts[i].bytes, parts[i].size);
			continue;
		}
		size_t length;
		uint8_t *list = checked_parts(data, size, parts[i], streams, block, &length);
		put_section(file, kinds[i], list, length);
		free(list);
	}
}

static void put_guard(struct file *file, size_t from)
{
	size_t length = file->size - from, size = guard_size(length);
	uint8_t *guard = malloc(size + 1);
	if (!guard)
		abort();
	uint64_t first = file->foot.section[SECTION_GUARD].offset;
	guard_make(file->bytes + from, length, guard);
	put_block(file, SECTION_GUARD, guard, size);
	if (first)
		file->foot.section[SECTION_GUARD].offset = first;
	free(guard);
}

/* A file of version 3; `hurt`: with wrong bytes. */
static void assemble_third(struct file *file, const struct part *parts, struct part data,
			   uint64_t streams, bool hurt)
{
	static const uint8_t run_id[16];
	struct file block = {0};
	put_block(&block, SECTION_DATA, data.bytes ? data.bytes : (const uint8_t *)"", data.size);
	file->size = packed_begin();
	file->bytes = calloc(1, file->size);
	if (!file->bytes)
		abort();
	put_sections(file, parts, KINDS, streams, block.bytes, block.size, block.size);
	put_guard(file, packed_begin());
	size_t begin = file->size;
	put_block(file, SECTION_DATA, data.bytes ? data.bytes : (const uint8_t *)"", data.size);
	put_guard(file, begin);
	file->foot.section[SECTION_DATA].length = file->size - begin;
	file->foot.file_size = file->size + packed_foot_block();
	put_block(file, SECTION_FOOT, &file->foot, sizeof file->foot);
	for (unsigned i = 0; i < PACKED_HEADS; i++)
		block_plain(file->bytes + i * packed_foot_block(), BLOCK_PACKED, run_id,
			    SECTION_FOOT, &file->foot, sizeof file->foot);
	for (size_t i = 0; hurt && i + 3 < data.size && i < 64; i += 4) {
		uint32_t at;
		memcpy(&at, data.bytes + i, sizeof at);
		file->bytes[at % file->size] ^= data.bytes[i];
	}
	free(block.bytes);
}

static struct file assemble(struct input *input, uint8_t flags, uint64_t *streams)
{
	bool third = flags & THIRD, second = third || flags & SECOND;
	struct file file = {.foot = {.version = third ? 3 : second ? 2 : 1}};
	struct part parts[KINDS];
	size_t count = second ? KINDS : KINDS_FIRST;
	for (size_t i = 0; i < count; i++)
		parts[i] = input_part(input);
	struct part data = input_rest(input);
	*streams = streams_of(parts[5]);
	if (third) {
		assemble_third(&file, parts, data, *streams, flags & HURT);
		return file;
	}
	put_block(&file, SECTION_DATA, data.bytes ? data.bytes : (const uint8_t *)"", data.size);
	/* A copy: the file moves in memory while it grows. */
	size_t begun = file.size;
	uint8_t *copy = malloc(begun);
	if (!copy)
		abort();
	memcpy(copy, file.bytes, begun);
	put_sections(&file, parts, count, *streams, copy, begun, 0);
	free(copy);
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
		struct file file = assemble(&input, flags, &streams);
		folder_write("packed", file.bytes, file.size);
		free(file.bytes);
	}
	snprintf(path, sizeof path, "%s/packed", folder_path());
	bound_begin(size, (size_t)streams + 2);
	read_trace(path, flags & CHECK ? 1u : 0u, READ_WHAT(flags));
	bound_end();
	return 0;
}
