/* Analyze: totals of regions. See region_totals.h. */
#include "analyze/region_totals.h"

#include <stdlib.h>
#include <string.h>

bool region_totals_wants(const struct varve_trace *trace, const struct varve_function *function)
{
	return !strcmp(trace->tables.layers[function->layer], "region") &&
	       (!strcmp(function->op, "region") || !strcmp(function->op, "function"));
}

/* The key of a row is its first field: a text, which is the name, or an address in the code. */
static struct total_key region_key(const struct varve_trace *trace, const struct page *page,
				   size_t row, const struct varve_function *function)
{
	struct total_key key = {.tag = function->id};
	const struct varve_field *field = function->field_count ? &function->fields[0] : NULL;
	uint32_t style = field && field->kind < trace->tables.kind_count
				 ? (uint32_t)trace->tables.kinds[field->kind].style
				 : VARVE_STYLE_ABSENT;
	if (style == VARVE_STYLE_STRING)
		key.text = page_name(page, row, field->word);
	else if (style == VARVE_STYLE_HEX && field->word >= 0 &&
		 field->word < page->word_count[row])
		key.number = page->words[page->word_at[row] + (uint32_t)field->word];
	if (!key.text.bytes)
		key.text = (struct varve_text){0};
	return key;
}

enum varve_status region_totals_page(struct totals *totals, const struct varve_trace *trace,
				     const struct page *page, const uint16_t *rows, size_t count,
				     uint64_t scale, struct varve_causes *causes)
{
	for (size_t i = 0; i < count; i++) {
		size_t row = rows[i], place;
		if (!totals->wanted[page->function[row]])
			continue;
		const struct varve_function *function = trace_function(trace, page->function[row]);
		if (!function)
			continue;
		struct total_key key = region_key(trace, page, row, function);
		TRY(totals_find(totals, &key, &place, causes));
		uint64_t *sums = totals->list[place].sums;
		bool unfinished = page->marks[row] & VARVE_UNFINISHED;
		uint64_t ticks =
			unfinished
				? 0
				: ((uint64_t)page->exit[row] - (uint64_t)page->entry[row]) * scale;
		sums[REGION_CALLS]++;
		sums[REGION_UNFINISHED] += unfinished;
		sums[REGION_LEFT] += !unfinished && page->result[row] != 0;
		sums[REGION_TICKS] += ticks;
		if (ticks > sums[REGION_LONGEST])
			sums[REGION_LONGEST] = ticks;
	}
	return VARVE_OK;
}

enum varve_status region_totals_make(struct varve_trace *trace, const struct varve_filter *where,
				     struct varve_region_totals *result,
				     struct varve_causes *causes)
{
	struct totals all;
	*result = (struct varve_region_totals){0};
	TRY(totals_make(trace, &totals_kinds[TOTALS_REGIONS], where, &all, causes));
	result->totals = calloc(all.known.count + 1, sizeof *result->totals);
	if (!result->totals) {
		totals_clear(&all);
		return cause(causes, VARVE_NO_MEMORY, "no memory for the totals of regions");
	}
	for (size_t i = 0; i < all.known.count; i++) {
		struct total *total = &all.list[i];
		const struct varve_function *function =
			trace_function(trace, (uint16_t)total->key.tag);
		if (!function) /* a damaged total can have any tag */
			continue;
		result->totals[result->count++] =
			(struct varve_region_total){.function = function,
						    .name = total->key.text,
						    .process = total->key.owner,
						    .code = total->key.number,
						    .calls = total->sums[REGION_CALLS],
						    .unfinished = total->sums[REGION_UNFINISHED],
						    .left = total->sums[REGION_LEFT],
						    .ns = total->sums[REGION_TICKS],
						    .longest_ns = total->sums[REGION_LONGEST]};
		total->key.text.bytes = NULL; /* now owned by the result */
	}
	totals_clear(&all);
	return VARVE_OK;
}
