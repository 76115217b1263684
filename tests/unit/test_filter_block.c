/* Tests: what a filter decides for a block by its header and summary rows: none and all only if that is certain. */
#include "trace/filter/filter_tree.h"
#include "unit/filter_page.h"

struct rows {
	struct made *made;
	struct block_summary summary[8];
	struct block_column column[2];
	uint8_t bytes[1024];
};

/* A block with these rows, as in a file. */
static void lay(struct rows *rows, uint32_t summaries, uint32_t columns)
{
	struct block_header *header = &rows->made->block.header;
	header->summaries = summaries;
	header->columns = columns;
	header->records = 0;
	for (uint32_t i = 0; i < summaries; i++)
		header->records += rows->summary[i].calls;
	memcpy(rows->bytes + sizeof *header, rows->summary, summaries * sizeof *rows->summary);
	memcpy(rows->bytes + sizeof *header + summaries * sizeof *rows->summary, rows->column,
	       columns * sizeof *rows->column);
	header->header_length = (uint32_t)(sizeof *header + summaries * sizeof *rows->summary +
					   columns * sizeof *rows->column);
	memcpy(rows->bytes, header, sizeof *header);
	rows->made->block.bytes = rows->bytes;
}

/* 10 opens of which 2 failed, 5 preads of 600 bytes in all; ticks 1000 to 2000, ordinals 100 to 114. */
static struct rows *rows_new(void)
{
	struct rows *rows = calloc(1, sizeof *rows);
	if (!rows)
		abort();
	rows->made = made_new();
	rows->summary[0] = (struct block_summary){
		.function = made_id(rows->made, "open"), .calls = 10, .failures = 2};
	rows->summary[1] = (struct block_summary){
		.function = made_id(rows->made, "pread"), .calls = 5, .bytes = 600};
	rows->made->block.header.first_tick = 1000;
	rows->made->block.header.last_tick = 2000;
	rows->made->block.header.first_ordinal = 100;
	lay(rows, 2, 0);
	return rows;
}

static void rows_free(struct rows *rows)
{
	made_free(rows->made);
	free(rows);
}

static const char *said(struct rows *rows, const char *text)
{
	static const char *const names[] = {"none", "some", "all"};
	struct varve_causes causes = {0};
	struct varve_filter *filter;
	size_t column;
	if (!CHECK(filter_make(&rows->made->trace, text, &filter, &column, &causes) == VARVE_OK)) {
		printf("# %s\n", causes.text[0]);
		return "wrong";
	}
	enum filter_verdict verdict = filter_block(filter, &rows->made->block);
	filter_free(filter);
	return names[verdict];
}

#define SAID(text, verdict) CHECK_STR(said(rows, text), verdict)

CASE(functions)
{
	struct rows *rows = rows_new();
	SAID("function == open", "some");
	SAID("function == close", "none");
	SAID("function in open,pread", "all");
	SAID("function != close", "all");
	SAID("layer == posix", "all");
	SAID("layer == stdio", "none");
	SAID("not layer == stdio", "all");
	SAID("has function", "all");
	SAID("parent.function == open", "some");
	SAID("inside open", "some");
	SAID("path == a", "some");
	SAID("depth == 0", "some");
	SAID("has depth", "all");
	SAID("has region or region == a", "some");
	rows_free(rows);
}

CASE(outcomes)
{
	struct rows *rows = rows_new();
	SAID("failed", "some");
	SAID("failed and function == pread", "none");
	SAID("failed or function != pread", "some");
	SAID("not failed or function == open", "all");
	SAID("errno == ENOENT and function == pread", "none");
	SAID("has errno and layer == posix", "some");
	SAID("unfinished", "none");
	SAID("not unfinished", "all");
	SAID("has duration", "all");
	SAID("has result", "all");
	SAID("result == 3", "some");
	SAID("duration > 1s", "some");
	rows->summary[0].failures = 10;
	lay(rows, 1, 0);
	SAID("failed", "all");
	SAID("has errno", "all");
	SAID("errno == 2", "some");
	rows_free(rows);
}

