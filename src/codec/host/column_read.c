/* Codec: columns back from bytes, some values at a time. See column.h. Stored bytes are hostile: each length is checked before
 * use, and memory is allocated within a budget. */
#include "codec/column.h"

#include "base/varint.h"

#include <stdlib.h>
#include <string.h>
#include <zstd.h>

static enum varve_status column_damaged(struct varve_causes *causes, const char *what)
{
	return cause(causes, VARVE_DAMAGED, "damaged column: %s", what);
}

void column_decoder_clear(struct column_decoder *decoder)
{
	ZSTD_freeDCtx(decoder->zstd);
	decoder->zstd = NULL;
}

/* A plane as it is stored. */
struct plane {
	uint8_t encoding;
	uint8_t constant;
	const uint8_t *stored;
	size_t size;
};

/* Finds one plane of `count` bytes at `*at`, which is moved behind it. */
static enum varve_status plane_find(const uint8_t **at, const uint8_t *end, size_t count,
				    struct plane *plane, struct varve_causes *causes)
{
	if (*at >= end)
		return column_damaged(causes, "a plane is missing");
	*plane = (struct plane){.encoding = *(*at)++};
	uint64_t size = 0;
	switch (plane->encoding) {
	case PLANE_CONSTANT:
		if (*at >= end)
			return column_damaged(causes, "a constant plane has no value");
		plane->constant = *(*at)++;
		return VARVE_OK;
	case PLANE_STORED:
		size = count;
		break;
	case PLANE_ZSTD:
		if (!varint_get(at, end, &size))
			return column_damaged(causes, "a compressed plane is truncated");
		break;
	default:
		return column_damaged(causes, "a plane of an unknown encoding");
	}
	if (size > (size_t)(end - *at))
		return column_damaged(causes, "a plane is truncated");
	plane->stored = *at;
	plane->size = (size_t)size;
	*at += size;
	return VARVE_OK;
}

static enum varve_status plane_unpack(struct column_decoder *decoder, const struct plane *plane,
				      size_t count, uint8_t *bytes, struct varve_causes *causes)
{
	if (!decoder->zstd)
		decoder->zstd = ZSTD_createDCtx();
	if (!decoder->zstd)
		return cause(causes, VARVE_NO_MEMORY, "no memory for zstd");
	if (ZSTD_decompressDCtx(decoder->zstd, bytes, count, plane->stored, plane->size) != count)
		return column_damaged(causes, "a plane has a wrong length after decompression");
	return VARVE_OK;
}

/* Reads the planes from `at` to `end`, `length` bytes each. */
static enum varve_status planes_open(struct column_reader *reader, struct column_decoder *decoder,
				     const uint8_t *at, const uint8_t *end, size_t length,
				     size_t *budget, struct varve_causes *causes)
{
	struct plane planes[8];
	size_t packed = 0;
	for (unsigned i = 0; i < reader->width; i++) {
		TRY(plane_find(&at, end, length, &planes[i], causes));
		packed += planes[i].encoding == PLANE_ZSTD;
	}
	if (at != end)
		return column_damaged(causes, "bytes are left over");
	if (packed) {
		if (length > *budget / packed)
			return column_damaged(causes, "it is too large to have been recorded");
		*budget -= length * packed;
		reader->memory = malloc(length * packed + 1);
		if (!reader->memory)
			return cause(causes, VARVE_NO_MEMORY,
				     "no memory for a column of %zu values", length);
	}
	uint8_t *memory = reader->memory;
	for (unsigned i = 0; i < reader->width; i++) {
		const struct plane *plane = &planes[i];
		if (plane->encoding == PLANE_CONSTANT) {
			reader->number |= (uint64_t)plane->constant << i * 8;
			continue;
		}
		if (plane->encoding == PLANE_ZSTD)
			TRY(plane_unpack(decoder, plane, length, memory, causes));
		reader->shift[reader->planes] = (uint8_t)(i * 8);
		reader->plane[reader->planes++] =
			plane->encoding == PLANE_ZSTD ? memory : plane->stored;
		if (plane->encoding == PLANE_ZSTD)
			memory += length;
	}
	return VARVE_OK;
}

