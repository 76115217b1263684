/* Slice: which records of a stream are kept. See select.h. */
#include "slice/select.h"

#include "trace/definitions.h"
#include "trace/filter/filter.h"

#include <stdlib.h>
#include <string.h>

/* From a record to a path lead at the most 16 names and handles, and 16 more from a handle to its name. */
enum { STEPS_MOST = 40 };

static bool style_is_handle(uint8_t style)
{
	return style == VARVE_STYLE_FD || style == VARVE_STYLE_DIRFD || style == VARVE_STYLE_HANDLE;
}

static uint32_t handle_in(uint8_t style, uint64_t word)
{
	return style == VARVE_STYLE_HANDLE ? (uint32_t)word : pair_handle(word);
}

/* Finds the words of a function that are names or handles. Names of regions stay, and so do modes of streams and what the recorder
 * says of itself. */
static void look_at(const struct tables *tables, const struct varve_function *function,
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

enum varve_status pick_start(struct pick *pick, struct varve_trace *trace,
			     const struct trace_filter *filter, struct anonymizer *anonymizer,
			     struct varve_causes *causes)
{
	*pick = (struct pick){.trace = trace, .filter = filter, .anonymizer = anonymizer};
	pick->functions = calloc(trace->id_count + 1, sizeof *pick->functions);
	if (!pick->functions)
		return cause(causes, VARVE_NO_MEMORY, "no memory for the tables of functions");
	for (uint32_t i = 0; i < trace->tables.function_count; i++) {
		const struct varve_function *function = &trace->tables.functions[i];
		look_at(&trace->tables, function, &pick->functions[function->id]);
	}
	return VARVE_OK;
}

void pick_clear(struct pick *pick)
{
	if (pick->trace)
		stream_stop(&pick->stream);
	kept_clear(&pick->kept);
	definitions_clear(&pick->definitions);
	uses_clear(&pick->uses);
	free(pick->functions);
	free(pick->events);
	free(pick->open);
	free(pick->opening);
	*pick = (struct pick){0};
}

void pick_stream(struct pick *pick, const struct varve_stream *where)
{
	unsigned want = WANT_ALL;
	if (pick->filter->where)
		want |= filter_wants(pick->filter->where);
	stream_stop(&pick->stream);
	stream_start(&pick->stream, pick->trace, where, pick->filter, want, true);
	pick->block = NULL;
	pick->open_count = 0;
}

/* Whether each call of the block begins and ends in it. */
static bool closed(const struct trace_block *block)
{
	const struct block_header *header = &block->header;
	bool open = header->codec != CODEC_COLUMNS || block_continued(block->bytes, header);
	for (uint32_t i = 0; !open && i < header->summaries; i++)
		open = block_summary_at(block->bytes, header, i).unfinished != 0;
	return !open;
}

const struct trace_block *pick_whole(struct pick *pick)
{
	bool sure;
	if (pick->anonymizer || pick->open_count)
		return NULL;
	const struct trace_block *block = stream_coming(&pick->stream, &sure);
	bool all = !pick->filter->where && !pick->filter->functions &&
		   pick->filter->from_ns == INT64_MIN && pick->filter->to_ns == INT64_MAX;
	/* Of calls that go on in other blocks it has to be known which are kept, unless all are. Of a packed trace there are no
	 * bytes to copy. */
	return block && !block->place && (all || (sure && closed(block))) ? block : NULL;
}

static enum varve_status log_event(struct pick *pick, const struct definition *definition,
				   struct varve_causes *causes)
{
	struct definition *events = list_room(pick->events, pick->event_count, &pick->event_room, 1,
					      sizeof *pick->events);
	if (!events)
		return cause(causes, VARVE_NO_MEMORY, "no memory for %zu definitions",
			     pick->event_count);
	pick->events = events;
	events[pick->event_count++] = *definition;
	return VARVE_OK;
}

/* Logs the definitions that stand before record `at` of the block. Those about processes and threads are not picked. */
static enum varve_status log_definitions(struct pick *pick, uint64_t at,
					 struct varve_causes *causes)
{
	for (; pick->logged < pick->definitions.count; pick->logged++) {
		struct definition definition = pick->definitions.list[pick->logged];
		if (definition.before > at)
			break;
		if (definition.type == DEFINE_PROCESS || definition.type == DEFINE_THREAD)
			continue;
		/* What is told right behind a record may be its own; when that one is gone, it is nobody's. */
		definition.apart = pick->kept.count &&
				   (definition.apart || pick->last + 1 != definition.before);
		definition.before = pick->kept.count;
		TRY(log_event(pick, &definition, causes));
	}
	return VARVE_OK;
}

/* A record that is left out has made handles: what it made of them is told instead. */
static enum varve_status log_made(struct pick *pick, size_t row, struct varve_causes *causes)
{
	struct stream *stream = &pick->stream;
	const struct page *page = stream->page;
	const struct word_uses *uses = &pick->functions[page->function[row]];
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
			.before = pick->kept.count,
			.apart = pick->kept.count != 0,
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
		TRY(log_event(pick, &made, causes));
	}
	return VARVE_OK;
}

