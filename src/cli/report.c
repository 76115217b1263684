/* Command line: losses and damage as messages. See report.h. */
#include "cli/report.h"

#include "cli/verbs.h"

#include <inttypes.h>

const char *loss_text(size_t reason)
{
	static const char *const texts[LOSS_COUNT] = {
#define LOSS(name, text) [LOSS_##name] = (text),
#include "codec/loss.def"
#undef LOSS
	};
	return reason < LOSS_COUNT ? texts[reason] : NULL;
}

void report_losses(const uint64_t loss[LOSS_ROOM])
{
	for (size_t i = 0; i < NOTE_FIRST; i++) {
		const char *text = loss_text(i);
		if (loss[i] && text)
			message("%s", counted(loss[i], text).text);
		else if (loss[i])
			message("%s for reason %zu, which this version does not know; a later "
				"Varve tells",
				counted(loss[i], "losses").text, i);
	}
}

void report_damage(const struct trace *trace, size_t from)
{
	for (size_t i = from; i < trace->damage_count; i++) {
		const struct trace_damage *damage = &trace->damage[i];
		if (damage->length)
			message("damaged: %s, %" PRIu64 " bytes at offset %" PRIu64 ": %s",
				damage->file, damage->length, damage->offset, damage->why);
		else
			message("damaged: %s: %s", damage->file, damage->why);
	}
	if (trace->damage_more && from < trace->damage_count)
		message("damaged: %s more", counted(trace->damage_more, "places").text);
}

void report_trouble(const struct trace *trace)
{
	report_losses(trace->loss);
	report_damage(trace, 0);
	if (trace->alive_lanes)
		message("still running: %s of %s (%d is one); what is not yet written is not shown",
			counted(trace->alive_lanes, "threads").text,
			counted(trace->alive_processes, "processes").text, trace->alive_pid);
	if (trace->recovered_lanes)
		note("still in lanes: %s of %s that ended; `varve pack --recover %s` writes them "
		     "to the trace",
		     counted(trace->recovered_records, "records").text,
		     counted(trace->recovered_lanes, "threads").text, trace->path);
}
