/* Codec: columns that are written into a block: their rows go to one place, their bytes to another.
 *
 * Used by all code that makes blocks. Chooses the smallest of the forms that are quick to compute. Allocates nothing.
 */
#ifndef CODEC_INPROCESS_COLUMN_ROWS_H
#define CODEC_INPROCESS_COLUMN_ROWS_H

#include "codec/block.h"
#include "codec/column.h"

struct column_rows {
	struct column_writer *writer;
	struct block_column *rows; /* with room for all columns */
	uint32_t count;
	uint8_t *at; /* where the bytes of the next column go */
};

/* Adds the row of a column whose bytes are from to->at to `end`. */
void column_rows_done(struct column_rows *to, uint16_t function, unsigned column,
		      enum column_encoding encoding, size_t count, uint8_t *end);
/* Each adds a column; function 0 stands for the whole block. A column without values is not added. */
void column_rows_bytes(struct column_rows *to, unsigned column, const uint8_t *bytes, size_t count,
		       enum plane_nature nature);
void column_rows_line(struct column_rows *to, uint16_t function, unsigned column, size_t count,
		      uint64_t first, uint64_t stride);
void column_rows_values(struct column_rows *to, uint16_t function, unsigned column,
			const uint64_t *values, size_t count);

#endif