static int by_ordinal(const void *left, const void *right)
{
	uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
	return a < b ? -1 : a > b;
}

static bool is_open(const struct pick *pick, uint64_t ordinal)
{
	return pick->open_count &&
	       bsearch(&ordinal, pick->open, pick->open_count, sizeof ordinal, by_ordinal);
}

/* Notes the names and handles of a record. */
static enum varve_status use_words(struct pick *pick, const struct kept_row *row,
				   const uint64_t *words, struct varve_causes *causes)
{
	bool more = false; /* nobody asks */
	if (row->function >= pick->trace->id_count)
		return VARVE_OK;
	const struct word_uses *uses = &pick->functions[row->function];
	for (unsigned i = 0; i < uses->count; i++) {
		const struct word_use *use = &uses->list[i];
		if (use->word >= row->words)
			continue;
		uint64_t word = words[use->word];
		TRY(use->use ? use_name(&pick->uses, (uint32_t)word, use->use, &more, causes)
			     : use_handle(&pick->uses, handle_in(use->style, word), &more, causes));
	}
	return uses->result ? use_handle(&pick->uses, (uint32_t)row->result, &more, causes)
			    : VARVE_OK;
}

/* Keeps a row as its block has it: the page has joined it with its last half, which is kept by itself. */
static enum varve_status keep(struct pick *pick, size_t row, struct varve_causes *causes)
{
	const struct page *page = pick->stream.page;
	uint64_t shift = (uint64_t)page->block->shift, *words;
	bool unfinished = page->stored[row] & VARVE_UNFINISHED;
	struct kept_row kept = {
		.ordinal = page->ordinal[row],
		.entry = (int64_t)((uint64_t)page->entry[row] - shift),
		.result = unfinished ? 0 : page->result[row],
		.error = unfinished ? 0 : page->error[row],
		.function = page->function[row],
		.depth = page->depth[row],
		.marks = page->stored[row],
		.words = page->word_count[row],
	};
	kept.exit = unfinished ? kept.entry : (int64_t)((uint64_t)page->exit[row] - shift);
	TRY(kept_add(&pick->kept, &kept, &words, causes));
	memcpy(words, page->words + page->word_at[row], kept.words * sizeof *words);
	if (unfinished) {
		uint32_t outputs = kept.function < pick->trace->id_count
					   ? pick->functions[kept.function].outputs
					   : 0;
		for (unsigned i = 0; i < kept.words; i++)
			if (outputs >> i & 1)
				words[i] = 0;
		uint64_t *opening = list_room(pick->opening, pick->opening_count,
					      &pick->opening_room, 1, sizeof *opening);
		if (!opening)
			return cause(causes, VARVE_NO_MEMORY, "no memory for open calls");
		pick->opening = opening;
		opening[pick->opening_count++] = kept.ordinal;
	}
	return use_words(pick, &kept, words, causes);
}

/* Looks at the rows of the page, one after the other. */
static enum varve_status take_rows(struct pick *pick, struct varve_causes *causes)
{
	struct stream *stream = &pick->stream;
	const struct page *page = stream->page;
	size_t first = stream->before - page->count, selected = 0;
	for (size_t row = 0; row < page->count; row++) {
		bool wanted =
			selected < stream->selected_count && stream->selected[selected] == row;
		selected += wanted;
		pick->calls += wanted;
		if (!wanted && (page->stored[row] & VARVE_CONTINUED))
			wanted = is_open(pick, page->ordinal[row]);
		if (pick->logged < pick->definitions.count)
			TRY(log_definitions(pick, first + row, causes));
		if (wanted) {
			TRY(keep(pick, row, causes));
			pick->last = first + row;
		} else {
			pick->left += pick->kept.count != 0;
			if (trace_makes(pick->trace, page->function[row]))
				TRY(log_made(pick, row, causes));
		}
	}
	return VARVE_OK;
}

