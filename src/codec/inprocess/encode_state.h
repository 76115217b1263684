/* Codec: the state of the encoder while it encodes a lane; private to encode*.c. */
#ifndef CODEC_INPROCESS_ENCODE_STATE_H
#define CODEC_INPROCESS_ENCODE_STATE_H

#include "base/clock.h"
#include "base/likely.h"
#include "codec/column.h"
#include "codec/inprocess/column_rows.h"
#include "codec/inprocess/encode.h"
#include "codec/inprocess/lane_walk.h"
#include "codec/inprocess/peephole_records.h"
#include "codec/record.h"

/* Result and words, and room for reading four words at a time. */
enum { COLUMNS_MOST = RECORD_ARGUMENTS_MOST + 4 };

enum { FUNCTIONS_MOST = 512, SHAPES_MOST = 1024, SHAPE_SLOTS = 4096 };

/* The records of one function in this lane. While words are read, they are checked for a straight line: most columns are one. */
struct encode_function {
	const struct call_row *row;
	uint32_t count; /* records */
	uint32_t failed;
	uint32_t unfinished;
	uint32_t continued;
	uint32_t first_place; /* in the list of positions, once it is grouped */
	uint32_t next_place;
	uint64_t ticks;
	uint64_t first[COLUMNS_MOST]; /* result, then words */
	uint64_t last[COLUMNS_MOST];
	uint64_t stride[COLUMNS_MOST];
	uint64_t broken[COLUMNS_MOST]; /* not 0: not a straight line */
};

/* The number of records with a result. */
static inline uint32_t function_finished(const struct encode_function *function)
{
	return function->count - function->unfinished;
}

/* What similar records share: the lower half of their header, and the outcome of the call. */
struct encode_shape {
	uint32_t key;
	uint8_t marks;	/* enum varve_mark */
	uint8_t length; /* of its records, in words */
	uint16_t next;	/* the shape that followed last time */
	bool plain;	/* a call that returned, and not one of the first of its function */
	struct encode_function *function;
};

struct encode {
	/* Placed once: the writer, and arrays for the largest number of records that a lane of `room` bytes can hold. */
	size_t room;
	struct column_writer writer;
	uint32_t *position; /* of each record, in words */
	uint32_t *grouped;  /* the same, grouped by function */
	uint16_t *shape_of;
	uint8_t *times;
	uint8_t *times_long;
	uint8_t *definitions;
	uint64_t *values;		 /* the values of one column */
	uint64_t *ordinals;		 /* of continued records */
	struct block_summary *summaries; /* codecs rows and peephole: one for each function */
	struct peephole_writer *peephole;
	uint8_t *rest; /* codec peephole; uses the memory of `position` and the arrays behind it */
	/* State for the lane that is being encoded; cleared for each lane. */
	const struct lane *lane;
	size_t lane_size;
	const struct call_row *rows;
	size_t row_count;
	struct clock_line line;
	struct encoded *found;
	struct block_header header;
	uint8_t *times_long_end;
	uint8_t *definitions_end;
	size_t continued;
	size_t count;
	size_t function_count;
	size_t shape_count;
	struct encode_function functions[FUNCTIONS_MOST];
	struct encode_shape shapes[SHAPES_MOST];
	uint16_t shape_slot[SHAPE_SLOTS]; /* hash of key and marks -> shape + 1 */
};

/* encode_scan.c: reads the lane once into the arrays above. VARVE_LIMIT: there are more functions or shapes than these have
 * room for. */
enum varve_status encode_scan(struct encode *encode) MUST_CHECK;

/* encode_definitions.c: converts one definition of the lane to the form in a block. */
void encode_definition(struct encode *encode, const uint64_t *words, uint64_t length);

/* encode_plain.c: reads the lane record by record. */
struct plain_pass {
	struct encode *encode;
	struct lane_walk walk;
	uint64_t fresh; /* ordinal of the next record that is not continued */
	uint32_t
		functions; /* number of functions so far: each has a summary, in order of first appearance */
	/* the present record: */
	uint32_t function;	    /* index of its function in the summaries */
	const struct call_row *row; /* NULL: the tables do not contain it */
	struct record record;
};
struct plain_pass plain_start(struct encode *encode);
bool plain_next(struct plain_pass *pass);
/* Writes the header before the columns, which were written directly behind its fixed part, and seals the block. */
void plain_finish(struct plain_pass *pass, struct column_rows *to, uint8_t *block,
		  enum block_codec codec);

/* encode_rows.c: the plain codec, which has no limits. */
void encode_rows(struct encode *encode, uint8_t *block);

/* encode_peephole.c: the paper's records and the rest; also without limits. */
void encode_peephole(struct encode *encode, uint8_t *block, unsigned window);

/* Extracts result and errno of a finished record from its words. */
static inline int64_t record_result(const uint64_t *words, bool failed, int32_t *error)
{
	uint64_t word = words[WORD_RESULT];
	if (!failed) {
		*error = 0;
		return (int64_t)word;
	}
	*error = (int32_t)(word >> 48);
	return (int64_t)(word << 16) >> 16;
}

#endif
