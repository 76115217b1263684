/* Trace: calls that a block boundary cuts into halves. See halves.h. */
#include "trace/cursor/halves.h"

#include "base/host/list.h"
#include "trace/trace_inside.h"

#include <stdlib.h>
#include <string.h>

/* The number of ordinals that may be read to follow the calls of a stream: many more than any real nesting of calls needs. */
enum { LOOKED_LEAST = 1 << 20, LOOKED_PER_BYTE = 64 };

static void late_free(struct half *half)
{
	for (size_t i = 0; i < half->late_count; i++) {
		free((void *)(uintptr_t)half->late[i].text.bytes);
		free((void *)(uintptr_t)half->late[i].file.given.bytes);
		free((void *)(uintptr_t)half->late[i].file.absolute.bytes);
	}
	free(half->late);
}

static void list_clear(struct halves *halves)
{
	for (size_t i = 0; i < halves->count; i++)
		late_free(&halves->list[i]);
	free(halves->list);
	halves->list = NULL;
	halves->count = halves->room = 0;
	halves->loaded = false;
}

void halves_rest(struct halves *halves)
{
	list_clear(halves);
	free(halves->earlier.list);
	free(halves->later.list);
	*halves = (struct halves){.looked = halves->looked, .limit = halves->limit};
}

/* Copies a text; beyond the budget it is dropped. */
static bool copy_text(struct varve_text *text, size_t *budget)
{
	if (text->length >= *budget)
		*text = (struct varve_text){0};
	if (!text->bytes)
		return true;
	*budget -= text->length + 1;
	char *copy = malloc(text->length + 1);
	if (copy)
		memcpy(copy, text->bytes, text->length);
	text->bytes = copy;
	return copy != NULL;
}

/* Names and handles of outputs are valid only in this block: copies what is known about them. */
static enum varve_status half_keep_late(const struct varve_trace *trace, struct names *names,
					struct half *half, size_t *budget,
					struct varve_causes *causes)
{
	const struct record *record = &half->record;
	const struct varve_function *function = trace_function(trace, record->function);
	const struct tables *tables = &trace->tables;
	bool fine = true;
	half->late = function ? calloc(function->field_count + 1u, sizeof *half->late) : NULL;
	for (uint32_t i = 0; half->late && fine && i < function->field_count; i++) {
		const struct varve_field *field = &function->fields[i];
		if (!field->output || field->word < 0 || (uint32_t)field->word >= record->words)
			continue;
		enum varve_style style = tables_style(tables, field->kind);
		bool name = style == VARVE_STYLE_NAME || style == VARVE_STYLE_STRING;
		uint64_t word = record->word[field->word];
		struct named_late late = {.word = field->word};
		if (name) {
			late.text = names_given(names, (uint32_t)word);
			late.known = names_file_of_name(names, (uint32_t)word, &late.file);
		} else if (style == VARVE_STYLE_FD || style == VARVE_STYLE_DIRFD ||
			   style == VARVE_STYLE_HANDLE) {
			uint32_t handle =
				style == VARVE_STYLE_HANDLE ? (uint32_t)word : pair_handle(word);
			late.known = names_file_of_handle(names, handle, &late.file);
		} else {
			continue;
		}
		fine = copy_text(&late.text, budget);
		fine = copy_text(&late.file.given, budget) && fine;
		fine = copy_text(&late.file.absolute, budget) && fine;
		half->late[half->late_count++] = late;
	}
	return fine && (half->late || !function)
		       ? VARVE_OK
		       : cause(causes, VARVE_NO_MEMORY, "no memory for a name");
}

/* Adds a continued record to the list. */
static enum varve_status half_add(struct halves *halves, const struct varve_trace *trace,
				  struct names *names, const struct record *record, size_t *budget,
				  struct varve_causes *causes)
{
	if (list_room(&halves->list, halves->count, &halves->room, 1, sizeof *halves->list))
		return cause(causes, VARVE_NO_MEMORY, "no memory for %zu cut calls", halves->count);
	struct half *half = &halves->list[halves->count];
	*half = (struct half){.record = *record};
	halves->count++;
	return half_keep_late(trace, names, half, budget, causes);
}

