/* Packed: makes guards, and repairs damage with them. See guard.h.
 *
 * A repaired line matches its CRC-32 again. This may be a coincidence, so readers check the content themselves. Reads and
 * writes no files.
 */
#include "packed/guard.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* The polynomial of zlib and Ethernet, with its bits in reverse order. */
static const uint32_t polynomial = 0xedb88320;

enum { SLICES = 8 };
static uint32_t slices[SLICES][256];
static pthread_once_t slices_made = PTHREAD_ONCE_INIT;

static void make_slices(void)
{
	for (uint32_t byte = 0; byte < 256; byte++) {
		uint32_t crc = byte;
		for (unsigned bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? polynomial : 0);
		slices[0][byte] = crc;
	}
	for (uint32_t byte = 0; byte < 256; byte++)
		for (unsigned i = 1; i < SLICES; i++)
			slices[i][byte] =
				slices[i - 1][byte] >> 8 ^ slices[0][slices[i - 1][byte] & 0xff];
}

/* Continues a CRC-32 that was not inverted yet. */
static uint32_t crc_more(uint32_t crc, const uint8_t *bytes, size_t length)
{
	for (; length >= SLICES; length -= SLICES, bytes += SLICES) {
		uint32_t low, high;
		memcpy(&low, bytes, sizeof low);
		memcpy(&high, bytes + sizeof low, sizeof high);
		low ^= crc;
		crc = slices[7][low & 0xff] ^ slices[6][low >> 8 & 0xff] ^
		      slices[5][low >> 16 & 0xff] ^ slices[4][low >> 24] ^ slices[3][high & 0xff] ^
		      slices[2][high >> 8 & 0xff] ^ slices[1][high >> 16 & 0xff] ^
		      slices[0][high >> 24];
	}
	for (; length; length--)
		crc = crc >> 8 ^ slices[0][(crc ^ *bytes++) & 0xff];
	return crc;
}

struct guard_shape guard_shape(uint64_t length)
{
	struct guard_shape shape = {.line = GUARD_LINE_LEAST};
	while (shape.line < GUARD_LINE_MOST && length > shape.line * GUARD_LINES)
		shape.line *= 2;
	shape.lines = (size_t)((length + shape.line - 1) / shape.line);
	shape.parity = (shape.lines + GUARD_GROUP - 1) / GUARD_GROUP;
	if (shape.parity < 2)
		shape.parity = shape.lines < 2 ? shape.lines : 2;
	return shape;
}

size_t guard_size(uint64_t length)
{
	struct guard_shape shape = guard_shape(length);
	return (shape.lines + shape.parity) * sizeof(uint32_t) + shape.parity * shape.line;
}

/* A range and its guard. */
struct guarded {
	struct guard_shape shape;
	uint8_t *bytes;
	size_t length;
	uint8_t *checks;
	uint8_t *parity;
};

static struct guarded guarded_range(const uint8_t *bytes, size_t length, const uint8_t *guard)
{
	struct guard_shape shape = guard_shape(length);
	uint8_t *checks = (uint8_t *)(uintptr_t)guard;
	pthread_once(&slices_made, make_slices);
	return (struct guarded){.shape = shape,
				.bytes = (uint8_t *)(uintptr_t)bytes,
				.length = length,
				.checks = checks,
				.parity = checks + (shape.lines + shape.parity) * sizeof(uint32_t)};
}

static size_t all_lines(const struct guarded *guarded)
{
	return guarded->shape.lines + guarded->shape.parity;
}

/* A line of the range, or, behind these lines, a line of parity; `*length` is its length in memory. */
static uint8_t *line_at(const struct guarded *guarded, size_t at, size_t *length)
{
	size_t line = guarded->shape.line, lines = guarded->shape.lines;
	*length = line;
	if (at >= lines)
		return guarded->parity + (at - lines) * line;
	if (guarded->length - at * line < line)
		*length = guarded->length - at * line;
	return guarded->bytes + at * line;
}

static uint32_t line_check(const struct guarded *guarded, size_t at)
{
	static const uint8_t zeroes[GUARD_LINE_MOST];
	size_t length;
	const uint8_t *line = line_at(guarded, at, &length);
	uint32_t crc = crc_more(UINT32_MAX, line, length);
	return ~crc_more(crc, zeroes, guarded->shape.line - length);
}

static uint32_t check_at(const struct guarded *guarded, size_t at)
{
	uint32_t check;
	memcpy(&check, guarded->checks + at * sizeof check, sizeof check);
	return check;
}

static void check_put(const struct guarded *guarded, size_t at, uint32_t check)
{
	memcpy(guarded->checks + at * sizeof check, &check, sizeof check);
}

