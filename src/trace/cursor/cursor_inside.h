/* Trace: shared by the files of the cursor. Not for other rooms. */
#ifndef TRACE_CURSOR_CURSOR_INSIDE_H
#define TRACE_CURSOR_CURSOR_INSIDE_H

#include "trace/cursor/stream.h"

/* A stream in the heap of the merge. */
struct waiting {
	int64_t ns;
	size_t stream;
	size_t block; /* before the first one is opened: which of the stream's that is */
	bool ready;   /* the stream's next row is at `ns`; else nothing of it comes before `ns` */
};

struct batch;

struct varve_cursor {
	struct varve_trace *trace;
	struct trace_filter filter;
	enum varve_order order;
	unsigned columns; /* enum varve_column */
	unsigned want;
	uint32_t *some; /* what of it is wanted of the records of each function; NULL: all */
	struct stream **streams; /* NULL: not started, or done */
	size_t current;		 /* VARVE_ORDER_STREAM */
	struct waiting *heap;
	size_t heap_count;
	bool holding;		  /* the row that was given out last must be left */
	uint64_t finished;	  /* records of streams that are done */
	uint64_t opened;	  /* blocks of these */
	enum varve_status failed; /* what ended the reading before its end */
	bool by_calls;		  /* it was read so */
	struct varve_call call;
	struct batch *batch; /* NULL: read by calls */
};

/* The stream whose present row comes next. */
enum varve_status cursor_step(struct varve_cursor *cursor, struct stream **stream,
			      struct varve_causes *causes) MUST_CHECK;

void cursor_batch_free(struct batch *batch);

#endif
