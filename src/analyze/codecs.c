/* Analyze: counts the codecs that store a trace. See codecs.h.
 *
 * Records of blocks of codec peephole are counted when the block is opened. Records of other blocks are decoded and
 * encoded again with the code of the recorder. A small block can contain millions of records, so their encoded form is not
 * kept: the texts of the window are copied, and the rest is compressed in several pieces, while a recorded block has a
 * single piece.
 */
#include "analyze/codecs.h"

#include "codec/host/decode.h"
#include "codec/inprocess/peephole_records.h"
#include "trace/packed/packed.h"
#include "trace/trace_inside.h"

#include <stdlib.h>
#include <string.h>

enum {
	REST_FIRST = 1 << 16,
	REST_PIECE = 4 << 20,
	REST_MOST = REST_RECORD_MOST + RECORD_ARGUMENTS_MOST * REST_WORD_MOST
};
_Static_assert((int)VARVE_DIFFERING == (int)PEEPHOLE_ARGUMENTS &&
		       (int)VARVE_WINDOW_MOST == (int)PEEPHOLE_WINDOW_MOST &&
		       (int)VARVE_WINDOW_USUAL == (int)PEEPHOLE_WINDOW,
	       "the encoding under two names");
_Static_assert((int)VARVE_CODEC_COLUMNS == (int)CODEC_COLUMNS &&
		       (int)VARVE_CODEC_ROWS == (int)CODEC_ROWS &&
		       (int)VARVE_CODEC_PEEPHOLE == (int)CODEC_PEEPHOLE,
	       "codecs are stored by number");

/* Memory to encode the records of one block after the other. */
struct again {
	struct peephole_writer writer;
	unsigned window;
	struct peephole_tally tally;
	uint8_t texts[PEEPHOLE_WINDOW_MOST][PEEPHOLE_ARGUMENTS][PEEPHOLE_WORD_TEXT];
	uint8_t bytes[PEEPHOLE_RECORD_MOST + RECORD_ARGUMENTS_MOST * PEEPHOLE_WORD_MOST];
	/* by function id: number of the function in this block, from 1; 0: not used yet */
	uint16_t place[UINT16_MAX + 1];
	uint32_t functions;
	struct record_rows rows;
	struct column_writer columns;
	void *zstd;
	uint8_t *rest, *packed;
	size_t rest_used, rest_room;
	uint64_t rest_bytes;
};

static void again_free(struct again *again)
{
	if (!again)
		return;
	free(again->zstd);
	free(again->rest);
	free(again->packed);
	free(again);
}

static struct again *again_make(unsigned window)
{
	struct again *again = calloc(1, sizeof *again);
	if (!again)
		return NULL;
	again->window = window;
	again->zstd = aligned_alloc(16, column_writer_size(false));
	if (again->zstd) {
		column_writer_start(&again->columns, again->zstd, NULL, false);
		return again;
	}
	again_free(again);
	return NULL;
}

/* Makes room for the rest of one more record, and for compressing it. */
static enum varve_status rest_grow(struct again *again, struct varve_causes *causes)
{
	if (again->rest_used + REST_MOST <= again->rest_room)
		return VARVE_OK;
	size_t room = again->rest_room ? again->rest_room * 2 : REST_FIRST;
	uint8_t *rest = realloc(again->rest, room);
	if (rest)
		again->rest = rest;
	uint8_t *packed = rest ? realloc(again->packed, 2 * room + 64) : NULL;
	if (!packed)
		return cause(causes, VARVE_NO_MEMORY, "no memory to encode records again");
	again->packed = packed;
	again->rest_room = room;
	return VARVE_OK;
}

/* Compresses the rest, counts the bytes that it takes in a block, and empties it. */
static void rest_pack(struct again *again)
{
	const uint8_t *end = column_put_bytes(&again->columns, again->packed, again->rest,
					      again->rest_used, NATURE_TEXT);
	again->rest_bytes += (uint64_t)(end - again->packed);
	again->rest_used = 0;
}

/* Copies the texts of the last record of the window into memory of their own. A text that is already in the
 * memory of this entry is the same text at the same place. */
static void window_texts_keep(struct again *again)
{
	struct peephole_window *window = &again->writer.window;
	if (!window->size)
		return;
	struct peephole_last *last = &window->last[window->newest];
	for (unsigned i = 0; last->count <= PEEPHOLE_ARGUMENTS && i < last->count; i++) {
		uint8_t *text = again->texts[window->newest][i];
		if (last->argument[i].at != text)
			memcpy(text, last->argument[i].at, last->argument[i].length);
		last->argument[i].at = text;
	}
}

static void record_again(struct again *again, const struct varve_trace *trace,
			 const struct record *record)
{
	struct peephole_record made;
	uint16_t *place = &again->place[record->function];
	if (!*place)
		*place = (uint16_t)++again->functions;
	uint8_t *at = again->bytes, *rest = again->rest + again->rest_used;
	peephole_write(
		&again->writer, record, *place - 1u,
		call_row_find(trace->tables.rows, trace->tables.function_count, record->function),
		&at, &rest, &made);
	window_texts_keep(again);
	peephole_count(&again->tally, &made);
	again->rest_used = (size_t)(rest - again->rest);
	if (again->rest_used + REST_MOST > REST_PIECE)
		rest_pack(again);
}

