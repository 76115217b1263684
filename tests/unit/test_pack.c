/* Tests: traces of random lanes, packed: records and definitions of the file are those of the folder.
 * timeout: 300
 *
 * Lanes contain what no recorder writes: names without a number, defined twice or with an undefined base, texts of any bytes,
 * halves of calls without a beginning, unknown functions. VARVE_PACK_TRACES sets another number of traces, VARVE_PACK_RECORDS of
 * records for each block of a regular trace. */
#include "loop/skeleton.h"
#include "pack/name_table.h"
#include "pack/pack.h"
#include "trace/definitions.h"
#include "unit/trace_maker.h"

static struct made_trace made;
static char packed[128];

static bool pack(unsigned workers)
{
	struct varve_causes causes = {0};
	struct pack_result result;
	snprintf(packed, sizeof packed, "%s/packed", made.folder);
	const struct pack_settings settings = {
		.source = made.path, .target = packed, .workers = workers};
	bool good = CHECK_EQ(pack_trace(&settings, &result, &causes), VARVE_OK);
	if (!good)
		printf("# %s\n", causes.count ? causes.text[0] : "");
	return good;
}

static bool same_call(const struct varve_call *a, const struct varve_call *b)
{
	return CHECK_EQ(a->function_id, b->function_id) && CHECK_EQ(a->ordinal, b->ordinal) &&
	       CHECK_EQ(a->start, b->start) && CHECK_EQ(a->end, b->end) &&
	       CHECK_EQ(a->depth, b->depth) && CHECK_EQ(a->marks, b->marks) &&
	       CHECK_EQ(a->result, b->result) && CHECK_EQ(a->error, b->error) &&
	       CHECK_EQ(a->word_count, b->word_count) &&
	       CHECK(!memcmp(a->words, b->words, a->word_count * sizeof *a->words));
}

static bool same_calls(struct varve_trace *folder, struct varve_trace *file, uint64_t *count)
{
	struct trace_filter all = TRACE_FILTER_ALL;
	struct varve_cursor *ours, *theirs;
	unsigned columns = VARVE_COLUMNS_ALL & ~VARVE_FILES;
	if (!CHECK_EQ(cursor_open(folder, &all, VARVE_ORDER_STREAM, columns, &ours, NULL),
		      VARVE_OK) ||
	    !CHECK_EQ(cursor_open(file, &all, VARVE_ORDER_STREAM, columns, &theirs, NULL),
		      VARVE_OK))
		return false;
	const struct varve_call *mine, *other;
	bool good = true;
	for (*count = 0; good; ++*count) {
		enum varve_status status = cursor_next(ours, &mine, NULL);
		good = CHECK_EQ(cursor_next(theirs, &other, NULL), status);
		if (!good || status != VARVE_OK)
			break;
		good = same_call(mine, other);
	}
	cursor_close(ours);
	cursor_close(theirs);
	return good;
}

static bool same_definition(const struct varve_definition *a, const struct varve_definition *b)
{
	return CHECK_EQ(a->define, b->define) && CHECK_EQ(a->process, b->process) &&
	       CHECK_EQ(a->thread, b->thread) && CHECK_EQ(a->block, b->block) &&
	       CHECK_EQ(a->before, b->before) && CHECK_EQ(a->id, b->id) &&
	       CHECK_EQ(a->base_kind, b->base_kind) && CHECK_EQ(a->base, b->base) &&
	       CHECK_EQ(a->kind, b->kind) && CHECK_EQ(a->how, b->how) && CHECK_EQ(a->fd, b->fd) &&
	       CHECK_EQ(a->name, b->name) && CHECK_EQ(a->other, b->other) &&
	       CHECK_EQ(a->device, b->device) && CHECK_EQ(a->inode, b->inode) &&
	       CHECK_EQ(a->text.length, b->text.length) &&
	       CHECK(!a->text.length || !memcmp(a->text.bytes, b->text.bytes, a->text.length));
}

static bool same_definitions(struct varve_trace *folder, struct varve_trace *file)
{
	struct varve_definitions *ours, *theirs;
	const struct varve_definition *mine, *other;
	if (!CHECK_EQ(definition_list_open(folder, 0, 0, &ours, NULL), VARVE_OK) ||
	    !CHECK_EQ(definition_list_open(file, 0, 0, &theirs, NULL), VARVE_OK))
		return false;
	bool good = true;
	while (good) {
		enum varve_status status = definition_list_next(ours, &mine, NULL);
		good = CHECK_EQ(definition_list_next(theirs, &other, NULL), status);
		if (!good || status != VARVE_OK)
			break;
		good = same_definition(mine, other);
	}
	definition_list_close(ours);
	definition_list_close(theirs);
	return good;
}

static bool same_trace(uint64_t *calls)
{
	struct varve_trace *folder, *file;
	struct varve_causes causes = {0};
	if (!CHECK_EQ(trace_open(made.path, 0, &folder, NULL), VARVE_OK))
		return false;
	if (!CHECK_EQ(trace_open(packed, 0, &file, &causes), VARVE_OK)) {
		printf("# %s\n", causes.text[0]);
		trace_close(folder);
		return false;
	}
	bool good = same_calls(folder, file, calls) && same_definitions(folder, file) &&
		    CHECK_EQ(file->damage_count, folder->damage_count);
	for (size_t i = 0; !good && i < file->damage_count; i++)
		printf("# %s\n", file->damage[i].why);
	trace_close(folder);
	trace_close(file);
	return good;
}

