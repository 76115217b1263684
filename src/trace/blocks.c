/* Trace: finds the blocks of the data files and sorts them by stream.
 *
 * Owns the walk over a file: after a block that fails its checks, it continues at the next place where one opens and reports what
 * it skipped. Never decodes records.
 */
#include "base/host/spool.h"
#include "base/key_values.h"
#include "trace/trace_inside.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* A shorter list takes too little memory to matter. */
enum { BLOCKS_WORTH = 1024 };

/* Only this list grows with the size of the trace. With pages of its own it takes no more memory than it needs, and leaves
 * no holes when it moves. */
static bool blocks_room(struct varve_trace *trace)
{
	enum { FIRST = 64 };
	size_t size = sizeof *trace->blocks;
	size_t room = trace->block_room ? trace->block_room * 2 : FIRST;
	void *blocks = trace->blocks ? mremap(trace->blocks, trace->block_room * size, room * size,
					      MREMAP_MAYMOVE)
				     : mmap(NULL, room * size, PROT_READ | PROT_WRITE,
					    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (blocks == MAP_FAILED)
		return false;
	trace->blocks = blocks;
	trace->block_room = room;
	return true;
}

/* Writes small pieces: a kernel stores bytes written at once in one large folio and maps all of it, 2 MiB, when any byte
 * of it is touched (Linux 6.18). */
static bool write_whole(int fd, const void *bytes, size_t length)
{
	enum { PIECE = 4096 };
	const char *from = bytes;
	for (size_t at = 0; at < length;) {
		size_t left = length - at;
		ssize_t wrote = write(fd, from + at, left < PIECE ? left : PIECE);
		if (wrote < 0 && errno == EINTR)
			continue;
		if (wrote <= 0)
			return false;
		at += (size_t)wrote;
	}
	return true;
}

void blocks_put_aside(struct varve_trace *trace, const char *folder)
{
	size_t length = trace->block_count * sizeof *trace->blocks;
	if (trace->block_count < BLOCKS_WORTH)
		return;
	int fd = spool_file(folder);
	if (fd < 0)
		return;
	/* MAP_SHARED: changes in a block survive when its page is dropped. */
	void *blocks = write_whole(fd, trace->blocks, length)
			       ? mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0)
			       : MAP_FAILED;
	close(fd);
	if (blocks == MAP_FAILED)
		return;
	munmap(trace->blocks, trace->block_room * sizeof *trace->blocks);
	trace->blocks = blocks;
	trace->block_room = trace->block_count;
	trace->aside = true;
}

void blocks_drop(const struct varve_trace *trace)
{
	if (trace->aside)
		madvise(trace->blocks, trace->block_count * sizeof *trace->blocks, MADV_DONTNEED);
}

void blocks_clear(struct varve_trace *trace)
{
	for (size_t i = 0; i < trace->block_count; i++) {
		if (trace->blocks[i].recovered)
			free((void *)(uintptr_t)trace->blocks[i].bytes);
		if (i % BLOCKS_DROPPED == 0)
			blocks_drop(trace);
	}
	if (trace->blocks)
		munmap(trace->blocks, trace->block_room * sizeof *trace->blocks);
}

enum varve_status blocks_add(struct varve_trace *trace, const struct trace_block *block,
			     struct varve_causes *causes)
{
	if (trace->block_count == trace->block_room && !blocks_room(trace))
		return cause(causes, VARVE_NO_MEMORY, "no memory for %zu blocks",
			     trace->block_count);
	trace->blocks[trace->block_count++] = *block;
	return VARVE_OK;
}

/* Whether a process claimed [from, to) and had not finished writing it. */
static bool space_is_claimed(const struct trace_node *node, uint64_t from, uint64_t to)
{
	for (size_t i = 0; i < node->claim_count && from < to;) {
		const struct trace_claim *claim = &node->claims[i];
		if (claim->offset <= from && from - claim->offset < claim->length) {
			from = claim->offset + claim->length;
			i = 0;
		} else {
			i++;
		}
	}
	return from >= to;
}

