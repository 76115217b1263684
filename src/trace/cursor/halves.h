/* Trace: calls that the end of a block cut.
 *
 * Finds the last half of a call, whether a half has another one before it, and halves that have none.
 *
 * A call that is open when a block ends is repeated at the head of the next block as continued, and again in each further block
 * until it returns. So the chain is followed from block to block by ordinals, a column of a few values; only the block that
 * contains the last half is decoded. In a hostile trace, following every call could take the square of the number of blocks: then
 * following stops, and that is reported.
 */
#ifndef TRACE_CURSOR_HALVES_H
#define TRACE_CURSOR_HALVES_H

#include "codec/host/decode.h"
#include "trace/names/names.h"
#include "trace/trace.h"

struct half {
	struct record record;
	struct named_late *late; /* its outputs that are names or handles; they own their texts */
	size_t late_count;
};

/* Ordinals of the calls that a block continues, sorted. */
struct ordinals {
	size_t of; /* block of the stream */
	bool known;
	uint64_t *list;
	size_t count;
	uint64_t end; /* behind the last call that begins in the block */
};

struct halves {
	size_t block; /* in the stream: the one whose continued records are in `list` */
	bool loaded;
	struct half *list;
	size_t count, room;
	/* the good block behind the one that was asked for last */
	size_t behind_of;
	size_t behind;
	bool behind_known;
	struct ordinals earlier; /* of the block that was asked for last about what has begun */
	struct ordinals later;	 /* and about what goes on */
	uint64_t looked;	 /* ordinals that were read to follow calls, at most `limit` */
	uint64_t limit;
};

/* Frees the memory. Ordinals that were read to follow calls still count. */
void halves_rest(struct halves *halves);

/* The last half of call `ordinal` behind block `from` of the stream, or NULL: it was not continued. */
enum varve_status halves_last(struct halves *halves, struct varve_trace *trace,
			      const struct varve_stream *stream, size_t from, uint64_t ordinal,
			      const struct half **last, struct varve_causes *causes) MUST_CHECK;

/* Whether a block before `from` contains the call: then the call belongs to that block. */
enum varve_status halves_begun(struct halves *halves, struct varve_trace *trace,
			       const struct varve_stream *stream, size_t from, uint64_t ordinal,
			       bool *begun, struct varve_causes *causes) MUST_CHECK;

/* Calls `see` for each call that continues in a block and that no earlier block contains: no header counts it. Not for packed
 * traces, whose chunks count such calls. */
typedef void halves_see(void *context, const struct varve_stream *stream, uint16_t function);
enum varve_status halves_lost(struct varve_trace *trace, halves_see *see, void *context,
			      struct varve_causes *causes) MUST_CHECK;

#endif
