/* Pack: turns the rows of a page into events of the tracks calls and runtime. See stream_packer.h; keys are described in
 * packed/packed_layout.h.
 *
 * Almost every row is equal to a recent one, which is found by a few words (the *key words* of its function). For any other row
 * a few numbers are computed first, the *features* of its event; a key is only made if no event with the same features is
 * remembered.
 */
#include "pack/stream_packer.h"

#include "base/varint.h"

#include <string.h>

/* A row while it becomes an event. Features: of a handle, its recency plus 1; of a name, its skeleton plus NAME_FEATURE; of a
 * fixed word, its value; 0 if nothing distinguishes it; FEATURE_UNFIT if the word does not fit its kind and is stored as a
 * number. Other words have no feature. */
struct row_event {
	const struct record_plan *plan;
	bool runtime_track;
	uint32_t head; /* function, depth, marks */
	uint8_t words;
	uint8_t features;
	uint64_t mixed; /* hash of head and features */
	uint64_t feature[EVENT_FEATURES_MOST];
	uint64_t *value; /* place of the next value */
};
enum { NAME_FEATURE = 65, EVENT_KEY_MOST = RECORD_KEY_HEAD + RECORD_ARGUMENTS_MOST * 11 };
#define FEATURE_UNFIT UINT64_MAX

static void add_feature(struct row_event *event, uint64_t feature)
{
	event->feature[event->features++] = feature;
	event->mixed = (event->mixed ^ feature) * 0x9e3779b97f4a7c15ull;
}

/* In calls, handles and names get new numbers, and their recency distinguishes places of the program. In the runtime track they
 * are stored unchanged. */
static enum varve_status add_handle(struct stream_packer *packer, struct row_event *event,
				    uint32_t handle, bool closed)
{
	uint32_t number = handle, recency;
	uint64_t feature = 0;
	if (!event->runtime_track && handle) {
		TRY(packer_handle_recency(packer, handle, &number, &recency));
		feature = recency + 1u;
		if (closed)
			packer_closed(packer, number);
	}
	add_feature(event, feature);
	*event->value++ = number;
	return VARVE_OK;
}

static enum varve_status add_name(struct stream_packer *packer, struct row_event *event,
				  uint32_t id)
{
	uint32_t number;
	TRY(packer_name(packer, id, event->runtime_track, &number));
	add_feature(event,
		    !event->runtime_track && number
			    ? (uint64_t)NAME_FEATURE + packer->names[0].names[number - 1].skeleton
			    : 0);
	*event->value++ = event->runtime_track ? (uint64_t)number * 2 + 1 : number;
	return VARVE_OK;
}

static enum varve_status add_word(struct stream_packer *packer, struct row_event *event,
				  enum packed_word kind, uint64_t word, bool closed)
{
	bool fits = word <= UINT32_MAX;
	switch (kind) {
	case WORD_FIXED:
		add_feature(event, word);
		return VARVE_OK;
	case WORD_PAIR:
		*event->value++ = (uint64_t)(int64_t)pair_fd(word);
		return add_handle(packer, event, pair_handle(word), closed);
	case WORD_HANDLE:
		if (fits)
			return add_handle(packer, event, (uint32_t)word, closed);
		add_feature(event, FEATURE_UNFIT);
		break;
	case WORD_NAME:
		if (fits && (!word || packer_has_name(packer, (uint32_t)word)))
			return add_name(packer, event, (uint32_t)word);
		add_feature(event, FEATURE_UNFIT);
		break;
	case WORD_VALUE:
	default:
		break;
	}
	*event->value++ = word;
	return VARVE_OK;
}

/* Handles an output of a joined call that another block has defined: what was known about it there is stored with the row. A
 * name gets an id here, so that calls are alike whether they were cut or not. */
static enum varve_status late_word(struct stream_packer *packer, const struct named_late *late,
				   bool runtime_track, enum packed_word kind, uint64_t *word)
{
	const struct varve_file *file = &late->file;
	struct varve_text given = file->given;
	bool name = kind == WORD_NAME;
	struct definition known_late = {.type = DEFINE_HANDLE,
					.before = packer->calls + packer->runtime,
					.id = file->handle,
					.kind = (uint32_t)file->kind,
					.how = (uint32_t)file->how,
					.origin = (late->known ? LATE_KNOWN : 0u) |
						  (name ? LATE_NAME : 0u),
					.fd = late->word,
					.device = file->device,
					.inode = file->inode};
	if (name && *word && !given.bytes)
		given = (struct varve_text){"", 0};
	if (given.bytes)
		TRY(packer_late_name(packer, name ? runtime_track : 1, given, &known_late.name));
	if (name && *word)
		*word = known_late.name;
	if (file->absolute.bytes)
		TRY(packer_late_name(packer, 1, file->absolute, &known_late.other));
	return packer_late(packer, &known_late);
}

