/* Trace: opens a trace of either form: calls the other files of this room in order. See trace.h.
 *
 * Never decodes records, never prints. Damage goes into a list; only what makes reading impossible is a status.
 */
#include "base/key_values.h"
#include "base/trace_files.h"
#include "trace/names/names.h"
#include "trace/packed/packed.h"
#include "trace/trace_inside.h"

#include "codec/rows.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

void trace_report(struct varve_trace *trace, const char *file, uint64_t offset, uint64_t length,
		  const char *format, ...)
{
	if (trace->damage_count == TRACE_DAMAGE_MOST) {
		trace->damage_more++;
		return;
	}
	/* Allocated at once: pointers to entries stay valid while the list grows. */
	if (!trace->damage)
		trace->damage = calloc(TRACE_DAMAGE_MOST, sizeof *trace->damage);
	if (!trace->damage) {
		trace->damage_more++;
		return;
	}
	struct varve_damage *damage = &trace->damage[trace->damage_count++];
	*damage = (struct varve_damage){.file = file, .offset = offset, .length = length};
	va_list list;
	va_start(list, format);
	vsnprintf(damage->why, sizeof damage->why, format, list);
	va_end(list);
}

const char *strings_nth(const char *strings, size_t length, const char *key, size_t nth,
			size_t *last_nth, size_t *last_entry)
{
	size_t key_length = strlen(key), at = 0, seen = 0;
	const char *last = strings ? strings + *last_entry : NULL;
	if (last && nth >= *last_nth && length - *last_entry > key_length && key_value(last, key)) {
		at = *last_entry;
		seen = *last_nth;
	}
	for (const char *value; (value = key_values_find(strings, length, key, &at)); seen++) {
		if (seen != nth)
			continue;
		*last_nth = nth;
		*last_entry = (size_t)(value - strings) - key_length - 1;
		return value;
	}
	return NULL;
}

static enum varve_status not_a_trace(struct varve_causes *causes, const char *path, const char *why)
{
	return cause(causes, VARVE_NOT_A_TRACE, "%s is not a Varve trace: %s", path, why);
}

/* Whether the file contains the start of a block in the other byte order. */
static bool bytes_are_swapped(const struct varve_trace *trace)
{
	uint64_t magic = __builtin_bswap64(BLOCK_MAGIC);
	const struct trace_node *node = trace->nodes;
	for (uint64_t at = 0; at + sizeof magic <= node->size; at += BLOCK_ALIGN)
		if (!memcmp(node->data + at, &magic, sizeof magic))
			return true;
	return false;
}

/* Blocks of a stream have consecutive numbers: a missing number without another explanation is reported as damage. */
static void report_holes(struct varve_trace *trace)
{
	if (trace->damage_count || trace->alive_threads || trace_dropped(trace))
		return;
	for (size_t i = 0; i < trace->stream_count; i++) {
		const struct varve_stream *stream = &trace->streams[i];
		uint64_t expected = 1;
		for (size_t k = 0; k < stream->count; k++) {
			const struct trace_block *block = &trace->blocks[stream->first + k];
			uint64_t sequence = block->header.sequence;
			struct trace_span behind = block_span(trace, block);
			if (sequence > expected)
				trace_report(trace, behind.file, behind.offset, 0,
					     "blocks %" PRIu64 " to %" PRIu64
					     " of process %u, thread %u are missing",
					     expected, sequence - 1, stream->process,
					     stream->thread);
			expected = sequence + 1;
		}
	}
}

/* Names in a trace's tables are printed without quoting, so they must be plain words. */
static bool name_is_word(const char *name)
{
	for (; name && *name; name++)
		if (!((*name >= '0' && *name <= '9') || (*name >= 'A' && *name <= 'Z') ||
		      (*name >= 'a' && *name <= 'z') || strchr("_.-+:", *name)))
			return false;
	return name != NULL;
}

