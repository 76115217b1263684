/* Tests: a trace with only tables and a description, and a page of it that is filled by hand, for tests of filters. */
#ifndef TESTS_UNIT_FILTER_PAGE_H
#define TESTS_UNIT_FILTER_PAGE_H

#include "trace/filter/filter.h"
#include "unit/harness.h"

#include <stdlib.h>

/* Tick 0 is 2026-11-15T20:00:00Z. */
static const char made_description[] = "host=front\0start_realtime=1794772800000000000";
static char made_process[] = "host=node7\0exe=/usr/bin/solver";

struct made {
	struct varve_trace trace;
	struct varve_process process;
	struct trace_node node;
	struct trace_block block;
	struct page page;
	uint64_t words[256];
	struct varve_file files[8];
	struct named_late texts[16]; /* number of words */
	size_t rows[16];
	struct names names; /* without any */
};

static inline uint16_t made_id(const struct made *made, const char *name)
{
	for (uint32_t i = 0; i < made->trace.tables.function_count; i++)
		if (!strcmp(made->trace.tables.functions[i].name, name))
			return made->trace.tables.functions[i].id;
	CHECK(made == NULL); /* no function with this name */
	return 0;
}

static inline struct made *made_new(void)
{
	struct made *made = calloc(1, sizeof *made);
	struct varve_causes causes = {0};
	if (!made || tables_parse(tables_blob, tables_blob_size, &made->trace.tables, &causes)) {
		CHECK(causes.count == 0);
		abort();
	}
	made->trace.description = made_description;
	made->trace.description_length = sizeof made_description;
	made->process = (struct varve_process){
		.number = 3, .strings = made_process, .length = sizeof made_process};
	made->trace.processes = &made->process;
	made->trace.process_count = 1;
	made->node.description = made_description;
	made->node.description_length = sizeof made_description;
	made->trace.nodes = &made->node;
	made->trace.node_count = 1;
	made->block.header = (struct block_header){.process = 3,
						   .thread = 2,
						   .pid = 700,
						   .tid = 701,
						   .rank = 5,
						   .resolution = 100,
						   .codec = CODEC_COLUMNS};
	made->page.block = &made->block;
	made->page.words = made->words;
	made->page.files = made->files;
	made->page.late = made->texts;
	made->page.late_row = made->rows;
	made->page.names = &made->names;
	return made;
}

static inline void made_free(struct made *made)
{
	tables_clear(&made->trace.tables);
	free(made);
}

/* The text of a word of the last row. */
static inline void made_name(struct made *made, int32_t word, const char *text)
{
	made->rows[made->page.late_count] = made->page.count - 1;
	made->texts[made->page.late_count++] =
		(struct named_late){.word = word, .text = {text, strlen(text)}};
}

/* Sets the file of the last row. */
static inline struct varve_file *made_file(struct made *made, const char *given,
					   const char *absolute)
{
	struct varve_file *file = &made->files[made->page.file_count];
	made->page.file[made->page.count - 1] = (uint16_t)made->page.file_count++;
	file->given = (struct varve_text){given, given ? strlen(given) : 0};
	file->absolute = (struct varve_text){absolute, absolute ? strlen(absolute) : 0};
	return file;
}

/* A row that returned `result`, 10 ticks after the one before it, for 2 ticks. */
static inline size_t made_row(struct made *made, const char *name, int64_t result, size_t words,
			      const uint64_t *word)
{
	struct page *page = &made->page;
	size_t row = page->count++;
	size_t at = row ? page->word_at[row - 1] + page->word_count[row - 1] : 0;
	page->function[row] = made_id(made, name);
	page->ordinal[row] = row;
	page->entry[row] = (int64_t)row * 10;
	page->exit[row] = (int64_t)row * 10 + 2;
	page->result[row] = result;
	page->word_at[row] = (uint32_t)at;
	page->word_count[row] = (uint8_t)words;
	page->file[row] = page->second[row] = PAGE_NO_FILE;
	for (size_t i = 0; i < words; i++)
		made->words[at + i] = word[i];
	return row;
}

#define ROW(made, name, result, ...)                                                               \
	made_row(made, name, result, sizeof((uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t),         \
		 (uint64_t[]){__VA_ARGS__})

/* The numbers of the matching rows, as "0 2 5", or an error message. Valid until the next call. */
static inline const char *wanted(struct made *made, const char *text)
{
	static char said[VARVE_CAUSE_TEXT];
	struct varve_causes causes = {0};
	struct varve_filter *filter;
	size_t column;
	uint8_t keep[PAGE_ROWS];
	if (filter_make(&made->trace, text, &filter, &column, &causes) != VARVE_OK) {
		snprintf(said, sizeof said, "%s", causes.text[0]);
		return said;
	}
	memset(keep, 7, sizeof keep);
	CHECK(filter_rows(filter, &made->page, keep, &causes) == VARVE_OK);
	filter_free(filter);
	size_t length = 0;
	said[0] = 0;
	for (size_t i = 0; i < made->page.count; i++) {
		CHECK(keep[i] <= 1);
		if (keep[i])
			length += (size_t)snprintf(said + length, sizeof said - length, "%s%zu",
						   length ? " " : "", i);
	}
	return said;
}

#endif
