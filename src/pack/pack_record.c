/* Pack: from a row to the event of its track. See stream_packer.h; the bytes are described in loop/packed.h. */
#include "pack/stream_packer.h"

#include "base/varint.h"

#include <stdlib.h>
#include <string.h>

static enum packed_word word_kind(enum varve_style style)
{
	if (style == VARVE_STYLE_FLAGS || style == VARVE_STYLE_ENUM || style == VARVE_STYLE_OCTAL)
		return WORD_FIXED;
	if (style == VARVE_STYLE_FD || style == VARVE_STYLE_DIRFD)
		return WORD_PAIR;
	if (style == VARVE_STYLE_NAME || style == VARVE_STYLE_STRING)
		return WORD_NAME;
	return style == VARVE_STYLE_HANDLE ? WORD_HANDLE : WORD_VALUE;
}

/* Whether a function ends the handle that it is given, by what it is called: only loops that are found depend on it. */
static bool closes(const struct varve_function *function)
{
	return strstr(function->op, "close") || strstr(function->op, "free");
}

enum status packer_plans(struct stream_packer *packer)
{
	const struct tables *tables = &packer->trace->tables;
	packer->plans = calloc(packer->trace->id_count + 1, sizeof *packer->plans);
	packer->sums = calloc(packer->trace->id_count + 1, sizeof *packer->sums);
	packer->summed = calloc(packer->trace->id_count + 1, sizeof *packer->summed);
	if (!packer->plans || !packer->sums || !packer->summed)
		return cause(packer->causes, STATUS_NO_MEMORY, "no memory for the functions");
	for (uint32_t i = 0; i < tables->function_count; i++) {
		const struct varve_function *function = &tables->functions[i];
		struct record_plan *plan = &packer->plans[function->id];
		*plan = (struct record_plan){.known = true,
					     .words = tables->rows[i].words,
					     .closes = closes(function),
					     .result = RESULT_VALUE};
		plan->apart = !strcmp(tables->layers[function->layer], "varve");
		if (tables_style(tables, function->result_kind) == VARVE_STYLE_HANDLE)
			plan->result = RESULT_HANDLE;
		memset(plan->kind, WORD_VALUE, sizeof plan->kind);
		for (uint32_t k = 0; k < function->field_count; k++) {
			const struct varve_field *field = &function->fields[k];
			if (field->word < 0 || field->word >= RECORD_ARGUMENTS_MOST)
				continue;
			plan->kind[field->word] =
				(uint8_t)word_kind(tables_style(tables, field->kind));
			plan->outputs |= field->output ? 1u << field->word : 0;
		}
	}
	return STATUS_OK;
}

/* Values of an event as they are put together. */
struct event {
	uint8_t key[EVENT_KEY_MOST];
	uint32_t length;
	uint64_t values[TRACK_COLUMNS_MOST];
	uint32_t columns;
	uint64_t hint;
};

static void mix(struct event *event, uint64_t what)
{
	event->hint = (event->hint ^ (what + 1)) * 0x9e3779b97f4a7c15ull;
	event->hint ^= event->hint >> 29;
}

/* In calls handles and names are numbered anew, and which of them it is tells places apart; elsewhere they are as they are. */
static enum status add_handle(struct stream_packer *packer, struct event *event, bool apart,
			      uint32_t handle, bool closed)
{
	uint32_t number = handle;
	if (!apart && handle) {
		TRY(packer_handle(packer, handle, &number));
		mix(event, packer_nearness(packer, number));
		if (closed)
			packer_closed(packer, number);
	}
	event->values[event->columns++] = number;
	return STATUS_OK;
}

static enum status add_name(struct stream_packer *packer, struct event *event, bool apart,
			    uint32_t id)
{
	uint32_t number;
	TRY(packer_name(packer, id, apart, &number));
	if (!apart && number)
		mix(event, 64 + packer->names[0].names[number - 1].skeleton);
	event->values[event->columns++] = apart ? (uint64_t)number * 2 + 1 : number;
	return STATUS_OK;
}

static enum status add_word(struct stream_packer *packer, struct event *event, bool apart,
			    enum packed_word kind, uint64_t word, bool closed)
{
	/* What does not fit its kind is kept as a number. */
	bool fits = kind == WORD_PAIR || word <= UINT32_MAX;
	if ((kind == WORD_NAME || kind == WORD_HANDLE) && !fits)
		kind = WORD_VALUE;
	event->key[event->length++] = (uint8_t)kind;
	switch (kind) {
	case WORD_FIXED:
		event->length =
			(uint32_t)(varint_put(event->key + event->length, word) - event->key);
		return STATUS_OK;
	case WORD_PAIR:
		event->values[event->columns++] = (uint64_t)(int64_t)pair_fd(word);
		return add_handle(packer, event, apart, pair_handle(word), closed);
	case WORD_HANDLE:
		return add_handle(packer, event, apart, (uint32_t)word, closed);
	case WORD_NAME:
		return add_name(packer, event, apart, (uint32_t)word);
	case WORD_VALUE:
	default:
		event->values[event->columns++] = word;
		return STATUS_OK;
	}
}

