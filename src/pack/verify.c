/* Pack: compares a packed trace with its source. See pack.h.
 *
 * Both are read in the same way as by any reader, stream by stream, and every record and every definition is compared. Changes
 * nothing, and stops at the first difference.
 */
#include "pack/pack.h"

#include "analyze/totals.h"
#include "trace/cursor/stream.h"
#include "trace/definitions.h"
#include "trace/trace_inside.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct verifying {
	struct varve_trace *source, *packed;
	bool timed;
	const struct varve_stream *where; /* in the source */
	struct varve_causes *causes;
};

static enum varve_status streams_differ(const struct verifying *verifying, const char *what,
					uint64_t ordinal)
{
	return cause(
		verifying->causes, VARVE_DAMAGED,
		"the packed trace differs from its source: process %u, thread %u, call %" PRIu64
		": %s; the source is unchanged; please report this bug",
		verifying->where->process, verifying->where->thread, ordinal, what);
}

/* Compares an argument word. Names and handles that a later block has defined are compared by their meaning. */
static bool same_word(const struct verifying *verifying, const struct page *a, size_t row_a,
		      const struct page *b, size_t row_b, unsigned word)
{
	if (a->words[a->word_at[row_a] + word] == b->words[b->word_at[row_b] + word])
		return true;
	struct named_record named = page_named(a, verifying->source, row_a);
	if (!late_find(&named, (int32_t)word))
		return false;
	struct varve_text one = page_name(a, row_a, (int32_t)word);
	struct varve_text other = page_name(b, row_b, (int32_t)word);
	return one.length == other.length &&
	       (!one.length || !memcmp(one.bytes, other.bytes, one.length));
}

static enum varve_status compare_rows(const struct verifying *verifying, const struct page *a,
				      size_t row_a, const struct page *b, size_t row_b)
{
	uint64_t ordinal = a->ordinal[row_a];
	if (ordinal != b->ordinal[row_b])
		return streams_differ(verifying, "its number", ordinal);
	if (a->function[row_a] != b->function[row_b] || a->depth[row_a] != b->depth[row_b] ||
	    a->marks[row_a] != b->marks[row_b])
		return streams_differ(verifying, "its function, depth or marks", ordinal);
	if (verifying->timed &&
	    (a->entry[row_a] != b->entry[row_b] || a->exit[row_a] != b->exit[row_b]))
		return streams_differ(verifying, "its times", ordinal);
	if (a->result[row_a] != b->result[row_b] || a->error[row_a] != b->error[row_b])
		return streams_differ(verifying, "its result or error", ordinal);
	if (a->word_count[row_a] != b->word_count[row_b])
		return streams_differ(verifying, "the number of its arguments", ordinal);
	for (unsigned word = 0; word < a->word_count[row_a]; word++)
		if (!same_word(verifying, a, row_a, b, row_b, word))
			return streams_differ(verifying, "an argument", ordinal);
	return VARVE_OK;
}

static bool same_definition(const struct definition *a, const struct definition *b)
{
	return a->type == b->type && a->before == b->before && a->after_gap == b->after_gap &&
	       a->id == b->id && a->base_kind == b->base_kind && a->base == b->base &&
	       a->kind == b->kind && a->how == b->how && a->origin == b->origin && a->fd == b->fd &&
	       a->name == b->name && a->other == b->other && a->device == b->device &&
	       a->inode == b->inode && a->text_length == b->text_length &&
	       (!a->text_length || !memcmp(a->text, b->text, a->text_length));
}

static enum varve_status compare_definitions(const struct verifying *verifying,
					     struct trace_block *a, struct trace_block *b)
{
	struct definitions one, other;
	if (a->header.sequence != b->header.sequence)
		return streams_differ(verifying, "its block", a->header.first_ordinal);
	TRY(block_definitions(verifying->source, a, &one, verifying->causes));
	enum varve_status status =
		block_definitions(verifying->packed, b, &other, verifying->causes);
	if (status == VARVE_OK) {
		size_t k = 0;
		bool same = true;
		/* Late definitions are part of the calls, and compared with them. */
		for (size_t i = 0; same && i < one.count; i++) {
			if (one.list[i].late)
				continue;
			while (k < other.count && other.list[k].late)
				k++;
			same = k < other.count && same_definition(&one.list[i], &other.list[k++]);
		}
		for (; same && k < other.count; k++)
			same = other.list[k].late;
		if (!same)
			status = streams_differ(verifying, "the definitions of its block",
						a->header.first_ordinal);
	}
	definitions_clear(&one);
	definitions_clear(&other);
	return status;
}

