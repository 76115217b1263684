/* Command line: `varve pack --verify` of a packed trace, and `varve pack --repair`.
 *
 * Owns the messages and the exit status. src/pack does the work: nothing here reads or writes a packed file.
 */
#include "cli/packing.h"
#include "cli/report.h"
#include "cli/terminal/output.h"
#include "cli/terminal/progress.h"
#include "cli/verbs.h"

#include <varve/summary.h>

#include <stdlib.h>

/* The number of records that `varve info` prints. The blocks count a call that one of their boundaries cuts more than once. */
static int count_records(struct varve_trace *trace, uint64_t *records)
{
	struct varve_summary summary;
	struct varve_causes causes = {0};
	enum varve_status status = varve_summary_make(trace, NULL, 0, &summary, &causes);
	if (status != VARVE_OK)
		return failed_reading(status, &causes);
	*records = summary.records;
	varve_summary_clear(&summary);
	return EXIT_YES;
}

static void put_checked(const char *name, const struct varve_trace *trace, uint64_t records)
{
	put_json_member("{\"trace\":", name);
	put_format(",\"records\":%llu,\"bytes\":%llu,\"repaired_bytes\":%llu,\"damages\":%llu}\n",
		   (unsigned long long)records, (unsigned long long)varve_size(trace),
		   (unsigned long long)varve_repaired(trace),
		   (unsigned long long)varve_damage_count(trace) + varve_damage_more(trace));
}

/* Opens the trace, searches all of it for damage, and prints the result as JSON if that is the format. NULL: a message was printed. */
static struct varve_trace *open_checked(const char *name, enum output_format format,
					uint64_t *records, int *result)
{
	struct varve_causes causes = {0};
	struct varve_trace *trace;
	progress_start("searching for damage", "", 0);
	enum varve_status opened = varve_open(name, VARVE_OPEN_CHECK, &trace, &causes);
	if (opened != VARVE_OK) {
		*result = failed_reading(opened, &causes);
		return NULL;
	}
	enum varve_status status = pack_check(trace, &causes);
	progress_end();
	*records = 0;
	*result = status == VARVE_OK ? count_records(trace, records) : failed(status, &causes);
	if (*result != EXIT_YES) {
		varve_close(trace);
		return NULL;
	}
	if (format == FORMAT_JSON)
		put_checked(name, trace, *records);
	return trace;
}

int packing_verify(const char *name, enum output_format format)
{
	int result = EXIT_YES;
	uint64_t records = 0;
	struct varve_trace *trace = open_checked(name, format, &records, &result);
	if (!trace)
		return result;
	report_repairs(trace, 0);
	report_damage(trace, 0);
	if (varve_repaired(trace) && !varve_damage_count(trace))
		note("%s has wrong bytes, but all records can be read: %s", name,
		     counted(records, "records").text);
	if (!pack_is_sound(trace) && !varve_repaired(trace) && !varve_damage_count(trace))
		note("%s has wrong bytes that no record needs; run `varve pack --repair %s` to "
		     "write a sound file",
		     name, name);
	if (varve_damage_count(trace))
		result = EXIT_DAMAGED;
	else if (!pack_is_sound(trace))
		result = EXIT_NO;
	else if (format != FORMAT_JSON)
		note("%s is sound: %s in %llu bytes", name, counted(records, "records").text,
		     (unsigned long long)varve_size(trace));
	varve_close(trace);
	return result;
}

static int write_sound(const struct varve_trace *trace, const char *target)
{
	struct pack_result made;
	struct varve_causes causes = {0};
	enum varve_status status = pack_repair(trace, target, &made, &causes);
	if (status != VARVE_OK)
		return failed(status, &causes);
	if (made.replaced && !pack_remove_replaced(made.replaced))
		message("%s: the damaged trace could not be removed; it is now %s, remove it",
			target, made.replaced);
	free(made.replaced);
	note("%s is sound: %s repaired", target, counted(varve_repaired(trace), "bytes").text);
	return EXIT_YES;
}

/* Writes the readable part; the new trace stores the list of damage. */
static int write_rest(const struct varve_trace *trace, const char *name, const char *target)
{
	struct pack_result made;
	const struct pack_settings settings = {.source = name, .target = target};
	if (name == target && varve_damage_count(trace)) {
		message("%s is damaged beyond repair; repairing in place would discard the "
			"unreadable part: write the readable part to a new file with -o",
			name);
		return EXIT_DAMAGED;
	}
	int result = packing_do(&settings, &made);
	return result == EXIT_YES ? packing_damage(target, &made) : result;
}

int packing_repair(const char *name, const char *target, enum output_format format)
{
	int result = EXIT_YES;
	if (!pack_is_packed(name)) {
		if (packing_opens(name, &result))
			message("pack: %s is not packed; run `varve pack %s` first", name, name);
		return result == EXIT_YES ? EXIT_USAGE : result;
	}
	uint64_t records = 0;
	struct varve_trace *trace = open_checked(name, format, &records, &result);
	if (!trace)
		return result;
	if (name == target && pack_is_sound(trace)) {
		note("%s is sound: nothing to repair", name);
	} else if (pack_is_whole(trace)) {
		result = write_sound(trace, target);
	} else {
		report_damage(trace, 0);
		result = write_rest(trace, name, target);
	}
	varve_close(trace);
	return result;
}
