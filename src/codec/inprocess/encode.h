/* Codec: from a raw lane to a block.
 *
 * Runs inside the traced program as well as in `varve`: it allocates nothing, calls nothing that may lock, and works in
 * a workspace that the caller gives. The lane may be one that a dead process left.
 */
#ifndef CODEC_INPROCESS_ENCODE_H
#define CODEC_INPROCESS_ENCODE_H

#include "codec/block.h"
#include "codec/rows.h"

#include <stddef.h>

enum { ENCODE_OPEN_MOST = 32 };

/* What encoding found besides the block. */
struct encoded {
	size_t length;	   /* bytes of the block */
	uint64_t records;  /* records in it */
	uint64_t fresh;	   /* records that are not continued ones */
	uint64_t backward; /* times out of order */
	uint64_t gaps;	   /* places that were reserved and never written */
	uint64_t definitions;
	/* The caller asks for the ordinals of these records, in the order of their positions in the lane. */
	uint32_t open_count;
	struct {
		uint64_t position; /* of the record in the lane */
		uint64_t ordinal;
	} open[ENCODE_OPEN_MOST];
};

/* Whether the lane held nothing, or its owner was killed while it changed hands: then there is no block of that name. */
static inline bool encoded_is_empty(const struct encoded *encoded)
{
	return !encoded->records && !encoded->definitions;
}

/* Notes the ordinal of a record that was asked for. */
static inline void encoded_see(struct encoded *encoded, uint64_t position, uint64_t ordinal)
{
	for (uint32_t i = 0; i < encoded->open_count; i++)
		if (encoded->open[i].position == position)
			encoded->open[i].ordinal = ordinal;
}

/* Bytes of workspace and of output that a lane of this size may need at the most. */
size_t encode_workspace_size(size_t lane_size);
size_t encode_output_size(size_t lane_size);

/* Makes a workspace of encode_workspace_size() bytes ready, once: then it serves for any number of lanes up to that size. */
void encode_prepare(void *workspace, size_t lane_size);

/* Encodes what the lane holds into `output`, which is aligned to 8. `end` is a clock pair taken now, or after the lane's
 * last record. `lane_size` is what is mapped. A choice that is none, in a control page that somebody else has
 * written, is codec columns. */
enum varve_status encode_lane(const struct lane *lane, size_t lane_size, struct codec_choice choice,
			      struct lane_clock end, const struct call_row *rows, size_t row_count,
			      void *workspace, uint8_t *output, struct encoded *encoded) MUST_CHECK;

#endif
