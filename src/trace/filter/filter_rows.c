/* Trace: decides which rows of a page a filter selects. See filter.h.
 *
 * The tree is evaluated for the whole page, one condition at a time; each gives one byte per row. Conditions on the
 * function are looked up, those on the process are computed once, and those on the file once for each file. The filter is
 * not changed. A field without its own branch here has a value in no row.
 */
#include "base/key_values.h"
#include "trace/filter/filter_tree.h"

#include <stdlib.h>
#include <string.h>

enum { STACK_MASKS = 8 };

/* A numeric field of all rows: keys, and which rows have a value. */
struct page_column {
	uint64_t key[PAGE_ROWS];
	uint8_t there[PAGE_ROWS];
};

/* ---- of the process ---- */

bool process_key(const struct varve_filter *filter, const struct block_header *header,
		 enum field_id id, uint64_t *key)
{
	if (id == FIELD_WORLD || id == FIELD_RANK) {
		const struct varve_process *process = trace_process(filter->trace, header->process);
		uint32_t world = process ? process_world(process) : 1;
		*key = id == FIELD_WORLD ? world : key_signed(header->rank);
		return header->rank >= 0 && (world == 1 || filter->worlds);
	}
	if (id == FIELD_PID)
		*key = key_signed(header->pid);
	else if (id == FIELD_TID)
		*key = key_signed(header->tid);
	else if (id == FIELD_PROCESS)
		*key = header->process;
	else if (id == FIELD_THREAD)
		*key = header->thread;
	else
		return false;
	return true;
}

bool process_launches(const struct varve_filter *filter, const struct block_header *header)
{
	const struct varve_process *process = trace_process(filter->trace, header->process);
	return process && filter->launchers[process - filter->trace->processes];
}

bool process_text(const struct varve_trace *trace, const struct block_header *header,
		  enum field_id id, struct varve_text *text)
{
	const struct varve_process *process = trace_process(trace, header->process);
	const char *key = id == FIELD_HOST ? "host" : id == FIELD_PROGRAM ? "exe" : NULL;
	const char *value = process && key ? process_value(process, key) : NULL;
	size_t at = 0;
	if (!value && id == FIELD_HOST)
		value = key_values_find(trace->description, trace->description_length, key, &at);
	*text = (struct varve_text){value, value ? strlen(value) : 0};
	return value != NULL;
}

static bool process_wanted(const struct varve_filter *filter, const struct term *term,
			   const struct block_header *header)
{
	struct varve_text text;
	uint64_t key;
	if (term->field->type == TYPE_TEXT) {
		if (!process_text(filter->trace, header, term->field->id, &text))
			return false;
		return term->type == TERM_PRESENT ||
		       matcher_fits(&term->matcher, text) != term->negate;
	}
	if (!process_key(filter, header, term->field->id, &key))
		return false;
	return term->type == TERM_PRESENT || numbers_hold(&term->numbers, key) != term->negate;
}

/* ---- of the file ---- */

/* The last component of the path, without slashes at the end. */
static bool last_component(const struct varve_file *file, struct varve_text *text)
{
	struct varve_text path = file->absolute.bytes ? file->absolute : file->given;
	size_t end = path.length, from;
	if (!path.bytes)
		return false;
	while (end && path.bytes[end - 1] == '/')
		end--;
	for (from = end; from && path.bytes[from - 1] != '/';)
		from--;
	*text = (struct varve_text){path.bytes + from, end - from};
	return end > from;
}

static bool file_extension(const struct varve_file *file, struct varve_text *text)
{
	struct varve_text name;
	if (!last_component(file, &name))
		return false;
	const char *dot = memrchr(name.bytes, '.', name.length);
	if (!dot || dot == name.bytes || dot == name.bytes + name.length - 1)
		return false;
	*text = (struct varve_text){dot + 1, (size_t)(name.bytes + name.length - dot - 1)};
	return true;
}

bool file_text(const struct varve_file *file, enum field_id id, struct varve_text *text)
{
	if (id == FIELD_FILE)
		return last_component(file, text);
	if (id == FIELD_EXTENSION)
		return file_extension(file, text);
	if (id == FIELD_KIND) {
		const char *kind = handle_kind_name(file->kind);
		*text = (struct varve_text){kind, strlen(kind)};
		return file->handle != 0;
	}
	*text = id == FIELD_PATH       ? file->given
		: id == FIELD_ABSOLUTE ? file->absolute
				       : (struct varve_text){0};
	return text->bytes != NULL;
}

