/* Loop: writes the values of a column. See values.h. Memory: the blocks of a series, or one part that is not full. */
#include "loop/values.h"

#include "base/hash.h"

#include <stdlib.h>
#include <string.h>

/* A part may be as long as its values, and a column writer needs room for twice its input. */
enum { PART_ROOM = VALUES_PART * 8 * 2 + 128 };

uint32_t values_check(const uint8_t *stored, size_t length)
{
	return (uint32_t)hash64(stored, length, 0);
}

void values_clear(struct values *values)
{
	if (!values->settled)
		free(values->blocks);
	free(values->parts);
	*values = (struct values){0};
}

enum varve_status values_coder_start(struct values_coder *coder, struct spool *spool,
				     struct varve_causes *causes)
{
	size_t writer = column_writer_size(true);
	*coder = (struct values_coder){.spool = spool,
				       .memory = malloc(writer + VALUES_PART * 8 + PART_ROOM)};
	if (!coder->memory)
		return cause(causes, VARVE_NO_MEMORY, "no memory to compress columns");
	uint8_t *plane = (uint8_t *)coder->memory + writer;
	coder->stored = plane + VALUES_PART * 8;
	column_writer_start(&coder->column, coder->memory, plane, true);
	return VARVE_OK;
}

void values_coder_stop(struct values_coder *coder)
{
	free(coder->memory);
	*coder = (struct values_coder){0};
}

static enum varve_status put_stored(struct values_coder *coder, const uint8_t *end,
				    struct values_part *part, struct varve_causes *causes)
{
	part->stored = (uint32_t)(end - coder->stored);
	part->check = values_check(coder->stored, part->stored);
	return spool_put(coder->spool, coder->stored, part->stored, &part->offset, causes);
}

enum varve_status values_part_put(struct values_coder *coder, const uint64_t *values, size_t count,
				  struct values_part *part, struct varve_causes *causes)
{
	uint8_t *at = coder->stored;
	uint64_t stride = count > 1 ? values[1] - values[0] : 0, broken = 0;
	for (size_t i = 1; i < count; i++)
		broken |= (values[i] - values[i - 1]) ^ stride;
	*at = broken ? ENCODING_PLANES : stride ? ENCODING_LINE : ENCODING_CONSTANT;
	if (broken)
		at = column_put_planes(&coder->column, at + 1, values, count);
	else if (stride)
		at = column_put_line(at + 1, values[0], stride);
	else
		at = column_put_constant(at + 1, values[0]);
	return put_stored(coder, at, part, causes);
}

enum varve_status values_bytes_put(struct values_coder *coder, const uint8_t *bytes, size_t count,
				   enum plane_nature nature, struct values_part *part,
				   struct varve_causes *causes)
{
	if (count > VALUES_PART * 8)
		return cause(causes, VARVE_LIMIT, "a part of %zu bytes is too long", count);
	coder->stored[0] = ENCODING_BYTES;
	return put_stored(coder,
			  column_put_bytes(&coder->column, coder->stored + 1, bytes, count, nature),
			  part, causes);
}

void values_start(struct values_writer *writer, size_t most)
{
	*writer = (struct values_writer){0};
	series_start(&writer->series, most);
}

void values_drop(struct values_writer *writer)
{
	series_clear(&writer->series);
	free(writer->pending);
	free(writer->parts);
	*writer = (struct values_writer){0};
}

static enum varve_status part_flush(struct values_writer *writer, struct values_coder *coder,
				    struct varve_causes *causes)
{
	struct values_part *parts =
		reallocarray(writer->parts, writer->part_count + 1, sizeof *parts);
	if (!parts)
		return cause(causes, VARVE_NO_MEMORY, "no memory for a column");
	writer->parts = parts;
	TRY(values_part_put(coder, writer->pending, writer->pending_count,
			    &parts[writer->part_count], causes));
	parts[writer->part_count++].place = writer->pending_chunk;
	writer->pending_count = 0;
	return VARVE_OK;
}

