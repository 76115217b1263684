/* Command line: `--where`. See where.h. */
#include "cli/where.h"

#include <string.h>

enum { SHOWN_BEFORE = 60, SHOWN_AFTER = 20 };

/* The part of the expression around the column. Bytes that are no plain letters are shown as dots. */
struct place {
	char text[SHOWN_BEFORE + SHOWN_AFTER + 1];
	int mark; /* column in it, from 1 */
};

static struct place place_at(const char *text, size_t column)
{
	struct place place = {.mark = 0};
	size_t length = strlen(text);
	size_t from = column > SHOWN_BEFORE ? column - SHOWN_BEFORE : 0;
	size_t room = sizeof place.text - 1;
	size_t count = length - from < room ? length - from : room;
	for (size_t i = 0; i < count; i++) {
		char c = text[from + i];
		place.text[i] = c >= 32 && c < 127 ? c : '.';
	}
	place.mark = (int)(column - from) + 1;
	return place;
}

int where_make(const struct arguments *arguments, const struct varve_trace *trace,
	       struct varve_filter **filter)
{
	struct varve_causes causes = {0};
	const char *text = option(arguments, "where");
	size_t column = 0;
	*filter = NULL;
	if (!text)
		return EXIT_YES;
	enum varve_status status = varve_filter_make(trace, text, filter, &column, &causes);
	if (status == VARVE_OK)
		return EXIT_YES;
	if (status != VARVE_USAGE)
		return failed_reading(status, &causes);
	size_t length = strlen(text);
	struct place place = place_at(text, column < length ? column : length);
	message("%s: --where: %s\n  %s\n  %*s\nsee `man 7 varve-filter`, which is docs/filter.md",
		arguments->verb->name, causes.count ? causes.text[0] : "wrong", place.text,
		place.mark, "^");
	return EXIT_USAGE;
}
