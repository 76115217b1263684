/* Command line: `varve info`: files that functions of MPI, HDF5 ... were found in: which build of a library a program really
 * used. See info.h.
 *
 * Each process tells it once for each library, in a record of the layer varve. Only those records are read; a filter is about
 * the program's calls and changes nothing here.
 */
#include "cli/calls_each.h"
#include "cli/info.h"
#include "cli/output.h"
#include "cli/verbs.h"

#include <inttypes.h>
#include <stdlib.h>

enum { ROWS_MOST = 256, ROWS_SHOWN = 20 };

struct library_row {
	struct varve_text path;	    /* its bytes are ours */
	struct varve_text function; /* what was called first in it */
	uint64_t processes;
};

struct info_libraries {
	struct library_row rows[ROWS_MOST];
	size_t count;
	uint64_t more; /* records of libraries that had no room */
};

/* What a filter leaves is counted only: then there may be some all the same. */
static bool is_library(const struct calls_each *each, const struct varve_function *function)
{
	const struct info *info = each->context;
	return !strcmp(function->name, "library") &&
	       !strcmp(varve_layer_at(each->trace, function->layer), "varve") &&
	       (info->filter || info->summary.functions[function->id].calls);
}

static bool text_keep(struct varve_text *kept, struct varve_text text)
{
	char *bytes = malloc(text.length + 1);
	if (!bytes)
		return false;
	if (text.length)
		memcpy(bytes, text.bytes, text.length);
	*kept = (struct varve_text){bytes, text.length};
	return true;
}

static bool row_add(const struct calls_each *each, const struct varve_call *call)
{
	struct info_libraries *libraries = ((struct info *)each->context)->libraries;
	struct varve_argument path, function;
	if (!varve_call_argument(call, 0, &path) || !varve_call_argument(call, 1, &function))
		return true;
	for (size_t i = 0; i < libraries->count; i++) {
		struct library_row *row = &libraries->rows[i];
		if (row->path.length == path.text.length &&
		    !memcmp(row->path.bytes, path.text.bytes, path.text.length)) {
			row->processes++;
			return true;
		}
	}
	struct library_row row = {.processes = 1};
	if (libraries->count == ROWS_MOST || !text_keep(&row.path, path.text) ||
	    !text_keep(&row.function, function.text)) {
		free((char *)(uintptr_t)row.path.bytes);
		libraries->more++;
		return true;
	}
	libraries->rows[libraries->count++] = row;
	return true;
}

enum varve_status info_libraries_make(struct info *info, struct varve_causes *causes)
{
	struct calls_each each = {info->trace, VARVE_QUERY_ALL, is_library, row_add, info};
	if (!calls_any(&each))
		return VARVE_OK;
	each.query.order = VARVE_ORDER_STREAM;
	each.query.columns = VARVE_ARGUMENTS;
	info->libraries = calloc(1, sizeof *info->libraries);
	return info->libraries ? calls_each(&each, causes) : VARVE_NO_MEMORY;
}

void info_libraries_clear(struct info *info)
{
	for (size_t i = 0; info->libraries && i < info->libraries->count; i++) {
		free((char *)(uintptr_t)info->libraries->rows[i].path.bytes);
		free((char *)(uintptr_t)info->libraries->rows[i].function.bytes);
	}
	free(info->libraries);
	info->libraries = NULL;
}

void info_libraries_text(const struct info *info)
{
	const struct info_libraries *libraries = info->libraries;
	for (size_t i = 0; libraries && i < libraries->count && i < ROWS_SHOWN; i++) {
		const struct library_row *row = &libraries->rows[i];
		put_padded(i ? "" : "libraries", -14);
		put_escaped(row->path.bytes, row->path.length, 0x7f);
		put_text(", from ");
		put_escaped(row->function.bytes, row->function.length, 0x7f);
		put_format(" on, in %s\n", counted(row->processes, "processes").text);
	}
	uint64_t rest = libraries ? libraries->more : 0;
	if (libraries && libraries->count > ROWS_SHOWN)
		rest += libraries->count - ROWS_SHOWN;
	if (rest)
		put_format("%14sand %" PRIu64 " more\n", "", rest);
}

void info_libraries_json(const struct info *info)
{
	const struct info_libraries *libraries = info->libraries;
	put_text(",\"libraries\":[");
	for (size_t i = 0; libraries && i < libraries->count; i++) {
		const struct library_row *row = &libraries->rows[i];
		put_text(i ? ",{\"path\":" : "{\"path\":");
		put_json(row->path.bytes, row->path.length);
		put_text(",\"function\":");
		put_json(row->function.bytes, row->function.length);
		put_format(",\"processes\":%" PRIu64 "}", row->processes);
	}
	put_format("],\"libraries_more\":%" PRIu64, libraries ? libraries->more : 0);
}
