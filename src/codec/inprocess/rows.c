/* Codec: finding a call's row by its id. The rows themselves are generated (rows_data.c) or read from a trace. */
#include "codec/rows.h"

const struct call_row *call_row_find(const struct call_row *rows, size_t count, uint16_t id)
{
	size_t low = 0;
	size_t high = count;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (rows[middle].id < id)
			low = middle + 1;
		else
			high = middle;
	}
	return low < count && rows[low].id == id ? &rows[low] : NULL;
}
