/* Fuzzing: the text of a filter: compiled for a trace without records, and, if it is valid, evaluated for a page.
 *
 * Input: the text. The tables are those of this Varve. */
#include "fuzz.h"

#include "trace/filter/filter.h"

#include <stdlib.h>
#include <string.h>

/* A trace with the members that filters use: tables, no processes. */
static struct varve_trace *trace_make(void)
{
	static struct varve_trace trace;
	if (trace.by_id)
		return &trace;
	static const char description[] = "host=here\0start_realtime=1700000000000000000";
	trace.description = description;
	trace.description_length = sizeof description;
	trace.by_id = calloc(TRACE_FUNCTIONS, sizeof *trace.by_id);
	trace.id_count = TRACE_FUNCTIONS;
	if (!trace.by_id ||
	    tables_parse(tables_blob, tables_blob_size, &trace.tables, NULL) != VARVE_OK)
		abort();
	for (uint32_t i = 0; i < trace.tables.function_count; i++)
		trace.by_id[trace.tables.functions[i].id] = &trace.tables.functions[i];
	return &trace;
}

/* A few rows of different functions. */
static struct page *page_make(const struct varve_trace *trace)
{
	enum { ROWS = 64 };
	static struct page page;
	static uint64_t words[ROWS * RECORD_ARGUMENTS_MOST];
	static struct varve_file file = {.given = {"a/b.c", 5}, .absolute = {"/x/a/b.c", 8}};
	static struct trace_block block = {
		.header = {.process = 1, .thread = 1, .resolution = 100}};
	static struct varve_stream stream = {.process = 1, .thread = 1, .rank = 3};
	static struct names names;
	static const struct definitions none;
	if (page.count)
		return &page;
	page.count = ROWS;
	page.stream = &stream;
	page.block = &block;
	page.words = words;
	page.files = &file;
	page.file_count = 1;
	page.names = &names;
	if (names_load(&names, &none, 0, NULL) != VARVE_OK)
		abort();
	for (size_t i = 0; i < ROWS; i++) {
		const struct varve_function *function =
			&trace->tables.functions[i * 9 % trace->tables.function_count];
		page.function[i] = function->id;
		page.marks[i] = page.stored[i] = (uint8_t)(i % 4 == 3 ? VARVE_FAILED : 0);
		page.error[i] = i % 4 == 3 ? 2 : 0;
		page.depth[i] = (uint8_t)(i % 3);
		page.entry[i] = (int64_t)i * 100;
		page.exit[i] = (int64_t)i * 100 + 7;
		page.result[i] = (int64_t)i - 5;
		page.word_at[i] = (uint32_t)(i * RECORD_ARGUMENTS_MOST);
		page.word_count[i] = function->words;
		page.file[i] = (uint16_t)(i % 2 ? PAGE_NO_FILE : 0);
		page.parent[i] = i ? page.function[i - 1] : 0;
		page.inside[i] = (uint32_t)i;
		for (unsigned k = 0; k < function->words; k++)
			words[page.word_at[i] + k] = i * 37 + k;
	}
	return &page;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct varve_trace *trace = trace_make();
	struct page *page = page_make(trace);
	struct varve_filter *filter = NULL;
	struct varve_causes causes = {0};
	uint8_t keep[PAGE_ROWS];
	size_t column = 0;
	char *text = malloc(size + 1);
	if (!text)
		abort();
	if (size)
		memcpy(text, bytes, size);
	text[size] = 0;
	bound_begin(size, 1);
	enum varve_status status = filter_make(trace, text, &filter, &column, &causes);
	if (status == VARVE_USAGE && (column > strlen(text) || !causes.count))
		abort();
	if (status == VARVE_OK) {
		enum filter_verdict verdict = filter_block(filter, page->block);
		if (filter_rows(filter, page, keep, NULL) != VARVE_OK)
			abort();
		touch(keep, page->count);
		touch(&verdict, sizeof verdict);
	}
	filter_free(filter);
	bound_end();
	free(text);
	return 0;
}
