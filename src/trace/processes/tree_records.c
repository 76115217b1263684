/* Trace: the tree of processes, from records: how processes began and ended, and which programs were not recorded.
 *
 * Reads the calls that start, replace, end and wait for processes, and no others.
 */
#include "base/program/executable.h"
#include "trace/cursor/cursor.h"
#include "trace/processes/tree.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

enum { UNTRACED_MOST = 1000, CLONE_SHARES = 0x100 };

/* The state of the stream that is being read. */
struct place {
	struct varve_trace *trace;
	struct varve_tree *tree;
	const struct varve_stream *stream;
	size_t process;
	/* The last record `untraced` about the next program, and whether the last exec or spawn failed. */
	struct varve_untraced said;
	bool saying;
	bool failed;
	uint8_t depth;
	int64_t exit; /* end of that call; INT64_MAX: it has not returned */
};

static bool is_op(const struct varve_function *function, const char *op)
{
	return function->op && !strcmp(function->op, op);
}

/* Functions whose records are needed. */
static bool function_matters(const struct varve_function *function)
{
	static const char *const ops[] = {"fork",  "spawn", "exec", "system",
					  "popen", "exit",  "wait"};
	for (size_t i = 0; i < sizeof ops / sizeof *ops; i++)
		if (is_op(function, ops[i]))
			return true;
	return is_op(function, "recorder") &&
	       (!strcmp(function->name, "end") || !strcmp(function->name, "untraced"));
}

/* The word of the first field of this kind; false: there is none. */
static bool word_of_kind(const struct varve_trace *trace, const struct varve_call *call,
			 const char *kind, uint64_t *word)
{
	const struct varve_function *function = call->function;
	for (uint32_t i = 0; i < function->field_count; i++) {
		const struct varve_field *field = &function->fields[i];
		if (field->kind >= trace->tables.kind_count || field->word < 0 ||
		    (uint32_t)field->word >= call->word_count ||
		    strcmp(trace->tables.kinds[field->kind].name, kind))
			continue;
		*word = call->words[field->word];
		return true;
	}
	return false;
}

/* This process has started a program or a child with this pid. */
static void child_began(struct place *place, int64_t pid, int64_t ns, bool forked,
			enum varve_began how)
{
	if (pid <= 0 || pid > INT32_MAX)
		return;
	size_t at = tree_first(place->trace, place->tree, (int32_t)pid, ns, place->process);
	if (at == TREE_NONE)
		place->tree->unstarted += forked;
	if (at == TREE_NONE || at <= place->process)
		return;
	struct varve_tree_process *child = &place->tree->processes[at];
	bool open =
		forked ? child->began == VARVE_BEGAN_FORK
		       : child->began == VARVE_BEGAN_UNKNOWN || child->began == VARVE_BEGAN_LIBRARY;
	if (!open || (child->above != TREE_NONE && forked && child->above != place->process))
		return;
	child->began = how;
	/* If its parent ended first, the recorded parent is the process that adopted it. */
	child->above = place->process;
}

static void call_begins(struct place *place, const struct varve_call *call, int64_t ns)
{
	uint64_t word = 0;
	if (is_op(call->function, "spawn")) {
		if (word_of_kind(place->trace, call, "newpid", &word))
			child_began(place, (int64_t)word, ns, false, VARVE_BEGAN_SPAWN);
	} else if (!strcmp(call->function->name, "vfork")) {
		child_began(place, call->result, ns, false, VARVE_BEGAN_VFORK);
	} else if (word_of_kind(place->trace, call, "clone_flags", &word)) {
		bool shares = word & CLONE_SHARES;
		child_began(place, call->result, ns, !shares,
			    shares ? VARVE_BEGAN_VFORK : VARVE_BEGAN_CLONE);
	} else if (strcmp(call->function->name, "daemon")) {
		child_began(place, call->result, ns, true, VARVE_BEGAN_FORK);
	}
}

