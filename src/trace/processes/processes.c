/* Trace: the processes of a run and their descriptions (DEFINE_PROCESS).
 *
 * Decodes only definitions, in the first block of a process that has a description. Memory: the descriptions, up to a
 * limit that depends on the size of the trace.
 */
#include "base/key_values.h"
#include "trace/packed/packed.h"
#include "trace/trace_inside.h"

#include "codec/host/decode.h"

#include <stdlib.h>
#include <string.h>

enum { STREAMS_TRIED = 4 };

/* Takes the strings of a DEFINE_PROCESS from the block, if it has one. */
static enum varve_status look_into(struct varve_trace *trace, struct trace_block *block,
				   struct varve_process *process, size_t *budget,
				   struct varve_causes *causes)
{
	struct definitions definitions;
	block->checked =
		block->checked || block_check(block->bytes, &block->header, NULL) == VARVE_OK;
	if (!block->checked || block_definitions_read(trace, block, &definitions, NULL) != VARVE_OK)
		return VARVE_OK; /* readers of its records report the damage */
	enum varve_status status = VARVE_OK;
	for (size_t i = 0; i < definitions.count && !process->strings; i++) {
		const struct definition *definition = &definitions.list[i];
		if (definition->type != DEFINE_PROCESS || definition->text_length >= *budget)
			continue;
		*budget -= definition->text_length + 1;
		process->strings = malloc((size_t)definition->text_length + 1);
		if (!process->strings) {
			status = cause(causes, VARVE_NO_MEMORY, "no memory for the processes");
			break;
		}
		memcpy(process->strings, definition->text, definition->text_length);
		process->strings[definition->text_length] = 0;
		process->length = (size_t)definition->text_length + 1;
	}
	definitions_clear(&definitions);
	return status;
}

uint32_t process_world(const struct varve_process *process)
{
	const char *text = process_value(process, "spawn");
	unsigned long number = text ? strtoul(text, NULL, 10) : 1;
	return number > 1 && number <= UINT32_MAX ? (uint32_t)number : 1;
}

void world_see(struct varve_trace *trace, const char *text)
{
	enum { WORLD_MOST = 1 << 26 };
	unsigned long size = text ? strtoul(text, NULL, 10) : 0;
	if (size > trace->world && size <= WORLD_MOST)
		trace->world = (uint32_t)size;
}

enum varve_status processes_find(struct varve_trace *trace, struct varve_causes *causes)
{
	trace->processes = calloc(trace->stream_count + 1, sizeof *trace->processes);
	if (!trace->processes)
		return cause(causes, VARVE_NO_MEMORY, "no memory for the processes");
	struct varve_process *process = NULL;
	size_t budget = DECODE_BUDGET(trace->size);
	struct input answer;
	bool answered = packed_answer(trace, ANSWER_PROCESSES, &answer);
	size_t known = answered ? input_count(&answer, 1) : 0;
	for (size_t i = 0; i < trace->stream_count; i++) {
		const struct varve_stream *stream = &trace->streams[i];
		struct trace_block *block = &trace->blocks[stream->first];
		if (!process || process->number != stream->process) {
			process = &trace->processes[trace->process_count++];
			*process = (struct varve_process){.number = stream->process,
							  .pid = block->header.pid,
							  .rank = block->header.rank,
							  .first_stream = i,
							  .node = block->node};
			trace->nodes[block->node].processes++;
			answered = trace->process_count <= known &&
				   packed_answer_process(&answer, &budget, process);
		}
		process->streams++;
		if (!answered && !process->strings && process->streams <= STREAMS_TRIED)
			TRY(look_into(trace, block, process, &budget, causes));
		const struct block_header *last =
			&trace->blocks[stream->first + stream->count - 1].header;
		if (process->rank < 0)
			process->rank = last->rank;
		if (process->streams == 1)
			world_see(trace, process_value(process, "world"));
	}
	return VARVE_OK;
}

const struct varve_process *trace_process(const struct varve_trace *trace, uint32_t number)
{
	size_t low = 0, high = trace->process_count;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (trace->processes[middle].number == number)
			return &trace->processes[middle];
		if (trace->processes[middle].number < number)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

const char *process_value(const struct varve_process *process, const char *key)
{
	size_t at = 0;
	return process ? key_values_find(process->strings, process->length, key, &at) : NULL;
}
