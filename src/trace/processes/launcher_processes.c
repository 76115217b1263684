/* Trace: marks launchers of parallel programs and their daemons, whose calls are not work of the program. See
 * launcher_processes.h.
 *
 * A launcher is recognised by the name of its executable (base/program/launchers.h); its descendants belong to it unless they
 * have a rank. Reads headers and definitions of processes. Nothing is printed.
 */
#include "trace/processes/launcher_processes.h"

#include "base/program/launchers.h"
#include "trace/processes/tree.h"

#include <string.h>

static bool is_launcher(const struct varve_process *process)
{
	const char *path = process_value(process, "exe");
	const char *slash = path ? strrchr(path, '/') : NULL;
	return slash && launcher_program(slash + 1, strlen(slash + 1));
}

void launchers_mark(const struct varve_trace *trace, struct varve_tree *tree)
{
	/* A parent is before its children in the list. */
	for (size_t i = 0; i < tree->count; i++) {
		const struct varve_process *process = &trace->processes[i];
		size_t above = tree->processes[i].above;
		tree->processes[i].launcher =
			process->rank < 0 &&
			(is_launcher(process) ||
			 (above != TREE_NONE && tree->processes[above].launcher));
	}
}

enum varve_status launchers_find(struct varve_trace *trace, uint8_t *marks,
				 struct varve_causes *causes)
{
	struct varve_tree tree;
	TRY(tree_make(trace, false, &tree, causes));
	for (size_t i = 0; i < tree.count; i++)
		marks[i] = tree.processes[i].launcher;
	tree_clear(&tree);
	return VARVE_OK;
}
