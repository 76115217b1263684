/* Command line: `varve pack`: recovers records that a dead program left in its lanes, then packs the trace. */
#include "base/parse.h"
#include "base/trace_files.h"
#include "cli/packing.h"
#include "cli/report.h"
#include "cli/terminal/output.h"
#include "cli/verbs.h"
#include "sink/collect.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Prints a JSON object on stdout; the text for people goes to stderr, as notes. */
static void put_result(const char *name, const struct collected *collected)
{
	put_json_member("{\"trace\":", name);
	put_format(",\"records\":%llu,\"threads\":%llu,\"alive\":",
		   (unsigned long long)collected->records, (unsigned long long)collected->threads);
	if (collected->alive)
		put_format("true,\"alive_pid\":%d}\n", collected->alive_pid);
	else
		put_text("false}\n");
}

/* Recovers one data file, from the lanes that belong to it. */
static enum varve_status recover_node(const char *path, uint32_t node, struct collected *sum,
				      struct varve_causes *causes)
{
	struct run run;
	struct collected collected = {0};
	TRY(collect_open(path, node, &run, causes));
	enum varve_status status = collect_finish(&run, RUN_RECOVERED, 0, &collected, causes);
	/* the keeper may have completed it at the same time */
	if (status != VARVE_OK && access(run.lanes, F_OK))
		status = VARVE_ABSENT;
	if (status == VARVE_OK)
		report_losses(run.control, true);
	run_detach(&run);
	sum->records += collected.records;
	sum->threads += collected.threads;
	sum->alive += collected.alive;
	if (collected.alive)
		sum->alive_pid = collected.alive_pid;
	return status;
}

/* Recovers all data files whose lanes can be reached from here. For the others it prints a message, and returns the status
 * of that failure. */
static int recover_nodes(const char *path, struct collected *sum, bool *any)
{
	int worst = EXIT_YES;
	char data[RUN_PATH + 32];
	struct stat stat_buffer;
	for (uint32_t node = 0;; node++) {
		node_path(data, data + sizeof data, path, TRACE_FILE_DATA, node);
		if (stat(data, &stat_buffer))
			return worst;
		struct varve_causes causes = {0};
		enum varve_status status = recover_node(path, node, sum, &causes);
		*any = *any || status != VARVE_ABSENT;
		if (status != VARVE_OK && status != VARVE_ABSENT) {
			int result = failed(status, &causes);
			worst = result > worst ? result : worst;
		}
	}
}

/* A file is complete, unless it is not a trace: packing_ready() reports that. */
static int recover_nothing(const char *name)
{
	int ready = packing_ready(name);
	if (ready == EXIT_YES)
		note("%s is packed: nothing to recover", name);
	return ready;
}

static bool is_folder_of_data(const char *path)
{
	struct stat stat_buffer;
	char data[RUN_PATH + 16];
	return snprintf(data, sizeof data, "%s/" TRACE_FIRST_DATA, path) < RUN_PATH &&
	       !stat(data, &stat_buffer);
}

static int recover_locked(const char *name, const char *path, enum output_format format)
{
	struct collected collected = {0};
	bool any = false;
	int result = recover_nodes(path, &collected, &any);
	if (result != EXIT_YES)
		return result;
	/* The trace may be unreadable although there is nothing to recover. */
	if (!any && !packing_opens(name, &result))
		return result;
	if (format == FORMAT_JSON)
		put_result(name, &collected);
	else if (!any)
		note("%s: nothing to recover", name);
	else
		note("%s: %s of %s recovered", name, counted(collected.records, "records").text,
		     counted(collected.threads, "threads").text);
	if (!collected.alive)
		return EXIT_YES;
	message("processes of the run are still alive (for example %d); run the command again when "
		"they have ended",
		collected.alive_pid);
	return EXIT_NO;
}

static int recover_trace(const char *name, enum output_format format)
{
	char *path = realpath(name, NULL);
	int lock = -1, result = EXIT_YES;
	if (!path || !is_folder_of_data(path))
		result = recover_nothing(name);
	else if ((result = packing_lock(name, &lock)) == EXIT_YES)
		/* another command may have packed it since the first check */
		result = is_folder_of_data(path) ? recover_locked(name, path, format)
						 : recover_nothing(name);
	pack_unlock(lock);
	free(path);
	return result;
}

static void put_packed(const char *name, const char *target, const struct pack_result *result)
{
	put_json_member("{\"trace\":", name);
	put_json_member(",\"packed\":", target);
	put_format(",\"records\":%llu,\"streams\":%llu,\"classes\":%llu,\"bytes_before\":%llu,"
		   "\"bytes\":%llu,\"files\":%llu,\"structure_bytes\":%llu,\"data_bytes\":%llu,"
		   "\"damages\":%llu}\n",
		   (unsigned long long)result->records, (unsigned long long)result->streams,
		   (unsigned long long)result->classes, (unsigned long long)result->source_bytes,
		   (unsigned long long)result->bytes, (unsigned long long)result->files,
		   (unsigned long long)result->structure_bytes,
		   (unsigned long long)result->data_bytes, (unsigned long long)result->damages);
}

