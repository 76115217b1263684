/* Tests: the block of a lane has the lane's content, record by record, with all codecs. VARVE_LOOP_RUNS: number of small lanes. */
#include "codec/host/decode.h"
#include "unit/decoded.h"
#include "unit/harness.h"
#include "unit/lane_writer.h"

static bool same_record(const struct record *got, const struct record *expected, unsigned want)
{
	bool same = CHECK_EQ(got->function, expected->function) &&
		    CHECK_EQ(got->depth, expected->depth) &&
		    CHECK_EQ(got->marks, expected->marks) &&
		    CHECK_EQ(got->ordinal, expected->ordinal);
	if (want & WANT_TIMES)
		same &= CHECK_EQ(got->entry, expected->entry) &&
			CHECK_EQ(got->exit, expected->exit);
	if (want & WANT_RESULTS)
		same &= CHECK_EQ(got->result, expected->result) &&
			CHECK_EQ(got->error, expected->error);
	if (want & WANT_WORDS)
		same &= CHECK_EQ(got->words, expected->words) &&
			CHECK(memcmp(got->word, expected->word, expected->words * 8) == 0);
	return same;
}

static bool same_definition(const struct definition *got, const struct definition *expected)
{
	return CHECK_EQ(got->type, expected->type) && CHECK_EQ(got->before, expected->before) &&
	       CHECK_EQ(got->id, expected->id) && CHECK_EQ(got->base_kind, expected->base_kind) &&
	       CHECK_EQ(got->base, expected->base) && CHECK_EQ(got->kind, expected->kind) &&
	       CHECK_EQ(got->how, expected->how) && CHECK_EQ(got->origin, expected->origin) &&
	       CHECK_EQ(got->fd, expected->fd) && CHECK_EQ(got->name, expected->name) &&
	       CHECK_EQ(got->other, expected->other) && CHECK_EQ(got->device, expected->device) &&
	       CHECK_EQ(got->inode, expected->inode) &&
	       (CHECK_EQ(got->text_length, expected->text_length) &&
		CHECK(memcmp(got->text, expected->text, expected->text_length) == 0));
}

/* Compares the sums in a header with the sums over the written calls. */
static bool same_sums(const struct written *written, const uint8_t *block,
		      const struct block_header *header)
{
	struct block_summary *sums = calloc(65536, sizeof *sums);
	bool same = true;
	size_t functions = 0;
	for (size_t i = 0; i < written->count; i++) {
		const struct record *record = &written->records[i];
		struct block_summary *sum = &sums[record->function];
		functions += !sum->function;
		sum->function = record->function;
		sum->calls += !(record->marks & VARVE_CONTINUED);
		sum->failures += !!(record->marks & VARVE_FAILED);
		sum->unfinished +=
			!!(record->marks & VARVE_UNFINISHED) - !!(record->marks & VARVE_CONTINUED);
		sum->ticks += (uint64_t)record->exit - (uint64_t)record->entry;
		const struct call_row *row =
			call_row_find(written->rows, written->row_count, record->function);
		if (row && row->bytes_rule == VARVE_BYTES_WORD) {
			if (!(record->marks & (VARVE_FAILED | VARVE_UNFINISHED)) &&
			    row->bytes_word < record->words)
				sum->bytes = bytes_sum(sum->bytes, record->word[row->bytes_word]);
			continue;
		}
		if (row && row->bytes_rule == VARVE_BYTES_FIXED) {
			if (!(record->marks & (VARVE_FAILED | VARVE_UNFINISHED)) &&
			    record->result != -1)
				sum->bytes = bytes_sum(sum->bytes, row->bytes_word);
			continue;
		}
		if (!row || row->bytes_rule == VARVE_BYTES_NONE || record->result <= 0)
			continue;
		bool times = row->bytes_rule == VARVE_BYTES_RESULT_TIMES;
		if (times && row->bytes_word >= record->words)
			continue;
		sum->bytes =
			bytes_sum(sum->bytes, (uint64_t)record->result *
						      (times ? record->word[row->bytes_word] : 1));
	}
	same &= CHECK_EQ(header->summaries, functions);
	for (uint32_t i = 0; i < header->summaries; i++) {
		struct block_summary row = block_summary_at(block, header, i);
		const struct block_summary *sum = &sums[row.function];
		same &= CHECK_EQ(row.calls, sum->calls) && CHECK_EQ(row.failures, sum->failures) &&
			CHECK_EQ(row.unfinished, sum->unfinished) &&
			CHECK_EQ(row.bytes, sum->bytes) && CHECK_EQ(row.ticks, sum->ticks) &&
			CHECK_EQ(row.reserved, 0) && CHECK_EQ(row.function, sum->function);
	}
	free(sums);
	return same;
}

