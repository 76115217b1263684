/* Slice: whether traces belong together: parts of one run, or runs of one job. See slice_fits() in slice.h. */
#include "slice/plain_blocks.h"
#include "slice/slice.h"

#include <string.h>

/* Whether both say the same for a key. */
static bool same_value(const struct trace_node *one, const struct trace_node *other,
		       const char *key)
{
	const char *a = node_value(one, key), *b = node_value(other, key);
	return a && b && *a && !strcmp(a, b);
}

static bool same_node(const struct trace_node *one, const struct trace_node *other)
{
	return same_value(one, other, "host") && same_value(one, other, "boot") &&
	       same_value(one, other, "start_monotonic");
}

/* Two parts of one node may not hold the same process. */
static enum status nodes_apart(const struct varve_trace *one, const struct varve_trace *other,
			       struct varve_causes *causes)
{
	for (size_t i = 0; i < one->process_count; i++)
		for (size_t k = 0; k < other->process_count; k++) {
			const struct varve_process *a = &one->processes[i];
			const struct varve_process *b = &other->processes[k];
			const struct trace_node *of_a = &one->nodes[a->node];
			const struct trace_node *of_b = &other->nodes[b->node];
			if (a->pid == b->pid &&
			    a->number - of_a->first_process == b->number - of_b->first_process &&
			    same_node(of_a, of_b))
				return cause(
					causes, STATUS_USAGE,
					"%s and %s both hold process %d of host %s; join parts "
					"that have no process in common",
					one->path, other->path, a->pid, node_value(of_a, "host"));
		}
	return STATUS_OK;
}

static enum status of_one_job(const struct varve_trace *one, const struct varve_trace *other,
			      bool join, struct varve_causes *causes)
{
	if (!memcmp(one->run_id, other->run_id, sizeof one->run_id))
		return STATUS_OK;
	if (!join)
		return cause(
			causes, STATUS_USAGE,
			"%s and %s are of different runs; --join puts runs of one job together",
			one->path, other->path);
	if (!same_value(one->nodes, other->nodes, "launch") &&
	    !same_value(one->nodes, other->nodes, "job"))
		return cause(causes, STATUS_USAGE,
			     "%s and %s are of different runs, and no launcher says that they are "
			     "of one job; read them one by one",
			     one->path, other->path);
	return STATUS_OK;
}

enum status slice_fits(const struct slice_request *request, struct varve_causes *causes)
{
	const struct varve_trace *first = request->sources[0].trace;
	for (size_t i = 1; i < request->count; i++) {
		const struct varve_trace *trace = request->sources[i].trace;
		TRY(of_one_job(first, trace, request->join, causes));
		for (size_t k = 0; k < i; k++)
			TRY(nodes_apart(request->sources[k].trace, trace, causes));
		if (trace->tables_check != first->tables_check)
			return cause(
				causes, STATUS_USAGE,
				"%s and %s were recorded by different versions of Varve, whose "
				"tables of functions differ; they cannot become one trace",
				first->path, trace->path);
	}
	return STATUS_OK;
}