static void child_waited(struct place *place, int64_t pid, int status, int64_t ns)
{
	if (pid <= 0 || pid > INT32_MAX || !(WIFEXITED(status) || WIFSIGNALED(status)))
		return;
	size_t at = tree_child(place->trace, place->tree, (int32_t)pid, ns, place->process);
	if (at == TREE_NONE)
		return;
	struct varve_tree_process *child = &place->tree->processes[tree_last(place->tree, at)];
	if (child->weight > WEIGHT_WAITED)
		return;
	if (WIFEXITED(status))
		tree_ended(child, VARVE_ENDED_EXITED, WEXITSTATUS(status), WEIGHT_WAITED);
	else
		tree_ended(child, VARVE_ENDED_KILLED, WTERMSIG(status), WEIGHT_WAITED);
	child->core = WIFSIGNALED(status) && WCOREDUMP(status);
}

static void call_waits(struct place *place, const struct varve_call *call, int64_t ns)
{
	uint64_t word = 0;
	if (word_of_kind(place->trace, call, "wait_status", &word))
		child_waited(place, call->result, (int)word, ns);
	else if (word_of_kind(place->trace, call, "waited", &word))
		child_waited(place, (int64_t)(word >> 32), (int)(uint32_t)word, ns);
}

static void call_ends(struct place *place, const struct varve_call *call)
{
	struct varve_tree_process *process = &place->tree->processes[place->process];
	const char *name = call->function->name;
	uint64_t word = 0;
	process->seen_end = true;
	if (!strcmp(name, "abort")) {
		tree_ended(process, VARVE_ENDED_KILLED, SIGABRT, WEIGHT_EXIT);
		return;
	}
	if (!word_of_kind(place->trace, call, "exit_status", &word))
		return;
	int weight = WEIGHT_LEFT;
	if (!strcmp(name, "end"))
		weight = WEIGHT_END;
	else if (!strcmp(name, "exit"))
		weight = WEIGHT_EXIT;
	tree_ended(process, VARVE_ENDED_EXITED, (int)(word & 0xff), weight);
}

static enum varve_status untraced_add(struct varve_tree *tree, const struct varve_untraced *said,
				      struct varve_causes *causes)
{
	for (size_t i = 0; i < tree->untraced_count; i++) {
		struct varve_untraced *known = &tree->untraced[i];
		bool same = known->path && said->path ? !strcmp(known->path, said->path)
						      : !known->path && !said->path;
		if (same && known->why == said->why) {
			known->count++;
			free(said->path);
			return VARVE_OK;
		}
	}
	if (tree->untraced_count == UNTRACED_MOST) {
		tree->untraced_more++;
		free(said->path);
		return VARVE_OK;
	}
	if (!tree->untraced)
		tree->untraced = calloc(UNTRACED_MOST, sizeof *tree->untraced);
	if (!tree->untraced) {
		free(said->path);
		return cause(causes, VARVE_NO_MEMORY, "no memory for untraced programs");
	}
	tree->untraced[tree->untraced_count++] = *said;
	return VARVE_OK;
}

static void said_forget(struct place *place)
{
	free(place->said.path);
	place->said.path = NULL;
}

/* A record `untraced` inside a call is about that call, any other one is about the next call. */
static enum varve_status call_untraced(struct place *place, const struct varve_call *call,
				       struct varve_causes *causes)
{
	uint64_t why = 0, name = 0;
	struct varve_untraced said = {.count = 1,
				      .process = place->trace->processes[place->process].number};
	if (word_of_kind(place->trace, call, "untraced_why", &why))
		said.why = why;
	if (word_of_kind(place->trace, call, "path", &name)) {
		struct names *names = names_of_call(call);
		struct varve_text text =
			names ? names_absolute(names, (uint32_t)name) : (struct varve_text){0};
		if (text.bytes)
			said.path = strndup(text.bytes, text.length);
	}
	bool inside = call->depth > place->depth && call->start <= place->exit;
	if (!inside) {
		said_forget(place);
		place->said = said;
		place->saying = true;
		return VARVE_OK;
	}
	if (place->failed) {
		free(said.path);
		return VARVE_OK;
	}
	return untraced_add(place->tree, &said, causes);
}

