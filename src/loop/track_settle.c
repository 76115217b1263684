/* Loop: a finished track, in less memory until it becomes part of a class. See track.h.
 *
 * A block of a series has room for the maximum number of dimensions, and most blocks have none or one; thousands of streams are
 * finished before the first is written. So the numbers of all columns are moved into one allocation, one after the other.
 */
#include "loop/track.h"

#include <stdlib.h>
#include <string.h>

/* Words for the numbers of a column, including the dimensions of its blocks, which come first. */
static size_t settled_words(const struct values *values)
{
	size_t words = values_dimension_words(values);
	for (size_t i = 0; i < values->block_count; i++)
		words += 1 + 2 * values->blocks[i].dimensions;
	return words;
}

static uint64_t *values_settle(struct values *values, uint64_t *to)
{
	struct series_block *blocks = values->blocks;
	uint64_t *at = to + values_dimension_words(values);
	uint8_t dimensions[VALUES_BLOCKS + 8] = {0};
	for (size_t i = 0; i < values->block_count; i++) {
		dimensions[i] = (uint8_t)blocks[i].dimensions;
		*at++ = blocks[i].start;
		for (uint32_t d = 0; d < blocks[i].dimensions; d++) {
			*at++ = blocks[i].count[d];
			*at++ = blocks[i].stride[d];
		}
	}
	memcpy(to, dimensions, values_dimension_words(values) * sizeof *to);
	values->settled = true;
	values->numbers = to;
	free(blocks);
	return at;
}

/* Lists all columns. */
static size_t columns_of(const struct track *track, struct values **columns)
{
	size_t count = 0;
	for (size_t i = 0; i < track->tree.loops; i++)
		columns[count++] = &track->trips[i];
	for (size_t i = 0; i < track->group_count; i++)
		for (uint32_t k = 0; k < track->shapes[track->groups[i].shape].columns; k++)
			columns[count++] = &track->groups[i].columns[k];
	return count;
}

void track_settle(struct track *track)
{
	size_t room = track->tree.loops, words = 0;
	for (size_t i = 0; i < track->group_count; i++)
		room += track->shapes[track->groups[i].shape].columns;
	struct values **columns = reallocarray(NULL, room + 1, sizeof(struct values *));
	size_t count = columns ? columns_of(track, columns) : 0;
	for (size_t i = 0; i < count; i++)
		words += columns[i]->raw ? 0 : settled_words(columns[i]);
	uint64_t *at = words ? reallocarray(NULL, words, sizeof *at) : NULL;
	track->numbers = at;
	for (size_t i = 0; at && i < count; i++)
		if (!columns[i]->raw)
			at = values_settle(columns[i], at);
	free(columns);
	fold_trips_clear(&track->tree);
}
