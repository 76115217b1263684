/* Codec: from a raw lane to a block.
 *
 * Runs inside the traced program and in `varve`: it allocates nothing, calls nothing that may lock, and works in a workspace
 * that the caller provides. The lane may be one that a dead process left.
 */
#ifndef CODEC_INPROCESS_ENCODE_H
#define CODEC_INPROCESS_ENCODE_H

#include "codec/block.h"
#include "codec/rows.h"

#include <stddef.h>

enum { ENCODE_OPEN_MOST = 32 };

/* Results of encoding besides the block. */
struct encoded {
	size_t length;	   /* bytes of the block */
	uint64_t records;  /* records in it */
	uint64_t fresh;	   /* records that are not continued */
	uint64_t backward; /* times out of order */
	uint64_t gaps;	   /* places that were reserved but never written */
	uint64_t definitions;
	/* The caller requests the ordinals of these records, in the order of their positions in the lane. */
	uint32_t open_count;
	struct {
		uint64_t position; /* of the record in the lane */
		uint64_t ordinal;
	} open[ENCODE_OPEN_MOST];
};

/* Whether the lane had no content, or its owner was killed while it was being handed over: it then becomes no block. */
static inline bool encoded_is_empty(const struct encoded *encoded)
{
	return !encoded->records && !encoded->definitions;
}

/* Stores the ordinal of a record if it was requested. */
static inline void encoded_see(struct encoded *encoded, uint64_t position, uint64_t ordinal)
{
	for (uint32_t i = 0; i < encoded->open_count; i++)
		if (encoded->open[i].position == position)
			encoded->open[i].ordinal = ordinal;
}

/* The largest workspace and output, in bytes, that a lane of this size may need. */
size_t encode_workspace_size(size_t lane_size);
size_t encode_output_size(size_t lane_size);

/* Initializes a workspace of encode_workspace_size() bytes once; it can then be used for any number of lanes up to that size. */
void encode_prepare(void *workspace, size_t lane_size);

/* Encodes the content of the lane into `output`, which is aligned to 8. `end` is a clock pair taken now, or after the lane's
 * last record. `lane_size` is the mapped size. An unknown choice, in a control page that another program has written, means
 * codec columns. */
enum varve_status encode_lane(const struct lane *lane, size_t lane_size, struct codec_choice choice,
			      struct lane_clock end, const struct call_row *rows, size_t row_count,
			      void *workspace, uint8_t *output, struct encoded *encoded) MUST_CHECK;

#endif
