/* Slice: selects records of a stream. See select.h. */
#include "slice/select.h"

#include "base/host/list.h"
#include "trace/definitions.h"
#include "trace/filter/filter.h"

#include <stdlib.h>
#include <string.h>

/* At most 16 names and handles lead from a record to a path, and 16 more from a handle to its name. */
enum { STEPS_MOST = 40 };

static bool style_is_handle(uint8_t style)
{
	return style == VARVE_STYLE_FD || style == VARVE_STYLE_DIRFD || style == VARVE_STYLE_HANDLE;
}

static uint32_t handle_in(uint8_t style, uint64_t word)
{
	return style == VARVE_STYLE_HANDLE ? (uint32_t)word : pair_handle(word);
}

/* Finds the words of a function that are names or handles. Names of regions, modes of streams and texts of layer varve stay
 * readable. */
static void find_word_uses(const struct tables *tables, const struct varve_function *function,
			   struct word_uses *uses)
{
	uses->result = tables_style(tables, function->result_kind) == VARVE_STYLE_HANDLE;
	for (uint32_t i = 0; i < function->field_count; i++) {
		const struct varve_field *field = &function->fields[i];
		enum varve_style style = tables_style(tables, field->kind);
		if (field->word < 0 || field->word >= RECORD_ARGUMENTS_MOST)
			continue;
		if (field->output)
			uses->outputs |= 1u << field->word;
		unsigned use = style == VARVE_STYLE_NAME     ? USE_PATH
			       : style != VARVE_STYLE_STRING ? 0
			       : !strcmp(tables->kinds[field->kind].name, "fmode") ||
					       !strcmp(function->op, "recorder") ||
					       !strcmp(function->op, "region")
				       ? USE_WORDS
				       : USE_TEXT;
		if ((use || style_is_handle((uint8_t)style)) && uses->count < RECORD_ARGUMENTS_MOST)
			uses->list[uses->count++] = (struct word_use){(uint8_t)field->word,
								      (uint8_t)style, (uint8_t)use};
	}
}

enum varve_status select_start(struct selector *selector, struct varve_trace *trace,
			       const struct trace_filter *filter, struct anonymizer *anonymizer,
			       struct varve_causes *causes)
{
	*selector = (struct selector){.trace = trace, .filter = filter, .anonymizer = anonymizer};
	selector->functions = calloc(trace->id_count + 1, sizeof *selector->functions);
	if (!selector->functions)
		return cause(causes, VARVE_NO_MEMORY, "no memory for the tables of functions");
	for (uint32_t i = 0; i < trace->tables.function_count; i++) {
		const struct varve_function *function = &trace->tables.functions[i];
		find_word_uses(&trace->tables, function, &selector->functions[function->id]);
	}
	return VARVE_OK;
}

void select_clear(struct selector *selector)
{
	if (selector->trace)
		stream_stop(&selector->stream);
	block_rows_clear(&selector->rows);
	definitions_clear(&selector->definitions);
	references_clear(&selector->references);
	free(selector->functions);
	free(selector->events);
	free(selector->open);
	free(selector->opening);
	*selector = (struct selector){0};
}

void select_stream(struct selector *selector, const struct varve_stream *where)
{
	unsigned want = WANT_ALL;
	if (selector->filter->where)
		want |= filter_wants(selector->filter->where);
	stream_stop(&selector->stream);
	stream_start(&selector->stream, selector->trace, where, selector->filter, want, true);
	selector->block = NULL;
	selector->open_count = 0;
}

/* Whether each call of the block begins and ends in it. */
static bool block_is_closed(const struct trace_block *block)
{
	const struct block_header *header = &block->header;
	bool open = header->codec != CODEC_COLUMNS || block_continued(block->bytes, header);
	for (uint32_t i = 0; !open && i < header->summaries; i++)
		open = block_summary_at(block->bytes, header, i).unfinished != 0;
	return !open;
}