/* Marks a joined call that returned in a later block, so that the definitions of its outputs are not in this block. */
static enum varve_status cut_row(struct stream_packer *packer)
{
	return packer_late(packer, &(struct definition){.type = DEFINE_HANDLE,
							.before = packer->calls + packer->runtime,
							.fd = -1});
}

static bool is_finished(const struct row_event *event)
{
	return !(event->head >> 24 & VARVE_UNFINISHED);
}

static void hint_mix(uint64_t *hint, uint64_t feature)
{
	*hint = (*hint ^ feature) * 0x9e3779b97f4a7c15ull;
	*hint ^= *hint >> 29;
}

/* Finds the symbol by the key of an event and by its features. */
static enum varve_status symbol_by_key(struct stream_packer *packer, const struct row_event *event,
				       uint32_t columns, uint32_t *symbol)
{
	uint8_t key[EVENT_KEY_MOST] = {(uint8_t)event->head,
				       (uint8_t)(event->head >> 8),
				       (uint8_t)(event->head >> 16),
				       (uint8_t)(event->head >> 24),
				       RESULT_NONE,
				       event->words};
	uint8_t *at = key + RECORD_KEY_HEAD;
	const uint64_t *feature = event->feature;
	uint64_t hint = 0;
	if (is_finished(event)) {
		bool handle = event->plan->result == RESULT_HANDLE && *feature != FEATURE_UNFIT;
		key[4] = handle ? RESULT_HANDLE : RESULT_VALUE;
		if (handle && *feature)
			hint_mix(&hint, *feature);
		feature += event->plan->result == RESULT_HANDLE;
	}
	for (unsigned i = 0; i < event->words; i++) {
		enum packed_word kind = (enum packed_word)event->plan->kind[i];
		bool fits = kind == WORD_VALUE || kind == WORD_FIXED || *feature != FEATURE_UNFIT;
		*at++ = (uint8_t)(fits ? kind : WORD_VALUE);
		if (kind == WORD_VALUE)
			continue;
		if (kind == WORD_FIXED)
			at = varint_put(at, *feature);
		else if (fits && *feature)
			hint_mix(&hint, *feature);
		feature++;
	}
	return track_symbol(packer->tracks[event->runtime_track ? PACKED_RUNTIME : PACKED_CALLS],
			    key, (uint32_t)(at - key), columns, hint, symbol, packer->causes);
}

static bool is_known(const struct symbol_cache *known, const struct row_event *event)
{
	if (known->head != event->head || known->size != event->features + 1 ||
	    known->words != event->words)
		return false;
	for (unsigned i = 0; i < event->features; i++)
		if (known->feature[i] != event->feature[i])
			return false;
	return true;
}

static enum varve_status symbol_of(struct stream_packer *packer, const struct row_event *event,
				   uint32_t columns, uint32_t *symbol)
{
	if (event->features > SYMBOL_FEATURES_MOST)
		return symbol_by_key(packer, event, columns, symbol);
	struct symbol_cache *known = &packer->cache[event->runtime_track][event->mixed >> 56];
	if (LIKELY(is_known(known, event))) {
		*symbol = known->symbol;
		return VARVE_OK;
	}
	TRY(symbol_by_key(packer, event, columns, symbol));
	*known = (struct symbol_cache){.head = event->head,
				       .symbol = *symbol,
				       .words = event->words,
				       .size = (uint8_t)(event->features + 1)};
	memcpy(known->feature, event->feature, event->features * sizeof *event->feature);
	return VARVE_OK;
}

/* Adds result and error; in the runtime track, the distance comes first. */
static enum varve_status add_outcome(struct stream_packer *packer, const struct page *page,
				     size_t row, struct row_event *event)
{
	int64_t result = page->result[row];
	if (event->runtime_track)
		*event->value++ = packer->since_runtime;
	if (is_finished(event)) {
		if (event->plan->result != RESULT_HANDLE) {
			*event->value++ = (uint64_t)result;
		} else if (result >= 0 && result <= UINT32_MAX) {
			TRY(add_handle(packer, event, (uint32_t)result, false));
		} else {
			add_feature(event, FEATURE_UNFIT);
			*event->value++ = (uint64_t)result;
		}
	}
	if (event->head >> 24 & VARVE_FAILED)
		*event->value++ = (uint64_t)(int64_t)page->error[row];
	return VARVE_OK;
}

