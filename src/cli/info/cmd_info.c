/* Command line: `varve info`: opens the trace, computes its totals, and passes both to a printer. */
#include "base/clock.h"
#include "base/program/process.h"
#include "cli/info/info.h"
#include "cli/report.h"
#include "cli/selection/where.h"
#include "cli/terminal/output.h"
#include "cli/terminal/progress.h"
#include "cli/verbs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *info_value(const struct info *info, const char *key)
{
	return varve_description(info->trace, key, 0);
}

const char *value_of_run(const void *trace, const char *key, size_t nth)
{
	return varve_description(trace, key, nth);
}

const char *value_of_process(const void *process, const char *key, size_t nth)
{
	return varve_process_value(process, key, nth);
}

const char *argument_of_process(const void *process, const char *key, size_t nth)
{
	const char *word = varve_process_value(process, key, nth);
	const char *origin = varve_process_value(process, "origin", 0);
	if (!word || *word || !nth || !origin || strcmp(origin, "fork") != 0)
		return word;
	/* All remaining arguments are empty: a process title has overwritten the arguments. */
	for (size_t i = nth + 1;; i++) {
		const char *next = varve_process_value(process, key, i);
		if (!next || *next)
			return next ? word : NULL;
	}
}

/* Whether CLOCK_MONOTONIC is the clock of the run, and the run has not ended. */
static bool is_running_here(const struct info *info)
{
	uint8_t boot[16];
	char text[2 * sizeof boot + 1];
	const char *recorded = info_value(info, "boot");
	process_boot_id(boot);
	for (size_t i = 0; i < sizeof boot; i++)
		snprintf(text + 2 * i, 3, "%02x", boot[i]);
	return info->state.running_threads && recorded && !strcmp(recorded, text);
}

int64_t info_duration(const struct info *info)
{
	const char *start = info_value(info, "start_monotonic");
	const struct varve_state *state = &info->state;
	int64_t last = 0;
	/* The last record of all threads, even if a filter is given. */
	for (size_t i = 0; i < varve_stream_count(info->trace); i++)
		if (varve_stream_at(info->trace, i)->last_ns > last)
			last = varve_stream_at(info->trace, i)->last_ns;
	if (start && !info->end_derived &&
	    (state->end == VARVE_END_EXITED || state->end == VARVE_END_KILLED)) {
		int64_t began = strtoll(start, NULL, 10);
		if (began >= 0 && state->end_monotonic > began &&
		    state->end_monotonic - began > last)
			return state->end_monotonic - began;
	}
	if (start && is_running_here(info)) {
		int64_t so_far = clock_ns(CLOCK_MONOTONIC) - strtoll(start, NULL, 10);
		last = so_far > last ? so_far : last;
	}
	return last;
}

static void info_clear(struct info *info)
{
	info_files_clear(info);
	info_regions_clear(info);
	varve_objects_clear(&info->objects);
	varve_tree_clear(&info->tree);
	varve_summary_clear(&info->summary);
	varve_filter_free(info->filter);
	varve_close(info->trace);
}

int cmd_info(const struct arguments *arguments)
{
	enum output_format format = option_format(arguments);
	struct info info = {.quick = option(arguments, "quick") != NULL,
			    .by_file = option(arguments, "files") != NULL,
			    .all_processes = option(arguments, "processes") != NULL};
	struct varve_causes causes = {0};
	if (option(arguments, "codec-stats"))
		return info_codecs(arguments, format);
	progress_start("reading the trace", "", 0);
	enum varve_status status = varve_open(
		arguments->operands[0], info.quick ? 0 : VARVE_OPEN_CHECK, &info.trace, &causes);
	if (status != VARVE_OK)
		return failed_reading(status, &causes);
	varve_state_of(info.trace, &info.state);
	int result = ranks_read(arguments, &info.trace, 1)
			     ? where_make(arguments, info.trace, &info.filter)
			     : EXIT_USAGE;
	if (result != EXIT_YES) {
		varve_close(info.trace);
		return result;
	}
	info.where = option(arguments, "where");
	info.ranks_asked = option(arguments, "rank");
	status = varve_summary_make(info.trace, info.filter, info.quick ? 0 : VARVE_SUMMARY_PATHS,
				    &info.summary, &causes);
	if (status == VARVE_OK)
		status = varve_tree_make(info.trace, !info.quick, &info.tree, &causes);
	if (status == VARVE_OK && !info.quick && format != FORMAT_CSV)
		status = varve_objects_find(info.trace, &info.objects, &causes);
	if (status == VARVE_OK && !info.quick && format != FORMAT_CSV)
		status = info_regions_make(&info, &causes);
	if (status == VARVE_OK)
		status = info_files_make(&info, &causes);
	if (status != VARVE_OK) {
		info_clear(&info);
		return failed_reading(status, &causes);
	}
	progress_end();
	info_ranks_find(&info);
	info_first_find(&info);
	if (format != FORMAT_TEXT)
		report_trouble(info.trace);
	if (format == FORMAT_TEXT)
		info_text(&info);
	else if (format == FORMAT_JSON)
		info_json(&info);
	else if (info.by_file)
		info_files_csv(&info);
	else
		info_csv(&info);
	output_flush();
	result = varve_damage_count(info.trace) ? EXIT_DAMAGED : EXIT_YES;
	info_clear(&info);
	return result;
}
