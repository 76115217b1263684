/* Slice: copies from sources to an output: node by node, process by process, stream by stream. See slice.h.
 *
 * Processes keep the numbers of the run; those of a later node begin after those of earlier ones. Blocks that are kept
 * completely are copied unchanged; for others select.h decides. The description of a process is in the first block of its first
 * thread, which is written even if nothing else of that thread is kept.
 */
#include "slice/slice.h"

#include "base/host/list.h"
#include "slice/description.h"
#include "slice/pieces.h"
#include "slice/plain_blocks.h"
#include "slice/select.h"
#include "trace/definitions.h"
#include "write/block_write.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct slicer {
	const struct slice_request *request;
	struct slice_output *output;
	struct sliced *sliced;
	uint8_t run_id[16];
	char run[33];
	struct block_maker maker;
	struct selector *selectors; /* of each source */
	struct pieces pieces;
	uint8_t *bytes; /* a block that is not made from records */
	size_t byte_room;
	uint64_t looked; /* records read so far */
	/* the group of sources that become one */
	size_t group;
	uint32_t node_more; /* added to its numbers of nodes */
	uint64_t more;	    /* added to its numbers of processes */
	/* the source */
	struct varve_trace *trace;
	const struct varve_query *query;
	struct selector *selector;
	bool partial; /* its filter may drop records */
	/* the node */
	const struct trace_node *node;
	uint64_t before; /* processes of earlier nodes in the new trace */
	uint32_t last;	 /* its largest process number */
	/* the process */
	const struct piece *first;
	bool described; /* its description was written */
	bool written;	/* something of it was written */
	/* the stream */
	const struct varve_stream *stream;
	uint64_t sequence;
};

/* Number of damages of all sources that are known so far. */
static uint64_t damages_of(const struct slice_request *request)
{
	uint64_t damages = 0;
	for (size_t i = 0; i < request->count; i++)
		damages += request->sources[i].trace->damage_count +
			   request->sources[i].trace->damage_more;
	return damages;
}

static struct description_change description_change_of(const struct slicer *slicer)
{
	return (struct description_change){
		.anonymizer = slicer->request->anonymizer,
		.run = slicer->run,
		.node_more = slicer->node_more,
		.process_more =
			(int64_t)(slicer->node->first_process + slicer->more - slicer->before)};
}

static enum varve_status slicer_put_block(struct slicer *slicer, const uint8_t *bytes,
					  size_t length, struct varve_causes *causes)
{
	slicer->sliced->blocks++;
	return slicer->output->block(slicer->output, bytes, length, causes);
}

static enum varve_status slicer_room(struct slicer *slicer, size_t length,
				     struct varve_causes *causes)
{
	if (list_room(&slicer->bytes, 0, &slicer->byte_room, length, 1))
		return cause(causes, VARVE_NO_MEMORY, "no memory for a block of %zu bytes", length);
	return VARVE_OK;
}

static enum varve_status put_plain(struct slicer *slicer, enum block_type type, const void *payload,
				   size_t length, struct varve_causes *causes)
{
	TRY(slicer_room(slicer, block_plain_size(length), causes));
	return slicer->output->block(
		slicer->output, slicer->bytes,
		block_plain(slicer->bytes, type, slicer->run_id, 0, payload, length), causes);
}

/* Writes descriptions and tables. */
static enum varve_status put_head(struct slicer *slicer, bool first, struct varve_causes *causes)
{
	struct description_change how = description_change_of(slicer);
	struct strings strings = {0};
	struct plain_block block, tables = tables_of(slicer->trace);
	uint64_t at = 0;
	bool there = plain_block_next(slicer->node, BLOCK_RUN, &at, &block);
	how.source = first && slicer->request->count > 1 ? 1 : 0;
	enum varve_status status = VARVE_OK;
	if (there)
		status = description_add(&strings, (const char *)block.payload, block.length, &how,
					 causes);
	if (status == VARVE_OK && first)
		status = description_of_slice(&strings, slicer->request,
					      damages_of(slicer->request), causes);
	if (status == VARVE_OK)
		status = put_plain(slicer, BLOCK_RUN, strings.bytes, strings.length, causes);
	if (status == VARVE_OK)
		status = put_plain(slicer, BLOCK_TABLES, tables.payload, tables.length, causes);
	while (there && status == VARVE_OK &&
	       plain_block_next(slicer->node, BLOCK_RUN, &at, &block)) {
		strings.length = 0;
		status = description_add(&strings, (const char *)block.payload, block.length, &how,
					 causes);
		if (status == VARVE_OK && strings.length)
			status =
				put_plain(slicer, BLOCK_RUN, strings.bytes, strings.length, causes);
	}
	strings_clear(&strings);
	return status;
}

