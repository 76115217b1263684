/* Codec: records of codec peephole. See decode.h; peephole_records.c writes this form.
 *
 * Each record depends on those before it, so records that are not requested are read, too, but not returned. The whole block is
 * read once when it is opened, so that taking records fails only if the file was changed meanwhile.
 */
#include "codec/host/decode.h"

#include "codec/inprocess/peephole_records.h"

#include <stdlib.h>
#include <string.h>

struct peephole_block {
	struct peephole_reader reader;
	struct peephole_reader start; /* the state before the first record */
	struct peephole_tally tally;  /* of all records */
	uint64_t *ordinals;	      /* of continued calls */
	size_t ordinal_count;
	size_t next; /* index in `ordinals` */
};

static enum varve_status peephole_damaged(struct varve_causes *causes, const char *what)
{
	return cause(causes, VARVE_DAMAGED, "damaged block: %s", what);
}

/* The bytes of one of the two columns. */
static enum varve_status bytes_open(struct block_reader *reader, unsigned column, uint8_t **memory,
				    const uint8_t **at, const uint8_t **end,
				    struct varve_causes *causes)
{
	struct block_column row;
	const uint8_t *stored;
	if (!block_column_find(reader->bytes, &reader->header, column, &row, &stored))
		return peephole_damaged(causes, "it has no records");
	TRY(block_bytes(reader->decoder, &row, stored, &reader->budget, at, memory, causes));
	*end = *at + row.count;
	return VARVE_OK;
}

static enum varve_status reader_start(struct block_reader *reader, struct peephole_reader *start,
				      struct varve_causes *causes)
{
	/* The memory is freed with the first two columns: the two columns have at least two rows. */
	TRY(bytes_open(reader, COLUMN_PEEPHOLE, &reader->columns[0].memory, &start->at, &start->end,
		       causes));
	if (reader->header.columns < 2)
		return peephole_damaged(causes, "the rest of its records is missing");
	TRY(bytes_open(reader, COLUMN_REST, &reader->columns[1].memory, &start->rest,
		       &start->rest_end, causes));
	if (start->rest == start->rest_end || *start->rest > PEEPHOLE_WINDOW_MOST)
		return peephole_damaged(causes, "the window size is missing");
	start->window.size = *start->rest++;
	start->functions = reader->header.summaries;
	start->pairs = reader_memory(reader, start->functions, sizeof *start->pairs);
	if (start->pairs)
		start->window.last =
			reader_memory(reader, start->window.size, sizeof *start->window.last);
	return start->pairs && start->window.last ? VARVE_OK : reader_short(reader, causes);
}

/* Reads the next record and sets its ordinal; `function` becomes its id. */
static const char *record_next(struct block_reader *reader, struct record *record,
			       struct peephole_record *made)
{
	struct peephole_block *block = reader->peephole;
	const char *wrong = peephole_read(&block->reader, record, made);
	if (wrong)
		return wrong;
	record->function =
		block_summary_at(reader->bytes, &reader->header, record->function).function;
	if (!(record->marks & VARVE_CONTINUED))
		record->ordinal = reader->fresh++;
	else if (block->next < block->ordinal_count)
		record->ordinal = block->ordinals[block->next++];
	else
		return "a continued call has no number";
	return NULL;
}

/* Reads all records once, and then resets the reader. */
static enum varve_status records_check(struct block_reader *reader, struct varve_causes *causes)
{
	struct peephole_block *block = reader->peephole;
	block->reader = block->start;
	for (size_t i = 0; i < reader->count; i++) {
		struct record record;
		struct peephole_record made;
		const char *wrong = record_next(reader, &record, &made);
		if (wrong)
			return peephole_damaged(causes, wrong);
		peephole_count(&block->tally, &made);
	}
	if (block->reader.at != block->reader.end || block->reader.rest != block->reader.rest_end)
		return peephole_damaged(causes, "there are bytes after the records");
	if (block->next != block->ordinal_count)
		return peephole_damaged(causes, "it numbers more continued calls than it has");
	block->reader = block->start;
	block->next = 0;
	reader->fresh = reader->header.first_ordinal;
	return VARVE_OK;
}

enum varve_status peephole_open(struct block_reader *reader, struct varve_causes *causes)
{
	if (!reader->count)
		return VARVE_OK;
	struct peephole_block *block = reader->peephole = reader_memory(reader, 1, sizeof *block);
	if (!block)
		return reader_short(reader, causes);
	TRY(reader_start(reader, &block->start, causes));
	TRY(block_ordinals(reader->decoder, reader->bytes, &reader->header, &block->ordinals,
			   &block->ordinal_count, causes));
	return records_check(reader, causes);
}

bool block_reader_peephole(const struct block_reader *reader, struct peephole_tally *tally,
			   unsigned *window)
{
	if (!reader->peephole)
		return false;
	*tally = reader->peephole->tally;
	*window = reader->peephole->start.window.size;
	return true;
}

void peephole_close(struct block_reader *reader)
{
	struct peephole_block *block = reader->peephole;
	if (!block)
		return;
	free(block->start.pairs);
	free(block->start.window.last);
	free(block->ordinals);
	free(block);
	reader->peephole = NULL;
}

enum varve_status peephole_take(struct block_reader *reader, const struct record_columns *to,
				size_t count, struct varve_causes *causes)
{
	uint32_t next = 0;
	for (size_t i = 0; i < count; i++) {
		struct record record;
		struct peephole_record made;
		if (record_next(reader, &record, &made))
			return peephole_damaged(causes, "it was changed while it was read");
		to->function[i] = record.function;
		to->depth[i] = record.depth;
		to->marks[i] = record.marks;
		to->ordinal[i] = record.ordinal;
		if (reader->want & WANT_TIMES) {
			to->entry[i] = (int64_t)((uint64_t)record.entry + (uint64_t)reader->shift);
			to->exit[i] = (int64_t)((uint64_t)record.exit + (uint64_t)reader->shift);
		}
		if (reader->want & WANT_RESULTS) {
			to->result[i] = record.result;
			to->error[i] = record.error;
		}
		if (reader->want & WANT_WORDS) {
			to->word_at[i] = next;
			to->word_count[i] = (uint8_t)record.words;
			memcpy(to->words + next, record.word, record.words * sizeof *to->words);
			next += record.words;
		}
	}
	return VARVE_OK;
}
