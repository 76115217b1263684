/* Slice: the streams of sources that have processes in common, in the order in which they are written.
 *
 * Slices of one trace by time contain the same streams; what each source has of a stream is a *piece* of it. Pieces of a stream
 * follow each other by the numbers of their calls; if these overlap they are refused. Never writes.
 */
#ifndef SLICE_PIECES_H
#define SLICE_PIECES_H

#include "slice/slice.h"

/* What one source has of a stream. */
struct piece {
	size_t source;
	const struct varve_stream *stream;
	const struct trace_node *node;
	bool numbered; /* it has calls: `first` and `last` are their numbers. Looked for among several sources only */
	uint64_t first, last;
};

struct pieces {
	struct piece *list; /* by number of the node, process, thread, and first call */
	size_t count;
};

/* The pieces of the sources of a group. VARVE_USAGE: two of them overlap. */
enum varve_status pieces_make(const struct slice_request *request, size_t group,
			      struct pieces *pieces, struct varve_causes *causes) MUST_CHECK;
void pieces_clear(struct pieces *pieces);

#endif
