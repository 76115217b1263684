/* Codec: columns to bytes. See column.h. No allocation, no locks, no I/O: runs inside traced programs. */
#define ZSTD_STATIC_LINKING_ONLY
#include "codec/column.h"

#include "base/varint.h"

#include <stdbool.h>
#include <string.h>
#include <zstd.h>

/* Shorter planes are stored uncompressed: a compressed frame would hardly be shorter. */
enum { PLANE_WORTH = 48 };

/* The level of zstd for a writer that is `patient`. */
enum { PATIENT = 9, PATIENT_LENGTH = 131072 };

/* Small tables: the columns of a block are tens of kilobytes, and clearing the tables takes time for each of them. */
static ZSTD_compressionParameters zstd_parameters(enum plane_nature nature, bool patient)
{
	if (patient && nature != NATURE_NOISE)
		return ZSTD_getCParams(PATIENT, PATIENT_LENGTH, 0);
	ZSTD_compressionParameters small = {
		.windowLog = 17,
		.chainLog = 12,
		.hashLog = nature == NATURE_NOISE ? 7 : 13,
		.searchLog = 1,
		.minMatch = nature == NATURE_NOISE ? 7 : 5,
		.targetLength = nature == NATURE_NOISE ? 4096 : 0,
		.strategy = ZSTD_fast,
	};
	return small;
}

size_t column_writer_size(bool patient)
{
	/* Text needs more memory than noise. */
	size_t size = ZSTD_estimateCCtxSize_usingCParams(zstd_parameters(NATURE_TEXT, patient));
	return (size + 15) / 16 * 16;
}

static void set_nature(struct column_writer *writer, enum plane_nature nature)
{
	if (writer->nature == (int)nature)
		return;
	ZSTD_CCtx *zstd = writer->zstd;
	ZSTD_compressionParameters p = zstd_parameters(nature, writer->patient);
	ZSTD_CCtx_setParameter(zstd, ZSTD_c_windowLog, (int)p.windowLog);
	ZSTD_CCtx_setParameter(zstd, ZSTD_c_chainLog, (int)p.chainLog);
	ZSTD_CCtx_setParameter(zstd, ZSTD_c_hashLog, (int)p.hashLog);
	ZSTD_CCtx_setParameter(zstd, ZSTD_c_searchLog, (int)p.searchLog);
	ZSTD_CCtx_setParameter(zstd, ZSTD_c_minMatch, (int)p.minMatch);
	ZSTD_CCtx_setParameter(zstd, ZSTD_c_targetLength, (int)p.targetLength);
	ZSTD_CCtx_setParameter(zstd, ZSTD_c_strategy, (int)p.strategy);
	/* A long target length would disable the entropy coder, which is the only part that helps with noise. */
	ZSTD_CCtx_setParameter(zstd, ZSTD_c_literalCompressionMode, ZSTD_lcm_huffman);
	ZSTD_CCtx_setParameter(zstd, ZSTD_c_contentSizeFlag, 0);
	writer->nature = (int)nature;
}

void column_writer_start(struct column_writer *writer, void *memory, uint8_t *plane, bool patient)
{
	writer->patient = patient;
	writer->zstd = ZSTD_initStaticCCtx(memory, column_writer_size(patient));
	writer->plane = plane;
	writer->nature = -1;
}

uint8_t *column_put_constant(uint8_t *at, uint64_t value)
{
	return varint_put(at, value);
}

uint8_t *column_put_line(uint8_t *at, uint64_t start, uint64_t stride)
{
	at = varint_put(at, start);
	return varint_put(at, zigzag((int64_t)stride));
}

static bool all_equal(const uint8_t *bytes, size_t count)
{
	return count == 0 || memcmp(bytes, bytes + 1, count - 1) == 0;
}

/* Whether most bytes are equal. A Huffman code needs at least a bit for each symbol, which then is too much. */
static bool nearly_equal(const uint8_t *bytes, size_t count)
{
	size_t seen[256] = {0}, most = 0;
	for (size_t i = 0; i < count; i++)
		seen[bytes[i]]++;
	for (size_t i = 0; i < 256; i++)
		most = seen[i] > most ? seen[i] : most;
	return most > count - count / 4;
}

uint8_t *column_put_bytes(struct column_writer *writer, uint8_t *at, const uint8_t *bytes,
			  size_t count, enum plane_nature nature)
{
	if (all_equal(bytes, count)) {
		*at++ = PLANE_CONSTANT;
		*at++ = count ? bytes[0] : 0;
		return at;
	}
	if (count >= PLANE_WORTH && writer->zstd) {
		/* If most bytes are equal, a symbol should cost less than a bit, so searching for matches is worth its time. */
		bool even = writer->patient && nature == NATURE_NOISE && nearly_equal(bytes, count);
		set_nature(writer, even ? NATURE_TEXT : nature);
		uint8_t *head = at + 1 + VARINT_MOST;
		size_t size = ZSTD_compress2(writer->zstd, head, count, bytes, count);
		if (!ZSTD_isError(size) && size < count) {
			*at++ = PLANE_ZSTD;
			at = varint_put(at, size);
			memmove(at, head, size);
			return at + size;
		}
	}
	*at++ = PLANE_STORED;
	memcpy(at, bytes, count);
	return at + count;
}

/* The number of bytes that the largest value needs. */
static unsigned column_width(uint64_t bits)
{
	return bits ? (unsigned)(71 - __builtin_clzll(bits)) / 8 : 0;
}

/* Stores values minus their minimum, or zigzag differences if those are narrower by more than two bits. */
uint8_t *column_put_planes(struct column_writer *writer, uint8_t *at, const uint64_t *values,
			   size_t count)
{
	uint64_t least = UINT64_MAX, most = 0, steps = 0;
	for (size_t i = 0; i < count; i++) {
		least = values[i] < least ? values[i] : least;
		most = values[i] > most ? values[i] : most;
	}
	for (size_t i = 1; i < count; i++)
		steps |= zigzag((int64_t)(values[i] - values[i - 1]));
	uint64_t range = most - least;
	bool differences = steps < range >> 2;
	unsigned width = column_width(differences ? steps : range);
	*at++ = differences ? PLANES_DIFFERENCES : PLANES_VALUES;
	*at++ = (uint8_t)width;
	at = varint_put(at, differences ? values[0] : least);
	size_t length = differences ? count - 1 : count;
	uint8_t *plane = writer->plane;
	for (unsigned byte = 0; byte < width; byte++) {
		unsigned shift = byte * 8;
		if (differences)
			for (size_t i = 0; i < length; i++)
				plane[i] = (uint8_t)(zigzag((int64_t)(values[i + 1] - values[i])) >>
						     shift);
		else
			for (size_t i = 0; i < length; i++)
				plane[i] = (uint8_t)((values[i] - least) >> shift);
		at = column_put_bytes(writer, at, plane, length, NATURE_TEXT);
	}
	return at;
}