static bool same_header(const struct written *written, const struct block_header *header)
{
	const struct lane *lane = written->lane;
	int64_t first = written->count ? INT64_MAX : 0, last = written->count ? INT64_MIN : 0;
	for (size_t i = 0; i < written->count; i++) {
		first = written->records[i].entry < first ? written->records[i].entry : first;
		last = written->records[i].exit > last ? written->records[i].exit : last;
		last = written->records[i].entry > last ? written->records[i].entry : last;
	}
	return CHECK_EQ(header->type, BLOCK_RECORDS) &&
	       CHECK_EQ(header->sequence, lane->generation) &&
	       CHECK_EQ(header->process, lane->process) && CHECK_EQ(header->thread, lane->thread) &&
	       CHECK_EQ(header->pid, lane->pid) && CHECK_EQ(header->tid, lane->tid) &&
	       CHECK_EQ(header->rank, lane->rank) &&
	       CHECK_EQ(header->resolution, lane->resolution) &&
	       CHECK_EQ(header->records, written->count) &&
	       CHECK_EQ(header->first_ordinal, lane->first_ordinal) &&
	       CHECK_EQ(header->first_tick, first) && CHECK_EQ(header->last_tick, last) &&
	       CHECK_EQ(header->definitions, written->definition_count) &&
	       CHECK(memcmp(header->run_id, lane->run_id, sizeof lane->run_id) == 0);
}

static bool same_findings(const struct written *written, const struct encoded *encoded)
{
	uint64_t continued = 0, open = 0;
	for (size_t i = 0; i < written->count; i++) {
		const struct record *record = &written->records[i];
		continued += !!(record->marks & VARVE_CONTINUED);
		if (!(record->marks & VARVE_UNFINISHED) || open == ENCODE_OPEN_MOST)
			continue;
		if (!CHECK_EQ(encoded->open[open].position, written->positions[i]) ||
		    !CHECK_EQ(encoded->open[open].ordinal, record->ordinal))
			return false;
		open++;
	}
	return CHECK_EQ(encoded->open_count, open) && CHECK_EQ(encoded->records, written->count) &&
	       CHECK_EQ(encoded->fresh, written->count - continued) &&
	       CHECK_EQ(encoded->definitions, written->definition_count) &&
	       CHECK_EQ(encoded->gaps, written->gaps) &&
	       CHECK_EQ(encoded->backward, written->backward);
}

/* Decodes the requested parts of the block and compares them with the lane. */
static bool same_block(const struct written *written, const uint8_t *block, size_t length,
		       unsigned want)
{
	struct block_header header;
	struct varve_causes causes = {0};
	struct decoded decoded;
	bool same = CHECK_EQ(block_open(block, length, &header, &causes), VARVE_OK) &&
		    CHECK_EQ(header.length, length) && same_header(written, &header) &&
		    same_sums(written, block, &header);
	if (!same)
		return false;
	/* Every length of steps must give the same result. */
	size_t at_once = 1 + (size_t)(header.payload_check % TAKE_MOST);
	enum varve_status status = decoded_make(block, &header, written->rows, written->row_count,
						want, at_once, &decoded, &causes);
	if (!CHECK_EQ(status, VARVE_OK)) {
		printf("# %s\n", causes.text[0]);
		return false;
	}
	same = CHECK_EQ(decoded.count, written->count);
	for (size_t i = 0; same && i < decoded.count; i++)
		same = same_record(&decoded.records[i], &written->records[i], want);
	same &= CHECK_EQ(decoded.definitions.count,
			 want & WANT_DEFINITIONS ? written->definition_count : 0);
	for (size_t i = 0; same && i < decoded.definitions.count; i++)
		same = same_definition(&decoded.definitions.list[i], &written->definitions[i]);
	decoded_clear(&decoded);
	return same;
}

