/* Slice: descriptions and tables of a data file. See plain_blocks.h. */
#include "slice/plain_blocks.h"

#include "codec/rows.h"

bool plain_block_next(const struct trace_node *node, enum block_type type, uint64_t *at,
		      struct plain_block *block)
{
	/* A packed trace only contains their content: the description, then what was learned later about the clock. */
	for (; !node->data && type == BLOCK_RUN && *at < 2;) {
		const char *text = *at ? node->clock : node->description;
		size_t length = *at ? node->clock_length : node->description_length;
		++*at;
		*block = (struct plain_block){(const uint8_t *)text, length};
		if (length)
			return true;
	}
	while (node->data && *at < node->size) {
		const uint8_t *bytes = node->data + *at;
		struct block_header header;
		if (block_open(bytes, node->size - *at, &header, NULL) != VARVE_OK) {
			*at = block_search(node->data, node->size, *at + 1);
			continue;
		}
		*at += header.length;
		if (header.type != type || block_check(bytes, &header, NULL) != VARVE_OK)
			continue;
		*block = (struct plain_block){bytes + header.header_length,
					      header.length - header.header_length};
		return true;
	}
	return false;
}

struct plain_block tables_of(const struct varve_trace *trace)
{
	struct plain_block block = {tables_blob, tables_blob_size};
	if (trace->packed)
		return (struct plain_block){trace->tables_bytes, trace->tables_length};
	for (size_t i = 0; trace->tables_own && i < trace->node_count; i++) {
		uint64_t at = 0;
		if (plain_block_next(&trace->nodes[i], BLOCK_TABLES, &at, &block))
			break;
	}
	return block;
}
