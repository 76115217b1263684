/* Fuzzing: the index of a trace, alone and together with its data.0.
 *
 * Input: a byte of flags, data.0 as a part, then the file `index`. */
#include "fuzz.h"

#include "codec/index.h"

#include <stdlib.h>
#include <string.h>

enum { REPAIR = 1, NEWER = 2, ALONE = 4, OWN_RUN = 8, TREE = 64 };

/* The payload of the index, as trace_open() passes it on. */
static void parse(const uint8_t *bytes, size_t size)
{
	struct block_header header;
	struct index_head head;
	const struct index_entry *entries;
	if (block_open(bytes, size, &header, NULL) != VARVE_OK ||
	    index_parse(bytes + header.header_length,
			(size_t)(header.length - header.header_length), &head, &entries,
			NULL) != VARVE_OK)
		return;
	for (uint64_t i = 0; i < head.entries; i++)
		if (entries[i].offset > head.data_length ||
		    entries[i].length > head.data_length - entries[i].offset)
			abort();
	touch(entries, (size_t)head.entries * sizeof *entries);
}

/* An index of another run is refused: it gets the run id of the first block. */
static void repair_index(uint8_t *index, size_t size, const uint8_t *data, size_t length,
			 uint8_t flags)
{
	size_t run = offsetof(struct block_header, run_id);
	if (size < sizeof(struct block_header))
		return;
	if (!(flags & OWN_RUN) && length >= sizeof(struct block_header))
		memcpy(index + run, data + run, 16);
	repair_block(index, size, flags & NEWER ? REPAIR_NEWER : 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct input input = {bytes, size};
	uint8_t flags = input_byte(&input);
	struct part data_part = input_part(&input);
	uint8_t *data = part_copy(data_part);
	struct part index_part = input_rest(&input);
	uint8_t *index = part_copy(index_part);
	size_t blocks = 1 + count_blocks(data, data_part.size);
	if (flags & REPAIR) {
		repair_blocks(data, data_part.size, 0);
		repair_index(index, index_part.size, data, data_part.size, flags);
	}
	parse(index, index_part.size);
	if (!(flags & ALONE)) {
		folder_write("data.0", data, data_part.size);
		folder_write("index", index, index_part.size);
		bound_begin(size, blocks);
		/* After opening, only the end of the run is taken from an index. */
		read_trace(folder_path(), 0, flags & TREE ? READ_TREE : READ_NOTHING);
		bound_end();
	}
	free(data);
	free(index);
	return 0;
}