/* The number of a process in the new node. */
static uint32_t process_number(const struct slicer *slicer, uint32_t number)
{
	return (uint32_t)(number + slicer->more - slicer->before);
}

/* Makes the header of a new block from the stored header of the old one. */
static struct block_header header_of(struct slicer *slicer, const struct trace_block *block)
{
	struct block_header header;
	memcpy(&header, block->bytes, sizeof header);
	memcpy(header.run_id, slicer->run_id, sizeof header.run_id);
	header.process = process_number(slicer, slicer->stream->process);
	header.sequence = ++slicer->sequence;
	if (header.process > slicer->last)
		slicer->last = header.process;
	slicer->sliced->processes += !slicer->written;
	slicer->written = true;
	return header;
}

/* Copies a block of which all records are kept. */
static enum varve_status copy_block(struct slicer *slicer, const struct trace_block *block,
				    struct varve_causes *causes)
{
	uint32_t continued = block_continued(block->bytes, &block->header);
	TRY(slicer_room(slicer, block->header.length, causes));
	slicer->described |= slicer->sequence == 0 && slicer->stream->thread == 1;
	struct block_header header = header_of(slicer, block);
	memcpy(slicer->bytes, block->bytes, header.length);
	block_seal(slicer->bytes, &header);
	slicer->sliced->records += header.records - (continued == UINT32_MAX ? 0 : continued);
	slicer->sliced->copied++;
	return slicer_put_block(slicer, slicer->bytes, header.length, causes);
}

static enum varve_status describe_process(struct slicer *slicer, struct varve_causes *causes)
{
	const struct varve_process *process = trace_process(slicer->trace, slicer->stream->process);
	struct description_change how = description_change_of(slicer);
	struct strings strings = {0};
	slicer->described = true;
	if (!process || !process->strings)
		return VARVE_OK;
	enum varve_status status =
		description_add(&strings, process->strings, process->length, &how, causes);
	const struct definition definition = {.type = DEFINE_PROCESS,
					      .text = strings.bytes,
					      .text_length = (uint32_t)strings.length};
	if (status == VARVE_OK)
		status = block_rows_define(&slicer->selector->rows, &definition, causes);
	strings_clear(&strings);
	return status;
}

/* Adds the definitions that precede all others in the first block of a stream. */
static enum varve_status describe_stream(struct slicer *slicer, struct varve_causes *causes)
{
	struct definitions definitions;
	struct trace_block *first = &slicer->trace->blocks[slicer->stream->first];
	/* The description belongs to the first thread, if there is one. */
	if (!slicer->described &&
	    (slicer->stream->thread == 1 || slicer->first->stream->thread != 1))
		TRY(describe_process(slicer, causes));
	enum varve_status status = block_definitions(slicer->trace, first, &definitions, causes);
	if (status != VARVE_OK)
		return status == VARVE_DAMAGED ? VARVE_OK : status;
	for (size_t i = 0; status == VARVE_OK && i < definitions.count; i++) {
		struct definition definition = definitions.list[i];
		definition.before = 0;
		definition.after_gap = false;
		if (definition.type == DEFINE_THREAD)
			status = block_rows_define(&slicer->selector->rows, &definition, causes);
	}
	definitions_clear(&definitions);
	return status;
}

