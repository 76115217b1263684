/* Sink: the consumer of lanes. See collect.h.
 *
 * A lane is safe to take if its process has ended (or was replaced by exec), or if it was handed over as full. Its block is
 * written first, then the lane's file is removed: if a consumer dies in between, it leaves a lane whose block exists, and the
 * next consumer drops this lane.
 */
#include "sink/collect_lane.h"

#include "base/folder.h"
#include "base/program/process.h"
#include "base/sys.h"
#include "base/text.h"
#include "base/trace_files.h"
#include "sink/data.h"
#include "sink/lane_hold.h"
#include "sink/run/join.h"
#include "sink/run/living.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

enum { PASSES_MOST = 100 };

static void lane_path(const struct collect *collect, const struct seen *seen, char *path,
		      const char *end)
{
	char *at = text_add(path, end, collect->run->lanes);
	lane_file_name(text_add(at, end, "/"), end, seen->process, seen->number);
}

/* Reads the numbers in "lane.P.N". */
static bool name_parse(const char *name, struct seen *seen)
{
	uint32_t number[2] = {0, 0};
	if (memcmp(name, LANES_LANE, sizeof LANES_LANE - 1) != 0)
		return false;
	name += sizeof LANES_LANE - 1;
	for (int i = 0; i < 2; i++) {
		if (*name < '0' || *name > '9')
			return false;
		for (; *name >= '0' && *name <= '9'; name++)
			number[i] = number[i] * 10 + (uint32_t)(*name - '0');
		name += i == 0 && *name == '.';
	}
	seen->process = number[0];
	seen->number = number[1];
	return *name == 0;
}

/* Whether a process has signed the lane in reserve: the signature stays until the collector returns the lane. */
static bool reserve_taken(uint32_t state)
{
	return state == LANE_FILLING || state == LANE_FULL;
}

static void lane_list(void *context, const char *name)
{
	struct collect *collect = context;
	struct seen seen = {0};
	struct lane head;
	char path[RUN_PATH + 64];
	if (!name_parse(name, &seen))
		return;
	collect->cut = collect->count == LANES_MOST;
	if (collect->cut)
		return;
	lane_path(collect, &seen, path, path + sizeof path);
	/* Read instead of mapped, because most lanes are only read once. */
	int fd = lane_open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK, &head);
	if (fd < 0)
		return;
	/* A lane in reserve gets a new signature whenever it is taken: the signature is valid after the state was set, not
	 * before. */
	bool reserve_signed = head.reserve && reserve_taken(head.state) &&
			      sys_pread(fd, &head, sizeof head, 0) == sizeof head;
	sys_close(fd);
	seen.image = lane_image_of(&head);
	if (head.reserve && !reserve_signed)
		seen.image.process = 0;
	collect->seen[collect->count++] = seen;
}

static bool lane_replaced(const struct collect *collect, const struct lane *lane)
{
	const struct lane_image image = lane_image_of(lane);
	for (size_t i = 0; i < collect->count; i++)
		if (lane_image_replaced(&image, &collect->seen[i].image))
			return true;
	return false;
}

/* Whether to leave a lane in reserve unchanged although the process that has signed it has ended: a related process may take
 * it, or may be about to sign it. A free lane that is not left is marked as taken, so that no other process takes it. */
static bool reserve_left(const struct collect *collect, struct lane_hold *hold, uint32_t state)
{
	if (!hold->lane->reserve || reserve_taken(state))
		return false;
	bool own = state == LANE_FREE &&
		   __atomic_load_n(&hold->lane->reserve, __ATOMIC_ACQUIRE) == RESERVE_OWN;
	if (!collect->deserted && !own)
		return true;
	return state == LANE_FREE && !lane_hold_change(hold, LANE_FREE, LANE_TAKEN);
}