static uint8_t file_wanted(const struct term *term, const struct varve_file *file)
{
	struct varve_text text;
	if (!file_text(file, term->field->id, &text))
		return 0;
	return term->type == TERM_PRESENT || matcher_fits(&term->matcher, text) != term->negate;
}

static void files_wanted(const struct term *term, const struct page *page, uint8_t *keep)
{
	uint8_t wanted[PAGE_FILES_MOST];
	for (size_t i = 0; i < page->file_count; i++)
		wanted[i] = file_wanted(term, &page->files[i]);
	/* For a call on two files, it is enough that one of them satisfies the condition. */
	for (size_t i = 0; i < page->count; i++)
		keep[i] = (page->file[i] != PAGE_NO_FILE && wanted[page->file[i]]) ||
			  (page->second[i] != PAGE_NO_FILE && wanted[page->second[i]]);
}

/* `place`: indices of the first or of the second file of each row. */
static void file_column(const struct page *page, const uint16_t *place, enum field_id id,
			struct page_column *column)
{
	for (size_t i = 0; i < page->count; i++) {
		column->there[i] = 0;
		if (place[i] >= page->file_count)
			continue;
		const struct varve_file *file = &page->files[place[i]];
		if (id == FIELD_HANDLE) {
			column->key[i] = file->handle;
			column->there[i] = file->handle != 0;
		} else if (id == FIELD_DEVICE || id == FIELD_INODE) {
			column->key[i] = id == FIELD_DEVICE ? file->device : file->inode;
			column->there[i] = file->how != VARVE_IDENTITY_NONE;
		}
	}
}

/* ---- of the record ---- */

static bool row_returned(const struct page *page, size_t row)
{
	return !(page->marks[row] & (VARVE_UNFINISHED | VARVE_FAILED));
}

static const struct place *place_at(const struct varve_filter *filter, const struct places *places,
				    const struct page *page, size_t row)
{
	return &places->by_function[filter->place_of[page->function[row]]];
}

/* Reads the word of a place; false: the row does not have it. */
static bool word_at(const struct varve_filter *filter, const struct place *place,
		    const struct page *page, size_t row, uint64_t *word)
{
	if ((place->way != PLACE_INPUT && place->way != PLACE_OUTPUT) ||
	    place->word >= page->word_count[row] ||
	    (place->way == PLACE_OUTPUT && !row_returned(page, row)))
		return false;
	*word = page->words[page->word_at[row] + place->word];
	if (place->way == PLACE_OUTPUT && place->style == VARVE_STYLE_HEX &&
	    !tables_set(&filter->trace->tables.kinds[place->kind], page->result[row], *word))
		return false;
	if (*word == (uint64_t)INT64_MIN &&
	    tables_absent(&filter->trace->tables.kinds[place->kind], *word))
		return false;
	return *word || !place->unrecorded;
}

static uint64_t key_of_word(uint8_t style, bool is_signed, uint64_t word)
{
	if (style == VARVE_STYLE_FD || style == VARVE_STYLE_DIRFD)
		return key_signed(pair_fd(word));
	return is_signed ? key_signed((int64_t)word) : word;
}

static void size_column(const struct varve_filter *filter, const struct page *page,
			struct page_column *column)
{
	for (size_t i = 0; i < page->count; i++) {
		uint16_t place = filter->place_of[page->function[i]];
		column->there[i] = 0;
		if (!place)
			continue;
		const struct varve_function *function = &filter->trace->tables.functions[place - 1];
		column->there[i] = moved_bytes(
			function->bytes_rule, function->bytes_word, page->marks[i], page->result[i],
			page->words + page->word_at[i], page->word_count[i], &column->key[i]);
	}
}

/* The columns of `fd` and `offset`. */
static void word_column(const struct varve_filter *filter, const struct term *term,
			const struct page *page, struct page_column *column)
{
	for (size_t i = 0; i < page->count; i++) {
		const struct place *place = place_at(filter, term->places, page, i);
		uint64_t word = 0;
		column->there[i] = word_at(filter, place, page, i, &word);
		column->key[i] = key_of_word(place->style, term->field->is_signed, word);
		if (place->way == PLACE_OUTPUT && place->style == VARVE_STYLE_OFFSET)
			column->there[i] &= (int64_t)word >= 0; /* else it is not known */
	}
}

