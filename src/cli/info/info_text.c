/* Command line: the text of `varve info`: first what is missing, then the run, its processes, its functions. */
#include "base/program/executable.h"
#include "cli/info/info.h"
#include "cli/report.h"
#include "cli/selection/selection.h"
#include "cli/terminal/colour.h"
#include "cli/terminal/output.h"
#include "cli/verbs.h"
#include "codec/control.h"
#include "sink/run/variables.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static void put_label(const char *label)
{
	/* Labels of losses and damage are in capitals. */
	put_ink(*label >= 'A' && *label <= 'Z' ? INK_BAD : INK_NONE);
	put_padded(label, -14);
	put_ink(INK_NONE);
}

/* What was excluded on request, which is not a loss. Returns whether there is any. */
static bool put_left_out(const struct info *info)
{
	static const struct {
		uint32_t counter;
		const char *what;
		const char *option;
	} asked[] = {
		{VARVE_LEFT_OUT_FILES, "calls", "--include and --exclude"},
		{VARVE_LEFT_OUT_RANKS, "processes", "--ranks"},
		{VARVE_LEFT_OUT_FOLLOW, "programs", "--no-follow"},
	};
	const struct varve_trace *trace = info->trace;
	bool any = false;
	for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
		uint64_t count = varve_loss_of(trace, asked[i].counter);
		if (!count)
			continue;
		any = true;
		put_label("excluded");
		const char *option = asked[i].option;
		bool include = info_value(info, "setting.include");
		if (asked[i].counter == VARVE_LEFT_OUT_FILES &&
		    include != (info_value(info, "setting.exclude") != NULL))
			option = include ? "--include" : "--exclude";
		put_format("%s, by %s\n", counted(count, asked[i].what).text, option);
	}
	if (varve_loss_of(trace, VARVE_LEFT_OUT_PAUSES)) {
		any = true;
		put_label("paused");
		put_format("%s on request; the whole run for ",
			   counted(varve_loss_of(trace, VARVE_LEFT_OUT_PAUSES), "times").text);
		put_duration_words(
			(int64_t)(varve_loss_of(trace, VARVE_LEFT_OUT_PAUSED_NS) & INT64_MAX));
		put_format("; %s not recorded\n",
			   counted(varve_loss_of(trace, VARVE_LEFT_OUT_PAUSED), "calls").text);
	}
	return any;
}

bool info_own_program_lost(const struct info *info)
{
	const char *why = info_value(info, "untraced");
	return why && info_value(info, "program") && strtoull(why, NULL, 10) != UNTRACED_LISTING;
}

/* Reports that the program of `varve record` was not recorded; false: it was, as far as is known. */
static bool put_own_program(const struct info *info)
{
	const char *why = info_value(info, "untraced"), *program = info_value(info, "program");
	if (!info_own_program_lost(info))
		return false;
	put_label("LOST");
	put_text("the program itself was not recorded: ");
	put_escaped(program, strlen(program), 0x7f);
	put_format(" (%s); programs that it started are recorded if possible\n",
		   untraced_words(info->trace, strtoull(why, NULL, 10)));
	return true;
}

/* Programs with a known reason are listed below; the program of `varve record` has its own line. */
static void put_lost_programs(const struct info *info, bool own)
{
	uint64_t named = untraced_named(&info->tree),
		 rest = untraced_rest(info->trace, &info->tree);
	if (named > own) {
		put_label("LOST");
		put_format("%s\n", counted(named - own,
					   "programs not recorded: see the lines `not recorded`")
					   .text);
	}
	if (rest) {
		put_label("LOST");
		put_format("%s\n", counted(rest, varve_loss_text(LOSS_UNTRACED)).text);
	}
}

