/* Slice: whether traces belong together: parts of one run, or runs of one job. See slice_same_run() in slice.h. */
#include "slice/pieces.h"
#include "slice/plain_blocks.h"
#include "trace/trace.h"

#include <string.h>

/* Whether both have the same value of a key. */
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

/* Whether both are the same process with the same number, in parts of one trace. */
static bool same_process(const struct varve_trace *one, const struct varve_process *a,
			 const struct varve_trace *other, const struct varve_process *b)
{
	const struct trace_node *of_a = &one->nodes[a->node], *of_b = &other->nodes[b->node];
	return a->number == b->number && a->pid == b->pid && of_a->number == of_b->number &&
	       same_node(of_a, of_b);
}

static bool share_process(const struct varve_trace *one, const struct varve_trace *other)
{
	bool share = false;
	if (memcmp(one->run_id, other->run_id, sizeof one->run_id) != 0)
		return false;
	for (size_t i = 0; !share && i < one->process_count; i++) {
		const struct varve_process *a = &one->processes[i];
		const struct varve_process *b = trace_process(other, a->number);
		share = b && same_process(one, a, other, b);
	}
	return share;
}

/* Puts sources that have processes in common into groups. */
static void group_sources(const struct slice_request *request)
{
	struct slice_source *sources = request->sources;
	for (size_t i = 0; i < request->count; i++) {
		sources[i].group = i;
		for (size_t k = 0; k < i; k++) {
			size_t one = sources[k].group, other = sources[i].group;
			if (one == other || !share_process(sources[k].trace, sources[i].trace))
				continue;
			for (size_t n = 0; n <= i; n++)
				if (sources[n].group == one || sources[n].group == other)
					sources[n].group = one < other ? one : other;
		}
	}
}

/* Two parts of one node may not contain the same process with different numbers. */
static enum varve_status processes_distinct(const struct varve_trace *one,
					    const struct varve_trace *other, bool together,
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
			    same_node(of_a, of_b) && !(together && same_process(one, a, other, b)))
				return cause(causes, VARVE_USAGE,
					     "%s and %s both contain process %d of host %s, with "
					     "different numbers; join parts of one trace",
					     one->path, other->path, a->pid,
					     node_value(of_a, "host"));
		}
	return VARVE_OK;
}

/* Two processes may not have the same number if numbers are kept. */
static enum varve_status numbers_agree(const struct varve_trace *one,
				       const struct varve_trace *other, struct varve_causes *causes)
{
	for (size_t i = 0; i < one->process_count; i++) {
		const struct varve_process *a = &one->processes[i];
		const struct varve_process *b = trace_process(other, a->number);
		if (b && !same_process(one, a, other, b))
			return cause(causes, VARVE_USAGE,
				     "process %u of %s and of %s are different processes; join "
				     "parts of one trace",
				     a->number, one->path, other->path);
	}
	return VARVE_OK;
}

/* Parts by time must not overlap in any of their streams. */
static enum varve_status times_distinct(const struct slice_request *request,
					struct varve_causes *causes)
{
	enum varve_status status = VARVE_OK;
	for (size_t i = 0; status == VARVE_OK && i < request->count; i++) {
		struct pieces pieces;
		if (request->sources[i].group == i)
			continue;
		status = pieces_make(request, request->sources[i].group, &pieces, causes);
		pieces_clear(&pieces);
	}
	return status;
}

static enum varve_status same_job(const struct varve_trace *one, const struct varve_trace *other,
				  bool join, struct varve_causes *causes)
{
	if (!memcmp(one->run_id, other->run_id, sizeof one->run_id))
		return VARVE_OK;
	if (!join)
		return cause(causes, VARVE_USAGE,
			     "%s and %s are different runs; use --join for runs of one job",
			     one->path, other->path);
	if (!same_value(one->nodes, other->nodes, "launch") &&
	    !same_value(one->nodes, other->nodes, "job"))
		return cause(causes, VARVE_USAGE,
			     "%s and %s are different runs that no launcher started as one job; "
			     "read them one by one",
			     one->path, other->path);
	return VARVE_OK;
}

/* A packed trace contains only the tables of the functions in it. Tables of another version of Varve cannot be completed, and
 * the new trace has a single set. */
static enum varve_status tables_agree(const struct varve_trace *first,
				      const struct varve_trace *trace, struct varve_causes *causes)
{
	struct plain_block mine = tables_of(first), other = tables_of(trace);
	if (trace->tables_check != first->tables_check)
		return cause(causes, VARVE_USAGE,
			     "%s and %s cannot be combined: they were recorded by versions of "
			     "Varve with different tables of functions; read them one by one",
			     first->path, trace->path);
	if (mine.length != other.length || memcmp(mine.payload, other.payload, mine.length) != 0)
		return cause(causes, VARVE_USAGE,
			     "%s and %s cannot be combined: they were recorded by another version "
			     "of Varve, and packed traces have only the tables of their own "
			     "functions; combine them with the version that recorded them",
			     first->path, trace->path);
	return VARVE_OK;
}

enum varve_status slice_same_run(const struct slice_request *request, struct varve_causes *causes)
{
	const struct varve_trace *first = request->sources[0].trace;
	group_sources(request);
	for (size_t i = 1; i < request->count; i++) {
		const struct varve_trace *trace = request->sources[i].trace;
		TRY(same_job(first, trace, request->join, causes));
		for (size_t k = 0; k < i; k++) {
			const struct slice_source *other = &request->sources[k];
			bool together = other->group == request->sources[i].group;
			TRY(processes_distinct(other->trace, trace, together, causes));
			if (together)
				TRY(numbers_agree(other->trace, trace, causes));
		}
		TRY(tables_agree(first, trace, causes));
	}
	return times_distinct(request, causes);
}
