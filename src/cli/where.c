/* Command line: `--where`. See where.h. */
#include "cli/where.h"

#include <stdio.h>
#include <string.h>

enum { SHOWN_BEFORE = 60, SHOWN_AFTER = 20 };

/* The part of the expression around the column, and a mark below it. Bytes that are no plain letters are shown as dots. */
static void show_place(const char *text, size_t column)
{
	char line[SHOWN_BEFORE + SHOWN_AFTER + 1];
	size_t length = strlen(text);
	size_t from = column > SHOWN_BEFORE ? column - SHOWN_BEFORE : 0;
	size_t count = length - from < sizeof line - 1 ? length - from : sizeof line - 1;
	for (size_t i = 0; i < count; i++) {
		char c = text[from + i];
		line[i] = c >= 32 && c < 127 ? c : '.';
	}
	line[count] = 0;
	message("  %s", line);
	message("  %*s", (int)(column - from) + 1, "^");
}

bool where_make(const struct arguments *arguments, const struct varve_trace *trace,
		struct varve_filter **filter)
{
	struct varve_causes causes = {0};
	const char *text = option(arguments, "where");
	size_t column = 0;
	*filter = NULL;
	if (!text)
		return true;
	enum varve_status status = varve_filter_make(trace, text, filter, &column, &causes);
	if (status == VARVE_OK)
		return true;
	for (int i = causes.count; i-- > 0;)
		message("%s: --where: %s", arguments->verb->name, causes.text[i]);
	if (status == VARVE_USAGE && column <= strlen(text))
		show_place(text, column);
	if (status == VARVE_USAGE)
		message("%s: `man varve-filter`, or docs/filter.md, has the language",
			arguments->verb->name);
	return false;
}
