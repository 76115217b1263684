/* Trace: the nodes of a trace: data.0, data.1 ... each with its other files, written on one host. See trace.h.
 *
 * Finds and maps the data files, detects that they changed while they were read, and joins the nodes: makes process
 * numbers unique in the run, and times relative to the start of the first node. Never writes, decodes nothing.
 */
#include "base/trace_files.h"
#include "trace/trace_inside.h"

#include "base/host/list.h"
#include "base/key_values.h"
#include "trace/packed/packed.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static enum varve_status not_a_trace(struct varve_causes *causes, const char *path, const char *why)
{
	return cause(causes, VARVE_NOT_A_TRACE, "%s is not a Varve trace: %s", path, why);
}

const char *file_kind(mode_t mode)
{
	return S_ISFIFO(mode)	? "a pipe"
	       : S_ISSOCK(mode) ? "a socket"
	       : S_ISCHR(mode)	? "a character device"
	       : S_ISBLK(mode)	? "a block device"
	       : S_ISDIR(mode)	? "a folder"
				: "not a regular file";
}

struct trace_span block_span(const struct varve_trace *trace, const struct trace_block *block)
{
	const struct trace_node *node = &trace->nodes[block->node];
	if (block->place)
		return packed_span(trace->packed, block->place);
	return (struct trace_span){block->recovered ? node->lanes_name : node->data_name,
				   block->offset, block->header.length};
}

/* "data.12" -> 12; -1: not the name of a data file. */
static long data_file_number(const char *name)
{
	long number = 0;
	if (strncmp(name, "data.", 5) || !name[5] || (name[5] == '0' && name[6]))
		return -1;
	for (const char *at = name + 5; *at; at++) {
		if (*at < '0' || *at > '9' || number >= NODES_MOST)
			return -1;
		number = number * 10 + (*at - '0');
	}
	return number < NODES_MOST ? number : -1;
}

static int compare_nodes(const void *left, const void *right)
{
	const struct trace_node *a = left, *b = right;
	return a->number < b->number ? -1 : a->number > b->number;
}

static void node_file_name(char name[TRACE_FILE_NAME], enum trace_file file,
			   const struct trace_node *node)
{
	trace_file_name(name, name + TRACE_FILE_NAME, file, node->number);
}

void node_names(struct trace_node *node)
{
	node_file_name(node->data_name, TRACE_FILE_DATA, node);
	node_file_name(node->index_name, TRACE_FILE_INDEX, node);
	node_file_name(node->lanes_name, TRACE_FILE_LANES, node);
}

static enum varve_status list_nodes(struct varve_trace *trace, int folder,
				    struct varve_causes *causes)
{
	int copy = fcntl(folder, F_DUPFD_CLOEXEC, 0);
	DIR *list = copy < 0 ? NULL : fdopendir(copy);
	if (!list) {
		if (copy >= 0)
			close(copy);
		return cause(causes, VARVE_SYSTEM, "cannot list %s: %s", trace->path,
			     strerror(errno));
	}
	enum varve_status status = VARVE_OK;
	size_t room = 0;
	for (struct dirent *entry; status == VARVE_OK && (entry = readdir(list));) {
		long number = data_file_number(entry->d_name);
		if (number < 0)
			continue;
		if (list_room(&trace->nodes, trace->node_count, &room, 1, sizeof *trace->nodes)) {
			status = cause(causes, VARVE_NO_MEMORY, "no memory for %zu data files",
				       trace->node_count);
			break;
		}
		struct trace_node *node = &trace->nodes[trace->node_count++];
		*node = (struct trace_node){.number = (uint32_t)number};
		node_names(node);
	}
	closedir(list);
	if (status == VARVE_OK && trace->node_count)
		qsort(trace->nodes, trace->node_count, sizeof *trace->nodes, compare_nodes);
	return status;
}

/* Maps the data file of a node. If a node other than the first has no regular data file, this is only reported, because
 * the others can be read. */
