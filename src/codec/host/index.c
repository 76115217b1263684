/* Codec: reading the payload of an index block. See index.h.
 *
 * Checks that the lengths agree, and that the entries are inside the range that the index covers, in order and without overlap.
 * It never reads the data itself: the reader checks whether the blocks exist.
 */
#include "codec/index.h"

#include <string.h>

struct index_entry index_entry_of(const struct block_header *header, uint64_t offset)
{
	return (struct index_entry){
		.offset = offset,
		.length = header->length,
		.sequence = header->sequence,
		.process = header->process,
		.thread = header->thread,
		.records = header->records,
		.first_tick = header->first_tick,
		.last_tick = header->last_tick,
		.type = header->type,
	};
}

enum varve_status index_parse(const uint8_t *bytes, size_t size, struct index_head *head,
			      const struct index_entry **entries, struct varve_causes *causes)
{
	*entries = NULL;
	if (size < sizeof *head)
		return cause(causes, VARVE_DAMAGED,
			     "the index is shorter than its header: %zu bytes", size);
	if ((uintptr_t)bytes % _Alignof(struct index_entry))
		return cause(causes, VARVE_DAMAGED, "the index is not aligned");
	memcpy(head, bytes, sizeof *head);
	size_t rest = size - sizeof *head;
	if (head->entries != rest / sizeof(struct index_entry) || rest % sizeof(struct index_entry))
		return cause(causes, VARVE_DAMAGED,
			     "the index claims %llu entries and has space for %zu",
			     (unsigned long long)head->entries, rest / sizeof(struct index_entry));
	if (head->end > RUN_RECOVERED)
		return cause(causes, VARVE_DAMAGED, "the index has an unknown end of the run: %u",
			     head->end);
	const struct index_entry *list = (const void *)(bytes + sizeof *head);
	uint64_t at = 0;
	for (uint64_t i = 0; i < head->entries; i++) {
		if (list[i].offset < at || list[i].offset > head->data_length ||
		    list[i].length < sizeof(struct block_header) ||
		    list[i].length > head->data_length - list[i].offset)
			return cause(causes, VARVE_DAMAGED,
				     "entry %llu of the index has a wrong position",
				     (unsigned long long)i);
		at = list[i].offset + list[i].length;
	}
	*entries = list;
	return VARVE_OK;
}
