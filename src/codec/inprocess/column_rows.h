/* Codec: columns that are written into a block: the rows of the header in one place, the bytes of the columns in another.
 *
 * Used by all code that makes blocks. Of the forms that are quick to compute it chooses the smallest; allocates nothing.
 */
#ifndef CODEC_INPROCESS_COLUMN_ROWS_H
#define CODEC_INPROCESS_COLUMN_ROWS_H

#include "codec/block.h"
#include "codec/column.h"

struct column_rows {
	struct column_writer *writer;
	struct block_column *rows; /* room for all that will come */
	uint32_t count;
	uint8_t *at; /* where the bytes of the next column go */
};

/* The column whose bytes stand from to->at to `end` is there: its row. */
void column_rows_done(struct column_rows *to, uint16_t function, unsigned column,
		      enum column_encoding encoding, size_t count, uint8_t *end);
/* Each adds a column, function 0 being the whole block; one without values is left out. */
void column_rows_bytes(struct column_rows *to, unsigned column, const uint8_t *bytes, size_t count,
		       enum plane_nature nature);
void column_rows_line(struct column_rows *to, uint16_t function, unsigned column, size_t count,
		      uint64_t first, uint64_t stride);
void column_rows_values(struct column_rows *to, uint16_t function, unsigned column,
			const uint64_t *values, size_t count);

#endif
