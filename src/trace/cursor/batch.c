/* Trace: records of a cursor as arrays of columns, see <varve/cursor.h>.
 *
 * Rows are copied from the pages of their streams, so that a stream can read its next page; files and their paths are
 * copied once per page.
 */
#include "trace/cursor/cursor_inside.h"

#include "base/host/arena.h"
#include "trace/filter/filter.h"

#include <stdlib.h>
#include <string.h>

enum { BATCH_ROWS = 4096, TEXT_CHUNK = 1 << 16 };

struct batch {
	struct varve_batch shown;
	uint64_t number; /* number of the batch, from 1 */
	uint32_t stream[BATCH_ROWS];
	uint16_t function[BATCH_ROWS];
	uint8_t depth[BATCH_ROWS];
	uint8_t marks[BATCH_ROWS];
	uint64_t ordinal[BATCH_ROWS];
	int64_t start[BATCH_ROWS];
	int64_t end[BATCH_ROWS];
	int64_t result[BATCH_ROWS];
	int32_t error[BATCH_ROWS];
	uint8_t word_count[BATCH_ROWS];
	uint32_t word_at[BATCH_ROWS];
	uint32_t word_used;
	uint64_t *words;
	uint32_t file[BATCH_ROWS];
	uint64_t size[BATCH_ROWS];
	struct varve_file *files;
	size_t file_count;
	struct arena texts;
};

void cursor_batch_free(struct batch *batch)
{
	if (!batch)
		return;
	arena_clear(batch->texts.chunks);
	free(batch->words);
	free(batch->files);
	free(batch);
}

static enum varve_status batch_make(struct varve_cursor *cursor, struct varve_causes *causes)
{
	struct batch *batch = malloc(sizeof *batch);
	cursor->batch = batch;
	if (!batch)
		return cause(causes, VARVE_NO_MEMORY, "no memory for a batch");
	batch->number = 0;
	batch->texts = (struct arena){0};
	batch->words = malloc(BATCH_ROWS * RECORD_ARGUMENTS_MOST * sizeof *batch->words);
	batch->files = NULL;
	if (cursor->columns & VARVE_FILES) {
		/* When reading by calls, files are looked up one by one; batches look them up for whole pages. */
		cursor->want |= PAGE_FILES;
		batch->files = malloc(BATCH_ROWS * sizeof *batch->files);
	}
	unsigned asked = cursor->filter.where ? filter_wants(cursor->filter.where) : 0;
	if (!((cursor->want | asked) & PAGE_FILES) && !(asked & WANT_DEFINITIONS))
		cursor->want &= ~(unsigned)WANT_DEFINITIONS; /* words are returned undecoded */
	batch->shown = (struct varve_batch){.stream = batch->stream,
					    .function = batch->function,
					    .depth = batch->depth,
					    .marks = batch->marks,
					    .ordinal = batch->ordinal};
	if (cursor->columns & VARVE_TIMES) {
		batch->shown.start = batch->start;
		batch->shown.end = batch->end;
	}
	if (cursor->columns & VARVE_RESULTS) {
		batch->shown.result = batch->result;
		batch->shown.error = batch->error;
	}
	if (cursor->columns & VARVE_ARGUMENTS) {
		batch->shown.word_count = batch->word_count;
		batch->shown.word_at = batch->word_at;
		batch->shown.words = batch->words;
	}
	if (cursor->columns & VARVE_FILES) {
		batch->shown.file = batch->file;
		batch->shown.files = batch->files;
	}
	if (cursor->columns & VARVE_SIZES)
		batch->shown.size = batch->size;
	return batch->words && (batch->files || !(cursor->columns & VARVE_FILES))
		       ? VARVE_OK
		       : cause(causes, VARVE_NO_MEMORY, "no memory for a batch");
}

static enum varve_status text_copy(struct batch *batch, struct varve_text *text,
				   struct varve_causes *causes)
{
	if (!text->bytes)
		return VARVE_OK;
	char *bytes = arena_bytes(&batch->texts, text->length, TEXT_CHUNK);
	if (!bytes)
		return cause(causes, VARVE_NO_MEMORY, "no memory for paths");
	memcpy(bytes, text->bytes, text->length);
	text->bytes = bytes;
	return VARVE_OK;
}