static void put_damage(const struct info *info)
{
	struct varve_trace *trace = info->trace;
	struct damage_sum sum = damage_sum(trace, 0);
	for (size_t i = 0; i < varve_damage_count(trace); i++) {
		const struct varve_damage *damage = varve_damage_at(trace, i);
		if (damage_of_cut(trace, damage))
			continue;
		struct damage_place place = damage_place(trace, damage);
		put_label("DAMAGED");
		put_escaped(place.text, strlen(place.text), 0x7f);
		put_text(": ");
		put_escaped(damage->why, strlen(damage->why), 0x7f);
		if (damage_is_cut(damage) && *sum.text) {
			put_format("; %s", sum.text);
			*sum.text = 0;
		}
		put_char('\n');
	}
	if (varve_damage_more(trace)) {
		put_label("DAMAGED");
		put_format("%s more\n", counted(varve_damage_more(trace), "places").text);
	}
	if (*sum.text) {
		put_label("DAMAGED");
		put_format("%s\n", sum.text);
	}
}

static void put_trouble(const struct info *info)
{
	const struct varve_trace *trace = info->trace;
	const char *nothing = put_left_out(info) ? "nothing else" : "nothing";
	const struct varve_state *state = &info->state;
	struct varve_loss loss;
	bool any = info_slice_text(info, put_label) || varve_damage_count(trace) ||
		   state->running_threads || info->tree.vanished || info->ranks.missing ||
		   unseen_ends(trace, &info->tree);
	bool own = put_own_program(info);
	any |= own;
	any |= info_bypassed_text(info, put_label);
	for (size_t i = 0; i < varve_loss_count(trace); i++) {
		varve_loss_at(trace, i, &loss);
		if (loss.left_out)
			continue;
		any = true;
		if (loss.reason == LOSS_UNTRACED) {
			put_lost_programs(info, own);
			continue;
		}
		put_label("LOST");
		put_format("%s\n", counted(loss.count,
					   loss.text ? loss.text : "losses with an unknown reason")
					   .text);
	}
	if (info->tree.vanished) {
		put_label("LOST");
		put_format("%s\n", vanished_text(info->tree.vanished).text);
	}
	if (unseen_ends(trace, &info->tree)) {
		put_label("LOST");
		put_format("%s\n", counted(unseen_ends(trace, &info->tree), UNSEEN_END_TEXT).text);
	}
	if (info->ranks.missing) {
		put_label("LOST");
		put_format("%s of %u without any records: %s\n",
			   counted(info->ranks.missing, "ranks").text, info->ranks.world,
			   info->ranks.text);
	}
	put_damage(info);
	if (state->running_threads) {
		put_label("RUNNING");
		put_format("%s in %s (for example pid %d); records in memory are not counted: "
			   "`varve control %d flush` writes them to the trace\n",
			   counted(state->running_threads, "threads").text,
			   counted(state->running_processes, "processes").text, state->running_pid,
			   state->running_pid);
	}
	if (varve_repaired(trace)) {
		put_label("repaired");
		put_format("%s in memory", counted(varve_repaired(trace), "bytes").text);
		if (!varve_damage_count(trace))
			put_format("; `varve pack --repair %s` writes a sound file",
				   varve_path(trace));
		put_char('\n');
	}
	if (!any) {
		put_label("complete");
		if (info->quick)
			put_format("%s is missing; damage inside blocks was not searched\n",
				   nothing);
		else if (varve_unchecked(trace))
			put_format("%s is missing; %" PRIu64
				   " MiB will be checked for damage when they are read\n",
				   nothing, varve_unchecked(trace) >> 20);
		else
			put_format(varve_repaired(trace) ? "%s is missing\n"
							 : "%s is missing or damaged\n",
				   nothing);
	}
	if (varve_time_kind_of(trace) != VARVE_TIME_EXACT) {
		put_label("TIMES");
		put_text(varve_time_kind_of(trace) == VARVE_TIME_NONE
				 ? "none: the trace was packed with --time none\n"
				 : "are means: the trace was packed with --time histogram\n");
	}
	if (state->recovered_threads) {
		put_label("in lanes");
		put_format("%s of %s that ended; `varve pack --recover` writes them to the trace\n",
			   counted(state->recovered_records, "records").text,
			   counted(state->recovered_threads, "threads").text);
	}
}

