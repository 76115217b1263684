/* Analyze: sums over records by key. See totals.h. */
#include "analyze/totals.h"

#include "analyze/file_totals.h"
#include "analyze/region_totals.h"
#include "base/hash.h"
#include "codec/host/decode.h"
#include "trace/cursor/cursor.h"
#include "trace/cursor/stream.h"
#include "trace/filter/filter.h"
#include "trace/names/spellings.h"
#include "trace/packed/packed.h"

#include <stdlib.h>
#include <string.h>

const struct totals_kind totals_kinds[TOTALS] = {
	[TOTALS_FILES] = {.track = PACKED_FILES,
			  .since = PACKED_VERSION_SPLIT,
			  .sums = FILE_SUMS,
			  .tag_bytes = 1,
			  .ticks = 1 << FILE_TICKS,
			  .limited = 1 << FILE_READ | 1 << FILE_WRITTEN,
			  .want = PAGE_FILES,
			  .page = file_totals_page},
	[TOTALS_REGIONS] = {.track = PACKED_REGIONS,
			    .since = PACKED_VERSION_FIRST + 1,
			    .sums = REGION_SUMS,
			    .tag_bytes = 2,
			    .numbered = true,
			    .ticks = 1 << REGION_TICKS | 1 << REGION_LONGEST,
			    .greatest = 1 << REGION_LONGEST,
			    .wants = region_totals_wants,
			    .page = region_totals_page},
};

static enum varve_status totals_no_memory(struct varve_causes *causes)
{
	return cause(causes, VARVE_NO_MEMORY, "no memory for totals");
}

/* Removes all totals, but keeps which functions are needed. */
static void totals_empty(struct totals *totals)
{
	for (size_t i = 0; i < totals->known.count; i++)
		free((char *)(uintptr_t)totals->list[i].key.text.bytes);
	free(totals->list);
	totals->list = NULL;
	known_clear(&totals->known);
}

void totals_clear(struct totals *totals)
{
	totals_empty(totals);
	free(totals->wanted);
	totals->wanted = NULL;
}

enum varve_status totals_start(struct totals *totals, const struct varve_trace *trace,
			       const struct totals_kind *kind, struct varve_causes *causes)
{
	if (!kind->wants)
		return VARVE_OK;
	totals->wanted = calloc(TRACE_FUNCTIONS, 1);
	if (!totals->wanted)
		return totals_no_memory(causes);
	for (uint32_t i = 0; i < trace->tables.function_count; i++) {
		const struct varve_function *function = &trace->tables.functions[i];
		totals->wanted[function->id] = kind->wants(trace, function);
	}
	return VARVE_OK;
}

static bool same_key(const struct total_key *a, const struct total_key *b)
{
	return a->tag == b->tag && a->owner == b->owner && a->number == b->number &&
	       a->text.length == b->text.length &&
	       (!a->text.length || !memcmp(a->text.bytes, b->text.bytes, a->text.length));
}

enum varve_status totals_find(struct totals *totals, const struct total_key *given, size_t *place,
			      struct varve_causes *causes)
{
	struct known *known = &totals->known;
	struct total_key key = *given;
	known->listed = true;
	TRY(known_room(known, &totals->list, sizeof *totals->list, causes));
	if (key.text.length > TOTAL_TEXT_MOST)
		key.text.length = TOTAL_TEXT_MOST;
	uint64_t hash = hash64(key.text.length ? key.text.bytes : "", key.text.length,
			       key.number + key.tag + ((uint64_t)key.owner << 32));
	size_t at = known_first(known, hash);
	while (known_is(known, at) && !same_key(&totals->list[known_number(known, at)].key, &key))
		at = known_next(known, hash, at);
	if (!known_is(known, at)) {
		char *bytes = malloc((size_t)key.text.length + 1);
		if (!bytes)
			return totals_no_memory(causes);
		if (key.text.length)
			memcpy(bytes, key.text.bytes, key.text.length);
		bytes[key.text.length] = 0;
		key.text.bytes = bytes;
		totals->list[known->count] = (struct total){.key = key};
		known_put(known, at, hash);
	}
	*place = known_number(known, at);
	return VARVE_OK;
}

