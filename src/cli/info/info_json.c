/* Command line: `varve info` as one JSON object, or as CSV with one row per function. */
#include "cli/info/info.h"
#include "cli/report.h"
#include "cli/terminal/output.h"
#include "sink/run/settings.h"

#include <stdlib.h>

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

static void put_losses(const struct info *info)
{
	const struct varve_trace *trace = info->trace;
	struct varve_loss loss;
	bool first = true;
	put_text("{\"losses\":[");
	for (size_t i = 0; i < varve_loss_count(trace); i++) {
		varve_loss_at(trace, i, &loss);
		if (loss.left_out)
			continue;
		put_format("%s{\"reason\":%u,\"count\":%" PRIu64 ",\"text\":", first ? "" : ",",
			   loss.reason, loss.count);
		put_string(loss.text ? loss.text : "unknown");
		put_char('}');
		first = false;
	}
	put_text("],\"damage\":[");
	for (size_t i = 0; i < varve_damage_count(trace); i++) {
		const struct varve_damage *damage = varve_damage_at(trace, i);
		put_format("%s{\"file\":\"%s\",\"offset\":%" PRIu64 ",\"length\":%" PRIu64
			   ",\"why\":",
			   i ? "," : "", damage->file, damage->offset, damage->length);
		put_string(damage->why);
		put_char('}');
	}
	put_char(']');
	put_number("damage_more", varve_damage_more(trace));
	put_number("running_threads", info->state.running_threads);
	put_number("running_processes", info->state.running_processes);
	put_number("records_in_lanes", info->state.recovered_records);
}

static bool starts_with(struct varve_text text, const char *prefix)
{
	size_t length = strlen(prefix);
	return text.length >= length && !memcmp(text.bytes, prefix, length);
}

static bool is_key(struct varve_text text, const char *key)
{
	return text.length == strlen(key) && starts_with(text, key);
}

static void put_member(struct varve_text key, size_t skip, struct varve_text value, bool *first)
{
	put_text(*first ? "" : ",");
	*first = false;
	put_json(key.bytes + skip, key.length - skip);
	put_char(':');
	put_json(value.bytes, value.length);
}

/* Prints all values of a repeated key, as the elements of a list. */
static void put_list(const char *(*value)(const void *from, const char *key, size_t nth),
		     const void *from, const char *key)
{
	const char *text;
	for (size_t i = 0; (text = value(from, key, i)); i++) {
		put_text(i ? "," : "");
		put_string(text);
	}
}

/* The description of the run; the environment and repeated keys are separate members. */
static void put_description(const struct info *info)
{
	const struct varve_trace *trace = info->trace;
	size_t count = varve_description_count(trace);
	struct varve_text key, value;
	bool first = true;
	info_slice_json(info);
	put_text(",\"run\":{");
	for (size_t i = 0; i < count; i++) {
		varve_description_at(trace, i, &key, &value);
		if (!is_key(key, "argument") && !is_key(key, "ignored") &&
		    !starts_with(key, "env.") && !starts_with(key, "setting.") &&
		    !starts_with(key, "slice."))
			put_member(key, 0, value, &first);
	}
	put_text("},\"arguments\":[");
	if (value_of_run(trace, "argument", 0))
		put_list(value_of_run, trace, "argument");
	else if (info->first)
		put_list(value_of_process, info->first, "argv");
	put_text("],\"environment\":{");
	first = true;
	for (size_t i = 0; i < count; i++) {
		varve_description_at(trace, i, &key, &value);
		if (starts_with(key, "env."))
			put_member(key, 4, value, &first);
	}
	put_char('}');
}

static void put_processes(const struct info *info)
{
	static const char *const keys[] = {"exe", "ppid", "origin", "cwd", "host"};
	put_text(",\"processes\":[");
	for (size_t i = 0; i < info->tree.count; i++) {
		const struct varve_process *process = varve_process_at(info->trace, i);
		put_format("%s{\"process\":%u,\"pid\":%d,\"rank\":", i ? "," : "", process->number,
			   process->pid);
		if (process->rank >= 0)
			put_signed(process->rank);
		else
			put_text("null");
		const char *world = varve_process_value(process, "spawn", 0);
		if (process->rank >= 0)
			put_number("world", world ? strtoull(world, NULL, 10) : 1);
		const struct varve_tree_process *entry = &info->tree.processes[i];
		put_format(",\"threads\":%zu,\"parent\":%u", process->streams, entry->parent);
		put_format(",\"began\":\"%s\",\"ended\":\"%s\"", began_text(entry->began),
			   ended_text(entry->ended));
		if (entry->ended == VARVE_ENDED_EXITED)
			put_format(",\"status\":%d", entry->status);
		if (entry->ended == VARVE_ENDED_KILLED)
			put_format(",\"signal\":%d,\"core\":%s", entry->status,
				   entry->core ? "true" : "false");
		put_number("records", entry->records);
		for (size_t k = 0; k < sizeof keys / sizeof *keys; k++) {
			const char *value = varve_process_value(process, keys[k], 0);
			if (!value)
				continue;
			put_format(",\"%s\":", keys[k]);
			put_string(value);
		}
		put_text(",\"arguments\":[");
		put_list(argument_of_process, process, "argv");
		put_text("]}");
	}
	put_char(']');
}

