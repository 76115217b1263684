/* Pack: a packed trace while it is put together: streams in order, their classes, the files.
 *
 * Shared by the files that place sections and parts; each sets its own members. Private to src/pack; no reader includes it.
 */
#ifndef PACK_PLACING_H
#define PACK_PLACING_H

#include "pack/packed_target.h"
#include "pack/stream_packer.h"

struct placing {
	struct varve_trace *trace;
	struct packed_stream *streams;
	enum packed_time time;
	size_t count;
	size_t *order;	    /* indices of streams in the trace, by rank */
	bool ranked;	    /* there are streams with a rank: those without are the others */
	uint32_t *class_of; /* PACKED_TRACKS for each stream in this order; 0: none */
	uint32_t classes[PACKED_TRACKS];
	struct packed_target target;
	size_t shares[PACKED_FILES_MOST]; /* number of streams of each file, in this order */
	uint64_t *blocks; /* lengths of the blocks of data, one file after the other */
	size_t block_counts[PACKED_FILES_MOST];
	struct varve_causes *causes;
};

/* An index in a list, to be sorted by its key; equal keys are sorted by the index. */
struct keyed {
	uint64_t key;
	size_t at;
};
void keyed_sort(struct keyed *list, size_t count);

/* place_parts.c: determines the file of each stream, and the position of each part in its data. */
enum varve_status parts_place(struct placing *placing) MUST_CHECK;
/* Writes the list of parts and blocks, after parts_place(). */
void parts_list(struct placing *placing, struct bytes *bytes);
/* Writes the data of a file. */
enum varve_status parts_write(struct placing *placing, size_t file) MUST_CHECK;

#endif
