/* Trace: makes and frees a filter; owns its memory and the form of its errors. See filter.h.
 *
 * All files of the filter allocate memory here and report errors in the text here. Nothing here depends on the language.
 */
#include "trace/filter/filter_tree.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_MOST = 48 };

enum varve_status filter_take(struct varve_filter *filter, size_t count, size_t size, void *result)
{
	void *piece = arena_get(&filter->memory, count, size);
	if (!piece)
		return cause(filter->causes, VARVE_NO_MEMORY, "no memory for a filter");
	memcpy(result, &piece, sizeof piece);
	return VARVE_OK;
}

enum varve_status filter_wrong(struct varve_filter *filter, size_t at, const char *format, ...)
{
	char text[VARVE_CAUSE_TEXT - 64];
	va_list list;
	va_start(list, format);
	vsnprintf(text, sizeof text, format, list);
	va_end(list);
	*filter->column = at;
	return cause(filter->causes, VARVE_USAGE, "column %zu: %s", at + 1, text);
}

struct shown filter_shown(const char *bytes, size_t length)
{
	struct shown shown = {""};
	size_t most = length > NAME_MOST ? NAME_MOST : length;
	for (size_t i = 0; i < most; i++)
		shown.text[i] = bytes[i] >= 0x20 && bytes[i] < 0x7f ? bytes[i] : '?';
	if (length > NAME_MOST)
		memcpy(shown.text + NAME_MOST, "...", 3);
	return shown;
}

struct shown nearest_ask(const struct nearest *nearest)
{
	struct shown shown = {""};
	/* 16 bytes of text, and the name, which is truncated. */
	if (nearest->name)
		snprintf(shown.text, sizeof shown.text, "; did you mean `%.40s`?", nearest->name);
	return shown;
}

static enum varve_status filter_fill(struct varve_filter *filter)
{
	if (filter->length > FILTER_TEXT_MOST)
		return filter_wrong(filter, FILTER_TEXT_MOST,
				    "a filter can have at most %d bytes, this one has %zu",
				    FILTER_TEXT_MOST, filter->length);
	/* Each word needs its bytes and a zero byte. After each word but the last, the text has a separator or quotes. */
	TRY(filter_take(filter, filter->length + 2, 1, &filter->texts));
	TRY(filter_parse(filter));
	return filter_bind(filter);
}

enum varve_status filter_make(const struct varve_trace *trace, const char *text,
			      struct varve_filter **result, size_t *column,
			      struct varve_causes *causes)
{
	*result = NULL;
	*column = 0;
	struct varve_filter *filter = calloc(1, sizeof *filter);
	if (!filter)
		return cause(causes, VARVE_NO_MEMORY, "no memory for a filter");
	filter->trace = trace;
	filter->text = text;
	filter->length = strlen(text);
	filter->column = column;
	filter->causes = causes;
	enum varve_status status = filter_fill(filter);
	if (status != VARVE_OK) {
		filter_free(filter);
		return status;
	}
	filter->text = NULL;
	filter->column = NULL;
	filter->causes = NULL;
	*result = filter;
	return VARVE_OK;
}

void filter_free(struct varve_filter *filter)
{
	if (!filter)
		return;
	filter_regexes_free(filter);
	arena_clear(filter->memory.chunks);
	free(filter);
}

enum varve_status filter_fits(const struct varve_filter *filter, const struct varve_trace *trace,
			      struct varve_causes *causes)
{
	return !filter || filter->trace == trace
		       ? VARVE_OK
		       : cause(causes, VARVE_USAGE, "the filter was made for another trace");
}

static bool term_is_steady(const struct term *term)
{
	switch (term->type) {
	case TERM_NOT:
	case TERM_AND:
	case TERM_OR:
		for (const struct term *child = term->first; child; child = child->next)
			if (!term_is_steady(child))
				return false;
		return true;
	case TERM_TRUTH:
	case TERM_PRESENT:
	case TERM_COMPARE:
		return term->field->source == OF_FUNCTION || term->field->source == OF_PROCESS;
	case TERM_INSIDE:
	default:
		return false;
	}
}

bool filter_steady(const struct varve_filter *filter)
{
	return term_is_steady(filter->root);
}

unsigned filter_wants(const struct varve_filter *filter)
{
	return filter->wants;
}

int filter_region_word(const struct varve_filter *filter, uint16_t function)
{
	return filter->region_words ? filter->region_words[filter->place_of[function]] - 1 : -1;
}

const uint32_t *filter_inside(const struct varve_filter *filter)
{
	return filter->inside;
}
