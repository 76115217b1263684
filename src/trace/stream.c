/* Trace: reading one stream: decodes its blocks one after the other and joins calls that were cut. See stream.h.
 *
 * A call that is open when a block ends is repeated at the head of the next as continued. The last halves are
 * gathered once, from the blocks that say that they have any, when the first cut call is met. Names are local to a
 * block: so arguments known at entry stay as the first half has them, and only outputs come from the last half.
 */
#include "trace/stream.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct continuation {
	struct record record; /* the last half */
	size_t place;	      /* in order of blocks */
	bool begun;	      /* the call was yielded */
	int32_t late_word;    /* output word that is a name, or -1 */
	char *late;
	size_t late_length;
};

void stream_start(struct stream *stream, struct trace *trace, const struct trace_stream *where,
		  const struct trace_filter *filter)
{
	*stream = (struct stream){.trace = trace, .where = where, .filter = filter};
}

static void unload(struct stream *stream)
{
	if (stream->loaded)
		batch_clear(&stream->batch);
	stream->loaded = false;
}

void stream_stop(struct stream *stream)
{
	unload(stream);
	names_clear(&stream->names);
	for (size_t i = 0; i < stream->later_count; i++)
		free(stream->later[i].late);
	free(stream->later);
	stream->later = NULL;
	stream->later_count = 0;
	stream->next_block = stream->where ? stream->where->count : 0;
}

/* Decodes a block. STATUS_DAMAGED and the like are reported here, once. */
static enum status decode(struct trace *trace, struct trace_block *block, struct batch *batch,
			  struct varve_causes *causes)
{
	if (block->bad)
		return STATUS_DAMAGED;
	struct varve_causes found = {0};
	enum status status = decode_block(block->bytes, &block->header, trace->tables.rows,
					  trace->tables.function_count, WANT_ALL, batch, &found);
	if (status == STATUS_OK)
		return status;
	if (status == STATUS_NO_MEMORY)
		return cause(causes, status, "no memory to decode a block of %" PRIu64 " records",
			     block->header.records);
	block->bad = true;
	trace_report(trace, block->recovered ? "lanes" : "data.0", block->offset,
		     block->header.length, "%.180s (%" PRIu64 " records of process %u, thread %u)",
		     found.count ? found.text[0] : status_text(status), block->header.records,
		     block->header.process, block->header.thread);
	return STATUS_DAMAGED;
}

/* How many continued records the block holds, by its header. */
static uint32_t continued_count(const struct trace_block *block)
{
	for (uint32_t i = 0; i < block->header.columns; i++) {
		struct block_column column = block_column_at(block->bytes, &block->header, i);
		if (column.column == COLUMN_ROWS)
			return UINT32_MAX;
		if (column.column == COLUMN_ORDINALS && column.function == 0)
			return column.count;
	}
	return 0;
}

static int compare_continuations(const void *left, const void *right)
{
	const struct continuation *a = left, *b = right;
	if (a->record.ordinal != b->record.ordinal)
		return a->record.ordinal < b->record.ordinal ? -1 : 1;
	return a->place < b->place ? -1 : a->place > b->place;
}

/* An output that is a name is known in this block only: keep its text. */
static enum status keep_late(struct stream *stream, const struct names *names,
			     struct continuation *half, struct varve_causes *causes)
{
	const struct varve_function *function = stream->trace->by_id[half->record.function];
	const struct tables *tables = &stream->trace->tables;
	half->late_word = -1;
	for (uint32_t i = 0; function && i < function->field_count; i++) {
		const struct varve_field *field = &function->fields[i];
		if (!field->output || field->word < 0 ||
		    (uint32_t)field->word >= half->record.words ||
		    field->kind >= tables->kind_count)
			continue;
		enum varve_style style = tables->kinds[field->kind].style;
		if (style != VARVE_STYLE_NAME && style != VARVE_STYLE_STRING)
			continue;
		struct varve_text text =
			names_given(names, (uint32_t)half->record.word[field->word]);
		if (!text.bytes)
			continue;
		half->late = malloc(text.length + 1);
		if (!half->late)
			return cause(causes, STATUS_NO_MEMORY, "no memory for a name");
		memcpy(half->late, text.bytes, text.length);
		half->late_length = text.length;
		half->late_word = field->word;
		break;
	}
	return STATUS_OK;
}

/* Adds the continued records of one block to the list. */
static enum status gather_block(struct stream *stream, struct trace_block *block, size_t *room,
				struct varve_causes *causes)
{
	uint32_t left = continued_count(block);
	if (!left)
		return STATUS_OK;
	struct batch batch = {0};
	enum status status = decode(stream->trace, block, &batch, causes);
	if (status != STATUS_OK)
		return status == STATUS_NO_MEMORY ? status : STATUS_OK;
	struct names names = {0};
	status = names_load(&names, &batch, causes);
	for (size_t i = 0; status == STATUS_OK && left && i < batch.count; i++) {
		struct continuation half = {.place = stream->later_count, .late_word = -1};
		batch_record(&batch, i, &half.record);
		if (!(half.record.marks & RECORD_CONTINUED))
			continue;
		left--;
		if (stream->later_count == *room) {
			*room = *room ? *room * 2 : 16;
			struct continuation *later = realloc(stream->later, *room * sizeof *later);
			if (!later) {
				status = cause(causes, STATUS_NO_MEMORY,
					       "no memory for %zu cut calls", *room);
				break;
			}
			stream->later = later;
		}
		status = keep_late(stream, &names, &half, causes);
		stream->later[stream->later_count++] = half;
	}
	names_clear(&names);
	batch_clear(&batch);
	return status;
}

