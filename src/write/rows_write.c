/* Write: makes a block of codec rows. See rows_write.h and section 6 of docs/format.md. */
#include "write/rows_write.h"

#include "codec/inprocess/column_rows.h"
#include "codec/moved.h"

#include <string.h>

/* Bytes of a row before its words; maximum number of functions with a summary row. */
enum { ROW_HEAD = 48, SUMMARIES_MOST = 512, COLUMNS = 4 };

void summary_add(struct block_summary *summary, const struct call_row *known,
		 const struct block_row *row, const uint64_t *words)
{
	bool unfinished = row->marks & VARVE_UNFINISHED, failed = row->marks & VARVE_FAILED;
	bool continued = row->marks & VARVE_CONTINUED;
	uint64_t moved;
	summary->calls += !continued;
	summary->failures += failed;
	summary->unfinished += unfinished - continued;
	summary->ticks += (uint64_t)row->exit - (uint64_t)row->entry;
	if (!known)
		return;
	(void)moved_bytes(known->bytes_rule, known->bytes_word, row->marks, row->result, words,
			  row->words, &moved);
	summary->bytes = bytes_sum(summary->bytes, moved);
}

size_t rows_size(const struct block_rows *block)
{
	return block->count * ROW_HEAD + block->word_count * 8 +
	       SUMMARIES_MOST * sizeof(struct block_summary);
}

/* Writes summary rows at `at`; functions for which there is no room get none. Returns the number of rows. */
static uint32_t summaries_make(const struct block_rows *block, const struct call_row *rows,
			       size_t row_count, uint8_t *at)
{
	struct block_summary summary[SUMMARIES_MOST];
	uint32_t count = 0;
	for (size_t i = 0; i < block->count; i++) {
		const struct block_row *row = &block->rows[i];
		uint32_t place = 0;
		while (place < count && summary[place].function != row->function)
			place++;
		if (place == SUMMARIES_MOST)
			continue;
		if (place == count)
			summary[count++] = (struct block_summary){.function = row->function};
		summary_add(&summary[place], call_row_find(rows, row_count, row->function), row,
			    block->words + row->word_at);
	}
	memcpy(at, summary, count * sizeof *summary);
	return count;
}

static uint8_t *row_put(uint8_t *at, const struct block_row *row, const uint64_t *words)
{
	const struct {
		uint8_t marks, depth;
		uint16_t function;
		uint8_t words, zero[3];
		uint64_t ordinal;
		int64_t entry, exit, result;
		uint32_t error, also_zero;
	} head = {.marks = row->marks,
		  .depth = row->depth,
		  .function = row->function,
		  .words = row->words,
		  .ordinal = row->ordinal,
		  .entry = row->entry,
		  .exit = row->exit,
		  .result = row->result,
		  .error = (uint32_t)row->error};
	_Static_assert(sizeof head == ROW_HEAD, "the head of a row is a file format");
	memcpy(at, &head, sizeof head);
	memcpy(at + sizeof head, words, row->words * sizeof *words);
	return at + sizeof head + row->words * sizeof *words;
}

void rows_write(const struct block_rows *block, const struct call_row *rows, size_t row_count,
		struct column_writer *writer, uint64_t *values, uint8_t *output,
		struct block_header *header)
{
	header->codec = CODEC_ROWS;
	header->summaries = summaries_make(block, rows, row_count, output + sizeof *header);
	size_t fixed = sizeof *header + header->summaries * sizeof(struct block_summary);
	struct block_column columns[COLUMNS];
	uint8_t *payload = output + fixed + sizeof columns;
	struct column_rows to = {.writer = writer, .rows = columns, .at = payload + 1};
	uint8_t *end = to.at;
	size_t fresh = 0;
	*payload = PLANE_STORED;
	for (size_t i = 0; i < block->count; i++) {
		const struct block_row *row = &block->rows[i];
		end = row_put(end, row, block->words + row->word_at);
		if (!(row->marks & VARVE_CONTINUED))
			values[fresh++] = row->ordinal;
	}
	uint32_t bytes = (uint32_t)(end - to.at);
	columns[to.count++] = (struct block_column){.column = COLUMN_ROWS,
						    .encoding = ENCODING_BYTES,
						    .count = bytes,
						    .stored = bytes + 1};
	to.at = end;
	if (block->partial)
		column_rows_values(&to, 0, COLUMN_NUMBERS, values, fresh);
	/* This column exists even if it is empty. */
	uint8_t *after = column_put_bytes(writer, to.at, block->definitions,
					  block->definition_bytes, NATURE_TEXT);
	columns[to.count++] = (struct block_column){.column = COLUMN_DEFINITIONS,
						    .encoding = ENCODING_BYTES,
						    .count = (uint32_t)block->definition_bytes,
						    .stored = (uint32_t)(after - to.at)};
	header->columns = to.count;
	header->header_length = (uint32_t)(fixed + to.count * sizeof *columns);
	memcpy(output + fixed, columns, to.count * sizeof *columns);
	memmove(output + header->header_length, payload, (size_t)(after - payload));
	header->length = header->header_length + (uint64_t)(after - payload);
}
