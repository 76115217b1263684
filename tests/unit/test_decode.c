/* Tests: blocks made by hand, with right checksums and wrong content, or with more content than they seem to have. */
#include "base/varint.h"
#include "unit/decoded.h"
#include "unit/harness.h"

enum { PWRITE = 0x0123, WORDS = 3, COLUMNS_MOST = 32, PAYLOAD_MOST = 4096 };

/* A block under construction. */
struct hand {
	struct block_header header;
	struct block_column rows[COLUMNS_MOST];
	uint8_t payload[PAYLOAD_MOST];
	size_t used;
	uint8_t bytes[sizeof(struct block_header) + COLUMNS_MOST * sizeof(struct block_column) +
		      PAYLOAD_MOST + 8];
};

static struct hand hand_start(uint64_t records)
{
	return (struct hand){.header = {.type = BLOCK_RECORDS,
					.codec = CODEC_COLUMNS,
					.sequence = 1,
					.process = 1,
					.thread = 1,
					.rank = -1,
					.resolution = 100,
					.records = records,
					.clock_kind = 2}};
}

static void hand_column(struct hand *hand, uint16_t function, unsigned column, unsigned encoding,
			uint64_t count, const void *stored, size_t size)
{
	hand->rows[hand->header.columns++] = (struct block_column){.function = function,
								   .column = (uint8_t)column,
								   .encoding = (uint8_t)encoding,
								   .count = (uint32_t)count,
								   .stored = (uint32_t)size};
	memcpy(hand->payload + hand->used, stored, size);
	hand->used += size;
}

/* A column of one value, again and again. */
static void hand_constant(struct hand *hand, uint16_t function, unsigned column, uint64_t count,
			  uint64_t value)
{
	uint8_t stored[VARINT_MOST];
	size_t size = (size_t)(varint_put(stored, value) - stored);
	hand_column(hand, function, column, ENCODING_CONSTANT, count, stored, size);
}

/* Equal calls of pwrite: `marks` of their shape, `time` of each. */
static void hand_calls(struct hand *hand, uint8_t marks, uint8_t time)
{
	uint64_t count = hand->header.records;
	const uint8_t shape[] = {PLANE_STORED, PWRITE & 0xff, PWRITE >> 8, 0, marks};
	const uint8_t times[] = {PLANE_CONSTANT, time};
	hand_column(hand, 0, COLUMN_SHAPES, ENCODING_BYTES, 4, shape, sizeof shape);
	hand_constant(hand, 0, COLUMN_STRUCTURE, count, 0);
	hand_column(hand, 0, COLUMN_TIMES, ENCODING_BYTES, count, times, sizeof times);
	if (!(marks & VARVE_UNFINISHED))
		hand_constant(hand, PWRITE, COLUMN_RESULT, count, 8);
	for (unsigned word = 0; word < WORDS; word++)
		hand_constant(hand, PWRITE, COLUMN_WORD + word, count, word);
}

static void hand_seal(struct hand *hand)
{
	size_t rows = hand->header.columns * sizeof *hand->rows;
	hand->header.header_length = (uint32_t)(sizeof hand->header + rows);
	hand->header.length = hand->header.header_length + hand->used;
	memcpy(hand->bytes + sizeof hand->header, hand->rows, rows);
	memcpy(hand->bytes + hand->header.header_length, hand->payload, hand->used);
	block_seal(hand->bytes, &hand->header);
}

/* Opens the block and takes its first rows; returns the number of records in its header. */
static enum varve_status hand_open(struct hand *hand, size_t *count, size_t *budget)
{
	struct block_header header;
	struct decoder decoder = {0};
	struct block_reader reader;
	static struct record_rows rows;
	const struct record_columns to = RECORD_COLUMNS_OF(&rows);
	hand_seal(hand);
	CHECK_EQ(block_open(hand->bytes, hand->header.length, &header, NULL), VARVE_OK);
	enum varve_status status = block_reader_open(&reader, &decoder, hand->bytes, &header,
						     call_rows, call_rows_count, WANT_ALL, NULL);
	*count = 0;
	if (status == VARVE_OK) {
		size_t took = TAKE_MOST;
		status = block_reader_take(&reader, &to, &took, NULL);
		*count = reader.count;
		*budget = DECODE_BUDGET(header.length) - reader.budget;
		block_reader_close(&reader);
	}
	decoder_clear(&decoder);
	return status;
}

