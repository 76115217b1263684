/* Trace: reads one stream: opens its blocks one after the other and takes their records page by page. See stream.h.
 *
 * Each page goes through the same steps: decode, join the halves of cut calls (halves.c), find the enclosing calls of each
 * row, find the files, select rows. Names are local to a block, so inputs keep the words of the first half, and only
 * outputs are taken from the last half.
 */
#include "trace/cursor/stream.h"

#include "trace/filter/filter.h"
#include "trace/trace_inside.h"

#include <stdlib.h>
#include <string.h>

enum { OPEN_MOST = 256 };

void stream_start(struct stream *stream, struct varve_trace *trace,
		  const struct varve_stream *where, const struct trace_filter *filter,
		  unsigned want, bool following)
{
	*stream = (struct stream){.trace = trace,
				  .where = where,
				  .filter = filter,
				  .want = want,
				  .following = following};
}

void stream_skip(struct stream *stream, size_t block)
{
	for (; stream->next_block < block; stream->next_block++)
		stream->passed += stream->trace->blocks[stream->where->first + stream->next_block]
					  .header.records;
}

static void close_block(struct stream *stream)
{
	block_reader_close(&stream->reader);
	definitions_clear(&stream->definitions);
	if (stream->reading)
		block_passed(stream->trace, stream->block);
	stream->reading = false;
}

void stream_rest(struct stream *stream)
{
	close_block(stream);
	halves_rest(&stream->halves);
}

static void late_clear(struct page *page)
{
	free(page->late);
	free(page->late_row);
	page->late = NULL;
	page->late_row = NULL;
	page->late_count = 0;
}

void stream_stop(struct stream *stream)
{
	close_block(stream);
	halves_rest(&stream->halves);
	names_clear(&stream->names);
	names_clear(&stream->seen);
	if (stream->page) {
		late_clear(stream->page);
		free(stream->page->words);
		free(stream->page->files);
		free(stream->page);
	}
	free(stream->open);
	free(stream->selected);
	free(stream->file_in_batch);
	*stream = (struct stream){.where = stream->where, .trace = stream->trace};
	stream->next_block = stream->where ? stream->where->count : 0;
}

/* Whether by its header a block can contain a selected record; `*sure`: all its records are selected. */
static bool may_matter(const struct trace_filter *filter, const struct trace_block *block,
		       bool *sure)
{
	const struct block_header *header = &block->header;
	int64_t first = ticks_ns(header->first_tick, header->resolution);
	int64_t last = ticks_ns(header->last_tick, header->resolution);
	*sure = false;
	/* If all records are selected, a block without records is opened too: it may be damaged, which must be reported. */
	if (first >= filter->to_ns || last < filter->from_ns)
		return false;
	bool all = first >= filter->from_ns && last < filter->to_ns;
	if (filter->where) {
		enum filter_verdict verdict = filter_block(filter->where, block);
		/* A call that continues here and began in a lost block is in no summary row. */
		if (verdict == FILTER_NONE && !block_continued(block->bytes, header))
			return false;
		all = all && verdict == FILTER_ALL;
	}
	if (filter->needless && filter->needless(filter, block))
		return false;
	*sure = all && !filter->functions;
	if (!filter->functions)
		return true;
	for (uint32_t i = 0; i < header->summaries; i++)
		if (filter->functions[block_summary_at(block->bytes, header, i).function])
			return true;
	return block_continued(block->bytes, header) != 0;
}

/* The next block that can contain selected records; NULL: there is none. Each block is tested once. */
static struct trace_block *find_block(struct stream *stream)
{
	while (!stream->next && stream->next_block < stream->where->count) {
		struct trace_block *block =
			&stream->trace->blocks[stream->where->first + stream->next_block++];
		stream->passed += block->header.records;
		if (!block->bad &&
		    (may_matter(stream->filter, block, &stream->next_sure) || stream->insist))
			stream->next = block;
		else
			block_passed(stream->trace, block);
	}
	return stream->next;
}

bool stream_horizon(struct stream *stream, int64_t *ns)
{
	const struct trace_block *block = find_block(stream);
	if (block)
		*ns = ticks_ns(block->header.first_tick, block->header.resolution);
	return block != NULL;
}

bool stream_between(const struct stream *stream)
{
	return stream->at >= stream->selected_count &&
	       (!stream->reading || stream->reader.at >= stream->reader.count);
}

