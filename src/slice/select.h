/* Slice: selects records of a stream, block by block, with the definitions that they need.
 *
 * Reads a stream like the cursor, and decides like the filter: by calls, all halves of which are either kept or dropped. A
 * dropped record may have created a handle that others use: a definition then replaces it. The result is stored in `rows`; the
 * caller makes a block of it. Never writes.
 */
#ifndef SLICE_SELECT_H
#define SLICE_SELECT_H

#include "slice/anonymize.h"
#include "slice/references.h"
#include "trace/cursor/stream.h"
#include "write/block_rows.h"

/* The meaning of a word of a function that is a name or handle. */
struct word_use {
	uint8_t word;
	uint8_t style; /* enum varve_style */
	uint8_t use;   /* enum use, for names */
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
	const struct trace_block *block; /* the block from which `rows` were selected */
	struct block_rows rows;
	struct definitions definitions; /* of the block */
	size_t logged;			/* number of these that are in `events` */
	/* What is known about names and handles, in order: definitions of the block, and those that replace records. */
	struct definition *events;
	size_t event_count, event_room;
	uint64_t last;	/* index in the block of the last record that was kept */
	uint64_t calls; /* kept calls: the halves of a cut call count once */
	uint64_t left;	/* number of dropped records after the first that was kept */
	struct references references;
	uint64_t *
		open; /* ordinals of calls that were kept in the previous block and had not returned */
	size_t open_count, open_room;
	uint64_t *opening; /* the same for this block */
	size_t opening_count, opening_room;
};

enum varve_status select_start(struct selector *selector, struct varve_trace *trace,
			       const struct trace_filter *filter, struct anonymizer *anonymizer,
			       struct varve_causes *causes) MUST_CHECK;
void select_clear(struct selector *selector);

/* Goes to a stream. */
void select_stream(struct selector *selector, const struct varve_stream *where);

/* The next block, if it can be copied unchanged; NULL: select from it with select_block(). */
const struct trace_block *select_whole(struct selector *selector);

/* Selects from the next block of the stream that may contain selected records: sets `block` and `rows`, which has no
 * definitions yet. VARVE_END: there are no more blocks. */
enum varve_status select_block(struct selector *selector, struct varve_causes *causes) MUST_CHECK;

/* Makes `rows` empty. */
void select_nothing(struct selector *selector);

/* Adds the definitions that the records in `rows` need. */
enum varve_status select_definitions(struct selector *selector,
				     struct varve_causes *causes) MUST_CHECK;

#endif
