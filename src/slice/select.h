/* Slice: selects records of a stream, block by block, with the definitions that they need.
 *
 * Reads a stream as the cursor does and decides as the filter does: by calls, whose halves all stay or all go. A record that is
 * left out may have made a handle that others use: then a definition takes its place. The result is stored in `rows`; the caller
 * makes a block of it. Never writes.
 */
#ifndef SLICE_SELECT_H
#define SLICE_SELECT_H

#include "slice/anonymize.h"
#include "slice/references.h"
#include "trace/cursor/stream.h"
#include "write/block_rows.h"

/* What the words of a function are: for those that are names or handles. */
struct word_use {
	uint8_t word;
	uint8_t style; /* enum varve_style */
	uint8_t use;   /* enum use, of names */
};

struct word_uses {
	uint8_t count;
	bool result;	  /* is a handle */
	uint32_t outputs; /* a bit for each word */
	struct word_use list[RECORD_ARGUMENTS_MOST];
};

struct selector {
	struct varve_trace *trace;
	const struct trace_filter *filter;
	struct anonymizer *anonymizer; /* NULL: names stay */
	struct word_uses *functions;   /* by id */
	struct stream stream;
	const struct trace_block *block; /* whose records are in `kept` */
	struct block_rows rows;
	struct definitions definitions; /* of the block */
	size_t logged;			/* of these */
	/* Facts about names and handles, in order: definitions of the block, and those that take the place of records. */
	struct definition *events;
	size_t event_count, event_room;
	uint64_t last;	/* place in the block of the record that was kept last */
	uint64_t calls; /* that were kept: halves of a cut one are counted once */
	uint64_t left;	/* records left out behind the first that was kept */
	struct references references;
	uint64_t *
		open; /* ordinals of calls that were kept in the block before and had not returned */
	size_t open_count, open_room;
	uint64_t *opening; /* the same of this block */
	size_t opening_count, opening_room;
};

enum varve_status select_start(struct selector *selector, struct varve_trace *trace,
			       const struct trace_filter *filter, struct anonymizer *anonymizer,
			       struct varve_causes *causes) MUST_CHECK;
void select_clear(struct selector *selector);

/* Goes to a stream. */
void select_stream(struct selector *selector, const struct varve_stream *where);

/* A block that may be copied as it is; NULL: the next one has to be selected. */
const struct trace_block *select_whole(struct selector *selector);

/* Selects from the next block of the stream that may contain wanted records: fills `block` and `rows`, which has no definitions
 * yet. VARVE_END: there are no more. */
enum varve_status select_block(struct selector *selector, struct varve_causes *causes) MUST_CHECK;

/* As if the stream had no records: `rows` is empty. */
void select_nothing(struct selector *selector);

/* Adds the definitions that the records in `rows` need. */
enum varve_status select_definitions(struct selector *selector,
				     struct varve_causes *causes) MUST_CHECK;

#endif
