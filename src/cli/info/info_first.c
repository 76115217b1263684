/* Command line: `varve info`: the first programs of a run: the command and how it ended, if `varve record` did not record
 * these (it was killed, or only the library was preloaded). They are taken from the table of processes; the rest stays
 * unknown. */
#include "cli/info/info.h"

/* Whether no process in the trace started this process. */
static bool is_first(const struct info *info, size_t at)
{
	return !info->tree.processes[at].parent;
}

/* The last program that a process became by exec. Later programs of a process are after earlier ones. */
static const struct varve_tree_process *last_image(const struct info *info, size_t at)
{
	const struct varve_tree_process *processes = info->tree.processes;
	for (size_t i = at + 1; i < info->tree.count; i++)
		if (processes[i].began == VARVE_BEGAN_EXEC &&
		    processes[i].parent == varve_process_at(info->trace, at)->number)
			at = i;
	return &processes[at];
}

/* A signal is worse than a status, and a larger status is worse than a smaller one. */
static bool is_worse_end(enum varve_end end, int status, const struct varve_state *than)
{
	return end > than->end || (end == than->end && status > than->status);
}

/* The worst end of all first programs; false: the end of one of them is not known. */
static bool ends_of_first(const struct info *info, struct varve_state *worst)
{
	bool any = false;
	*worst = (struct varve_state){.end = VARVE_END_EXITED};
	for (size_t i = 0; i < info->tree.count; i++) {
		if (!is_first(info, i))
			continue;
		const struct varve_tree_process *process = last_image(info, i);
		enum varve_end end =
			process->ended == VARVE_ENDED_KILLED ? VARVE_END_KILLED : VARVE_END_EXITED;
		if (process->ended != VARVE_ENDED_KILLED && process->ended != VARVE_ENDED_EXITED)
			return false;
		any = true;
		if (is_worse_end(end, process->status, worst)) {
			worst->end = end;
			worst->status = process->status;
		}
	}
	return any;
}

void info_first_find(struct info *info)
{
	struct varve_state *state = &info->state, worst;
	for (size_t i = 0; i < info->tree.count && !info->first; i++)
		if (is_first(info, i))
			info->first = varve_process_at(info->trace, i);
	bool noted = state->end == VARVE_END_EXITED || state->end == VARVE_END_KILLED;
	if (noted || state->running_processes || state->running_threads ||
	    !ends_of_first(info, &worst))
		return;
	state->end = worst.end;
	state->status = worst.status;
	info->end_derived = true;
}
