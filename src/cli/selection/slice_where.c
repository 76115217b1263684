/* Command line: --file of `varve slice`, as a filter. See slice_where.h. */
#include "cli/selection/slice_where.h"

#include "cli/selection/where.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Writes a pattern as a quoted text. */
static void put_quoted(FILE *to, const char *text, size_t length)
{
	fputc('"', to);
	for (size_t i = 0; i < length; i++) {
		if (text[i] == '"' || text[i] == '\\')
			fputc('\\', to);
		fputc(text[i], to);
	}
	fputc('"', to);
}

/* Compares absolute paths, and paths as the program passed them. */
static void put_files(FILE *to, const char *patterns)
{
	const char *between = "(";
	for (const char *at = patterns; at;) {
		size_t length = strcspn(at, ",");
		fprintf(to, "%sabsolute like ", between);
		put_quoted(to, at, length);
		fputs(" or path like ", to);
		put_quoted(to, at, length);
		between = " or ";
		at = at[length] ? at + length + 1 : NULL;
	}
	fputc(')', to);
}

/* Combines all three into one filter; NULL: no memory. */
static char *filter_text(const char *ranks, const char *files, const char *where)
{
	char *text = NULL;
	size_t size;
	FILE *to = open_memstream(&text, &size);
	if (!to)
		return NULL;
	if (ranks)
		fprintf(to, "rank in %s", ranks);
	if (files) {
		fputs(ranks ? " and " : "", to);
		put_files(to, files);
	}
	if (where)
		fprintf(to, "%s(%s)", ranks || files ? " and " : "", where);
	if (fclose(to)) {
		free(text);
		return NULL;
	}
	return text;
}

int slice_where(const struct arguments *arguments, struct selection *selection)
{
	const char *ranks = option(arguments, "rank"), *files = option(arguments, "file");
	struct varve_causes causes = {0};
	int result = where_make(arguments, selection->trace, &selection->filter);
	if (result != EXIT_YES || !files) {
		selection->query.filter = selection->filter;
		return result;
	}
	varve_filter_free(selection->filter);
	selection->filter = NULL;
	char *text = filter_text(ranks, files, option(arguments, "where"));
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
