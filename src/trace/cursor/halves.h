/* Trace: calls that a block boundary cuts into halves.
 *
 * Finds the last half of a call, whether a half has an earlier half, and halves without an earlier one.
 *
 * A call that is open when a block ends is repeated at the head of the next block as continued, and again in each further
 * block until it returns. The halves are followed from block to block by their ordinals, a column of a few values; only
 * the block with the last half is decoded. In a hostile trace, following every call could take the square of the number of
 * blocks; beyond a limit, calls are not followed further, and that is reported.
 */
#ifndef TRACE_CURSOR_HALVES_H
#define TRACE_CURSOR_HALVES_H

#include "codec/host/decode.h"
#include "trace/names/names.h"
#include "trace/trace.h"

struct half {
	struct record record;
	/* outputs that are names or handles; the texts are owned by the entry */
	struct named_late *late;
	size_t late_count;
};

/* Ordinals of the continued calls of a block, sorted. */
struct ordinals {
	size_t of; /* index of the block in the stream */
	bool known;
	uint64_t *list;
	size_t count;
	uint64_t end; /* one more than the ordinal of the last call that begins in the block */
};

struct halves {
	size_t block; /* index in the stream of the block whose continued records are in `list` */
	bool loaded;
	struct half *list;
	size_t count, room;
	/* the next good block after `behind_of` */
	size_t behind_of;
	size_t behind;
	bool behind_known;
	struct ordinals earlier; /* for halves_begun() */
	struct ordinals later;	 /* for halves_last() */
	uint64_t looked; /* number of ordinals that were read to follow calls, at most `limit` */
	uint64_t limit;
};

/* Frees the memory. The count of ordinals that were read is kept. */
void halves_rest(struct halves *halves);

/* The last half of call `ordinal` after block `from` of the stream; NULL: it was not continued. */
enum varve_status halves_last(struct halves *halves, struct varve_trace *trace,
			      const struct varve_stream *stream, size_t from, uint64_t ordinal,
			      const struct half **last, struct varve_causes *causes) MUST_CHECK;

/* Whether a block before `from` contains a part of the call: then the call belongs to that block. */
enum varve_status halves_begun(struct halves *halves, struct varve_trace *trace,
			       const struct varve_stream *stream, size_t from, uint64_t ordinal,
			       bool *begun, struct varve_causes *causes) MUST_CHECK;

/* Calls `see` for each call that continues in a block but is in no earlier block, so that no header counts it. Not for
 * packed traces, whose chunks count such calls. */
typedef void halves_see(void *context, const struct varve_stream *stream, uint16_t function);
enum varve_status halves_lost(struct varve_trace *trace, halves_see *see, void *context,
			      struct varve_causes *causes) MUST_CHECK;

#endif
