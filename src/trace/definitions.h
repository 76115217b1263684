/* Trace: the definitions of a trace, one after the other, and the files that they name. See <varve/summary.h>. */
#ifndef TRACE_DEFINITIONS_H
#define TRACE_DEFINITIONS_H

#include "trace/trace.h"

#include <varve/summary.h>

enum varve_status definition_list_open(struct varve_trace *trace, uint32_t process, uint32_t thread,
				       struct varve_definitions **result,
				       struct varve_causes *causes) MUST_CHECK;
enum varve_status definition_list_next(struct varve_definitions *list,
				       const struct varve_definition **definition,
				       struct varve_causes *causes) MUST_CHECK;
void definition_list_close(struct varve_definitions *list);

/* Reads the definitions of a block. VARVE_DAMAGED: they are damaged, which was reported, and there are none. */
enum varve_status block_definitions(struct varve_trace *trace, struct trace_block *block,
				    struct definitions *definitions,
				    struct varve_causes *causes) MUST_CHECK;

struct names;
/* The same, with their names, for blocks whose records are not read. A damaged block has no definitions. */
enum varve_status block_names(struct varve_trace *trace, struct trace_block *block,
			      struct definitions *definitions, struct names *names,
			      struct varve_causes *causes) MUST_CHECK;

enum varve_status files_make(struct varve_trace *trace, struct varve_files *files,
			     struct varve_causes *causes) MUST_CHECK;
/* The entry of an absolute path, or NULL. */
const struct varve_file *files_find(const struct varve_files *files, struct varve_text path);
void files_clear(struct varve_files *files);

#endif