static bool all_zero(const uint8_t *bytes, uint64_t length)
{
	return !length || (bytes[0] == 0 && !memcmp(bytes, bytes + 1, length - 1));
}

/* Whether [from, to) was claimed for blocks that could not be written, which is counted as a loss, or was given back. */
static bool given_up(const struct varve_trace *trace, const struct trace_node *node, uint64_t from,
		     uint64_t to)
{
	if (node->claimed && from >= node->claimed)
		return true;
	return node->writes_failed && block_remnants(node->data + from, to - from, trace->run_id);
}

/* Reports that [from, to) contains no block, unless a process is still writing it. */
static void space_skipped(struct varve_trace *trace, struct trace_node *node, uint64_t from,
			  uint64_t to, const char *why)
{
	if (from >= to || space_is_claimed(node, from, to) || given_up(trace, node, from, to))
		return;
	bool empty = all_zero(node->data + from, to - from);
	if (empty && to - from <= node->claims_coming) {
		node->claims_coming -= to - from;
		return;
	}
	if ((node->alive_lanes || node->lanes_away) && (empty || to == node->size))
		return;
	trace_report(trace, node->data_name, from, to - from, "%s",
		     empty ? "zero bytes in place of a block" : why);
}

/* The first such block of a node describes the run; of the later ones, the last one with a measured clock is used. */
static void take_run(struct varve_trace *trace, struct trace_node *node, const uint8_t *bytes,
		     const struct block_header *header)
{
	const char *text = (const char *)(bytes + header->header_length);
	size_t length = header->length - header->header_length, at = 0;
	if (key_values_find(text, length, "clock.reference", &at)) {
		node->clock = text;
		node->clock_length = length;
	}
	at = 0;
	world_see(trace, key_values_find(text, length, "world", &at));
	if (node->description)
		return;
	node->description = text;
	node->description_length = length;
	if (node != trace->nodes)
		return;
	trace->description = text;
	trace->description_length = length;
}

static enum varve_status take_tables(struct varve_trace *trace, const uint8_t *bytes,
				     const struct block_header *header, struct varve_causes *causes)
{
	if (trace->tables_own)
		return VARVE_OK;
	enum varve_status status =
		tables_parse(bytes + header->header_length, header->length - header->header_length,
			     &trace->tables, causes);
	trace->tables_own = status == VARVE_OK;
	trace->tables_check = tables_check_of(bytes + header->header_length,
					      header->length - header->header_length);
	return status;
}

/* Takes a block whose header is good. VARVE_DAMAGED: its content contradicts the header. */
static enum varve_status block_take(struct varve_trace *trace, struct trace_node *node,
				    struct trace_block *block, unsigned flags,
				    struct varve_causes *causes)
{
	const struct block_header *header = &block->header;
	bool small = header->type != BLOCK_RECORDS;
	bool checked = header->type != BLOCK_VOID || header->payload_check;
	if ((small || (flags & TRACE_CHECK)) && checked) {
		TRY(block_check(block->bytes, header, causes));
		block->checked = true;
	}
	static const uint8_t none[16];
	if (!memcmp(trace->run_id, none, sizeof none))
		memcpy(trace->run_id, header->run_id, sizeof trace->run_id);
	else if (memcmp(trace->run_id, header->run_id, sizeof trace->run_id))
		return cause(causes, VARVE_DAMAGED, "block of another run");
	switch (header->type) {
	case BLOCK_RECORDS:
		return blocks_add(trace, block, causes);
	case BLOCK_RUN:
		take_run(trace, node, block->bytes, header);
		return VARVE_OK;
	case BLOCK_TABLES:
		return take_tables(trace, block->bytes, header, causes);
	case BLOCK_VOID:
		return VARVE_OK;
	default:
		return cause(causes, VARVE_DAMAGED, "block of type %u, which does not belong here",
			     header->type);
	}
}

enum { HEADER_SURE = 1 << 16 };

static const char *innermost_cause(const struct varve_causes *causes, const char *otherwise)
{
	return causes->count ? causes->text[0] : otherwise;
}