/* Makes a block of the selected records. */
static enum varve_status put_rows(struct slicer *slicer, const struct trace_block *block,
				  struct varve_causes *causes)
{
	const struct tables *tables = &slicer->trace->tables;
	if (!slicer->sequence)
		TRY(describe_stream(slicer, causes));
	TRY(select_definitions(slicer->selector, causes));
	struct block_header header = header_of(slicer, block);
	TRY(block_make(&slicer->maker, &slicer->selector->rows, tables->rows,
		       tables->function_count, &header, causes));
	return slicer_put_block(slicer, slicer->maker.output, header.length, causes);
}

/* Whether a block is the first of its stream in its source: its definitions of process and thread must be in the first block of
 * the new stream. */
static bool begins_stream(const struct slicer *slicer, const struct trace_block *block)
{
	return block == &slicer->trace->blocks[slicer->stream->first];
}

/* Whether a block may be copied to this place in the new stream: the first block must contain the right numbers. */
static bool may_copy(const struct slicer *slicer, const struct trace_block *block)
{
	if (slicer->sequence)
		return !begins_stream(slicer, block);
	return begins_stream(slicer, block) && !description_change_of(slicer).process_more;
}

/* Whether the selected records become a block. Without a filter they always do, except if a first block has no records and is
 * not the first of the new stream. */
static bool block_stays(const struct slicer *slicer)
{
	const struct selector *selector = slicer->selector;
	return selector->rows.count ||
	       (!slicer->partial && !selector->block->bad &&
		!(slicer->sequence && begins_stream(slicer, selector->block)));
}

static enum varve_status slice_stream(struct slicer *slicer, struct varve_causes *causes)
{
	struct selector *selector = slicer->selector;
	select_stream(selector, slicer->stream);
	for (;;) {
		const struct trace_block *whole = select_whole(selector);
		if (*slicer->request->stop)
			return VARVE_END;
		if (whole && whole->checked && may_copy(slicer, whole)) {
			slicer->looked += whole->header.records;
			TRY(copy_block(slicer, whole, causes));
			stream_pass(&selector->stream);
			continue;
		}
		enum varve_status status = select_block(selector, causes);
		if (status == VARVE_END)
			return VARVE_OK;
		TRY(status);
		slicer->looked += selector->block->header.records;
		slicer->sliced->records += selector->calls;
		if (slicer->request->step)
			slicer->request->step(slicer->looked);
		if (block_stays(slicer))
			TRY(put_rows(slicer, selector->block, causes));
	}
}

static bool leaves_out(const struct varve_query *query)
{
	return query->filter || query->functions || query->process || query->thread ||
	       query->from_ns != INT64_MIN || query->to_ns != INT64_MAX;
}

/* Goes to a node of a source. */
static void begin_node(struct slicer *slicer, size_t source, const struct trace_node *node)
{
	slicer->trace = slicer->request->sources[source].trace;
	slicer->query = slicer->request->sources[source].query;
	slicer->selector = &slicer->selectors[source];
	slicer->partial = leaves_out(slicer->query);
	slicer->node = node;
}

/* Writes the description of a process if nothing of its first thread was kept. */
static enum varve_status end_process(struct slicer *slicer, struct varve_causes *causes)
{
	const struct piece *first = slicer->first;
	if (!slicer->written || slicer->described || first->stream->thread != 1)
		return VARVE_OK;
	begin_node(slicer, first->source, first->node);
	slicer->stream = first->stream;
	slicer->sequence = 0;
	select_nothing(slicer->selector);
	return put_rows(slicer, &slicer->trace->blocks[first->stream->first], causes);
}

/* The pieces of a process are adjacent, and so are those of a stream, which continues from one to the next. */
static enum varve_status slice_process(struct slicer *slicer, size_t *at,
				       struct varve_causes *causes)
{
	const struct pieces *pieces = &slicer->pieces;
	const struct piece *first = slicer->first = &pieces->list[*at];
	uint32_t thread = 0;
	slicer->described = slicer->written = false;
	for (; *at < pieces->count && pieces->list[*at].stream->process == first->stream->process;
	     ++*at) {
		const struct piece *piece = &pieces->list[*at];
		begin_node(slicer, piece->source, piece->node);
		slicer->stream = piece->stream;
		if (piece == first || piece->stream->thread != thread)
			slicer->sequence = 0;
		thread = piece->stream->thread;
		if ((slicer->query->process && slicer->query->process != piece->stream->process) ||
		    (slicer->query->thread && slicer->query->thread != thread))
			continue;
		TRY(slice_stream(slicer, causes));
	}
	return end_process(slicer, causes);
}

