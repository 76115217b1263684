/* Trace: shared by the files of the cursor. Not for other rooms. */
#ifndef TRACE_CURSOR_CURSOR_INSIDE_H
#define TRACE_CURSOR_CURSOR_INSIDE_H

#include "trace/cursor/stream.h"

/* A stream in the heap of the merge. */
struct waiting {
	int64_t ns;
	size_t stream;
	size_t block; /* index in the stream of the block to open first */
	bool ready;   /* true: the stream's next row is at `ns`; false: it has no row before `ns` */
};

struct batch;

struct varve_cursor {
	struct varve_trace *trace;
	struct trace_filter filter;
	enum varve_order order;
	unsigned columns; /* enum varve_column */
	unsigned want;
	uint32_t *some; /* by function: which parts of its records are decoded; NULL: all */
	struct stream **streams; /* NULL: not started, or finished */
	size_t current;		 /* VARVE_ORDER_STREAM */
	struct waiting *heap;
	size_t heap_count;
	bool holding;	   /* the caller has the current row; the next step moves to the next row */
	uint64_t finished; /* records of finished streams */
	uint64_t opened;   /* blocks that finished streams opened */
	enum varve_status failed; /* the status of a failed step */
	bool by_calls;		  /* the caller reads it by calls */
	struct varve_call call;
	struct batch *batch; /* NULL: the caller reads it by calls */
};

/* Moves to the next row; `*stream` is the stream whose current row it is. */
enum varve_status cursor_step(struct varve_cursor *cursor, struct stream **stream,
			      struct varve_causes *causes) MUST_CHECK;

void cursor_batch_free(struct batch *batch);

#endif