CASE(millions_of_records_in_a_few_bytes_take_no_memory)
{
	struct hand hand = hand_start(BLOCK_RECORDS_MOST);
	size_t count, taken = 0;
	hand_calls(&hand, 0, 0x21);
	CHECK_EQ(hand_open(&hand, &count, &taken), VARVE_OK);
	CHECK_EQ(count, BLOCK_RECORDS_MOST);
	CHECK(hand.header.length < 512);
	CHECK(taken < 16384);
}

CASE(more_records_than_a_block_can_hold)
{
	struct hand hand = hand_start(BLOCK_RECORDS_MOST + 1ull);
	size_t count, taken;
	hand_calls(&hand, 0, 0x21);
	CHECK_EQ(hand_open(&hand, &count, &taken), VARVE_DAMAGED);
}

CASE(a_column_that_is_there_twice)
{
	size_t count, taken;
	for (int which = 0; which < 4; which++) {
		struct hand hand = hand_start(10);
		hand_calls(&hand, 0, 0x21);
		CHECK_EQ(hand_open(&hand, &count, &taken), VARVE_OK);
		hand = hand_start(10);
		hand_calls(&hand, 0, 0x21);
		if (which == 0)
			hand_constant(&hand, PWRITE, COLUMN_WORD, 10, 7);
		else if (which == 1)
			hand_constant(&hand, PWRITE, COLUMN_RESULT, 10, 7);
		else if (which == 2)
			hand_constant(&hand, 0, COLUMN_STRUCTURE, 10, 0);
		else
			hand_constant(&hand, PWRITE, COLUMN_WORD + 5, 10, 7); /* has no such word */
		CHECK_EQ(hand_open(&hand, &count, &taken), VARVE_DAMAGED);
	}
}

/* Not enough budget is an error of the block, not of the machine: other blocks can still be read. */
CASE(what_goes_beyond_the_budget_is_damage)
{
	struct hand hand = hand_start(BLOCK_RECORDS_MOST);
	const uint8_t longs[] = {PLANE_CONSTANT, 0};
	size_t count, taken;
	hand_calls(&hand, 0, 0xff);
	hand_column(&hand, 0, COLUMN_TIMES_LONG, ENCODING_BYTES,
		    (uint64_t)BLOCK_RECORDS_MOST * 2 * VARINT_MOST, longs, sizeof longs);
	CHECK_EQ(hand_open(&hand, &count, &taken), VARVE_DAMAGED);
}

CASE(more_continued_calls_than_can_be_open)
{
	size_t count, taken;
	for (uint64_t records = CONTINUED_MOST; records <= CONTINUED_MOST + 1; records++) {
		struct hand hand = hand_start(records);
		hand_calls(&hand, VARVE_CONTINUED, 0x21);
		hand_constant(&hand, 0, COLUMN_ORDINALS, records, 3);
		CHECK_EQ(hand_open(&hand, &count, &taken),
			 records > CONTINUED_MOST ? VARVE_DAMAGED : VARVE_OK);
		uint64_t *list;
		struct decoder decoder = {0};
		CHECK_EQ(block_ordinals(&decoder, hand.bytes, &hand.header, &list, &count, NULL),
			 records > CONTINUED_MOST ? VARVE_DAMAGED : VARVE_OK);
		free(list);
		decoder_clear(&decoder);
	}
}

CASE(times_that_are_cut_short)
{
	struct hand hand = hand_start(3);
	const uint8_t longs[] = {PLANE_STORED, 2, 4, 2, 4, 2};
	size_t count, taken;
	hand_calls(&hand, 0, 0xff);
	hand_column(&hand, 0, COLUMN_TIMES_LONG, ENCODING_BYTES, 5, longs, sizeof longs);
	CHECK_EQ(hand_open(&hand, &count, &taken), VARVE_DAMAGED);
	hand = hand_start(2);
	hand_calls(&hand, 0, 0xff);
	hand_column(&hand, 0, COLUMN_TIMES_LONG, ENCODING_BYTES, 5, longs, sizeof longs);
	CHECK_EQ(hand_open(&hand, &count, &taken), VARVE_DAMAGED); /* one value too many */
	hand = hand_start(2);
	hand_calls(&hand, 0, 0xff);
	hand_column(&hand, 0, COLUMN_TIMES_LONG, ENCODING_BYTES, 4, longs, sizeof longs - 1);
	CHECK_EQ(hand_open(&hand, &count, &taken), VARVE_OK);
}