static void line_xor(const struct guarded *guarded, size_t at, uint8_t *to)
{
	size_t length;
	const uint8_t *line = line_at(guarded, at, &length);
	for (size_t i = 0; i < length; i++)
		to[i] ^= line[i];
}

void guard_make(const uint8_t *bytes, size_t length, uint8_t *guard)
{
	struct guarded to = guarded_range(bytes, length, guard);
	memset(to.parity, 0, to.shape.parity * to.shape.line);
	for (size_t i = 0; i < to.shape.lines; i++)
		line_xor(&to, i, to.parity + i % to.shape.parity * to.shape.line);
	for (size_t i = 0; i < all_lines(&to); i++)
		check_put(&to, i, line_check(&to, i));
}

bool guard_good(const uint8_t *bytes, size_t length, const uint8_t *guard)
{
	struct guarded of = guarded_range(bytes, length, guard);
	for (size_t i = 0; i < all_lines(&of); i++)
		if (line_check(&of, i) != check_at(&of, i))
			return false;
	return true;
}

/* The change of the CRC that a flipped bit causes depends only on the distance of the bit from the end, and is different for
 * each distance. `place` is the position of the bit, counted from the last one of the line. */
static bool bit_find(uint32_t change, size_t bits, size_t *place)
{
	uint32_t one = polynomial;
	for (*place = 0; *place < bits; ++*place) {
		if (one == change)
			return true;
		one = one >> 1 ^ (one & 1 ? polynomial : 0);
	}
	return false;
}

/* Repairs one bit of a line, or of its checksum. */
static bool bit_mend(const struct guarded *guarded, size_t at, struct guard_mended *found)
{
	uint32_t change = line_check(guarded, at) ^ check_at(guarded, at);
	size_t length, place, bits = guarded->shape.line * 8;
	uint8_t *line = line_at(guarded, at, &length);
	if (!(change & (change - 1))) {
		check_put(guarded, at, check_at(guarded, at) ^ change);
	} else {
		/* Bits of a byte are counted from the lowest one. */
		if (!bit_find(change, bits, &place) || (bits - 1 - place) / 8 >= length)
			return false;
		size_t bit = bits - 1 - place;
		line[bit / 8] ^= (uint8_t)(1u << bit % 8);
	}
	found->mended++;
	return true;
}

/* Computes a line of a group from the others into `made`; false: one of these is damaged, too. */
static bool line_make(const struct guarded *guarded, size_t at, const bool *bad, uint8_t *made)
{
	size_t lines = guarded->shape.lines, parity = guarded->shape.parity;
	size_t group = at < lines ? at % parity : at - lines;
	memset(made, 0, guarded->shape.line);
	for (size_t i = group; i < lines; i += parity) {
		if (i != at && bad[i])
			return false;
		if (i != at)
			line_xor(guarded, i, made);
	}
	if (at < lines && !bad[lines + group])
		line_xor(guarded, lines + group, made);
	return at >= lines || !bad[lines + group];
}

static uint64_t bytes_differ(const uint8_t *one, const uint8_t *other, size_t length)
{
	uint64_t count = 0;
	for (size_t i = 0; i < length; i++)
		count += one[i] != other[i];
	return count;
}

/* Repairs a line from the other lines of its group. If they confirm its content, only its checksum was wrong. */
static void line_mend(const struct guarded *guarded, size_t at, bool *bad, uint8_t *made,
		      struct guard_mended *found)
{
	uint8_t kept[GUARD_LINE_MOST];
	size_t length;
	uint8_t *line = line_at(guarded, at, &length);
	if (!line_make(guarded, at, bad, made))
		return;
	uint64_t wrong = bytes_differ(line, made, length);
	uint32_t was = check_at(guarded, at);
	memcpy(kept, line, length);
	memcpy(line, made, length);
	uint32_t check = line_check(guarded, at);
	if (wrong && check != was) {
		memcpy(line, kept, length);
		return;
	}
	check_put(guarded, at, check);
	bad[at] = false;
	found->mended += wrong + bytes_differ((uint8_t *)&was, (uint8_t *)&check, sizeof check);
}

bool guard_mend(uint8_t *bytes, size_t length, uint8_t *guard, struct guard_mended *found)
{
	struct guarded in = guarded_range(bytes, length, guard);
	size_t count = all_lines(&in);
	bool *bad = calloc(count + 1, sizeof *bad);
	uint8_t *made = malloc(GUARD_LINE_MOST);
	for (size_t i = 0; bad && made && i < count; i++)
		bad[i] = line_check(&in, i) != check_at(&in, i) && !bit_mend(&in, i, found);
	for (size_t i = 0; bad && made && i < count; i++) {
		if (bad[i])
			line_mend(&in, i, bad, made, found);
		if (bad[i])
			found->wrong += in.shape.line;
	}
	bool done = bad && made;
	free(bad);
	free(made);
	return done;
}