static enum varve_status open_encoding(struct column_reader *reader, struct column_decoder *decoder,
				       enum column_encoding encoding, const uint8_t *at,
				       const uint8_t *end, size_t *budget,
				       struct varve_causes *causes)
{
	uint64_t stride = 0;
	switch (encoding) {
	case ENCODING_CONSTANT:
	case ENCODING_LINE:
		if (!varint_get(&at, end, &reader->value) ||
		    (encoding == ENCODING_LINE && !varint_get(&at, end, &stride)))
			return column_damaged(causes, "a value is truncated");
		if (at != end)
			return column_damaged(causes, "bytes are left over");
		reader->stride = (uint64_t)unzigzag(stride);
		return VARVE_OK;
	case ENCODING_PLANES:
		if (end - at < 2)
			return column_damaged(causes, "planes are missing");
		reader->mode = *at++;
		reader->width = *at++;
		if (reader->mode > PLANES_DIFFERENCES || reader->width > 8 ||
		    !varint_get(&at, end, &reader->value))
			return column_damaged(causes, "planes of an unknown form");
		break;
	case ENCODING_BYTES:
		reader->width = 1;
		break;
	default:
		return column_damaged(causes, "an unknown encoding");
	}
	size_t length = reader->count;
	if (reader->mode == PLANES_DIFFERENCES && length)
		length--;
	TRY(planes_open(reader, decoder, at, end, length, budget, causes));
	if (reader->mode == PLANES_VALUES) {
		reader->value += reader->number;
		reader->number = 0;
	}
	return VARVE_OK;
}

enum varve_status column_open(struct column_reader *reader, struct column_decoder *decoder,
			      enum column_encoding encoding, const uint8_t *stored, size_t size,
			      size_t count, size_t *budget, struct varve_causes *causes)
{
	*reader = (struct column_reader){.count = count};
	enum varve_status status =
		open_encoding(reader, decoder, encoding, stored, stored + size, budget, causes);
	if (status != VARVE_OK)
		column_close(reader);
	return status;
}

void column_close(struct column_reader *reader)
{
	free(reader->memory);
	*reader = (struct column_reader){0};
}

/* Numbers from `at` on: the sum of `start` and what the planes hold. */
static void numbers_take(const struct column_reader *reader, size_t at, size_t count,
			 uint64_t start, uint64_t *values)
{
	if (reader->planes == 1 && reader->shift[0] == 0) {
		const uint8_t *plane = reader->plane[0] + at;
		for (size_t i = 0; i < count; i++)
			values[i] = start + plane[i];
		return;
	}
	for (size_t i = 0; i < count; i++)
		values[i] = start;
	for (unsigned k = 0; k < reader->planes; k++) {
		const uint8_t *plane = reader->plane[k] + at;
		unsigned shift = reader->shift[k];
		for (size_t i = 0; i < count; i++)
			values[i] += (uint64_t)plane[i] << shift;
	}
}

/* Value i is value i - 1 plus number i - 1; value 0 is the base. */
static void differences_take(struct column_reader *reader, size_t count, uint64_t *values)
{
	size_t at = reader->at, done = at == 0;
	if (!count)
		return;
	if (done)
		values[0] = reader->value;
	numbers_take(reader, at + done - 1, count - done, reader->number, values + done);
	uint64_t value = reader->value;
	for (size_t i = done; i < count; i++) {
		value += (uint64_t)unzigzag(values[i]);
		values[i] = value;
	}
	reader->value = value;
}

void column_take(struct column_reader *reader, size_t count, uint64_t *values)
{
	if (reader->mode == PLANES_DIFFERENCES) {
		differences_take(reader, count, values);
	} else if (reader->stride) {
		uint64_t value = reader->value;
		for (size_t i = 0; i < count; i++, value += reader->stride)
			values[i] = value;
		reader->value = value;
	} else {
		numbers_take(reader, reader->at, count, reader->value, values);
	}
	reader->at += count;
}