static void time_column(const struct varve_filter *filter, const struct page *page,
			enum field_id id, struct page_column *column)
{
	uint32_t resolution = page->block->header.resolution;
	const int64_t *entry = page->entry, *exit = page->exit;
	for (size_t i = 0; i < page->count; i++) {
		bool finished = !(page->marks[i] & VARVE_UNFINISHED) &&
				function_timed(trace_function(filter->trace, page->function[i]));
		int64_t ticks = 0;
		column->there[i] =
			id == FIELD_TIME || ((id == FIELD_END || id == FIELD_DURATION) && finished);
		if (id == FIELD_TIME)
			ticks = entry[i];
		else if (id == FIELD_END)
			ticks = exit[i];
		else if (id == FIELD_DURATION)
			ticks = (int64_t)((uint64_t)exit[i] - (uint64_t)entry[i]);
		column->key[i] = key_signed(ticks_ns(ticks, resolution));
	}
}

static void outcome_column(const struct varve_filter *filter, const struct term *term,
			   const struct page *page, struct page_column *column)
{
	for (size_t i = 0; i < page->count; i++) {
		bool finished = !(page->marks[i] & VARVE_UNFINISHED);
		if (term->field->id == FIELD_ERRNO) {
			column->key[i] = key_signed(page->error[i]);
			column->there[i] = (page->marks[i] & VARVE_FAILED) != 0;
		} else if (term->field->id == FIELD_RESULT) {
			column->key[i] = key_signed(page->result[i]);
			const struct place *place = place_at(filter, term->places, page, i);
			column->there[i] = finished && place->way != PLACE_NONE &&
					   (page->result[i] || !place->unrecorded);
		} else {
			column->there[i] = 0;
		}
	}
}

static void number_column(const struct varve_filter *filter, const struct term *term,
			  const struct page *page, struct page_column *column)
{
	enum field_id id = term->field->id;
	if (id == FIELD_SIZE)
		size_column(filter, page, column);
	else if (term->field->source == OF_WORDS)
		word_column(filter, term, page, column);
	else if (term->field->source == OF_FILE)
		file_column(page, page->file, id, column);
	else if (term->field->source == OF_TIMES)
		time_column(filter, page, id, column);
	else if (term->field->source == OF_OUTCOME)
		outcome_column(filter, term, page, column);
	else
		for (size_t i = 0; i < page->count; i++) {
			column->key[i] = id == FIELD_DEPTH ? page->depth[i] : page->ordinal[i];
			column->there[i] = id == FIELD_DEPTH || id == FIELD_ORDINAL;
		}
}

static void column_wanted(const struct term *term, const struct page_column *column, size_t count,
			  uint8_t *keep)
{
	const struct number_set *set = &term->numbers;
	if (term->type == TERM_PRESENT) {
		memcpy(keep, column->there, count);
		return;
	}
	if (set->count == 1 && set->plain == 1) {
		uint64_t low = set->ranges->low, span = set->ranges->high - low;
		for (size_t i = 0; i < count; i++)
			keep[i] =
				column->there[i] & ((column->key[i] - low <= span) != term->negate);
		return;
	}
	for (size_t i = 0; i < count; i++)
		keep[i] = column->there[i] && numbers_hold(set, column->key[i]) != term->negate;
}

static void numbers_wanted(const struct varve_filter *filter, const struct term *term,
			   const struct page *page, uint8_t *keep)
{
	struct page_column column;
	number_column(filter, term, page, &column);
	column_wanted(term, &column, page->count, keep);
	if (term->field->source != OF_FILE)
		return;
	uint8_t second[PAGE_ROWS];
	file_column(page, page->second, term->field->id, &column);
	column_wanted(term, &column, page->count, second);
	for (size_t i = 0; i < page->count; i++)
		keep[i] |= second[i];
}

static bool bits_hold(const struct bound *bound, uint64_t word)
{
	for (size_t i = 0; i < bound->bit_count; i++)
		if ((word & bound->bits[i].mask) != bound->bits[i].value)
			return false;
	return true;
}

static bool argument_wanted(const struct varve_filter *filter, const struct term *term,
			    const struct page *page, size_t row)
{
	size_t function = filter->place_of[page->function[row]];
	const struct place *place = &term->places->by_function[function];
	struct varve_text text = {0};
	uint64_t word;
	bool is_text = place->style == VARVE_STYLE_NAME || place->style == VARVE_STYLE_STRING;
	if (!word_at(filter, place, page, row, &word))
		return false;
	if (is_text && (term->type == TERM_PRESENT || term->bound_of[function])) {
		text = page_name(page, row, place->word);
		if (!text.bytes)
			return false;
	}
	if (term->type == TERM_PRESENT)
		return true;
	if (!term->bound_of[function])
		return false;
	const struct bound *bound = &term->bounds[term->bound_of[function] - 1];
	if (bound->is_text)
		return matcher_fits(&term->matcher, text) != term->negate;
	if (bound->bits)
		return bits_hold(bound, word);
	uint64_t key = key_of_word(place->style, bound->is_signed, word);
	return numbers_hold(&bound->numbers, key) != term->negate;
}

