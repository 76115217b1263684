/* Command line: prints losses and damage as messages. See report.h. */
#include "cli/report.h"

#include "base/trace_files.h"
#include "cli/verbs.h"
#include "codec/inprocess/lane_errors.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* Losses that the folder of the trace causes: the message contains its path. */
static bool loss_needs_path(uint32_t reason)
{
	return reason == LOSS_DISK_FULL || reason == LOSS_DENIED || reason == LOSS_GONE ||
	       reason == LOSS_IO;
}

/* `path`: the path of the trace; NULL: it does not exist any more, or is elsewhere. */
static void report_loss(uint32_t reason, uint64_t count, const char *text, const char *path)
{
	if (text && path && loss_needs_path(reason))
		message("%s: %s", counted(count, text).text, path);
	else if (text)
		message("%s", counted(count, text).text);
	else
		message("%s with reason %u, which is unknown to this version; use a newer Varve",
			counted(count, "losses").text, reason);
}

void report_losses(const struct control *control, bool programs)
{
	char lane_text[LANE_TEXT];
	lane_errors_text(control->loss[NOTE_LANE_ERRORS], lane_text);
	for (uint32_t i = 0; i < NOTE_FIRST; i++)
		if (control->loss[i] && (i != LOSS_UNTRACED || programs))
			report_loss(i, control->loss[i],
				    i == LOSS_NO_LANE ? lane_text : varve_loss_text(i),
				    control->trace);
}

/* The only file of a packed trace has this name in the list of damage. */
static const char *file_shown(const struct varve_trace *trace, const char *file)
{
	struct stat found;
	bool single = !strcmp(file, TRACE_FIRST_PACKED) && !stat(varve_path(trace), &found) &&
		      S_ISREG(found.st_mode);
	return single ? varve_path(trace) : file;
}

struct damage_place damage_place(const struct varve_trace *trace, const struct varve_damage *damage)
{
	struct damage_place place;
	const char *file = file_shown(trace, damage->file);
	if (damage->length)
		snprintf(place.text, sizeof place.text, "%s, %" PRIu64 " bytes at offset %" PRIu64,
			 file, damage->length, damage->offset);
	else if (damage->offset)
		snprintf(place.text, sizeof place.text, "%s, at offset %" PRIu64, file,
			 damage->offset);
	else
		snprintf(place.text, sizeof place.text, "%s", file);
	return place;
}

bool damage_is_cut(const struct varve_damage *damage)
{
	return !strcmp(damage->why, "the file is truncated");
}

bool damage_of_cut(const struct varve_trace *trace, const struct varve_damage *damage)
{
	bool placeless = !damage->offset && !damage->length && !strcmp(damage->file, "data");
	for (size_t i = 0; i < varve_damage_count(trace); i++) {
		const struct varve_damage *cut = varve_damage_at(trace, i);
		if (!damage_is_cut(cut))
			continue;
		if (placeless || (cut != damage && !strcmp(cut->file, damage->file) &&
				  damage->offset >= cut->offset))
			return true;
	}
	return false;
}

static size_t damage_cut_parts(const struct varve_trace *trace, size_t from)
{
	size_t parts = 0;
	for (size_t i = from; i < varve_damage_count(trace); i++)
		parts += damage_of_cut(trace, varve_damage_at(trace, i));
	return parts;
}

/* Whether no record can be read. Counting can find more damage, and then counts fewer records the next time. */
static bool damage_is_total(struct varve_trace *trace)
{
	struct varve_summary summary;
	size_t found = 0;
	uint64_t records = 0;
	while (found != varve_damage_count(trace)) {
		found = varve_damage_count(trace);
		if (varve_summary_make(trace, NULL, 0, &summary, NULL) != VARVE_OK)
			return false;
		records = summary.records;
		varve_summary_clear(&summary);
	}
	return found && !records;
}

struct damage_sum damage_sum(struct varve_trace *trace, size_t from)
{
	struct damage_sum sum = {.text = ""};
	size_t parts = damage_cut_parts(trace, from);
	sum.total = from < varve_damage_count(trace) && damage_is_total(trace);
	if (sum.total)
		snprintf(sum.text, sizeof sum.text, "no record can be read");
	else if (parts)
		snprintf(sum.text, sizeof sum.text, "%s cannot be read",
			 counted(parts, "parts of the records").text);
	return sum;
}

void report_damage(struct varve_trace *trace, size_t from)
{
	/* This is printed once, also if reading the trace finds more damage. */
	static const struct varve_trace *total_of;
	struct damage_sum sum = damage_sum(trace, from);
	if (sum.total && total_of == trace)
		*sum.text = 0;
	if (sum.total)
		total_of = trace;
	size_t count = varve_damage_count(trace);
	for (size_t i = from; i < count; i++) {
		const struct varve_damage *damage = varve_damage_at(trace, i);
		bool with_sum = damage_is_cut(damage) && *sum.text;
		if (damage_of_cut(trace, damage))
			continue;
		message("damaged: %s: %s%s%s", damage_place(trace, damage).text, damage->why,
			with_sum ? "; " : "", with_sum ? sum.text : "");
		if (with_sum)
			*sum.text = 0;
	}
	if (varve_damage_more(trace) && from < count)
		message("damaged: %s more", counted(varve_damage_more(trace), "places").text);
	if (*sum.text)
		message("damaged: %s: %s", varve_path(trace), sum.text);
}

void report_repairs(const struct varve_trace *trace, uint64_t from)
{
	struct counted bytes = counted(varve_repaired(trace) - from, "bytes");
	if (varve_repaired(trace) == from)
		return;
	if (varve_damage_count(trace))
		note("repaired: %s in memory", bytes.text);
	else
		note("repaired: %s in memory; `varve pack --repair %s` writes a sound file",
		     bytes.text, varve_path(trace));
}

void report_trouble(struct varve_trace *trace)
{
	struct varve_loss loss;
	struct varve_state state;
	for (size_t i = 0; i < varve_loss_count(trace); i++) {
		varve_loss_at(trace, i, &loss);
		if (!loss.left_out)
			report_loss(loss.reason, loss.count, loss.text, NULL);
	}
	report_repairs(trace, 0);
	report_damage(trace, 0);
	varve_state_of(trace, &state);
	if (state.running_threads)
		message("still running: %s in %s (for example pid %d); records in memory are not "
			"shown: `varve control %d flush` writes them to the trace",
			counted(state.running_threads, "threads").text,
			counted(state.running_processes, "processes").text, state.running_pid,
			state.running_pid);
	if (state.recovered_threads)
		note("still in lanes: %s of %s that ended; they are lost at a restart of the host, "
		     "unless "
		     "`varve pack --recover %s` writes them to the trace",
		     counted(state.recovered_records, "records").text,
		     counted(state.recovered_threads, "threads").text, varve_path(trace));
}