CASE(values)
{
	struct rows *rows = rows_new();
	SAID("size > 600", "none");
	SAID("size > 599", "some");
	SAID("size == 0", "some");
	SAID("size >= 0", "some");
	SAID("not size > 600", "all");
	SAID("size >= 0 and function == open", "none");
	SAID("has offset and function == open", "none");
	SAID("has offset", "some");
	SAID("arg.flags has O_CREAT and not function == open", "none");
	SAID("arg.mode == \"r\"", "none");
	SAID("arg.mode != \"r\"", "none");
	SAID("arg.mode == 0644", "some");
	SAID("fd == 3", "some");
	rows_free(rows);
}

CASE(times)
{
	struct rows *rows = rows_new();
	SAID("time < 100us", "none");
	SAID("time <= 100us", "some");
	SAID("time in 100us:200us", "all");
	SAID("time in 100us:199999ns", "some");
	SAID("time > 200us", "none");
	SAID("time != 201us", "all");
	SAID("has time", "all");
	SAID("time in 0:1s:2ns", "some");
	SAID("time >= \"2026-11-15T20:00:01\"", "none");
	SAID("end > 200us", "none");
	SAID("end < 0", "some");
	SAID("end <= 200us", "all");
	rows->made->block.header.last_tick = INT64_MAX;
	lay(rows, 2, 0);
	SAID("time < 100us", "some");
	rows_free(rows);
}

CASE(processes)
{
	struct rows *rows = rows_new();
	SAID("rank == 5", "all");
	SAID("rank in 0:4", "none");
	SAID("rank != 5", "none");
	SAID("process == 3 and thread == 2 and pid == 700 and tid == 701", "all");
	SAID("thread > 2", "none");
	SAID("host == node7", "all");
	SAID("program ~ solver and failed", "some");
	SAID("program !~ solver and failed", "none");
	SAID("has rank", "all");
	rows->made->block.header.rank = -1;
	SAID("has rank", "none");
	SAID("rank != 5", "none");
	SAID("not rank == 5", "all");
	SAID("ordinal < 100", "none");
	SAID("ordinal in 100:114", "all");
	SAID("ordinal in 100:113", "some");
	SAID("ordinal > 114", "none");
	rows_free(rows);
}

/* Calls that were cut: their results are in other blocks. */
CASE(cut_calls)
{
	struct rows *rows = rows_new();
	rows->summary[1].unfinished = 1;
	lay(rows, 2, 0);
	SAID("failed and function == pread", "some");
	SAID("unfinished and function == open", "none");
	SAID("unfinished and function == pread", "some");
	SAID("size > 600", "some");
	SAID("has duration", "some");
	SAID("end > 1s", "some");
	SAID("function == close", "none");
	/* One was cut here and one continued: the sum hides it. */
	rows->summary[1].unfinished = 0;
	rows->column[0] = (struct block_column){.column = COLUMN_SHAPES, .count = 4};
	rows->column[1] = (struct block_column){.column = COLUMN_ORDINALS, .count = 1};
	lay(rows, 2, 2);
	SAID("failed and function == pread", "some");
	SAID("unfinished", "some");
	SAID("ordinal < 100", "some");
	SAID("ordinal > 114", "none");
	SAID("function == close", "none");
	rows_free(rows);
}

/* The plain codec may omit rows of functions. */
CASE(rows_of_records)
{
	struct rows *rows = rows_new();
	rows->made->block.header.codec = CODEC_ROWS;
	lay(rows, 2, 0);
	SAID("function == close", "some");
	SAID("function in open,pread", "some");
	SAID("failed", "some");
	SAID("size > 600", "some");
	SAID("ordinal < 100", "some");
	SAID("unfinished", "some");
	SAID("has offset", "some");
	SAID("rank == 5", "all");
	SAID("time > 200us", "none");
	SAID("time > 200us or rank == 6", "none");
	rows_free(rows);
}

CASE(empty)
{
	struct rows *rows = rows_new();
	lay(rows, 0, 0);
	SAID("rank == 5", "none");
	rows_free(rows);
}

RUN(ENTRY(functions), ENTRY(outcomes), ENTRY(values), ENTRY(times), ENTRY(processes),
    ENTRY(cut_calls), ENTRY(rows_of_records), ENTRY(empty))
