/* Command line: programs of which nothing was recorded, as messages. See report.h. */
#include "cli/report.h"

#include "cli/verbs.h"

#include <inttypes.h>
#include <string.h>

/* More names than this are `varve info`'s to tell. */
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

static void report_untraced(const struct varve_trace *trace, const struct varve_tree *tree)
{
	size_t named = tree->untraced_count < NAMED_MOST ? tree->untraced_count : NAMED_MOST;
	for (size_t i = 0; i < named; i++) {
		const struct varve_untraced *untraced = &tree->untraced[i];
		const char *path =
			untraced->path ? untraced->path : "a program that cannot be named";
		if (untraced->why || !untraced->path)
			message("not traced: %s (%s)", path, untraced_text(trace, untraced->why));
		else
			message("not traced: %s; `varve doctor %s` says why", path, path);
	}
	if (tree->untraced_count + tree->untraced_more > named)
		message("and %" PRIu64 " more: see `varve info --processes %s`",
			tree->untraced_count + tree->untraced_more - named, varve_path(trace));
}

void report_programs(struct varve_trace *trace, bool names)
{
	struct varve_tree tree;
	struct varve_causes causes = {0};
	enum varve_status status = varve_tree_make(trace, true, &tree, &causes);
	if (status != VARVE_OK) {
		failed_reading(status, &causes);
		return;
	}
	if (tree.vanished)
		message("%s", counted(tree.vanished, VANISHED_TEXT).text);
	if (names)
		report_untraced(trace, &tree);
	varve_tree_clear(&tree);
}