const struct trace_block *select_whole(struct selector *selector)
{
	bool sure;
	if (selector->anonymizer || selector->open_count)
		return NULL;
	const struct trace_block *block = stream_coming(&selector->stream, &sure);
	bool all = !selector->filter->where && !selector->filter->functions &&
		   selector->filter->from_ns == INT64_MIN && selector->filter->to_ns == INT64_MAX;
	/* A call that continues in other blocks must be kept or dropped as a whole, so such blocks are only copied if all
	 * records are kept. A packed trace has no bytes to copy. */
	return block && !block->place && (all || (sure && block_is_closed(block))) ? block : NULL;
}

static enum varve_status log_event(struct selector *selector, const struct definition *definition,
				   struct varve_causes *causes)
{
	if (list_room(&selector->events, selector->event_count, &selector->event_room, 1,
		      sizeof *selector->events))
		return cause(causes, VARVE_NO_MEMORY, "no memory for %zu definitions",
			     selector->event_count);
	selector->events[selector->event_count++] = *definition;
	return VARVE_OK;
}

/* Logs the definitions before record `at` of the block, except those of processes and threads. */
static enum varve_status log_definitions(struct selector *selector, uint64_t at,
					 struct varve_causes *causes)
{
	for (; selector->logged < selector->definitions.count; selector->logged++) {
		struct definition definition = selector->definitions.list[selector->logged];
		if (definition.before > at)
			break;
		if (definition.type == DEFINE_PROCESS || definition.type == DEFINE_THREAD)
			continue;
		/* A definition directly behind a record may belong to it; if the record is dropped, the definition belongs to
		 * none.
		 */
		definition.after_gap =
			selector->rows.count &&
			(definition.after_gap || selector->last + 1 != definition.before);
		definition.before = selector->rows.count;
		TRY(log_event(selector, &definition, causes));
	}
	return VARVE_OK;
}

/* Replaces a dropped record that has created handles: logs definitions of these. */
static enum varve_status log_made(struct selector *selector, size_t row,
				  struct varve_causes *causes)
{
	struct stream *stream = &selector->stream;
	const struct page *page = stream->page;
	const struct word_uses *uses = &selector->functions[page->function[row]];
	if (page->stored[row] & (VARVE_FAILED | VARVE_UNFINISHED))
		return VARVE_OK;
	TRY(stream_follow(stream, row, causes));
	for (unsigned i = 0; i < uses->count; i++) {
		const struct word_use *use = &uses->list[i];
		if (!style_is_handle(use->style) || !(uses->outputs >> use->word & 1) ||
		    use->word >= page->word_count[row])
			continue;
		uint64_t word = page->words[page->word_at[row] + use->word];
		const struct handle_entry *entry =
			names_handle(&stream->names, handle_in(use->style, word));
		if (!entry || entry->kind >= VARVE_HANDLE_COMM)
			continue;
		bool own = use->style != VARVE_STYLE_HANDLE,
		     number = entry->kind < VARVE_HANDLE_STREAM;
		const struct definition made = {
			.type = DEFINE_HANDLE,
			.before = selector->rows.count,
			.after_gap = selector->rows.count != 0,
			.id = entry->handle,
			.kind = entry->kind,
			.how = entry->how,
			.fd = own      ? pair_fd(word)
			      : number ? (int32_t)page->result[row]
				       : -1,
			.name = entry->name,
			.other = entry->other,
			.device = entry->device,
			.inode = entry->inode,
		};
		TRY(log_event(selector, &made, causes));
	}
	return VARVE_OK;
}

static int by_ordinal(const void *left, const void *right)
{
	uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
	return a < b ? -1 : a > b;
}

static bool is_open(const struct selector *selector, uint64_t ordinal)
{
	return selector->open_count &&
	       bsearch(&ordinal, selector->open, selector->open_count, sizeof ordinal, by_ordinal);
}