static enum varve_status pending_grow(struct values_writer *writer, struct varve_causes *causes)
{
	size_t room = writer->pending_room ? writer->pending_room * 4 : 256;
	uint64_t *pending = reallocarray(writer->pending, room, sizeof *pending);
	if (!pending)
		return cause(causes, VARVE_NO_MEMORY, "no memory for a column");
	writer->pending = pending;
	writer->pending_room = room;
	return VARVE_OK;
}

static enum varve_status raw_put(struct values_writer *writer, struct values_coder *coder,
				 const uint64_t *values, size_t step, size_t count,
				 struct varve_causes *causes)
{
	while (count) {
		if (writer->pending_count == writer->pending_room)
			TRY(pending_grow(writer, causes));
		if (!writer->pending_count)
			writer->pending_chunk = coder->chunk;
		uint64_t *to = writer->pending + writer->pending_count;
		size_t room = writer->pending_room - writer->pending_count;
		size_t some = count < room ? count : room;
		for (size_t i = 0; i < some; i++)
			to[i] = values[i * step];
		writer->pending_count += some;
		values += some * step;
		count -= some;
		if (writer->pending_count == VALUES_PART)
			TRY(part_flush(writer, coder, causes));
	}
	return VARVE_OK;
}

/* The series has too many blocks: its values become raw. */
static enum varve_status become_raw(struct values_writer *writer, struct values_coder *coder,
				    struct varve_causes *causes)
{
	if (series_finish(&writer->series) == VARVE_NO_MEMORY)
		return cause(causes, VARVE_NO_MEMORY, "no memory for a column");
	writer->raw = true;
	/* The chunks of its values are not known any more, except that of the first value. */
	uint64_t chunk = coder->chunk;
	coder->chunk = writer->chunk;
	struct series_cursor cursor;
	uint64_t start, stride, count;
	series_seek(&cursor, writer->series.blocks, writer->series.count, 0);
	while ((count = series_run(&cursor, UINT64_MAX, &start, &stride)))
		for (; count; count--, start += stride)
			TRY(raw_put(writer, coder, &start, 1, 1, causes));
	series_clear(&writer->series);
	coder->chunk = chunk;
	return VARVE_OK;
}

enum varve_status values_put_all(struct values_writer *writer, struct values_coder *coder,
				 const uint64_t *values, size_t step, size_t count,
				 struct varve_causes *causes)
{
	if (!writer->count)
		writer->chunk = coder->chunk;
	writer->count += count;
	while (count && !writer->raw) {
		size_t fit = series_put_expected(&writer->series, values, step, count);
		values += fit * step;
		count -= fit;
		if (!count)
			break;
		enum varve_status status = series_put(&writer->series, *values, 0, 1);
		values += step;
		count--;
		if (status == VARVE_LIMIT)
			status = become_raw(writer, coder, causes);
		else if (status != VARVE_OK)
			cause_add(causes, "no memory for a column");
		TRY(status);
	}
	return raw_put(writer, coder, values, step, count, causes);
}

enum varve_status values_put(struct values_writer *writer, struct values_coder *coder,
			     uint64_t value, struct varve_causes *causes)
{
	return values_put_all(writer, coder, &value, 1, 1, causes);
}

enum varve_status values_finish(struct values_writer *writer, struct values_coder *coder,
				struct values *values, struct varve_causes *causes)
{
	enum varve_status status = VARVE_OK;
	if (!writer->raw) {
		status = series_finish(&writer->series);
		if (status == VARVE_LIMIT)
			status = become_raw(writer, coder, causes);
		else if (status != VARVE_OK)
			cause_add(causes, "no memory for a column");
	}
	if (status == VARVE_OK && writer->pending_count)
		status = part_flush(writer, coder, causes);
	if (status != VARVE_OK) {
		values_drop(writer);
		return status;
	}
	*values = (struct values){.count = writer->count,
				  .raw = writer->raw,
				  .parts = writer->parts,
				  .part_count = writer->part_count};
	if (!writer->raw) {
		values->blocks = writer->series.blocks;
		values->block_count = writer->series.count;
		writer->series.blocks = NULL;
	}
	writer->parts = NULL;
	values_drop(writer);
	return VARVE_OK;
}
