/* Command line: finds the program that an unfinished exec started, which shows that the exec succeeded.
 *
 * It is a process of the trace with the pid and start time of the caller of exec; for an exec in a vfork child, with the
 * pid that vfork returned and the caller's pid as its parent. If two calls could have started the same program, neither is
 * reported. Calls of exec and vfork are read once, when the first unfinished exec is printed.
 */
#include "cli/print/exec_images.h"

#include <stdlib.h>
#include <string.h>

/* An unfinished exec. */
struct exec_call {
	uint32_t process;
	uint32_t thread;
	uint64_t ordinal;
	uint32_t image; /* number of the process that it became; 0: not known */
};

static struct {
	struct varve_trace *trace;
	bool read;
	struct exec_call *calls; /* sorted by process, thread, ordinal */
	size_t count;
} execs;

void images_of(struct varve_trace *trace)
{
	free(execs.calls);
	memset(&execs, 0, sizeof execs);
	execs.trace = trace;
}

static bool same_value(const struct varve_process *one, const struct varve_process *other,
		       const char *key)
{
	const char *values[] = {varve_process_value(one, key, 0),
				varve_process_value(other, key, 0)};
	return values[0] && values[1] && !strcmp(values[0], values[1]);
}

static bool is_number(const struct varve_process *process, const char *key, int32_t number)
{
	const char *value = varve_process_value(process, key, 0);
	return value && strtoll(value, NULL, 10) == number;
}

/* The next program of a process: the next entry with the same pid and start time. */
static uint32_t next_image(const struct varve_process *process)
{
	for (size_t i = 0; i < varve_process_count(execs.trace); i++) {
		const struct varve_process *other = varve_process_at(execs.trace, i);
		const char *origin = varve_process_value(other, "origin", 0);
		if (other->number > process->number && other->node == process->node &&
		    other->pid == process->pid && same_value(process, other, "start") &&
		    !(origin && !strcmp(origin, "fork")))
			return other->number;
	}
	return 0;
}

/* The first program of a child with this pid that began after the call. */
static uint32_t child_image(const struct varve_process *process, int32_t pid, int64_t ns)
{
	uint32_t found = 0;
	int64_t first = INT64_MAX;
	for (size_t i = 0; i < varve_stream_count(execs.trace); i++) {
		const struct varve_stream *stream = varve_stream_at(execs.trace, i);
		if (stream->pid != pid || stream->first_ns < ns || stream->first_ns >= first)
			continue;
		const struct varve_process *child =
			varve_process_find(execs.trace, stream->process);
		if (!child || child->node != process->node ||
		    !is_number(child, "ppid", process->pid))
			continue;
		first = stream->first_ns;
		found = child->number;
	}
	return found;
}

static int by_place(const void *left, const void *right)
{
	const struct exec_call *a = left, *b = right;
	if (a->process != b->process)
		return a->process < b->process ? -1 : 1;
	if (a->thread != b->thread)
		return a->thread < b->thread ? -1 : 1;
	return a->ordinal < b->ordinal ? -1 : a->ordinal > b->ordinal;
}

static int by_image(const void *left, const void *right)
{
	const struct exec_call *a = left, *b = right;
	return a->image < b->image ? -1 : a->image > b->image;
}

static void drop_doubtful(void)
{
	qsort(execs.calls, execs.count, sizeof *execs.calls, by_image);
	for (size_t i = 1; i < execs.count; i++)
		if (execs.calls[i].image && execs.calls[i].image == execs.calls[i - 1].image) {
			uint32_t image = execs.calls[i].image;
			for (size_t k = i - 1; k < execs.count && execs.calls[k].image == image;
			     k++)
				execs.calls[k].image = 0;
		}
	qsort(execs.calls, execs.count, sizeof *execs.calls, by_place);
}

/* The innermost vfork around the current call of the stream. */
struct vfork_call {
	const struct varve_stream *stream;
	int32_t pid;
};

static bool exec_add(const struct varve_call *call, const struct vfork_call *vfork)
{
	const struct varve_process *process =
		varve_process_find(execs.trace, call->stream->process);
	struct exec_call found = {call->stream->process, call->stream->thread, call->ordinal, 0};
	if (process && !(call->marks & VARVE_VFORK))
		found.image = next_image(process);
	else if (process && vfork->stream == call->stream && vfork->pid > 0)
		found.image = child_image(process, vfork->pid, call->start);
	if (!(execs.count & (execs.count - 1))) {
		struct exec_call *more =
			reallocarray(execs.calls, execs.count ? execs.count * 2 : 1, sizeof *more);
		if (!more)
			return false;
		execs.calls = more;
	}
	execs.calls[execs.count++] = found;
	return true;
}

/* If reading fails, the remaining calls are printed as recorded: unfinished. */
static void read_calls(void)
{
	struct varve_query query = VARVE_QUERY_ALL;
	struct varve_causes causes = {0};
	struct varve_cursor *cursor;
	const struct varve_call *call;
	struct vfork_call vfork = {0};
	uint8_t *functions = calloc(VARVE_FUNCTIONS, 1);
	execs.read = true;
	for (size_t i = 0; functions && i < varve_function_count(execs.trace); i++) {
		const struct varve_function *function = varve_function_at(execs.trace, i);
		functions[function->id] =
			!strcmp(function->op, "exec") || !strcmp(function->name, "vfork");
	}
	query.functions = functions;
	query.order = VARVE_ORDER_STREAM;
	query.columns = VARVE_TIMES | VARVE_RESULTS;
	if (functions && varve_cursor_open(execs.trace, &query, &cursor, &causes) == VARVE_OK) {
		while (varve_cursor_next(cursor, &call, &causes) == VARVE_OK) {
			if (!strcmp(call->function->name, "vfork"))
				vfork = (struct vfork_call){call->stream, (int32_t)call->result};
			else if (call->marks & VARVE_UNFINISHED && !exec_add(call, &vfork))
				break;
		}
		varve_cursor_close(cursor);
	}
	free(functions);
	drop_doubtful();
}

uint32_t image_after(const struct varve_call *call)
{
	if (!(call->marks & VARVE_UNFINISHED) || !call->function ||
	    strcmp(call->function->op, "exec") != 0 || !execs.trace)
		return 0;
	if (!execs.read)
		read_calls();
	struct exec_call key = {call->stream->process, call->stream->thread, call->ordinal, 0};
	const struct exec_call *found =
		execs.count ? bsearch(&key, execs.calls, execs.count, sizeof key, by_place) : NULL;
	return found ? found->image : 0;
}
