/* Command line: the MPI world of a rank. See worlds.h.
 *
 * Almost every trace has one world: then the list is empty, and no process is looked up. On the hot path of `dump`.
 */
#include "cli/print/worlds.h"

#include <stdlib.h>

struct spawned {
	uint32_t process;
	uint32_t world;
};

static int by_process(const void *left, const void *right)
{
	const struct spawned *a = left, *b = right;
	return (a->process > b->process) - (a->process < b->process);
}

static size_t list_make(const struct varve_trace *trace, struct spawned *list)
{
	size_t count = 0;
	for (size_t i = 0; i < varve_process_count(trace); i++) {
		const struct varve_process *process = varve_process_at(trace, i);
		const char *world = varve_process_value(process, "spawn", 0);
		if (!world)
			continue;
		if (list)
			list[count] = (struct spawned){process->number,
						       (uint32_t)strtoul(world, NULL, 10)};
		count++;
	}
	if (list)
		qsort(list, count, sizeof *list, by_process);
	return count;
}

uint32_t world_of(const struct varve_trace *trace, const struct varve_stream *stream)
{
	static const struct varve_trace *listed;
	static struct spawned *list;
	static size_t count;
	if (stream->rank < 0)
		return 0;
	if (listed != trace) {
		listed = trace;
		free(list);
		count = list_make(trace, NULL);
		list = count ? calloc(count, sizeof *list) : NULL;
		if (list)
			list_make(trace, list);
	}
	if (count && !list)
		return 0;
	const struct spawned wanted = {.process = stream->process};
	const struct spawned *found =
		count ? bsearch(&wanted, list, count, sizeof *list, by_process) : NULL;
	return found ? found->world : 1;
}