/* What a handle is, that no definition of the block tells. */
static enum status late_handle(struct stream_packer *packer, const struct varve_file *file)
{
	uint32_t id = 0;
	if (file->given.bytes)
		TRY(packer_late_name(packer, 1, file, &id));
	return packer_late(packer, &(struct definition){.type = DEFINE_HANDLE,
							.before = 0,
							.id = file->handle,
							.kind = file->kind,
							.how = (uint32_t)file->how,
							.fd = -1,
							.name = id,
							.device = file->device,
							.inode = file->inode});
}

/* An output of a joined call that another block defined: the block that is being packed gets a definition of it. */
static enum status late_word(struct stream_packer *packer, const struct named_late *late,
			     bool apart, enum packed_word kind, uint64_t *word)
{
	uint32_t id = 0;
	if (kind == WORD_NAME) {
		struct varve_file file = late->file;
		file.given = late->text;
		if (!late->text.bytes)
			return STATUS_OK;
		TRY(packer_late_name(packer, apart, &file, &id));
		*word = id;
		return STATUS_OK;
	}
	return late->known ? late_handle(packer, &late->file) : STATUS_OK;
}

static bool defines(const struct definitions *definitions, uint32_t handle)
{
	for (size_t i = 0; i < definitions->count; i++)
		if (definitions->list[i].type == DEFINE_HANDLE && definitions->list[i].id == handle)
			return true;
	return false;
}

enum status packer_returned(struct stream_packer *packer, struct stream *stream, size_t row)
{
	const struct page *page = stream->page;
	uint16_t id = page->function[row];
	if (id >= packer->trace->id_count)
		return STATUS_OK;
	const struct record_plan *plan = &packer->plans[id];
	const uint64_t *words = page->words + page->word_at[row];
	TRY(stream_follow(stream, row, packer->causes));
	for (unsigned i = 0; i < page->word_count[row]; i++) {
		struct varve_file file;
		bool pair = plan->kind[i] == WORD_PAIR;
		if (!(plan->outputs >> i & 1) || (!pair && plan->kind[i] != WORD_HANDLE))
			continue;
		uint32_t handle = pair ? pair_handle(words[i]) : (uint32_t)words[i];
		if (handle && !defines(&packer->definitions, handle) &&
		    names_file_of_handle(&stream->names, handle, &file))
			TRY(late_handle(packer, &file));
	}
	return STATUS_OK;
}

static enum status add_words(struct stream_packer *packer, const struct page *page, size_t row,
			     const struct record_plan *plan, bool apart, struct event *event)
{
	struct named_record named = {.late = NULL};
	if (page->late_count)
		named = page_named(page, packer->trace, row);
	const uint64_t *words = page->words + page->word_at[row];
	bool closing = plan->closes;
	for (unsigned i = 0; i < page->word_count[row]; i++) {
		enum packed_word kind = (enum packed_word)plan->kind[i];
		uint64_t word = words[i];
		const struct named_late *late = named.late_count && (plan->outputs >> i & 1)
							? late_find(&named, (int32_t)i)
							: NULL;
		if (late)
			TRY(late_word(packer, late, apart, kind, &word));
		bool handle = kind == WORD_PAIR || kind == WORD_HANDLE;
		TRY(add_word(packer, event, apart, kind, word, closing && handle));
		closing = closing && !handle;
	}
	return STATUS_OK;
}

enum status packer_record(struct stream_packer *packer, const struct page *page, size_t row)
{
	static const struct record_plan unknown = {
		.result = RESULT_VALUE, .kind = {[0 ... RECORD_ARGUMENTS_MOST - 1] = WORD_VALUE}};
	uint16_t id = page->function[row];
	const struct record_plan *plan = id < packer->trace->id_count && packer->plans[id].known
						 ? &packer->plans[id]
						 : &unknown;
	bool apart = plan->apart || (page->marks[row] & RECORD_RUNTIME);
	struct event event = {.length = RECORD_KEY_HEAD};
	bool finished = !(page->marks[row] & RECORD_UNFINISHED);
	bool handle = plan->result == RESULT_HANDLE && page->result[row] >= 0 &&
		      page->result[row] <= UINT32_MAX;
	event.key[0] = (uint8_t)id;
	event.key[1] = (uint8_t)(id >> 8);
	event.key[2] = page->depth[row];
	event.key[3] = page->marks[row];
	event.key[4] = (uint8_t)(!finished ? RESULT_NONE : handle ? RESULT_HANDLE : RESULT_VALUE);
	event.key[5] = page->word_count[row];
	if (apart)
		event.values[event.columns++] = packer->since_runtime;
	if (finished && handle)
		TRY(add_handle(packer, &event, apart, (uint32_t)page->result[row], false));
	else if (finished)
		event.values[event.columns++] = (uint64_t)page->result[row];
	if (page->marks[row] & RECORD_FAILED)
		event.values[event.columns++] = (uint64_t)(int64_t)page->error[row];
	TRY(add_words(packer, page, row, plan, apart, &event));
	packer->since_runtime = apart ? 0 : packer->since_runtime + 1;
	packer->calls += !apart;
	packer->runtime += apart;
	TRY(packer_event(packer, apart ? PACKED_RUNTIME : PACKED_CALLS, event.key, event.length,
			 event.values, event.columns, event.hint));
	if (packer->second && packer->time == PACKED_TIME_HISTOGRAM)
		packer_histogram(packer, apart);
	return STATUS_OK;
}
