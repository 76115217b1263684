/* Command line: `varve info` for people: what is missing first, then the run, its processes, its functions. */
#include "cli/colour.h"
#include "cli/info.h"
#include "cli/output.h"
#include "cli/report.h"
#include "cli/verbs.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static void put_label(const char *label)
{
	/* What is lost or damaged is in capitals. */
	put_ink(*label >= 'A' && *label <= 'Z' ? INK_BAD : INK_NONE);
	put_padded(label, -14);
	put_ink(INK_NONE);
}

static void put_trouble(const struct info *info)
{
	const struct trace *trace = info->trace;
	bool any = trace->damage_count || trace->alive_lanes || info->tree.vanished;
	for (size_t i = 0; i < NOTE_FIRST; i++) {
		if (!trace->loss[i])
			continue;
		any = true;
		put_label("LOST");
		put_format("%s\n",
			   counted(trace->loss[i],
				   loss_text(i) ? loss_text(i) : "losses for an unknown reason")
				   .text);
	}
	if (info->tree.vanished) {
		put_label("LOST");
		put_format("%s\n", counted(info->tree.vanished, VANISHED_TEXT).text);
	}
	for (size_t i = 0; i < trace->damage_count; i++) {
		const struct trace_damage *damage = &trace->damage[i];
		put_label("DAMAGED");
		if (damage->length)
			put_format("%s, %" PRIu64 " bytes at offset %" PRIu64 ": ", damage->file,
				   damage->length, damage->offset);
		else
			put_format("%s: ", damage->file);
		put_escaped(damage->why, strlen(damage->why), 0x7f);
		put_char('\n');
	}
	if (trace->damage_more) {
		put_label("DAMAGED");
		put_format("%s more\n", counted(trace->damage_more, "places").text);
	}
	if (trace->alive_lanes) {
		put_label("RUNNING");
		put_format("%s of %s (%d is one); what is not yet written is not counted\n",
			   counted(trace->alive_lanes, "threads").text,
			   counted(trace->alive_processes, "processes").text, trace->alive_pid);
	}
	if (!any) {
		put_label("complete");
		put_text("nothing is missing or damaged\n");
	}
	if (trace->recovered_lanes) {
		put_label("in lanes");
		put_format("%s of %s that ended; `varve pack --recover` writes them to the trace\n",
			   counted(trace->recovered_records, "records").text,
			   counted(trace->recovered_lanes, "threads").text);
	}
}

