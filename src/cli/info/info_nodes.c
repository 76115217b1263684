/* Command line: `varve info`: hosts and ranks: where the processes ran, how clocks were aligned, which ranks are missing. */
#include "cli/info/info.h"
#include "cli/terminal/output.h"
#include "cli/verbs.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NODES_SHOWN = 20, MISSING_SHOWN = 10 };

static const char *aligned_text(enum varve_aligned aligned)
{
	static const char *const texts[] = {[VARVE_ALIGNED_FIRST] = "first",
					    [VARVE_ALIGNED_BOOT] = "boot",
					    [VARVE_ALIGNED_MEASURED] = "measured",
					    [VARVE_ALIGNED_REALTIME] = "realtime",
					    [VARVE_ALIGNED_NOT] = "unknown"};
	return texts[aligned];
}

void info_ranks_find(struct info *info)
{
	uint32_t world = varve_world(info->trace);
	size_t count = varve_process_count(info->trace);
	info->ranks = (struct info_ranks){.world = world};
	uint8_t *there = calloc(world ? world : 1, 1);
	for (size_t i = 0; there && i < count; i++) {
		int32_t rank = varve_process_at(info->trace, i)->rank;
		if (rank < 0)
			continue;
		info->ranks.any = true;
		if ((uint32_t)rank < world && !there[rank]) {
			there[rank] = 1;
			info->ranks.present++;
		}
	}
	/* Ranks that were excluded on request, or have no records yet, are not missing. */
	bool asked = varve_loss_of(info->trace, VARVE_LEFT_OUT_RANKS) ||
		     info_value(info, "setting.ranks") || info_value(info, "slice.part") ||
		     info->state.running_threads;
	size_t used = 0;
	for (uint32_t rank = 0; there && !asked && info->ranks.any && rank < world; rank++) {
		if (there[rank])
			continue;
		if (info->ranks.missing++ < MISSING_SHOWN)
			used += (size_t)snprintf(info->ranks.text + used,
						 sizeof info->ranks.text - used, "%s%u",
						 used ? "," : "", rank);
	}
	if (info->ranks.missing > MISSING_SHOWN)
		snprintf(info->ranks.text + used, sizeof info->ranks.text - used, " ...");
	free(there);
}

static void put_clock(const struct varve_node *node)
{
	if (node->aligned == VARVE_ALIGNED_FIRST)
		return;
	int64_t shift = node->shift_ns;
	if (node->aligned == VARVE_ALIGNED_BOOT && !shift) {
		put_text(", same clock as the first host");
		return;
	}
	put_text(", began ");
	put_duration_words(shift < 0 ? -(shift + 1) : shift);
	put_text(shift < 0 ? " before the first host" : " after the first host");
	switch (node->aligned) {
	case VARVE_ALIGNED_BOOT:
		put_text(" (same clock)");
		break;
	case VARVE_ALIGNED_MEASURED:
		put_text(" (measured, error at most ");
		put_duration_words(node->error_ns);
		put_char(')');
		break;
	case VARVE_ALIGNED_REALTIME:
		put_text(" (by wall-clock time)");
		break;
	case VARVE_ALIGNED_NOT:
	case VARVE_ALIGNED_FIRST:
	default:
		put_text(" (clock difference unknown)");
	}
}

void info_nodes_text(const struct info *info)
{
	size_t count = varve_node_count(info->trace);
	struct varve_node node;
	if (info->ranks.any) {
		put_padded("ranks", -14);
		if (info->ranks.world)
			put_format("%u of %u\n", info->ranks.present, info->ranks.world);
		else
			put_text("number of ranks unknown, see the processes below\n");
	}
	for (size_t i = 0; count > 1 && i < count && i < NODES_SHOWN; i++) {
		varve_node_at(info->trace, i, &node);
		put_padded(i ? "" : "nodes", -14);
		const char *host = node.host ? node.host : "?";
		put_escaped(host, strlen(host), 0x7f);
		put_format(": data.%u, %s", node.number, counted(node.processes, "processes").text);
		put_clock(&node);
		put_char('\n');
	}
	if (count > NODES_SHOWN) {
		put_padded("", -14);
		put_format("... %zu more; --format json shows all\n", count - NODES_SHOWN);
	}
}

void info_nodes_json(const struct info *info)
{
	size_t count = varve_node_count(info->trace);
	struct varve_node node;
	put_text(",\"nodes\":[");
	for (size_t i = 0; i < count; i++) {
		varve_node_at(info->trace, i, &node);
		put_format("%s{\"node\":%u,\"host\":", i ? "," : "", node.number);
		if (node.host)
			put_json(node.host, strlen(node.host));
		else
			put_text("null");
		put_format(",\"processes\":%zu,\"size\":%" PRIu64 ",\"aligned\":\"%s\"",
			   node.processes, node.size, aligned_text(node.aligned));
		put_format(",\"shift_ns\":%" PRId64 ",\"error_ns\":%" PRId64, node.shift_ns,
			   node.error_ns);
		put_format(",\"complete\":%s,\"away\":%s}", node.complete ? "true" : "false",
			   node.away ? "true" : "false");
	}
	put_format("],\"world\":%u,\"ranks\":%u,\"ranks_missing\":%u", info->ranks.world,
		   info->ranks.present, info->ranks.missing);
}
