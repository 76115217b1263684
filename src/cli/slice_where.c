/* Command line: --rank and --file of `varve slice`. See slice_where.h. */
#include "cli/slice_where.h"

#include "base/parse.h"
#include "cli/where.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One item of a list of ranks: N, A:B or A:B:STEP. */
struct rank_range {
	uint64_t first, last, step;
};

static bool read_range(const char *text, size_t length, struct rank_range *range)
{
	char copy[96], *at = copy;
	uint64_t *const number[] = {&range->first, &range->last, &range->step};
	if (length >= sizeof copy)
		return false;
	memcpy(copy, text, length);
	copy[length] = 0;
	range->step = 1;
	for (size_t i = 0; i < 3; i++) {
		char *part = strsep(&at, ":");
		if (!parse_number(part, INT32_MAX, number[i]))
			return false;
		if (i == 0)
			range->last = range->first;
		if (!at)
			return range->step && range->last >= range->first;
	}
	return false;
}

static bool has_rank(struct varve_trace *const *traces, size_t count,
		     const struct rank_range *range)
{
	for (size_t i = 0; i < count; i++)
		for (size_t k = 0; k < varve_process_count(traces[i]); k++) {
			int32_t rank = varve_process_at(traces[i], k)->rank;
			if (rank >= 0 && (uint64_t)rank >= range->first &&
			    (uint64_t)rank <= range->last &&
			    ((uint64_t)rank - range->first) % range->step == 0)
				return true;
		}
	return false;
}

bool ranks_read(const struct arguments *arguments, struct varve_trace *const *traces, size_t count)
{
	const char *ranks = option(arguments, "rank");
	for (const char *at = ranks; at;) {
		struct rank_range range;
		size_t length = strcspn(at, ",");
		if (!read_range(at, length, &range)) {
			message("slice: --rank is ranks as in 0:3,8, not '%s'", ranks);
			return false;
		}
		if (!has_rank(traces, count, &range)) {
			message("slice: nothing was recorded of rank %.*s; `varve info --processes "
				"%s` lists what there is",
				(int)length, at, varve_path(traces[0]));
			return false;
		}
		at = at[length] ? at + length + 1 : NULL;
	}
	return true;
}

/* A pattern as a text in quotes. */
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

/* By absolute paths where they are known, else as the program gave them. */
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

/* The one filter that all three come to; NULL: no memory. */
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
	/* By itself first: then a mistake is shown where it is. */
	int result = where_make(arguments, selection->trace, &selection->filter);
	if (result != EXIT_YES || (!ranks && !files)) {
		selection->query.filter = selection->filter;
		return result;
	}
	varve_filter_free(selection->filter);
	selection->filter = NULL;
	char *text = filter_text(ranks, files, option(arguments, "where"));
	if (!text) {
		message("slice: out of memory; free some, or raise the limit (`ulimit -v`)");
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