/* What was left out because somebody asked for it: no losses. */
static void put_left_out(const struct info *info)
{
	const uint64_t *notes = info->trace->loss;
	if (notes[NOTE_FILES]) {
		put_label("left out");
		put_format("%s on request, by --include and --exclude\n",
			   counted(notes[NOTE_FILES], "calls").text);
	}
	if (notes[NOTE_RANKS]) {
		put_label("left out");
		put_format("%s on request, by --ranks\n",
			   counted(notes[NOTE_RANKS], "processes").text);
	}
	if (notes[NOTE_PAUSES]) {
		put_label("paused");
		put_format("%s on request, the whole run for ",
			   counted(notes[NOTE_PAUSES], "times").text);
		put_duration((int64_t)(notes[NOTE_PAUSED_NS] & INT64_MAX), 0);
		put_format("; %s left out\n", counted(notes[NOTE_PAUSED], "calls").text);
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

static void put_command(const struct info *info)
{
	put_label("command");
	if (!put_words(info->trace->description, info->trace->description_length, "argument",
		       SIZE_MAX))
		put_text("not known");
	put_char('\n');
}

static void put_end(const struct info *info)
{
	const struct index_head *end = &info->trace->end;
	put_label("ended");
	if (!info->trace->indexed)
		put_text(info->trace->alive_lanes
				 ? "not yet\n"
				 : "not known: `varve record` did not see the end\n");
	else if (end->end == RUN_EXITED)
		put_format("exit status %d\n", end->status);
	else if (end->end == RUN_KILLED)
		put_format("killed by signal %d%s%s\n", end->status,
			   sigabbrev_np(end->status) ? " SIG" : "",
			   sigabbrev_np(end->status) ? sigabbrev_np(end->status) : "");
	else
		put_text(end->end == RUN_RECOVERED ? "recovered: how it ended is not known\n"
						   : "not yet\n");
}

static void put_ns(uint64_t ns, int width)
{
	put_duration(ns > INT64_MAX ? INT64_MAX : (int64_t)ns, width);
}

static void put_count(uint64_t value, int width)
{
	char text[24];
	snprintf(text, sizeof text, "%" PRIu64, value);
	put_padded(text, width);
}

static const struct summary *sorted_by;

static int by_time(const void *left, const void *right)
{
	const struct summary_row *a = &sorted_by->functions[*(const uint16_t *)left];
	const struct summary_row *b = &sorted_by->functions[*(const uint16_t *)right];
	if (a->ns != b->ns)
		return a->ns < b->ns ? 1 : -1;
	return *(const uint16_t *)left - *(const uint16_t *)right;
}

static void put_functions(const struct info *info)
{
	static uint16_t ids[TRACE_FUNCTIONS];
	size_t count = 0;
	for (size_t i = 0; i < TRACE_FUNCTIONS; i++)
		if (info->summary.functions[i].calls)
			ids[count++] = (uint16_t)i;
	if (!count)
		return;
	sorted_by = &info->summary;
	qsort(ids, count, sizeof *ids, by_time);
	put_char('\n');
	put_heading("layer    function                calls   failures            bytes      time");
	for (size_t i = 0; i < count; i++) {
		const struct table_function *function = info->trace->by_id[ids[i]];
		const struct summary_row *row = &info->summary.functions[ids[i]];
		bool named = function && function->layer < info->trace->tables.layer_count;
		put_padded(named ? info->trace->tables.layers[function->layer] : "?", -9);
		put_padded(function ? function->name : "?", -18);
		put_count(row->calls, 11);
		put_count(row->failures, 11);
		put_count(row->bytes, 17);
		put_text("  ");
		put_ns(row->ns, 8);
		if ((int64_t)row->unfinished > 0)
			put_format("  %" PRIu64 " unfinished", row->unfinished);
		put_char('\n');
	}
}

static void put_layers(const struct info *info)
{
	bool used[256] = {false};
	for (size_t i = 0; i < TRACE_FUNCTIONS; i++)
		if (info->summary.functions[i].calls && info->trace->by_id[i])
			used[info->trace->by_id[i]->layer] = true;
	bool any = false;
	put_label("layers");
	for (uint32_t i = 0; i < info->trace->tables.layer_count && i < 256; i++) {
		if (!used[i])
			continue;
		put_format("%s%s", any ? " " : "", info->trace->tables.layers[i]);
		any = true;
	}
	put_text(any ? "\n" : "none\n");
}

/* Those that are not as they would be without a word. */
static void put_settings(const struct info *info)
{
	static const char prefix[] = "setting.", ignored[] = "ignored=";
	const char *strings = info->trace->description;
	size_t length = info->trace->description_length;
	bool first = true;
	for (size_t at = 0, size; strings && at < length; at += size + 1) {
		const char *text = strings + at;
		size = strnlen(text, length - at);
		bool setting = size >= sizeof prefix && !memcmp(text, prefix, sizeof prefix - 1);
		if (!setting &&
		    !(size >= sizeof ignored && !memcmp(text, ignored, sizeof ignored - 1)))
			continue;
		size_t skip = setting ? sizeof prefix - 1 : 0;
		put_label(first ? "settings" : "");
		first = false;
		put_escaped(text + skip, size - skip, 0x7f);
		put_char('\n');
	}
}

void info_text(const struct info *info)
{
	const struct trace *trace = info->trace;
	const struct summary *summary = &info->summary;
	put_trouble(info);
	put_left_out(info);
	put_value(info, "program", "program");
	put_command(info);
	put_value(info, "folder", "cwd");
	put_value(info, "host", "host");
	put_value(info, "kernel", "kernel");
	put_value(info, "user", "user");
	put_value(info, "job", "job");
	put_start(info);
	put_label("duration");
	put_seconds(info_duration(info), 0);
	put_text(" s\n");
	put_end(info);
	put_label("records");
	put_format("%" PRIu64 " in %s\n", summary->records,
		   counted(summary->blocks, "blocks").text);
	put_layers(info);
	if (!info->quick) {
		put_label("paths");
		put_format("%" PRIu64 " named\n", summary->paths);
	}
	put_label("held up");
	put_ns(summary->held_ns, 0);
	put_text(" by the recorder, over all threads\n");
	put_label("size");
	put_format("%" PRIu64 " bytes", trace->size);
	if (summary->records)
		put_format("; records take %" PRIu64 ", %.2f each", summary->block_bytes,
			   (double)summary->block_bytes / (double)summary->records);
	put_char('\n');
	put_value(info, "clock", "clock");
	put_settings(info);
	put_value(info, "recorded by", "varve");
	info_unseen_text(info);
	info_untraced(info);
	info_processes(info);
	put_functions(info);
}
