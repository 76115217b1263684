/* Sink: the end of a run: the last collection of its lanes, the index, and which of several commands does this. See collect.h.
 *
 * Owns the order in which a run is completed: blocks, index, lanes. It never waits for a process of the run. It waits up to
 * ARRIVAL_MS for commands that a launcher starts and that have not joined yet.
 */
#include "base/clock.h"
#include "base/sys.h"
#include "base/text.h"
#include "base/trace_files.h"
#include "sink/collect.h"
#include "sink/run/join.h"
#include "sink/run/pause.h"

#include <errno.h>
#include <string.h>

/* ARRIVAL_MS: how long the last command waits for programs of the job that have not joined yet. */
enum { ARRIVAL_MS = 1000 };

static enum varve_status finish_locked(struct run *run, enum run_end end, int status,
				       struct collected *collected, struct varve_causes *causes)
{
	struct data_file data;
	enum varve_status result = collect_locked(run, true, &data, collected, causes);
	/* Lanes that were made and are missing were removed by another program, with their content or with the whole folder. */
	if (result == VARVE_ABSENT)
		result = VARVE_OK;
	struct control *control = run->control;
	uint32_t here = control->lanes_removed + (uint32_t)collected->alive;
	if (result == VARVE_OK && control->lanes_made > here && collected->alive == 0) {
		control->loss[LOSS_TORN] += control->lanes_made - here;
		control->lanes_removed += control->lanes_made - here;
	}
	/* A pause that was not ended lasts until the end of the run. */
	if (collected->alive == 0)
		control_resume(control, ~0u);
	struct index_head head = {
		.end = end,
		.status = status,
		.end_monotonic = clock_ns(CLOCK_MONOTONIC),
		.recovered = collected->records,
		.lanes_alive = (uint32_t)collected->alive,
		.programs = control->programs,
	};
	if (data.fd >= 0) {
		enum varve_status indexed = index_write(run, &data, &head, causes);
		if (result == VARVE_OK)
			result = indexed;
	}
	if (result == VARVE_OK && collected->alive == 0)
		run_remove_lanes(run);
	data_close(&data);
	return result;
}

enum varve_status collect_finish(struct run *run, enum run_end end, int status,
				 struct collected *collected, struct varve_causes *causes)
{
	int lock = lanes_lock(run->lanes, true);
	/* If the folder was removed, the index is written all the same. */
	if (lock < 0 && lock != -ENOENT)
		return lanes_not_locked(run, lock, causes);
	enum varve_status result = finish_locked(run, end, status, collected, causes);
	if (lock >= 0)
		sys_close(lock);
	return result;
}

/* Whether all programs of the job that the launcher starts on this host have joined, or the time to wait for them is over. */
static bool programs_arrived(const struct control *control, int64_t until)
{
	return control->joined >= control->expected || clock_ns(CLOCK_MONOTONIC) >= until;
}

/* Whether this command is the last one, with the lock held: no other command is in the run, and none is expected. If the folder
 * is missing (`*lock` below 0), the last command has removed it, or, if only one program has joined,
 * another program has. */
static bool last_out(const struct run *run, int *member, int *lock)
{
	int64_t until = clock_ns(CLOCK_MONOTONIC) + ARRIVAL_MS * 1000000ll;
	struct timespec nap = {0, 5000000};
	for (;;) {
		*lock = lanes_lock(run->lanes, true);
		if (*lock < 0)
			return run->control->joined < 2;
		if (!run_alone(*member)) {
			run_exit(member);
			return false;
		}
		if (programs_arrived(run->control, until))
			return true;
		/* Commands that join or leave meanwhile must find this one in the run. */
		run_share(*member);
		sys_close(*lock);
		sys6(SYS_nanosleep, sys_address(&nap), 0, 0, 0, 0, 0);
	}
}

enum varve_status collect_leave(struct run *run, int *member, struct collected *collected,
				bool *last, struct varve_causes *causes)
{
	int lock;
	*collected = (struct collected){0};
	*last = last_out(run, member, &lock);
	enum varve_status result = VARVE_OK;
	if (*last)
		result = finish_locked(run, RUN_RECOVERED, 0, collected, causes);
	/* The last command searches for processes that have mapped the control page; this one must not be found. */
	if (!*last)
		run_detach(run);
	if (lock >= 0)
		sys_close(lock);
	return result;
}

enum varve_status collect_open(const char *trace, uint32_t node, struct run *run,
			       struct varve_causes *causes)
{
	char path[RUN_PATH + 32], lanes[RUN_PATH];
	node_path(path, path + sizeof path, trace, TRACE_FILE_LANES, node);
	long got = file_read(path, lanes, sizeof lanes);
	if (got == -ENOENT)
		return cause(causes, VARVE_ABSENT, "%s: nothing to recover", trace);
	if (got < 0)
		return cause(causes, VARVE_SYSTEM, "cannot open %s: %s", path,
			     strerrordesc_np((int)-got));
	if (!got || lanes[0] != '/')
		return cause(causes, VARVE_DAMAGED, "%s does not contain the path of the lanes",
			     path);
	enum varve_status status = run_attach(lanes, run, causes);
	/* A folder with this name exists on this host, too, but belongs to another node. */
	bool other = status == VARVE_OK && run->control->node != node;
	if (other)
		run_detach(run);
	if (other || (status == VARVE_ABSENT && node))
		return cause(causes, VARVE_FOREIGN,
			     "%s: the lanes %s are on another host; run the command there", path,
			     lanes);
	if (status != VARVE_OK)
		return status;
	/* The trace may have been moved since; use the folder that the caller has named. */
	run->trace[0] = 0;
	text_add(run->trace, run->trace + sizeof run->trace, trace);
	return VARVE_OK;
}
