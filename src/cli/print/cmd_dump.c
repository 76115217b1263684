/* Command line: `varve dump`: prints the records of a trace, one per line.
 *
 * Reads the options into a query, opens a cursor, passes each call to print_text.c, print_json.c or print_csv.c. Prints on
 * stderr what is missing before the first line, and damage that decoding finds after the last one.
 */
#include "base/parse.h"
#include "cli/print/code.h"
#include "cli/print/exec_images.h"
#include "cli/print/print.h"
#include "cli/print/runtime_calls.h"
#include "cli/report.h"
#include "cli/selection/running.h"
#include "cli/selection/selection.h"
#include "cli/selection/where.h"
#include "cli/terminal/output.h"
#include "cli/terminal/progress.h"
#include "cli/terminal/terminal.h"
#include "cli/verbs.h"

#include <stdlib.h>
#include <string.h>

enum { PROGRESS_EVERY = 256 };

struct dump {
	struct varve_trace *trace;
	struct selection selection;
	enum output_format format;
	uint64_t limit;
	bool hides_recorder; /* do not print records about the recorder itself */
};

/* Reads the options that do not need the trace. */
static bool read_options(const struct arguments *arguments, struct dump *dump)
{
	const char *limit = option(arguments, "limit");
	if (!selection_read(arguments, &dump->selection))
		return false;
	dump->selection.query.columns &= ~(unsigned)VARVE_FILES;
	if (option(arguments, "by-stream"))
		dump->selection.query.order = VARVE_ORDER_STREAM;
	dump->limit = UINT64_MAX;
	dump->format = option_format(arguments);
	if (limit && !parse_number(limit, UINT64_MAX, &dump->limit)) {
		message("dump: --limit must be a number of records as in 100, not '%s'", limit);
		return false;
	}
	return true;
}

/* Such records are read and not printed, instead of being filtered, because damage must be found even where there are no
 * other records. */
static bool is_hidden(const struct dump *dump, const struct varve_call *call)
{
	return dump->hides_recorder && call->function &&
	       is_of_recorder(dump->trace, call->function);
}

static enum varve_status dump_calls(struct dump *dump, struct varve_causes *causes)
{
	struct varve_cursor *cursor;
	const struct varve_call *call;
	enum varve_status status = code_load(dump->trace, causes);
	if (status == VARVE_OK)
		status = runtime_load(dump->trace, causes);
	if (status == VARVE_OK)
		status = varve_cursor_open(dump->trace, &dump->selection.query, &cursor, causes);
	if (status != VARVE_OK)
		return status;
	images_of(dump->trace);
	if (dump->format == FORMAT_CSV)
		print_csv_header(dump->trace);
	uint64_t done, all;
	varve_cursor_progress(cursor, &done, &all);
	if (!terminal.shows_output)
		progress_start("dump", "records", all < dump->limit ? all : dump->limit);
	for (uint64_t count = 0; count < dump->limit;) {
		/* With a filter, more records are read than printed. */
		if (count % PROGRESS_EVERY == 0 && all <= dump->limit)
			varve_cursor_progress(cursor, &done, &all);
		progress_step(all <= dump->limit ? done : count);
		status = varve_cursor_next(cursor, &call, causes);
		if (status != VARVE_OK)
			break;
		if (is_hidden(dump, call))
			continue;
		count++;
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

/* Whether a filter contains the name of layer varve, or of a function of this layer. */
static bool where_names_recorder(const struct varve_trace *trace, const char *where)
{
	static const char letters[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
	bool functions = strstr(where, "function") || strstr(where, "inside");
	for (const char *at = where; *(at += strcspn(at, letters)); at += strspn(at, letters)) {
		size_t length = strspn(at, letters);
		if (length == 5 && !memcmp(at, "varve", 5))
			return true;
		for (size_t i = 0; functions && i < varve_function_count(trace); i++) {
			const struct varve_function *function = varve_function_at(trace, i);
			if (strlen(function->name) == length &&
			    !memcmp(function->name, at, length) && is_of_recorder(trace, function))
				return true;
		}
	}
	return false;
}

/* Records about the recorder itself are printed as text only on request; JSON and CSV always contain them. */
static bool hides_recorder(const struct arguments *arguments, const struct dump *dump)
{
	const char *where = option(arguments, "where");
	return dump->format == FORMAT_TEXT && !option(arguments, "recorder") &&
	       !dump->selection.query.functions &&
	       !(where && where_names_recorder(dump->trace, where));
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
	uint64_t repaired = varve_repaired(dump.trace);
	report_programs(dump.trace, false, false);
	const struct varve_query *query = &dump.selection.query;
	int result = selection_bind(arguments, dump.trace, &dump.selection);
	if (result == EXIT_YES && !ranks_read(arguments, &dump.trace, 1))
		result = EXIT_USAGE;
	if (result == EXIT_YES)
		result = where_make(arguments, dump.trace, &dump.selection.filter);
	if (result == EXIT_YES) {
		dump.hides_recorder = hides_recorder(arguments, &dump);
		dump.selection.query.filter = dump.selection.filter;
		if (option(arguments, "definitions"))
			status = print_definitions(dump.trace, query->process, query->thread,
						   dump.format, dump.limit, &causes);
		else
			status = dump_calls(&dump, &causes);
		progress_end();
		output_flush();
		report_repairs(dump.trace, repaired);
		report_damage(dump.trace, said);
		result = status != VARVE_OK		  ? failed_reading(status, &causes)
			 : varve_damage_count(dump.trace) ? EXIT_DAMAGED
							  : EXIT_YES;
		if (status == VARVE_OK)
			running_note(arguments, &dump.selection, dump.hides_recorder);
	}
	selection_clear(&dump.selection);
	varve_close(dump.trace);
	return result;
}
