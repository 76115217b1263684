/* Pack: the names that a stream uses, each once, in the order of first use, as patterns of text and numbers.
 *
 * `out.0007` and `out.0008` have the same *skeleton*, so a list of such names becomes a few lines of numbers. Names are kept
 * complete while a stream is packed, and become a track at the end. Memory: the names.
 */
#ifndef PACK_NAME_TABLE_H
#define PACK_NAME_TABLE_H

#include "base/host/arena.h"
#include "codec/record.h"
#include "loop/track.h"

enum { SKELETONS_NUMBERED = 64 };

struct pack_name {
	uint32_t base_kind; /* enum varve_base */
	uint32_t base;	    /* number of a name of this table, or of a handle */
	uint32_t copy;	    /* for equal names in a block: 0, 1 ... */
	uint32_t length;
	const char *text;
	uint64_t used;	   /* the last block in which a name got this number */
	uint32_t skeleton; /* number from 1 if among the first SKELETONS_NUMBERED, else 0 */
};

struct skeleton;

struct name_table {
	struct pack_name *names; /* number n has index n - 1 */
	size_t count, room;
	uint32_t *slots; /* numbers, by hash; the size is a power of two */
	size_t slot_count;
	uint64_t skeletons[SKELETONS_NUMBERED]; /* hashes */
	size_t skeleton_count;
	struct skeleton *skeleton; /* of the present name; allocated with the first one */
	struct arena texts;
};

/* The number of a name; a new name gets the next number. */
enum varve_status name_table_find(struct name_table *table, const struct pack_name *name,
				  uint32_t *number, struct varve_causes *causes) MUST_CHECK;
void name_table_clear(struct name_table *table);

/* The names as a track. */
enum varve_status name_table_track(const struct name_table *table, struct values_coder *coder,
				   struct track *track, struct varve_causes *causes) MUST_CHECK;

#endif