static enum varve_status add_words(struct stream_packer *packer, const struct page *page,
				   size_t row, struct row_event *event)
{
	const struct record_plan *plan = event->plan;
	const uint64_t *words = page->words + page->word_at[row];
	struct named_record named;
	bool cut = page->late_count;
	if (UNLIKELY(page->stored[row] & ~page->marks[row] & VARVE_UNFINISHED))
		TRY(cut_row(packer));
	if (UNLIKELY(cut))
		named = page_named(page, packer->trace, row);
	for (unsigned i = 0; i < event->words; i++) {
		enum packed_word kind = (enum packed_word)plan->kind[i];
		uint64_t word = words[i];
		const struct named_late *late =
			cut && (plan->outputs >> i & 1) ? late_find(&named, (int32_t)i) : NULL;
		if (late)
			TRY(late_word(packer, late, event->runtime_track, kind, &word));
		TRY(add_word(packer, event, kind, word, i == plan->closed));
	}
	return VARVE_OK;
}

/* Calls with these marks are not remembered: they are few, or stored in another way. */
enum { MARKS_ODD = VARVE_UNFINISHED | VARVE_FAILED | VARVE_RUNTIME | VARVE_CONTINUED };

static uint32_t head_of(const struct page *page, size_t row)
{
	return page->function[row] | (uint32_t)page->depth[row] << 16 |
	       (uint32_t)page->marks[row] << 24;
}

static bool is_plain(const struct page *page, size_t row, const struct record_plan *plan)
{
	return plan->misses_left && page->marks[row] == page->stored[row] &&
	       !(page->marks[row] & MARKS_ODD) && page->word_count[row] == plan->words;
}

/* The place where a row is remembered, if it is. */
static struct known_row *known_place(const struct stream_packer *packer,
				     const struct record_plan *plan, uint32_t head,
				     const uint64_t *words)
{
	uint64_t mixed = head ^ (plan->key_words ? words[plan->key_word_at[0]] << 20 : 0);
	return &packer->known[(mixed * 0x9e3779b97f4a7c15ull) >> 56];
}

static bool has_key_words(const struct known_row *known, const struct record_plan *plan,
			  const uint64_t *words)
{
	for (unsigned i = 0; i < plan->key_words; i++)
		if (known->key_words[i] != words[plan->key_word_at[i]])
			return false;
	return true;
}

/* There is room for more values than its columns: copying a constant length is faster. */
static void put_values(uint64_t *values, const struct known_row *known,
		       const struct record_plan *plan, int64_t result, const uint64_t *words)
{
	memcpy(values, known->values, sizeof known->values);
	values[0] = (uint64_t)result;
	for (unsigned i = 0; i < plan->copied; i++)
		values[plan->copy_to[i]] = words[plan->copy_from[i]];
}

/* Puts rows from `row` on as long as they are known; returns the first that is not. The first pass needs no values. */
static inline size_t put_known(struct stream_packer *packer, const struct page *page, size_t row,
			       bool second)
{
	struct page_events *events = packer->events[0];
	uint64_t *next = events->next;
	const struct known_row *known = packer->known;
	size_t count = events->count, first = row;
	for (; row < page->count; row++) {
		const struct record_plan *plan = packer_plan(packer, page->function[row]);
		const uint64_t *words = page->words + page->word_at[row];
		uint32_t head = head_of(page, row);
		if (!is_plain(page, row, plan))
			break;
		/* Compare it with the previous row first, then look it up. */
		if (known->head != head || !has_key_words(known, plan, words)) {
			known = known_place(packer, plan, head, words);
			if (known->head != head || !has_key_words(known, plan, words))
				break;
		}
		if (known->version != packer->version[plan->depends])
			break;
		if (second) {
			put_values(next, known, plan, page->result[row], words);
			next += plan->columns;
		}
		events->row[count] = (uint16_t)row;
		events->symbol[count++] = known->symbol;
	}
	events->next = next;
	events->count = count;
	if (row > first)
		packer_plan(packer, page->function[row - 1])->misses_left = MISSES_MOST;
	packer->since_runtime += row - first;
	packer->calls += row - first;
	return row;
}