static enum varve_status hand_read(struct hand *hand, struct decoder *decoder,
				   struct block_reader *reader)
{
	struct block_header header;
	hand_seal(hand);
	CHECK_EQ(block_open(hand->bytes, hand->header.length, &header, NULL), VARVE_OK);
	return block_reader_open(reader, decoder, hand->bytes, &header, call_rows, call_rows_count,
				 WANT_ALL, NULL);
}

CASE(blocks_that_are_open_together_share_a_limit)
{
	struct hand hand = hand_start(10);
	struct decoder decoder = {0};
	struct block_reader first, second;
	hand_calls(&hand, 0, 0x21);
	CHECK_EQ(hand_read(&hand, &decoder, &first), VARVE_OK);
	CHECK(decoder.held > 0);
	decoder.limit = decoder.held * 3 / 2;
	CHECK_EQ(hand_read(&hand, &decoder, &second), VARVE_LIMIT);
	block_reader_close(&first);
	CHECK_EQ(decoder.held, 0);
	CHECK_EQ(hand_read(&hand, &decoder, &second), VARVE_OK);
	block_reader_close(&second);
	decoder_clear(&decoder);
}

/* Three calls of pwrite, of which the second did not return, as bytes in the block. */
static struct hand hand_of_two_shapes(void)
{
	struct hand hand = hand_start(3);
	const uint8_t shapes[] = {
		PLANE_STORED,	 PWRITE & 0xff, PWRITE >> 8, 0, 0, PWRITE & 0xff, PWRITE >> 8, 0,
		VARVE_UNFINISHED};
	const uint8_t structure[] = {PLANES_VALUES, 1, 0, PLANE_STORED, 0, 1, 0};
	const uint8_t times[] = {PLANE_CONSTANT, 0x21};
	hand_column(&hand, 0, COLUMN_SHAPES, ENCODING_BYTES, 8, shapes, sizeof shapes);
	hand_column(&hand, 0, COLUMN_STRUCTURE, ENCODING_PLANES, 3, structure, sizeof structure);
	hand_column(&hand, 0, COLUMN_TIMES, ENCODING_BYTES, 3, times, sizeof times);
	hand_constant(&hand, PWRITE, COLUMN_RESULT, 2, 8);
	for (unsigned word = 0; word < WORDS; word++)
		hand_constant(&hand, PWRITE, COLUMN_WORD + word, 3, word);
	return hand;
}

CASE(a_block_that_is_changed_while_it_is_read)
{
	static struct record_rows rows;
	const struct record_columns to = RECORD_COLUMNS_OF(&rows);
	for (uint8_t shape = 0; shape < 3; shape++) {
		struct hand hand = hand_of_two_shapes();
		struct decoder decoder = {0};
		struct block_reader reader;
		size_t count = TAKE_MOST;
		CHECK_EQ(hand_read(&hand, &decoder, &reader), VARVE_OK);
		/* 1: unchanged; 0: one result too many; 2: a shape that does not exist */
		hand.bytes[hand.header.header_length + 9 + 5] = shape;
		CHECK_EQ(block_reader_take(&reader, &to, &count, NULL),
			 shape == 1 ? VARVE_OK : VARVE_DAMAGED);
		block_reader_close(&reader);
		decoder_clear(&decoder);
	}
}

RUN(ENTRY(millions_of_records_in_a_few_bytes_take_no_memory),
    ENTRY(more_records_than_a_block_can_hold), ENTRY(a_column_that_is_there_twice),
    ENTRY(what_goes_beyond_the_budget_is_damage), ENTRY(more_continued_calls_than_can_be_open),
    ENTRY(times_that_are_cut_short), ENTRY(blocks_that_are_open_together_share_a_limit),
    ENTRY(a_block_that_is_changed_while_it_is_read))
