/* Trace: the tree of processes from definitions, headers and the index. See tree.h. */
#include "trace/processes/tree.h"

#include "trace/processes/launcher_processes.h"

#include "trace/cursor/halves.h"
#include "trace/packed/packed.h"
#include "trace/trace_inside.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct varve_tree_key {
	int64_t pid; /* combined with the host, because each host has its own pids */
	size_t at;
};

static long long process_value_number(const struct varve_process *process, const char *key)
{
	const char *text = process_value(process, key);
	return text ? strtoll(text, NULL, 10) : 0;
}

static int compare_keys(const void *left, const void *right)
{
	const struct varve_tree_key *a = left, *b = right;
	if (a->pid != b->pid)
		return a->pid < b->pid ? -1 : 1;
	return a->at < b->at ? -1 : a->at > b->at;
}

/* Combines a pid with its host, because each host has its own pids. */
static int64_t process_key_of(const struct varve_trace *trace, size_t process, int32_t pid)
{
	return (int64_t)((uint64_t)trace->nodes[trace->processes[process].node].host << 32 |
			 (uint32_t)pid);
}

/* The first key with this pid, or the number of keys. */
static size_t key_find(const struct varve_tree *tree, int64_t pid)
{
	size_t low = 0, high = tree->key_count;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (tree->keys[middle].pid < pid)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Whether the times of records can be compared with the times at which processes began. */
static bool trace_is_timed(const struct varve_trace *trace)
{
	return trace->time == PACKED_TIME_EXACT;
}

size_t tree_first(const struct varve_trace *trace, const struct varve_tree *tree, int32_t number,
		  int64_t ns, size_t parent)
{
	int64_t pid = process_key_of(trace, parent, number);
	for (size_t i = key_find(tree, pid); i < tree->key_count && tree->keys[i].pid == pid; i++)
		if (tree->processes[tree->keys[i].at].first_ns >= ns || !trace_is_timed(trace))
			return tree->keys[i].at;
	return TREE_NONE;
}

/* The first program of a process. */
static size_t first_image(const struct varve_tree *tree, size_t at)
{
	while (tree->processes[at].began == VARVE_BEGAN_EXEC &&
	       tree->processes[at].above != TREE_NONE)
		at = tree->processes[at].above;
	return at;
}

size_t tree_child(const struct varve_trace *trace, const struct varve_tree *tree, int32_t number,
		  int64_t ns, size_t parent)
{
	int64_t pid = process_key_of(trace, parent, number);
	size_t last = TREE_NONE, own = TREE_NONE;
	for (size_t i = key_find(tree, pid); i < tree->key_count && tree->keys[i].pid == pid; i++) {
		size_t at = tree->keys[i].at;
		if (tree->processes[at].first_ns > ns && trace_is_timed(trace))
			continue;
		last = at;
		size_t above = tree->processes[first_image(tree, at)].above;
		if (above != TREE_NONE && first_image(tree, above) == first_image(tree, parent))
			own = at;
	}
	return own != TREE_NONE ? own : last;
}

size_t tree_last(const struct varve_tree *tree, size_t at)
{
	while (tree->processes[at].next != TREE_NONE)
		at = tree->processes[at].next;
	return at;
}

void tree_ended(struct varve_tree_process *process, enum varve_ended ended, int status, int weight)
{
	if (weight < process->weight)
		return;
	process->weight = weight;
	process->ended = ended;
	process->status = status;
}

/* Computes when each process began, and how many calls it made. */
static void sum_up(const struct varve_trace *trace, struct varve_tree *tree)
{
	for (size_t i = 0; i < trace->process_count; i++) {
		const struct varve_process *process = &trace->processes[i];
		struct varve_tree_process *entry = &tree->processes[i];
		entry->first_ns = INT64_MAX;
		for (size_t s = 0; s < process->streams; s++) {
			const struct varve_stream *stream =
				&trace->streams[process->first_stream + s];
			for (size_t b = 0; b < stream->count; b++) {
				const struct trace_block *block = &trace->blocks[stream->first + b];
				const struct block_header *header = &block->header;
				int64_t ns = ticks_ns(header->first_tick, header->resolution);
				if (header->records && ns < entry->first_ns)
					entry->first_ns = ns;
				for (uint32_t row = 0; row < header->summaries; row++)
					entry->records +=
						block_summary_at(block->bytes, header, row).calls;
				block_passed(trace, block);
			}
		}
	}
}

/* For counting the calls that no header counts. */
struct counting {
	const struct varve_trace *trace;
	struct varve_tree *tree;
};

static void tree_add_lost(void *context, const struct varve_stream *stream, uint16_t function)
{
	const struct counting *counting = context;
	(void)function;
	for (size_t i = 0; i < counting->tree->count; i++)
		if (counting->trace->processes[i].number == stream->process)
			counting->tree->processes[i].records++;
}

static enum varve_status keys_make(const struct varve_trace *trace, struct varve_tree *tree,
				   struct varve_causes *causes)
{
	tree->keys = calloc(trace->process_count * 2 + 1, sizeof *tree->keys);
	if (!tree->keys)
		return cause(causes, VARVE_NO_MEMORY, "no memory for %zu processes",
			     trace->process_count);
	for (size_t i = 0; i < trace->process_count; i++) {
		long long outer = process_value_number(&trace->processes[i], "outer");
		tree->keys[tree->key_count++] = (struct varve_tree_key){
			process_key_of(trace, i, trace->processes[i].pid), i};
		if (outer > 0 && outer <= INT32_MAX)
			tree->keys[tree->key_count++] = (struct varve_tree_key){
				process_key_of(trace, i, (int32_t)outer), i};
	}
	if (tree->key_count)
		qsort(tree->keys, tree->key_count, sizeof *tree->keys, compare_keys);
	return VARVE_OK;
}

/* The entry before this one: the last program of the same process (same pid and start time), or without a start time the
 * last one with that pid. */
static size_t find_before(const struct varve_trace *trace, const struct varve_tree *tree,
			  int64_t pid, const char *start, size_t before)
{
	size_t found = TREE_NONE;
	for (size_t i = key_find(tree, pid);
	     i < tree->key_count && tree->keys[i].pid == pid && tree->keys[i].at < before; i++) {
		const char *other = process_value(&trace->processes[tree->keys[i].at], "start");
		if (!start || (other && !strcmp(other, start)))
			found = tree->keys[i].at;
	}
	return found;
}

/* Whether `varve record` started the process, or may have started it because its own pid is not known. */
static bool is_collectors(const struct varve_trace *trace, const struct varve_process *process)
{
	const char *collector = node_value(trace->nodes, "collector");
	return !collector || strtoll(collector, NULL, 10) == process_value_number(process, "ppid");
}

/* Whether the first process is the program that `varve record` started. If that program could not be recorded, the first
 * process is a child of it. */
static bool first_is_program(const struct varve_trace *trace)
{
	return !node_value(trace->nodes, "untraced") || is_collectors(trace, trace->processes);
}

/* Sets the parent of a process. Numbers are assigned in order, so a parent has a smaller number than its children. */
static void process_hang(const struct varve_trace *trace, struct varve_tree *tree, size_t at)
{
	const struct varve_process *process = &trace->processes[at];
	struct varve_tree_process *entry = &tree->processes[at];
	const char *start = process_value(process, "start");
	long long parent = process_value_number(process, "parent"),
		  ppid = process_value_number(process, "ppid");
	const struct varve_process *forker = NULL;
	/* the process recorded the number in its node */
	if (parent > 0 && parent < UINT32_MAX)
		parent += (long long)trace->nodes[process->node].first_process;
	if (parent > 0 && parent < process->number)
		forker = trace_process(trace, (uint32_t)parent);
	const char *origin = process_value(process, "origin");
	if (origin && !strcmp(origin, "fork")) {
		entry->began = VARVE_BEGAN_FORK;
		entry->above = forker ? (size_t)(forker - trace->processes) : TREE_NONE;
		return;
	}
	size_t same = start && strcmp(start, "0")
			      ? find_before(trace, tree, process_key_of(trace, at, process->pid),
					    start, at)
			      : TREE_NONE;
	if (same != TREE_NONE) {
		entry->began = VARVE_BEGAN_EXEC;
		entry->above = same;
		tree->processes[same].next = at;
		tree_ended(&tree->processes[same], VARVE_ENDED_REPLACED, 0, WEIGHT_IMAGE);
		return;
	}
	if (ppid > 0 && ppid <= INT32_MAX)
		entry->above = find_before(trace, tree, process_key_of(trace, at, (int32_t)ppid),
					   NULL, at);
	if (entry->above != TREE_NONE)
		entry->began = VARVE_BEGAN_LIBRARY;
	else if (process->rank >= 0 || (at == 0 && first_is_program(trace)))
		entry->began = VARVE_BEGAN_RUN;
}

/* The ends that are known without any record. */
static void ends_known(const struct varve_trace *trace, struct varve_tree *tree)
{
	const struct index_head *end = &trace->nodes[0].end;
	bool own = tree->count && is_collectors(trace, trace->processes);
	if (own && trace->nodes[0].indexed && end->programs < 2 &&
	    (end->end == RUN_EXITED || end->end == RUN_KILLED))
		tree_ended(&tree->processes[tree_last(tree, 0)],
			   end->end == RUN_KILLED ? VARVE_ENDED_KILLED : VARVE_ENDED_EXITED,
			   end->status, WEIGHT_WAITED);
	for (uint64_t i = 0; i < trace->alive_processes; i++) {
		const struct trace_running *running = &trace->running[i];
		const struct varve_process *process = trace_process(trace, running->process);
		if (process) {
			tree_ended(&tree->processes[process - trace->processes],
				   VARVE_ENDED_RUNNING, 0, WEIGHT_IMAGE);
			continue;
		}
		/* All its records are still in its lanes, so the program before it has not vanished. */
		char start[24];
		snprintf(start, sizeof start, "%" PRIu64, running->start);
		int64_t pid = (int64_t)((uint64_t)trace->nodes[running->node].host << 32 |
					(uint32_t)running->pid);
		size_t before = find_before(trace, tree, pid, start, tree->count);
		if (before != TREE_NONE)
			tree_ended(&tree->processes[before], VARVE_ENDED_REPLACED, 0, WEIGHT_IMAGE);
	}
}

/* Whether the trace contains another program of the same process, which may be the one that ended. */
static bool has_other_image(const struct varve_trace *trace, const struct varve_tree *tree,
			    size_t at)
{
	const char *start = process_value(&trace->processes[at], "start");
	int64_t pid = process_key_of(trace, at, trace->processes[at].pid);
	return start && find_before(trace, tree, pid, start, SIZE_MAX) != at;
}

/* Marks processes that exited without a recorded call that ends a process. Only if nothing that could be this call is
 * missing in the trace. */
static enum varve_status ends_unseen(struct varve_trace *trace, struct varve_tree *tree,
				     struct varve_causes *causes)
{
	static const uint8_t losses[] = {LOSS_NO_LANE, LOSS_DEEP,      LOSS_HANDLER, LOSS_START,
					 LOSS_TORN,    LOSS_CLOCKLESS, NOTE_PAUSED};
	static const char *const settings[] = {"setting.layer", "setting.only", "setting.skip",
					       "slice.part"};
	bool some = false;
	if (trace_dropped(trace))
		return VARVE_OK;
	for (size_t i = 0; i < sizeof losses; i++)
		if (trace->loss[losses[i]])
			return VARVE_OK;
	for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
		if (node_value(trace->nodes, settings[i]))
			return VARVE_OK;
	for (size_t i = 0; i < tree->count; i++) {
		struct varve_tree_process *process = &tree->processes[i];
		process->unseen_end = process->ended == VARVE_ENDED_EXITED &&
				      process->weight == WEIGHT_WAITED && !process->seen_end &&
				      !process_value(&trace->processes[i], "sanitizer") &&
				      !has_other_image(trace, tree, i);
		some |= process->unseen_end;
	}
	/* Damage that was not found yet can contain the call. */
	if (some && !trace->packed)
		TRY(trace_check_all(trace, causes));
	if (trace->damage_count || trace->damage_more)
		for (size_t i = 0; i < tree->count; i++)
			tree->processes[i].unseen_end = false;
	return VARVE_OK;
}

/* The order of a walk: each process, then its children. Parents are before their children in the list, so the depth
 * follows from the parent. */
static enum varve_status order_make(const struct varve_trace *trace, struct varve_tree *tree,
				    struct varve_causes *causes)
{
	size_t count = tree->count;
	/* Lists of children: the first child of each process, and the next child of the same parent. The last entry of
	 * `first` is for processes without a parent. */
	size_t *first = malloc((count + 1) * sizeof *first);
	size_t *next = malloc((count + 1) * sizeof *next);
	tree->order = malloc((count + 1) * sizeof *tree->order);
	tree->depth = calloc(count + 1, sizeof *tree->depth);
	if (!first || !next || !tree->order || !tree->depth) {
		free(first);
		free(next);
		return cause(causes, VARVE_NO_MEMORY, "no memory for %zu processes", count);
	}
	for (size_t i = 0; i <= count; i++)
		first[i] = next[i] = TREE_NONE;
	for (size_t i = count; i-- > 0;) {
		size_t above = tree->processes[i].above;
		tree->processes[i].parent = above == TREE_NONE ? 0 : trace->processes[above].number;
		size_t list = above == TREE_NONE ? count : above;
		next[i] = first[list];
		first[list] = i;
	}
	size_t at = first[count], done = 0;
	uint32_t depth = 0;
	while (at != TREE_NONE) {
		tree->order[done] = at;
		tree->depth[done++] = depth;
		if (first[at] != TREE_NONE) {
			at = first[at];
			depth++;
			continue;
		}
		while (at != TREE_NONE && next[at] == TREE_NONE) {
			at = tree->processes[at].above;
			depth -= at != TREE_NONE;
		}
		at = at == TREE_NONE ? TREE_NONE : next[at];
	}
	free(first);
	free(next);
	return VARVE_OK;
}

static enum varve_status order_or_none(const struct varve_trace *trace, struct varve_tree *tree,
				       struct varve_causes *causes)
{
	launchers_mark(trace, tree);
	enum varve_status status = order_make(trace, tree, causes);
	if (status != VARVE_OK)
		tree_clear(tree);
	return status;
}

/* Clears everything except the array of processes. */
static void tree_forget(struct varve_tree *tree)
{
	for (size_t i = 0; i < tree->untraced_count; i++)
		free(tree->untraced[i].path);
	free(tree->untraced);
	tree->untraced = NULL;
	tree->untraced_count = 0;
	tree->untraced_more = tree->unstarted = tree->vanished = 0;
	if (tree->processes)
		memset(tree->processes, 0, tree->count * sizeof *tree->processes);
}

enum varve_status tree_make(struct varve_trace *trace, bool records, struct varve_tree *tree,
			    struct varve_causes *causes)
{
	*tree = (struct varve_tree){.count = trace->process_count};
	tree->processes = calloc(tree->count + 1, sizeof *tree->processes);
	if (!tree->processes)
		return cause(causes, VARVE_NO_MEMORY, "no memory for %zu processes", tree->count);
	if (records && packed_answer_tree(trace, tree))
		return order_or_none(trace, tree, causes);
	tree_forget(tree);
	enum varve_status status = keys_make(trace, tree, causes);
	struct counting counting = {trace, tree};
	if (status == VARVE_OK)
		status = halves_lost(trace, tree_add_lost, &counting, causes);
	if (status == VARVE_OK) {
		sum_up(trace, tree);
		for (size_t i = 0; i < tree->count; i++)
			tree->processes[i].above = tree->processes[i].next = TREE_NONE;
		for (size_t i = 0; i < tree->count; i++)
			process_hang(trace, tree, i);
		ends_known(trace, tree);
		if (records) {
			status = tree_read(trace, tree, causes);
			if (status == VARVE_OK)
				status = ends_unseen(trace, tree, causes);
		}
		/* The next program may have only records that a limit or a lost lane removed, no records at all, or
		 * records that were not requested. */
		bool known = trace_dropped(trace) || trace->loss[LOSS_TORN] ||
			     trace->loss[LOSS_NO_LANE] ||
			     node_value(trace->nodes, "setting.no-follow") ||
			     node_value(trace->nodes, "slice.part");
		for (size_t i = 0; i < tree->count && !known; i++)
			tree->vanished += tree->processes[i].ended == VARVE_ENDED_VANISHED &&
					  !tree->processes[i].said;
	}
	if (status == VARVE_OK)
		return order_or_none(trace, tree, causes);
	tree_clear(tree);
	return status;
}

void tree_clear(struct varve_tree *tree)
{
	tree_forget(tree);
	free(tree->processes);
	free(tree->order);
	free(tree->depth);
	free(tree->keys);
	*tree = (struct varve_tree){0};
}