/* One random lane, with all codecs. */
static bool round_trip(size_t size, uint64_t seed, const struct flavour *flavour,
		       const struct call_row *rows, size_t row_count)
{
	static const uint32_t resolutions[] = {1, 100, 1000, 37};
	struct written written = written_start(size, seed, resolutions[seed % 4]);
	written.rows = rows;
	written.row_count = row_count;
	written_fill(&written, flavour);
	bool same = true;
	for (int codec = CODEC_COLUMNS; codec <= CODEC_PEEPHOLE && same; codec++) {
		static const uint8_t windows[] = {3, 0, 1, 2, 127, 7};
		struct encoded encoded;
		written.window = windows[seed % 6];
		uint8_t *block = written_encode(&written, (enum block_codec)codec, &encoded);
		same = CHECK(block != NULL) && same_findings(&written, &encoded) &&
		       same_block(&written, block, encoded.length, WANT_ALL);
		/* Parts that are not requested are missing, requested parts are right. */
		for (unsigned want = 0; same && want < WANT_ALL && seed % 8 == 0; want++)
			same = same_block(&written, block, encoded.length, want);
		struct block_header header;
		/* Columns can be made for this number of functions, and no more. */
		if (same && codec == CODEC_COLUMNS && !written.uneven && written.count <= 500 &&
		    block_open(block, encoded.length, &header, NULL) == VARVE_OK)
			same = CHECK_EQ(header.codec, CODEC_COLUMNS);
		free(block);
	}
	if (!same)
		printf("# lane of %zu bytes, number %" PRIu64 ", %zu records\n", size, seed,
		       written.count);
	written_clear(&written);
	return same;
}

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { LANES = 2000 };
#else
enum { LANES = 20000 };
#endif

CASE(small_lanes_of_all_flavours)
{
	struct chance chance = chance_start(100);
	uint64_t lanes = chance_runs("VARVE_LOOP_RUNS", LANES);
	for (uint64_t i = 0; i < lanes; i++) {
		struct flavour flavour = {
			.functions = chance_once(&chance, 3) ? 0 : 1 + chance_below(&chance, 8),
			.records = chance_below(&chance, 40),
			.steady = chance_once(&chance, 3),
			.plain = chance_once(&chance, 4),
			.uneven = chance_once(&chance, 10),
			.alike = chance_once(&chance, 2),
		};
		size_t size = LANE_HEADER + 8 * chance_below(&chance, 700);
		if (!round_trip(size, i, &flavour, call_rows, call_rows_count))
			break;
	}
}

CASE(full_lanes)
{
	struct chance chance = chance_start(101);
	for (uint64_t i = 0; i < LANES / 200; i++) {
		struct flavour flavour = {
			.functions = chance_once(&chance, 2) ? 0 : 1 + chance_below(&chance, 8),
			.records = UINT64_MAX - 1,
			.steady = chance_once(&chance, 2),
			.plain = chance_once(&chance, 2),
			.alike = chance_once(&chance, 2),
		};
		if (!round_trip(LANE_HEADER + 8 * chance_below(&chance, 40000), i, &flavour,
				call_rows, call_rows_count))
			break;
	}
}

/* Rows of the test's own: more functions than the columns have room for. */
static struct call_row *many_rows(size_t count, uint8_t words)
{
	struct call_row *rows = calloc(count, sizeof *rows);
	for (size_t i = 0; i < count; i++)
		rows[i] = (struct call_row){.id = (uint16_t)(i + 1),
					    .words = words,
					    .bytes_rule =
						    i % 2 ? VARVE_BYTES_RESULT : VARVE_BYTES_NONE};
	return rows;
}

