/* Command line: selects records by process, thread, function, layer and time. See selection.h. */
#include "cli/selection/selection.h"

#include "base/parse.h"
#include "base/pattern.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Calls `see` for each comma-separated word; false if `see` returned false. */
static bool each_word(const char *words, struct selection *selection,
		      bool (*see)(struct selection *selection, const char *word))
{
	char word[128];
	for (const char *at = words; *at;) {
		size_t length = strcspn(at, ",");
		if (length >= sizeof word) {
			message("%s: the name '%s' is too long; separate names with commas",
				selection->verb, at);
			return false;
		}
		memcpy(word, at, length);
		word[length] = 0;
		if (length && !see(selection, word))
			return false;
		at += length + (at[length] == ',');
	}
	return true;
}

bool is_of_recorder(const struct varve_trace *trace, const struct varve_function *function)
{
	return !strcmp(varve_layer_at(trace, function->layer), "varve");
}

static const char *function_name(const void *context, size_t i)
{
	return varve_function_at(context, i)->name;
}

static const char *layer_name(const void *context, size_t i)
{
	return varve_layer_at(context, i);
}

static bool select_function(struct selection *selection, const char *word)
{
	const struct varve_trace *trace = selection->trace;
	bool found = false;
	for (size_t i = 0; i < varve_function_count(trace); i++) {
		const struct varve_function *function = varve_function_at(trace, i);
		if (pattern_fits(word, function->name, strlen(function->name))) {
			selection->functions[function->id] |= 1;
			found = true;
		}
	}
	bool pattern = strpbrk(word, "*?[") != NULL;
	const char *near =
		found || pattern ? NULL
				 : nearest(word, varve_function_count(trace), function_name, trace);
	if (!found && pattern)
		message("%s: no function matches '%s'; `varve info %s` lists the functions that "
			"were called",
			selection->verb, word, varve_path(trace));
	else if (near)
		message("%s: unknown function '%s'; did you mean '%s'?", selection->verb, word,
			near);
	else if (!found)
		message("%s: unknown function '%s'; `varve info %s` lists the functions that were "
			"called",
			selection->verb, word, varve_path(trace));
	return found;
}

static bool select_layer(struct selection *selection, const char *word)
{
	const struct varve_trace *trace = selection->trace;
	for (size_t layer = 0; layer < varve_layer_count(trace); layer++) {
		if (strcmp(varve_layer_at(trace, layer), word))
			continue;
		for (size_t i = 0; i < varve_function_count(trace); i++)
			if (varve_function_at(trace, i)->layer == layer)
				selection->functions[varve_function_at(trace, i)->id] |= 2;
		return true;
	}
	const char *near = nearest(word, varve_layer_count(trace), layer_name, trace);
	if (near)
		message("%s: unknown layer '%s'; did you mean '%s'?", selection->verb, word, near);
	else
		message("%s: unknown layer '%s'; see `varve %s --help`", selection->verb, word,
			selection->verb);
	return false;
}

/* Reads --function and --layer. If both are given, a function must match both. EXIT_YES, or the exit status of the
 * failure. */
static int read_functions(const struct arguments *arguments, struct selection *selection)
{
	const char *functions = option(arguments, "function"), *layers = option(arguments, "layer");
	if (!functions && !layers)
		return EXIT_YES;
	selection->functions = calloc(VARVE_FUNCTIONS, 1);
	if (!selection->functions) {
		message("%s: out of memory; free some memory, or raise the limit (`ulimit -v`)",
			selection->verb);
		return EXIT_SYSTEM;
	}
	if (functions && !each_word(functions, selection, select_function))
		return EXIT_USAGE;
	if (layers && !each_word(layers, selection, select_layer))
		return EXIT_USAGE;
	uint8_t wanted = (uint8_t)((functions ? 1 : 0) | (layers ? 2 : 0));
	bool any = false;
	for (size_t i = 0; i < VARVE_FUNCTIONS; i++) {
		selection->functions[i] = selection->functions[i] == wanted;
		any |= selection->functions[i];
	}
	if (!any) {
		message("%s: --function %s cannot be used with --layer %s: these layers have no "
			"such function; remove one of them",
			selection->verb, functions, layers);
		return EXIT_USAGE;
	}
	selection->query.functions = selection->functions;
	return EXIT_YES;
}

static bool read_stream(const char *text, struct selection *selection)
{
	char process[24];
	uint64_t number;
	size_t length = strcspn(text, ".");
	if (!text[length] || length >= sizeof process)
		return false;
	memcpy(process, text, length);
	process[length] = 0;
	if (!parse_number(process, UINT32_MAX, &number))
		return false;
	selection->one_process = true;
	selection->query.process = (uint32_t)number;
	if (!parse_number(text + length + 1, UINT32_MAX, &number))
		return false;
	selection->one_thread = true;
	selection->query.thread = (uint32_t)number;
	return true;
}

static bool read_time(const char *verb, const char *name, const char *text, int64_t *ns)
{
	if (!text || parse_time(text, ns))
		return true;
	message("%s: --%s must be a time as in 1.5s, 20ms, 3us or 100ns, not '%s'", verb, name,
		text);
	return false;
}