/* Collects the content of the lane of a process that has ended, and removes the lane. */
static enum varve_status dead_collect(struct collect *collect, struct lane_hold *hold,
				      const char *path, uint32_t state, struct varve_causes *causes)
{
	struct control *control = collect->run->control;
	if (reserve_left(collect, hold, state)) {
		collect->kept = true;
		return VARVE_OK;
	}
	collect->dead = path;
	enum varve_status status =
		state == LANE_FREE ? VARVE_OK : lane_drain(collect, hold->lane, causes);
	lane_hold_claims(hold);
	if (status == VARVE_OK) {
		sys_unlink(path);
		__atomic_fetch_add(&control->lanes_removed, 1, __ATOMIC_RELAXED);
	}
	return status;
}

/* Collects what a living process has handed over, and returns the lane: all of its content is written or counted as lost. */
static enum varve_status full_collect(struct collect *collect, struct lane_hold *hold,
				      struct varve_causes *causes)
{
	collect->dead = NULL;
	enum varve_status status = lane_drain(collect, hold->lane, causes);
	lane_hold_free(hold);
	return status;
}

static enum varve_status lane_collect(struct collect *collect, const struct seen *seen,
				      struct varve_causes *causes)
{
	struct control *control = collect->run->control;
	char path[RUN_PATH + 64];
	struct lane_hold hold;
	lane_path(collect, seen, path, path + sizeof path);
	if (!lane_hold(&hold, path))
		return VARVE_OK;
	struct lane *lane = hold.lane;
	/* The state is read first: for a lane in reserve it belongs to the signature that is read next. */
	uint32_t state = __atomic_load_n(&lane->state, __ATOMIC_ACQUIRE);
	bool dead = lane_replaced(collect, lane) ||
		    !process_alive(lane->pid, lane->process_start, lane->boot_id,
				   lane->pid_namespace, control->pid_namespace, NULL);
	bool handed = (!lane->reserve || reserve_taken(state)) &&
		      lane_hold_change(&hold, LANE_FULL, LANE_TAKEN);
	bool whole = !(dead || handed) || lane_hold_read(&hold);
	enum varve_status status = VARVE_OK;
	/* The process may have changed the state of its own lane before it ended. */
	if (dead && !lane->reserve)
		state = lane->state;
	if (dead && whole)
		status = dead_collect(collect, &hold, path, state, causes);
	else if (handed && whole)
		status = full_collect(collect, &hold, causes);
	if (handed)
		__atomic_fetch_sub(&control->lanes_full, 1, __ATOMIC_RELAXED);
	if (!dead) {
		collect->collected->alive++;
		collect->collected->alive_pid = lane->pid;
	}
	lane_hold_end(&hold);
	return status;
}

static void living_note(void *context, int pid)
{
	struct collect *collect = context;
	if (collect->living_count < LIVING_MOST)
		collect->living[collect->living_count++] = pid;
}

/* Living processes without a lane count as lanes that are still to be made. */
static void living_count(struct collect *collect)
{
	for (size_t i = 0; i < collect->living_count; i++) {
		bool known = false;
		for (size_t lane = 0; lane < collect->count && !known; lane++)
			known = collect->seen[lane].image.pid == collect->living[i];
		if (known)
			continue;
		collect->collected->alive++;
		collect->collected->alive_pid = collect->living[i];
	}
}

/* Checks all lanes once. */
static enum varve_status collect_pass(struct collect *collect, struct varve_causes *causes)
{
	collect->count = collect->living_count = 0;
	collect->kept = collect->cut = false;
	collect->collected->alive = 0;
	/* Living processes are searched before lanes are listed: a process that ends meanwhile has left its lanes by then, and
	 * they are listed. */
	if (collect->final &&
	    (collect->run->control->children || collect->run->control->joined > 1 ||
	     collect->run->control->keeper_pid))
		living_find(collect->run, living_note, collect);
	if (collect->living_count)
		collect->deserted = false;
	int listed = folder_list(collect->run->lanes, lane_list, collect);
	if (listed == -ENOENT || listed == -ENOTDIR)
		return cause(causes, VARVE_ABSENT, "%s: the lane folder was removed",
			     collect->run->lanes);
	if (listed != 0)
		return cause(causes, VARVE_SYSTEM, "%s: cannot list the lanes: %s",
			     collect->run->lanes, strerrordesc_np(-listed));
	enum varve_status worst = VARVE_OK;
	for (size_t i = 0; i < collect->count; i++) {
		/* Lanes that fail for the same reason give one cause only. */
		enum varve_status status =
			lane_collect(collect, &collect->seen[i], worst == VARVE_OK ? causes : NULL);
		if (status != VARVE_OK)
			worst = status;
	}
	living_count(collect);
	return worst;
}

