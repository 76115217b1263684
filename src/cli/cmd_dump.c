/* Command line: `varve dump`: the records of a trace, one per line.
 *
 * Reads the options into a filter, asks the trace's cursor, hands each call to print_text.c, print_json.c or print_csv.c.
 * What is missing is said on stderr before the first line, damage that is only found while decoding at the end.
 */
#include "base/parse.h"
#include "base/pattern.h"
#include "cli/code.h"
#include "cli/output.h"
#include "cli/print.h"
#include "cli/progress.h"
#include "cli/report.h"
#include "cli/terminal.h"
#include "cli/verbs.h"
#include "cli/where.h"

#include <stdlib.h>
#include <string.h>

enum { PROGRESS_EVERY = 256 };

struct dump {
	struct varve_trace *trace;
	struct varve_query query;
	bool one_process; /* the number may be 0, which no process has */
	bool one_thread;
	enum output_format format;
	uint64_t limit;
	uint8_t *functions;
	struct varve_filter *filter;
};

/* Calls `see` for each comma-separated word; false when it does. */
static bool each_word(const char *words, struct dump *dump,
		      bool (*see)(struct dump *dump, const char *word))
{
	char word[128];
	for (const char *at = words; *at;) {
		size_t length = strcspn(at, ",");
		if (length >= sizeof word) {
			message("dump: '%s' is too long for a name; put commas between names", at);
			return false;
		}
		memcpy(word, at, length);
		word[length] = 0;
		if (length && !see(dump, word))
			return false;
		at += length + (at[length] == ',');
	}
	return true;
}

static const char *function_name(const void *context, size_t i)
{
	return varve_function_at(context, i)->name;
}

static const char *layer_name(const void *context, size_t i)
{
	return varve_layer_at(context, i);
}

static bool want_function(struct dump *dump, const char *word)
{
	const struct varve_trace *trace = dump->trace;
	bool found = false;
	for (size_t i = 0; i < varve_function_count(trace); i++) {
		const struct varve_function *function = varve_function_at(trace, i);
		if (pattern_fits(word, function->name, strlen(function->name))) {
			dump->functions[function->id] |= 1;
			found = true;
		}
	}
	const char *near =
		found ? NULL : nearest(word, varve_function_count(trace), function_name, trace);
	if (near)
		message("dump: the trace knows no function '%s'; did you mean '%s'?", word, near);
	else if (!found)
		message("dump: the trace knows no function '%s'; `varve info %s` lists those that "
			"were called",
			word, varve_path(trace));
	return found;
}

static bool want_layer(struct dump *dump, const char *word)
{
	const struct varve_trace *trace = dump->trace;
	for (size_t layer = 0; layer < varve_layer_count(trace); layer++) {
		if (strcmp(varve_layer_at(trace, layer), word))
			continue;
		for (size_t i = 0; i < varve_function_count(trace); i++)
			if (varve_function_at(trace, i)->layer == layer)
				dump->functions[varve_function_at(trace, i)->id] |= 2;
		return true;
	}
	const char *near = nearest(word, varve_layer_count(trace), layer_name, trace);
	if (near)
		message("dump: the trace knows no layer '%s'; did you mean '%s'?", word, near);
	else
		message("dump: the trace knows no layer '%s'; see `varve dump --help`", word);
	return false;
}

/* Functions and layers together: a function must be in both where both are given. EXIT_YES, or the exit status of what went
 * wrong. */
static int read_functions(const struct arguments *arguments, struct dump *dump)
{
	const char *functions = option(arguments, "function"), *layers = option(arguments, "layer");
	if (!functions && !layers)
		return EXIT_YES;
	dump->functions = calloc(VARVE_FUNCTIONS, 1);
	if (!dump->functions) {
		message("dump: out of memory; free some, or raise the limit (`ulimit -v`)");
		return EXIT_SYSTEM;
	}
	if (functions && !each_word(functions, dump, want_function))
		return EXIT_USAGE;
	if (layers && !each_word(layers, dump, want_layer))
		return EXIT_USAGE;
	uint8_t wanted = (uint8_t)((functions ? 1 : 0) | (layers ? 2 : 0));
	for (size_t i = 0; i < VARVE_FUNCTIONS; i++)
		dump->functions[i] = dump->functions[i] == wanted;
	dump->query.functions = dump->functions;
	return EXIT_YES;
}

static bool read_stream(const char *text, struct dump *dump)
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
	dump->one_process = true;
	dump->query.process = (uint32_t)number;
	if (!parse_number(text + length + 1, UINT32_MAX, &number))
		return false;
	dump->one_thread = true;
	dump->query.thread = (uint32_t)number;
	return true;
}

static bool read_time(const char *name, const char *text, int64_t *ns)
{
	if (!text || parse_time(text, ns))
		return true;
	message("dump: --%s is a time as in 1.5s, 20ms, 3us or 100ns, not '%s'", name, text);
	return false;
}