/* Blocks that cannot be read have no chunk. */
static enum varve_status verify_blocks(const struct verifying *verifying,
				       const struct varve_stream *packed)
{
	struct trace_block *a = verifying->source->blocks + verifying->where->first;
	struct trace_block *b = verifying->packed->blocks + packed->first;
	size_t at = 0;
	for (size_t i = 0; i < verifying->where->count; i++) {
		if (!block_good(verifying->source, &a[i]) || a[i].bad)
			continue;
		if (at == packed->count)
			return streams_differ(verifying, "a block is missing",
					      a[i].header.first_ordinal);
		TRY(compare_definitions(verifying, &a[i], &b[at++]));
	}
	return at == packed->count ? VARVE_OK
				   : streams_differ(verifying, "there are more blocks", 0);
}

static enum varve_status compare_records(const struct verifying *verifying, struct stream *a,
					 struct stream *b)
{
	for (;;) {
		enum varve_status one = stream_next(a, verifying->causes);
		enum varve_status other = stream_next(b, verifying->causes);
		if (one == VARVE_END && other == VARVE_END)
			return VARVE_OK;
		if (one == VARVE_END || other == VARVE_END)
			return streams_differ(verifying, "one of them ends", 0);
		TRY(one);
		TRY(other);
		TRY(compare_rows(verifying, a->page, a->selected[a->at++], b->page,
				 b->selected[b->at++]));
	}
}

static enum varve_status verify_streams(const struct verifying *verifying,
					const struct varve_stream *packed)
{
	struct stream a, b;
	struct trace_filter all = TRACE_FILTER_ALL;
	stream_start(&a, verifying->source, verifying->where, &all, WANT_ALL, false);
	stream_start(&b, verifying->packed, packed, &all, WANT_ALL, false);
	enum varve_status status = compare_records(verifying, &a, &b);
	stream_stop(&a);
	stream_stop(&b);
	return status == VARVE_OK ? verify_blocks(verifying, packed) : status;
}

static enum varve_status compare_traces(struct verifying *verifying)
{
	size_t at = 0;
	const struct varve_trace *packed = verifying->packed;
	for (size_t i = 0; i < verifying->source->stream_count; i++) {
		const struct varve_stream *other = &packed->streams[at];
		verifying->where = &verifying->source->streams[i];
		bool there = at < packed->stream_count &&
			     other->process == verifying->where->process &&
			     other->thread == verifying->where->thread;
		/* A stream that could not be read at all is not in the packed trace. */
		if (!there && verifying->source->damage_count)
			continue;
		if (!there)
			return streams_differ(verifying, "the stream is missing", 0);
		TRY(verify_streams(verifying, other));
		at++;
	}
	return at == packed->stream_count
		       ? VARVE_OK
		       : cause(verifying->causes, VARVE_DAMAGED,
			       "the packed trace has more streams than its source");
}

static enum varve_status same_totals(const struct verifying *verifying,
				     const struct totals_kind *kind, const struct totals *one,
				     struct totals *other)
{
	enum varve_status status = VARVE_OK;
	bool same = one->known.count == other->known.count;
	for (size_t i = 0; same && i < one->known.count; i++) {
		size_t place;
		status = totals_find(other, &one->list[i].key, &place, verifying->causes);
		same = status == VARVE_OK && other->known.count == one->known.count;
		for (unsigned k = 0; same && k < TOTAL_SUMS; k++)
			same = one->list[i].sums[k] == other->list[place].sums[k] ||
			       (kind->ticks >> k & 1 &&
				verifying->packed->time == PACKED_TIME_NONE);
	}
	return same || status != VARVE_OK
		       ? status
		       : cause(verifying->causes, VARVE_DAMAGED,
			       "the packed trace has other sums than its source; the source is "
			       "unchanged; please report this bug");
}

/* Sums that the packed trace has stored are those of the records of its source. */
static enum varve_status compare_totals(const struct verifying *verifying,
					const struct totals_kind *kind)
{
	/* Not on the stack, which can be small. */
	struct totals *both = calloc(2, sizeof *both);
	if (!both)
		return cause(verifying->causes, VARVE_NO_MEMORY, "no memory for totals");
	enum varve_status status =
		totals_make(verifying->source, kind, NULL, &both[0], verifying->causes);
	if (status == VARVE_OK)
		status = totals_make(verifying->packed, kind, NULL, &both[1], verifying->causes);
	if (status == VARVE_OK)
		status = same_totals(verifying, kind, &both[0], &both[1]);
	totals_clear(&both[0]);
	totals_clear(&both[1]);
	free(both);
	return status;
}

enum varve_status pack_verify(const char *source, const int *files, size_t count,
			      struct varve_causes *causes)
{
	struct verifying verifying = {.causes = causes};
	enum varve_status status = trace_open(source, 0, &verifying.source, causes);
	if (status == VARVE_OK)
		status = trace_open_files(files, count, &verifying.packed, causes);
	if (status == VARVE_OK) {
		verifying.timed = verifying.packed->time == PACKED_TIME_EXACT;
		status = compare_traces(&verifying);
		for (size_t i = 0; status == VARVE_OK && i < TOTALS; i++)
			status = compare_totals(&verifying, &totals_kinds[i]);
	}
	trace_close(verifying.source);
	trace_close(verifying.packed);
	return status;
}
