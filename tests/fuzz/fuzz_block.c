/* Fuzzing: one block: its header, summaries and columns, and its records and definitions.
 *
 * Input: a byte of flags, a byte that selects parts, then the block. Decoded twice, in parallel: a partial decoding must give the
 * same values as a whole one. */
#include "fuzz.h"

#include "unit/decoded.h"

#include <stdlib.h>
#include <string.h>

enum { REPAIR = 1, NEWER = 2, RECORDS_MOST = 4096 };

static void read_rows(const uint8_t *bytes, const struct block_header *header)
{
	for (uint32_t i = 0; i < header->summaries; i++) {
		struct block_summary row = block_summary_at(bytes, header, i);
		touch(&row, sizeof row);
	}
	for (uint32_t i = 0; i < header->columns; i++) {
		struct block_column row = block_column_at(bytes, header, i);
		touch(&row, sizeof row);
	}
}

static void must(bool fine)
{
	if (!fine)
		abort();
}

static void read_definitions(struct decoder *decoder, const uint8_t *bytes,
			     const struct block_header *header)
{
	struct definitions definitions;
	if (definitions_read(decoder, bytes, header, &definitions, NULL) != VARVE_OK)
		return;
	for (size_t i = 0; i < definitions.count; i++) {
		const struct definition *definition = &definitions.list[i];
		must(definition->before <= header->records);
		if (definition->text_length)
			touch(definition->text, definition->text_length);
	}
	definitions_clear(&definitions);
}

static void read_ordinals(struct decoder *decoder, const uint8_t *bytes,
			  const struct block_header *header)
{
	uint64_t *list;
	size_t count;
	if (block_ordinals(decoder, bytes, header, &list, &count, NULL) != VARVE_OK)
		return;
	touch(list, count * sizeof *list);
	free(list);
}

/* A reader and the rows that it returned. */
struct reading {
	struct block_reader reader;
	struct record_rows rows;
	size_t count;
	bool open;
	bool good;
};

static void take(struct reading *reading, size_t count)
{
	const struct record_columns to = RECORD_COLUMNS_OF(&reading->rows);
	reading->count = count;
	reading->good = reading->open &&
			block_reader_take(&reading->reader, &to, &reading->count, NULL) == VARVE_OK;
}

/* The values in `part` must be equal to those in `whole`. */
static void compare(const struct record_rows *whole, const struct record_rows *part, size_t count,
		    unsigned want)
{
	for (size_t i = 0; i < count; i++) {
		must(whole->function[i] == part->function[i] && whole->depth[i] == part->depth[i] &&
		     whole->marks[i] == part->marks[i] && whole->ordinal[i] == part->ordinal[i]);
		must(!(want & WANT_TIMES) ||
		     (whole->entry[i] == part->entry[i] && whole->exit[i] == part->exit[i]));
		must(!(want & WANT_RESULTS) ||
		     (whole->result[i] == part->result[i] && whole->error[i] == part->error[i]));
		must(whole->word_count[i] <= RECORD_ARGUMENTS_MOST);
		must(!(want & WANT_WORDS) ||
		     (whole->word_count[i] == part->word_count[i] &&
		      !memcmp(whole->words + whole->word_at[i], part->words + part->word_at[i],
			      whole->word_count[i] * sizeof *whole->words)));
	}
}

/* Reads all records and a part of them in parallel, in steps of some length. */
static void read_records(struct decoder *decoder, const uint8_t *bytes,
			 const struct block_header *header, unsigned want, size_t step)
{
	static struct reading whole, part;
	whole.open = block_reader_open(&whole.reader, decoder, bytes, header, call_rows,
				       call_rows_count, WANT_ALL, NULL) == VARVE_OK;
	part.open = block_reader_open(&part.reader, decoder, bytes, header, call_rows,
				      call_rows_count, want, NULL) == VARVE_OK;
	must(part.open || !whole.open);
	whole.good = whole.open;
	part.good = part.open;
	for (size_t at = 0; part.good && at < RECORDS_MOST; at += step) {
		if (whole.good)
			take(&whole, step);
		take(&part, step);
		must(part.good || !whole.good);
		if (whole.good) {
			must(whole.count == part.count);
			compare(&whole.rows, &part.rows, whole.count, want);
		}
		if (!part.good || !part.count)
			break;
	}
	if (whole.open)
		block_reader_close(&whole.reader);
	if (part.open)
		block_reader_close(&part.reader);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	static struct decoder decoder;
	struct input input = {bytes, size};
	uint8_t flags = input_byte(&input), wanted = input_byte(&input);
	size_t length = input.left;
	uint8_t *block = part_copy(input_rest(&input));
	if (flags & REPAIR)
		repair_block(block, length, flags & NEWER ? REPAIR_NEWER : 0);
	touch(&(uint64_t){block_search(block, length, 1)}, sizeof(uint64_t));
	struct block_header header;
	if (block_open(block, length, &header, NULL) == VARVE_OK) {
		read_rows(block, &header);
		if (block_check(block, &header, NULL) != VARVE_OK)
			touch(&header, sizeof header);
		bound_begin((size_t)header.length, 2);
		read_records(&decoder, block, &header, wanted & WANT_ALL,
			     wanted & 0x80 ? 7 : TAKE_MOST);
		read_definitions(&decoder, block, &header);
		read_ordinals(&decoder, block, &header);
		bound_end();
	}
	free(block);
	return 0;
}
