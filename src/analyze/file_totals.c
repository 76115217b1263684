/* Analyze: totals of files. See file_totals.h. */
#include "analyze/file_totals.h"

#include "codec/host/decode.h"

#include <stdlib.h>
#include <string.h>

/* The index in the list of the totals for file `file` of the page; false: it has no path. */
static bool file_place_of(struct totals *totals, const struct varve_trace *trace,
			  const struct page *page, uint16_t file, uint32_t layer, size_t *place,
			  enum varve_status *status, struct varve_causes *causes)
{
	if (file == PAGE_NO_FILE)
		return false;
	*place = totals->place[file] - 1u;
	if (totals->place[file] && totals->list[*place].key.tag == layer)
		return true;
	const struct varve_file *about = &page->files[file];
	struct total_key key = {.tag = layer,
				.text = about->absolute.length ? about->absolute : about->given};
	/* A record of layer varve, for example a loaded object, does not use a file. */
	if (!key.text.bytes || !key.text.length || !strcmp(trace->tables.layers[layer], "varve"))
		return false;
	*status = totals_find(totals, &key, place, causes);
	totals->place[file] = (uint32_t)*place + 1;
	return *status == VARVE_OK;
}

static void file_add_call(uint64_t *sums, const struct page *page, size_t row, uint64_t scale)
{
	uint8_t marks = page->marks[row];
	sums[FILE_CALLS]++;
	sums[FILE_FAILURES] += !!(marks & VARVE_FAILED);
	sums[FILE_UNFINISHED] += !!(marks & VARVE_UNFINISHED);
	if (!(marks & VARVE_UNFINISHED))
		sums[FILE_TICKS] +=
			((uint64_t)page->exit[row] - (uint64_t)page->entry[row]) * scale;
}

static void add_bytes(uint64_t *sums, uint8_t side, uint64_t bytes)
{
	if (side == VARVE_SIDE_READ)
		sums[FILE_READ] = bytes_sum(sums[FILE_READ], bytes);
	else if (side == VARVE_SIDE_WRITTEN)
		sums[FILE_WRITTEN] = bytes_sum(sums[FILE_WRITTEN], bytes);
}

/* A call on two different files counts for both; a call on one file under two names counts once. */
static enum varve_status file_add_row(struct totals *totals, const struct varve_trace *trace,
				      const struct page *page, size_t row,
				      const struct varve_function *function, uint64_t scale,
				      struct varve_causes *causes)
{
	enum varve_status status = VARVE_OK;
	size_t place, first = SIZE_MAX;
	const uint16_t file[2] = {page->file[row], page->second[row]};
	uint64_t bytes = record_bytes(function, page->marks[row], page->result[row],
				      page->words + page->word_at[row], page->word_count[row]);
	for (size_t i = 0; status == VARVE_OK && i < 2; i++) {
		if (!file_place_of(totals, trace, page, file[i], function->layer, &place, &status,
				   causes))
			continue;
		uint64_t *sums = totals->list[place].sums;
		if (place != first)
			file_add_call(sums, page, row, scale);
		add_bytes(sums, page->side[i][row], bytes);
		first = place;
	}
	return status;
}

enum varve_status file_totals_page(struct totals *totals, const struct varve_trace *trace,
				   const struct page *page, const uint16_t *rows, size_t count,
				   uint64_t scale, struct varve_causes *causes)
{
	memset(totals->place, 0, page->file_count * sizeof *totals->place);
	for (size_t i = 0; i < count; i++) {
		const struct varve_function *function =
			trace_function(trace, page->function[rows[i]]);
		if (function)
			TRY(file_add_row(totals, trace, page, rows[i], function, scale, causes));
	}
	return VARVE_OK;
}

/* Most bytes first. */
static int compare_places(const void *left, const void *right)
{
	const struct varve_file_total *a = left, *b = right;
	if (a->counters.bytes != b->counters.bytes)
		return a->counters.bytes < b->counters.bytes ? 1 : -1;
	if (a->counters.calls != b->counters.calls)
		return a->counters.calls < b->counters.calls ? 1 : -1;
	size_t common = a->path.length < b->path.length ? a->path.length : b->path.length;
	int order = memcmp(a->path.bytes, b->path.bytes, common);
	if (order)
		return order;
	if (a->path.length != b->path.length)
		return a->path.length < b->path.length ? -1 : 1;
	return a->layer < b->layer ? -1 : a->layer > b->layer;
}

enum varve_status file_totals_make(struct varve_trace *trace, const struct varve_filter *where,
				   struct varve_file_totals *result, struct varve_causes *causes)
{
	struct totals all;
	*result = (struct varve_file_totals){0};
	TRY(totals_make(trace, &totals_kinds[TOTALS_FILES], where, &all, causes));
	result->totals = calloc(all.known.count + 1, sizeof *result->totals);
	if (!result->totals) {
		totals_clear(&all);
		return cause(causes, VARVE_NO_MEMORY, "no memory for the totals of files");
	}
	for (; result->count < all.known.count; result->count++) {
		struct total *total = &all.list[result->count];
		const uint64_t *sums = total->sums;
		result->totals[result->count] = (struct varve_file_total){
			.path = total->key.text,
			.layer = total->key.tag,
			.processes = total->processes,
			.counters = {.calls = sums[FILE_CALLS],
				     .failures = sums[FILE_FAILURES],
				     .unfinished = sums[FILE_UNFINISHED],
				     .bytes = bytes_sum(sums[FILE_READ], sums[FILE_WRITTEN]),
				     .ns = sums[FILE_TICKS]},
			.bytes_read = sums[FILE_READ],
			.bytes_written = sums[FILE_WRITTEN]};
		total->key.text.bytes = NULL; /* now owned by the result */
	}
	totals_clear(&all);
	qsort(result->totals, result->count, sizeof *result->totals, compare_places);
	return VARVE_OK;
}
