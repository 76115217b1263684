/* Trace: the records of one stream in order, halves joined. Used by the cursor. */
#ifndef TRACE_STREAM_H
#define TRACE_STREAM_H

#include "trace/cursor.h"

struct continuation;

struct stream {
	struct trace *trace;
	const struct trace_stream *where;
	const struct trace_filter *filter;
	size_t next_block; /* in the stream */
	bool loaded;
	struct batch batch;
	size_t at; /* next record of the batch */
	struct names names;
	bool joined;		    /* `later` is filled */
	struct continuation *later; /* last halves of calls that were cut, by ordinal */
	size_t later_count;
	struct trace_call call;
};

void stream_start(struct stream *stream, struct trace *trace, const struct trace_stream *where,
		  const struct trace_filter *filter);

/* A lower bound of the entry times that are still to come, in ns; false: there are no more blocks. */
bool stream_horizon(const struct stream *stream, int64_t *ns);

/* Fills stream->call. STATUS_END: no more. */
enum status stream_next(struct stream *stream, struct varve_causes *causes) MUST_CHECK;

/* Frees what is held; the stream may not be read on. */
void stream_stop(struct stream *stream);

#endif
