/* Trace: the zones of a packed file, and their repair. See packed_mend.h.
 *
 * Owns the pages that it changes: a page becomes a private copy before a byte of it is written. Never writes to the file,
 * and never trusts repaired bytes: the checksums of sections and parts decide.
 */
#include "trace/packed/packed_mend.h"

#include "trace/packed/packed.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { GUARD_BEGIN = sizeof(struct block_header) };

/* Makes private, writable copies of the pages of these bytes. */
static uint8_t *private_page(const struct packed *packed, uint64_t at, size_t length)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), begin = at - at % page;
	uint8_t *bytes = (uint8_t *)(uintptr_t)packed->file;
	return mprotect(bytes + begin, at - begin + length, PROT_READ | PROT_WRITE) ? NULL
										    : bytes + at;
}

void packed_patch(struct packed *packed, uint64_t at, const uint8_t *bytes, size_t length)
{
	if (!memcmp(packed->file + at, bytes, length))
		return;
	uint8_t *to = private_page(packed, at, length);
	for (size_t i = 0; to && i < length; i++) {
		packed->mended += to[i] != bytes[i];
		to[i] = bytes[i];
	}
}

enum varve_status zone_add(struct packed *packed, uint64_t begin, uint64_t length, uint64_t end,
			   struct varve_causes *causes)
{
	uint64_t guard, all;
	if (!length || length > end || begin > end - length)
		return VARVE_OK;
	guard = block_plain_size(guard_size(length));
	if (__builtin_add_overflow(begin + length, guard, &all) || all > end)
		return VARVE_OK;
	struct packed_zone *zones =
		reallocarray(packed->zones, packed->zone_count + 1, sizeof *zones);
	if (!zones)
		return cause(causes, VARVE_NO_MEMORY, "no memory for a list of blocks");
	packed->zones = zones;
	zones[packed->zone_count++] = (struct packed_zone){.begin = begin, .length = length};
	return VARVE_OK;
}

/* Repairs the block around a good guard: its whole content is known. */
static void guard_block_mend(struct packed *packed, uint64_t at, size_t size)
{
	size_t length = block_plain_size(size);
	uint8_t *block = malloc(length);
	if (!block)
		return;
	block_plain(block, BLOCK_PACKED, packed->run_id, SECTION_GUARD,
		    packed->file + at + GUARD_BEGIN, size);
	packed_patch(packed, at, block, length);
	free(block);
}

static void zone_mend(struct packed *packed, struct packed_zone *zone)
{
	const uint8_t *bytes = packed->file + zone->begin;
	size_t length = (size_t)zone->length, size = guard_size(length);
	uint64_t at = zone->begin + length;
	struct guard_mended found = {0};
	zone->seen = true;
	if (!guard_good(bytes, length, bytes + length + GUARD_BEGIN)) {
		uint8_t *own_bytes = private_page(packed, zone->begin, length + GUARD_BEGIN + size);
		if (!own_bytes ||
		    !guard_mend(own_bytes, length, own_bytes + length + GUARD_BEGIN, &found))
			return;
	}
	packed->mended += found.mended;
	packed->wrong += found.wrong;
	if (!found.wrong)
		guard_block_mend(packed, at, size);
}

void zones_mend(struct packed *packed)
{
	for (size_t i = 0; i < packed->zone_count; i++)
		if (!packed->zones[i].seen)
			zone_mend(packed, &packed->zones[i]);
}

bool zones_mend_at(void *context, const uint8_t *bytes, size_t length)
{
	struct packed *packed = context;
	uint64_t begin = (uint64_t)(bytes - packed->file), before = packed->mended;
	for (size_t i = 0; i < packed->zone_count; i++) {
		struct packed_zone *zone = &packed->zones[i];
		if (!zone->seen && begin < zone->begin + zone->length &&
		    zone->begin < begin + length)
			zone_mend(packed, zone);
	}
	return packed->mended != before;
}