static void put_value(const struct info *info, const char *label, const char *key)
{
	const char *value = info_value(info, key);
	if (!value)
		return;
	put_label(label);
	put_escaped(value, strlen(value), 0x7f);
	put_char('\n');
}

/* Prints a value of the run, or if it has none, of its first process. */
static void put_first(const struct info *info, const char *label, const char *key,
		      const char *process_key)
{
	const char *value = info_value(info, key);
	if (!value && info->first)
		value = varve_process_value(info->first, process_key, 0);
	if (!value)
		return;
	put_label(label);
	put_escaped(value, strlen(value), 0x7f);
	put_char('\n');
}

static void put_start(const struct info *info)
{
	const char *start = info_value(info, "start_realtime");
	if (!start)
		return;
	long long ns = strtoll(start, NULL, 10);
	time_t seconds = (time_t)(ns / 1000000000);
	struct tm calendar;
	char text[64];
	if (ns < 0 || !localtime_r(&seconds, &calendar) ||
	    !strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S", &calendar))
		return;
	put_label("started");
	put_format("%s.%03lld", text, ns / 1000000 % 1000);
	if (strftime(text, sizeof text, " %z", &calendar))
		put_text(text);
	put_char('\n');
}

/* If records were made but are not in the trace, an unknown value may have been in one of them. */
static const char *unknown_words(const struct info *info, const char *otherwise)
{
	uint64_t loss[LOSS_ROOM];
	for (uint32_t i = 0; i < LOSS_ROOM; i++)
		loss[i] = varve_loss_of(info->trace, i);
	return losses_of_writes(loss) || loss[LOSS_SPACE] || loss[LOSS_LIMIT] || loss[LOSS_TORN]
		       ? "unknown: its record may be lost"
		       : otherwise;
}

static void put_command(const struct info *info)
{
	put_label("command");
	if (!put_words(value_of_run, info->trace, "argument", SIZE_MAX) &&
	    (!info->first || !put_words(value_of_process, info->first, "argv", SIZE_MAX)))
		put_text(unknown_words(info, "unknown"));
	put_char('\n');
}

static void put_end(const struct info *info)
{
	const struct varve_state *state = &info->state;
	const char *name = sigabbrev_np(state->status);
	put_label("ended");
	switch (state->end) {
	case VARVE_END_EXITED:
		put_format("exit status %d\n", state->status);
		break;
	case VARVE_END_KILLED:
		put_format("killed by signal %d%s%s\n", state->status, name ? " SIG" : "",
			   name ? name : "");
		break;
	case VARVE_END_RECOVERED:
		put_format("%s (recovered trace)\n", unknown_words(info, "unknown"));
		break;
	case VARVE_END_UNKNOWN:
		put_format("%s\n",
			   state->running_threads
				   ? "not yet"
				   : unknown_words(info, "unknown: `varve record` was killed, or "
							 "ended before the program"));
		break;
	case VARVE_END_OPEN:
	default:
		put_text("not yet\n");
	}
}

void info_ns(uint64_t ns, int width)
{
	put_duration(ns > INT64_MAX ? INT64_MAX : (int64_t)ns, width);
}

void info_count(uint64_t value, int width)
{
	char text[24];
	snprintf(text, sizeof text, "%" PRIu64, value);
	put_padded(text, width);
}

static const struct varve_summary *sorted_by;

static int by_time(const void *left, const void *right)
{
	const struct varve_counters *a = &sorted_by->functions[*(const uint16_t *)left];
	const struct varve_counters *b = &sorted_by->functions[*(const uint16_t *)right];
	if (a->ns != b->ns)
		return a->ns < b->ns ? 1 : -1;
	return *(const uint16_t *)left - *(const uint16_t *)right;
}

bool info_returns(const struct varve_function *function)
{
	static const char *const ends[] = {"exec", "exit", "thread_exit"};
	for (size_t i = 0; function && i < sizeof ends / sizeof *ends; i++)
		if (!strcmp(function->op, ends[i]))
			return false;
	return true;
}

static void put_functions(const struct info *info)
{
	static uint16_t ids[VARVE_FUNCTIONS];
	size_t count = 0;
	for (size_t i = 0; i < VARVE_FUNCTIONS; i++)
		if (info->summary.functions[i].calls)
			ids[count++] = (uint16_t)i;
	if (!count)
		return;
	sorted_by = &info->summary;
	qsort(ids, count, sizeof *ids, by_time);
	put_char('\n');
	int longest = 0;
	for (size_t i = 0; i < count; i++) {
		const struct varve_function *function = varve_function_of(info->trace, ids[i]);
		int length = function ? (int)strlen(function->name) : 1;
		longest = length > longest ? length : longest;
	}
	/* Functions of libraries have long names, functions of the system short ones. */
	enum { USUAL = 18 };
	int width = longest > USUAL ? longest : USUAL;
	char heading[256];
	snprintf(heading, sizeof heading,
		 "layer    %-*s      calls   failures            bytes      time", width,
		 "function");
	put_heading(heading);
	for (size_t i = 0; i < count; i++) {
		const struct varve_function *function = varve_function_of(info->trace, ids[i]);
		const struct varve_counters *row = &info->summary.functions[ids[i]];
		put_padded(function ? varve_layer_at(info->trace, function->layer) : "?", -9);
		put_padded(function ? function->name : "?", -width);
		info_count(row->calls, 11);
		info_count(row->failures, 11);
		info_count(row->bytes, 17);
		put_text("  ");
		if (varve_function_timed(function))
			info_ns(row->ns, 8);
		else
			put_padded("?", 8);
		/* That exit does not return is no news; an exec that did not return has succeeded. */
		if (row->unfinished && !(function && strstr(function->op, "exit")))
			put_format("  %" PRIu64 " %s", row->unfinished,
				   info_returns(function) ? "unfinished" : "did not return");
		put_char('\n');
	}
	put_text("time: sum of all threads; it contains the time of the calls inside\n");
}

/* The number of records, and how many of them `varve dump` does not print without --recorder. */
static void put_records(const struct info *info)
{
	const struct varve_summary *summary = &info->summary;
	uint64_t own = 0;
	for (size_t i = 0; i < VARVE_FUNCTIONS; i++) {
		const struct varve_function *function = varve_function_of(info->trace, (uint16_t)i);
		if (function && is_of_recorder(info->trace, function))
			own += summary->functions[i].calls;
	}
	put_label("records");
	put_format("%" PRIu64, summary->records);
	if (!info->filter)
		put_format(" in %s", counted(summary->blocks, "blocks").text);
	if (own)
		put_format("; %" PRIu64 " of layer varve, about the recorder itself", own);
	put_char('\n');
}

/* How to leave out the calls of a launcher, of which a short program has few and mpirun thousands. */
static void put_launcher(const struct info *info)
{
	bool any = false;
	for (size_t i = 0; i < info->tree.count; i++)
		any |= info->tree.processes[i].launcher;
	if (!any || info->where)
		return;
	put_label("launcher");
	put_text("included; --where 'not runtime' leaves out its calls and those of the MPI "
		 "library itself\n");
}

static void put_layers(const struct info *info)
{
	bool used[256] = {false};
	for (size_t i = 0; i < VARVE_FUNCTIONS; i++)
		if (info->summary.functions[i].calls && varve_function_of(info->trace, (uint16_t)i))
			used[varve_function_of(info->trace, (uint16_t)i)->layer] = true;
	bool any = false;
	put_label("layers");
	for (uint32_t i = 0; i < varve_layer_count(info->trace) && i < 256; i++) {
		if (!used[i])
			continue;
		put_format("%s%s", any ? " " : "", varve_layer_at(info->trace, i));
		any = true;
	}
	put_text(any ? "\n" : "none\n");
}

/* Settings that differ from their default. */
static void put_settings(const struct info *info)
{
	static const char prefix[] = "setting.";
	struct varve_text key, value;
	bool first = true;
	size_t count = varve_description_count(info->trace);
	for (size_t i = 0; i < count; i++) {
		varve_description_at(info->trace, i, &key, &value);
		bool setting = key.length >= sizeof prefix &&
			       !memcmp(key.bytes, prefix, sizeof prefix - 1);
		if (!setting && !(key.length == 7 && !memcmp(key.bytes, "ignored", 7)))
			continue;
		size_t skip = setting ? sizeof prefix - 1 : 0;
		put_label(first ? "settings" : "");
		first = false;
		put_escaped(key.bytes + skip, key.length - skip, 0x7f);
		put_char('=');
		put_escaped(value.bytes, value.length, 0x7f);
		const char *meant = setting ? NULL : variable_meant(value.bytes, value.length);
		if (meant)
			put_format(" (did you mean %s?)", meant);
		put_char('\n');
	}
}

/* The filter, and which lines it affects. */
static void put_where(const struct info *info)
{
	if (!info->filter)
		return;
	if (info->ranks_asked) {
		put_label("rank");
		put_escaped(info->ranks_asked, strlen(info->ranks_asked), 0x7f);
		put_char('\n');
	}
	if (info->where) {
		put_label("where");
		put_escaped(info->where, strlen(info->where), 0x7f);
		put_char('\n');
	}
	put_text("              filtered: records, layers, functions, files and regions; all other "
		 "lines cover the whole trace\n");
}

static void put_size(const struct info *info)
{
	const struct varve_summary *summary = &info->summary;
	put_text(counted(varve_size(info->trace), "bytes").text);
	if (summary->records && !info->filter) {
		double each = (double)summary->block_bytes / (double)summary->records;
		if (summary->block_bytes != varve_size(info->trace))
			put_format("; records %s", counted(summary->block_bytes, "bytes").text);
		put_format(", %.*f per record", each < 10 ? 2 : 0, each);
	}
	put_char('\n');
}

void info_text(const struct info *info)
{
	const struct varve_summary *summary = &info->summary;
	put_trouble(info);
	info_uncounted_text(info);
	info_files_text(info);
	put_first(info, "program", "program", "exe");
	put_command(info);
	put_first(info, "folder", "cwd", "cwd");
	put_value(info, "host", "host");
	info_nodes_text(info);
	put_value(info, "kernel", "kernel");
	put_value(info, "user", "user");
	put_value(info, "job", "job");
	put_start(info);
	put_label("duration");
	put_seconds(info_duration(info), 0);
	put_text(info->state.running_threads ? " s so far\n" : " s\n");
	put_end(info);
	put_where(info);
	put_records(info);
	put_launcher(info);
	put_layers(info);
	if (!info->quick && !info->filter) {
		put_label("paths");
		put_format("%" PRIu64 "\n", summary->paths);
	}
	if (!info->filter) {
		put_label("waiting");
		put_duration_words(summary->held_ns > INT64_MAX ? INT64_MAX
								: (int64_t)summary->held_ns);
		put_text(" in all threads, for the recorder to write; the cost of each call is "
			 "not in it\n");
	}
	put_label("size");
	put_size(info);
	put_value(info, "clock", "clock");
	put_settings(info);
	put_value(info, "recorded by", "varve");
	info_libraries_text(info);
	info_unseen_text(info);
	info_untraced(info);
	info_processes(info);
	put_functions(info);
	info_regions_text(info);
}