/* Adds the names and handles of a record. */
static enum varve_status reference_words(struct selector *selector, const struct block_row *row,
					 const uint64_t *words, struct varve_causes *causes)
{
	bool more = false; /* not used */
	if (row->function >= selector->trace->id_count)
		return VARVE_OK;
	const struct word_uses *uses = &selector->functions[row->function];
	for (unsigned i = 0; i < uses->count; i++) {
		const struct word_use *use = &uses->list[i];
		if (use->word >= row->words)
			continue;
		uint64_t word = words[use->word];
		TRY(use->use ? reference_name(&selector->references, (uint32_t)word, use->use,
					      &more, causes)
			     : reference_handle(&selector->references, handle_in(use->style, word),
						&more, causes));
	}
	return uses->result ? reference_handle(&selector->references, (uint32_t)row->result, &more,
					       causes)
			    : VARVE_OK;
}

/* Keeps a row as its block stores it: the page has joined it with its last half, which is kept separately. */
static enum varve_status keep_row(struct selector *selector, size_t row,
				  struct varve_causes *causes)
{
	const struct page *page = selector->stream.page;
	uint64_t shift = (uint64_t)page->block->shift, *words;
	bool unfinished = page->stored[row] & VARVE_UNFINISHED;
	struct block_row copy = {
		.ordinal = page->ordinal[row],
		.entry = (int64_t)((uint64_t)page->entry[row] - shift),
		.result = unfinished ? 0 : page->result[row],
		.error = unfinished ? 0 : page->error[row],
		.function = page->function[row],
		.depth = page->depth[row],
		.marks = page->stored[row],
		.words = page->word_count[row],
	};
	copy.exit = unfinished ? copy.entry : (int64_t)((uint64_t)page->exit[row] - shift);
	TRY(block_rows_add(&selector->rows, &copy, &words, causes));
	memcpy(words, page->words + page->word_at[row], copy.words * sizeof *words);
	if (unfinished) {
		uint32_t outputs = copy.function < selector->trace->id_count
					   ? selector->functions[copy.function].outputs
					   : 0;
		for (unsigned i = 0; i < copy.words; i++)
			if (outputs >> i & 1)
				words[i] = 0;
		if (list_room(&selector->opening, selector->opening_count, &selector->opening_room,
			      1, sizeof *selector->opening))
			return cause(causes, VARVE_NO_MEMORY, "no memory for open calls");
		selector->opening[selector->opening_count++] = copy.ordinal;
	}
	return reference_words(selector, &copy, words, causes);
}

/* Selects from the rows of the page, one after the other. */
static enum varve_status take_rows(struct selector *selector, struct varve_causes *causes)
{
	struct stream *stream = &selector->stream;
	const struct page *page = stream->page;
	size_t first = stream->before - page->count, selected = 0;
	for (size_t row = 0; row < page->count; row++) {
		bool wanted =
			selected < stream->selected_count && stream->selected[selected] == row;
		selected += wanted;
		selector->calls += wanted;
		if (!wanted && (page->stored[row] & VARVE_CONTINUED))
			wanted = is_open(selector, page->ordinal[row]);
		if (selector->logged < selector->definitions.count)
			TRY(log_definitions(selector, first + row, causes));
		if (wanted) {
			TRY(keep_row(selector, row, causes));
			selector->last = first + row;
		} else {
			selector->left += selector->rows.count != 0;
			if (trace_makes(selector->trace, page->function[row]))
				TRY(log_made(selector, row, causes));
		}
	}
	return VARVE_OK;
}

void select_nothing(struct selector *selector)
{
	selector->logged = selector->event_count = 0;
	selector->last = selector->left = selector->calls = 0;
	block_rows_empty(&selector->rows);
	references_empty(&selector->references);
	definitions_clear(&selector->definitions);
}