/* Allocates a page when the first block is opened. */
static enum varve_status page_make(struct stream *stream, struct varve_causes *causes)
{
	if (stream->page)
		return VARVE_OK;
	struct page *page = stream->page = malloc(sizeof *page);
	stream->selected = malloc(PAGE_ROWS * sizeof *stream->selected);
	stream->open = malloc(OPEN_MOST * sizeof *stream->open);
	if (page) {
		page->count = 0;
		page->words = NULL;
		page->files = NULL;
		page->late = NULL;
		page->late_row = NULL;
		page->late_count = 0;
		page->file_count = 0;
		page->stream = stream->where;
		page->names = &stream->names;
	}
	if (!page || !stream->selected || !stream->open)
		return cause(causes, VARVE_NO_MEMORY, "no memory for a page of records");
	if (stream->want & WANT_WORDS)
		page->words = malloc(PAGE_ROWS * RECORD_ARGUMENTS_MOST * sizeof *page->words);
	if (stream->want & PAGE_FILES)
		page->files = malloc(PAGE_FILES_MOST * sizeof *page->files);
	if (((stream->want & WANT_WORDS) && !page->words) ||
	    ((stream->want & PAGE_FILES) && !page->files))
		return cause(causes, VARVE_NO_MEMORY, "no memory for a page of arguments");
	return VARVE_OK;
}

/* Opens the next block that can contain selected records. VARVE_END: there is none. */
static enum varve_status open_block(struct stream *stream, struct varve_causes *causes)
{
	struct varve_trace *trace = stream->trace;
	close_block(stream);
	for (;;) {
		struct trace_block *block = find_block(stream);
		if (!block)
			return VARVE_END;
		stream->next = NULL;
		stream->sure = stream->next_sure;
		if (!block_good(trace, block))
			continue;
		struct varve_causes found;
		found.count = 0;
		enum varve_status status = VARVE_OK;
		if (stream->want & WANT_DEFINITIONS)
			status = block_definitions_read(trace, block, &stream->definitions, &found);
		if (status == VARVE_OK)
			status = block_records(trace, block,
					       stream->want &
						       (WANT_TIMES | WANT_RESULTS | WANT_WORDS),
					       stream->some, &stream->reader, &found);
		if (status == VARVE_OK && (stream->want & PAGE_FILES))
			status = names_load(&stream->seen, &stream->definitions,
					    block->header.length, &found);
		if (status == VARVE_OK && (stream->want & WANT_DEFINITIONS))
			status = names_load(&stream->names, &stream->definitions,
					    block->header.length, &found);
		stream->reading = true;
		stream->opened++;
		stream->block = block;
		stream->before = stream->reader.before;
		stream->open_count = 0;
		stream->late = 0;
		if (status == VARVE_OK)
			return page_make(stream, causes);
		close_block(stream);
		TRY(block_failed(trace, block, status, &found, causes));
	}
}

/* Adds an output of a row that was known only in a later block. */
static enum varve_status late_add(struct page *page, size_t row, const struct named_late *known,
				  struct varve_causes *causes)
{
	struct named_late *late = reallocarray(page->late, page->late_count + 1, sizeof *late);
	if (late)
		page->late = late;
	size_t *rows = reallocarray(page->late_row, page->late_count + 1, sizeof *rows);
	if (rows)
		page->late_row = rows;
	if (!late || !rows)
		return cause(causes, VARVE_NO_MEMORY, "no memory for a name");
	page->late_row[page->late_count] = row;
	page->late[page->late_count++] = *known;
	return VARVE_OK;
}

/* Stores what is known about the outputs of a joined row. The list of halves can be freed before the page, so the texts
 * are copied to the memory of the names. */
static enum varve_status late_keep(struct stream *stream, size_t row, const struct half *half,
				   struct varve_causes *causes)
{
	for (size_t i = 0; i < half->late_count; i++) {
		struct named_late kept = half->late[i];
		kept.text = names_keep(&stream->names, kept.text);
		kept.file.given = names_keep(&stream->names, kept.file.given);
		kept.file.absolute = names_keep(&stream->names, kept.file.absolute);
		TRY(late_add(stream->page, row, &kept, causes));
	}
	return VARVE_OK;
}