enum varve_status blocks_scan(struct varve_trace *trace, struct trace_node *node, unsigned flags,
			      struct varve_causes *causes)
{
	uint64_t at = 0;
	uint64_t bad = 0; /* [bad, at) contains no block */
	uint64_t kept = 0;
	/* A header contains its own length, and reading a false header costs that many bytes: many overlapping false
	 * headers would cost the square of the file size. So false headers may cost as many bytes as the file has; after
	 * that, only short headers are read. */
	uint64_t vain = 0;
	char why[256] = "bad block header";
	while (at < node->size) {
		struct trace_block block = {.bytes = node->data + at,
					    .offset = at,
					    .node = (uint32_t)(node - trace->nodes)};
		struct varve_causes found;
		found.count = 0;
		uint64_t room = node->size - at;
		if (vain > node->size && room > HEADER_SURE)
			room = HEADER_SURE;
		enum varve_status status = block_open(block.bytes, room, &block.header, &found);
		if (status == VARVE_TRUNCATED && room < node->size - at &&
		    block.header.header_length <= room)
			status = block_open(block.bytes, node->size - at, &block.header, &found);
		if (status != VARVE_OK && block.header.magic == BLOCK_MAGIC &&
		    block.header.header_length <= node->size - at)
			vain += block.header.header_length;
		if (status == VARVE_NEWER)
			return cause(causes, status,
				     "written by a newer Varve: the format is %u, and this "
				     "version, " VARVE_VERSION
				     ", reads up to %u; install the version that wrote the trace, "
				     "or a later one",
				     block.header.version, (unsigned)BLOCK_VERSION);
		if (status == VARVE_OK) {
			space_skipped(trace, node, bad, at, why);
			status = block_take(trace, node, &block, flags, &found);
			if (status == VARVE_NO_MEMORY)
				return cause(causes, status, "no memory for the list of blocks");
			if (status != VARVE_OK &&
			    !space_is_claimed(node, at, at + block.header.length))
				trace_report(trace, node->data_name, at, block.header.length, "%s",
					     innermost_cause(&found, "damaged block"));
			at += block.header.length;
			bad = at;
			node_walked(node, at, &kept);
			continue;
		}
		if (bad == at)
			snprintf(why, sizeof why, "%.200s",
				 innermost_cause(&found, status_text(status)));
		uint64_t next = at - at % BLOCK_ALIGN + BLOCK_ALIGN;
		at = next < node->size ? block_search(node->data, node->size, next) : node->size;
	}
	space_skipped(trace, node, bad, node->size, why);
	return VARVE_OK;
}

static int compare_place(const struct block_header *a, uint32_t process, uint32_t thread,
			 uint64_t sequence)
{
	if (a->process != process)
		return a->process < process ? -1 : 1;
	if (a->thread != thread)
		return a->thread < thread ? -1 : 1;
	if (a->sequence != sequence)
		return a->sequence < sequence ? -1 : 1;
	return 0;
}

static int compare_trace_blocks(const void *left, const void *right)
{
	const struct trace_block *a = left, *b = right;
	int order =
		compare_place(&a->header, b->header.process, b->header.thread, b->header.sequence);
	if (order)
		return order;
	if (a->recovered != b->recovered)
		return a->recovered ? 1 : -1;
	if (a->node != b->node)
		return a->node < b->node ? -1 : 1;
	return a->offset < b->offset ? -1 : a->offset > b->offset;
}

/* When a block occurs twice, keeps the first good one. */
static void drop_doubles(struct varve_trace *trace)
{
	size_t kept = 0;
	for (size_t i = 0; i < trace->block_count;) {
		const struct block_header *header = &trace->blocks[i].header;
		size_t end = i + 1;
		while (end < trace->block_count &&
		       !compare_place(&trace->blocks[end].header, header->process, header->thread,
				      header->sequence))
			end++;
		size_t chosen = i;
		for (size_t at = i; end - i > 1 && at < end; at++) {
			if (block_check(trace->blocks[at].bytes, &trace->blocks[at].header, NULL) ==
			    VARVE_OK) {
				chosen = at;
				break;
			}
		}
		for (size_t at = i; at < end; at++)
			if (at != chosen && trace->blocks[at].recovered)
				free((void *)(uintptr_t)trace->blocks[at].bytes);
		struct trace_block block = trace->blocks[chosen];
		trace->blocks[kept++] = block;
		i = end;
	}
	trace->block_count = kept;
}