/* What can be read without the trace. */
static bool read_options(const struct arguments *arguments, struct dump *dump)
{
	const char *stream = option(arguments, "stream"), *process = option(arguments, "process");
	const char *from = option(arguments, "from"), *to = option(arguments, "to");
	const char *limit = option(arguments, "limit");
	uint64_t number = 0;
	dump->query = (struct varve_query)VARVE_QUERY_ALL;
	dump->query.columns &= ~(unsigned)VARVE_FILES;
	if (option(arguments, "by-stream"))
		dump->query.order = VARVE_ORDER_STREAM;
	dump->limit = UINT64_MAX;
	dump->format = option_format(arguments);
	if (dump->format == FORMAT_WRONG)
		return false;
	if (stream && !read_stream(stream, dump)) {
		message("dump: --stream is PROCESS.THREAD as in 1.2, not '%s'; `varve info` "
			"numbers "
			"processes",
			stream);
		return false;
	}
	if (process && !parse_number(process, UINT32_MAX, &number)) {
		message("dump: --process is a number as in `varve info --processes`, not '%s'",
			process);
		return false;
	}
	if (process) {
		dump->one_process = true;
		dump->query.process = (uint32_t)number;
	}
	if (!read_time("from", from, &dump->query.from_ns) ||
	    !read_time("to", to, &dump->query.to_ns))
		return false;
	if (dump->query.from_ns > dump->query.to_ns) {
		message("dump: --from %s is later than --to %s; exchange them", from, to);
		return false;
	}
	if (limit && !parse_number(limit, UINT64_MAX, &dump->limit)) {
		message("dump: --limit is a number of records as in 100, not '%s'", limit);
		return false;
	}
	return true;
}

/* Whether the trace has the process and the thread that were asked for. */
static bool is_there(const struct dump *dump)
{
	const struct varve_trace *trace = dump->trace;
	const struct varve_query *query = &dump->query;
	if (!dump->one_process)
		return true;
	if (!varve_process_find(trace, query->process)) {
		message("dump: the trace has no process %u; `varve info --processes %s` lists them",
			query->process, varve_path(trace));
		return false;
	}
	for (size_t i = 0; dump->one_thread && i < varve_stream_count(trace); i++) {
		const struct varve_stream *stream = varve_stream_at(trace, i);
		if (stream->process == query->process && stream->thread == query->thread)
			return true;
	}
	if (dump->one_thread)
		message("dump: process %u has no thread %u in the trace; `varve dump --process %u` "
			"shows all that it has",
			query->process, query->thread, query->process);
	return !dump->one_thread;
}

static enum varve_status dump_calls(struct dump *dump, struct varve_causes *causes)
{
	struct varve_cursor *cursor;
	const struct varve_call *call;
	enum varve_status status = code_load(dump->trace, causes);
	if (status == VARVE_OK)
		status = varve_cursor_open(dump->trace, &dump->query, &cursor, causes);
	if (status != VARVE_OK)
		return status;
	if (dump->format == FORMAT_CSV)
		print_csv_header(dump->trace);
	uint64_t done, all;
	varve_cursor_progress(cursor, &done, &all);
	if (!terminal.shows_output)
		progress_start("dump", "records", all < dump->limit ? all : dump->limit);
	for (uint64_t count = 0; count < dump->limit; count++) {
		/* With a filter more is read than is printed. */
		if (count % PROGRESS_EVERY == 0 && all <= dump->limit)
			varve_cursor_progress(cursor, &done, &all);
		progress_step(all <= dump->limit ? done : count);
		status = varve_cursor_next(cursor, &call, causes);
		if (status != VARVE_OK)
			break;
		if (dump->format == FORMAT_TEXT)
			print_text(dump->trace, call);
		else if (dump->format == FORMAT_JSON)
			print_json(dump->trace, call);
		else
			print_csv(dump->trace, call);
	}
	varve_cursor_close(cursor);
	return status == VARVE_END ? VARVE_OK : status;
}

int cmd_dump(const struct arguments *arguments)
{
	struct dump dump = {0};
	struct varve_causes causes = {0};
	if (!read_options(arguments, &dump))
		return EXIT_USAGE;
	enum varve_status status = varve_open(arguments->operands[0], 0, &dump.trace, &causes);
	if (status != VARVE_OK)
		return failed_reading(status, &causes);
	report_trouble(dump.trace);
	size_t said = varve_damage_count(dump.trace);
	report_programs(dump.trace, false);
	int result = read_functions(arguments, &dump);
	if (result == EXIT_YES && !is_there(&dump))
		result = EXIT_USAGE;
	if (result == EXIT_YES)
		result = where_make(arguments, dump.trace, &dump.filter);
	if (result == EXIT_YES) {
		dump.query.filter = dump.filter;
		if (option(arguments, "definitions"))
			status =
				print_definitions(dump.trace, dump.query.process, dump.query.thread,
						  dump.format, dump.limit, &causes);
		else
			status = dump_calls(&dump, &causes);
		progress_end();
		output_flush();
		report_damage(dump.trace, said);
		result = status != VARVE_OK		  ? failed_reading(status, &causes)
			 : varve_damage_count(dump.trace) ? EXIT_DAMAGED
							  : EXIT_YES;
	}
	varve_filter_free(dump.filter);
	varve_close(dump.trace);
	free(dump.functions);
	return result;
}