static bool random_trace(uint64_t seed)
{
	struct chance chance = chance_start(seed);
	struct flavour flavour = {.functions = chance_once(&chance, 2) ? 4 : 0,
				  .records = 200,
				  .steady = chance_once(&chance, 3),
				  .plain = chance_once(&chance, 4),
				  .uneven = chance_once(&chance, 3)};
	uint64_t calls, streams = 1 + chance_below(&chance, 3);
	if (!made_start(&made))
		return false;
	for (uint32_t stream = 0; stream < streams; stream++) {
		uint64_t ordinal = chance_below(&chance, 100), most = chance_below(&chance, 4);
		for (uint64_t sequence = 1; sequence <= most + 1; sequence++) {
			struct written lane =
				made_lane(&made, 1 + stream / 2, 1 + stream % 2, sequence, ordinal);
			lane.chance = chance_start(seed * 100 + stream * 10 + sequence);
			lane.lane->rank = (int32_t)(stream / 2);
			if (!chance_once(&chance, 8))
				written_fill(&lane, &flavour);
			ordinal = lane.fresh;
			made_append(&made, &lane);
		}
	}
	made_finish(&made);
	bool good = pack(1 + (unsigned)chance_below(&chance, 3)) && same_trace(&calls);
	unlink(packed);
	made_clear(&made);
	return good;
}

CASE(lanes_by_chance)
{
	uint64_t count = chance_runs("VARVE_PACK_TRACES", 400);
	for (uint64_t seed = 1; seed <= count; seed++)
		if (!random_trace(seed)) {
			printf("# seed %" PRIu64 "\n", seed);
			break;
		}
}

/* Two threads that write a matrix row by row, in blocks of any length: loops continue over the ends of blocks. */
CASE(a_regular_trace)
{
	uint64_t records = chance_runs("VARVE_PACK_RECORDS", 150), calls;
	struct varve_trace *trace;
	if (!made_start(&made))
		return;
	uint64_t at[2] = {0, 0};
	for (uint64_t sequence = 1; sequence <= 60; sequence++)
		for (uint32_t thread = 1; thread <= 2; thread++) {
			struct written lane = made_lane_of(&made, (size_t)records * 64 + 8192, 1,
							   thread, sequence, at[thread - 1]);
			for (uint64_t i = 0; i < records + sequence % 7; i++, at[thread - 1]++) {
				uint64_t row = at[thread - 1] / 100, column = at[thread - 1] % 100;
				made_call(&lane, 0, 0, row * 65536 + column * 64 + thread,
					  lane.now + 500, lane.now + 900);
			}
			made_append(&made, &lane);
		}
	made_finish(&made);
	CHECK(pack(2) && same_trace(&calls));
	if (CHECK_EQ(trace_open(packed, 0, &trace, NULL), VARVE_OK)) {
		printf("# %" PRIu64 " calls in %" PRIu64 " bytes\n", calls, trace->size);
		trace_close(trace);
	}
	unlink(packed);
	made_clear(&made);
}

/* Calls by their files: returns how many have one. */
static uint64_t count_files(const char *path)
{
	struct varve_trace *trace;
	struct varve_cursor *cursor;
	const struct varve_call *call;
	struct trace_filter all = TRACE_FILTER_ALL;
	uint64_t found = 0;
	if (!CHECK_EQ(trace_open(path, 0, &trace, NULL), VARVE_OK))
		return 0;
	CHECK_EQ(cursor_open(trace, &all, VARVE_ORDER_STREAM, VARVE_COLUMNS_ALL, &cursor, NULL),
		 VARVE_OK);
	while (cursor_next(cursor, &call, NULL) == VARVE_OK) {
		struct varve_file file;
		found += varve_call_file(call, &file) && file.absolute.length > 900;
	}
	cursor_close(cursor);
	trace_close(trace);
	return found;
}

/* Long paths, each used once at the same time: such a block consists nearly only of names, and all of these are known. */
CASE(many_long_names)
{
	enum { NAMES = 3000, LENGTH = 1000, UNLINK = 0x0183 };
	char text[LENGTH];
	if (!made_start(&made))
		return;
	struct written lane = made_lane_of(&made, 6 << 20, 1, 1, 1, 0);
	memset(text, 'x', sizeof text);
	for (uint32_t i = 0; i < NAMES; i++) {
		struct definition name = {
			.type = DEFINE_NAME, .id = i + 1, .text = text, .text_length = LENGTH};
		struct record record = {.function = UNLINK, .words = 1, .word = {i + 1}};
		snprintf(text, sizeof text, "/%08u", i);
		text[9] = '/';
		CHECK(written_define(&lane, &name));
		CHECK(written_call(&lane, &record, lane.now, lane.now));
	}
	made_append(&made, &lane);
	made_finish(&made);
	if (pack(1)) {
		CHECK_EQ(count_files(made.path), NAMES);
		CHECK_EQ(count_files(packed), NAMES);
	}
	unlink(packed);
	made_clear(&made);
}

/* A name that cannot be kept completely is refused, with a message. */
CASE(a_name_that_is_too_long)
{
	static char text[SKELETON_TEXT_MOST + 1];
	struct name_table table = {0};
	struct varve_causes causes = {0};
	struct pack_name name = {.text = text, .length = SKELETON_TEXT_MOST};
	uint32_t number;
	CHECK_EQ(name_table_find(&table, &name, &number, &causes), VARVE_OK);
	name.length++;
	CHECK_EQ(name_table_find(&table, &name, &number, &causes), VARVE_LIMIT);
	CHECK_EQ(causes.count, 1);
	name_table_clear(&table);
}

RUN(ENTRY(lanes_by_chance), ENTRY(a_regular_trace), ENTRY(many_long_names),
    ENTRY(a_name_that_is_too_long))
