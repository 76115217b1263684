/* Command line: `varve info` for programs: one JSON object, or one row of CSV per function. */
#include "cli/info.h"
#include "cli/output.h"
#include "cli/report.h"
#include "sink/settings.h"

#include <inttypes.h>
#include <stdio.h>

static void put_string(const char *text)
{
	put_json(text, strlen(text));
}

static void put_number(const char *key, uint64_t value)
{
	put_format(",\"%s\":%" PRIu64, key, value);
}

static void put_losses(const struct trace *trace)
{
	bool first = true;
	put_text("{\"losses\":[");
	for (size_t i = 0; i < NOTE_FIRST; i++) {
		if (!trace->loss[i])
			continue;
		put_format("%s{\"reason\":%zu,\"count\":%" PRIu64 ",\"text\":", first ? "" : ",", i,
			   trace->loss[i]);
		put_string(loss_text(i) ? loss_text(i) : "unknown");
		put_char('}');
		first = false;
	}
	put_text("],\"damage\":[");
	for (size_t i = 0; i < trace->damage_count; i++) {
		const struct trace_damage *damage = &trace->damage[i];
		put_format("%s{\"file\":\"%s\",\"offset\":%" PRIu64 ",\"length\":%" PRIu64
			   ",\"why\":",
			   i ? "," : "", damage->file, damage->offset, damage->length);
		put_string(damage->why);
		put_char('}');
	}
	put_char(']');
	put_number("damage_more", trace->damage_more);
	put_number("running_threads", trace->alive_lanes);
	put_number("running_processes", trace->alive_processes);
	put_number("records_in_lanes", trace->recovered_records);
}

/* The run's description, without the environment: each key once, those that repeat as a list. */
static void put_description(const struct info *info)
{
	const struct trace *trace = info->trace;
	const char *strings = trace->description;
	bool first = true;
	put_text(",\"run\":{");
	for (size_t at = 0; strings && at < trace->description_length;) {
		size_t length = strnlen(strings + at, trace->description_length - at);
		const char *string = strings + at;
		const char *equals = memchr(string, '=', length);
		at += length + 1;
		if (!equals || !strncmp(string, "argument=", 9) || !strncmp(string, "env.", 4) ||
		    !strncmp(string, "setting.", 8) || !strncmp(string, "ignored=", 8))
			continue;
		if (!first)
			put_char(',');
		first = false;
		put_json(string, (size_t)(equals - string));
		put_char(':');
		put_json(equals + 1, length - (size_t)(equals + 1 - string));
	}
	put_text("},\"arguments\":[");
	size_t at = 0;
	first = true;
	for (const char *value;
	     (value = strings_value(strings, trace->description_length, "argument", &at));
	     first = false) {
		put_text(first ? "" : ",");
		put_string(value);
	}
	put_text("],\"environment\":{");
	first = true;
	for (at = 0; strings && at < trace->description_length;) {
		size_t length = strnlen(strings + at, trace->description_length - at);
		const char *string = strings + at;
		const char *equals = memchr(string, '=', length);
		at += length + 1;
		if (!equals || strncmp(string, "env.", 4))
			continue;
		put_text(first ? "" : ",");
		first = false;
		put_json(string + 4, (size_t)(equals - string - 4));
		put_char(':');
		put_json(equals + 1, length - (size_t)(equals + 1 - string));
	}
	put_char('}');
}

static void put_processes(const struct info *info)
{
	static const char *const keys[] = {"exe", "ppid", "origin", "cwd", "host"};
	put_text(",\"processes\":[");
	for (size_t i = 0; i < info->trace->process_count; i++) {
		const struct trace_process *process = &info->trace->processes[i];
		put_format("%s{\"process\":%u,\"pid\":%d,\"rank\":", i ? "," : "", process->number,
			   process->pid);
		if (process->rank >= 0)
			put_signed(process->rank);
		else
			put_text("null");
		const struct tree_process *entry = &info->tree.processes[i];
		put_format(",\"threads\":%zu,\"parent\":%u", process->streams, entry->parent);
		put_format(",\"began\":\"%s\",\"ended\":\"%s\"", began_text(entry->began),
			   ended_text(entry->ended));
		if (entry->ended == ENDED_EXITED)
			put_format(",\"status\":%d", entry->status);
		if (entry->ended == ENDED_KILLED)
			put_format(",\"signal\":%d,\"core\":%s", entry->status,
				   entry->core ? "true" : "false");
		put_number("records", entry->records);
		for (size_t k = 0; k < sizeof keys / sizeof *keys; k++) {
			const char *value = process_value(process, keys[k]);
			if (!value)
				continue;
			put_format(",\"%s\":", keys[k]);
			put_string(value);
		}
		put_text(",\"arguments\":[");
		size_t at = 0;
		bool first = true;
		for (const char *value;
		     (value = strings_value(process->strings, process->length, "argv", &at));
		     first = false) {
			put_text(first ? "" : ",");
			put_string(value);
		}
		put_text("]}");
	}
	put_char(']');
}

static void put_untraced(const struct info *info)
{
	put_text(",\"untraced\":[");
	for (size_t i = 0; i < info->tree.untraced_count; i++) {
		const struct tree_untraced *untraced = &info->tree.untraced[i];
		put_text(i ? ",{\"path\":" : "{\"path\":");
		if (untraced->path)
			put_string(untraced->path);
		else
			put_text("null");
		put_text(",\"why\":");
		put_string(untraced_text(info->trace, untraced->why));
		put_number("count", untraced->count);
		put_format(",\"process\":%u}", untraced->process);
	}
	put_char(']');
	put_number("untraced_more", info->tree.untraced_more);
	put_number("unstarted", info->tree.unstarted);
	put_number("vanished", info->tree.vanished);
}

