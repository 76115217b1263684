/* Codec: from a lane to a block of codec peephole: the paper's records in one column, the parts that they cannot store in
 * another one.
 *
 * With a window of 0 nothing is compressed: this is the encoding `binary` of the paper. The records are stored uncompressed, so
 * that the block has the bytes that the paper counts; the rest is compressed with zstd like other columns. No allocation, no
 * locks, no I/O: runs inside traced programs.
 */
#include "codec/inprocess/encode_state.h"

void encode_peephole(struct encode *encode, uint8_t *block, unsigned window)
{
	struct block_column rows[4];
	struct column_rows to = {&encode->writer, rows, 0, block + sizeof encode->header};
	struct plain_pass pass = plain_start(encode);
	uint8_t *first = to.at + 1, *at = first, *rest = encode->rest;
	window = window < PEEPHOLE_WINDOW_MOST ? window : PEEPHOLE_WINDOW_MOST;
	*to.at = PLANE_STORED;
	*rest++ = (uint8_t)window;
	peephole_writer_start(encode->peephole, window);
	while (plain_next(&pass)) {
		struct peephole_record made;
		peephole_write(encode->peephole, &pass.record, pass.function, pass.row, &at, &rest,
			       &made);
	}
	if (encode->count) {
		column_rows_done(&to, 0, COLUMN_PEEPHOLE, ENCODING_BYTES, (size_t)(at - first), at);
		column_rows_bytes(&to, COLUMN_REST, encode->rest, (size_t)(rest - encode->rest),
				  NATURE_TEXT);
	}
	column_rows_values(&to, 0, COLUMN_ORDINALS, encode->ordinals, encode->continued);
	column_rows_bytes(&to, COLUMN_DEFINITIONS, encode->definitions,
			  (size_t)(encode->definitions_end - encode->definitions), NATURE_TEXT);
	plain_finish(&pass, &to, block, CODEC_PEEPHOLE);
}

/* The bytes of a record in a lane become at most three times as many: see encode_output_size(). */
_Static_assert(PEEPHOLE_RECORD_MOST + REST_RECORD_MOST <= 3 * WORD_ARGUMENTS * 8 &&
		       PEEPHOLE_WORD_MOST <= 3 * 8 && 1 + 11 + REST_WORD_MOST <= PEEPHOLE_WORD_MOST,
	       "the output has room; a descriptor and its handle are no longer than a word");
