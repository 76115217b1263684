/* Trace: decides from its header and summary rows whether a block can contain records that a filter selects. See filter.h.
 *
 * The tree is evaluated for the records of each function, from its summary row, and then for the block. FILTER_NONE and
 * FILTER_ALL are returned only if they are certain: the result of a call that a block boundary cuts is in a later block,
 * and a block of codec rows can have no summary rows.
 */
#include "codec/host/decode.h"
#include "trace/filter/filter_tree.h"

#include <string.h>

/* What is known about some records of the block. */
struct view {
	const struct block_header *header;
	size_t function; /* index in arrays by function */
	bool known;	 /* all records are of this function */
	bool open;	 /* some calls can have their result in another block */
	struct block_summary row;
};

static enum filter_verdict verdict_opposite(enum filter_verdict verdict)
{
	return FILTER_ALL - verdict;
}

static enum filter_verdict verdict_certain(bool all)
{
	return all ? FILTER_ALL : FILTER_NONE;
}

static enum filter_verdict verdict_smaller(enum filter_verdict a, enum filter_verdict b)
{
	return a < b ? a : b;
}

/* The verdict for values between two keys; `there`: how many of the records have a value. */
static enum filter_verdict verdict_between(const struct term *term, enum filter_verdict there,
					   uint64_t low, uint64_t high)
{
	if (term->type == TERM_PRESENT)
		return there;
	enum filter_verdict verdict = numbers_verdict(&term->numbers, low, high);
	verdict = term->negate ? verdict_opposite(verdict) : verdict;
	/* If only some records have a value, at most some are selected. */
	return verdict_smaller(verdict, there);
}

static enum filter_verdict verdict_failed(const struct view *view)
{
	if (!view->known || view->open)
		return FILTER_SOME;
	if (!view->row.failures)
		return FILTER_NONE;
	return view->row.failures == view->row.calls ? FILTER_ALL : FILTER_SOME;
}

static enum filter_verdict verdict_finished(const struct view *view)
{
	return view->known && !view->open ? FILTER_ALL : FILTER_SOME;
}

static enum filter_verdict verdict_marks(const struct varve_filter *filter, const struct term *term,
					 const struct view *view)
{
	if (term->field->id == FIELD_RUNTIME && process_launches(filter, view->header))
		return FILTER_ALL;
	if (term->field->id == FIELD_FAILED)
		return verdict_failed(view);
	return term->field->id == FIELD_UNFINISHED ? verdict_opposite(verdict_finished(view))
						   : FILTER_SOME;
}

bool block_moments(const struct block_header *header, int64_t *low, int64_t *high)
{
	int64_t resolution = header->resolution, first, last;
	if (header->last_tick < header->first_tick ||
	    __builtin_mul_overflow(header->first_tick, resolution, &first) ||
	    __builtin_mul_overflow(header->last_tick, resolution, &last))
		return false;
	*low = first;
	*high = last;
	return true;
}

/* Whether all records are of a function whose end is not recorded. */
static bool view_untimed(const struct varve_filter *filter, const struct view *view)
{
	return view->known && !function_timed(trace_function(filter->trace, view->row.function));
}

static enum filter_verdict verdict_moment(const struct term *term, const struct view *view)
{
	int64_t low, high;
	if (!block_moments(view->header, &low, &high))
		return FILTER_SOME;
	if (term->field->id == FIELD_TIME)
		return verdict_between(term, FILTER_ALL, key_signed(low), key_signed(high));
	if (term->field->id != FIELD_END)
		return FILTER_SOME;
	/* The last tick is also the largest exit. There is no smallest one, because a clock can go back. */
	if (verdict_finished(view) == FILTER_ALL)
		return verdict_between(term, FILTER_ALL, 0, key_signed(high));
	return FILTER_SOME;
}

static enum filter_verdict verdict_ordinal(const struct term *term, const struct view *view)
{
	uint64_t low = view->header->first_ordinal, high;
	if (!view->header->records || __builtin_add_overflow(low, view->header->records - 1, &high))
		return FILTER_SOME;
	if (view->header->version == BLOCK_VERSION_PART)
		high = UINT64_MAX;
	/* A second half whose first half is lost has an earlier ordinal. */
	return verdict_between(term, FILTER_ALL, view->open || !view->known ? 0 : low, high);
}

/* For fields in words, only the existence of the field in the function is known. */
static enum filter_verdict verdict_words(const struct term *term, const struct view *view)
{
	const struct place *place = &term->places->by_function[view->function];
	if (!view->known)
		return FILTER_SOME;
	if (place->way == PLACE_NONE ||
	    (term->bound_of && term->type == TERM_COMPARE && !term->bound_of[view->function]))
		return FILTER_NONE;
	if (term->field->id == FIELD_RESULT && term->type == TERM_PRESENT)
		return place->unrecorded ? verdict_smaller(verdict_finished(view), FILTER_SOME)
					 : verdict_finished(view);
	/* No call transferred more than all calls together. */
	if (term->field->id == FIELD_SIZE && verdict_finished(view) == FILTER_ALL)
		return verdict_between(term, FILTER_SOME, 0, view->row.bytes);
	return FILTER_SOME;
}

