/* Codec: columns back from bytes. See column.h. Stored bytes are hostile: each length is checked before use. */
#include "codec/column.h"

#include "base/varint.h"

#include <string.h>
#include <zstd.h>

static enum status damaged(struct varve_causes *causes, const char *what)
{
	return cause(causes, STATUS_DAMAGED, "a column is damaged: %s", what);
}

/* One plane of `count` bytes at `*at`, which moves behind it. */
static enum status plane_get(const uint8_t **at, const uint8_t *end, size_t count, uint8_t *bytes,
			     struct varve_causes *causes)
{
	if (*at >= end)
		return damaged(causes, "a plane is missing");
	uint8_t encoding = *(*at)++;
	size_t left = (size_t)(end - *at);
	uint64_t size;
	switch (encoding) {
	case PLANE_CONSTANT:
		if (left < 1)
			return damaged(causes, "a constant plane has no value");
		memset(bytes, *(*at)++, count);
		return STATUS_OK;
	case PLANE_STORED:
		if (left < count)
			return damaged(causes, "a stored plane is cut short");
		memcpy(bytes, *at, count);
		*at += count;
		return STATUS_OK;
	case PLANE_ZSTD:
		if (!varint_get(at, end, &size) || size > (size_t)(end - *at))
			return damaged(causes, "a compressed plane is cut short");
		if (ZSTD_decompress(bytes, count, *at, size) != count)
			return damaged(causes, "a plane does not decompress to its length");
		*at += size;
		return STATUS_OK;
	default:
		return damaged(causes, "a plane of an unknown encoding");
	}
}

enum status column_get_bytes(const uint8_t *stored, size_t size, size_t count, uint8_t *bytes,
			     struct varve_causes *causes)
{
	const uint8_t *at = stored;
	TRY(plane_get(&at, stored + size, count, bytes, causes));
	return at == stored + size ? STATUS_OK : damaged(causes, "bytes are left over");
}

static enum status planes_get(const uint8_t *at, const uint8_t *end, size_t count, uint64_t *values,
			      struct varve_causes *causes)
{
	uint64_t base;
	if (end - at < 2)
		return damaged(causes, "planes are missing");
	uint8_t mode = *at++, width = *at++;
	if (mode > PLANES_DIFFERENCES || width > 8 || !varint_get(&at, end, &base))
		return damaged(causes, "planes of an unknown form");
	size_t length = mode == PLANES_DIFFERENCES && count ? count - 1 : count;
	memset(values, 0, count * sizeof *values);
	uint8_t *plane = (uint8_t *)(values + count);
	for (unsigned byte = 0; byte < width; byte++) {
		TRY(plane_get(&at, end, length, plane, causes));
		for (size_t i = 0; i < length; i++)
			values[i] |= (uint64_t)plane[i] << (byte * 8);
	}
	if (at != end)
		return damaged(causes, "bytes are left over");
	if (mode == PLANES_VALUES) {
		for (size_t i = 0; i < count; i++)
			values[i] += base;
		return STATUS_OK;
	}
	uint64_t last = base;
	for (size_t i = 0; i < count; i++) {
		uint64_t step = i < length ? values[i] : 0;
		values[i] = last;
		last += (uint64_t)unzigzag(step);
	}
	return STATUS_OK;
}

enum status column_get(enum column_encoding encoding, const uint8_t *stored, size_t size,
		       size_t count, uint64_t *values, struct varve_causes *causes)
{
	const uint8_t *at = stored, *end = stored + size;
	uint64_t start, stride = 0;
	switch (encoding) {
	case ENCODING_CONSTANT:
	case ENCODING_LINE:
		if (!varint_get(&at, end, &start) ||
		    (encoding == ENCODING_LINE && !varint_get(&at, end, &stride)))
			return damaged(causes, "a value is cut short");
		if (at != end)
			return damaged(causes, "bytes are left over");
		stride = (uint64_t)unzigzag(stride);
		for (size_t i = 0; i < count; i++)
			values[i] = start + i * stride;
		return STATUS_OK;
	case ENCODING_PLANES:
		return planes_get(at, end, count, values, causes);
	case ENCODING_BYTES: {
		uint8_t *bytes = (uint8_t *)(values + count);
		TRY(column_get_bytes(stored, size, count, bytes, causes));
		for (size_t i = 0; i < count; i++)
			values[i] = bytes[i];
		return STATUS_OK;
	}
	}
	return damaged(causes, "an unknown encoding");
}