static void row_remember(struct known_row *known, uint64_t version, const struct row_event *event,
			 uint32_t symbol, const uint64_t *words)
{
	const struct record_plan *plan = event->plan;
	known->head = event->head;
	known->symbol = symbol;
	known->version = version;
	for (unsigned i = 0; i < plan->key_words; i++)
		known->key_words[i] = words[plan->key_word_at[i]];
	memcpy(known->values, event->value - plan->columns, plan->columns * sizeof *event->value);
}

/* After an unknown row: remembers it, or pauses the search. */
static void not_known(struct stream_packer *packer, const struct page *page, size_t row,
		      uint64_t version, const struct row_event *event, uint32_t symbol)
{
	struct record_plan *plan = packer_plan(packer, page->function[row]);
	const uint64_t *words = page->words + page->word_at[row];
	/* If the row itself has changed what its plan depends on, the next equal row will be different. */
	if (is_plain(page, row, plan) && version == packer->version[plan->depends])
		row_remember(known_place(packer, plan, event->head, words), version, event, symbol,
			     words);
	if (plan->misses_left && --plan->misses_left == 0)
		plan->skip_rows = SKIP_ROWS;
	else if (!plan->misses_left && plan->plain && --plan->skip_rows == 0)
		plan->misses_left = MISSES_MOST;
}

/* Adds a row that is not known. */
static enum varve_status event_add_row(struct stream_packer *packer, const struct page *page,
				       size_t row, bool ghost)
{
	const struct record_plan *plan = packer_plan(packer, page->function[row]);
	uint8_t marks = ghost ? page->stored[row] : page->marks[row];
	/* The ends of blocks are not part of the structure of the run. */
	bool runtime_track = ghost || plan->runtime_track || (marks & VARVE_RUNTIME);
	struct page_events *events = packer->events[runtime_track];
	uint32_t *symbol = &events->symbol[events->count];
	uint64_t version = packer->version[plan->depends];
	struct row_event event;
	event.plan = plan;
	event.runtime_track = runtime_track;
	event.head = (head_of(page, row) & 0xffffff) | (uint32_t)marks << 24;
	event.words = page->word_count[row];
	event.features = 0;
	event.mixed = event.head * 0x9e3779b97f4a7c15ull;
	event.value = events->next;
	TRY(add_outcome(packer, page, row, &event));
	TRY(add_words(packer, page, row, &event));
	TRY(symbol_of(packer, &event, (uint32_t)(event.value - events->next), symbol));
	events->row[events->count++] = (uint16_t)row;
	events->next = event.value;
	packer->since_runtime = runtime_track ? 0 : packer->since_runtime + 1;
	packer->calls += !runtime_track;
	packer->runtime += runtime_track;
	if (!ghost && !page->late_count)
		not_known(packer, page, row, version, &event, *symbol);
	return VARVE_OK;
}

static enum varve_status put_events(struct stream_packer *packer, bool runtime_track)
{
	struct page_events *events = packer->events[runtime_track];
	struct track_writer *track = packer->tracks[runtime_track ? PACKED_RUNTIME : PACKED_CALLS];
	bool histogram = packer->time == PACKED_TIME_HISTOGRAM;
	if (!packer->second)
		return track_see_all(track, events->symbol, events->count, packer->causes);
	TRY(track_put_all(track, events->symbol, events->count, events->values,
			  histogram ? events->group : NULL, packer->causes));
	if (histogram)
		packer_histogram(packer, runtime_track);
	return VARVE_OK;
}

enum varve_status packer_records(struct stream_packer *packer, const struct page *page,
				 const bool *ghost)
{
	for (unsigned i = 0; i < 2; i++) {
		packer->events[i]->count = 0;
		packer->events[i]->next = packer->events[i]->values;
	}
	/* Rows of cut calls are few, and so are pages with such rows. */
	bool whole = !ghost && !page->late_count;
	for (size_t row = 0; row < page->count;) {
		if (whole)
			row = packer->second ? put_known(packer, page, row, true)
					     : put_known(packer, page, row, false);
		if (row < page->count) {
			TRY(event_add_row(packer, page, row, ghost && ghost[row]));
			row++;
		}
	}
	TRY(put_events(packer, false));
	return put_events(packer, true);
}
