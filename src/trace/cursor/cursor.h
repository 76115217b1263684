/* Trace: the records of a trace in order, stream by stream or merged by entry time. See <varve/cursor.h>.
 *
 * Memory: for each stream that has records around the current time, a page and one block as it is stored, with its
 * zstd-compressed planes unpacked.
 */
#ifndef TRACE_CURSOR_CURSOR_H
#define TRACE_CURSOR_CURSOR_H

#include "trace/names/names.h"
#include "trace/trace.h"

#include <varve/cursor.h>

/* Which records are selected. Blocks whose headers exclude all records are not decoded. */
struct trace_filter {
	uint32_t process;	  /* 0: all */
	uint32_t thread;	  /* 0: all */
	int64_t from_ns;	  /* entry, in ns since the start of the run; INT64_MIN: all */
	int64_t to_ns;		  /* entry < to_ns; INT64_MAX: all */
	const uint8_t *functions; /* TRACE_FUNCTIONS flags; NULL: all */
	const struct varve_filter *where; /* NULL: all */
	/* Whether a block need not be decoded for this query; NULL: all blocks are decoded. */
	bool (*needless)(const struct trace_filter *filter, const struct trace_block *block);
	/* for `needless`: the filter gives the same result for all halves of a call, and no half is lost */
	bool steady;
};

#define TRACE_FILTER_ALL ((struct trace_filter){.from_ns = INT64_MIN, .to_ns = INT64_MAX})

enum varve_status cursor_open(struct varve_trace *trace, const struct trace_filter *filter,
			      enum varve_order order, unsigned columns,
			      struct varve_cursor **result, struct varve_causes *causes) MUST_CHECK;

/* Returns VARVE_END after the last record. Damage that is found while reading is added to the list of the trace. */
enum varve_status cursor_next(struct varve_cursor *cursor, const struct varve_call **result,
			      struct varve_causes *causes) MUST_CHECK;
enum varve_status cursor_batch(struct varve_cursor *cursor, const struct varve_batch **result,
			       struct varve_causes *causes) MUST_CHECK;
void cursor_close(struct varve_cursor *cursor);

/* The number of records in the blocks that the cursor has finished, and in all blocks. */
void cursor_progress(const struct varve_cursor *cursor, uint64_t *done, uint64_t *all);
/* The number of blocks that it has opened. */
uint64_t cursor_opened(const struct varve_cursor *cursor);

/* The names of the block of a call, as they were at the time of the call; NULL: not requested, or no memory. */
struct names *names_of_call(const struct varve_call *call);

/* The part of a call that functions of names.h need. */
struct named_record call_named(const struct varve_call *call);

/* Whether these columns were decoded for a call: bits of enum want. */
bool call_knows(const struct varve_call *call, unsigned want);

/* The block in which a call began. */
const struct trace_block *block_of_call(const struct varve_call *call);

/* The trace of a call. */
const struct varve_trace *call_trace(const struct varve_call *call);

#endif
