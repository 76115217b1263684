/* Command line: packs a trace and reports the result. The work is done in src/pack. See packing.h. */
#include "cli/packing.h"

#include "cli/verbs.h"

#include <varve/trace.h>

#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum packed_time packing_time(const char *word)
{
	if (!strcmp(word, "histogram"))
		return PACKED_TIME_HISTOGRAM;
	return strcmp(word, "none") ? PACKED_TIME_EXACT : PACKED_TIME_NONE;
}

/* The first node that is not complete; the number of nodes if all are. */
static size_t incomplete_node(const struct varve_trace *trace, struct varve_node *node)
{
	size_t at = 0, count = varve_node_count(trace);
	for (; at < count; at++) {
		varve_node_at(trace, at, node);
		if (!node->complete || node->away)
			break;
	}
	return at;
}

static bool all_complete(const char *name, const struct varve_trace *trace)
{
	struct varve_state state;
	struct varve_node node = {0};
	varve_state_of(trace, &state);
	if (state.running_processes || state.running_threads) {
		message("%s is not packed: process %d still writes to it; run `varve pack %s` when "
			"the process has ended",
			name, (int)state.running_pid, name);
		return false;
	}
	if (incomplete_node(trace, &node) == varve_node_count(trace))
		return true;
	if (node.away) {
		message("%s is not packed: the lanes of host %s cannot be reached from here; pack "
			"the trace on that host, or run `varve slice %s -o NEW` to copy the "
			"readable part",
			name, node.host ? node.host : "?", name);
		return false;
	}
	message("%s is not packed: the data of host %s is not complete; run `varve pack %s` when "
		"it is",
		name, node.host ? node.host : "?", name);
	return false;
}

bool packing_names_file(const char *verb, const char *name)
{
	if (!*name)
		message("%s: -o is empty; name the new trace with -o", verb);
	else if (!strcmp(name, "-"))
		message("%s: -o - : a trace cannot be written to standard output; name a file (for "
			"a file called - use ./-)",
			verb);
	return *name && strcmp(name, "-") != 0;
}

bool packing_same(const char *source, const char *name)
{
	char *one = realpath(source, NULL), *other = realpath(name, NULL);
	bool same = one && other && !strcmp(one, other);
	free(one);
	free(other);
	return same;
}

bool packing_inside(const char *source, const char *name)
{
	char *folder = realpath(source, NULL), *itself = realpath(name, NULL);
	char *copy = strdup(name);
	char *parent = copy ? realpath(dirname(copy), NULL) : NULL;
	size_t length = folder ? strlen(folder) : 0;
	bool in = folder && ((itself && !strcmp(itself, folder)) ||
			     (parent && !strncmp(parent, folder, length) &&
			      (parent[length] == '/' || !parent[length])));
	free(folder);
	free(itself);
	free(copy);
	free(parent);
	return in;
}

static struct varve_trace *open_trace(const char *name, int *result)
{
	struct varve_causes causes = {0};
	struct varve_trace *trace = NULL;
	enum varve_status status = varve_open(name, 0, &trace, &causes);
	*result = status == VARVE_OK ? EXIT_YES : failed_reading(status, &causes);
	return trace;
}

bool packing_opens(const char *name, int *result)
{
	struct varve_trace *trace = open_trace(name, result);
	if (trace)
		varve_close(trace);
	return trace != NULL;
}

int packing_ready(const char *name)
{
	int result;
	struct varve_trace *trace = open_trace(name, &result);
	if (!trace)
		return result;
	bool ready = all_complete(name, trace);
	varve_close(trace);
	return ready ? EXIT_YES : EXIT_NO;
}

int packing_lock(const char *name, int *lock)
{
	struct varve_causes causes = {0};
	enum varve_status status = pack_lock(name, lock, &causes);
	return status == VARVE_OK ? EXIT_YES : failed(status, &causes);
}

int packing_do(const struct pack_settings *settings, struct pack_result *result)
{
	struct varve_causes causes = {0};
	enum varve_status status = pack_trace(settings, result, &causes);
	if (status != VARVE_OK) {
		int answer = failed(status, &causes);
		bool again = status != VARVE_DAMAGED && status != VARVE_USAGE;
		message(again ? "%s was left unchanged; run `varve pack` to retry"
			      : "%s was left unchanged",
			settings->source);
		return answer;
	}
	if (result->replaced && !pack_remove_replaced(result->replaced))
		message("%s: the old trace could not be removed; it is now %s, remove it",
			settings->target, result->replaced);
	free(result->replaced);
	result->replaced = NULL;
	return EXIT_YES;
}

/* Whether the settings of the run request packing at its end, and no process on this host writes to it. */
static bool is_wanted(const char *name, struct varve_trace *trace)
{
	struct varve_state state;
	const char *off = varve_description(trace, "setting.no-pack", 0);
	varve_state_of(trace, &state);
	return (!off || !strcmp(off, "no")) && !pack_is_packed(name) && !state.running_processes &&
	       !state.running_threads;
}

bool packing_requested(const char *name)
{
	struct varve_trace *trace;
	struct varve_node node;
	if (varve_open(name, 0, &trace, NULL) != VARVE_OK)
		return false;
	bool requested =
		is_wanted(name, trace) && incomplete_node(trace, &node) == varve_node_count(trace);
	varve_close(trace);
	return requested;
}

bool packing_awaits(const char *name)
{
	struct varve_trace *trace;
	struct varve_node node;
	if (varve_open(name, 0, &trace, NULL) != VARVE_OK)
		return false;
	bool away = false, here = false;
	for (size_t i = 0; i < varve_node_count(trace); i++) {
		varve_node_at(trace, i, &node);
		away |= node.away;
		here |= !node.away && !node.complete;
	}
	bool awaits = away && !here && is_wanted(name, trace);
	varve_close(trace);
	return awaits;
}

void packing_at_end(const char *name)
{
	struct pack_settings pack = {.source = name, .target = name};
	struct pack_result result;
	int failed;
	struct varve_trace *trace = open_trace(name, &failed);
	if (!trace)
		return;
	/* How exact the times are stored, from the settings of the run. */
	const char *asked = varve_description(trace, "setting.time", 0);
	if (asked)
		pack.time = packing_time(asked);
	bool ready = all_complete(name, trace);
	varve_close(trace);
	if (ready && packing_do(&pack, &result) == EXIT_YES)
		packing_damage(name, &result);
}

int packing_damage(const char *target, const struct pack_result *result)
{
	if (!result->damages)
		return EXIT_YES;
	message("%s was made from a trace that is damaged in %s; `varve info` lists them", target,
		counted(result->damages, "places").text);
	return EXIT_DAMAGED;
}