/* Reads the continued records of an opened block. They are at its head, so only this part is read. */
static enum varve_status read_continued(struct halves *halves, struct varve_trace *trace,
					struct block_reader *reader, struct names *names,
					struct record_rows *rows, struct varve_causes *causes)
{
	const struct record_columns to = RECORD_COLUMNS_OF(rows);
	uint32_t left = block_continued(reader->bytes, &reader->header);
	size_t budget = NAMES_BUDGET(reader->header.length);
	for (size_t count = TAKE_MOST; left && reader->at < reader->count; count = TAKE_MOST) {
		size_t before = reader->at;
		TRY(block_reader_take(reader, &to, &count, causes));
		for (size_t i = 0; i < count && left; i++) {
			struct record record;
			record_rows_get(rows, i, &record);
			const struct named_record named = {
				.function = trace_function(trace, record.function),
				.marks = record.marks,
				.words = record.words,
				.word = record.word};
			TRY(names_follow(names, &trace->tables, &named, before + i, causes));
			if (!(rows->marks[i] & VARVE_CONTINUED))
				continue;
			left--;
			TRY(half_add(halves, trace, names, &record, &budget, causes));
		}
	}
	return VARVE_OK;
}

/* Fills the list with the continued records of block `at` of the stream. A block that cannot be decoded has none. */
static enum varve_status list_load(struct halves *halves, struct varve_trace *trace,
				   const struct varve_stream *stream, size_t at,
				   struct varve_causes *causes)
{
	if (halves->loaded && halves->block == at)
		return VARVE_OK;
	list_clear(halves);
	struct trace_block *block = &trace->blocks[stream->first + at];
	struct varve_causes found = {0};
	struct block_reader reader = {0};
	struct definitions definitions = {0};
	struct names names = {0};
	struct record_rows *rows = malloc(sizeof *rows);
	enum varve_status status =
		rows ? block_reader_open(&reader, &trace->decoder, block->bytes, &block->header,
					 trace->tables.rows, trace->tables.function_count,
					 WANT_TIMES | WANT_RESULTS | WANT_WORDS, &found)
		     : cause(&found, VARVE_NO_MEMORY, "no memory to decode a block");
	if (status == VARVE_OK) {
		block_reader_shift(&reader, block->shift);
		status = definitions_read(&trace->decoder, block->bytes, &block->header,
					  &definitions, &found);
	}
	if (status == VARVE_OK)
		status = names_load(&names, &definitions, block->header.length, &found);
	if (status == VARVE_OK)
		status = read_continued(halves, trace, &reader, &names, rows, &found);
	block_reader_close(&reader);
	names_clear(&names);
	definitions_clear(&definitions);
	free(rows);
	if (status != VARVE_OK) {
		list_clear(halves);
		TRY(block_failed(trace, block, status, &found, causes));
	}
	halves->loaded = true;
	halves->block = at;
	return VARVE_OK;
}

static int compare_ordinals(const void *left, const void *right)
{
	uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
	return a < b ? -1 : a > b;
}

/* Copies the ordinals from the list: a block of codec rows has them only in its records. */
static enum varve_status ordinals_copy(struct halves *halves, struct ordinals *ordinals,
				       struct varve_causes *causes)
{
	ordinals->list = malloc(halves->count * sizeof *ordinals->list + 1);
	if (!ordinals->list)
		return cause(causes, VARVE_NO_MEMORY, "no memory for %zu cut calls", halves->count);
	for (; ordinals->count < halves->count; ordinals->count++)
		ordinals->list[ordinals->count] = halves->list[ordinals->count].record.ordinal;
	return VARVE_OK;
}

