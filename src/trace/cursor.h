/* Trace: the records of a trace in order, stream by stream or merged by entry time.
 *
 * A call that was cut by the end of a block is one call here: it stands where it began and has the result of its last
 * half. Memory: one decoded block for each stream that has records around the current time.
 */
#ifndef TRACE_CURSOR_H
#define TRACE_CURSOR_H

#include "codec/record.h"
#include "trace/names.h"
#include "trace/trace.h"

enum cursor_order { ORDER_TIME, ORDER_STREAM };

/* Which records are wanted. Blocks that hold none by their headers are not decoded. */
struct trace_filter {
	bool one_process;
	uint32_t process;
	bool one_thread;
	uint32_t thread;
	int64_t from_ns;	  /* entry, since the run's start; INT64_MIN: all */
	int64_t to_ns;		  /* INT64_MAX: all; entry < to_ns */
	const uint8_t *functions; /* TRACE_FUNCTIONS flags; NULL: all */
};

#define TRACE_FILTER_ALL ((struct trace_filter){.from_ns = INT64_MIN, .to_ns = INT64_MAX})

/* A call as the cursor yields it; valid until the cursor's next call. */
struct trace_call {
	struct record record;
	const struct varve_function *function; /* NULL: not in the tables */
	const struct trace_stream *stream;
	const struct block_header *header; /* of the block where it began */
	struct names *names;		   /* resolves the record's words */
	int32_t late_word;		   /* word whose name was learned in a later block, or -1 */
	struct varve_text late;
};

struct cursor;

enum status cursor_open(struct trace *trace, const struct trace_filter *filter,
			enum cursor_order order, struct cursor **result,
			struct varve_causes *causes) MUST_CHECK;

/* STATUS_END: no more. Damage found on the way goes into the trace's list. */
enum status cursor_next(struct cursor *cursor, struct trace_call **call,
			struct varve_causes *causes) MUST_CHECK;
void cursor_close(struct cursor *cursor);

#endif
