/* Command line: `varve info`: opens the trace, sums its headers, hands both to a printer. */
#include "cli/info.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/report.h"
#include "cli/verbs.h"

#include <stdlib.h>

const char *info_value(const struct info *info, const char *key)
{
	size_t at = 0;
	return strings_value(info->trace->description, info->trace->description_length, key, &at);
}

int64_t info_duration(const struct info *info)
{
	const char *start = info_value(info, "start_monotonic");
	const struct index_head *end = &info->trace->end;
	int64_t last = info->summary.last_ns > 0 ? info->summary.last_ns : 0;
	if (start && info->trace->indexed && (end->end == RUN_EXITED || end->end == RUN_KILLED)) {
		int64_t began = strtoll(start, NULL, 10);
		if (began >= 0 && end->end_monotonic > began && end->end_monotonic - began > last)
			return end->end_monotonic - began;
	}
	return last;
}

int cmd_info(const struct arguments *arguments)
{
	enum output_format format = option_format(arguments);
	struct info info = {.quick = option(arguments, "quick") != NULL,
			    .all_processes = option(arguments, "processes") != NULL};
	struct causes causes = {0};
	if (format == FORMAT_WRONG)
		return EXIT_USAGE;
	progress_start("reading the trace", "", 0);
	enum status status = trace_open(arguments->operands[0], info.quick ? 0 : TRACE_CHECK,
					&info.trace, &causes);
	if (status != STATUS_OK)
		return failed(status, &causes);
	status = summary_make(info.trace, !info.quick, &info.summary, &causes);
	if (status == STATUS_OK)
		status = tree_make(info.trace, !info.quick, &info.tree, &causes);
	if (status == STATUS_OK && !info.quick && format != FORMAT_CSV)
		status = trace_objects_find(info.trace, &info.objects, &causes);
	if (status != STATUS_OK) {
		tree_clear(&info.tree);
		summary_clear(&info.summary);
		trace_close(info.trace);
		return failed(status, &causes);
	}
	progress_end();
	if (format != FORMAT_TEXT)
		report_trouble(info.trace);
	if (format == FORMAT_TEXT)
		info_text(&info);
	else if (format == FORMAT_JSON)
		info_json(&info);
	else
		info_csv(&info);
	output_flush();
	int result = trace_damaged(info.trace) ? EXIT_DAMAGED : EXIT_YES;
	trace_objects_clear(&info.objects);
	tree_clear(&info.tree);
	summary_clear(&info.summary);
	trace_close(info.trace);
	return result;
}