/* Copies result and outputs from the last half of a call into its row. */
static enum varve_status rows_join(struct stream *stream, size_t row, const struct half *half,
				   struct varve_causes *causes)
{
	struct page *page = stream->page;
	const struct record *last = &half->record;
	if (last->function != page->function[row])
		return VARVE_OK; /* two different calls: the trace is hostile, or a block is lost */
	page->exit[row] = last->exit;
	page->result[row] = last->result;
	page->error[row] = last->error;
	const unsigned first = VARVE_VFORK | VARVE_RUNTIME;
	page->marks[row] =
		(uint8_t)((page->marks[row] & first) | (last->marks & ~(VARVE_CONTINUED | first)));
	const struct varve_function *function = trace_function(stream->trace, page->function[row]);
	if (!(stream->want & WANT_WORDS) || !function)
		return VARVE_OK;
	uint64_t *words = page->words + page->word_at[row];
	for (uint32_t i = 0; i < function->field_count; i++) {
		const struct varve_field *field = &function->fields[i];
		if (field->output && field->word >= 0 &&
		    (uint32_t)field->word < page->word_count[row] &&
		    (uint32_t)field->word < last->words)
			words[field->word] = last->word[field->word];
	}
	return late_keep(stream, row, half, causes);
}

/* Joins rows that are halves; `keep` becomes 0 for halves that belong to an earlier block. */
static enum varve_status join_rows(struct stream *stream, uint8_t *keep,
				   struct varve_causes *causes)
{
	struct page *page = stream->page;
	size_t block = (size_t)(stream->block - stream->trace->blocks) - stream->where->first;
	late_clear(page);
	for (size_t row = 0; row < page->count; row++) {
		const struct half *half = NULL;
		bool begun = false;
		if (!(page->marks[row] & (VARVE_CONTINUED | VARVE_UNFINISHED)))
			continue;
		if (stream->block->place) {
			/* A packed trace stores calls joined; halves that belong to an earlier block still have the mark. */
			keep[row] = !(page->marks[row] & VARVE_CONTINUED);
			page->marks[row] &= (uint8_t)~VARVE_CONTINUED;
			continue;
		}
		if (page->marks[row] & VARVE_CONTINUED)
			TRY(halves_begun(&stream->halves, stream->trace, stream->where, block,
					 page->ordinal[row], &begun, causes));
		keep[row] = !begun;
		if (!begun && (page->marks[row] & VARVE_UNFINISHED))
			TRY(halves_last(&stream->halves, stream->trace, stream->where, block,
					page->ordinal[row], &half, causes));
		if (half)
			TRY(rows_join(stream, row, half, causes));
		page->marks[row] &= (uint8_t)~VARVE_CONTINUED;
	}
	return VARVE_OK;
}

/* A packed trace stores cut calls joined, and separately what later blocks of the folder recorded about their outputs. */
static enum varve_status late_rows(struct stream *stream, size_t count, struct varve_causes *causes)
{
	struct page *page = stream->page;
	const struct definitions *from = &stream->definitions;
	size_t first = stream->reader.at - count;
	for (; stream->late < from->count; stream->late++) {
		const struct definition *known_late = &from->list[stream->late];
		if (!known_late->late || known_late->type != DEFINE_HANDLE ||
		    known_late->before < first)
			continue;
		if (known_late->before >= first + count)
			break;
		size_t row = (size_t)known_late->before - first;
		page->stored[row] |= VARVE_UNFINISHED;
		if (known_late->fd < 0)
			continue;
		bool known = known_late->origin & LATE_KNOWN;
		struct named_late late = {.word = known_late->fd, .known = known};
		if (known)
			late.file = (struct varve_file){
				.given = names_given(&stream->names, known_late->name),
				.absolute = names_given(&stream->names, known_late->other),
				.handle = known_late->id,
				.kind = known_late->kind,
				.how = known_late->how,
				.device = known_late->device,
				.inode = known_late->inode};
		if (known_late->origin & LATE_NAME)
			late.text = late.file.given;
		TRY(late_add(page, row, &late, causes));
	}
	return VARVE_OK;
}

/* Finds the enclosing calls of each row. Calls that were open at the start of a block are at its head, as continued. */
static void note_parents(struct stream *stream)
{
	struct page *page = stream->page;
	const struct varve_filter *where = stream->filter->where;
	const uint32_t *inside = where ? filter_inside(where) : NULL;
	for (size_t row = 0; row < page->count; row++) {
		while (stream->open_count &&
		       stream->open[stream->open_count - 1].depth >= page->depth[row])
			stream->open_count--;
		const struct open_call *parent =
			stream->open_count ? &stream->open[stream->open_count - 1] : NULL;
		page->parent[row] = parent ? parent->function : 0;
		page->inside[row] = parent ? parent->inside : 0;
		page->region[row] = parent ? parent->region : (struct varve_text){0};
		int word = where ? filter_region_word(where, page->function[row]) : -1;
		/* Each open call is deeper than the one before it, so there are never more than possible depths. */
		stream->open[stream->open_count++] = (struct open_call){
			page->function[row], page->depth[row],
			page->inside[row] | (inside ? inside[page->function[row]] : 0),
			word < 0 ? page->region[row] : page_name(page, row, word)};
	}
}

