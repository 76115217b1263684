/* Library: counters, the tree of processes, loaded objects, definitions, codecs. See <varve/summary.h>, <varve/codecs.h>. */
#include "analyze/codecs.h"
#include "analyze/file_totals.h"
#include "analyze/objects.h"
#include "analyze/region_totals.h"
#include "analyze/summary.h"
#include "trace/definitions.h"
#include "trace/filter/filter.h"
#include "trace/processes/tree.h"

#include <stdlib.h>

enum varve_status varve_summary_make(struct varve_trace *trace, const struct varve_filter *filter,
				     unsigned flags, struct varve_summary *summary,
				     struct varve_causes *causes)
{
	*summary = (struct varve_summary){0};
	enum varve_status status = filter_fits(filter, trace, causes);
	if (status != VARVE_OK)
		return status;
	return summary_make(trace, filter, flags & VARVE_SUMMARY_PATHS, summary, causes);
}

void varve_summary_clear(struct varve_summary *summary)
{
	summary_clear(summary);
}

enum varve_status varve_tree_make(struct varve_trace *trace, bool records, struct varve_tree *tree,
				  struct varve_causes *causes)
{
	return tree_make(trace, records, tree, causes);
}

void varve_tree_clear(struct varve_tree *tree)
{
	tree_clear(tree);
}

enum varve_status varve_objects_find(struct varve_trace *trace, struct varve_objects *objects,
				     struct varve_causes *causes)
{
	return trace_objects_find(trace, objects, causes);
}

void varve_objects_clear(struct varve_objects *objects)
{
	trace_objects_clear(objects);
}

enum varve_status varve_definitions_open(struct varve_trace *trace, uint32_t process,
					 uint32_t thread, struct varve_definitions **definitions,
					 struct varve_causes *causes)
{
	return definition_list_open(trace, process, thread, definitions, causes);
}

enum varve_status varve_definitions_next(struct varve_definitions *definitions,
					 const struct varve_definition **definition,
					 struct varve_causes *causes)
{
	return definition_list_next(definitions, definition, causes);
}

void varve_definitions_close(struct varve_definitions *definitions)
{
	definition_list_close(definitions);
}

enum varve_status varve_files_make(struct varve_trace *trace, struct varve_files *files,
				   struct varve_causes *causes)
{
	return files_make(trace, files, causes);
}

void varve_files_clear(struct varve_files *files)
{
	files_clear(files);
}

enum varve_status varve_codecs_make(struct varve_trace *trace, unsigned window, unsigned flags,
				    struct varve_codecs *codecs, struct varve_causes *causes)
{
	return codecs_count(trace, window, flags & VARVE_CODECS_ALL, codecs, causes);
}

const char *varve_codec_name(enum varve_codec codec)
{
	static const char *const names[VARVE_CODECS] = {[VARVE_CODEC_COLUMNS] = "columns",
							[VARVE_CODEC_ROWS] = "rows",
							[VARVE_CODEC_PEEPHOLE] = "peephole",
							[VARVE_CODEC_LOOP] = "loop"};
	return (unsigned)codec < VARVE_CODECS && names[codec] ? names[codec] : "unknown";
}

enum varve_status varve_file_totals_make(struct varve_trace *trace,
					 const struct varve_filter *filter,
					 struct varve_file_totals *totals,
					 struct varve_causes *causes)
{
	*totals = (struct varve_file_totals){0};
	enum varve_status status = filter_fits(filter, trace, causes);
	return (status == VARVE_OK ? file_totals_make(trace, filter, totals, causes) : status);
}

void varve_file_totals_clear(struct varve_file_totals *totals)
{
	for (size_t i = 0; i < totals->count; i++)
		free((char *)(uintptr_t)totals->totals[i].path.bytes);
	free(totals->totals);
	*totals = (struct varve_file_totals){0};
}

enum varve_status varve_region_totals_make(struct varve_trace *trace,
					   const struct varve_filter *filter,
					   struct varve_region_totals *totals,
					   struct varve_causes *causes)
{
	*totals = (struct varve_region_totals){0};
	enum varve_status status = filter_fits(filter, trace, causes);
	return (status == VARVE_OK ? region_totals_make(trace, filter, totals, causes) : status);
}

void varve_region_totals_clear(struct varve_region_totals *totals)
{
	for (size_t i = 0; i < totals->count; i++)
		free((char *)(uintptr_t)totals->totals[i].name.bytes);
	free(totals->totals);
	*totals = (struct varve_region_totals){0};
}