/* The index in the batch of the file of a row. */
static enum varve_status batch_file_place(struct batch *batch, struct stream *stream, size_t row,
					  uint32_t *place, struct varve_causes *causes)
{
	const struct page *page = stream->page;
	*place = VARVE_NO_FILE;
	if (page->file[row] == PAGE_NO_FILE)
		return VARVE_OK;
	if (!stream->file_in_batch)
		stream->file_in_batch = malloc(PAGE_FILES_MOST * sizeof *stream->file_in_batch);
	if (!stream->file_in_batch)
		return cause(causes, VARVE_NO_MEMORY, "no memory for files");
	if (stream->batch_number != batch->number) {
		stream->batch_number = batch->number;
		memset(stream->file_in_batch, 0xff,
		       PAGE_FILES_MOST * sizeof *stream->file_in_batch);
	}
	uint32_t *known = &stream->file_in_batch[page->file[row]];
	if (*known == VARVE_NO_FILE) {
		struct varve_file *file = &batch->files[batch->file_count];
		*file = page->files[page->file[row]];
		TRY(text_copy(batch, &file->given, causes));
		TRY(text_copy(batch, &file->absolute, causes));
		*known = (uint32_t)batch->file_count++;
	}
	*place = *known;
	return VARVE_OK;
}

static uint64_t call_size(const struct varve_trace *trace, const struct page *page, size_t row)
{
	const struct varve_function *function = trace_function(trace, page->function[row]);
	uint64_t size;
	bool moved = function &&
		     moved_bytes(function->bytes_rule, function->bytes_word, page->marks[row],
				 page->result[row], page->words + page->word_at[row],
				 page->word_count[row], &size);
	return moved ? size : VARVE_NO_SIZE;
}

static enum varve_status batch_append(struct varve_cursor *cursor, struct stream *stream, size_t at,
				      struct varve_causes *causes)
{
	struct batch *batch = cursor->batch;
	const struct page *page = stream->page;
	size_t row = stream->selected[stream->at];
	uint32_t resolution = stream->block->header.resolution;
	batch->stream[at] = (uint32_t)(stream->where - cursor->trace->streams);
	batch->function[at] = page->function[row];
	batch->depth[at] = page->depth[row];
	batch->marks[at] = page->marks[row];
	batch->ordinal[at] = page->ordinal[row];
	if (cursor->columns & VARVE_TIMES) {
		batch->start[at] = ticks_ns(page->entry[row], resolution);
		batch->end[at] = ticks_ns(page->exit[row], resolution);
	}
	if (cursor->columns & VARVE_RESULTS) {
		batch->result[at] = page->result[row];
		batch->error[at] = page->error[row];
	}
	if (cursor->columns & VARVE_ARGUMENTS) {
		uint8_t words = page->word_count[row];
		const uint64_t *from = page->words + page->word_at[row];
		uint64_t *to = batch->words + batch->word_used;
		for (unsigned i = 0; i < words; i++)
			to[i] = from[i];
		batch->word_at[at] = batch->word_used;
		batch->word_count[at] = words;
		batch->word_used += words;
	}
	if (cursor->columns & VARVE_SIZES)
		batch->size[at] = call_size(cursor->trace, page, row);
	if (cursor->columns & VARVE_FILES)
		TRY(batch_file_place(batch, stream, row, &batch->file[at], causes));
	return VARVE_OK;
}

enum varve_status cursor_batch(struct varve_cursor *cursor, const struct varve_batch **result,
			       struct varve_causes *causes)
{
	if (cursor->by_calls)
		return cause(causes, VARVE_USAGE, "this cursor is already read call by call");
	if (cursor->failed)
		return cause(causes, cursor->failed, "this cursor has failed before");
	if (!cursor->batch) {
		cursor->failed = batch_make(cursor, causes);
		TRY(cursor->failed);
	}
	struct batch *batch = cursor->batch;
	size_t count = 0;
	batch->number++;
	batch->word_used = 0;
	batch->file_count = 0;
	arena_reset(&batch->texts);
	while (count < BATCH_ROWS) {
		struct stream *stream = NULL;
		enum varve_status status = cursor_step(cursor, &stream, causes);
		if (status == VARVE_END && count)
			break;
		TRY(status);
		cursor->failed = batch_append(cursor, stream, count++, causes);
		TRY(cursor->failed);
	}
	batch->shown.count = count;
	batch->shown.file_count = batch->file_count;
	*result = &batch->shown;
	return VARVE_OK;
}