/* Lists the selected rows; usually all are. */
static void list_rows(struct stream *stream, const uint8_t *keep)
{
	size_t count = stream->page->count;
	bool all = !memchr(keep, 0, count);
	for (size_t row = 0; all && row < count; row++)
		stream->selected[row] = (uint16_t)row;
	stream->selected_count = all ? count : 0;
	for (size_t row = 0; !all && row < count; row++) {
		stream->selected[stream->selected_count] = (uint16_t)row;
		stream->selected_count += keep[row];
	}
	stream->at = 0;
}

/* Selects rows by function and time, then by the filter, and lists them. */
static enum varve_status select_rows(struct stream *stream, uint8_t *keep,
				     struct varve_causes *causes)
{
	struct page *page = stream->page;
	const struct trace_filter *filter = stream->filter;
	if (filter->functions)
		for (size_t row = 0; row < page->count; row++)
			keep[row] &= filter->functions[page->function[row]] != 0;
	bool timed = filter->from_ns != INT64_MIN || filter->to_ns != INT64_MAX;
	uint32_t resolution = stream->block->header.resolution;
	for (size_t row = 0; timed && row < page->count; row++) {
		int64_t entry = ticks_ns(page->entry[row], resolution);
		keep[row] &= entry >= filter->from_ns && entry < filter->to_ns;
	}
	if (filter->where && !stream->sure) {
		uint8_t wanted[PAGE_ROWS];
		TRY(filter_rows(filter->where, page, wanted, causes));
		for (size_t row = 0; row < page->count; row++)
			keep[row] &= wanted[row];
	}
	list_rows(stream, keep);
	return VARVE_OK;
}

/* Takes the next rows of the open block. */
static enum varve_status take_page(struct stream *stream, struct varve_causes *causes)
{
	struct page *page = stream->page;
	const struct record_columns to = RECORD_COLUMNS_OF(page);
	struct varve_causes found;
	found.count = 0;
	uint8_t keep[PAGE_ROWS];
	size_t count = PAGE_ROWS;
	if (stream->reader.at && stream->following)
		TRY(stream_follow(stream, page->count - 1, causes));
	enum varve_status status = block_reader_take(&stream->reader, &to, &count, &found);
	if (status != VARVE_OK) {
		page->count = stream->selected_count = stream->at = 0;
		close_block(stream);
		return block_failed(stream->trace, stream->block, status, &found, causes);
	}
	page->count = count;
	page->block = stream->block;
	stream->before += count;
	stream->followed = 0;
	stream->batch_number = 0;
	memcpy(page->stored, page->marks, count);
	memset(keep, 1, sizeof keep);
	TRY(join_rows(stream, keep, causes));
	if (stream->block->place)
		TRY(late_rows(stream, count, causes));
	if (stream->want & (PAGE_PARENTS | PAGE_INSIDE | PAGE_REGIONS))
		note_parents(stream);
	if (stream->want & PAGE_FILES)
		TRY(page_files(page, stream->trace, &stream->seen, stream->before - count, causes));
	return select_rows(stream, keep, causes);
}

enum varve_status stream_page(struct stream *stream, struct varve_causes *causes)
{
	stream->at = stream->selected_count;
	if (stream_between(stream))
		TRY(open_block(stream, causes));
	return take_page(stream, causes);
}

const struct trace_block *stream_coming(struct stream *stream, bool *sure)
{
	const struct trace_block *block = find_block(stream);
	*sure = block && stream->next_sure;
	return block;
}

void stream_pass(struct stream *stream)
{
	stream->next = NULL;
}

enum varve_status stream_next(struct stream *stream, struct varve_causes *causes)
{
	while (stream->at >= stream->selected_count)
		TRY(stream_page(stream, causes));
	return VARVE_OK;
}

struct named_record stream_named(const struct stream *stream, size_t row)
{
	return page_named(stream->page, stream->trace, row);
}

enum varve_status stream_follow(struct stream *stream, size_t row, struct varve_causes *causes)
{
	struct page *page = stream->page;
	for (; stream->followed <= row; stream->followed++)
		TRY(page_follow(page, stream->trace, stream->followed, &stream->names,
				stream->before - page->count + stream->followed, causes));
	return VARVE_OK;
}
