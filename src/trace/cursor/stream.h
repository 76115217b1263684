/* Trace: the records of one stream, page by page, with joined halves. Used by the cursor. */
#ifndef TRACE_CURSOR_STREAM_H
#define TRACE_CURSOR_STREAM_H

#include "codec/host/decode.h"
#include "trace/cursor/cursor.h"
#include "trace/cursor/halves.h"
#include "trace/cursor/page.h"

/* A call that is open at the current row, with the values for calls inside it. */
struct open_call {
	uint16_t function;
	uint8_t depth;
	uint32_t inside;
	struct varve_text region; /* innermost region around calls inside it */
};

struct stream {
	struct varve_trace *trace;
	const struct varve_stream *where;
	const struct trace_filter *filter;
	unsigned want; /* enum want and enum page_want */
	/* by function: which parts of its records are decoded, see decode.h; NULL: all */
	const uint32_t *some;
	bool following;		  /* `names` follows the rows, so that callers can use it */
	size_t next_block;	  /* index in the stream of the next block to test */
	uint64_t passed;	  /* records of the blocks before next_block */
	struct trace_block *next; /* the next block to open; NULL: not searched yet */
	bool next_sure;
	/* open the next block even if its header excludes it: selected calls continue in it */
	bool insist;
	uint64_t opened; /* number of blocks opened */
	bool reading;
	bool sure; /* by the header, all rows of the block are selected */
	struct trace_block *block;
	struct block_reader reader;
	struct definitions definitions;
	struct halves halves;
	struct names names; /* names as of the row of the last query */
	size_t followed;    /* number of rows of the page that `names` has followed */
	struct names seen;  /* follows whole pages, to find files */
	struct page *page;
	size_t before; /* number of rows of the block before the page */
	size_t late;   /* definitions before this index were searched for outputs of cut calls */
	struct open_call *open;
	size_t open_count;
	uint16_t *selected; /* selected rows of the page */
	size_t selected_count;
	size_t at; /* index in `selected` of the current row */
	/* for batches: index of each file of the page in the current batch */
	uint32_t *file_in_batch;
	uint64_t batch_number;
};

void stream_start(struct stream *stream, struct varve_trace *trace,
		  const struct varve_stream *where, const struct trace_filter *filter,
		  unsigned want, bool following);

/* Makes a stream that was just started begin with this block. */
void stream_skip(struct stream *stream, size_t block);

/* A lower bound of the entry times of the remaining blocks, in ns; false: there are none. */
bool stream_horizon(struct stream *stream, int64_t *ns);

/* Whether all rows of the open block were read. Then stream_rest() can free its memory until the next block is opened. */
bool stream_between(const struct stream *stream);
void stream_rest(struct stream *stream);

/* Moves to the next selected row, selected[at]. VARVE_END: there are no more. */
enum varve_status stream_next(struct stream *stream, struct varve_causes *causes) MUST_CHECK;

/* Reads the next page, with or without selected rows: for callers that read all rows and `selected`. */
enum varve_status stream_page(struct stream *stream, struct varve_causes *causes) MUST_CHECK;

/* When all rows of the open block were read: the next block that would be opened; NULL: there is none. `*sure`: by its
 * header, all its records are selected. stream_pass() skips it. */
const struct trace_block *stream_coming(struct stream *stream, bool *sure);
void stream_pass(struct stream *stream);

/* Makes `names` follow the rows of the page up to `row`. */
enum varve_status stream_follow(struct stream *stream, size_t row,
				struct varve_causes *causes) MUST_CHECK;

/* The part of a row that functions of names.h need. */
struct named_record stream_named(const struct stream *stream, size_t row);

/* Frees all memory; the stream cannot be read further. */
void stream_stop(struct stream *stream);

#endif
