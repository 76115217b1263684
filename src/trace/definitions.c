/* Trace: the definitions of a trace, block by block. See definitions.h. */
#include "trace/definitions.h"

#include "trace/names/names.h"
#include "trace/parts.h"

#include <stdlib.h>

_Static_assert((int)VARVE_DEFINE_THREAD == DEFINE_THREAD - DEFINE_FIRST,
	       "definitions are stored by number");
_Static_assert((int)VARVE_BASE_UNKNOWN == (int)BASE_UNKNOWN &&
		       (int)VARVE_ORIGIN_DUPLICATE == (int)ORIGIN_DUPLICATE,
	       "so are bases and origins");

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

enum status block_definitions(struct varve_trace *trace, struct trace_block *block,
			      struct definitions *definitions, struct varve_causes *causes)
{
	struct varve_causes found;
	found.count = 0;
	*definitions = (struct definitions){0};
	if (!block_good(trace, block))
		return STATUS_DAMAGED;
	enum status status = block_definitions_read(trace, block, definitions, &found);
	if (status == STATUS_OK)
		return status;
	TRY(block_failed(trace, block, status, &found, causes));
	return STATUS_DAMAGED;
}

enum status definition_list_open(struct varve_trace *trace, uint32_t process, uint32_t thread,
				 struct varve_definitions **result, struct varve_causes *causes)
{
	*result = malloc(sizeof **result);
	if (!*result)
		return cause(causes, STATUS_NO_MEMORY, "no memory to read definitions");
	**result = (struct varve_definitions){.trace = trace, .process = process, .thread = thread};
	return STATUS_OK;
}

/* Opens the next block of a wanted stream that can be read. */
static enum status next_block(struct varve_definitions *list, struct varve_causes *causes)
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
		enum status status = block_definitions(trace, block, &list->definitions, causes);
		if (status != STATUS_DAMAGED)
			return status;
	}
	return STATUS_END;
}

enum status block_names(struct varve_trace *trace, struct trace_block *block,
			struct definitions *definitions, struct names *names,
			struct varve_causes *causes)
{
	*definitions = (struct definitions){0};
	enum status status = block_definitions(trace, block, definitions, causes);
	if (status != STATUS_OK)
		return status == STATUS_DAMAGED ? STATUS_OK : status;
	TRY(names_load(names, definitions, block->header.length, causes));
	return names_apply(names, causes);
}

enum status definition_list_next(struct varve_definitions *list,
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
	return STATUS_OK;
}

void definition_list_close(struct varve_definitions *list)
{
	if (!list)
		return;
	definitions_clear(&list->definitions);
	free(list);
}
