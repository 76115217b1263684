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
			message("%" PRIu64 " %s", loss[i], text);
		else if (loss[i])
			message("%" PRIu64
				" losses for reason %zu, which this version does not know",
				loss[i], i);
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
		message("damaged: %" PRIu64 " places more", trace->damage_more);
}

void report_trouble(const struct trace *trace)
{
	report_losses(trace->loss);
	report_damage(trace, 0);
	if (trace->alive_lanes)
		message("%" PRIu64 " threads of %" PRIu64
			" processes still run (%d is one): what they have not yet written "
			"is not shown",
			trace->alive_lanes, trace->alive_processes, trace->alive_pid);
	if (trace->recovered_lanes)
		message("%" PRIu64 " records of %" PRIu64
			" ended threads are still in lanes; `varve pack --recover %s` makes "
			"them permanent",
			trace->recovered_records, trace->recovered_lanes, trace->path);
}
