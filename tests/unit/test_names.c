/* Tests: names and handles of a block with a used-up memory budget: those beyond it are not known, the others stay known. */
#include "trace/names/names.h"
#include "unit/harness.h"

#include <stdlib.h>

enum { NAME = 1, HANDLE = 7, OTHER_HANDLE = 8 };

/* One name, and a record of `open` that opens it. */
struct block {
	struct tables tables;
	struct definition definition;
	struct definitions definitions;
	uint64_t words[RECORD_ARGUMENTS_MOST];
	struct names names;
};

static struct block *block_new(void)
{
	struct block *block = calloc(1, sizeof *block);
	if (!block || tables_parse(tables_blob, tables_blob_size, &block->tables, NULL))
		abort();
	block->definition = (struct definition){
		.type = DEFINE_NAME, .id = NAME, .text = "/data/in", .text_length = 8};
	block->definitions = (struct definitions){.count = 1, .list = &block->definition};
	CHECK_EQ(names_load(&block->names, &block->definitions, 4096, NULL), VARVE_OK);
	return block;
}

static void block_free(struct block *block)
{
	names_clear(&block->names);
	tables_clear(&block->tables);
	free(block);
}

static enum varve_status follow_open(struct block *block, uint32_t handle)
{
	const struct varve_function *open = NULL;
	for (uint32_t i = 0; i < block->tables.function_count && !open; i++)
		if (!strcmp(block->tables.functions[i].name, "open"))
			open = &block->tables.functions[i];
	if (!open)
		abort();
	for (uint32_t i = 0; i < open->field_count; i++) {
		const struct varve_field *field = &open->fields[i];
		if (field->word >= 0)
			block->words[field->word] = field->output ? handle : NAME;
	}
	const struct named_record record = {
		.function = open, .words = open->words, .word = block->words};
	return names_follow(&block->names, &block->tables, &record, 0, NULL);
}

CASE(no_memory_for_the_first_handle)
{
	struct block *block = block_new();
	struct varve_file file;
	block->names.budget = 0;
	CHECK_EQ(follow_open(block, HANDLE), VARVE_OK);
	CHECK(!names_file_of_handle(&block->names, HANDLE, &file));
	block_free(block);
}

CASE(no_memory_for_a_handle_behind_others)
{
	struct block *block = block_new();
	struct varve_file file;
	uint32_t handle = HANDLE;
	CHECK_EQ(follow_open(block, handle), VARVE_OK);
	block->names.budget = 0;
	while (names_file_of_handle(&block->names, handle, &file) && handle < 1000)
		CHECK_EQ(follow_open(block, ++handle), VARVE_OK);
	CHECK(handle > OTHER_HANDLE && handle < 1000);
	/* A known name is used again. */
	CHECK_EQ(follow_open(block, HANDLE), VARVE_OK);
	CHECK(names_file_of_handle(&block->names, HANDLE, &file));
	CHECK_EQ(file.kind, VARVE_HANDLE_FILE);
	CHECK_EQ(file.given.length, 8);
	block_free(block);
}

RUN(ENTRY(no_memory_for_the_first_handle), ENTRY(no_memory_for_a_handle_behind_others))
