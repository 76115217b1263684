/* Command line: `varve pack --recover`: makes what a dead program left in its lanes a part of its trace. */
#include "cli/output.h"
#include "cli/report.h"
#include "cli/verbs.h"
#include "pack/pack.h"
#include "sink/collect.h"

#include <varve/trace.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* As an object on stdout; text for people is on stderr, as notes. */
static void put_result(const char *name, const struct collected *collected)
{
	put_json_member("{\"trace\":", name);
	put_format(",\"records\":%llu,\"threads\":%llu,\"alive\":",
		   (unsigned long long)collected->records, (unsigned long long)collected->lanes);
	if (collected->alive)
		put_format("true,\"alive_pid\":%d}\n", collected->alive_pid);
	else
		put_text("false}\n");
}

/* One data file, with the lanes that belong to it. */
static enum status recover_node(const char *path, uint32_t node, struct collected *sum,
				struct varve_causes *causes)
{
	struct run run;
	struct collected collected = {0};
	TRY(collect_open(path, node, &run, causes));
	enum status status = collect_finish(&run, RUN_RECOVERED, 0, &collected, causes);
	if (status == STATUS_OK)
		report_losses(run.control);
	run_detach(&run);
	sum->records += collected.records;
	sum->lanes += collected.lanes;
	sum->alive += collected.alive;
	if (collected.alive)
		sum->alive_pid = collected.alive_pid;
	return status;
}

/* All that can be reached from here; what cannot is said, and is the answer. */
static int recover_nodes(const char *path, struct collected *sum, bool *any)
{
	int worst = EXIT_YES;
	char data[RUN_PATH + 32];
	struct stat stat_buffer;
	for (uint32_t node = 0;; node++) {
		node_path(data, data + sizeof data, path, "data", node);
		if (stat(data, &stat_buffer))
			return worst;
		struct varve_causes causes = {0};
		enum status status = recover_node(path, node, sum, &causes);
		*any = *any || status != STATUS_ABSENT;
		if (status != STATUS_OK && status != STATUS_ABSENT) {
			int result = failed(status, &causes);
			worst = result > worst ? result : worst;
		}
	}
}

static int recover(const struct arguments *arguments, enum output_format format)
{
	const char *name = arguments->operands[0];
	struct stat stat_buffer;
	char data[RUN_PATH + 16];
	char *path = realpath(name, NULL);
	bool fits = path && snprintf(data, sizeof data, "%s/data.0", path) < RUN_PATH;
	if (!fits || stat(data, &stat_buffer)) {
		message("%s is not a Varve trace: it has no file data.0; give the folder that "
			"`varve record` made",
			name);
		free(path);
		return EXIT_DAMAGED;
	}
	struct collected collected = {0};
	bool any = false;
	int result = recover_nodes(path, &collected, &any);
	free(path);
	if (result != EXIT_YES)
		return result;
	if (format == FORMAT_JSON)
		put_result(name, &collected);
	else if (!any)
		note("%s: nothing is left to recover", name);
	else
		note("%s: %llu records of %llu threads recovered", name,
		     (unsigned long long)collected.records, (unsigned long long)collected.lanes);
	if (!collected.alive)
		return EXIT_YES;
	message("processes of the run are still alive (%d is one); call this again when they have "
		"ended",
		collected.alive_pid);
	return EXIT_NO;
}

/* Whether a trace may be packed: no process of its run may still write to it. */
static bool ready(const char *name, struct varve_trace *trace)
{
	struct varve_state state;
	varve_state_of(trace, &state);
	if (!state.running_processes && !state.running_threads)
		return true;
	message("%s: process %d of the run still writes to it; call this again when it has ended",
		name, (int)state.running_pid);
	return false;
}

static void put_packed(const char *name, const char *target, const struct pack_result *result)
{
	put_json_member("{\"trace\":", name);
	put_json_member(",\"packed\":", target);
	put_format(
		",\"records\":%llu,\"streams\":%llu,\"classes\":%llu,\"bytes_before\":%llu,"
		"\"bytes\":%llu,\"structure_bytes\":%llu,\"data_bytes\":%llu,\"damages\":%llu}\n",
		(unsigned long long)result->records, (unsigned long long)result->streams,
		(unsigned long long)result->classes, (unsigned long long)result->source_bytes,
		(unsigned long long)result->bytes, (unsigned long long)result->structure_bytes,
		(unsigned long long)result->data_bytes, (unsigned long long)result->damages);
}

/* What --time says. */
static bool option_time(const struct arguments *arguments, enum packed_time *time)
{
	static const char *const words[] = {[PACKED_TIME_EXACT] = "exact",
					    [PACKED_TIME_HISTOGRAM] = "histogram",
					    [PACKED_TIME_NONE] = "none"};
	const char *given = option(arguments, "time");
	for (size_t i = 0; given && i < sizeof words / sizeof *words; i++) {
		if (strcmp(given, words[i]))
			continue;
		*time = (enum packed_time)i;
		return true;
	}
	if (given)
		message("--time: %s is none of exact, histogram and none", given);
	return !given;
}

static int pack(const struct arguments *arguments, enum output_format format)
{
	const char *name = arguments->operands[0];
	const char *target = option(arguments, "output");
	struct varve_causes causes = {0};
	struct varve_trace *trace;
	enum varve_status opened = varve_open(name, 0, &trace, &causes);
	if (opened != VARVE_OK)
		return failed((enum status)opened, &causes);
	bool may = ready(name, trace);
	varve_close(trace);
	if (!may)
		return EXIT_NO;
	struct pack_settings settings = {.source = name, .target = target ? target : name};
	if (!option_time(arguments, &settings.time))
		return EXIT_USAGE;
	struct pack_result result;
	enum status status = pack_trace(&settings, &result, &causes);
	if (status != STATUS_OK)
		return failed(status, &causes);
	if (result.replaced && !pack_remove_streams(result.replaced))
		message("%s: its folder could not be removed: it is %s now", name, result.replaced);
	free(result.replaced);
	if (format == FORMAT_JSON)
		put_packed(name, settings.target, &result);
	else
		note("%s: %llu records of %llu threads: %llu bytes, %llu before", settings.target,
		     (unsigned long long)result.records, (unsigned long long)result.streams,
		     (unsigned long long)result.bytes, (unsigned long long)result.source_bytes);
	return EXIT_YES;
}

int cmd_pack(const struct arguments *arguments)
{
	enum output_format format = option_format(arguments);
	if (format == FORMAT_WRONG)
		return EXIT_USAGE;
	return option(arguments, "recover") ? recover(arguments, format) : pack(arguments, format);
}
