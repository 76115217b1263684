/* Write: makes a block of codec rows, for records that codec columns cannot store; and the summary rows of both codecs. */
#ifndef WRITE_ROWS_WRITE_H
#define WRITE_ROWS_WRITE_H

#include "codec/block.h"
#include "codec/column.h"
#include "codec/rows.h"
#include "write/block_rows.h"

/* Adds a record to the summary row of its function; `known` may be NULL. */
void summary_add(struct block_summary *summary, const struct call_row *known,
		 const struct block_row *row, const uint64_t *words);

/* Maximum bytes that rows_write() needs for its rows. */
size_t rows_size(const struct block_rows *block);

/* Writes the block at `output`, except for its fixed part; `values` has room for a number for each record. */
void rows_write(const struct block_rows *block, const struct call_row *rows, size_t row_count,
		struct column_writer *writer, uint64_t *values, uint8_t *output,
		struct block_header *header);

#endif
