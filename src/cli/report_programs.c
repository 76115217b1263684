/* Command line: reports programs and loaded objects that were not recorded. See report.h. */
#include "cli/report.h"

#include "base/program/executable.h"
#include "cli/verbs.h"
#include "codec/control.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* `varve info` lists more. */
enum { NAMED_MOST = 5 };

const char *untraced_text(const struct varve_trace *trace, uint64_t why)
{
	if (why == 0)
		return "not loaded";
	for (size_t i = 0; i < varve_kind_count(trace); i++) {
		const struct varve_kind *kind = varve_kind_at(trace, i);
		for (uint32_t v = 0; !strcmp(kind->name, "untraced_why") && v < kind->value_count;
		     v++)
			if (kind->values[v].value == why)
				return kind->values[v].name;
	}
	return "unknown";
}

const char *untraced_words(const struct varve_trace *trace, uint64_t why)
{
	static const char *const words[] = {
		[UNTRACED_UNREACHABLE] = "it cannot reach the preload library or the trace",
		[UNTRACED_ENVIRONMENT] = "its environment cannot be changed",
		[UNTRACED_SHARED] = "it shares the memory of its parent",
		[UNTRACED_FOREIGN] = "built for another C library or machine",
		[UNTRACED_LISTING] = "the loader only lists its libraries",
		[UNTRACED_NOT_FOLLOWED] = "excluded by --no-follow",
		[UNTRACED_RANK] = "excluded by --ranks",
	};
	bool known = why < sizeof words / sizeof *words && words[why];
	return known ? words[why] : untraced_text(trace, why);
}

const char *untraced_unnamed(const struct varve_untraced *untraced)
{
	return untraced->why == UNTRACED_SHARED ? "a process created by clone()"
						: "a program with an unknown path";
}

struct counted vanished_text(uint64_t count)
{
	struct counted made;
	const char *one = "program started by exec was not recorded: its trace folder could not be "
			  "reached, or it ended first";
	const char *many = "programs started by exec were not recorded: their trace folder could "
			   "not be reached, or they ended first";
	snprintf(made.text, sizeof made.text, "%" PRIu64 " %s", count, count == 1 ? one : many);
	return made;
}

static bool untraced_is_loss(const struct varve_untraced *untraced)
{
	return untraced->why != UNTRACED_LISTING && untraced->why != UNTRACED_NOT_FOLLOWED &&
	       untraced->why != UNTRACED_RANK;
}

uint64_t unseen_ends(const struct varve_trace *trace, const struct varve_tree *tree)
{
	uint64_t count = 0, known = varve_loss_of(trace, LOSS_RUNTIME);
	for (size_t i = 0; i < tree->count; i++)
		count += tree->processes[i].unseen_end;
	return count > known ? count - known : 0;
}

uint64_t untraced_named(const struct varve_tree *tree)
{
	uint64_t named = 0;
	for (size_t i = 0; i < tree->untraced_count; i++) {
		const struct varve_untraced *untraced = &tree->untraced[i];
		bool counted_so = untraced_is_loss(untraced) && untraced->why != UNTRACED_SHARED;
		if (counted_so && (untraced->why || untraced->path))
			named += untraced->count;
	}
	return named;
}

uint64_t untraced_rest(const struct varve_trace *trace, const struct varve_tree *tree)
{
	uint64_t lost = varve_loss_of(trace, LOSS_UNTRACED), named = untraced_named(tree);
	return lost > named ? lost - named : 0;
}

static void report_untraced(const struct varve_trace *trace, const struct varve_tree *tree)
{
	uint64_t lost = 0, named = 0;
	for (size_t i = 0; i < tree->untraced_count; i++) {
		const struct varve_untraced *untraced = &tree->untraced[i];
		if (!untraced_is_loss(untraced) || lost++ >= NAMED_MOST)
			continue;
		named++;
		const char *path = untraced->path ? untraced->path : untraced_unnamed(untraced);
		char times[32] = "";
		if (untraced->count > 1)
			snprintf(times, sizeof times, ", %" PRIu64 " times", untraced->count);
		if (untraced->why || !untraced->path)
			message("not recorded: %s (%s)%s", path,
				untraced_words(trace, untraced->why), times);
		else
			message("not recorded: %s%s; `varve doctor %s` shows why", path, times,
				path);
	}
	if (lost + tree->untraced_more > named)
		message("and %" PRIu64 " more; see `varve info --processes %s`",
			lost + tree->untraced_more - named, varve_path(trace));
}

void report_programs(struct varve_trace *trace, bool names, bool rest)
{
	struct varve_tree tree;
	struct varve_causes causes = {0};
	enum varve_status status = varve_tree_make(trace, true, &tree, &causes);
	if (status != VARVE_OK) {
		failed_reading(status, &causes);
		return;
	}
	if (unseen_ends(trace, &tree))
		message("%s", counted(unseen_ends(trace, &tree), UNSEEN_END_TEXT).text);
	if (tree.vanished)
		message("%s", vanished_text(tree.vanished).text);
	if (names)
		report_untraced(trace, &tree);
	if (rest && untraced_rest(trace, &tree))
		message("%s",
			counted(untraced_rest(trace, &tree), varve_loss_text(LOSS_UNTRACED)).text);
	varve_tree_clear(&tree);
}

size_t objects_in_namespaces(const struct varve_objects *objects)
{
	size_t apart = 0;
	for (size_t i = 0; i < objects->count; i++)
		apart += objects->objects[i].name_space != 0;
	return apart;
}

void report_objects(struct varve_trace *trace)
{
	struct varve_objects objects;
	struct varve_causes causes = {0};
	enum varve_status status = varve_objects_find(trace, &objects, &causes);
	if (status != VARVE_OK) {
		failed_reading(status, &causes);
		return;
	}
	if (objects.deep_loads)
		message("%s%s%s", DEEP_TEXT(counted(objects.deep_loads, "times").text));
	if (objects_in_namespaces(&objects))
		message("%s%s%s",
			NAMESPACE_TEXT(counted(objects_in_namespaces(&objects), "objects").text));
	varve_objects_clear(&objects);
}
