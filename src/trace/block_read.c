/* Trace: opens the records or the definitions of a block, and releases its memory, for both forms of a trace. See
 * trace_inside.h. */
#include "trace/packed/packed.h"
#include "trace/trace_inside.h"

enum varve_status block_records(struct varve_trace *trace, const struct trace_block *block,
				unsigned want, const uint32_t *some, struct block_reader *reader,
				struct varve_causes *causes)
{
	if (block->place)
		return packed_reader_open(reader, trace, block, want, some, causes);
	TRY(block_reader_open_some(reader, &trace->decoder, block->bytes, &block->header,
				   trace->tables.rows, trace->tables.function_count, want, some,
				   causes));
	block_reader_shift(reader, block->shift);
	return VARVE_OK;
}

enum varve_status block_definitions_read(struct varve_trace *trace, const struct trace_block *block,
					 struct definitions *definitions,
					 struct varve_causes *causes)
{
	return block->place ? packed_definitions(trace, block, definitions, causes)
			    : definitions_read(&trace->decoder, block->bytes, &block->header,
					       definitions, causes);
}

void block_release(const struct varve_trace *trace, const struct trace_block *block)
{
	if ((size_t)(block - trace->blocks) % BLOCKS_DROPPED == 0)
		blocks_drop(trace);
	if (block->place)
		packed_release(trace->packed, block->place);
	else if (!block->recovered)
		node_release(&trace->nodes[block->node], block->offset,
			     block->offset + block->header.length);
}