/* A call that starts a program. The record `untraced` before it counts unless the call failed. */
static enum varve_status call_starts(struct place *place, const struct varve_call *call,
				     struct varve_causes *causes)
{
	place->failed = call->marks & VARVE_FAILED;
	place->depth = call->depth;
	place->exit = call->marks & VARVE_UNFINISHED ? INT64_MAX : call->end;
	struct varve_tree_process *process = &place->tree->processes[place->process];
	if (is_op(call->function, "exec") && call->marks & VARVE_UNFINISHED &&
	    !(call->marks & VARVE_VFORK) && process->weight < WEIGHT_IMAGE) {
		process->said = place->saying;
		tree_ended(process, VARVE_ENDED_VANISHED, 0, WEIGHT_IMAGE);
	}
	if (!place->saying)
		return VARVE_OK;
	place->saying = false;
	struct varve_untraced said = place->said;
	place->said = (struct varve_untraced){0};
	if (place->failed) {
		free(said.path);
		return VARVE_OK;
	}
	return untraced_add(place->tree, &said, causes);
}

static enum varve_status call_see(struct place *place, const struct varve_call *call,
				  struct varve_causes *causes)
{
	const struct varve_function *function = call->function;
	if (place->stream != call->stream) {
		const struct varve_process *process =
			trace_process(place->trace, call->stream->process);
		said_forget(place);
		place->stream = call->stream;
		place->process = process ? (size_t)(process - place->trace->processes) : TREE_NONE;
		place->saying = place->failed = false;
		place->depth = UINT8_MAX;
		place->exit = 0;
	}
	if (place->process == TREE_NONE)
		return VARVE_OK;
	bool done = !(call->marks & (VARVE_FAILED | VARVE_UNFINISHED));
	/* daemon() does not return in the process that calls it. */
	if (call->marks & VARVE_UNFINISHED && !strcmp(function->name, "daemon"))
		place->tree->processes[place->process].seen_end = true;
	if (is_op(function, "recorder") && !strcmp(function->name, "untraced"))
		return call_untraced(place, call, causes);
	if (is_op(function, "recorder") || is_op(function, "exit")) {
		if (!(call->marks & VARVE_VFORK))
			call_ends(place, call);
		return VARVE_OK;
	}
	if (done && is_op(function, "wait"))
		call_waits(place, call, call->end);
	else if (done && (is_op(function, "fork") || is_op(function, "spawn")))
		call_begins(place, call, call->start);
	if (is_op(function, "fork") && place->saying && place->said.why == UNTRACED_SHARED)
		return call_starts(place, call, causes);
	static const char *const starting[] = {"exec", "spawn", "system", "popen"};
	for (size_t i = 0; i < sizeof starting / sizeof *starting; i++)
		if (is_op(function, starting[i]))
			return call_starts(place, call, causes);
	return VARVE_OK;
}

/* The program that `varve record` started: the command found before the start that it cannot be recorded, or the library
 * never started in it. */
static enum varve_status program_untraced(const struct varve_trace *trace, struct varve_tree *tree,
					  struct varve_causes *causes)
{
	const char *program = node_value(trace->nodes, "program");
	const char *why = node_value(trace->nodes, "untraced");
	bool unseen = trace->process_count == 0 && trace->loss[LOSS_UNTRACED];
	if (!program || !(why || unseen))
		return VARVE_OK;
	const struct varve_untraced own = {
		.path = strdup(program), .why = why ? strtoull(why, NULL, 10) : 0, .count = 1};
	return untraced_add(tree, &own, causes);
}

enum varve_status tree_read(struct varve_trace *trace, struct varve_tree *tree,
			    struct varve_causes *causes)
{
	uint8_t *functions = calloc(TRACE_FUNCTIONS, 1);
	if (!functions)
		return cause(causes, VARVE_NO_MEMORY, "no memory for a filter");
	for (uint32_t i = 0; i < trace->tables.function_count; i++)
		functions[trace->tables.functions[i].id] =
			function_matters(&trace->tables.functions[i]);
	struct trace_filter filter = TRACE_FILTER_ALL;
	filter.functions = functions;
	struct varve_cursor *cursor = NULL;
	struct place place = {.trace = trace, .tree = tree};
	enum varve_status status = cursor_open(trace, &filter, VARVE_ORDER_STREAM,
					       VARVE_COLUMNS_ALL & ~VARVE_FILES, &cursor, causes);
	while (status == VARVE_OK) {
		const struct varve_call *call;
		status = cursor_next(cursor, &call, causes);
		if (status == VARVE_OK)
			status = call_see(&place, call, causes);
	}
	said_forget(&place);
	cursor_close(cursor);
	free(functions);
	if (status != VARVE_END)
		return status;
	return program_untraced(trace, tree, causes);
}
