/* Command line: whether a call is of the MPI library or of a launcher. See runtime_calls.h.
 *
 * The mark of a call is only about the MPI library; launchers are recognised by their process. Almost all traces have no
 * launcher: then no process is looked up. On the hot path of `dump`.
 */
#include "cli/print/runtime_calls.h"

#include <varve/summary.h>

#include <stdlib.h>

static struct {
	uint32_t *list; /* numbers of launchers, sorted */
	size_t count;
} launchers;

enum varve_status runtime_load(struct varve_trace *trace, struct varve_causes *causes)
{
	struct varve_tree tree;
	enum varve_status status = varve_tree_make(trace, false, &tree, causes);
	free(launchers.list);
	launchers.list = NULL;
	launchers.count = 0;
	if (status != VARVE_OK)
		return status;
	launchers.list = calloc(tree.count + 1, sizeof *launchers.list);
	for (size_t i = 0; launchers.list && i < tree.count; i++)
		if (tree.processes[i].launcher)
			launchers.list[launchers.count++] = varve_process_at(trace, i)->number;
	varve_tree_clear(&tree);
	return launchers.list ? VARVE_OK : VARVE_NO_MEMORY;
}

static int by_number(const void *left, const void *right)
{
	const uint32_t *a = left, *b = right;
	return (*a > *b) - (*a < *b);
}

bool is_runtime(const struct varve_call *call)
{
	if (call->marks & VARVE_RUNTIME)
		return true;
	return launchers.count && bsearch(&call->stream->process, launchers.list, launchers.count,
					  sizeof *launchers.list, by_number);
}