/* Reads the ordinals of block `at`. A block that cannot be read continues no calls. */
static enum varve_status ordinals_read(struct halves *halves, struct varve_trace *trace,
				       const struct varve_stream *stream, size_t at,
				       struct ordinals *ordinals, struct varve_causes *causes)
{
	if (ordinals->known && ordinals->of == at)
		return VARVE_OK;
	struct trace_block *block = &trace->blocks[stream->first + at];
	struct varve_causes why = {0};
	free(ordinals->list);
	*ordinals = (struct ordinals){.of = at};
	if (!block_summarized(&block->header)) {
		TRY(list_load(halves, trace, stream, at, causes));
		TRY(ordinals_copy(halves, ordinals, causes));
	} else {
		enum varve_status status =
			block_ordinals(&trace->decoder, block->bytes, &block->header,
				       &ordinals->list, &ordinals->count, &why);
		if (status != VARVE_OK)
			TRY(block_failed(trace, block, status, &why, causes));
	}
	if (!block->bad) {
		enum varve_status status =
			block_ordinals_end(&trace->decoder, block->bytes, &block->header,
					   ordinals->count, &ordinals->end, &why);
		if (status != VARVE_OK)
			TRY(block_failed(trace, block, status, &why, causes));
	}
	if (ordinals->count)
		qsort(ordinals->list, ordinals->count, sizeof *ordinals->list, compare_ordinals);
	ordinals->known = true;
	halves->looked += ordinals->count + 1;
	return VARVE_OK;
}

static bool ordinals_have(const struct ordinals *ordinals, uint64_t ordinal)
{
	return ordinals->count &&
	       bsearch(&ordinal, ordinals->list, ordinals->count, sizeof ordinal, compare_ordinals);
}

/* Whether calls of block `from` may be followed further, within the limit. */
static bool may_follow(struct halves *halves, struct varve_trace *trace,
		       const struct varve_stream *stream, size_t from)
{
	if (!halves->limit) {
		halves->limit = LOOKED_LEAST;
		for (size_t i = 0; i < stream->count; i++)
			halves->limit +=
				trace->blocks[stream->first + i].header.length * LOOKED_PER_BYTE;
	}
	if (halves->looked <= halves->limit)
		return true;
	const struct trace_block *block = &trace->blocks[stream->first + from];
	bool *reported = &trace->blocks[stream->first].unfollowed;
	if (*reported)
		return false;
	struct trace_span span = block_span(trace, block);
	trace_report(trace, span.file, span.offset, span.length,
		     "its calls and calls of later blocks continue over too many blocks; "
		     "their results are missing (process %u, thread %u)",
		     stream->process, stream->thread);
	*reported = true;
	return false;
}

/* The next readable block of the stream after `at`, or the number of blocks. Called for each row, so the result is stored. */
static size_t good_behind(struct halves *halves, struct varve_trace *trace,
			  const struct varve_stream *stream, size_t at)
{
	if (!halves->behind_known || halves->behind_of != at) {
		halves->behind_of = at;
		halves->behind = at + 1;
		halves->behind_known = true;
		while (halves->behind < stream->count &&
		       !block_good(trace, &trace->blocks[stream->first + halves->behind]))
			halves->behind++;
	}
	return halves->behind;
}

enum varve_status halves_last(struct halves *halves, struct varve_trace *trace,
			      const struct varve_stream *stream, size_t from, uint64_t ordinal,
			      const struct half **last, struct varve_causes *causes)
{
	size_t found = from;
	*last = NULL;
	for (size_t at = good_behind(halves, trace, stream, from); at < stream->count; at++) {
		struct trace_block *block = &trace->blocks[stream->first + at];
		if (!block_good(trace, block))
			continue;
		if (found != from && !may_follow(halves, trace, stream, from))
			break;
		TRY(ordinals_read(halves, trace, stream, at, &halves->later, causes));
		if (ordinals_have(&halves->later, ordinal))
			found = at;
		else if (!block->bad)
			break;
	}
	if (found == from)
		return VARVE_OK;
	TRY(list_load(halves, trace, stream, found, causes));
	for (size_t i = 0; i < halves->count; i++)
		if (halves->list[i].record.ordinal == ordinal)
			*last = &halves->list[i];
	return VARVE_OK;
}