/* Writes `count` calls of different functions, or of one function with all depths and marks. */
static void write_kinds(struct written *written, size_t functions, size_t depths, uint8_t words)
{
	for (size_t i = 0; i < functions * depths; i++) {
		struct record record = {
			.function = (uint16_t)(1 + i / depths),
			.depth = (uint8_t)(i % depths % 31),
			.marks = i % depths >= 31 ? VARVE_FAILED : 0,
			.error = i % depths >= 31 ? 2 : 0,
			.result = 3,
			.words = words,
		};
		for (uint32_t k = 0; k < words; k++)
			record.word[k] = chance_word(&written->chance);
		uint64_t entry = written->now += 100;
		CHECK(written_call(written, &record, entry, written->now += 100));
	}
}

static void limits(size_t functions, size_t depths, uint8_t words, enum block_codec expected)
{
	struct call_row *rows = many_rows(functions, words);
	size_t size = LANE_HEADER + functions * depths * (WORD_ARGUMENTS + words) * 8u;
	struct written written = written_start(size, functions * depths, 100);
	written.rows = rows;
	written.row_count = functions;
	write_kinds(&written, functions, depths, words);
	/* Codec peephole has no such limits; functions after the 255th are encoded in another way. */
	const enum block_codec codecs[][2] = {{CODEC_COLUMNS, expected},
					      {CODEC_PEEPHOLE, CODEC_PEEPHOLE}};
	for (int i = 0; i < 2; i++) {
		struct encoded encoded;
		uint8_t *block = written_encode(&written, codecs[i][0], &encoded);
		struct block_header header;
		if (CHECK(block != NULL) &&
		    CHECK_EQ(block_open(block, encoded.length, &header, NULL), VARVE_OK)) {
			CHECK_EQ(header.codec, codecs[i][1]);
			same_block(&written, block, encoded.length, WANT_ALL);
		}
		free(block);
	}
	written_clear(&written);
	free(rows);
}

CASE(as_many_functions_as_columns_have_room_for)
{
	limits(512, 1, 3, CODEC_COLUMNS);
	limits(256, 4, 1, CODEC_COLUMNS);
	limits(32, 32, 0, CODEC_COLUMNS);
	limits(257, 1, 0, CODEC_COLUMNS);
}

CASE(more_functions_or_shapes_than_that_are_stored_plainly)
{
	limits(513, 1, 3, CODEC_ROWS);
	limits(3000, 1, 1, CODEC_ROWS);
	limits(257, 4, 1, CODEC_ROWS);
	limits(33, 32, 0, CODEC_ROWS);
}

/* Tables of a trace may have functions with any number of words, and each may be called once. */
CASE(the_widest_functions_fit_the_output)
{
	limits(512, 1, RECORD_ARGUMENTS_MOST, CODEC_COLUMNS);
	limits(512, 2, RECORD_ARGUMENTS_MOST, CODEC_COLUMNS);
	limits(500, 1, 12, CODEC_COLUMNS);
}

CASE(an_empty_lane_is_an_empty_block)
{
	static const struct flavour none = {.records = 0, .plain = true};
	CHECK(round_trip(LANE_HEADER, 1, &none, call_rows, call_rows_count));
	CHECK(round_trip(65536, 2, &none, call_rows, call_rows_count));
	struct written written = written_start(8192, 1, 100);
	struct encoded encoded = {0};
	CHECK_EQ(encode_lane(written.lane, LANE_HEADER - 8, (struct codec_choice){0},
			     written_end(&written), call_rows, call_rows_count, NULL, NULL,
			     &encoded),
		 VARVE_LIMIT);
	written_clear(&written);
}

