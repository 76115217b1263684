/* Codec: writes columns into a block. See column_rows.h. No allocation, no locks, no I/O: runs inside traced programs. */
#include "codec/inprocess/column_rows.h"

void column_rows_done(struct column_rows *to, uint16_t function, unsigned column,
		      enum column_encoding encoding, size_t count, uint8_t *end)
{
	to->rows[to->count++] = (struct block_column){
		.function = function,
		.column = (uint8_t)column,
		.encoding = (uint8_t)encoding,
		.count = (uint32_t)count,
		.stored = (uint32_t)(end - to->at),
	};
	to->at = end;
}

void column_rows_bytes(struct column_rows *to, unsigned column, const uint8_t *bytes, size_t count,
		       enum plane_nature nature)
{
	if (count)
		column_rows_done(to, 0, column, ENCODING_BYTES, count,
				 column_put_bytes(to->writer, to->at, bytes, count, nature));
}

void column_rows_line(struct column_rows *to, uint16_t function, unsigned column, size_t count,
		      uint64_t first, uint64_t stride)
{
	bool constant = stride == 0 || count < 2;
	uint8_t *end = constant ? column_put_constant(to->at, first)
				: column_put_line(to->at, first, stride);
	column_rows_done(to, function, column, constant ? ENCODING_CONSTANT : ENCODING_LINE, count,
			 end);
}

void column_rows_values(struct column_rows *to, uint16_t function, unsigned column,
			const uint64_t *values, size_t count)
{
	if (!count)
		return;
	uint64_t stride = count > 1 ? values[1] - values[0] : 0, broken = 0;
	for (size_t i = 1; i < count; i++)
		broken |= (values[i] - values[i - 1]) ^ stride;
	if (broken)
		column_rows_done(to, function, column, ENCODING_PLANES, count,
				 column_put_planes(to->writer, to->at, values, count));
	else
		column_rows_line(to, function, column, count, values[0], stride);
}
