/* Command line: visits the calls of some functions. See calls_each.h. */
#include "cli/print/calls_each.h"

#include <stdlib.h>

bool calls_any(const struct calls_each *each)
{
	for (size_t i = 0; i < varve_function_count(each->trace); i++)
		if (each->wanted(each, varve_function_at(each->trace, i)))
			return true;
	return false;
}

static enum varve_status calls_see(const struct calls_each *each, struct varve_cursor *cursor,
				   struct varve_causes *causes)
{
	const struct varve_call *call;
	enum varve_status status;
	while ((status = varve_cursor_next(cursor, &call, causes)) == VARVE_OK)
		if (!each->see(each, call))
			return VARVE_NO_MEMORY;
	return status == VARVE_END ? VARVE_OK : status;
}

enum varve_status calls_each(const struct calls_each *each, struct varve_causes *causes)
{
	if (!calls_any(each))
		return VARVE_OK;
	struct varve_query query = each->query;
	struct varve_cursor *cursor;
	uint8_t *functions = calloc(VARVE_FUNCTIONS, 1);
	if (!functions)
		return VARVE_NO_MEMORY;
	for (size_t i = 0; i < varve_function_count(each->trace); i++) {
		const struct varve_function *function = varve_function_at(each->trace, i);
		functions[function->id] = each->wanted(each, function);
	}
	query.functions = functions;
	enum varve_status status = varve_cursor_open(each->trace, &query, &cursor, causes);
	if (status == VARVE_OK) {
		status = calls_see(each, cursor, causes);
		varve_cursor_close(cursor);
	}
	free(functions);
	return status;
}
