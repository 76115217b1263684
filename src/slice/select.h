/* Slice: which records of a stream are kept, block by block, with the definitions that they need.
 *
 * Reads a stream as the cursor does, and decides as the filter does: by calls, of which all halves stay or none. A record that
 * is left out may have made a handle that others use: then a definition takes its place. What comes out is stored in `kept`;
 * who asks for the next block makes one of it. Never writes.
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

struct pick {
	struct varve_trace *trace;
	const struct trace_filter *filter;
	struct anonymizer *anonymizer; /* NULL: names stay */
	struct word_uses *functions;   /* by id */
	struct stream stream;
	const struct trace_block *block; /* whose records are in `kept` */
	struct kept kept;
	struct definitions definitions; /* of the block */
	size_t logged;			/* of these */
	/* What is said of names and handles, in order: definitions of the block and those that take the place of records. */
	struct definition *events;
	size_t event_count, event_room;
	uint64_t last;	/* place in the block of the record that was kept last */
	uint64_t calls; /* that were kept: halves of a cut one are counted once */
	uint64_t left;	/* records left out behind the first that was kept */
	struct uses uses;
	uint64_t *
		open; /* ordinals of calls that were kept in the block before and had not returned */
	size_t open_count, open_room;
	uint64_t *opening; /* the same of this block */
	size_t opening_count, opening_room;
};

enum varve_status pick_start(struct pick *pick, struct varve_trace *trace,
			     const struct trace_filter *filter, struct anonymizer *anonymizer,
			     struct varve_causes *causes) MUST_CHECK;
void pick_clear(struct pick *pick);

/* Goes to a stream. */
void pick_stream(struct pick *pick, const struct varve_stream *where);

/* A block that may be copied as it is; NULL: the next one has to be picked. */
const struct trace_block *pick_whole(struct pick *pick);

/* Picks the next block of the stream that may hold records to keep: `block` and `kept`, which has no definitions yet. VARVE_END:
 * no more. */
enum varve_status pick_block(struct pick *pick, struct varve_causes *causes) MUST_CHECK;

/* As if the stream had no records: `kept` is empty. */
void pick_nothing(struct pick *pick);

/* Adds the definitions that the kept records need to `kept`. */
enum varve_status pick_definitions(struct pick *pick, struct varve_causes *causes) MUST_CHECK;

#endif