/* Rows in the same region are neighbours and have the same text, at the same address. */
static void regions_wanted(const struct term *term, const struct page *page, uint8_t *keep)
{
	struct varve_text last = {0};
	uint8_t wanted = 0;
	for (size_t i = 0; i < page->count; i++) {
		struct varve_text text = page->region[i];
		if (text.bytes != last.bytes || text.length != last.length) {
			last = text;
			wanted = text.bytes && (term->type == TERM_PRESENT ||
						matcher_fits(&term->matcher, text) != term->negate);
		}
		keep[i] = wanted;
	}
}

static unsigned mark_of(enum field_id id)
{
	return id == FIELD_FAILED	? VARVE_FAILED
	       : id == FIELD_UNFINISHED ? VARVE_UNFINISHED
	       : id == FIELD_RUNTIME	? VARVE_RUNTIME
	       : id == FIELD_VFORK	? VARVE_VFORK
					: 0;
}

static void condition_wanted(const struct varve_filter *filter, const struct term *term,
			     const struct page *page, uint8_t *keep)
{
	size_t count = page->count;
	switch (term->field->source) {
	case OF_FUNCTION:
		for (size_t i = 0; i < count; i++)
			keep[i] = term->by_function[filter->place_of[page->function[i]]];
		return;
	case OF_PARENT:
		for (size_t i = 0; i < count; i++)
			keep[i] = term->by_function[filter->place_of[page->parent[i]]];
		return;
	case OF_MARKS:
		if (term->field->id == FIELD_RUNTIME &&
		    process_launches(filter, &page->block->header)) {
			memset(keep, 1, count);
			return;
		}
		for (size_t i = 0; i < count; i++)
			keep[i] = term->type == TERM_PRESENT ||
				  (page->marks[i] & mark_of(term->field->id));
		return;
	case OF_PROCESS:
		memset(keep, process_wanted(filter, term, &page->block->header), count);
		return;
	case OF_REGION:
		regions_wanted(term, page, keep);
		return;
	case OF_ARGUMENT:
		for (size_t i = 0; i < count; i++)
			keep[i] = argument_wanted(filter, term, page, i);
		return;
	case OF_FILE:
		if (term->field->type == TYPE_TEXT) {
			files_wanted(term, page, keep);
			return;
		}
		break;
	case OF_WORDS:
	case OF_OUTCOME:
	case OF_TIMES:
	case OF_ORDER:
	default:
		break;
	}
	numbers_wanted(filter, term, page, keep);
}

/* ---- the tree ---- */

/* `masks` has room for the bytes of a page for each level below this term. */
static void term_wanted(const struct varve_filter *filter, const struct term *term,
			const struct page *page, uint8_t *keep, uint8_t *masks)
{
	size_t count = page->count;
	if (term->type == TERM_INSIDE) {
		for (size_t i = 0; i < count; i++)
			keep[i] = (page->inside[i] & term->inside) != 0;
		return;
	}
	if (term->type != TERM_AND && term->type != TERM_OR && term->type != TERM_NOT) {
		condition_wanted(filter, term, page, keep);
		return;
	}
	term_wanted(filter, term->first, page, keep, masks + PAGE_ROWS);
	if (term->type == TERM_NOT) {
		for (size_t i = 0; i < count; i++)
			keep[i] = !keep[i];
		return;
	}
	/* For `and` a 0 decides a row, for `or` a 1. When all rows are decided, the other children need not be evaluated. */
	bool all = term->type == TERM_AND;
	for (const struct term *child = term->first->next; child; child = child->next) {
		if (!memchr(keep, all, count))
			return;
		term_wanted(filter, child, page, masks, masks + PAGE_ROWS);
		if (all)
			for (size_t i = 0; i < count; i++)
				keep[i] &= masks[i];
		else
			for (size_t i = 0; i < count; i++)
				keep[i] |= masks[i];
	}
}

enum varve_status filter_rows(const struct varve_filter *filter, const struct page *page,
			      uint8_t *keep, struct varve_causes *causes)
{
	uint8_t few[STACK_MASKS * PAGE_ROWS];
	if (filter->depth <= STACK_MASKS) {
		term_wanted(filter, filter->root, page, keep, few);
		return VARVE_OK;
	}
	uint8_t *masks = malloc((size_t)filter->depth * PAGE_ROWS);
	if (!masks)
		return cause(causes, VARVE_NO_MEMORY, "no memory for a filter's masks");
	term_wanted(filter, filter->root, page, keep, masks);
	free(masks);
	return VARVE_OK;
}
