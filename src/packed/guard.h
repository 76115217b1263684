/* Packed: the guard of a range of bytes in a packed file: it finds damage and repairs it.
 *
 * The range is divided into lines of equal length. Each line has a CRC-32, by which a single flipped bit is found. Lines are
 * dealt out to groups; each group has a line of parity (XOR), by which one line of the group can be computed again. The guard's
 * own bytes are checked in the same way. The layout is in docs/format.md. Nothing here reads or writes files.
 */
#ifndef PACKED_GUARD_H
#define PACKED_GUARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	GUARD_LINE_LEAST = 128,
	GUARD_LINE_MOST = 4096,
	GUARD_LINES = 256, /* about so many lines of a short range */
	GUARD_GROUP = 20   /* lines for which there is one line of parity */
};

/* Of a range of so many bytes. */
struct guard_shape {
	size_t line;
	size_t lines;  /* the last one may be short: zeroes count behind it */
	size_t parity; /* lines of parity, and groups: line i is in group i modulo this */
};
struct guard_shape guard_shape(uint64_t length);
/* Bytes of the guard: a CRC-32 for each line, one for each line of parity, then the lines of parity. */
size_t guard_size(uint64_t length);

/* Fills `guard`, which has room for guard_size() bytes. */
void guard_make(const uint8_t *bytes, size_t length, uint8_t *guard);

/* Whether range and guard are undamaged. */
bool guard_good(const uint8_t *bytes, size_t length, const uint8_t *guard);

/* What guard_mend() did, in bytes. */
struct guard_mended {
	uint64_t mended; /* that were wrong, of the range and of the guard */
	uint64_t wrong;	 /* of lines that are still wrong */
};
/* Repairs range and guard as far as possible. False: no memory. */
bool guard_mend(uint8_t *bytes, size_t length, uint8_t *guard, struct guard_mended *found);

#endif
