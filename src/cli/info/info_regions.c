/* Command line: `varve info`: number and duration of regions, phases and functions of the program, by name.
 *
 * <varve/summary.h> computes the sums; this file finds the names of addresses in code. Only a limited number of names is
 * printed; one line has the sum of the others. See info.h.
 */
#include "base/hash.h"
#include "cli/info/info.h"
#include "cli/print/code.h"
#include "cli/terminal/colour.h"
#include "cli/terminal/output.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS_MOST = 4096, INDEX = 4 * ROWS_MOST, ROWS_SHOWN = 50, NAME_MOST = 512 };

struct region_row {
	const struct varve_function *function; /* region, phase or function */
	char *name;
	size_t length;
	uint64_t hash;
	uint64_t calls;
	uint64_t unfinished;
	uint64_t left;
	uint64_t ns;
	uint64_t longest;
};

struct info_regions {
	struct region_row rows[ROWS_MOST];
	size_t count;
	uint16_t index[INDEX]; /* index in `rows` + 1 */
	uint64_t more;	       /* calls with names that did not fit into `rows` */
};

/* Whether the trace contains selected records of regions. */
static bool has_regions(const struct info *info)
{
	for (size_t i = 0; i < varve_function_count(info->trace); i++) {
		const struct varve_function *function = varve_function_at(info->trace, i);
		if (info->summary.functions[function->id].calls &&
		    !strcmp(varve_layer_at(info->trace, function->layer), "region"))
			return true;
	}
	return false;
}

/* The name of a region, or the function at the address in code. */
static size_t region_label(const struct varve_region_total *total, char *text)
{
	if (!total->process) {
		size_t length = total->name.length < NAME_MOST ? total->name.length : NAME_MOST;
		memcpy(text, total->name.bytes, length);
		return length;
	}
	struct code code = code_find(total->process, total->code);
	if (code.function)
		return (size_t)snprintf(text, NAME_MOST, "%.500s", code.function);
	const char *slash = code.object ? strrchr(code.object, '/') : NULL;
	return (size_t)snprintf(text, NAME_MOST, "%.400s+0x%" PRIx64, slash ? slash + 1 : "",
				code.offset);
}

static struct region_row *row_find(struct info_regions *regions,
				   const struct varve_function *function, const char *text,
				   size_t length)
{
	uint64_t hash = hash64(text, length, function->id);
	size_t at = hash % INDEX;
	for (; regions->index[at]; at = (at + 1) % INDEX) {
		struct region_row *row = &regions->rows[regions->index[at] - 1];
		if (row->hash == hash && row->function == function && row->length == length &&
		    !memcmp(row->name, text, length))
			return row;
	}
	if (regions->count == ROWS_MOST)
		return NULL;
	char *name = malloc(length + 1);
	if (!name)
		return NULL;
	memcpy(name, text, length);
	struct region_row *row = &regions->rows[regions->count++];
	*row = (struct region_row){
		.function = function, .name = name, .length = length, .hash = hash};
	regions->index[at] = (uint16_t)regions->count;
	return row;
}

static void row_add(struct info_regions *regions, const struct varve_region_total *total)
{
	char text[NAME_MOST];
	struct region_row *row =
		row_find(regions, total->function, text, region_label(total, text));
	if (!row) {
		regions->more += total->calls;
		return;
	}
	row->calls += total->calls;
	row->unfinished += total->unfinished;
	row->left += total->left;
	row->ns += total->ns;
	row->longest = total->longest_ns > row->longest ? total->longest_ns : row->longest;
}

static int by_time(const void *left, const void *right)
{
	const struct region_row *a = left, *b = right;
	if (a->ns != b->ns)
		return a->ns < b->ns ? 1 : -1;
	return a->hash < b->hash ? -1 : a->hash > b->hash;
}

enum varve_status info_regions_make(struct info *info, struct varve_causes *causes)
{
	struct varve_region_totals totals;
	if (!has_regions(info))
		return VARVE_OK;
	info->regions = calloc(1, sizeof *info->regions);
	if (!info->regions)
		return VARVE_NO_MEMORY;
	enum varve_status status = code_load(info->trace, causes);
	if (status == VARVE_OK)
		status = varve_region_totals_make(info->trace, info->filter, &totals, causes);
	if (status != VARVE_OK)
		return status;
	for (size_t i = 0; i < totals.count; i++)
		row_add(info->regions, &totals.totals[i]);
	varve_region_totals_clear(&totals);
	qsort(info->regions->rows, info->regions->count, sizeof *info->regions->rows, by_time);
	return VARVE_OK;
}

void info_regions_clear(struct info *info)
{
	for (size_t i = 0; info->regions && i < info->regions->count; i++)
		free(info->regions->rows[i].name);
	free(info->regions);
	info->regions = NULL;
}

void info_regions_text(const struct info *info)
{
	const struct info_regions *regions = info->regions;
	if (!regions || !regions->count)
		return;
	put_char('\n');
	put_heading("kind               calls      time   longest  name");
	for (size_t i = 0; i < regions->count && i < ROWS_SHOWN; i++) {
		const struct region_row *row = &regions->rows[i];
		char count[24];
		put_padded(row->function->name, -13);
		snprintf(count, sizeof count, "%" PRIu64, row->calls);
		put_padded(count, 11);
		put_text("  ");
		info_ns(row->ns, 8);
		put_text("  ");
		info_ns(row->longest, 8);
		put_text("  ");
		put_escaped(row->name, row->length, 0x7f);
		if (row->unfinished)
			put_format("  %" PRIu64 " unfinished", row->unfinished);
		if (row->left)
			put_format("  %" PRIu64 " left", row->left);
		put_char('\n');
	}
	if (regions->count > ROWS_SHOWN)
		put_format("and %zu more names; --format json shows all\n",
			   regions->count - ROWS_SHOWN);
	if (regions->more)
		put_format("and %" PRIu64 " calls with other names\n", regions->more);
}

void info_regions_json(const struct info *info)
{
	const struct info_regions *regions = info->regions;
	put_text(",\"regions\":[");
	for (size_t i = 0; regions && i < regions->count; i++) {
		const struct region_row *row = &regions->rows[i];
		put_format("%s{\"function\":\"%s\",\"name\":", i ? "," : "", row->function->name);
		put_json(row->name, row->length);
		put_format(",\"calls\":%" PRIu64 ",\"unfinished\":%" PRIu64 ",\"left\":%" PRIu64
			   ",\"ns\":%" PRIu64 ",\"longest_ns\":%" PRIu64 "}",
			   row->calls, row->unfinished, row->left, row->ns, row->longest);
	}
	put_format("],\"regions_more\":%" PRIu64, regions ? regions->more : 0);
}
