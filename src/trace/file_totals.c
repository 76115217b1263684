/* Trace: what was done with each file. See file_totals.h. */
#include "trace/file_totals.h"

#include "base/hash.h"
#include "codec/decode.h"
#include "trace/cursor.h"
#include "trace/filter.h"
#include "trace/packed.h"
#include "trace/stream.h"

#include <stdlib.h>
#include <string.h>

static enum status no_memory(struct varve_causes *causes)
{
	return cause(causes, STATUS_NO_MEMORY, "no memory for the totals of files");
}

void file_totals_clear(struct file_totals *totals)
{
	for (size_t i = 0; i < totals->known.count; i++)
		free((char *)(uintptr_t)totals->list[i].path.bytes);
	free(totals->list);
	known_clear(&totals->known);
	totals->list = NULL;
}

static bool is_file(const struct varve_file_total *total, uint32_t layer, struct varve_text path)
{
	return total->layer == layer && total->path.length == path.length &&
	       !memcmp(total->path.bytes, path.bytes, path.length);
}

enum status file_totals_find(struct file_totals *totals, uint32_t layer, struct varve_text path,
			     size_t *place, struct varve_causes *causes)
{
	struct known *known = &totals->known;
	size_t room = known_wanted(known);
	known->listed = true;
	if (room) {
		struct varve_file_total *list = reallocarray(totals->list, room, sizeof *list);
		if (!list)
			return no_memory(causes);
		totals->list = list;
		TRY(known_grow(known, room, causes));
	}
	if (path.length > FILE_PATH_MOST)
		path.length = FILE_PATH_MOST;
	uint64_t hash = hash64(path.bytes, path.length, layer);
	size_t at = known_first(known, hash);
	while (known_is(known, at) && !is_file(&totals->list[known_number(known, at)], layer, path))
		at = known_next(known, hash, at);
	if (!known_is(known, at)) {
		char *bytes = malloc((size_t)path.length + 1);
		if (!bytes)
			return no_memory(causes);
		memcpy(bytes, path.bytes, path.length);
		bytes[path.length] = 0;
		totals->list[known->count] =
			(struct varve_file_total){.path = {bytes, path.length}, .layer = layer};
		known_put(known, at, hash);
	}
	*place = known_number(known, at);
	return STATUS_OK;
}

/* The place in the list of a row's file; false: it has no path. */
static bool place_of(struct file_totals *totals, const struct varve_trace *trace,
		     const struct page *page, size_t row, uint32_t layer, size_t *place,
		     enum status *status, struct varve_causes *causes)
{
	uint16_t file = page->file[row];
	if (file == PAGE_NO_FILE)
		return false;
	*place = totals->place[file] - 1u;
	if (totals->place[file] && totals->list[*place].layer == layer)
		return true;
	const struct varve_file *about = &page->files[file];
	struct varve_text path = about->absolute.length ? about->absolute : about->given;
	/* What the recorder says itself, as which objects were loaded, was done with no file. */
	if (!path.bytes || !path.length || !strcmp(trace->tables.layers[layer], "varve"))
		return false;
	*status = file_totals_find(totals, layer, path, place, causes);
	totals->place[file] = (uint32_t)*place + 1;
	return *status == STATUS_OK;
}

enum status file_totals_page(struct file_totals *totals, const struct varve_trace *trace,
			     const struct page *page, const uint16_t *rows, size_t count,
			     uint64_t scale, struct varve_causes *causes)
{
	enum status status = STATUS_OK;
	memset(totals->place, 0, page->file_count * sizeof *totals->place);
	for (size_t i = 0; status == STATUS_OK && i < count; i++) {
		size_t row = rows[i], place;
		const struct varve_function *function = trace_function(trace, page->function[row]);
		if (!function ||
		    !place_of(totals, trace, page, row, function->layer, &place, &status, causes))
			continue;
		struct varve_file_total *total = &totals->list[place];
		uint8_t marks = page->marks[row];
		total->counters.calls++;
		total->counters.failures += !!(marks & RECORD_FAILED);
		total->counters.unfinished += !!(marks & RECORD_UNFINISHED);
		if (!(marks & RECORD_UNFINISHED))
			total->counters.ns +=
				((uint64_t)page->exit[row] - (uint64_t)page->entry[row]) * scale;
		total->counters.bytes = bytes_sum(total->counters.bytes,
						  record_bytes(function, marks, page->result[row],
							       page->words + page->word_at[row],
							       page->word_count[row]));
	}
	return status;
}

/* Adds what was done in one stream, of a process. */
static enum status stream_join(struct file_totals *all, struct file_totals *own, uint32_t process,
			       struct varve_causes *causes)
{
	for (size_t i = 0; i < own->known.count; i++) {
		const struct varve_file_total *from = &own->list[i];
		size_t place;
		TRY(file_totals_find(all, from->layer, from->path, &place, causes));
		struct varve_file_total *to = &all->list[place];
		to->counters.calls += from->counters.calls;
		to->counters.failures += from->counters.failures;
		to->counters.unfinished += from->counters.unfinished;
		to->counters.bytes = bytes_sum(to->counters.bytes, from->counters.bytes);
		to->counters.ns += from->counters.ns;
		to->processes += to->process != process;
		to->process = process;
	}
	return STATUS_OK;
}

/* By its records. */
static enum status stream_read(struct varve_trace *trace, const struct varve_stream *where,
			       const struct trace_filter *filter, struct file_totals *own,
			       struct varve_causes *causes)
{
	struct stream stream;
	unsigned asked = filter->where ? filter_wants(filter->where) : 0;
	enum status status;
	stream_start(&stream, trace, where, filter, WANT_ALL | PAGE_FILES | asked, false);
	while ((status = stream_next(&stream, causes)) == STATUS_OK) {
		status = file_totals_page(own, trace, stream.page, stream.selected,
					  stream.selected_count, stream.block->header.resolution,
					  causes);
		stream.at = stream.selected_count;
		if (status != STATUS_OK)
			break;
	}
	stream_stop(&stream);
	return status == STATUS_END ? STATUS_OK : status;
}

static enum status streams_add(struct varve_trace *trace, const struct trace_filter *filter,
			       struct file_totals *all, struct file_totals *own,
			       struct varve_causes *causes)
{
	for (size_t i = 0; i < trace->stream_count; i++) {
		const struct varve_stream *where = &trace->streams[i];
		const struct trace_block *first = &trace->blocks[where->first];
		file_totals_clear(own);
		TRY(trace->packed && !filter->where
			    ? packed_file_totals(trace, first, own, causes)
			    : stream_read(trace, where, filter, own, causes));
		TRY(stream_join(all, own, where->process, causes));
	}
	return STATUS_OK;
}

/* Most bytes first. */
static int compare(const void *left, const void *right)
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

enum status file_totals_make(struct varve_trace *trace, const struct varve_filter *where,
			     struct varve_file_totals *result, struct varve_causes *causes)
{
	struct trace_filter filter = TRACE_FILTER_ALL;
	struct file_totals all = {0}, own = {0};
	filter.where = where;
	*result = (struct varve_file_totals){0};
	enum status status = streams_add(trace, &filter, &all, &own, causes);
	file_totals_clear(&own);
	if (status != STATUS_OK) {
		file_totals_clear(&all);
		return status;
	}
	if (all.known.count)
		qsort(all.list, all.known.count, sizeof *all.list, compare);
	*result = (struct varve_file_totals){.totals = all.list, .count = all.known.count};
	known_clear(&all.known);
	return STATUS_OK;
}
