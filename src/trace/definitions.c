/* Trace: the definitions of a trace, block by block. See definitions.h. */
#include "trace/definitions.h"

#include "trace/names/names.h"
#include "trace/trace_inside.h"

#include <stdlib.h>

_Static_assert((int)VARVE_DEFINE_THREAD == DEFINE_THREAD - DEFINE_FIRST,
	       "definitions are stored by number");

struct varve_definitions {
	struct varve_trace *trace;
	uint32_t process;
	uint32_t thread;
	size_t next_block;
	const struct trace_block *block;
	struct definitions definitions;
	size_t at;
	struct varve_definition shown;
};

enum varve_status block_definitions(struct varve_trace *trace, struct trace_block *block,
				    struct definitions *definitions, struct varve_causes *causes)
{
	struct varve_causes found;
	found.count = 0;
	*definitions = (struct definitions){0};
	if (!block_good(trace, block))
		return VARVE_DAMAGED;
	enum varve_status status = block_definitions_read(trace, block, definitions, &found);
	if (status == VARVE_OK)
		return status;
	TRY(block_failed(trace, block, status, &found, causes));
	return VARVE_DAMAGED;
}

enum varve_status definition_list_open(struct varve_trace *trace, uint32_t process, uint32_t thread,
				       struct varve_definitions **result,
				       struct varve_causes *causes)
{
	*result = malloc(sizeof **result);
	if (!*result)
		return cause(causes, VARVE_NO_MEMORY, "no memory to read definitions");
	**result = (struct varve_definitions){.trace = trace, .process = process, .thread = thread};
	return VARVE_OK;
}

/* Opens the next readable block of a selected stream. */
static enum varve_status next_block(struct varve_definitions *list, struct varve_causes *causes)
{
	struct varve_trace *trace = list->trace;
	definitions_clear(&list->definitions);
	list->at = 0;
	while (list->next_block < trace->block_count) {
		struct trace_block *block = &trace->blocks[list->next_block++];
		if ((list->process && block->header.process != list->process) ||
		    (list->thread && block->header.thread != list->thread))
			continue;
		list->block = block;
		enum varve_status status =
			block_definitions(trace, block, &list->definitions, causes);
		if (status != VARVE_DAMAGED)
			return status;
	}
	return VARVE_END;
}

enum varve_status block_names(struct varve_trace *trace, struct trace_block *block,
			      struct definitions *definitions, struct names *names,
			      struct varve_causes *causes)
{
	*definitions = (struct definitions){0};
	enum varve_status status = block_definitions(trace, block, definitions, causes);
	if (status != VARVE_OK)
		return status == VARVE_DAMAGED ? VARVE_OK : status;
	TRY(names_load(names, definitions, block->header.length, causes));
	return names_apply(names, causes);
}

enum varve_status definition_list_next(struct varve_definitions *list,
				       const struct varve_definition **definition,
				       struct varve_causes *causes)
{
	while (list->at >= list->definitions.count || list->definitions.list[list->at].late)
		if (list->at++ >= list->definitions.count)
			TRY(next_block(list, causes));
	const struct definition *made = &list->definitions.list[list->at++];
	const struct block_header *header = &list->block->header;
	list->shown = (struct varve_definition){
		.process = header->process,
		.thread = header->thread,
		.block = header->sequence,
		.before = made->before,
		.define = (enum varve_define)(made->type - DEFINE_FIRST),
		.id = made->id,
		.base_kind = made->base_kind,
		.base = made->base,
		.text = {made->text, made->text_length},
		.kind = made->kind,
		.how = made->how,
		.origin = made->origin,
		.fd = made->fd,
		.name = made->name,
		.other = made->other,
		.device = made->device,
		.inode = made->inode,
	};
	*definition = &list->shown;
	return VARVE_OK;
}

void definition_list_close(struct varve_definitions *list)
{
	if (!list)
		return;
	definitions_clear(&list->definitions);
	free(list);
}
