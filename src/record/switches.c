/* Record: what to do with a call whose switch is not 0. See switches.h.
 *
 * Calls that are recorded without further checks do not use this file.
 */
#include "record/switches.h"

#include "base/sys.h"
#include "base/text.h"
#include "base/trace_files.h"
#include "call_ids.h"
#include "record/lane/lanes.h"
#include "record/names/path_filter.h"
#include "sink/run/pause.h"

#include <string.h>
#include <sys/mman.h>

/* Until the process is set up, calls cannot be passed through: the real functions are not known. */
uint8_t call_switch[SWITCHES]
	__attribute__((aligned(4096))) = {[0 ... SWITCHES - 1] = SWITCH_START};

void switches_map(const struct run *run)
{
	char path[RUN_PATH + 16];
	text_add(text_add(path, path + sizeof path, run->lanes), path + sizeof path,
		 "/" LANES_CONTROL);
	int fd = sys_open(path, O_RDONLY, 0);
	void *mapped = fd < 0 ? NULL
			      : sys_mmap(call_switch, SWITCHES, PROT_READ, MAP_SHARED | MAP_FIXED,
					 fd, offsetof(struct control, switches), NULL);
	if (fd >= 0)
		sys_close(fd);
	/* Without the mapping, the process cannot be paused from outside. */
	if (!mapped)
		memcpy(call_switch, run->control->switches, SWITCHES);
}

void switches_dead(void)
{
	memset(call_switch, SWITCH_DEAD, SWITCHES);
}

/* Sets a bit for each row in this process; the rest of the switch is then read from the control page. */
bool switches_share(const void *stack)
{
	if (recorder.quiet)
		return false;
	uintptr_t top = (uintptr_t)stack;
	recorder.sharing_stack = top > recorder.sharing_stack ? top : recorder.sharing_stack;
	if (recorder.sharing)
		return true;
	uint8_t *table = sys_memory(SWITCHES);
	if (!table)
		return false;
	memset(table, SWITCH_SHARED, SWITCHES);
	recorder.sharing = true;
	/* In one step, because other threads read the table meanwhile. */
	long moved = sys6(SYS_mremap, sys_address(table), SWITCHES, SWITCHES,
			  MREMAP_MAYMOVE | MREMAP_FIXED, sys_address(call_switch), 0);
	recorder.sharing = moved >= 0;
	if (moved < 0)
		sys_munmap(table, SWITCHES);
	return recorder.sharing;
}

bool shared_caller(const struct thread *self)
{
	enum { STACK_MOST = 64 << 20 };
	uintptr_t here = (uintptr_t)__builtin_frame_address(0), top = recorder.sharing_stack;
	/* A thread that is not set up has its own data, and so does a forked child. */
	if (!recorder.sharing || self->ready != self->pulse->alive)
		return false;
	if (!recorder.quiet)
		return sys_gettid() != self->tid;
	return here < top && top - here < STACK_MOST &&
	       !(here < self->stack_top && self->stack_top < top);
}

bool wrap_reveal(struct thread *self, const struct call *call)
{
	if (self->busy == BUSY_CUT || !busy_nest(self, call->frame))
		return false;
	/* False in a child that was forked inside the real function. */
	if (self->ready == self->pulse->alive)
		return true;
	busy_release(self);
	return false;
}

static void switch_tally(const struct thread *self, unsigned which)
{
	__atomic_fetch_add(&recorder.control->tally[self->number % TALLIES][which], 1,
			   __ATOMIC_RELAXED);
}

void pause_record(struct thread *self)
{
	uint64_t from = self->pause_from;
	if (LIKELY(!from) || control_paused(recorder.control, recorder.process))
		return;
	self->pause_from = 0;
	own_record(self, from, CALL_varve_pause, &self->pause_calls, WORDS_varve_pause);
}

/* Whether recording is paused. Without a collector, a delayed start of the recording (PAUSE_BEFORE) happens here. */
static bool process_paused(void)
{
	struct control *control = recorder.control;
	if (control->pause & PAUSE_BEFORE && !control_collected(control))
		control_timed(control, clock_ns(CLOCK_MONOTONIC));
	return control_paused(control, recorder.process);
}

/* Handles a pause or a request to flush. True: the call is not to be recorded. */
static bool switches_look(struct thread *self)
{
	if (process_paused()) {
		if (!self->pause_from) {
			self->pause_calls = 0;
			self->pause_from = clock_count(recorder.tsc);
		}
		self->pause_calls++;
		switch_tally(self, 1);
		return true;
	}
	uint32_t flush = __atomic_load_n(&recorder.control->flush, __ATOMIC_ACQUIRE);
	if (!self->pause_from && self->flushed == flush)
		return false;
	if (!wrap_enter())
		return false;
	pause_record(self);
	if (self->flushed != flush && !self->nested) {
		self->flushed = flush;
		lane_cut(self);
	}
	busy_release(self);
	return false;
}

static bool file_out(struct thread *self, const struct about *about, unsigned count)
{
	if (!count || !wrap_enter())
		return false;
	bool out = path_filter_excludes(self, about, count);
	if (out)
		switch_tally(self, 0);
	busy_release(self);
	return out;
}

enum switched call_switched(uint16_t id, bool hooked, const struct about *about, unsigned count)
{
	struct thread *self = &thread_self;
	enum switched hidden = hooked ? SWITCHED_HIDE : SWITCHED_PASS;
	if (call_switch[id] & SWITCH_START) {
		int saved = errno;
		thread_start(self);
		errno = saved;
	}
	uint8_t way = call_switch[id];
	if (way & SWITCH_SHARED) {
		if (shared_caller(self))
			return SWITCHED_PASS;
		way = __atomic_load_n(&recorder.control->switches[id], __ATOMIC_RELAXED);
	}
	/* Still being set up: the wrapper's normal path handles this. */
	if (way & SWITCH_START)
		return SWITCHED_RECORD;
	/* A thread that may not read the clock is not recorded; during a pause it may not even check the time. */
	if (way & SWITCH_DEAD || self->off)
		return SWITCHED_PASS;
	if (way & SWITCH_OFF || (way & SWITCH_LOOK && switches_look(self)))
		return hidden;
	return way & SWITCH_FILES && file_out(self, about, count) ? hidden : SWITCHED_RECORD;
}