static const char *layer_of(const struct info *info, const struct varve_function *function)
{
	bool named = function && function->layer < info->trace->tables.layer_count;
	return named ? info->trace->tables.layers[function->layer] : "";
}

static void put_functions(const struct info *info)
{
	bool first = true;
	put_text(",\"functions\":[");
	for (size_t i = 0; i < TRACE_FUNCTIONS; i++) {
		const struct summary_row *row = &info->summary.functions[i];
		const struct varve_function *function = info->trace->by_id[i];
		if (!row->calls)
			continue;
		put_text(first ? "{\"layer\":" : ",{\"layer\":");
		first = false;
		put_string(layer_of(info, function));
		put_text(",\"function\":");
		put_string(function ? function->name : "");
		put_number("calls", row->calls);
		put_number("failures", row->failures);
		put_number("unfinished", (int64_t)row->unfinished > 0 ? row->unfinished : 0);
		put_number("bytes", row->bytes);
		put_number("ns", row->ns);
		put_char('}');
	}
	put_char(']');
}

/* All values of a key as a JSON list; a single one of them, the last, when `one`. False: there is none. */
static bool put_values(const struct trace *trace, const char *key, bool one)
{
	const char *value, *last = NULL;
	bool any = false;
	for (size_t at = 0;
	     (value = strings_value(trace->description, trace->description_length, key, &at));
	     any = true, last = value) {
		if (one)
			continue;
		put_char(any ? ',' : '[');
		put_string(value);
	}
	if (any && one)
		put_string(last);
	else if (any)
		put_char(']');
	return any;
}

/* What was set, or holds because nothing was set; and what was left out for it. */
static void put_settings(const struct info *info)
{
	const struct trace *trace = info->trace;
	char key[64];
	put_text(",\"settings\":{");
	for (size_t i = 0; i < SETTING_COUNT; i++) {
		const struct setting *setting = &settings_table[i];
		snprintf(key, sizeof key, "setting.%s", setting->name);
		put_format("%s\"%s\":", i ? "," : "", setting->name);
		if (put_values(trace, key, setting->takes == ONE))
			continue;
		if (setting->takes == ONE)
			put_string(setting->otherwise);
		else
			put_text("[]");
	}
	put_text("},\"ignored_variables\":");
	if (!put_values(trace, "ignored", false))
		put_text("[]");
	put_format(",\"left_out\":{\"calls_on_files\":%" PRIu64 ",\"calls_in_pauses\":%" PRIu64
		   ",\"pauses\":%" PRIu64 ",\"paused_ns\":%" PRIu64 ",\"processes\":%" PRIu64 "}",
		   trace->loss[NOTE_FILES], trace->loss[NOTE_PAUSED], trace->loss[NOTE_PAUSES],
		   trace->loss[NOTE_PAUSED_NS], trace->loss[NOTE_RANKS]);
}

void info_json(const struct info *info)
{
	static const char *const ends[] = {"open", "exited", "killed", "recovered"};
	const struct trace *trace = info->trace;
	const struct summary *summary = &info->summary;
	put_losses(trace);
	put_description(info);
	put_settings(info);
	put_number("duration_ns", (uint64_t)info_duration(info));
	put_format(",\"end\":\"%s\"",
		   trace->indexed && trace->end.end < 4 ? ends[trace->end.end] : "unknown");
	if (trace->indexed && (trace->end.end == RUN_EXITED || trace->end.end == RUN_KILLED))
		put_format(",\"%s\":%d", trace->end.end == RUN_KILLED ? "signal" : "status",
			   trace->end.status);
	put_number("records", summary->records);
	put_number("blocks", summary->blocks);
	put_number("streams", trace->stream_count);
	if (!info->quick)
		put_number("paths", summary->paths);
	put_number("held_up_ns", summary->held_ns);
	put_number("size", trace->size);
	put_format(",\"bytes_per_record\":%.3f",
		   summary->records ? (double)summary->block_bytes / (double)summary->records
				    : 0.0);
	put_number("resolution_ns", summary->resolution);
	put_format(",\"clock\":\"%s\"",
		   summary->clock_kind == CLOCK_KIND_TSC ? "tsc" : "monotonic");
	put_processes(info);
	put_untraced(info);
	put_functions(info);
	if (!info->quick)
		info_unseen_json(info);
	put_text("}\n");
}

void info_csv(const struct info *info)
{
	put_text("layer,function,calls,failures,unfinished,bytes,ns\r\n");
	for (size_t i = 0; i < TRACE_FUNCTIONS; i++) {
		const struct summary_row *row = &info->summary.functions[i];
		const struct varve_function *function = info->trace->by_id[i];
		if (!row->calls)
			continue;
		put_csv(layer_of(info, function), strlen(layer_of(info, function)));
		put_char(',');
		put_csv(function ? function->name : "", function ? strlen(function->name) : 0);
		put_format(",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 "\r\n",
			   row->calls, row->failures,
			   (int64_t)row->unfinished > 0 ? row->unfinished : 0, row->bytes, row->ns);
	}
}
