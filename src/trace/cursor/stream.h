/* Trace: the records of one stream, page by page, halves joined. Used by the cursor. */
#ifndef TRACE_CURSOR_STREAM_H
#define TRACE_CURSOR_STREAM_H

#include "codec/host/decode.h"
#include "trace/cursor/cursor.h"
#include "trace/cursor/halves.h"
#include "trace/cursor/page.h"

/* A call that is open at the present row, for what is made inside it. */
struct open_call {
	uint16_t function;
	uint8_t depth;
	uint32_t inside;
	struct varve_text region; /* that what is made inside it is in */
};

struct stream {
	struct varve_trace *trace;
	const struct varve_stream *where;
	const struct trace_filter *filter;
	unsigned want;	      /* enum want and enum page_want */
	const uint32_t *some; /* what is wanted of records by function, see decode.h; NULL: all */
	bool following;	      /* `names` may be used */
	size_t next_block;    /* in the stream: not looked at yet */
	uint64_t passed;      /* records of the blocks before that one */
	struct trace_block *next; /* found among those, not opened yet; NULL: not looked for */
	bool next_sure;
	bool insist; /* the next block is read whatever its header says: calls that are wanted go on in it */
	uint64_t opened; /* blocks */
	bool reading;
	bool sure; /* every row of the block is wanted, by its header */
	struct trace_block *block;
	struct block_reader reader;
	struct definitions definitions;
	struct halves halves;
	struct names names; /* as of the row that was asked for last */
	size_t followed;    /* rows of the page that `names` has followed */
	struct names seen;  /* follows whole pages, for files */
	struct page *page;
	size_t before; /* rows of the block before the page */
	size_t late;   /* definitions up to which outputs of cut calls were looked for */
	struct open_call *open;
	size_t open_count;
	uint16_t *selected; /* rows of the page that are wanted */
	size_t selected_count;
	size_t at; /* next of these */
	/* batches: place of each file of the page in the batch that is being filled */
	uint32_t *file_in_batch;
	uint64_t batch_number;
};

void stream_start(struct stream *stream, struct varve_trace *trace,
		  const struct varve_stream *where, const struct trace_filter *filter,
		  unsigned want, bool following);

/* Lets a stream that was just started begin with this block. */
void stream_skip(struct stream *stream, size_t block);

/* A lower bound of the entry times of the blocks that are still to come, in ns; false: there are no more. */
bool stream_horizon(struct stream *stream, int64_t *ns);

/* Whether the open block is used up. Then stream_rest() gives its memory back, until the stream is read on. */
bool stream_between(const struct stream *stream);
void stream_rest(struct stream *stream);

/* Ensures that selected[at] is the next wanted row. VARVE_END: there are no more. */
enum varve_status stream_next(struct stream *stream, struct varve_causes *causes) MUST_CHECK;

/* The next page, with or without wanted rows: for callers that read all rows and `selected`. */
enum varve_status stream_page(struct stream *stream, struct varve_causes *causes) MUST_CHECK;

/* When the open block is used up: the block that comes next, NULL: there is none. `*sure`: every record of it is wanted, by its
 * header. stream_pass() leaves it out. */
const struct trace_block *stream_coming(struct stream *stream, bool *sure);
void stream_pass(struct stream *stream);

/* Brings `names` to a row of the page. */
enum varve_status stream_follow(struct stream *stream, size_t row,
				struct varve_causes *causes) MUST_CHECK;

/* What names need of a row. */
struct named_record stream_named(const struct stream *stream, size_t row);

/* Frees what is held; the stream may not be read on. */
void stream_stop(struct stream *stream);

#endif
