/* Codec: Varve's records as records of the paper, and the *rest*: the parts that the paper's record cannot store.
 *
 * The paper's record has a function, two times of 32 bits and arguments as text. The rest is depth, result, error, marks, the
 * high halves of times, handles behind descriptors, functions that do not fit a byte. Ordinals of continued calls are a
 * column of their own. Runs inside traced programs; what is read is hostile. The form is in docs/format.md.
 */
#ifndef CODEC_INPROCESS_PEEPHOLE_RECORDS_H
#define CODEC_INPROCESS_PEEPHOLE_RECORDS_H

#include "codec/inprocess/peephole.h"
#include "codec/record.h"
#include "codec/rows.h"

enum { REST_HANDLES = 64 };

/* What writer and reader remember of earlier records. All zero at the start. */
struct peephole_past {
	uint64_t high;		       /* high half of the last entry, sign-extended */
	uint32_t functions;	       /* different ones that came */
	uint32_t handle[REST_HANDLES]; /* last one behind a descriptor, by its low bits */
};

/* Bytes that one record takes at the most: as the paper's, with its texts, and as rest. What a lane of some length becomes
 * follows from these in encode.c. */
enum {
	PEEPHOLE_RECORD_MOST = PEEPHOLE_HEAD + 1, /* and for each word: */
	PEEPHOLE_WORD_MOST = 1 + PEEPHOLE_WORD_TEXT,
	REST_RECORD_MOST = 37, /* and for each word: */
	REST_WORD_MOST = 5,
};

struct peephole_writer {
	struct peephole_window window;
	struct peephole_past past;
	struct peephole_last last[PEEPHOLE_WINDOW_MOST];
};
void peephole_writer_start(struct peephole_writer *writer, unsigned window);

/* Writes one record at `*at` and its rest at `*rest`, which move behind what they got. `function` is its place among the
 * functions of the block in the order in which they came; `row` may be NULL. What was written before must be where it was.
 * `made` is the paper's record. */
void peephole_write(struct peephole_writer *writer, const struct record *record, uint32_t function,
		    const struct call_row *row, uint8_t **at, uint8_t **rest,
		    struct peephole_record *made);

struct peephole_reader {
	struct peephole_window window;
	struct peephole_past past;
	const uint8_t *at, *end;
	const uint8_t *rest, *rest_end;
	uint32_t *
		pairs; /* by function: bit i: word i is a descriptor, and its handle is in the rest */
	uint32_t functions; /* there is room for */
};

/* The next record, but for its ordinal: `record->function` is the place of its function. NULL, or what is wrong. */
const char *peephole_read(struct peephole_reader *reader, struct record *record,
			  struct peephole_record *made);

#endif