/* Begins with the present block of the stream. */
static enum varve_status selector_block_begin(struct selector *selector,
					      struct varve_causes *causes)
{
	struct trace_block *block = selector->stream.block;
	uint64_t *open = selector->open;
	size_t room = selector->open_room;
	selector->open = selector->opening;
	selector->open_room = selector->opening_room;
	selector->open_count = selector->block ? selector->opening_count : 0;
	selector->opening = open;
	selector->opening_room = room;
	selector->opening_count = 0;
	if (selector->open_count)
		qsort(selector->open, selector->open_count, sizeof *selector->open, by_ordinal);
	selector->block = block;
	select_nothing(selector);
	enum varve_status status =
		block_definitions(selector->trace, block, &selector->definitions, causes);
	return status == VARVE_DAMAGED ? VARVE_OK : status;
}

enum varve_status select_block(struct selector *selector, struct varve_causes *causes)
{
	struct stream *stream = &selector->stream;
	TRY(stream_page(stream, causes));
	TRY(selector_block_begin(selector, causes));
	TRY(take_rows(selector, causes));
	for (stream->at = stream->selected_count; !stream_between(stream);) {
		TRY(stream_page(stream, causes));
		TRY(take_rows(selector, causes));
		stream->at = stream->selected_count;
	}
	stream->insist = selector->opening_count != 0;
	selector->rows.partial =
		selector->left || selector->block->header.version == BLOCK_VERSION_PART;
	return log_definitions(selector, UINT64_MAX, causes);
}

/* What the name of a handle is used for. */
static unsigned use_of_handle_kind(uint32_t kind)
{
	switch (kind) {
	case VARVE_HANDLE_SOCKET:
	case VARVE_HANDLE_PIPE:
	case VARVE_HANDLE_ANONYMOUS:
		return USE_TEXT;
	case VARVE_HANDLE_MPI_FILE:
	case VARVE_HANDLE_H5_FILE:
	case VARVE_HANDLE_NC_FILE:
		return USE_PATH;
	default:
		return kind < VARVE_HANDLE_COMM ? USE_PATH : USE_TEXT;
	}
}

/* Adds what a definition refers to, if the definition itself is used. */
static enum varve_status reference_definition(struct selector *selector,
					      const struct definition *event, bool *more,
					      struct varve_causes *causes)
{
	struct references *references = &selector->references;
	if (event->type == DEFINE_HANDLE && references_to_handle(references, event->id)) {
		TRY(reference_name(references, event->name, use_of_handle_kind(event->kind), more,
				   causes));
		TRY(reference_handle(references, event->other, more, causes));
	}
	if (event->type == DEFINE_NAME && references_to_name(references, event->id)) {
		if (event->base_kind == VARVE_BASE_NAME)
			TRY(reference_name(references, event->base, USE_PATH, more, causes));
		if (event->base_kind == VARVE_BASE_HANDLE)
			TRY(reference_handle(references, event->base, more, causes));
	}
	return VARVE_OK;
}

static bool definition_is_used(const struct selector *selector, const struct definition *event)
{
	bool of_name =
		event->type == DEFINE_NAME || (event->type == DEFINE_IDENTITY && event->kind == 0);
	return of_name ? references_to_name(&selector->references, event->id) != 0
		       : references_to_handle(&selector->references, event->id);
}

enum varve_status select_definitions(struct selector *selector, struct varve_causes *causes)
{
	bool more = true;
	for (unsigned step = 0; more && step < STEPS_MOST; step++) {
		more = false;
		for (size_t i = selector->event_count; i-- > 0;)
			TRY(reference_definition(selector, &selector->events[i], &more, causes));
	}
	for (size_t i = 0; i < selector->event_count; i++) {
		struct definition event = selector->events[i];
		if (!definition_is_used(selector, &event))
			continue;
		if (event.type == DEFINE_NAME && selector->anonymizer)
			anonymize_name(selector->anonymizer,
				       references_to_name(&selector->references, event.id),
				       &event.text, &event.text_length);
		TRY(block_rows_define(&selector->rows, &event, causes));
	}
	return VARVE_OK;
}