static bool tables_readable(const struct tables *tables)
{
	bool good = true;
	for (uint32_t i = 0; i < tables->layer_count; i++)
		good = good && name_is_word(tables->layers[i]);
	for (uint32_t i = 0; i < tables->kind_count; i++)
		for (uint32_t k = 0; k < tables->kinds[i].value_count; k++)
			good = good && name_is_word(tables->kinds[i].values[k].name);
	for (uint32_t i = 0; i < tables->function_count; i++) {
		const struct varve_function *function = &tables->functions[i];
		good = good && name_is_word(function->name) && name_is_word(function->op);
		for (uint32_t k = 0; k < function->field_count; k++)
			good = good && name_is_word(function->fields[k].name);
	}
	return good;
}

static enum varve_status name_functions(struct varve_trace *trace, struct varve_causes *causes)
{
	if (trace->tables_own && !tables_readable(&trace->tables)) {
		tables_clear(&trace->tables);
		trace->tables = (struct tables){0};
		trace->tables_own = false;
	}
	if (!trace->tables_own) {
		trace_report(
			trace, TRACE_FIRST_DATA, 0, 0,
			"the tables of functions are missing; the tables of this version are used");
		trace->tables_check = tables_check_of(tables_blob, tables_blob_size);
		TRY(tables_parse(tables_blob, tables_blob_size, &trace->tables, causes));
	}
	/* Sorted by id: the last one is the largest. */
	size_t count = trace->tables.function_count;
	trace->id_count = count ? trace->tables.functions[count - 1].id + 1u : 0;
	trace->by_id = calloc(trace->id_count + 1, sizeof *trace->by_id);
	trace->makes = calloc(trace->id_count + 1, sizeof *trace->makes);
	trace->file_words = calloc(trace->id_count + 1, sizeof *trace->file_words);
	if (!trace->by_id || !trace->makes || !trace->file_words)
		return cause(causes, VARVE_NO_MEMORY, "no memory for the tables of functions");
	for (uint32_t i = 0; i < trace->tables.function_count; i++) {
		const struct varve_function *function = &trace->tables.functions[i];
		trace->by_id[function->id] = function;
		trace->makes[function->id] = names_makes(&trace->tables, function);
		trace->file_words[function->id] = names_words(&trace->tables, function);
	}
	return VARVE_OK;
}

/* Notes where the strings of the description are. */
static enum varve_status pairs_find(struct varve_trace *trace, struct varve_causes *causes)
{
	const char *strings = trace->description;
	size_t length = trace->description_length, room = 0;
	for (size_t pass = 0; strings && pass < 2; pass++) {
		trace->pair_count = 0;
		struct key_value next;
		for (size_t at = 0; key_values_next(strings, length, &at, &next);) {
			if (trace->pairs)
				trace->pairs[trace->pair_count] = (size_t)(next.key - strings);
			trace->pair_count++;
		}
		room = trace->pair_count;
		if (!trace->pairs)
			trace->pairs = calloc(room + 1, sizeof *trace->pairs);
		if (!trace->pairs)
			return cause(causes, VARVE_NO_MEMORY, "no memory for the description");
	}
	return VARVE_OK;
}

/* Reports nodes whose lanes cannot be found. */
static void report_lanes(struct varve_trace *trace)
{
	for (size_t i = 0; i < trace->node_count; i++) {
		const struct trace_node *node = &trace->nodes[i];
		const char *host = node_value(node, "host");
		if (node->lanes_gone && !node->lanes_away)
			trace_report(trace, node->lanes_name, 0, 0,
				     "the lane folder has no control page");
		if (!node->lanes_away)
			continue;
		if ((trace->node_count == 1 || !host) && node->lanes_gone)
			trace_report(trace, node->lanes_name, 0, 0,
				     "the lane folder %.100s and its records are missing: the "
				     "trace was copied while it was recorded, or the folder was "
				     "deleted; copy again after the run",
				     node->lanes);
		else if (trace->node_count == 1 || !host)
			trace_report(trace, node->lanes_name, 0, 0,
				     "cannot read the lane folder %.150s: records not yet written "
				     "are missing",
				     node->lanes);
		else
			trace_report(trace, node->lanes_name, 0, 0,
				     "records of host %.64s that were not yet written are missing: "
				     "they are on that host in %.100s",
				     host, node->lanes);
	}
}

