/* Slice: the streams of sources that have processes in common, in the order in which they are written.
 *
 * Slices of one trace by time contain the same streams; the part of a stream that is in one source is a *piece*. Pieces of a
 * stream are ordered by the numbers of their calls; if these overlap, they are refused. Never writes.
 */
#ifndef SLICE_PIECES_H
#define SLICE_PIECES_H

#include "slice/slice.h"

/* The part of a stream that is in one source. */
struct piece {
	size_t source;
	const struct varve_stream *stream;
	const struct trace_node *node;
	bool numbered; /* there are calls, with the numbers `first` to `last`. Only determined if there are several sources */
	uint64_t first, last;
};

struct pieces {
	struct piece *list; /* sorted by number of the node, process, thread, and first call */
	size_t count;
};

/* The pieces of the sources of a group. VARVE_USAGE: two of them overlap. */
enum varve_status pieces_make(const struct slice_request *request, size_t group,
			      struct pieces *pieces, struct varve_causes *causes) MUST_CHECK;
void pieces_clear(struct pieces *pieces);

#endif