/* Records that a dead program left in its lanes are moved to the trace before it is packed. */
static int recover_first(const char *name)
{
	struct stat stat_buffer;
	struct collected collected = {0};
	bool any = false;
	int result = EXIT_YES;
	char *path = realpath(name, NULL);
	if (path && !stat(path, &stat_buffer) && S_ISDIR(stat_buffer.st_mode))
		result = recover_nodes(path, &collected, &any);
	free(path);
	return result;
}

static bool options_read(const struct arguments *arguments, struct pack_settings *settings)
{
	const char *time = option(arguments, "time"), *workers = option(arguments, "workers");
	const char *files = option(arguments, "files");
	uint64_t count = 0, file_count = 0;
	if (time)
		settings->time = packing_time(time);
	if (workers && (!parse_number(workers, 64, &count) || !count)) {
		message("pack: --workers must be a number from 1 to 64, not '%s'", workers);
		return false;
	}
	if (files && (!parse_number(files, PACKED_FILES_MOST, &file_count) || !file_count)) {
		message("pack: --files must be a number from 1 to %d, not '%s'", PACKED_FILES_MOST,
			files);
		return false;
	}
	settings->workers = (unsigned)count;
	settings->files = (unsigned)file_count;
	settings->verify = option(arguments, "verify");
	return true;
}

/* With --time, an already packed trace is packed again, so that a request for exact times fails if the trace has none. */
static bool is_done(const struct arguments *arguments, const struct pack_settings *settings)
{
	return !option(arguments, "output") && !option(arguments, "time") && !settings->files &&
	       pack_is_packed(settings->source);
}

static int already_packed(const char *name, bool verify, enum output_format format)
{
	if (verify)
		return packing_verify(name, format);
	int there = packing_ready(name);
	if (there == EXIT_YES)
		note("%s is already packed", name);
	return there;
}

static void put_done(const struct pack_settings *settings, const struct pack_result *result,
		     enum output_format format)
{
	char spread[32] = "";
	if (result->files > 1)
		snprintf(spread, sizeof spread, " in %llu files",
			 (unsigned long long)result->files);
	if (format == FORMAT_JSON)
		put_packed(settings->source, settings->target, result);
	else
		note("%s: %s of %s, %s%s, %llu before%s", settings->target,
		     counted(result->records, "records").text,
		     counted(result->streams, "threads").text, counted(result->bytes, "bytes").text,
		     spread, (unsigned long long)result->source_bytes,
		     settings->verify ? "; verified" : "");
}

static int pack_locked(const struct arguments *arguments, const struct pack_settings *settings,
		       enum output_format format)
{
	struct pack_result result;
	/* Another command may have packed it since the first check. */
	if (is_done(arguments, settings))
		return already_packed(settings->source, settings->verify, format);
	int ready = recover_first(settings->source);
	if (ready == EXIT_YES)
		ready = packing_ready(settings->source);
	if (ready == EXIT_YES)
		ready = packing_do(settings, &result);
	if (ready != EXIT_YES)
		return ready;
	put_done(settings, &result, format);
	return packing_damage(settings->target, &result);
}

/* Without exact times a trace can be neither sliced nor packed with exact times again, so they are not removed by accident. */
static bool times_stay(const struct arguments *arguments, const struct pack_settings *settings)
{
	if (settings->time == PACKED_TIME_EXACT || option(arguments, "output") ||
	    option(arguments, "force"))
		return true;
	message("pack: --time %s would remove the exact times of %s, and they cannot be restored; "
		"write another trace with -o, or use --force to replace %s",
		option(arguments, "time"), settings->source, settings->source);
	return false;
}

static int pack_trace_verb(const struct arguments *arguments, enum output_format format)
{
	const char *name = arguments->operands[0], *target = option(arguments, "output");
	struct pack_settings settings = {.source = name, .target = target ? target : name};
	struct stat stat_buffer;
	if (!options_read(arguments, &settings))
		return EXIT_USAGE;
	if (!times_stay(arguments, &settings))
		return EXIT_USAGE;
	if (target && !packing_names_file("pack", target))
		return EXIT_USAGE;
	if (target && !lstat(target, &stat_buffer)) {
		message("pack: %s already exists; remove it, or choose another name with -o",
			target);
		return EXIT_USAGE;
	}
	if (target && packing_inside(name, target)) {
		message("pack: the packed trace cannot be inside its source %s; choose another "
			"name with -o",
			name);
		return EXIT_USAGE;
	}
	if (!option(arguments, "repair") && is_done(arguments, &settings))
		return already_packed(name, settings.verify, format);
	int lock, result = packing_lock(name, &lock);
	if (result == EXIT_YES) {
		result = option(arguments, "repair") ? packing_repair(name, settings.target, format)
						     : pack_locked(arguments, &settings, format);
		pack_unlock(lock);
	}
	return result;
}

int cmd_pack(const struct arguments *arguments)
{
	enum output_format format = option_format(arguments);
	return option(arguments, "recover") ? recover_trace(arguments->operands[0], format)
					    : pack_trace_verb(arguments, format);
}