/* Encodes the records of an opened block again. */
static enum varve_status block_again(struct again *again, const struct varve_trace *trace,
				     struct block_reader *reader, struct varve_causes *causes)
{
	const struct record_columns to = RECORD_COLUMNS_OF(&again->rows);
	peephole_writer_start(&again->writer, again->window);
	memset(again->place, 0, sizeof again->place);
	again->functions = 0;
	again->rest_used = 0;
	TRY(rest_grow(again, causes));
	again->rest[0] = (uint8_t)again->window;
	again->rest_used = 1;
	while (reader->at < reader->count) {
		size_t count = TAKE_MOST;
		TRY(block_reader_take(reader, &to, &count, causes));
		for (size_t i = 0; i < count; i++) {
			struct record record;
			record_rows_get(&again->rows, i, &record);
			TRY(rest_grow(again, causes));
			record_again(again, trace, &record);
		}
	}
	rest_pack(again);
	return VARVE_OK;
}

static void tally_add(struct varve_peephole *sum, const struct peephole_tally *tally,
		      uint64_t rest_bytes)
{
	sum->blocks++;
	sum->records += tally->records;
	sum->compressed += tally->compressed;
	sum->arguments += tally->arguments;
	sum->compressed_arguments += tally->compressed_arguments;
	sum->saved += tally->saved;
	for (unsigned i = 0; i < PEEPHOLE_ARGUMENTS; i++)
		sum->differing[i] += tally->differing[i];
	sum->bytes += tally->bytes;
	sum->plain_bytes += tally->plain_bytes;
	sum->rest_bytes += rest_bytes;
}

/* The records of a block without continued ones, as in the summary: a call that is cut counts once. */
static uint64_t block_calls(const struct trace_block *block)
{
	uint64_t calls = 0;
	if (!block_summarized(&block->header))
		return block->header.records;
	for (uint32_t i = 0; i < block->header.summaries; i++)
		calls += block_summary_at(block->bytes, &block->header, i).calls;
	return calls;
}

static void codec_add(struct varve_codecs *codecs, const struct trace_block *block)
{
	const struct block_header *header = &block->header;
	struct varve_codec_blocks *sum = &codecs->blocks[header->codec];
	struct block_column row;
	const uint8_t *stored;
	sum->blocks++;
	sum->records += block_calls(block);
	sum->bytes += header->length;
	sum->header_bytes += header->header_length;
	if (block_column_find(block->bytes, header, COLUMN_DEFINITIONS, &row, &stored))
		sum->definition_bytes += row.stored;
}

/* Counts a block of codec peephole as it is. */
static void stored_add(struct varve_codecs *codecs, const struct block_reader *reader)
{
	struct peephole_tally tally;
	struct block_column row;
	const uint8_t *stored;
	unsigned window;
	if (!block_reader_peephole(reader, &tally, &window) ||
	    !block_column_find(reader->bytes, &reader->header, COLUMN_REST, &row, &stored))
		return;
	if (!codecs->stored.blocks || window < codecs->window_least)
		codecs->window_least = window;
	if (window > codecs->window_most)
		codecs->window_most = window;
	tally_add(&codecs->stored, &tally, row.stored);
}

static enum varve_status block_count(struct varve_trace *trace, struct trace_block *block, bool all,
				     struct again *again, struct varve_codecs *codecs,
				     struct varve_causes *causes)
{
	struct block_reader reader;
	bool peephole = block->header.codec == CODEC_PEEPHOLE;
	TRY(block_records(trace, block, WANT_TIMES | WANT_RESULTS | WANT_WORDS, NULL, &reader,
			  causes));
	codec_add(codecs, block);
	enum varve_status status = VARVE_OK;
	if (peephole)
		stored_add(codecs, &reader);
	if (block->header.records && (all || !peephole)) {
		again->tally = (struct peephole_tally){0};
		again->rest_bytes = 0;
		status = block_again(again, trace, &reader, causes);
		if (status == VARVE_OK)
			tally_add(&codecs->made, &again->tally, again->rest_bytes);
	}
	block_reader_close(&reader);
	return status;
}

enum varve_status codecs_count(struct varve_trace *trace, unsigned window, bool all,
			       struct varve_codecs *codecs, struct varve_causes *causes)
{
	*codecs = (struct varve_codecs){0};
	if (window > PEEPHOLE_WINDOW_MOST)
		return cause(causes, VARVE_USAGE, "a window can have at most %d records",
			     PEEPHOLE_WINDOW_MOST);
	struct again *again = again_make(window);
	if (!again)
		return cause(causes, VARVE_NO_MEMORY, "no memory to encode records again");
	enum varve_status status = VARVE_OK;
	for (size_t i = 0; status == VARVE_OK && i < trace->block_count; i++) {
		struct trace_block *block = &trace->blocks[i];
		struct varve_causes found = {0};
		if (!block_good(trace, block))
			continue;
		status = block_count(trace, block, all, again, codecs, &found);
		if (status != VARVE_OK)
			status = block_failed(trace, block, status, &found, causes);
	}
	again_free(again);
	if (trace->packed) {
		/* Chunks have no bytes of records of their own: the whole file counts. */
		codecs->blocks[CODEC_LOOP].bytes = trace->size;
		codecs->blocks[CODEC_LOOP].header_bytes = 0;
		packed_count(trace->packed, &codecs->packed);
	}
	return status;
}