static enum filter_verdict verdict_process(const struct varve_filter *filter,
					   const struct term *term, const struct view *view)
{
	struct varve_text text;
	uint64_t key;
	if (term->field->type == TYPE_TEXT) {
		bool there = process_text(filter->trace, view->header, term->field->id, &text);
		return verdict_certain(there &&
				       (term->type == TERM_PRESENT ||
					matcher_fits(&term->matcher, text) != term->negate));
	}
	return process_key(filter, view->header, term->field->id, &key)
		       ? verdict_between(term, FILTER_ALL, key, key)
		       : FILTER_NONE;
}

static enum filter_verdict verdict_condition(const struct varve_filter *filter,
					     const struct term *term, const struct view *view)
{
	bool present = term->type == TERM_PRESENT;
	switch (term->field->source) {
	case OF_FUNCTION:
		return view->known ? verdict_certain(term->by_function[view->function])
				   : FILTER_SOME;
	case OF_MARKS:
		return present ? FILTER_ALL : verdict_marks(filter, term, view);
	case OF_OUTCOME:
		if (term->field->id == FIELD_ERRNO)
			return present ? verdict_failed(view)
				       : verdict_smaller(verdict_failed(view), FILTER_SOME);
		return verdict_words(term, view);
	case OF_TIMES:
		if (term->field->id != FIELD_TIME && view_untimed(filter, view))
			return FILTER_NONE;
		if (term->field->id == FIELD_DURATION)
			return present ? verdict_finished(view) : FILTER_SOME;
		return verdict_moment(term, view);
	case OF_ORDER:
		return present				  ? FILTER_ALL
		       : term->field->id == FIELD_ORDINAL ? verdict_ordinal(term, view)
							  : FILTER_SOME;
	case OF_PROCESS:
		return verdict_process(filter, term, view);
	case OF_WORDS:
	case OF_ARGUMENT:
		return verdict_words(term, view);
	case OF_PARENT:
	case OF_REGION:
	case OF_FILE:
	default:
		return FILTER_SOME;
	}
}

static enum filter_verdict verdict_of(const struct varve_filter *filter, const struct term *term,
				      const struct view *view)
{
	switch (term->type) {
	case TERM_NOT:
		return verdict_opposite(verdict_of(filter, term->first, view));
	case TERM_AND:
	case TERM_OR:
		break;
	case TERM_INSIDE:
		return FILTER_SOME;
	case TERM_TRUTH:
	case TERM_PRESENT:
	case TERM_COMPARE:
	default:
		return verdict_condition(filter, term, view);
	}
	/* One child with this verdict decides the term. */
	enum filter_verdict decides = term->type == TERM_AND ? FILTER_NONE : FILTER_ALL;
	enum filter_verdict verdict = verdict_opposite(decides);
	for (const struct term *child = term->first; child; child = child->next) {
		enum filter_verdict one = verdict_of(filter, child, view);
		if (one == decides)
			return one;
		if (one == FILTER_SOME)
			verdict = FILTER_SOME;
	}
	return verdict;
}

enum filter_verdict filter_function(const struct varve_filter *filter,
				    const struct trace_block *block,
				    const struct block_summary *row, bool continued)
{
	const struct view view = {.header = &block->header,
				  .function = filter->place_of[row->function],
				  .known = true,
				  .open = row->unfinished != 0 || continued,
				  .row = *row};
	return verdict_of(filter, filter->root, &view);
}

enum filter_verdict filter_block(const struct varve_filter *filter, const struct trace_block *block)
{
	const struct block_header *header = &block->header;
	if (!header->records)
		return FILTER_NONE;
	if (!block_summarized(header) || !header->summaries)
		return verdict_of(filter, filter->root, &(struct view){.header = header});
	bool some = false, none = false;
	bool continued = block_continued(block->bytes, header) != 0;
	for (uint32_t i = 0; i < header->summaries && !(some && none); i++) {
		struct block_summary row = block_summary_at(block->bytes, header, i);
		enum filter_verdict verdict = filter_function(filter, block, &row, continued);
		if (verdict == FILTER_SOME)
			return FILTER_SOME;
		some |= verdict == FILTER_ALL;
		none |= verdict == FILTER_NONE;
	}
	if (some && none)
		return FILTER_SOME;
	return some ? FILTER_ALL : FILTER_NONE;
}
