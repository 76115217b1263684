/* Trace: sums over block headers. See summary.h.
 *
 * Memory: one row per function, one hash per path.
 */
#include "trace/summary.h"

#include "base/hash.h"
#include "codec/decode.h"
#include "trace/names.h"

#include <stdlib.h>
#include <string.h>

/* A set of path hashes. */
struct set {
	uint64_t *keys; /* 0: free */
	size_t room;
	size_t count;
};

static bool set_put(struct set *set, uint64_t key)
{
	size_t at = (size_t)key & (set->room - 1);
	while (set->keys[at] && set->keys[at] != key)
		at = (at + 1) & (set->room - 1);
	bool fresh = !set->keys[at];
	set->keys[at] = key;
	set->count += fresh;
	return fresh;
}

static enum status set_add(struct set *set, uint64_t key, struct varve_causes *causes)
{
	if (set->count * 2 >= set->room) {
		struct set larger = {.room = set->room ? set->room * 2 : 1024};
		larger.keys = calloc(larger.room, sizeof *larger.keys);
		if (!larger.keys)
			return cause(causes, STATUS_NO_MEMORY, "no memory for %zu paths",
				     set->count);
		for (size_t i = 0; i < set->room; i++)
			if (set->keys[i])
				set_put(&larger, set->keys[i]);
		free(set->keys);
		*set = larger;
	}
	set_put(set, key ? key : 1);
	return STATUS_OK;
}

static enum status count_paths(struct trace *trace, struct trace_block *block, struct names *names,
			       struct set *set, struct varve_causes *causes)
{
	struct batch batch = {0};
	struct varve_causes found = {0};
	enum status status =
		decode_block(block->bytes, &block->header, trace->tables.rows,
			     trace->tables.function_count, WANT_DEFINITIONS, &batch, &found);
	if (status == STATUS_NO_MEMORY)
		return cause(causes, status, "no memory to decode a block");
	if (status != STATUS_OK) {
		block->bad = true;
		trace_report(trace, block->recovered ? "lanes" : "data.0", block->offset,
			     block->header.length, "%.200s",
			     found.count ? found.text[0] : status_text(status));
		return STATUS_OK;
	}
	status = names_load(names, &batch, causes);
	for (size_t i = 0; status == STATUS_OK && i < batch.definition_count; i++) {
		if (batch.definitions[i].type != DEFINE_NAME)
			continue;
		struct varve_text path = names_absolute(names, batch.definitions[i].id);
		if (path.bytes && path.length && path.bytes[0] == '/')
			status = set_add(set, hash64(path.bytes, path.length, 0), causes);
	}
	batch_clear(&batch);
	return status;
}

static void add_block(struct trace *trace, const struct trace_block *block, struct summary *summary,
		      uint32_t held_layer)
{
	const struct block_header *header = &block->header;
	for (uint32_t i = 0; i < header->summaries; i++) {
		struct block_summary row = block_summary_at(block->bytes, header, i);
		struct summary_row *sum = &summary->functions[row.function];
		uint64_t ns = row.ticks * header->resolution;
		sum->calls += row.calls;
		sum->failures += row.failures;
		/* A call that is finished in a later block counts down there what it counted up here. */
		sum->unfinished += (uint64_t)(int64_t)(int32_t)row.unfinished;
		sum->bytes += row.bytes;
		sum->ns += ns;
		summary->records += row.calls;
		const struct varve_function *function = trace->by_id[row.function];
		if (!function || function->layer != held_layer)
			continue;
		/* What was asked for did not hold the program up. */
		if (strcmp(function->name, "pause"))
			summary->held_ns += ns;
	}
	int64_t first = ticks_ns(header->first_tick, header->resolution);
	int64_t last = ticks_ns(header->last_tick, header->resolution);
	if (header->records) {
		bool none = !summary->resolution;
		summary->first_ns = none || first < summary->first_ns ? first : summary->first_ns;
		summary->last_ns = none || last > summary->last_ns ? last : summary->last_ns;
		summary->resolution = header->resolution;
		summary->clock_kind = header->clock_kind;
	}
	summary->blocks++;
	summary->block_bytes += header->length;
}

enum status summary_make(struct trace *trace, bool paths, struct summary *summary,
			 struct varve_causes *causes)
{
	*summary =
		(struct summary){.functions = calloc(TRACE_FUNCTIONS, sizeof *summary->functions)};
	if (!summary->functions)
		return cause(causes, STATUS_NO_MEMORY, "no memory for the counters");
	uint32_t held_layer = UINT32_MAX;
	for (uint32_t i = 0; i < trace->tables.layer_count; i++)
		if (!strcmp(trace->tables.layers[i], "varve"))
			held_layer = i;
	struct names names = {0};
	struct set set = {0};
	enum status status = STATUS_OK;
	for (size_t i = 0; status == STATUS_OK && i < trace->block_count; i++) {
		struct trace_block *block = &trace->blocks[i];
		if (paths && !block->bad)
			status = count_paths(trace, block, &names, &set, causes);
		if (!block->bad)
			add_block(trace, block, summary, held_layer);
	}
	summary->paths = set.count;
	names_clear(&names);
	free(set.keys);
	if (status != STATUS_OK)
		summary_clear(summary);
	return status;
}

void summary_clear(struct summary *summary)
{
	free(summary->functions);
	summary->functions = NULL;
}
