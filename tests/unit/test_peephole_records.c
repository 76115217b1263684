/* Tests: Varve's records as records of the paper and a rest: everything that the paper's record cannot store is read back, and both
 * columns of a block are used up. Whole lanes with this codec are tested in test_encode.c. */
#include "codec/inprocess/peephole_records.h"
#include "unit/decoded.h"
#include "unit/harness.h"
#include "unit/lane_writer.h"

/* Records that no lane can contain either: times and results of any size, also negative. */
CASE(the_rest_brings_back_what_the_paper_has_no_place_for)
{
	static const int64_t times[] = {0,	   -1,	      UINT32_MAX,   1ll << 32, INT64_MAX,
					INT64_MIN, INT32_MIN, -(1ll << 32), 5};
	enum { TIMES = sizeof times / sizeof *times };
	static const struct call_row row = {.id = 300, .words = 3, .pairs = 5, .hex = 2};
	static struct peephole_writer writer;
	static uint8_t bytes[4096], rest[4096];
	struct record records[TIMES * 3];
	uint8_t *at = bytes, *rest_at = rest;
	peephole_writer_start(&writer, PEEPHOLE_WINDOW);
	for (unsigned i = 0; i < TIMES * 3; i++) {
		struct peephole_record made;
		struct record *record = &records[i];
		*record = (struct record){.depth = (uint8_t)(i % 31),
					  .marks = (uint8_t)(i % 32),
					  .entry = times[i % TIMES],
					  .exit = times[i * 5 / 3 % TIMES],
					  .result = times[(i + 4) % TIMES],
					  .words = 3,
					  .word = {pair_make(-100, i / 4), (uint64_t)times[i % 2],
						   pair_make((int)i % 3, UINT32_MAX - i / 2)}};
		record->error = record->marks & VARVE_FAILED ? -(int32_t)i : 0;
		uint8_t *before = at, *rest_before = rest_at;
		peephole_write(&writer, record, 0, &row, &at, &rest_at, &made);
		CHECK(at - before <= PEEPHOLE_RECORD_MOST + 3 * PEEPHOLE_WORD_MOST);
		CHECK(rest_at - rest_before <= REST_RECORD_MOST + 3 * REST_WORD_MOST);
	}
	struct peephole_last last[PEEPHOLE_WINDOW];
	uint32_t pairs[1];
	struct peephole_reader reader = {.window = {.last = last, .size = PEEPHOLE_WINDOW},
					 .at = bytes,
					 .end = at,
					 .rest = rest,
					 .rest_end = rest_at,
					 .pairs = pairs,
					 .functions = 1};
	for (unsigned i = 0; i < TIMES * 3; i++) {
		struct record got = {0};
		struct peephole_record made;
		const struct record *want = &records[i];
		if (!CHECK_STR(peephole_read(&reader, &got, &made), NULL))
			return;
		CHECK_EQ(got.depth, want->depth);
		CHECK_EQ(got.marks, want->marks);
		CHECK_EQ(got.entry, want->entry);
		CHECK_EQ(got.exit, want->exit);
		CHECK_EQ(got.result, want->result);
		CHECK_EQ(got.error, want->error);
		CHECK(got.words == 3 && !memcmp(got.word, want->word, sizeof got.word));
	}
	CHECK(reader.at == reader.end && reader.rest == reader.rest_end);
}

/* One record, and its block with a changed column: by how many bytes it is longer. */
static enum varve_status read_changed(unsigned column, int more)
{
	struct written written = written_start(8192, 3, 100);
	static const struct record record = {.function = 0x0123, .words = 3, .result = 5};
	CHECK(written_call(&written, &record, written.now, written.now + 900));
	struct encoded encoded;
	struct block_header header;
	struct decoded decoded = {0};
	uint8_t *block = written_encode(&written, CODEC_PEEPHOLE, &encoded);
	if (!CHECK(block != NULL))
		return VARVE_NO_MEMORY;
	memcpy(&header, block, sizeof header);
	uint8_t *rows = block + sizeof header + header.summaries * sizeof(struct block_summary);
	/* The rest is the last column, followed by padding, which gets the bytes that the records lose. */
	struct block_column row[2];
	memcpy(row, rows, sizeof row);
	CHECK(row[0].column == COLUMN_PEEPHOLE && row[1].column == COLUMN_REST);
	CHECK(header.header_length + row[0].stored + row[1].stored < header.length);
	struct block_column *changed = &row[column == COLUMN_REST];
	changed->count += (uint32_t)more;
	changed->stored += (uint32_t)more;
	memcpy(rows, row, sizeof row);
	block_seal(block, &header);
	enum varve_status status = block_open(block, encoded.length, &header, NULL);
	if (status == VARVE_OK)
		status = decoded_make(block, &header, call_rows, call_rows_count, WANT_ALL,
				      TAKE_MOST, &decoded, NULL);
	decoded_clear(&decoded);
	free(block);
	written_clear(&written);
	return status;
}

CASE(both_columns_are_used_up)
{
	CHECK_EQ(read_changed(COLUMN_REST, 0), VARVE_OK);
	CHECK_EQ(read_changed(COLUMN_REST, 1), VARVE_DAMAGED);
	CHECK_EQ(read_changed(COLUMN_REST, -1), VARVE_DAMAGED);
	CHECK_EQ(read_changed(COLUMN_PEEPHOLE, -1), VARVE_DAMAGED);
}

RUN(ENTRY(the_rest_brings_back_what_the_paper_has_no_place_for), ENTRY(both_columns_are_used_up))
