/* Pages: the possible words of a value: words of the table, names of layers and functions from the tables of calls. See
 * pages.h. */
#include "codec/rows.h"
#include "pages/pages.h"

#include <string.h>

static bool said_before(size_t i, uint16_t layer)
{
	for (size_t k = 0; k < i; k++)
		if (!call_names[k].internal &&
		    !strcmp(call_text + call_names[k].layer, call_text + layer))
			return true;
	return false;
}

static void put_layers(FILE *file)
{
	for (size_t i = 0; i < call_rows_count; i++)
		if (!call_names[i].internal && !said_before(i, call_names[i].layer))
			fprintf(file, "%s ", call_text + call_names[i].layer);
}

static void put_functions(FILE *file)
{
	for (size_t i = 0; i < call_rows_count; i++)
		if (!call_names[i].internal)
			fprintf(file, "%s ", call_text + call_names[i].name);
}

void put_kind_words(FILE *file, const struct value_kind *kind)
{
	if (kind->words)
		fprintf(file, "%s ", kind->words);
	if (kind->takes == TAKES_LAYERS || kind->takes == TAKES_CALLS)
		put_layers(file);
	if (kind->takes == TAKES_FUNCTIONS || kind->takes == TAKES_CALLS)
		put_functions(file);
}

bool kind_is_list(const struct value_kind *kind)
{
	return kind->takes == TAKES_LAYERS || kind->takes == TAKES_FUNCTIONS ||
	       kind->takes == TAKES_CALLS;
}

void put_line(FILE *file, const char *text, const char *escaped)
{
	for (; *text; text++) {
		if (strchr(escaped, *text))
			fputc('\\', file);
		fputc(*text == '\n' ? ' ' : *text, file);
	}
}