/* Gathers the last half of every cut call. Blocks come by sequence; of equal ordinals the later one wins. */
static enum status gather(struct stream *stream, struct varve_causes *causes)
{
	if (stream->joined)
		return STATUS_OK;
	stream->joined = true;
	size_t room = 0;
	for (size_t i = 0; i < stream->where->count; i++)
		TRY(gather_block(stream, &stream->trace->blocks[stream->where->first + i], &room,
				 causes));
	if (stream->later_count)
		qsort(stream->later, stream->later_count, sizeof *stream->later,
		      compare_continuations);
	size_t kept = 0;
	for (size_t i = 0; i < stream->later_count; i++) {
		const struct continuation *half = &stream->later[i];
		if (i + 1 < stream->later_count && half[1].record.ordinal == half->record.ordinal)
			free(half->late);
		else
			stream->later[kept++] = *half;
	}
	stream->later_count = kept;
	return STATUS_OK;
}

static struct continuation *find_later(struct stream *stream, uint64_t ordinal)
{
	size_t low = 0, high = stream->later_count;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (stream->later[middle].record.ordinal == ordinal)
			return &stream->later[middle];
		if (stream->later[middle].record.ordinal < ordinal)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

static void join(struct trace_call *call, const struct continuation *half)
{
	struct record *record = &call->record;
	const struct record *last = &half->record;
	if (last->function != record->function)
		return; /* hostile or lost: two different calls */
	record->exit = last->exit;
	record->result = last->result;
	record->error = last->error;
	record->marks =
		(uint8_t)((record->marks & RECORD_VFORK) | (last->marks & ~RECORD_CONTINUED));
	for (uint32_t i = 0; call->function && i < call->function->field_count; i++) {
		const struct varve_field *field = &call->function->fields[i];
		if (field->output && field->word >= 0 && (uint32_t)field->word < record->words &&
		    (uint32_t)field->word < last->words)
			record->word[field->word] = last->word[field->word];
	}
	call->late_word = half->late_word;
	call->late = (struct varve_text){half->late, half->late_length};
}

/* Whether a block can hold a wanted record, by its header. */
static bool may_matter(const struct trace_filter *filter, const struct trace_block *block)
{
	const struct block_header *header = &block->header;
	if (filter->to_ns != INT64_MAX &&
	    ticks_ns(header->first_tick, header->resolution) >= filter->to_ns)
		return false;
	if (filter->from_ns != INT64_MIN &&
	    ticks_ns(header->last_tick, header->resolution) < filter->from_ns)
		return false;
	if (!filter->functions)
		return true;
	for (uint32_t i = 0; i < header->summaries; i++)
		if (filter->functions[block_summary_at(block->bytes, header, i).function])
			return true;
	/* A call that continues here and began in a lost block is in no summary: records that are not wanted cost less. */
	return continued_count(block) != 0;
}

static struct trace_block *next_block(const struct stream *stream, size_t *at)
{
	for (; *at < stream->where->count; (*at)++) {
		struct trace_block *block = &stream->trace->blocks[stream->where->first + *at];
		if (!block->bad && may_matter(stream->filter, block))
			return block;
	}
	return NULL;
}

bool stream_horizon(const struct stream *stream, int64_t *ns)
{
	size_t at = stream->next_block;
	const struct trace_block *block = next_block(stream, &at);
	if (block)
		*ns = ticks_ns(block->header.first_tick, block->header.resolution);
	return block != NULL;
}

static enum status load(struct stream *stream, struct varve_causes *causes)
{
	unload(stream);
	for (;;) {
		struct trace_block *block = next_block(stream, &stream->next_block);
		if (!block)
			return STATUS_END;
		stream->next_block++;
		enum status status = decode(stream->trace, block, &stream->batch, causes);
		if (status == STATUS_NO_MEMORY)
			return status;
		if (status != STATUS_OK)
			continue;
		stream->loaded = true;
		stream->at = 0;
		return names_load(&stream->names, &stream->batch, causes);
	}
}

static bool wanted(const struct stream *stream, const struct record *record)
{
	const struct trace_filter *filter = stream->filter;
	if (filter->functions && !filter->functions[record->function])
		return false;
	if (filter->from_ns == INT64_MIN && filter->to_ns == INT64_MAX)
		return true;
	int64_t entry = ticks_ns(record->entry, stream->batch.header.resolution);
	return entry >= filter->from_ns && entry < filter->to_ns;
}

enum status stream_next(struct stream *stream, struct varve_causes *causes)
{
	struct trace_call *call = &stream->call;
	for (;;) {
		while (!stream->loaded || stream->at >= stream->batch.count)
			TRY(load(stream, causes));
		size_t at = stream->at++;
		struct record *record = &call->record;
		batch_record(&stream->batch, at, record);
		call->function = stream->trace->by_id[record->function];
		call->stream = stream->where;
		call->header = &stream->batch.header;
		call->names = &stream->names;
		call->late_word = -1;
		TRY(names_follow(&stream->names, &stream->trace->tables, call->function, record, at,
				 causes));
		if (record->marks & (RECORD_CONTINUED | RECORD_UNFINISHED)) {
			bool second = record->marks & RECORD_CONTINUED;
			TRY(gather(stream, causes));
			struct continuation *half = find_later(stream, record->ordinal);
			if (second && half && half->begun)
				continue;
			if (half) {
				half->begun = true;
				join(call, half);
			}
			record->marks &= (uint8_t)~RECORD_CONTINUED;
		}
		if (wanted(stream, record))
			return STATUS_OK;
	}
}
