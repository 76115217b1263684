/* Codec: the record encoding of Recorder 2.0: status, times, function or reference, arguments as text.
 *
 * A record that is similar to one of the last few stores only the arguments that differ. This file has the paper's encoding and
 * nothing else: peephole_records.h handles what these records cannot store, encode_peephole.c and decode_peephole.c handle
 * blocks. Runs inside traced programs: no allocation, no copies of texts. Windows point into the encoded bytes, which must
 * therefore stay where they are. Input is hostile. The form is in docs/format.md.
 */
#ifndef CODEC_INPROCESS_PEEPHOLE_H
#define CODEC_INPROCESS_PEEPHOLE_H

#include "codec/lane.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	PEEPHOLE_HEAD = 10,	/* bytes before the arguments */
	PEEPHOLE_ARGUMENTS = 7, /* maximum number of arguments of a record that can be compressed */
	PEEPHOLE_COMPRESSED =
		0x80, /* in the status; the bits below it mean: argument i differs, highest bit first */
	PEEPHOLE_WINDOW = 3, /* by default */
	PEEPHOLE_WINDOW_MOST = 127,
	PEEPHOLE_FAR = 255, /* as function: the number is stored elsewhere */
	PEEPHOLE_WORD_TEXT =
		20, /* maximum length of a word as text: that of the lowest number with its sign */
};

/* A text as it is stored, with its escapes. */
struct peephole_text {
	const uint8_t *at;
	uint32_t length;
};

struct peephole_record {
	uint32_t start; /* ticks, lower half */
	uint32_t end;
	uint32_t function; /* stored in a byte; from PEEPHOLE_FAR on as PEEPHOLE_FAR */
	uint32_t count;
	struct peephole_text argument[RECORD_ARGUMENTS_MOST];
	/* set by peephole_put() and peephole_get(): */
	uint8_t status;
	uint8_t distance; /* to the record that it refers to; 0: not compressed */
};

/* One of the last records. */
struct peephole_last {
	uint32_t function;
	uint32_t count;
	struct peephole_text argument[PEEPHOLE_ARGUMENTS];
};

/* The last records. `size` is how many of them can be referred to, 0 to PEEPHOLE_WINDOW_MOST; `last` has room for as many. Zero
 * the other members to begin with. */
struct peephole_window {
	struct peephole_last *last;
	uint32_t size;
	uint32_t held;	 /* records in the window */
	uint32_t newest; /* index of the last one */
};

/* Writes the record at `at` and adds it to the window; returns the end. Before the call its texts may be anywhere, afterwards
 * they are where they were written. */
uint8_t *peephole_put(struct peephole_window *window, struct peephole_record *record, uint8_t *at);

/* Reads the record at `*at`, which is moved behind it. Returns NULL, or what is wrong with the record. For a record that is not
 * compressed, `function` is set to the stored byte. Call peephole_keep(), which adds the record to the window, before the next
 * one is read. */
const char *peephole_get(const struct peephole_window *window, const uint8_t **at,
			 const uint8_t *end, struct peephole_record *record);
void peephole_keep(struct peephole_window *window, const struct peephole_record *record);

/* Writes a word as text of at most PEEPHOLE_WORD_TEXT characters: decimal with a sign, or 0x and hexadecimal digits; and reads
 * it: false if the text is not a number of 64 bits. */
uint8_t *peephole_word_put(uint8_t *to, uint64_t word, bool hex);
bool peephole_word_get(struct peephole_text text, uint64_t *word);

/* Statistics of the compression, counted as in the paper. */
struct peephole_tally {
	uint64_t records;
	uint64_t compressed;
	uint64_t arguments;	       /* of all records */
	uint64_t compressed_arguments; /* of compressed records */
	uint64_t saved;		       /* of these: not stored */
	uint64_t differing
		[PEEPHOLE_ARGUMENTS]; /* compressed records by how many arguments they store */
	uint64_t bytes;		      /* of the records as they are stored */
	uint64_t plain_bytes;	      /* with a window of 0 */
};
void peephole_count(struct peephole_tally *tally, const struct peephole_record *record);

#endif
