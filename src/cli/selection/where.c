/* Command line: `--where`. See where.h. */
#include "cli/selection/where.h"

#include "base/parse.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SHOWN_BEFORE = 60, SHOWN_AFTER = 20 };

/* The part of the expression around the column. Bytes other than printable ASCII are shown as dots. */
struct place {
	char text[SHOWN_BEFORE + SHOWN_AFTER + 1];
	int mark; /* column in `text`, from 1 */
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

static bool has_rank(struct varve_trace *const *traces, size_t count,
		     const struct rank_range *range)
{
	for (size_t i = 0; i < count; i++)
		for (size_t k = 0; k < varve_process_count(traces[i]); k++) {
			int32_t rank = varve_process_at(traces[i], k)->rank;
			if (rank >= 0 && rank_range_has(range, (uint64_t)rank))
				return true;
		}
	return false;
}

bool ranks_read(const struct arguments *arguments, struct varve_trace *const *traces, size_t count)
{
	static const struct rank_range any = {0, UINT64_MAX, 1};
	const char *verb = arguments->verb->name, *ranks = option(arguments, "rank"), *end;
	for (const char *at = ranks; at; at = *end ? end + 1 : NULL) {
		struct rank_range range;
		end = parse_rank_range(at, &range);
		if (!end) {
			message("%s: --rank must be a list of ranks as in 0,4-7 or 0:64:16, not "
				"'%s'",
				verb, ranks);
			return false;
		}
		if (!has_rank(traces, count, &any)) {
			message("%s: %s has no ranks: it is not of a parallel program; remove "
				"--rank",
				verb, varve_path(traces[0]));
			return false;
		}
		if (!has_rank(traces, count, &range)) {
			message("%s: the trace has no rank %.*s; `varve info --processes %s` lists "
				"the ranks",
				verb, (int)(end - at), at, varve_path(traces[0]));
			return false;
		}
	}
	return true;
}

/* Prints notes about values that do not occur in the trace, which are usually typing errors. */
static void put_notes(const struct arguments *arguments, struct varve_trace *trace,
		      const struct varve_filter *filter)
{
	struct varve_causes notes = {0};
	if (varve_filter_absent(trace, filter, &notes) != VARVE_OK)
		return; /* reading the records reports the error */
	for (int i = 0; i < notes.count; i++)
		message("%s: --where: %s", arguments->verb->name, notes.text[i]);
}

/* Compiles --where only. */
static int where_alone(const struct arguments *arguments, const struct varve_trace *trace,
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
	message("%s: --where: %s\n  %s\n  %*s\nsee `man 7 varve-filter` or docs/filter.md",
		arguments->verb->name, causes.count ? causes.text[0] : "wrong", place.text,
		place.mark, "^");
	return EXIT_USAGE;
}

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

char *where_text(const struct arguments *arguments, const char *also)
{
	const char *ranks = option(arguments, "rank"), *files = option(arguments, "file");
	const char *where = option(arguments, "where");
	char *text = NULL;
	size_t size;
	FILE *to = open_memstream(&text, &size);
	if (!to)
		return NULL;
	fputs(also ? also : "", to);
	if (ranks)
		fprintf(to, "%srank in %s", also ? " and " : "", ranks);
	if (files) {
		fputs(also || ranks ? " and " : "", to);
		put_files(to, files);
	}
	if (where)
		fprintf(to, "%s(%s)", also || ranks || files ? " and " : "", where);
	if (fclose(to)) {
		free(text);
		return NULL;
	}
	return text;
}

int where_make(const struct arguments *arguments, struct varve_trace *trace,
	       struct varve_filter **filter)
{
	struct varve_causes causes = {0};
	/* Compiles --where by itself first, so that an error is shown at its position. */
	int result = where_alone(arguments, trace, filter);
	if (result == EXIT_YES && *filter)
		put_notes(arguments, trace, *filter);
	if (result != EXIT_YES || !option(arguments, "rank"))
		return result;
	varve_filter_free(*filter);
	*filter = NULL;
	char *text = where_text(arguments, NULL);
	if (!text) {
		message("%s: out of memory; free some memory, or raise the limit (`ulimit -v`)",
			arguments->verb->name);
		return EXIT_SYSTEM;
	}
	enum varve_status status = varve_filter_make(trace, text, filter, NULL, &causes);
	free(text);
	return status == VARVE_OK ? EXIT_YES : failed_reading(status, &causes);
}