/* Adds the totals of one stream of a process to the totals of all. */
static enum varve_status stream_join(struct totals *all, const struct totals *own,
				     const struct totals_kind *kind, uint32_t process,
				     struct spellings *spellings, struct varve_causes *causes)
{
	for (size_t i = 0; i < own->known.count; i++) {
		const struct total *from = &own->list[i];
		struct total_key key = from->key;
		size_t place;
		key.owner = key.number ? process : 0;
		if (kind == &totals_kinds[TOTALS_FILES])
			TRY(spelling_common(spellings, &key.text, causes));
		TRY(totals_find(all, &key, &place, causes));
		struct total *to = &all->list[place];
		for (unsigned k = 0; k < kind->sums; k++) {
			uint64_t more = from->sums[k];
			if (kind->greatest >> k & 1)
				to->sums[k] = more > to->sums[k] ? more : to->sums[k];
			else if (kind->limited >> k & 1)
				to->sums[k] = bytes_sum(to->sums[k], more);
			else
				to->sums[k] += more;
		}
		to->processes += to->process != process;
		to->process = process;
	}
	return VARVE_OK;
}

/* Computes the totals of a stream from its records. */
static enum varve_status stream_totals(struct varve_trace *trace, const struct varve_stream *where,
				       const struct totals_kind *kind,
				       const struct trace_filter *filter, struct totals *own,
				       struct varve_causes *causes)
{
	struct stream stream;
	unsigned asked = filter->where ? filter_wants(filter->where) : 0;
	enum varve_status status;
	stream_start(&stream, trace, where, filter, WANT_ALL | kind->want | asked, false);
	while ((status = stream_next(&stream, causes)) == VARVE_OK) {
		status = kind->page(own, trace, stream.page, stream.selected, stream.selected_count,
				    stream.block->header.resolution, causes);
		stream.at = stream.selected_count;
		if (status != VARVE_OK)
			break;
	}
	stream_stop(&stream);
	return status == VARVE_END ? VARVE_OK : status;
}

/* Takes the stored totals of a stream. If there are none, or they are damaged, computes them from the records. */
static enum varve_status stream_sums(struct varve_trace *trace, const struct varve_stream *where,
				     const struct totals_kind *kind,
				     const struct trace_filter *filter, struct totals *own,
				     struct varve_causes *causes)
{
	if (trace->packed && !filter->where && trace->packed->foot.version >= kind->since) {
		struct varve_causes found = {0};
		enum varve_status status =
			packed_totals(trace, &trace->blocks[where->first], kind, own, &found);
		if (status != VARVE_DAMAGED) {
			if (status != VARVE_OK && causes)
				*causes = found;
			return status;
		}
		totals_empty(own);
	}
	return stream_totals(trace, where, kind, filter, own, causes);
}

static enum varve_status streams_add(struct varve_trace *trace, const struct totals_kind *kind,
				     const struct trace_filter *filter, struct totals *all,
				     struct totals *own, struct varve_causes *causes)
{
	struct spellings spellings = {.trace = trace};
	enum varve_status status = VARVE_OK;
	for (size_t i = 0; status == VARVE_OK && i < trace->stream_count; i++) {
		const struct varve_stream *where = &trace->streams[i];
		totals_empty(own);
		status = stream_sums(trace, where, kind, filter, own, causes);
		if (status == VARVE_OK)
			status = stream_join(all, own, kind, where->process, &spellings, causes);
	}
	spellings_clear(&spellings);
	return status;
}

enum varve_status totals_make(struct varve_trace *trace, const struct totals_kind *kind,
			      const struct varve_filter *where, struct totals *totals,
			      struct varve_causes *causes)
{
	struct trace_filter filter = TRACE_FILTER_ALL;
	uint64_t budget = (256ull << 20) + trace->size * 16384;
	struct totals own = {.budget = &budget};
	*totals = (struct totals){0};
	filter.where = where;
	enum varve_status status = totals_start(&own, trace, kind, causes);
	filter.functions = own.wanted;
	if (status == VARVE_OK)
		status = streams_add(trace, kind, &filter, totals, &own, causes);
	totals_clear(&own);
	if (status != VARVE_OK)
		totals_clear(totals);
	return status;
}
