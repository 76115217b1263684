/* Trace: finds lanes that were not collected. See orphans.h.
 *
 * Reads the lane folder whose path is in the file `lanes` of each node: the control page, the heads of the lanes, the
 * space that they claim. Decides which processes still run; their lanes are only counted. Never writes or removes
 * anything. Lanes are hostile input: each is copied before it is checked.
 */
#include "trace/orphans.h"

#include "base/host/list.h"
#include "base/program/process.h"
#include "base/text.h"
#include "base/trace_files.h"
#include "codec/control.h"
#include "codec/inprocess/lane_dead.h"
#include "codec/inprocess/lane_errors.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void orphans_clear(struct orphans *orphans)
{
	while (orphans) {
		struct orphans *next = orphans->next;
		if (orphans->folder >= 0)
			close(orphans->folder);
		free(orphans->list);
		free(orphans);
		orphans = next;
	}
}

ssize_t lane_file_read(int folder, const char *name, void *bytes, size_t room)
{
	int fd = openat(folder, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
	if (fd < 0)
		return -1;
	struct stat stat;
	size_t length = 0;
	bool good = !fstat(fd, &stat) && S_ISREG(stat.st_mode);
	errno = EINVAL;
	while (good && length < room) {
		ssize_t got = read(fd, (char *)bytes + length, room - length);
		if (got < 0 && errno == EINTR)
			continue;
		good = got >= 0;
		if (got <= 0)
			break;
		length += (size_t)got;
	}
	close(fd);
	return good ? (ssize_t)length : -1;
}

/* Reads the path in the file `lanes` of a node; false: there is no such file. */
static bool lane_folder(struct varve_trace *trace, const struct trace_node *node,
			char path[CONTROL_PATH])
{
	char name[CONTROL_PATH + 64];
	path[0] = 0;
	int folder = open(trace->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (folder < 0)
		return false;
	ssize_t length = lane_file_read(folder, node->lanes_name, name, CONTROL_PATH + 1);
	bool there = length >= 0 || errno != ENOENT;
	close(folder);
	if (!there)
		return false;
	if (length > 0 && name[length - 1] == '\n')
		length--;
	bool good = length > 1 && length < CONTROL_PATH && name[0] == '/';
	for (ssize_t i = 0; good && i < length; i++)
		good = (unsigned char)name[i] >= ' ' && name[i] != 0x7f;
	if (!good) {
		trace_report(trace, node->lanes_name, 0, 0, "not the path of a lane folder");
		return true;
	}
	memcpy(path, name, (size_t)length);
	path[length] = 0;
	return true;
}

/* The control page consists of two files; `facts` is removed last. */
static ssize_t read_parts(int folder, struct control *control)
{
	ssize_t length = lane_file_read(folder, LANES_CONTROL, control, sizeof *control);
	if (length < 0)
		return length;
	ssize_t facts = lane_file_read(folder, LANES_FACTS, control, CONTROL_FACTS);
	return facts < 0 ? facts : facts < (ssize_t)CONTROL_FACTS ? 0 : length;
}

/* Reads the control page, which has another name until it is complete. If both names are missing, it was removed together
 * with the lanes. */
static ssize_t read_control(struct orphans *orphans, struct control *control, bool *coming)
{
	ssize_t length = read_parts(orphans->folder, control);
	*coming = false;
	if (length >= 0 || errno != ENOENT)
		return length;
	*coming = !faccessat(orphans->folder, LANES_CONTROL_NEW, F_OK, AT_SYMLINK_NOFOLLOW);
	if (!*coming) /* it may have been renamed just now */
		length = read_parts(orphans->folder, control);
	orphans->node->lanes_gone = !*coming && length < 0 && errno == ENOENT;
	return length;
}

/* `*here`: the folder belongs to this node; on another host, a folder with the same name can belong to another node. */
static enum varve_status keep_control(struct varve_trace *trace, struct orphans *orphans,
				      bool *here, struct varve_causes *causes)
{
	const char *name = orphans->node->lanes_name;
	*here = true;
	/* Parts of the control page are aligned to pages. */
	struct control *control = aligned_alloc(_Alignof(struct control), sizeof *control);
	if (!control)
		return cause(causes, VARVE_NO_MEMORY, "no memory for the control page");
	memset(control, 0, sizeof *control);
	bool coming;
	ssize_t length = read_control(orphans, control, &coming);
	enum varve_status status = VARVE_OK;
	if (coming || orphans->node->lanes_gone) {
		/* No process has started yet, or the index contains the end of the run. */
		free(control);
		return VARVE_OK;
	}
	if (length < 0)
		trace_report(trace, name, 0, 0,
			     "the control page of the lane folder cannot be "
			     "read: %s",
			     strerror(errno));
	else if (length < (ssize_t)sizeof *control || control->magic != CONTROL_MAGIC)
		trace_report(trace, name, 0, 0, "the lane folder has no control page");
	else if (control->version > CONTROL_VERSION)
		status = cause(causes, VARVE_NEWER,
			       "the run is recorded by a newer Varve; read it with that version");
	else if (control->version != CONTROL_VERSION || control->size > CONTROL_SIZE)
		trace_report(trace, name, 0, 0, "the control page of the lane folder is damaged");
	else if (control->node != orphans->node->number)
		*here = false;
	else {
		memcpy(trace->run_id, control->run_id, sizeof trace->run_id);
		orphans->start =
			(struct lane_clock){control->start_counter, control->start_monotonic};
		orphans->pid_namespace = control->pid_namespace;
		orphans->node->noted_end = control->ended;
		orphans->node->noted_monotonic = control->ended_monotonic;
		uint64_t loss[LOSS_ROOM];
		for (unsigned i = 0; i < LOSS_ROOM; i++)
			loss[i] = control_count(control, i);
		losses_add(trace->loss, loss);
		orphans->node->claimed = control->data_tail;
		orphans->node->writes_failed = losses_of_writes(loss);
	}
	free(control);
	return status;
}

/* Adds one lane to the list. The size in its header must be the size of its file. */
static enum varve_status keep_lane(struct varve_trace *trace, struct orphans *orphans,
				   const char *name, struct varve_causes *causes)
{
	struct stat stat;
	if (fstatat(orphans->folder, name, &stat, AT_SYMLINK_NOFOLLOW))
		return VARVE_OK; /* removed since: its block is in the data file, or its process recorded nothing */
	if (!stat.st_size || !S_ISREG(stat.st_mode))
		return VARVE_OK; /* made and never used */
	struct orphan orphan = {.dead = false};
	uint64_t size = (uint64_t)stat.st_size;
	if (size < LANE_HEADER || size > LANE_SIZE_MOST || strlen(name) >= sizeof orphan.name) {
		trace_report(trace, orphans->node->lanes_name, 0, 0, "%.64s is not a lane", name);
		return VARVE_OK;
	}
	text_add(orphan.name, orphan.name + sizeof orphan.name, name);
	struct lane *head = &orphan.head;
	ssize_t length = lane_file_read(orphans->folder, name, head, sizeof *head);
	if (length < 0 && errno == ENOENT)
		return VARVE_OK; /* removed since */
	if (length < 0) {
		trace_report(trace, orphans->node->lanes_name, 0, 0, "cannot read %s: %s", name,
			     strerror(errno));
		return VARVE_OK;
	}
	bool whole = length == (ssize_t)sizeof *head;
	if (whole && lane_is_empty(head))
		return VARVE_OK;
	if (!whole || !lane_head_good(head, size) ||
	    memcmp(head->run_id, trace->run_id, sizeof head->run_id)) {
		trace_report(trace, orphans->node->lanes_name, 0, 0,
			     "%s is damaged or of another run", name);
		return VARVE_OK;
	}
	if (list_room(&orphans->list, orphans->count, &orphans->room, 1, sizeof *orphans->list))
		return cause(causes, VARVE_NO_MEMORY, "no memory for %zu lanes", orphans->count);
	orphans->list[orphans->count++] = orphan;
	if (head->process > orphans->node->last_process)
		orphans->node->last_process = head->process;
	return VARVE_OK;
}

/* Sorts by process, so that an earlier program of a pid is before the program that replaced it. */
static int compare_orphans(const void *left, const void *right)
{
	const struct lane *a = &((const struct orphan *)left)->head,
			  *b = &((const struct orphan *)right)->head;
	if (a->pid != b->pid)
		return a->pid < b->pid ? -1 : 1;
	if (a->process_start != b->process_start)
		return a->process_start < b->process_start ? -1 : 1;
	if (a->process != b->process)
		return a->process < b->process ? -1 : 1;
	return a->thread < b->thread ? -1 : a->thread > b->thread;
}

bool same_thread(const struct orphan *left, const struct orphan *right)
{
	return left->head.process == right->head.process && left->head.thread == right->head.thread;
}

/* Decides which processes still run. The list is sorted: the last image of a process follows the others. */
static enum varve_status orphans_judge(struct varve_trace *trace, struct orphans *orphans,
				       struct varve_causes *causes)
{
	struct trace_running *running =
		reallocarray(trace->running, trace->alive_processes + orphans->count + 1,
			     sizeof *trace->running);
	if (!running)
		return cause(causes, VARVE_NO_MEMORY, "no memory for %zu lanes", orphans->count);
	trace->running = running;
	for (size_t end = orphans->count; end > 0;) {
		const struct lane *last = &orphans->list[end - 1].head;
		const struct lane_image last_image = lane_image_of(last);
		bool unsure = false;
		bool alive = process_alive(last->pid, last->process_start, last->boot_id,
					   last->pid_namespace, orphans->pid_namespace, &unsure) ||
			     unsure;
		size_t at = end;
		for (; at > 0 && lane_same_process(&orphans->list[at - 1].head, last); at--) {
			struct orphan *orphan = &orphans->list[at - 1];
			const struct lane_image image = lane_image_of(&orphan->head);
			orphan->dead = !alive || lane_image_replaced(&image, &last_image);
			if (orphan->dead)
				continue;
			trace->alive_threads += at == end || !same_thread(orphan, orphan + 1);
			orphans->node->alive_lanes++;
			trace->alive_pid = orphan->head.pid;
		}
		if (alive)
			trace->running[trace->alive_processes++] = (struct trace_running){
				last->process, orphans->place, last->pid, last->process_start};
		end = at;
	}
	return VARVE_OK;
}

static void keep_claim(struct trace_node *node, const struct lane_claim *claim)
{
	if (!claim->offset || !claim->length || claim->length >= (1ull << 40))
		return;
	if (claim->offset == CLAIM_COMING)
		node->claims_coming += claim->length;
	else if (claim->offset < (1ull << 60))
		node->claims[node->claim_count++] =
			(struct trace_claim){claim->offset, claim->length};
}

static enum varve_status keep_claims(const struct orphans *orphans, struct varve_causes *causes)
{
	struct trace_node *node = orphans->node;
	node->claims = calloc(2 * orphans->count + 1, sizeof *node->claims);
	if (!node->claims)
		return cause(causes, VARVE_NO_MEMORY, "no memory for %zu lanes", orphans->count);
	for (size_t i = 0; i < orphans->count; i++) {
		const struct lane *head = &orphans->list[i].head;
		keep_claim(node, &head->claim);
		if (head->stash_used)
			keep_claim(node, &head->stash_claim);
	}
	return VARVE_OK;
}

static enum varve_status node_orphans(struct varve_trace *trace, struct trace_node *node,
				      struct orphans **result, struct varve_causes *causes)
{
	char path[CONTROL_PATH];
	/* A node without data is just being created: the data file is the last file to be written. */
	node->lanes_left = node->size && lane_folder(trace, node, path);
	if (!node->lanes_left || !path[0])
		return VARVE_OK;
	struct orphans *orphans = calloc(1, sizeof *orphans);
	node->lanes = strdup(path);
	if (!orphans || !node->lanes) {
		free(orphans);
		return cause(causes, VARVE_NO_MEMORY, "no memory for the lanes");
	}
	*orphans = (struct orphans){.node = node,
				    .place = (uint32_t)(node - trace->nodes),
				    .folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC),
				    .next = *result};
	*result = orphans;
	DIR *list = orphans->folder < 0 ? NULL : opendir(path);
	node->lanes_away = !list;
	node->lanes_gone = !list && errno == ENOENT;
	if (!list)
		return VARVE_OK;
	bool here;
	enum varve_status status = keep_control(trace, orphans, &here, causes);
	for (struct dirent *entry; here && status == VARVE_OK && (entry = readdir(list));) {
		if (!strncmp(entry->d_name, LANES_LANE, sizeof LANES_LANE - 1))
			status = keep_lane(trace, orphans, entry->d_name, causes);
	}
	closedir(list);
	TRY(status);
	node->lanes_away = !here;
	if (!here)
		return VARVE_OK;
	if (orphans->count)
		qsort(orphans->list, orphans->count, sizeof *orphans->list, compare_orphans);
	TRY(orphans_judge(trace, orphans, causes));
	return keep_claims(orphans, causes);
}

enum varve_status orphans_find(struct varve_trace *trace, struct orphans **result,
			       struct varve_causes *causes)
{
	for (size_t i = 0; i < trace->node_count; i++)
		TRY(node_orphans(trace, &trace->nodes[i], result, causes));
	return VARVE_OK;
}