/* Adds a block to the sums of its stream. */
static void stream_add(struct varve_stream *stream, const struct block_header *header)
{
	int64_t first = ticks_ns(header->first_tick, header->resolution);
	int64_t last = ticks_ns(header->last_tick, header->resolution);
	stream->count++;
	stream->blocks++;
	stream->bytes += header->length;
	if (stream->rank < 0)
		stream->rank = header->rank;
	if (!header->records)
		return;
	if (!stream->records || first < stream->first_ns)
		stream->first_ns = first;
	if (!stream->records || last > stream->last_ns)
		stream->last_ns = last;
	stream->records += header->records;
}

enum varve_status blocks_order(struct varve_trace *trace, struct varve_causes *causes)
{
	if (trace->block_count)
		qsort(trace->blocks, trace->block_count, sizeof *trace->blocks,
		      compare_trace_blocks);
	drop_doubles(trace);
	size_t streams = 0;
	for (size_t i = 0; i < trace->block_count; i++) {
		const struct block_header *header = &trace->blocks[i].header;
		streams += !i || header[0].process != trace->blocks[i - 1].header.process ||
			   header->thread != trace->blocks[i - 1].header.thread;
	}
	free(trace->streams);
	trace->stream_count = 0;
	trace->streams = calloc(streams + 1, sizeof *trace->streams);
	if (!trace->streams)
		return cause(causes, VARVE_NO_MEMORY, "no memory for %zu streams", streams);
	struct varve_stream *stream = NULL;
	for (size_t i = 0; i < trace->block_count; i++) {
		const struct block_header *header = &trace->blocks[i].header;
		if (!stream || stream->process != header->process ||
		    stream->thread != header->thread) {
			stream = &trace->streams[trace->stream_count++];
			*stream = (struct varve_stream){.process = header->process,
							.thread = header->thread,
							.pid = header->pid,
							.tid = header->tid,
							.rank = header->rank,
							.first = i};
		}
		stream_add(stream, header);
	}
	return VARVE_OK;
}

bool blocks_have(const struct varve_trace *trace, uint32_t process, uint32_t thread,
		 uint64_t sequence)
{
	size_t low = 0, high = trace->block_count;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		int order = compare_place(&trace->blocks[middle].header, process, thread, sequence);
		if (!order)
			return block_check(trace->blocks[middle].bytes,
					   &trace->blocks[middle].header, NULL) == VARVE_OK;
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return false;
}

bool block_good(struct varve_trace *trace, struct trace_block *block)
{
	struct varve_causes found;
	found.count = 0;
	if (block->bad || block->checked)
		return !block->bad;
	block->checked = true;
	enum varve_status status = block_check(block->bytes, &block->header, &found);
	return status == VARVE_OK ||
	       (block_failed(trace, block, status, &found, NULL) == VARVE_OK && !block->bad);
}

enum varve_status block_failed(struct varve_trace *trace, struct trace_block *block,
			       enum varve_status status, const struct varve_causes *found,
			       struct varve_causes *causes)
{
	const struct block_header *header = &block->header;
	if (status == VARVE_NO_MEMORY)
		return cause(causes, status, "no memory to decode a block of %" PRIu64 " records",
			     header->records);
	if (status == VARVE_LIMIT)
		return cause(causes, status, "%.180s", innermost_cause(found, status_text(status)));
	if (block->bad)
		return VARVE_OK;
	struct trace_span span = block_span(trace, block);
	trace_report(trace, span.file, span.offset, span.length,
		     "%.180s (%" PRIu64 " records of process %u, thread %u)",
		     innermost_cause(found, status_text(status)), header->records, header->process,
		     header->thread);
	block->bad = true;
	return VARVE_OK;
}
