/* Codec: from a block back to records. Input is hostile: every length is checked, nothing is trusted.
 *
 * A block_reader is opened on a block and returns its records as columns, some rows at a time. Columns that are not requested
 * are not touched. Memory is limited by a budget that depends on the length of the block. Constants and lines need no memory,
 * so a block of a few hundred bytes may hold millions of records and need no more memory than its bytes.
 */
#ifndef CODEC_HOST_DECODE_H
#define CODEC_HOST_DECODE_H

#include "codec/block.h"
#include "codec/column.h"
#include "codec/record.h"
#include "codec/rows.h"

#include <stddef.h>

/* The parts of records to read. Function, depth, marks and ordinal are always read. */
enum want { WANT_TIMES = 1, WANT_RESULTS = 2, WANT_WORDS = 4, WANT_DEFINITIONS = 8, WANT_ALL = 15 };

/* For one function, the parts to read if not all: bit i for word i, and these. By function id. */
enum {
	WANT_WORDS_OF = (1 << RECORD_ARGUMENTS_MOST) - 1,
	WANT_OUTCOME = 1 << RECORD_ARGUMENTS_MOST
};

/* Maximum number of rows that are taken at a time. */
enum { TAKE_MOST = 1024 };

/* Maximum number of calls that a block may continue: many more than can be open in a thread. */
enum { CONTINUED_MOST = 4096 };

/* The memory that a reader may use: more than the largest lane (64 MiB) decodes to, and more for a long block. */
#define DECODE_BUDGET(length) (((size_t)64 << 20) + (size_t)4096 * (size_t)(length))
/* The memory that paths made from a block's definitions may use: much less, because a merge keeps many blocks open. */
#define NAMES_BUDGET(length) (((size_t)128 << 10) + (size_t)4096 * (size_t)(length))

/* Where records are stored, as columns with room for TAKE_MOST rows each. The words of a row are adjacent; `words` has room for
 * TAKE_MOST * RECORD_ARGUMENTS_MOST. */
struct record_columns {
	uint16_t *function;
	uint8_t *depth;
	uint8_t *marks;
	uint64_t *ordinal;
	int64_t *entry;
	int64_t *exit;
	int64_t *result;
	int32_t *error;
	uint32_t *word_at;
	uint8_t *word_count;
	uint64_t *words;
};

/* The columns of any struct with members of these names. */
#define RECORD_COLUMNS_OF(rows)                                                                    \
	((struct record_columns){(rows)->function, (rows)->depth, (rows)->marks, (rows)->ordinal,  \
				 (rows)->entry, (rows)->exit, (rows)->result, (rows)->error,       \
				 (rows)->word_at, (rows)->word_count, (rows)->words})

/* Room for the rows that are taken at a time. */
struct record_rows {
	uint16_t function[TAKE_MOST];
	uint8_t depth[TAKE_MOST];
	uint8_t marks[TAKE_MOST];
	uint64_t ordinal[TAKE_MOST];
	int64_t entry[TAKE_MOST];
	int64_t exit[TAKE_MOST];
	int64_t result[TAKE_MOST];
	int32_t error[TAKE_MOST];
	uint32_t word_at[TAKE_MOST];
	uint8_t word_count[TAKE_MOST];
	uint64_t words[TAKE_MOST * RECORD_ARGUMENTS_MOST];
};

/* Copies one row with all its columns. */
void record_rows_get(const struct record_rows *rows, size_t at, struct record *record);

/* Memory that the readers of one thread share. All zero to begin with. */
struct decoder {
	size_t limit; /* limit for open blocks and definitions in total; 0: only the limit of each */
	size_t held;
	struct column_decoder columns;
	/* by id, below id_count: index in the functions of the reader that is being opened, + 1 */
	uint32_t *function_at;
	size_t id_count;
	uint64_t *values;      /* TAKE_MOST */
	uint16_t *row;	       /* TAKE_MOST: rows, grouped by function */
	uint16_t *function_of; /* TAKE_MOST: index of each row's function */
};
void decoder_clear(struct decoder *decoder);
/* Adds to the memory in use; `decoder->held -= size` returns it. */
enum varve_status decoder_hold(struct decoder *decoder, size_t size,
			       struct varve_causes *causes) MUST_CHECK;

struct reader_shape {
	uint16_t function; /* id */
	uint8_t depth;
	uint8_t marks;
	uint32_t index; /* of the function in the reader */
	uint32_t count; /* number of its records in the block */
};

/* Columns of one function: NULL if not requested or missing. */
struct reader_function {
	uint16_t id;
	uint8_t words;
	uint32_t some;	/* the requested parts: WANT_OUTCOME and words */
	uint32_t count; /* records of the block that are not taken yet */
	uint32_t finished;
	uint32_t failed;
	bool well;	      /* all calls returned and none failed */
	uint32_t rows, first; /* of the rows that are being taken */
	struct column_reader *result;
	struct column_reader *error;
	struct column_reader **word;   /* `words` pointers */
	struct column_reader **handle; /* likewise */
};

/* Records from another source than the bytes of a block. */
struct block_source {
	/* Like block_reader_take(), which does the counting. */
	enum varve_status (*take)(void *context, const struct record_columns *to, size_t count,
				  struct varve_causes *causes);
	void (*close)(void *context);
};

