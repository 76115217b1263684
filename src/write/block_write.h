/* Write: makes a block from rows, in the form of docs/format.md.
 *
 * The counterpart of codec/host/decode.h for decoded records; codec/inprocess/encode.h makes blocks from lanes. Owns its
 * working memory, which grows to the longest block; never writes a file.
 */
#ifndef WRITE_BLOCK_WRITE_H
#define WRITE_BLOCK_WRITE_H

#include "codec/block.h"
#include "codec/column.h"
#include "codec/rows.h"
#include "write/block_rows.h"

struct function_rows;

struct block_maker {
	struct column_writer writer;
	void *zstd;
	size_t room;	/* number of records that the following arrays have room for */
	uint8_t *plane; /* also the bytes of the structure column */
	uint8_t *times;
	uint8_t *times_long;
	uint64_t *values;   /* one column */
	uint32_t *shape_of; /* the shape of each record */
	uint32_t *grouped;  /* records by function */
	uint32_t *shapes;   /* function, depth and marks of each */
	uint32_t *slots;    /* hash -> shape + 1 */
	size_t shape_count;
	struct function_rows *functions;
	size_t function_count;
	uint32_t *place_of; /* by function id: index in `functions` + 1 */
	uint8_t *output;
	size_t output_room;
};

void block_maker_clear(struct block_maker *maker);

/* Makes a block. The caller sets the fields of `header` that identify it: stream, sequence, clock and so on. The block is
 * maker->output, header->length bytes, until the next call. */
enum varve_status block_make(struct block_maker *maker, const struct block_rows *block,
			     const struct call_row *rows, size_t row_count,
			     struct block_header *header, struct varve_causes *causes) MUST_CHECK;

#endif