enum varve_status halves_begun(struct halves *halves, struct varve_trace *trace,
			       const struct varve_stream *stream, size_t from, uint64_t ordinal,
			       bool *begun, struct varve_causes *causes)
{
	*begun = false;
	for (size_t at = from; at-- > 0;) {
		struct trace_block *block = &trace->blocks[stream->first + at];
		const struct block_header *header = &block->header;
		if (!block_good(trace, block))
			continue;
		TRY(ordinals_read(halves, trace, stream, at, &halves->earlier, causes));
		if (block->bad)
			continue;
		*begun = ordinals_have(&halves->earlier, ordinal) ||
			 ordinal - header->first_ordinal <
				 halves->earlier.end - header->first_ordinal;
		return VARVE_OK;
	}
	return VARVE_OK;
}

/* Functions of the calls that continue in block `at` and are in no earlier block. The caller frees the list. */
static enum varve_status lost_in(struct halves *halves, struct varve_trace *trace,
				 const struct varve_stream *stream, size_t at, uint16_t **functions,
				 size_t *count, struct varve_causes *causes)
{
	struct ordinals going = {0};
	*count = 0;
	*functions = NULL;
	if (!block_good(trace, &trace->blocks[stream->first + at]))
		return VARVE_OK;
	TRY(list_load(halves, trace, stream, at, causes));
	/* Copied, because reading earlier blocks can replace the list. */
	uint16_t *found = calloc(halves->count + 1, sizeof *found);
	if (!found)
		return cause(causes, VARVE_NO_MEMORY, "no memory for %zu cut calls", halves->count);
	for (size_t i = 0; i < halves->count; i++)
		found[i] = halves->list[i].record.function;
	enum varve_status status = ordinals_copy(halves, &going, causes);
	for (size_t i = 0; status == VARVE_OK && i < going.count; i++) {
		bool begun = false;
		status = halves_begun(halves, trace, stream, at, going.list[i], &begun, causes);
		if (status == VARVE_OK && !begun)
			found[(*count)++] = found[i];
	}
	free(going.list);
	*functions = found;
	return status;
}

/* Whether such calls are possible in a block: only after a missing block, or in a slice, which numbers its blocks anew. */
static bool may_lack(const struct varve_trace *trace, const struct varve_stream *stream, size_t at)
{
	const struct trace_block *block = &trace->blocks[stream->first + at];
	if (block->bad || !block_continued(block->bytes, &block->header))
		return false;
	return !at || block[-1].bad || block[-1].header.sequence + 1 != block->header.sequence ||
	       node_value(trace->nodes, "slice.of");
}

enum varve_status halves_lost(struct varve_trace *trace, halves_see *see, void *context,
			      struct varve_causes *causes)
{
	enum varve_status status = VARVE_OK;
	for (size_t i = 0; !trace->packed && i < trace->stream_count; i++) {
		const struct varve_stream *stream = &trace->streams[i];
		struct halves halves = {0};
		for (size_t k = 0; status == VARVE_OK && k < stream->count; k++) {
			uint16_t *functions = NULL;
			size_t count = 0;
			if (may_lack(trace, stream, k))
				status = lost_in(&halves, trace, stream, k, &functions, &count,
						 causes);
			for (size_t n = 0; n < count; n++)
				see(context, stream, functions[n]);
			free(functions);
			block_passed(trace, &trace->blocks[stream->first + k]);
		}
		halves_rest(&halves);
	}
	return status;
}