/* If something changed while it read, only the `last` attempt continues. */
static enum varve_status trace_read(struct varve_trace *trace, unsigned flags, bool last,
				    struct orphans **orphans, struct varve_causes *causes)
{
	TRY(nodes_map(trace, causes));
	TRY(orphans_find(trace, orphans, causes));
	trace->moved = nodes_grown(trace);
	if (trace->moved && !last)
		return VARVE_OK;
	for (size_t i = 0; i < trace->node_count; i++)
		TRY(blocks_scan(trace, &trace->nodes[i], flags, causes));
	bool nothing = !trace->block_count && !trace->description && !trace->tables_own;
	if (nothing && bytes_are_swapped(trace))
		return cause(causes, VARVE_FOREIGN,
			     "%s was written on a machine with another byte order (big-endian), "
			     "and this Varve reads only little-endian traces; use `varve dump "
			     "--format json` on such a machine",
			     trace->path);
	if (nothing)
		return not_a_trace(causes, trace->path, "its data.0 has no readable block");
	TRY(name_functions(trace, causes));
	TRY(pairs_find(trace, causes));
	if (!trace->description)
		trace_report(trace, TRACE_FIRST_DATA, 0, 0,
			     "the description of the run is missing");
	nodes_join(trace);
	TRY(blocks_order(trace, causes));
	for (size_t i = 0; i < trace->node_count; i++)
		if (trace->nodes[i].size)
			TRY(index_use(trace, &trace->nodes[i], causes));
	report_lanes(trace);
	ends_join(trace);
	TRY(orphans_encode(trace, *orphans, causes));
	report_holes(trace);
	return processes_find(trace, causes);
}

/* Reads the packed form, which is always complete. */
static enum varve_status read_packed(struct varve_trace *trace, unsigned flags,
				     struct varve_causes *causes)
{
	enum varve_status status = packed_open(trace, causes);
	if (status != VARVE_OK)
		return cause(causes, status, "cannot read %s", trace->path);
	TRY(name_functions(trace, causes));
	TRY(pairs_find(trace, causes));
	TRY(blocks_order(trace, causes));
	ends_join(trace);
	TRY(processes_find(trace, causes));
	return flags & TRACE_CHECK ? packed_check(trace, causes) : VARVE_OK;
}

static enum varve_status open_start(const char *path, struct varve_trace **result,
				    struct varve_causes *causes)
{
	*result = calloc(1, sizeof **result);
	if (*result)
		(*result)->path = strdup(path);
	if (*result && (*result)->path)
		return VARVE_OK;
	free(*result);
	*result = NULL;
	return cause(causes, VARVE_NO_MEMORY, "no memory to open %s", path);
}

/* Called after a trace was read, successfully or not. */
static enum varve_status open_end(struct varve_trace *trace, enum varve_status status,
				  struct varve_trace **result)
{
	*result = NULL;
	if (status != VARVE_OK) {
		trace_close(trace);
		return status;
	}
	uint64_t length = 0;
	for (size_t i = 0; i < trace->block_count; i++)
		length += trace->blocks[i].header.length;
	trace->decoder.limit = DECODE_BUDGET(length);
	lane_errors_text(trace->loss[NOTE_LANE_ERRORS], trace->lane_text);
	*result = trace;
	return VARVE_OK;
}

