/* Command line: --file of `varve slice`, as a filter. See slice_where.h. */
#include "cli/selection/slice_where.h"

#include "cli/selection/where.h"

#include <stdlib.h>

int slice_where(const struct arguments *arguments, struct selection *selection)
{
	struct varve_causes causes = {0};
	int result = where_make(arguments, selection->trace, &selection->filter);
	if (result != EXIT_YES || !option(arguments, "file")) {
		selection->query.filter = selection->filter;
		return result;
	}
	varve_filter_free(selection->filter);
	selection->filter = NULL;
	char *text = where_text(arguments, NULL);
	if (!text) {
		message("slice: out of memory; free some memory, or raise the limit (`ulimit -v`)");
		return EXIT_SYSTEM;
	}
	enum varve_status status =
		varve_filter_make(selection->trace, text, &selection->filter, NULL, &causes);
	free(text);
	if (status != VARVE_OK)
		return failed_reading(status, &causes);
	selection->query.filter = selection->filter;
	return EXIT_YES;
}