/* How the run ended and what was lost, from the index of the node. Without an index, the losses are those that no other node
 * has counted. */
static struct index_head end_of(const struct varve_trace *trace, const struct trace_node *node)
{
	struct index_head end = {.end = node->alive_lanes ? RUN_OPEN : RUN_RECOVERED};
	const struct trace_node *open = NULL;
	if (node->indexed) {
		end = node->end;
		end.lanes_alive = 0;
	}
	if (node->indexed && !node->lanes_left)
		return end;
	memcpy(end.loss, trace->loss, sizeof end.loss);
	for (size_t i = 0; i < trace->node_count; i++) {
		const struct trace_node *other = &trace->nodes[i];
		if (!open && (!other->indexed || other->lanes_left))
			open = other;
		for (size_t k = 0; other->indexed && !other->lanes_left && k < LOSS_ROOM; k++)
			end.loss[k] -= other->end.loss[k];
	}
	end.loss[NOTE_LANE_ERRORS] = trace->loss[NOTE_LANE_ERRORS];
	if (open != node)
		memset(end.loss, 0, sizeof end.loss);
	else
		end.recovered += trace->recovered_records;
	return end;
}

/* Writes a node, from all sources of the group; its description is the same in each. */
static enum varve_status slice_node(struct slicer *slicer, size_t source,
				    const struct trace_node *node, size_t *at,
				    struct varve_causes *causes)
{
	struct slice_output *output = slicer->output;
	const struct pieces *pieces = &slicer->pieces;
	slicer->last = 0;
	begin_node(slicer, source, node);
	TRY(output->node(output, node->number + slicer->node_more, causes));
	TRY(put_head(slicer, node == slicer->request->sources->trace->nodes, causes));
	while (*at < pieces->count && pieces->list[*at].node->number == node->number)
		TRY(slice_process(slicer, at, causes));
	slicer->before += slicer->last;
	struct index_head end = end_of(slicer->request->sources[source].trace, node);
	return output->node_end(output, &end, causes);
}

/* Whether nothing is stored for a node, because its data file was never created. Nodes of a packed trace have no data files;
 * their sizes are those of the files that were packed. */
static bool is_empty(const struct varve_trace *trace, const struct trace_node *node)
{
	return !node->processes && !(trace->packed ? node->packed_size : node->size);
}

/* The node of the group with the smallest number from `number` on, NULL: none; `*source` is the source that contains it. */
static const struct trace_node *next_node(const struct slicer *slicer, uint32_t number,
					  size_t *source)
{
	const struct trace_node *next = NULL;
	for (size_t i = slicer->group; i < slicer->request->count; i++) {
		const struct varve_trace *trace = slicer->request->sources[i].trace;
		for (size_t k = 0;
		     slicer->request->sources[i].group == slicer->group && k < trace->node_count;
		     k++) {
			const struct trace_node *node = &trace->nodes[k];
			if (node->number < number || (next && node->number >= next->number))
				continue;
			if (k && is_empty(trace, node))
				continue;
			next = node;
			*source = i;
		}
	}
	return next;
}

static enum varve_status slice_nodes(struct slicer *slicer, struct varve_causes *causes)
{
	size_t at = 0, source = 0;
	uint32_t number = 0;
	for (const struct trace_node *node; (node = next_node(slicer, number, &source));) {
		TRY(slice_node(slicer, source, node, &at, causes));
		number = node->number + 1;
	}
	return VARVE_OK;
}