/* A lane of a dead process may contain any bits: encoding ends, stays in its memory, and its block can be decoded. */
static void hostile(struct written *written, struct chance *chance)
{
	uint8_t *bytes = (uint8_t *)written->lane;
	uint64_t used =
		written->lane->position < written->size ? written->lane->position : written->size;
	switch (chance_below(chance, 6)) {
	case 0:
		written->lane->position = chance_wide(chance);
		break;
	case 1:
		written->lane->begin =
			(struct lane_clock){chance_wide(chance), (int64_t)chance_word(chance)};
		break;
	case 2:
		written->lane->resolution = (uint32_t)chance_wide(chance);
		written->lane->start_monotonic = (int64_t)chance_word(chance);
		break;
	case 3:
		written->lane->first_ordinal = chance_word(chance);
		break;
	default:
		break;
	}
	for (uint64_t i = chance_below(chance, 30); i-- > 0 && used > LANE_HEADER;) {
		uint64_t at = LANE_HEADER + chance_below(chance, used - LANE_HEADER);
		if (chance_once(chance, 2)) {
			/* Headers that keep their tag get farthest. */
			at = at / 8 * 8 + chance_below(chance, 4);
		}
		bytes[at] ^= (uint8_t)(1u << chance_below(chance, 8));
	}
	for (uint64_t i = chance_below(chance, 4); i-- > 0 && used > LANE_HEADER + 64;) {
		/* Any header with the right tag, then any words. */
		uint64_t at = (LANE_HEADER + chance_below(chance, used - LANE_HEADER - 32)) / 8 * 8;
		uint64_t *words = (uint64_t *)(void *)(bytes + at);
		*words = written_header(
			written, words,
			(uint16_t)(chance_once(chance, 2) ? DEFINE_FIRST + chance_below(chance, 8)
							  : chance_word(chance)),
			chance_below(chance, 256), (unsigned)chance_below(chance, 256));
		words[1] = chance_wide(chance);
		words[2] = chance_word(chance);
	}
}

/* The decoded content of such a lane, the same with each codec. */
static void encode_hostile(const struct written *written, enum block_codec codec,
			   struct decoded *decoded, const struct decoded *expected)
{
	struct encoded encoded;
	struct block_header header;
	uint8_t *block = written_encode(written, codec, &encoded);
	if (CHECK(block != NULL) &&
	    CHECK_EQ(block_open(block, encoded.length, &header, NULL), VARVE_OK) &&
	    CHECK_EQ(decoded_make(block, &header, call_rows, call_rows_count, WANT_ALL, TAKE_MOST,
				  decoded, NULL),
		     VARVE_OK)) {
		CHECK_EQ(decoded->count, encoded.records);
		bool same = !expected || CHECK_EQ(decoded->count, expected->count);
		for (size_t i = 0; same && expected && i < decoded->count; i++)
			same = same_record(&decoded->records[i], &expected->records[i], WANT_ALL);
	}
	free(block);
}

CASE(hostile_lanes)
{
	struct chance chance = chance_start(102);
	for (uint64_t i = 0; i < LANES / 2; i++) {
		struct flavour flavour = {.functions = chance_below(&chance, 6),
					  .records = chance_below(&chance, 60),
					  .steady = chance_once(&chance, 2)};
		struct written written =
			written_start(LANE_HEADER + 8 * chance_below(&chance, 900), i, 100);
		written_fill(&written, &flavour);
		hostile(&written, &chance);
		struct decoded rows = {0};
		encode_hostile(&written, CODEC_ROWS, &rows, NULL);
		for (int codec = CODEC_COLUMNS; codec <= CODEC_PEEPHOLE; codec++) {
			struct decoded decoded = {0};
			written.window = (uint32_t)(i % 128);
			encode_hostile(&written, (enum block_codec)codec, &decoded, &rows);
			decoded_clear(&decoded);
		}
		decoded_clear(&rows);
		written_clear(&written);
		if (harness_failures) {
			printf("# lane number %" PRIu64 "\n", i);
			break;
		}
	}
}

RUN(ENTRY(small_lanes_of_all_flavours), ENTRY(full_lanes),
    ENTRY(as_many_functions_as_columns_have_room_for),
    ENTRY(more_functions_or_shapes_than_that_are_stored_plainly),
    ENTRY(the_widest_functions_fit_the_output), ENTRY(an_empty_lane_is_an_empty_block),
    ENTRY(hostile_lanes))
