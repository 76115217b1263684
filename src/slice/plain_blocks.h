/* Slice: the blocks of a data file that do not contain records: descriptions and tables. */
#ifndef SLICE_PLAIN_BLOCKS_H
#define SLICE_PLAIN_BLOCKS_H

#include "trace/trace.h"

struct plain_block {
	const uint8_t *payload;
	size_t length;
};

/* The next good block of this type from offset `*at` on, which is moved behind it; false: none left. */
bool plain_block_next(const struct trace_node *node, enum block_type type, uint64_t *at,
		      struct plain_block *block);

/* The tables of a trace: its own, or those of this Varve if it has none. */
struct plain_block tables_of(const struct varve_trace *trace);

#endif