struct block_reader {
	const struct block_source *source; /* NULL: the bytes of the block */
	void *context;
	size_t before; /* records that were at the head of the block and have been removed */
	struct decoder *decoder;
	const uint8_t *bytes;
	struct block_header header;
	unsigned want;
	const uint32_t *some; /* the requested parts for each function; NULL: all */
	size_t budget;
	size_t held;
	bool over;		       /* the budget was exceeded */
	size_t at;		       /* records taken */
	size_t count;		       /* records in the block */
	struct column_reader *columns; /* in the order of the header */
	struct reader_shape *shapes;
	size_t shape_count;
	struct reader_function *functions;
	size_t function_count;
	struct column_reader **slots; /* of all functions */
	struct column_reader *structure;
	struct column_reader *times;
	struct column_reader *ordinals;
	struct column_reader *numbers;	   /* for BLOCK_VERSION_PART */
	struct peephole_block *peephole;   /* for codec peephole */
	const uint8_t *long_at, *long_end; /* long times; for codec rows: the rows */
	int64_t last_entry, last_exit;
	unsigned last_depth;
	int64_t shift;	/* ticks to add to all times */
	uint64_t fresh; /* ordinal of the next record that is not continued */
};

/* Opens a block that block_open() accepted; its bytes must stay valid. `rows` give the number of words in each function's
 * records. After VARVE_OK, block_reader_close() is required. */
enum varve_status block_reader_open(struct block_reader *reader, struct decoder *decoder,
				    const uint8_t *bytes, const struct block_header *header,
				    const struct call_row *rows, size_t row_count, unsigned want,
				    struct varve_causes *causes) MUST_CHECK;
void block_reader_close(struct block_reader *reader);

/* The same, but reads only some words, or no results, of some functions: `some` has an entry for each function of `rows`, by
 * id, and must stay valid. Only codec columns uses it. */
enum varve_status block_reader_open_some(struct block_reader *reader, struct decoder *decoder,
					 const uint8_t *bytes, const struct block_header *header,
					 const struct call_row *rows, size_t row_count,
					 unsigned want, const uint32_t *some,
					 struct varve_causes *causes) MUST_CHECK;

/* Moves all times later by this number of ticks. To be called before the first records are taken. */
void block_reader_shift(struct block_reader *reader, int64_t ticks);

/* Takes the next records, at most TAKE_MOST and `*count`, and sets `*count` to their number. */
enum varve_status block_reader_take(struct block_reader *reader, const struct record_columns *to,
				    size_t *count, struct varve_causes *causes) MUST_CHECK;

/* The statistics of an opened block of codec peephole with records, and its window. False: it is not such a block. */
struct peephole_tally;
bool block_reader_peephole(const struct block_reader *reader, struct peephole_tally *tally,
			   unsigned *window);

/* How many calls the block continues, from its header; UINT32_MAX: unknown (codec rows). */
uint32_t block_continued(const uint8_t *bytes, const struct block_header *header);

/* The ordinals of these calls; reads only their column. The caller frees `*list`. */
enum varve_status block_ordinals(struct decoder *decoder, const uint8_t *bytes,
				 const struct block_header *header, uint64_t **list, size_t *count,
				 struct varve_causes *causes) MUST_CHECK;

/* The ordinal after that of the last record of the block that is not continued; `continued` records are. If all are, the
 * block's first_ordinal. */
enum varve_status block_ordinals_end(struct decoder *decoder, const uint8_t *bytes,
				     const struct block_header *header, size_t continued,
				     uint64_t *end, struct varve_causes *causes) MUST_CHECK;

/* The definitions of a block. */
struct definitions {
	size_t count;
	struct definition *list; /* sorted by `before` */
	uint8_t *bytes;
	struct decoder *decoder; /* counts `held` */
	size_t held;
};
enum varve_status definitions_read(struct decoder *decoder, const uint8_t *bytes,
				   const struct block_header *header,
				   struct definitions *definitions,
				   struct varve_causes *causes) MUST_CHECK;
void definitions_clear(struct definitions *definitions);

/* For the files of decoding only: where the bytes of a column are; false: there is no such column. */
bool block_column_find(const uint8_t *bytes, const struct block_header *header, unsigned column,
		       struct block_column *row, const uint8_t **stored);
/* The bytes of a column of encoding ENCODING_BYTES, `row->count` of them: in the block, or in `*memory`, which the caller
 * frees. */
enum varve_status block_bytes(struct decoder *decoder, const struct block_column *row,
			      const uint8_t *stored, size_t *budget, const uint8_t **bytes,
			      uint8_t **memory, struct varve_causes *causes) MUST_CHECK;

/* Zeroed memory within the reader's budget. NULL on failure: reader_short() then returns the reason. */
void *reader_memory(struct block_reader *reader, size_t count, size_t size);
enum varve_status reader_short(const struct block_reader *reader,
			       struct varve_causes *causes) MUST_CHECK;

/* decode_rows.c: records of codec rows. */
enum varve_status rows_open(struct block_reader *reader, struct varve_causes *causes) MUST_CHECK;
enum varve_status rows_take(struct block_reader *reader, const struct record_columns *to,
			    size_t count, struct varve_causes *causes) MUST_CHECK;

/* decode_peephole.c: records of codec peephole. */
enum varve_status peephole_open(struct block_reader *reader,
				struct varve_causes *causes) MUST_CHECK;
enum varve_status peephole_take(struct block_reader *reader, const struct record_columns *to,
				size_t count, struct varve_causes *causes) MUST_CHECK;
void peephole_close(struct block_reader *reader);

#endif
