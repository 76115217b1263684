/* Command line: `varve dump`: the records of a trace, one per line.
 *
 * Reads the options into a filter, asks the trace's cursor, hands each call to print.c. What is missing is said on stderr
 * before the first line, damage that is only found while decoding at the end.
 */
#include "base/parse.h"
#include "base/pattern.h"
#include "cli/output.h"
#include "cli/print.h"
#include "cli/progress.h"
#include "cli/report.h"
#include "cli/terminal.h"
#include "cli/verbs.h"
#include "trace/cursor.h"

#include <stdlib.h>
#include <string.h>

struct dump {
	struct trace *trace;
	struct trace_filter filter;
	enum output_format format;
	uint64_t limit;
	uint8_t *functions;
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
	return ((const struct tables *)context)->functions[i].name;
}

static const char *layer_name(const void *context, size_t i)
{
	return ((const struct tables *)context)->layers[i];
}

static bool want_function(struct dump *dump, const char *word)
{
	const struct tables *tables = &dump->trace->tables;
	bool found = false;
	for (uint32_t i = 0; i < tables->function_count; i++) {
		const char *name = tables->functions[i].name;
		if (pattern_fits(word, name, strlen(name))) {
			dump->functions[tables->functions[i].id] |= 1;
			found = true;
		}
	}
	const char *near =
		found ? NULL : nearest(word, tables->function_count, function_name, tables);
	if (near)
		message("dump: the trace knows no function '%s'; did you mean '%s'?", word, near);
	else if (!found)
		message("dump: the trace knows no function '%s'; `varve info %s` lists those that "
			"were called",
			word, dump->trace->path);
	return found;
}

static bool want_layer(struct dump *dump, const char *word)
{
	const struct tables *tables = &dump->trace->tables;
	for (uint32_t layer = 0; layer < tables->layer_count; layer++) {
		if (strcmp(tables->layers[layer], word))
			continue;
		for (uint32_t i = 0; i < tables->function_count; i++)
			if (tables->functions[i].layer == layer)
				dump->functions[tables->functions[i].id] |= 2;
		return true;
	}
	const char *near = nearest(word, tables->layer_count, layer_name, tables);
	if (near)
		message("dump: the trace knows no layer '%s'; did you mean '%s'?", word, near);
	else
		message("dump: the trace knows no layer '%s'; see `varve dump --help`", word);
	return false;
}

/* Functions and layers together: a function must be in both where both are given. */
static bool read_functions(const struct arguments *arguments, struct dump *dump)
{
	const char *functions = option(arguments, "function"), *layers = option(arguments, "layer");
	if (!functions && !layers)
		return true;
	dump->functions = calloc(TRACE_FUNCTIONS, 1);
	if (!dump->functions) {
		message("dump: out of memory; free some, or raise the limit (`ulimit -v`)");
		return false;
	}
	if (functions && !each_word(functions, dump, want_function))
		return false;
	if (layers && !each_word(layers, dump, want_layer))
		return false;
	uint8_t wanted = (uint8_t)((functions ? 1 : 0) | (layers ? 2 : 0));
	for (size_t i = 0; i < TRACE_FUNCTIONS; i++)
		dump->functions[i] = dump->functions[i] == wanted;
	dump->filter.functions = dump->functions;
	return true;
}

static bool read_stream(const char *text, struct trace_filter *filter)
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
	filter->one_process = true;
	filter->process = (uint32_t)number;
	if (!parse_number(text + length + 1, UINT32_MAX, &number))
		return false;
	filter->one_thread = true;
	filter->thread = (uint32_t)number;
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
	dump->filter = TRACE_FILTER_ALL;
	dump->limit = UINT64_MAX;
	dump->format = option_format(arguments);
	if (dump->format == FORMAT_WRONG)
		return false;
	if (stream && !read_stream(stream, &dump->filter)) {
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
		dump->filter.one_process = true;
		dump->filter.process = (uint32_t)number;
	}
	if (!read_time("from", from, &dump->filter.from_ns) ||
	    !read_time("to", to, &dump->filter.to_ns))
		return false;
	if (dump->filter.from_ns > dump->filter.to_ns) {
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
	const struct trace *trace = dump->trace;
	const struct trace_filter *filter = &dump->filter;
	if (!filter->one_process)
		return true;
	if (!trace_process(trace, filter->process)) {
		message("dump: the trace has no process %u; `varve info --processes %s` lists them",
			filter->process, trace->path);
		return false;
	}
	for (size_t i = 0; filter->one_thread && i < trace->stream_count; i++)
		if (trace->streams[i].process == filter->process &&
		    trace->streams[i].thread == filter->thread)
			return true;
	if (filter->one_thread)
		message("dump: process %u has no thread %u in the trace; `varve dump --process %u` "
			"shows all that it has",
			filter->process, filter->thread, filter->process);
	return !filter->one_thread;
}

/* How many will be printed; 0: only reading tells. */
static uint64_t expected_records(const struct dump *dump)
{
	const struct trace_filter *filter = &dump->filter;
	uint64_t count = 0;
	if (filter->one_process || filter->functions || filter->from_ns != INT64_MIN ||
	    filter->to_ns != INT64_MAX)
		return 0;
	for (size_t i = 0; i < dump->trace->block_count; i++)
		count += dump->trace->blocks[i].header.records;
	return count < dump->limit ? count : dump->limit;
}

static enum status dump_calls(const struct arguments *arguments, struct dump *dump,
			      struct causes *causes)
{
	struct cursor *cursor;
	struct trace_call *call;
	TRY(cursor_open(dump->trace, &dump->filter,
			option(arguments, "by-stream") ? ORDER_STREAM : ORDER_TIME, &cursor,
			causes));
	enum status status = STATUS_OK;
	if (dump->format == FORMAT_CSV)
		print_csv_header();
	if (!terminal.shows_output)
		progress_start("dump", "records", expected_records(dump));
	for (uint64_t count = 0; count < dump->limit; count++) {
		progress_step(count);
		status = cursor_next(cursor, &call, causes);
		if (status != STATUS_OK)
			break;
		if (dump->format == FORMAT_TEXT)
			print_text(dump->trace, call);
		else if (dump->format == FORMAT_JSON)
			print_json(dump->trace, call);
		else
			print_csv(dump->trace, call);
	}
	cursor_close(cursor);
	return status == STATUS_END ? STATUS_OK : status;
}

int cmd_dump(const struct arguments *arguments)
{
	struct dump dump = {0};
	struct causes causes = {0};
	if (!read_options(arguments, &dump))
		return EXIT_USAGE;
	enum status status = trace_open(arguments->operands[0], 0, &dump.trace, &causes);
	if (status != STATUS_OK)
		return failed(status, &causes);
	report_trouble(dump.trace);
	size_t said = dump.trace->damage_count;
	report_programs(dump.trace, false);
	int result = EXIT_USAGE;
	if (read_functions(arguments, &dump) && is_there(&dump)) {
		if (option(arguments, "definitions"))
			status = print_definitions(dump.trace, &dump.filter, dump.format,
						   dump.limit, &causes);
		else
			status = dump_calls(arguments, &dump, &causes);
		progress_end();
		output_flush();
		report_damage(dump.trace, said);
		result = status != STATUS_OK	     ? failed(status, &causes)
			 : trace_damaged(dump.trace) ? EXIT_DAMAGED
						     : EXIT_YES;
	}
	trace_close(dump.trace);
	free(dump.functions);
	return result;
}