static enum varve_status map_node(struct varve_trace *trace, struct trace_node *node, int folder,
				  struct varve_causes *causes)
{
	struct stat stat;
	const char *path = trace->path, *name = node->data_name;
	int fd = openat(folder, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	enum varve_status status = VARVE_OK;
	if (fd < 0)
		return cause(causes, VARVE_SYSTEM, "cannot open %s/%s: %s", path, name,
			     strerror(errno));
	if (fstat(fd, &stat))
		status = cause(causes, VARVE_SYSTEM, "cannot access %s/%s: %s", path, name,
			       strerror(errno));
	else if (!S_ISREG(stat.st_mode) && !node->number)
		status = cause(causes, VARVE_NOT_A_TRACE,
			       "%s is not a Varve trace: its data.0 is %s", path,
			       file_kind(stat.st_mode));
	else if (!S_ISREG(stat.st_mode))
		trace_report(trace, name, 0, 0, "it is %s, not a regular file",
			     file_kind(stat.st_mode));
	else if (!stat.st_size && !node->number)
		status = not_a_trace(causes, path, "its data.0 is empty");
	else if (stat.st_size) {
		node->size = (uint64_t)stat.st_size;
		void *data = mmap(NULL, node->size, PROT_READ, MAP_PRIVATE, fd, 0);
		if (data == MAP_FAILED) {
			node->size = 0;
			status = cause(causes, VARVE_SYSTEM, "cannot map %s/%s: %s", path, name,
				       strerror(errno));
		} else {
			node->data = data;
		}
	}
	close(fd);
	trace->size += node->size;
	return status;
}

void node_release(const struct trace_node *node, uint64_t from, uint64_t to)
{
	/* Touching a page maps the pages around it too, and all of a large folio (Linux 6.18). */
	enum { AROUND = 1 << 21 };
	uint64_t begin = from - from % AROUND, end = to + AROUND - to % AROUND;
	end = end < node->size ? end : node->size;
	if (begin < end)
		madvise((void *)(uintptr_t)(node->data + begin), end - begin, MADV_DONTNEED);
}

void node_walked(const struct trace_node *node, uint64_t at, uint64_t *kept)
{
	enum { STAYS = 1 << 22 };
	if (at < *kept || at - *kept < STAYS)
		return;
	node_release(node, *kept, at);
	*kept = at;
}

/* Describes a path that is neither a folder nor a packed trace. */
static enum varve_status not_a_folder(const char *path, mode_t mode, uint64_t size,
				      struct varve_causes *causes)
{
	if (!S_ISREG(mode))
		return cause(causes, VARVE_NOT_A_TRACE, "%s is not a Varve trace: it is %s", path,
			     file_kind(mode));
	return not_a_trace(causes, path,
			   size ? "it was not written by `varve record` or `varve pack`"
				: "it is an empty file");
}

/* Describes a folder that is no trace. If traces are in it, one of them was meant. */
static enum varve_status folder_without_data(const char *path, struct varve_causes *causes)
{
	char first[NAME_MAX + 1] = "";
	size_t count = 0;
	DIR *list = opendir(path);
	for (struct dirent *entry; list && (entry = readdir(list));) {
		const char *name = entry->d_name;
		count += strcmp(name, ".") != 0 && strcmp(name, "..") != 0;
		if (is_trace_name(name) && (!*first || strcmp(name, first) < 0))
			strcpy(first, name);
	}
	if (list)
		closedir(list);
	if (*first)
		return cause(
			causes, VARVE_NOT_A_TRACE,
			"%s is not a Varve trace: it is a folder without a file data.0, and it "
			"contains %s",
			path, first);
	return not_a_trace(causes, path,
			   count ? "it is a folder without a file data.0"
				 : "it is an empty folder");
}

enum varve_status nodes_map(struct varve_trace *trace, struct varve_causes *causes)
{
	const char *path = trace->path;
	struct stat found;
	if (!stat(path, &found) && !S_ISDIR(found.st_mode))
		return not_a_folder(path, found.st_mode, (uint64_t)found.st_size, causes);
	int folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (folder < 0)
		return cause(causes, errno == ENOENT ? VARVE_ABSENT : VARVE_SYSTEM,
			     "cannot open %s: %s", path, strerror(errno));
	enum varve_status status = list_nodes(trace, folder, causes);
	if (status == VARVE_OK && (!trace->node_count || trace->nodes[0].number))
		status = folder_without_data(path, causes);
	for (size_t i = 0; status == VARVE_OK && i < trace->node_count; i++)
		status = map_node(trace, &trace->nodes[i], folder, causes);
	close(folder);
	return status;
}

bool nodes_grown(const struct varve_trace *trace)
{
	int folder = open(trace->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	bool grown = false;
	struct stat stat;
	for (size_t i = 0; folder >= 0 && i < trace->node_count; i++) {
		const struct trace_node *node = &trace->nodes[i];
		grown |= !fstatat(folder, node->data_name, &stat, 0) &&
			 (uint64_t)stat.st_size > node->size;
	}
	if (folder >= 0)
		close(folder);
	return grown;
}

bool nodes_completed(const struct varve_trace *trace)
{
	int folder = open(trace->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	bool completed = false;
	for (size_t i = 0; folder >= 0 && i < trace->node_count; i++)
		completed |= trace->nodes[i].lanes_left &&
			     faccessat(folder, trace->nodes[i].lanes_name, F_OK,
				       AT_SYMLINK_NOFOLLOW) != 0 &&
			     errno == ENOENT;
	if (folder >= 0)
		close(folder);
	return completed;
}

void nodes_clear(struct varve_trace *trace)
{
	for (size_t i = 0; i < trace->node_count; i++) {
		struct trace_node *node = &trace->nodes[i];
		if (node->data)
			munmap((void *)(uintptr_t)node->data, node->size);
		free(node->claims);
		free(node->lanes);
	}
	free(trace->nodes);
}

const char *node_value(const struct trace_node *node, const char *key)
{
	size_t at = 0;
	return key_values_find(node->description, node->description_length, key, &at);
}

/* A number in a description; false: there is none. */
static bool node_number(const char *strings, size_t length, const char *key, int64_t *number)
{
	size_t at = 0;
	const char *text = key_values_find(strings, length, key, &at);
	char *end = NULL;
	if (!text || !*text)
		return false;
	errno = 0;
	*number = strtoll(text, &end, 10);
	return !*end && !errno;
}

static bool same_value(const struct trace_node *a, const struct trace_node *b, const char *key)
{
	const char *left = node_value(a, key), *right = node_value(b, key);
	return left && right && !strcmp(left, right);
}

enum { CONTRADICT_NS = 1000000 };

static const char no_boot[] = "00000000000000000000000000000000";

/* Whether both nodes have the same CLOCK_MONOTONIC. */
static bool same_boot(const struct trace_node *a, const struct trace_node *b)
{
	const char *boot = node_value(a, "boot");
	return boot && strcmp(boot, no_boot) != 0 && same_value(a, b, "boot");
}

/* How much later than the other node this one started, by the given clock; false: not known. */
static bool began_after(const struct trace_node *node, const struct trace_node *other,
			const char *clock, int64_t *ns)
{
	int64_t own, base;
	return node_number(node->description, node->description_length, clock, &own) &&
	       node_number(other->description, other->description_length, clock, &base) &&
	       !__builtin_sub_overflow(own, base, ns);
}

static struct trace_node *node_numbered(struct varve_trace *trace, int64_t number)
{
	for (size_t i = 0; i < trace->node_count; i++)
		if (trace->nodes[i].number == number)
			return &trace->nodes[i];
	return NULL;
}

/* The node against which this node's clock was measured, with the difference of their CLOCK_MONOTONIC; NULL: none. */
static struct trace_node *node_measured(struct varve_trace *trace, const struct trace_node *node,
					int64_t *offset, int64_t *error)
{
	int64_t reference;
	const char *text = node->clock;
	size_t length = node->clock_length;
	*error = 0;
	if (!text || !node_number(text, length, "clock.reference", &reference) ||
	    !node_number(text, length, "clock.offset", offset))
		return NULL;
	node_number(text, length, "clock.error", error);
	return node_numbered(trace, reference);
}

/* Whether the measured offsets of two nodes with one kernel differ: containers can have different time namespaces. */
static bool clocks_differ(int64_t one, int64_t other, int64_t one_error, int64_t other_error)
{
	int64_t difference, bound;
	return __builtin_sub_overflow(one, other, &difference) ||
	       (!__builtin_add_overflow(one_error, other_error, &bound) &&
		!__builtin_add_overflow(bound, CONTRADICT_NS, &bound) &&
		(difference > bound || difference < -bound));
}

/* How much later than `base` a node started, as exactly as possible. */
static enum varve_aligned node_align(struct varve_trace *trace, const struct trace_node *node,
				     const struct trace_node *base, int64_t *shift, int64_t *error)
{
	int64_t own_offset = 0, base_offset = 0, own_error = 0, base_error = 0, later;
	*error = 0;
	*shift = 0;
	if (node == base)
		return VARVE_ALIGNED_FIRST;
	const struct trace_node *own = node_measured(trace, node, &own_offset, &own_error);
	const struct trace_node *other = node_measured(trace, base, &base_offset, &base_error);
	bool contradict = own && own == other &&
			  clocks_differ(own_offset, base_offset, own_error, base_error);
	if (!contradict && same_boot(node, base) &&
	    began_after(node, base, "start_monotonic", shift))
		return VARVE_ALIGNED_BOOT;
	/* If one of them is the reference of the other's measurement, its own offset is 0. */
	if (!other && own && (own == base || same_boot(own, base))) {
		other = own;
		base_offset = 0;
	} else if (!own && other && (other == node || same_boot(other, node))) {
		own = other;
		own_offset = 0;
	}
	if (own && own == other && began_after(node, base, "start_monotonic", &later) &&
	    !__builtin_sub_overflow(later, own_offset, shift) &&
	    !__builtin_add_overflow(*shift, base_offset, shift) &&
	    !__builtin_add_overflow(own_error, base_error, error)) {
		return VARVE_ALIGNED_MEASURED;
	}
	if (began_after(node, base, "start_realtime", shift))
		return VARVE_ALIGNED_REALTIME;
	*shift = 0;
	return VARVE_ALIGNED_NOT;
}

/* Aligns a node through the node against which its clock was measured, if only the time of day connects it to the first
 * node. */
static void align_over(struct varve_trace *trace, struct trace_node *node)
{
	int64_t offset, error, shift;
	struct trace_node *bridge = node_measured(trace, node, &offset, &error);
	if (node->aligned != VARVE_ALIGNED_REALTIME || !bridge || bridge == node ||
	    node_align(trace, node, bridge, &shift, &error) != VARVE_ALIGNED_MEASURED ||
	    __builtin_add_overflow(bridge->shift_ns, shift, &shift))
		return;
	node->shift_ns = shift;
	node->error_ns = error;
	node->aligned = VARVE_ALIGNED_MEASURED;
}

static void align_all(struct varve_trace *trace)
{
	for (size_t i = 0; i < trace->node_count; i++) {
		struct trace_node *node = &trace->nodes[i];
		node->aligned =
			node_align(trace, node, &trace->nodes[0], &node->shift_ns, &node->error_ns);
		node->host = i;
		for (size_t k = 0; k < i && node->host == i; k++)
			if (same_boot(node, &trace->nodes[k]) &&
			    same_value(node, &trace->nodes[k], "host"))
				node->host = k;
	}
	for (size_t i = 0; i < trace->node_count; i++)
		align_over(trace, &trace->nodes[i]);
}

int64_t node_shift(const struct trace_node *node, uint32_t resolution)
{
	int64_t ticks = resolution ? node->shift_ns / resolution : 0;
	return ticks - (resolution && node->shift_ns % resolution < 0);
}

/* Converts process number and times of a block to those of the run; false: the process number is too large. */
bool block_place(const struct varve_trace *trace, struct trace_block *block)
{
	const struct trace_node *node = &trace->nodes[block->node];
	struct block_header *header = &block->header;
	if (header->process > UINT32_MAX - node->first_process)
		return false;
	header->process += (uint32_t)node->first_process;
	block->shift = node_shift(node, header->resolution);
	if (header->records) {
		uint64_t shift = (uint64_t)block->shift;
		header->first_tick = (int64_t)((uint64_t)header->first_tick + shift);
		header->last_tick = (int64_t)((uint64_t)header->last_tick + shift);
	}
	return true;
}

void nodes_join(struct varve_trace *trace)
{
	if (trace->node_count == 1)
		return;
	align_all(trace);
	for (size_t i = 0; i < trace->block_count; i++) {
		struct trace_node *node = &trace->nodes[trace->blocks[i].node];
		if (trace->blocks[i].header.process > node->last_process)
			node->last_process = trace->blocks[i].header.process;
	}
	uint64_t next = 0;
	for (size_t i = 0; i < trace->node_count; i++) {
		trace->nodes[i].first_process = next < UINT32_MAX ? next : UINT32_MAX;
		next += trace->nodes[i].last_process;
	}
	size_t kept = 0;
	for (size_t i = 0; i < trace->block_count; i++) {
		struct trace_block block = trace->blocks[i];
		if (block_place(trace, &block)) {
			trace->blocks[kept++] = block;
			continue;
		}
		struct trace_span span = block_span(trace, &block);
		trace_report(trace, span.file, span.offset, span.length,
			     "its process has an impossible number");
	}
	trace->block_count = kept;
	for (size_t i = 0; i < trace->alive_processes; i++)
		trace->running[i].process +=
			(uint32_t)trace->nodes[trace->running[i].node].first_process;
}