/* A process that was listed, but ended before it was checked, may have had a child meanwhile that was not listed. So if there
 * are children, two passes in a row must find no process, and no fork may begin during the last pass. */
static enum varve_status passes_make(struct collect *collect, struct varve_causes *causes)
{
	const uint32_t *forks = &collect->run->control->children;
	enum varve_status status = VARVE_OK;
	unsigned empty = 0;
	for (int pass = 0; pass < PASSES_MOST; pass++) {
		uint32_t begun = __atomic_load_n(forks, __ATOMIC_RELAXED);
		status = collect_pass(collect, causes);
		if (status != VARVE_OK || !collect->final || collect->collected->alive)
			break;
		uint32_t since = __atomic_load_n(forks, __ATOMIC_RELAXED);
		empty = collect->living_count || collect->cut || since != begun ? 0 : empty + 1;
		if (empty < (since ? 2 : 1))
			continue;
		collect->deserted = true;
		return collect->kept ? collect_pass(collect, causes) : status;
	}
	return status;
}

static enum varve_status all_collect(struct collect *collect, struct varve_causes *causes)
{
	char host[sizeof collect->run->control->host] = "";
	file_read("/proc/sys/kernel/hostname", host, sizeof host);
	host[strcspn(host, "\n")] = 0;
	*collect->collected = (struct collected){0};
	if (strcmp(host, collect->run->control->host) != 0)
		return cause(causes, VARVE_FOREIGN,
			     "the lanes are on host %s; run the command there",
			     collect->run->control->host);
	enum varve_status opened =
		data_open(collect->run->trace, collect->run->control, &collect->data);
	if (opened == VARVE_FOREIGN)
		return cause(causes, opened, "%s/data.%u is the data of another run",
			     collect->run->trace, collect->run->control->node);
	if (opened != VARVE_OK)
		return cause(causes, opened, "cannot open %s/data.%u for writing: %s",
			     collect->run->trace, collect->run->control->node,
			     strerrordesc_np(-collect->data.fd));
	collect->seen = sys_memory(LANES_MOST * sizeof *collect->seen);
	enum varve_status status =
		collect->seen ? passes_make(collect, causes)
			      : cause(causes, VARVE_NO_MEMORY, "no memory to list the lanes");
	if (collect->seen)
		sys_munmap(collect->seen, LANES_MOST * sizeof *collect->seen);
	if (collect->threads)
		sys_munmap(collect->threads, THREADS_ROOM * sizeof *collect->threads);
	if (collect->workspace)
		sys_munmap(collect->workspace, collect->workspace_size);
	if (collect->output)
		sys_munmap(collect->output, collect->output_size);
	return status;
}

enum varve_status lanes_not_locked(const struct run *run, int lock, struct varve_causes *causes)
{
	return cause(causes, VARVE_SYSTEM, "cannot lock %s: %s", run->lanes,
		     strerrordesc_np(-lock));
}

enum varve_status collect_locked(struct run *run, bool final, struct data_file *data,
				 struct collected *collected, struct varve_causes *causes)
{
	struct collect collect = {
		.run = run, .collected = collected, .data = {.fd = -1}, .final = final};
	enum varve_status status = all_collect(&collect, causes);
	*data = collect.data;
	return status;
}

enum varve_status collect_lanes(struct run *run, struct collected *collected,
				struct varve_causes *causes)
{
	struct data_file data;
	int lock = lanes_lock(run->lanes, true);
	if (lock < 0)
		return lanes_not_locked(run, lock, causes);
	enum varve_status status = collect_locked(run, false, &data, collected, causes);
	data_close(&data);
	sys_close(lock);
	return status;
}
