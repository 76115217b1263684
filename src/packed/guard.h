/* Packed: the guard of a range of bytes in a packed file: it finds damage and repairs it.
 *
 * The range is divided into lines of equal length. Each line has a CRC-32, which identifies a single flipped bit. Lines are
 * distributed over groups; each group has a line of parity (XOR), from which one line of the group can be recomputed. The
 * guard's own bytes are checked in the same way. The layout is in docs/format.md. Nothing here reads or writes files.
 */
#ifndef PACKED_GUARD_H
#define PACKED_GUARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	GUARD_LINE_LEAST = 128,
	GUARD_LINE_MOST = 4096,
	GUARD_LINES = 256, /* approximate number of lines of a short range */
	GUARD_GROUP = 20   /* lines for each line of parity */
};

/* The layout of the guard of a range of this length. */
struct guard_shape {
	size_t line;
	size_t lines; /* the last one may be shorter: it counts as if zeros followed */
	size_t parity; /* number of lines of parity, and of groups: line i is in group i modulo this */
};
struct guard_shape guard_shape(uint64_t length);
/* Size of the guard: a CRC-32 for each line and for each line of parity, then the lines of parity. */
size_t guard_size(uint64_t length);

/* Fills `guard`, which has room for guard_size() bytes. */
void guard_make(const uint8_t *bytes, size_t length, uint8_t *guard);

/* Whether range and guard are undamaged. */
bool guard_good(const uint8_t *bytes, size_t length, const uint8_t *guard);

/* The result of guard_mend(), in bytes. */
struct guard_mended {
	uint64_t mended; /* repaired bytes of the range and of the guard */
	uint64_t wrong;	 /* bytes of lines that are still wrong */
};
/* Repairs range and guard as far as possible. False: no memory. */
bool guard_mend(uint8_t *bytes, size_t length, uint8_t *guard, struct guard_mended *found);

#endif