static void put_untraced(const struct info *info)
{
	put_text(",\"untraced\":[");
	for (size_t i = 0; i < info->tree.untraced_count; i++) {
		const struct varve_untraced *untraced = &info->tree.untraced[i];
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
	put_number("unseen_ends", unseen_ends(info->trace, &info->tree));
}

static const char *layer_of(const struct info *info, const struct varve_function *function)
{
	return function ? varve_layer_at(info->trace, function->layer) : "";
}

static void put_functions(const struct info *info)
{
	bool first = true;
	put_text(",\"functions\":[");
	for (size_t i = 0; i < VARVE_FUNCTIONS; i++) {
		const struct varve_counters *row = &info->summary.functions[i];
		const struct varve_function *function = varve_function_of(info->trace, (uint16_t)i);
		if (!row->calls)
			continue;
		put_text(first ? "{\"layer\":" : ",{\"layer\":");
		first = false;
		put_string(layer_of(info, function));
		put_text(",\"function\":");
		put_string(function ? function->name : "");
		put_number("calls", row->calls);
		put_number("failures", row->failures);
		put_number("unfinished", info_returns(function) ? row->unfinished : 0);
		put_number("did_not_return", info_returns(function) ? 0 : row->unfinished);
		put_number("bytes", row->bytes);
		if (varve_function_timed(function))
			put_number("ns", row->ns);
		else
			put_text(",\"ns\":null");
		put_char('}');
	}
	put_char(']');
}

/* Prints all values of a key as a JSON list; if `one`, only the last one. False: there is none. */
static bool put_values(const struct varve_trace *trace, const char *key, bool one)
{
	const char *value, *last = NULL;
	bool any = false;
	for (size_t i = 0; (value = varve_description(trace, key, i));
	     i++, any = true, last = value) {
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

/* The settings, with defaults for those that were not set; and how much was excluded because of them. */
static void put_settings(const struct info *info)
{
	const struct varve_trace *trace = info->trace;
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
		   ",\"pauses\":%" PRIu64 ",\"paused_ns\":%" PRIu64 ",\"processes\":%" PRIu64
		   ",\"programs\":%" PRIu64 "}",
		   varve_loss_of(trace, VARVE_LEFT_OUT_FILES),
		   varve_loss_of(trace, VARVE_LEFT_OUT_PAUSED),
		   varve_loss_of(trace, VARVE_LEFT_OUT_PAUSES),
		   varve_loss_of(trace, VARVE_LEFT_OUT_PAUSED_NS),
		   varve_loss_of(trace, VARVE_LEFT_OUT_RANKS),
		   varve_loss_of(trace, VARVE_LEFT_OUT_FOLLOW));
}

void info_json(const struct info *info)
{
	static const char *const ends[] = {"open", "exited", "killed", "recovered", "unknown"};
	const struct varve_state *state = &info->state;
	const struct varve_trace *trace = info->trace;
	const struct varve_summary *summary = &info->summary;
	put_losses(info);
	put_description(info);
	put_settings(info);
	put_number("duration_ns", (uint64_t)info_duration(info));
	put_format(",\"end\":\"%s\"", ends[state->end]);
	if (state->end == VARVE_END_EXITED || state->end == VARVE_END_KILLED)
		put_format(",\"%s\":%d", state->end == VARVE_END_KILLED ? "signal" : "status",
			   state->status);
	if (info->where) {
		put_text(",\"where\":");
		put_string(info->where);
	}
	if (info->ranks_asked) {
		put_text(",\"rank\":");
		put_string(info->ranks_asked);
	}
	/* members that a filter does not affect */
	if (info->filter)
		put_text(",\"whole_trace\":[\"duration_ns\",\"blocks\",\"streams\",\"paths\","
			 "\"size\",\"unchecked\",\"nodes\",\"processes\",\"untraced\","
			 "\"libraries\",\"unseen\"]");
	put_number("records", summary->records);
	put_number("blocks", summary->blocks);
	put_number("streams", varve_stream_count(trace));
	if (!info->quick)
		put_number("paths", summary->paths);
	put_number("held_up_ns", summary->held_ns);
	put_number("size", varve_size(trace));
	put_number("unchecked", varve_unchecked(trace));
	put_number("repaired_bytes", varve_repaired(trace));
	if (!info->filter)
		put_format(",\"bytes_per_record\":%.3f",
			   summary->records
				   ? (double)summary->block_bytes / (double)summary->records
				   : 0.0);
	put_number("resolution_ns", summary->resolution);
	static const char *const times[] = {"exact", "histogram", "none"};
	put_format(",\"times\":\"%s\"", times[varve_time_kind_of(trace)]);
	put_format(",\"clock\":\"%s\"", summary->tsc ? "tsc" : "monotonic");
	info_nodes_json(info);
	put_processes(info);
	put_untraced(info);
	put_functions(info);
	info_files_json(info);
	info_regions_json(info);
	info_libraries_json(info);
	if (!info->quick)
		info_unseen_json(info);
	put_text("}\n");
}

void info_csv(const struct info *info)
{
	put_text("layer,function,calls,failures,unfinished,bytes,ns,did_not_return\r\n");
	for (size_t i = 0; i < VARVE_FUNCTIONS; i++) {
		const struct varve_counters *row = &info->summary.functions[i];
		const struct varve_function *function = varve_function_of(info->trace, (uint16_t)i);
		if (!row->calls)
			continue;
		put_csv(layer_of(info, function), strlen(layer_of(info, function)));
		put_char(',');
		put_csv(function ? function->name : "", function ? strlen(function->name) : 0);
		bool returns = info_returns(function);
		put_format(",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",", row->calls,
			   row->failures, returns ? row->unfinished : 0, row->bytes);
		if (varve_function_timed(function))
			put_format("%" PRIu64, row->ns);
		put_format(",%" PRIu64 "\r\n", returns ? 0 : row->unfinished);
	}
}
