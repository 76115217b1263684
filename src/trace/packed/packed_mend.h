/* Trace: damage of a packed file that is mended in memory. See packed.h.
 *
 * A *zone* is a range of a file with a guard behind it (packed/guard.h): all sections together, and each block of data. Zones of
 * a file that is not long are looked at when it is opened, all others when a part in them turns out to be wrong. The file itself
 * is never changed: pages that are mended are the reader's own.
 */
#ifndef TRACE_PACKED_PACKED_MEND_H
#define TRACE_PACKED_PACKED_MEND_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct packed;

struct packed_zone {
	uint64_t begin; /* in the range of all files */
	uint64_t length;
	bool seen; /* it was looked at */
};

/* Adds a zone, unless its guard is not in the file any more, which ends at `end`. */
enum varve_status zone_add(struct packed *packed, uint64_t begin, uint64_t length, uint64_t end,
			   struct varve_causes *causes) MUST_CHECK;
/* Mends what can be mended in all zones that were not looked at yet. */
void zones_mend(struct packed *packed);
/* The same for those that these bytes are in: whether they changed. As column_decoder.mend. */
bool zones_mend_at(void *packed, const uint8_t *bytes, size_t length);
/* Writes bytes over others in memory, and counts those that differ. */
void packed_patch(struct packed *packed, uint64_t at, const uint8_t *bytes, size_t length);

#endif