void pick_nothing(struct pick *pick)
{
	pick->logged = pick->event_count = 0;
	pick->last = pick->left = pick->calls = 0;
	kept_empty(&pick->kept);
	uses_empty(&pick->uses);
	definitions_clear(&pick->definitions);
}

/* Begins with the block that the stream is at. */
static enum varve_status begin(struct pick *pick, struct varve_causes *causes)
{
	struct trace_block *block = pick->stream.block;
	uint64_t *open = pick->open;
	size_t room = pick->open_room;
	pick->open = pick->opening;
	pick->open_room = pick->opening_room;
	pick->open_count = pick->block ? pick->opening_count : 0;
	pick->opening = open;
	pick->opening_room = room;
	pick->opening_count = 0;
	if (pick->open_count)
		qsort(pick->open, pick->open_count, sizeof *pick->open, by_ordinal);
	pick->block = block;
	pick_nothing(pick);
	enum varve_status status =
		block_definitions(pick->trace, block, &pick->definitions, causes);
	return status == VARVE_DAMAGED ? VARVE_OK : status;
}

enum varve_status pick_block(struct pick *pick, struct varve_causes *causes)
{
	struct stream *stream = &pick->stream;
	TRY(stream_page(stream, causes));
	TRY(begin(pick, causes));
	TRY(take_rows(pick, causes));
	for (stream->at = stream->selected_count; !stream_between(stream);) {
		TRY(stream_page(stream, causes));
		TRY(take_rows(pick, causes));
		stream->at = stream->selected_count;
	}
	stream->insist = pick->opening_count != 0;
	pick->kept.part = pick->left || pick->block->header.version == BLOCK_VERSION_PART;
	return log_definitions(pick, UINT64_MAX, causes);
}

/* What the name of a handle is. */
static unsigned use_of_kind(uint32_t kind)
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

/* Notes what a definition refers to, when it is used itself. */
static enum varve_status use_event(struct pick *pick, const struct definition *event, bool *more,
				   struct varve_causes *causes)
{
	struct uses *uses = &pick->uses;
	if (event->type == DEFINE_HANDLE && uses_handle(uses, event->id)) {
		TRY(use_name(uses, event->name, use_of_kind(event->kind), more, causes));
		TRY(use_handle(uses, event->other, more, causes));
	}
	if (event->type == DEFINE_NAME && uses_of_name(uses, event->id)) {
		if (event->base_kind == VARVE_BASE_NAME)
			TRY(use_name(uses, event->base, USE_PATH, more, causes));
		if (event->base_kind == VARVE_BASE_HANDLE)
			TRY(use_handle(uses, event->base, more, causes));
	}
	return VARVE_OK;
}

static bool event_used(const struct pick *pick, const struct definition *event)
{
	bool of_name =
		event->type == DEFINE_NAME || (event->type == DEFINE_IDENTITY && event->kind == 0);
	return of_name ? uses_of_name(&pick->uses, event->id) != 0
		       : uses_handle(&pick->uses, event->id);
}

enum varve_status pick_definitions(struct pick *pick, struct varve_causes *causes)
{
	bool more = true;
	for (unsigned step = 0; more && step < STEPS_MOST; step++) {
		more = false;
		for (size_t i = pick->event_count; i-- > 0;)
			TRY(use_event(pick, &pick->events[i], &more, causes));
	}
	for (size_t i = 0; i < pick->event_count; i++) {
		struct definition event = pick->events[i];
		if (!event_used(pick, &event))
			continue;
		if (event.type == DEFINE_NAME && pick->anonymizer)
			anonymize_name(pick->anonymizer, uses_of_name(&pick->uses, event.id),
				       &event.text, &event.text_length);
		TRY(kept_define(&pick->kept, &event, causes));
	}
	return VARVE_OK;
}
