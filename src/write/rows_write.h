/* Write: kept records by codec binary, for what columns cannot hold; and the summary rows of both codecs. */
#ifndef WRITE_ROWS_WRITE_H
#define WRITE_ROWS_WRITE_H

#include "codec/block.h"
#include "codec/column.h"
#include "codec/rows.h"
#include "write/block_rows.h"

/* Adds a record to the summary row of its function; `known` may be NULL. */
void summary_add(struct block_summary *summary, const struct call_row *known,
		 const struct kept_row *row, const uint64_t *words);

/* Bytes that binary_make() needs for its rows at the most. */
size_t binary_size(const struct kept *kept);

/* Writes the block at `output`, but for its fixed part; `values` has room for a number of each record. */
void binary_make(const struct kept *kept, const struct call_row *rows, size_t row_count,
		 struct column_writer *writer, uint64_t *values, uint8_t *output,
		 struct block_header *header);

#endif
