/* Loop: reads the values of a column from any position on. See values.h. Stored bytes are hostile input. */
#include "loop/values.h"

#include <stdlib.h>

enum { DROP = 1024 };

void values_open(struct values_reader *reader, const struct values *values, const uint8_t *file,
		 size_t file_size)
{
	*reader = (struct values_reader){.values = values, .file = file, .file_size = file_size};
	if (!values->raw)
		series_seek(&reader->cursor, values->blocks, values->block_count, 0);
}

void values_close(struct values_reader *reader)
{
	if (reader->values && reader->values->raw) {
		if (reader->open)
			column_close(reader->column);
		free(reader->column);
	}
	*reader = (struct values_reader){0};
}

static bool part_good(const struct values_part *part, const uint8_t *stored)
{
	return values_check(stored, part->stored) == part->check;
}

static enum varve_status part_wrong(struct column_decoder *decoder, const struct values_part *part,
				    const char *what, struct varve_causes *causes)
{
	decoder->wrong_offset = part->offset;
	decoder->wrong_length = part->stored;
	return cause(causes, VARVE_DAMAGED, "%s", what);
}

enum varve_status values_part_open(struct column_reader *column, struct column_decoder *decoder,
				   const struct values_part *part, const uint8_t *file,
				   size_t file_size, size_t count, struct varve_causes *causes)
{
	if (part->offset > file_size || part->stored > file_size - part->offset || !part->stored)
		return part_wrong(decoder, part, "a part of a column is missing", causes);
	const uint8_t *stored = file + part->offset;
	if (!part_good(part, stored) &&
	    !(decoder->mend && decoder->mend(decoder->context, stored, part->stored) &&
	      part_good(part, stored)))
		return part_wrong(decoder, part, "wrong checksum of a part of a column", causes);
	/* Enough for its values. */
	size_t budget = count * 8 + 64;
	return column_open(column, decoder, (enum column_encoding)stored[0], stored + 1,
			   part->stored - 1u, count, &budget, causes);
}

/* Opens the part with the next value. */
static enum varve_status part_next(struct values_reader *reader, struct column_decoder *decoder,
				   struct varve_causes *causes)
{
	const struct values *values = reader->values;
	if (reader->open)
		column_close(reader->column);
	reader->open = false;
	if (!reader->column)
		reader->column = malloc(sizeof *reader->column);
	if (!reader->column)
		return cause(causes, VARVE_NO_MEMORY, "no memory for a column");
	if (reader->part >= values->part_count)
		return cause(causes, VARVE_DAMAGED, "a column ends before its records");
	uint64_t left = values->count - (uint64_t)reader->part * VALUES_PART;
	reader->left = left < VALUES_PART ? left : VALUES_PART;
	TRY(values_part_open(reader->column, decoder, &values->parts[reader->part++], reader->file,
			     reader->file_size, (size_t)reader->left, causes));
	reader->open = true;
	return VARVE_OK;
}

enum varve_status values_take(struct values_reader *reader, struct column_decoder *decoder,
			      size_t count, uint64_t *values, struct varve_causes *causes)
{
	if (!reader->values->raw) {
		series_take(&reader->cursor, count, values);
		return VARVE_OK;
	}
	while (count) {
		if (!reader->left)
			TRY(part_next(reader, decoder, causes));
		size_t some = count < reader->left ? count : (size_t)reader->left;
		column_take(reader->column, some, values);
		reader->left -= some;
		count -= some;
		values += some;
	}
	return VARVE_OK;
}

enum varve_status values_seek(struct values_reader *reader, struct column_decoder *decoder,
			      uint64_t at, struct varve_causes *causes)
{
	const struct values *values = reader->values;
	if (at > values->count)
		return cause(causes, VARVE_DAMAGED, "a column ends before its records");
	if (!values->raw) {
		series_seek(&reader->cursor, values->blocks, values->block_count, at);
		return VARVE_OK;
	}
	uint64_t now = reader->open ? (uint64_t)reader->part * VALUES_PART - reader->left : 0;
	if (reader->open && reader->part == values->part_count)
		now = values->count - reader->left;
	size_t part = (size_t)(at / VALUES_PART);
	if (!reader->open || at < now || part != reader->part - 1) {
		reader->part = part;
		reader->left = 0;
		now = (uint64_t)part * VALUES_PART;
	}
	uint64_t dropped[DROP];
	for (uint64_t skip = at - now; skip;) {
		size_t some = skip < DROP ? (size_t)skip : DROP;
		TRY(values_take(reader, decoder, some, dropped, causes));
		skip -= some;
	}
	return VARVE_OK;
}
