/* Trace: reads the indexes and compares them with the data; takes losses and the end of the run from them. See
 * trace_inside.h.
 *
 * Reads files and headers of blocks, never a payload.
 */
#include "trace/trace_inside.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { INDEX_SIZE_MOST = 1 << 30 };

/* Reads the whole index of a node. VARVE_ABSENT: there is none. */
static enum varve_status read_index(const struct varve_trace *trace, const struct trace_node *node,
				    uint8_t **bytes, size_t *size, struct varve_causes *causes)
{
	char name[4096 + 32];
	if (snprintf(name, sizeof name, "%s/%s", trace->path, node->index_name) >= (int)sizeof name)
		return VARVE_ABSENT;
	int fd = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0 && errno == ENOENT)
		return VARVE_ABSENT;
	struct stat stat = {0};
	int error = fd < 0 || fstat(fd, &stat) ? errno : 0;
	if (error || !S_ISREG(stat.st_mode) || stat.st_size > INDEX_SIZE_MOST) {
		if (fd >= 0)
			close(fd);
		return cause(causes, VARVE_DAMAGED, "cannot read the index: %s",
			     error		     ? strerror(error)
			     : S_ISREG(stat.st_mode) ? "it is too long"
						     : file_kind(stat.st_mode));
	}
	*size = (size_t)stat.st_size;
	*bytes = malloc(*size + 1);
	ssize_t got = *bytes ? read(fd, *bytes, *size) : -1;
	error = errno;
	close(fd);
	if (!*bytes)
		return cause(causes, VARVE_NO_MEMORY, "no memory for an index of %zu bytes", *size);
	if (got != (ssize_t)*size)
		return cause(causes, VARVE_DAMAGED, "cannot read the index: %s",
			     got < 0 ? strerror(error) : "it became shorter while it was read");
	return VARVE_OK;
}

/* Whether the scan already reported damage in [offset, offset + length). */
static bool known_damage(const struct varve_trace *trace, const struct trace_node *node,
			 uint64_t offset, uint64_t length)
{
	for (size_t i = 0; i < trace->damage_count; i++) {
		const struct varve_damage *damage = &trace->damage[i];
		if (!strcmp(damage->file, node->data_name) && damage->offset < offset + length &&
		    offset < damage->offset + damage->length)
			return true;
	}
	return false;
}

/* Compares the blocks in the data file with those in the index. */
static void compare_index(struct varve_trace *trace, const struct trace_node *node,
			  const struct index_entry *entries)
{
	const struct index_head *head = &node->end;
	if (head->data_length > node->size) {
		/* a new index, written while the trace was read */
		trace->moved |= nodes_grown(trace);
		trace_report(trace, node->data_name, node->size, head->data_length - node->size,
			     "truncated: the index lists %" PRIu64 " bytes, there are %" PRIu64,
			     head->data_length, node->size);
	}
	uint64_t kept = 0;
	for (uint64_t i = 0; i < head->entries; i++) {
		const struct index_entry *entry = &entries[i];
		if (entry->offset >= node->size || entry->length > node->size - entry->offset)
			break;
		struct block_header header;
		node_walked(node, entry->offset, &kept);
		/* Reads at most the length in the entry, so that all entries together cost no more than the file. */
		if (block_open(node->data + entry->offset, entry->length, &header, NULL) ==
			    VARVE_OK &&
		    header.length == entry->length && header.type == entry->type &&
		    header.sequence == entry->sequence && header.process == entry->process &&
		    header.thread == entry->thread && header.records == entry->records)
			continue;
		if (!known_damage(trace, node, entry->offset, entry->length))
			trace_report(trace, node->data_name, entry->offset, entry->length,
				     "the block differs from its entry in the index");
	}
}

static enum varve_status parse_index(struct varve_trace *trace, struct trace_node *node,
				     const uint8_t *bytes, size_t size,
				     const struct index_entry **entries,
				     struct varve_causes *causes)
{
	struct block_header header;
	TRY(block_open(bytes, size, &header, causes));
	if (header.type != BLOCK_INDEX || header.length != size)
		return cause(causes, VARVE_DAMAGED, "the file is not an index");
	if (memcmp(header.run_id, trace->run_id, sizeof header.run_id))
		return cause(causes, VARVE_DAMAGED, "index of another run");
	TRY(block_check(bytes, &header, causes));
	return index_parse(bytes + header.header_length, size - header.header_length, &node->end,
			   entries, causes);
}

enum varve_status index_use(struct varve_trace *trace, struct trace_node *node,
			    struct varve_causes *causes)
{
	uint8_t *bytes = NULL;
	size_t size = 0;
	const struct index_entry *entries = NULL;
	struct varve_causes found = {0};
	enum varve_status status = read_index(trace, node, &bytes, &size, &found);
	if (status == VARVE_OK)
		status = parse_index(trace, node, bytes, size, &entries, &found);
	node->indexed = status == VARVE_OK;
	/* The node is complete: the lanes are removed when the index exists, and the file with their path is removed last. */
	if (node->indexed && node->lanes_gone && !node->end.lanes_alive &&
	    node->end.data_length == node->size)
		node->lanes_left = node->lanes_gone = node->lanes_away = false;
	if (node->indexed) {
		if (!node->lanes_left)
			losses_add(trace->loss, node->end.loss);
		compare_index(trace, node, entries);
	}
	free(bytes);
	if (status == VARVE_NO_MEMORY)
		return cause(causes, status, "no memory for the index");
	if (status == VARVE_NEWER)
		return cause(causes, status,
			     "the index was written by a newer Varve; install the version that "
			     "wrote the trace, or a later one");
	if (status == VARVE_ABSENT && !node->lanes_left)
		trace_report(trace, node->index_name, 0, 0,
			     "missing: losses and the end of the run are unknown");
	else if (status != VARVE_OK && status != VARVE_ABSENT)
		trace_report(trace, node->index_name, 0, size, "%s",
			     found.count ? found.text[0] : status_text(status));
	return VARVE_OK;
}

/* How much an end says about the run; a larger weight replaces a smaller one. */
static int end_weight(const struct index_head *end)
{
	if (end->end == RUN_KILLED)
		return 5;
	if (end->end == RUN_EXITED)
		return end->status ? 4 : 3;
	return end->end == RUN_RECOVERED ? 2 : 1;
}

/* How a node ended: from its index, or if that could not be written, from the control page; false: not known. */
static bool node_end(const struct trace_node *node, struct index_head *end)
{
	*end = node->end;
	if (node->indexed)
		return true;
	if (!node->noted_end || node->alive_lanes || node->noted_end >> 32 > RUN_RECOVERED)
		return false;
	*end = (struct index_head){.end = (uint32_t)(node->noted_end >> 32),
				   .status = (int32_t)(uint32_t)node->noted_end,
				   .end_monotonic = node->noted_monotonic};
	return true;
}

void ends_join(struct varve_trace *trace)
{
	for (size_t i = 0; i < trace->node_count; i++) {
		const struct trace_node *node = &trace->nodes[i];
		const char *start = node_value(node, "start_monotonic");
		const char *first = node_value(trace->nodes, "start_monotonic");
		struct index_head end;
		if (!node_end(node, &end) ||
		    (trace->indexed && end_weight(&end) <= end_weight(&trace->end)))
			continue;
		trace->indexed = true;
		trace->end = end;
		if (i && start && first)
			trace->end.end_monotonic = (int64_t)((uint64_t)end.end_monotonic -
							     (uint64_t)strtoll(start, NULL, 10) +
							     (uint64_t)node->shift_ns +
							     (uint64_t)strtoll(first, NULL, 10));
	}
}
