/* Trace: repair of damage in a packed file, in memory. See packed.h.
 *
 * A *zone* is a range of a file followed by its guard (packed/guard.h): all sections together, and each block of data.
 * Zones of a short file are checked when it is opened, other zones when a part in them is found to be wrong. The file
 * itself is never changed: repaired pages are private copies.
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
	bool seen; /* it was checked */
};

/* Adds a zone, unless its guard is after the end of the file, `end`. */
enum varve_status zone_add(struct packed *packed, uint64_t begin, uint64_t length, uint64_t end,
			   struct varve_causes *causes) MUST_CHECK;
/* Repairs what can be repaired in all zones that were not checked yet. */
void zones_mend(struct packed *packed);
/* The same for zones that contain these bytes; returns whether bytes were changed. Used as column_decoder.mend. */
bool zones_mend_at(void *packed, const uint8_t *bytes, size_t length);
/* Writes bytes over others in memory, and counts those that differ. */
void packed_patch(struct packed *packed, uint64_t at, const uint8_t *bytes, size_t length);

#endif
