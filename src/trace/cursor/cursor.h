/* Trace: the records of a trace in order, stream by stream or merged by entry time. See <varve/cursor.h>.
 *
 * Memory: a page and one block, as it is stored but for planes by zstd, for each stream that has records around the current
 * time.
 */
#ifndef TRACE_CURSOR_CURSOR_H
#define TRACE_CURSOR_CURSOR_H

#include "trace/names/names.h"
#include "trace/trace.h"

#include <varve/cursor.h>

/* Which records are wanted. Blocks that hold none by their headers are not decoded. */
struct trace_filter {
	uint32_t process;		  /* 0: all */
	uint32_t thread;		  /* 0: all */
	int64_t from_ns;		  /* entry, since the run's start; INT64_MIN: all */
	int64_t to_ns;			  /* INT64_MAX: all; entry < to_ns */
	const uint8_t *functions;	  /* TRACE_FUNCTIONS flags; NULL: all */
	const struct varve_filter *where; /* NULL: all */
	/* Blocks that need not be decoded for this query; NULL: none of them. */
	bool (*needless)(const struct trace_filter *filter, const struct trace_block *block);
	bool steady; /* for it: all halves of a call are decided alike, and none is lost */
};

#define TRACE_FILTER_ALL ((struct trace_filter){.from_ns = INT64_MIN, .to_ns = INT64_MAX})

enum varve_status cursor_open(struct varve_trace *trace, const struct trace_filter *filter,
			      enum varve_order order, unsigned columns,
			      struct varve_cursor **result, struct varve_causes *causes) MUST_CHECK;

/* VARVE_END: no more. Damage found on the way goes into the trace's list. */
enum varve_status cursor_next(struct varve_cursor *cursor, const struct varve_call **result,
			      struct varve_causes *causes) MUST_CHECK;
enum varve_status cursor_batch(struct varve_cursor *cursor, const struct varve_batch **result,
			       struct varve_causes *causes) MUST_CHECK;
void cursor_close(struct varve_cursor *cursor);

/* Records of the blocks that are behind the cursor. */
void cursor_progress(const struct varve_cursor *cursor, uint64_t *done, uint64_t *all);
/* Blocks whose records it has looked at. */
uint64_t cursor_opened(const struct varve_cursor *cursor);

/* The names of the block that a call is in, as they were when it was made; NULL: not requested, or no memory. */
struct names *names_of_call(const struct varve_call *call);

/* What names need of a call. */
struct named_record call_named(const struct varve_call *call);

/* Whether these columns were decoded for a call: bits of enum want. */
bool call_knows(const struct varve_call *call, unsigned want);

/* The block that a call began in. */
const struct trace_block *block_of_call(const struct varve_call *call);

/* The trace that a call is from. */
const struct varve_trace *call_trace(const struct varve_call *call);

#endif
