/* Codec: Varve's records as records of the paper, and the *rest*: the parts that the paper's record cannot store.
 *
 * The paper's record has a function, two times of 32 bits, and arguments as text. The rest consists of depth, result, error,
 * marks, the upper halves of times, handles of descriptors, and functions that do not fit into a byte. Ordinals of continued
 * calls have their own column. Runs inside traced programs; input is hostile. The form is in docs/format.md.
 */
#ifndef CODEC_INPROCESS_PEEPHOLE_RECORDS_H
#define CODEC_INPROCESS_PEEPHOLE_RECORDS_H

#include "codec/inprocess/peephole.h"
#include "codec/record.h"
#include "codec/rows.h"

enum { REST_HANDLES = 64 };

/* What writer and reader remember of earlier records. All zero to begin with. */
struct peephole_past {
	uint64_t high;		       /* upper half of the last entry, sign-extended */
	uint32_t functions;	       /* number of different functions so far */
	uint32_t handle[REST_HANDLES]; /* last handle of a descriptor, by its low bits */
};

/* Maximum bytes of one record: in the paper's form with its texts, and as rest. encode.c computes from these how long the
 * output of a lane can be. */
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

/* Writes a record at `*at` and its rest at `*rest`, which are moved behind what was written. `function` is the index of its
 * function in the block, in order of first appearance; `row` may be NULL. What was written before must not have moved. `made`
 * is set to the paper's record. */
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
	uint32_t functions; /* size of `pairs` */
};

/* Reads the next record without its ordinal; `record->function` is the index of its function. Returns NULL, or what is wrong. */
const char *peephole_read(struct peephole_reader *reader, struct record *record,
			  struct peephole_record *made);

#endif