/* Prepares reading the sources of the group. */
static enum varve_status selectors_start(struct slicer *slicer, struct trace_filter *filters,
					 struct varve_causes *causes)
{
	const struct slice_request *request = slicer->request;
	for (size_t i = slicer->group; i < request->count; i++) {
		const struct varve_query *query = request->sources[i].query;
		if (request->sources[i].group != slicer->group)
			continue;
		filters[i] = (struct trace_filter){.from_ns = query->from_ns,
						   .to_ns = query->to_ns,
						   .functions = query->functions,
						   .where = query->filter};
		TRY(select_start(&slicer->selectors[i], request->sources[i].trace, &filters[i],
				 request->anonymizer, causes));
	}
	return VARVE_OK;
}

/* Writes the sources that have processes in common as one trace; mostly there is only one. */
static enum varve_status slice_group(struct slicer *slicer, struct varve_causes *causes)
{
	const struct slice_request *request = slicer->request;
	struct trace_filter *filters = calloc(request->count, sizeof *filters);
	slicer->selectors = calloc(request->count, sizeof *slicer->selectors);
	slicer->more = slicer->before;
	enum varve_status status =
		filters && slicer->selectors
			? pieces_make(request, slicer->group, &slicer->pieces, causes)
			: cause(causes, VARVE_NO_MEMORY, "no memory for %zu traces",
				request->count);
	if (status == VARVE_OK)
		status = selectors_start(slicer, filters, causes);
	if (status == VARVE_OK)
		status = slice_nodes(slicer, causes);
	uint32_t nodes = 0;
	for (size_t i = 0; i < request->count; i++) {
		const struct varve_trace *trace = request->sources[i].trace;
		uint32_t last = trace->nodes[trace->node_count - 1].number + 1;
		if (slicer->selectors)
			select_clear(&slicer->selectors[i]);
		if (request->sources[i].group == slicer->group && last > nodes)
			nodes = last;
	}
	slicer->node_more += nodes;
	pieces_clear(&slicer->pieces);
	free(slicer->selectors);
	free(filters);
	return status;
}

/* Adds hosts and users, so that nothing that contains their names stays readable. */
static enum varve_status learn_names(const struct slice_request *request,
				     struct varve_causes *causes)
{
	for (size_t i = 0; request->anonymizer && i < request->count; i++) {
		const struct varve_trace *trace = request->sources[i].trace;
		for (size_t k = 0; k < trace->node_count; k++) {
			const struct trace_node *node = &trace->nodes[k];
			TRY(anonymizer_learn(request->anonymizer, node_value(node, "host"),
					     causes));
			TRY(anonymizer_learn(request->anonymizer, node_value(node, "user"),
					     causes));
		}
	}
	return VARVE_OK;
}

static enum varve_status slice_once(struct slicer *slicer, struct varve_causes *causes)
{
	const struct slice_request *request = slicer->request;
	*slicer->sliced = (struct sliced){0};
	slicer->looked = slicer->before = slicer->node_more = 0;
	TRY(slicer->output->start(slicer->output, slicer->run_id, causes));
	for (size_t i = 0; i < request->count; i++)
		if (request->sources[i].group == i) {
			slicer->group = i;
			TRY(slice_group(slicer, causes));
		}
	return VARVE_OK;
}

enum varve_status slice_make(const struct slice_request *request, struct slice_output *output,
			     struct sliced *sliced, struct varve_causes *causes)
{
	struct slicer slicer = {.request = request, .output = output, .sliced = sliced};
	memcpy(slicer.run_id, request->sources[0].trace->run_id, sizeof slicer.run_id);
	for (size_t i = 0; i < sizeof slicer.run_id; i++)
		snprintf(slicer.run + 2 * i, 3, "%02x", slicer.run_id[i]);
	enum varve_status status = learn_names(request, causes);
	/* Damage that is only found by decoding must be in the description at the beginning: everything is then written again. */
	for (uint64_t known = UINT64_MAX; status == VARVE_OK && known != damages_of(request);) {
		known = damages_of(request);
		status = slice_once(&slicer, causes);
	}
	sliced->damages = damages_of(request);
	if (status == VARVE_OK)
		status = output->finish(output, causes);
	block_maker_clear(&slicer.maker);
	free(slicer.bytes);
	return status;
}