/* The numbers of the processes with a pid, as in "2, 5"; after some, only dots. Returns how many there are. */
static size_t numbers_of_pid(const struct varve_trace *trace, uint32_t pid, char *text, size_t size)
{
	enum { SHOWN = 5 };
	size_t count = 0, used = 0;
	for (size_t i = 0; i < varve_process_count(trace); i++) {
		const struct varve_process *process = varve_process_at(trace, i);
		if (process->pid < 0 || (uint32_t)process->pid != pid)
			continue;
		if (count < SHOWN)
			used += (size_t)snprintf(text + used, size - used, "%s%" PRIu32,
						 count ? ", " : "", process->number);
		else if (count == SHOWN)
			snprintf(text + used, size - used, ", ...");
		count++;
	}
	return count;
}

/* The trace has no process with the requested number, which is often a pid. */
static void no_process_message(const struct selection *selection)
{
	const struct varve_trace *trace = selection->trace;
	uint32_t number = selection->query.process;
	char numbers[96];
	size_t count = numbers_of_pid(trace, number, numbers, sizeof numbers);
	if (count)
		message("%s: the trace has no process %u; %u is the pid of process%s %s; use the "
			"number of a process, or --where 'pid == %u'",
			selection->verb, number, number, count == 1 ? "" : "es", numbers, number);
	else
		message("%s: the trace has no process %u; `varve info --processes %s` lists all "
			"processes",
			selection->verb, number, varve_path(trace));
}

/* Whether the trace contains the requested process and thread. */
static bool selection_exists(const struct selection *selection)
{
	const struct varve_trace *trace = selection->trace;
	const struct varve_query *query = &selection->query;
	if (!selection->one_process)
		return true;
	if (!varve_process_find(trace, query->process)) {
		no_process_message(selection);
		return false;
	}
	for (size_t i = 0; selection->one_thread && i < varve_stream_count(trace); i++) {
		const struct varve_stream *stream = varve_stream_at(trace, i);
		if (stream->process == query->process && stream->thread == query->thread)
			return true;
	}
	if (selection->one_thread)
		message("%s: process %u has no thread %u; `varve dump --process %u` shows all its "
			"threads",
			selection->verb, query->process, query->thread, query->process);
	return !selection->one_thread;
}

bool selection_read(const struct arguments *arguments, struct selection *selection)
{
	const char *stream = option(arguments, "stream"), *process = option(arguments, "process");
	const char *from = option(arguments, "from"), *to = option(arguments, "to");
	const char *verb = arguments->verb->name;
	struct varve_query *query = &selection->query;
	uint64_t number = 0;
	*selection = (struct selection){.verb = verb, .query = VARVE_QUERY_ALL};
	if (stream && !read_stream(stream, selection)) {
		message("%s: --stream must be PROCESS.THREAD as in 1.2, not '%s'; `varve info` "
			"shows the numbers",
			verb, stream);
		return false;
	}
	if (process && !parse_number(process, UINT32_MAX, &number)) {
		message("%s: --process must be a number, not '%s'; `varve info --processes` shows "
			"the numbers",
			verb, process);
		return false;
	}
	if (process) {
		selection->one_process = true;
		query->process = (uint32_t)number;
	}
	if (!read_time(verb, "from", from, &query->from_ns) ||
	    !read_time(verb, "to", to, &query->to_ns))
		return false;
	if (query->from_ns > query->to_ns)
		message("%s: --from %s is later than --to %s; swap them", verb, from, to);
	return query->from_ns <= query->to_ns;
}

/* A note if no call of the trace can have started between --from and --to. */
static void window_note(const struct arguments *arguments, const struct selection *selection)
{
	const struct varve_trace *trace = selection->trace;
	const struct varve_query *query = &selection->query;
	int64_t begin = INT64_MAX, end = INT64_MIN;
	for (size_t i = 0; i < varve_stream_count(trace); i++) {
		const struct varve_stream *stream = varve_stream_at(trace, i);
		if (!stream->records)
			continue;
		begin = stream->first_ns < begin ? stream->first_ns : begin;
		end = stream->last_ns > end ? stream->last_ns : end;
	}
	if (begin > end)
		return;
	if (query->from_ns > end)
		message("%s: --from %s: no call starts so late; %s ends at %.9fs", selection->verb,
			option(arguments, "from"), varve_path(trace), (double)end / 1e9);
	if (query->to_ns <= begin)
		message("%s: --to %s: no call starts so early; %s begins at %.9fs", selection->verb,
			option(arguments, "to"), varve_path(trace), (double)begin / 1e9);
}

int selection_bind(const struct arguments *arguments, struct varve_trace *trace,
		   struct selection *selection)
{
	selection->trace = trace;
	int result = read_functions(arguments, selection);
	if (result == EXIT_YES && !selection_exists(selection))
		result = EXIT_USAGE;
	if (result == EXIT_YES)
		window_note(arguments, selection);
	return result;
}

void selection_clear(struct selection *selection)
{
	varve_filter_free(selection->filter);
	free(selection->functions);
	selection->filter = NULL;
	selection->functions = NULL;
}
