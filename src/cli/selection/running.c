/* Command line: calls that --from leaves out although they were running at this time. See running.h.
 *
 * Reads only the times, and only blocks that can contain such a call: by its header, the last record of a block must end after
 * --from, or a call must continue in another block. Damage that is found here is of blocks that the command does not print:
 * call this after the exit status was determined.
 */
#include "cli/selection/running.h"

#include "cli/selection/where.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The number of calls that were running at --from; 0 also if this cannot be found out. */
static uint64_t running_count(const struct selection *selection, const struct varve_filter *filter,
			      bool hides_recorder)
{
	struct varve_query query = selection->query;
	struct varve_cursor *cursor;
	const struct varve_call *call;
	uint64_t count = 0;
	query.order = VARVE_ORDER_STREAM;
	query.columns = VARVE_TIMES;
	query.filter = filter;
	query.to_ns = query.from_ns;
	query.from_ns = INT64_MIN;
	if (varve_cursor_open(selection->trace, &query, &cursor, NULL) != VARVE_OK)
		return 0;
	enum varve_status status;
	while ((status = varve_cursor_next(cursor, &call, NULL)) == VARVE_OK)
		count += !(hides_recorder && call->function &&
			   is_of_recorder(selection->trace, call->function));
	varve_cursor_close(cursor);
	return status == VARVE_END ? count : 0;
}

/* A time of an option as filters read it: they need a unit. */
static const char *unit_of(const char *time)
{
	return strchr("0123456789.", time[strlen(time) - 1]) ? "s" : "";
}

void running_note(const struct arguments *arguments, const struct selection *selection,
		  bool hides_recorder)
{
	const char *from = option(arguments, "from"), *to = option(arguments, "to");
	char running[96];
	struct varve_filter *filter = NULL;
	if (!from || varve_time_kind_of(selection->trace) != VARVE_TIME_EXACT)
		return;
	snprintf(running, sizeof running, "end > %" PRId64 "ns", selection->query.from_ns);
	char *text = where_text(arguments, running);
	uint64_t count = 0;
	if (text && varve_filter_make(selection->trace, text, &filter, NULL, NULL) == VARVE_OK)
		count = running_count(selection, filter, hides_recorder);
	varve_filter_free(filter);
	free(text);
	if (!count)
		return;
	char before[64] = "";
	if (to)
		snprintf(before, sizeof before, "time < %s%s and ", to, unit_of(to));
	bool where = option(arguments, "where");
	note("%s: %s started before --from %s and ended after it; to select %s, too, replace %s by "
	     "%s%send > %s%s%s",
	     selection->verb, counted(count, "calls").text, from, count == 1 ? "it" : "them",
	     to ? "--from and --to" : "--from", where ? "`" : "--where '", before, from,
	     unit_of(from), where ? "` in --where" : "'");
}