static enum varve_status open_once(const char *path, unsigned flags, bool last,
				   struct varve_trace **result, struct varve_causes *causes)
{
	struct varve_trace *trace;
	struct orphans *orphans = NULL;
	TRY(open_start(path, &trace, causes));
	bool packed;
	int error = packed_look(path, &packed);
	enum varve_status status =
		!*path	 ? cause(causes, VARVE_ABSENT, "the path of the trace is empty")
		: error	 ? cause(causes,
				 error == ENOENT || error == ENOTDIR ? VARVE_ABSENT : VARVE_SYSTEM,
				 "cannot open %s: %s", path, strerror(error))
		: packed ? read_packed(trace, flags, causes)
			 : trace_read(trace, flags, last, &orphans, causes);
	orphans_clear(orphans);
	return open_end(trace, status, result);
}

enum varve_status trace_open_files(const int *files, size_t count, struct varve_trace **result,
				   struct varve_causes *causes)
{
	struct varve_trace *trace;
	*result = NULL;
	TRY(open_start("the packed trace", &trace, causes));
	trace->files = files;
	trace->file_count = count;
	return open_end(trace, read_packed(trace, 0, causes), result);
}

/* The file or folder with a given path; zeros: none. */
struct standing {
	dev_t device;
	ino_t inode;
};

static struct standing standing_of(const char *path)
{
	struct stat found;
	if (stat(path, &found))
		return (struct standing){0};
	return (struct standing){found.st_dev, found.st_ino};
}

/* Whether the path now leads to another file or folder, because the folder was packed while it was read. */
static bool is_replaced(const char *path, const struct standing *before)
{
	struct standing now = standing_of(path);
	return now.inode && (now.inode != before->inode || now.device != before->device);
}

/* A reader takes no lock. While it reads, lanes may be written and removed, the run may be completed, and the folder may
 * be replaced by the packed trace. What it has read can then mix several moments or be incomplete, so it reads again, at
 * most LOOKS times in all. */
enum varve_status trace_open(const char *path, unsigned flags, struct varve_trace **result,
			     struct varve_causes *causes)
{
	enum { LOOKS = 20 };
	int known = causes ? causes->count : 0;
	*result = NULL;
	for (unsigned look = 1;; look++) {
		bool last = look == LOOKS;
		struct standing standing = standing_of(path);
		enum varve_status status = open_once(path, flags, last, result, causes);
		if (last)
			return status;
		if (!is_replaced(path, &standing)) {
			TRY(status);
			if ((*result)->packed || !((*result)->moved || nodes_completed(*result)))
				return VARVE_OK;
		}
		if (causes)
			causes->count = known;
		trace_close(*result);
		*result = NULL;
	}
}

enum varve_status trace_share(const struct varve_trace *trace, struct varve_trace **result,
			      struct varve_causes *causes)
{
	struct varve_trace *shared = malloc(sizeof *shared);
	*result = shared;
	if (!shared)
		return cause(causes, VARVE_NO_MEMORY, "no memory to read %s", trace->path);
	*shared = *trace;
	shared->shared = true;
	shared->decoder = (struct decoder){.limit = trace->decoder.limit};
	shared->damage = NULL;
	shared->damage_count = 0;
	shared->damage_more = 0;
	return VARVE_OK;
}

void trace_close(struct varve_trace *trace)
{
	if (!trace)
		return;
	if (trace->shared) {
		decoder_clear(&trace->decoder);
		free(trace->damage);
		free(trace);
		return;
	}
	blocks_clear(trace);
	for (size_t i = 0; i < trace->process_count; i++)
		free(trace->processes[i].strings);
	nodes_clear(trace);
	packed_close(trace);
	tables_clear(&trace->tables);
	free(trace->by_id);
	free(trace->makes);
	free(trace->file_words);
	free(trace->pairs);
	decoder_clear(&trace->decoder);
	free(trace->streams);
	free(trace->processes);
	free(trace->damage);
	free(trace->running);
	free(trace->path);
	free(trace);
}
