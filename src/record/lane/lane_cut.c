/* Record: cuts a lane that is full: its content becomes a block, or the lane is handed over to the collector. See lanes.h.
 *
 * Open calls continue in the next generation. Each cut makes a record of layer `varve` with the time by which the program was
 * delayed.
 */
#include "record/lane/lanes.h"

#include "base/sys.h"
#include "call_ids.h"
#include "record/loader/regions.h"
#include "record/process/detached.h"
#include "record/switches.h"
#include "sink/run/pause.h"

#include <signal.h>
#include <string.h>

/* When full lanes with more bytes than this wait for the collector, no new lanes are made. */
enum { WAITING_MOST = 96 << 20 };

void own_record(struct thread *self, uint64_t from, uint16_t id, const uint64_t *words,
		unsigned count)
{
	marked_record(self, from, id, words, count, 0);
}

void marked_record(struct thread *self, uint64_t from, uint16_t id, const uint64_t *words,
		   unsigned count, unsigned marks)
{
	uint64_t *slot = define_reserve(self, WORD_ARGUMENTS + count);
	slot[WORD_ENTRY] = from;
	slot[WORD_RESULT] = 0;
	for (unsigned i = 0; i < count; i++)
		slot[WORD_ARGUMENTS + i] = words[i];
	slot[WORD_EXIT] = clock_count(recorder.tsc);
	BARRIER();
	uint64_t position = (uint64_t)((char *)slot - (char *)self->lane);
	*(volatile uint64_t *)slot =
		record_header(self->tag + (uint32_t)position, id, WORD_ARGUMENTS + count,
			      self->open_count | marks);
}

void lane_held(struct thread *self, uint64_t from)
{
	own_record(self, from, CALL_varve_lane, &self->lane->size, WORDS_varve_lane);
}

/* Copies the open calls before their lane is emptied. Names are left empty, because name ids are valid in one block only; readers
 * have the names from the first half. */
static void calls_carry(struct thread *self, const struct encoded *encoded)
{
	for (uint32_t i = 0; i < self->open_count; i++) {
		const uint64_t *slot = self->open[i].slot;
		if (!slot)
			continue;
		uint64_t position = (uint64_t)((const char *)slot - (const char *)self->lane);
		uint64_t words = slot[WORD_HEADER] >> 8 & 0xff;
		uint64_t *copy = self->known->carried[i];
		memcpy(copy, slot, words * 8);
		if (slot[WORD_HEADER] & MARK_CONTINUED)
			continue;
		const struct call_row *row = call_row_find(call_rows, call_rows_count,
							   (uint16_t)(slot[WORD_HEADER] >> 16));
		for (unsigned word = 0; row && word < row->words; word++)
			if (row->names >> word & 1)
				copy[WORD_ARGUMENTS + word] = 0;
		copy[WORD_HEADER] += 1 << 8;
		copy[WORD_HEADER] |= MARK_CONTINUED;
		copy[words] = UINT64_MAX;
		for (uint32_t open = 0; open < encoded->open_count; open++)
			if (encoded->open[open].position == position)
				copy[words] = encoded->open[open].ordinal;
	}
}

/* Puts the open calls at the head of the new generation, where their results will be stored. */
static void calls_continue(struct thread *self, const struct known *carrier)
{
	for (uint32_t i = 0; i < self->open_count; i++) {
		const uint64_t *copy = carrier->carried[i];
		if (!self->open[i].slot)
			continue;
		uint64_t words = copy[WORD_HEADER] >> 8 & 0xff;
		bool region = self->open[i].frame == REGION_FRAME;
		uint64_t name = region ? region_name_again(self, i) : 0;
		uint64_t *slot = define_reserve(self, words);
		memcpy(slot + 1, copy + 1, (words - 1) * 8);
		if (region)
			slot[WORD_ARGUMENTS] = name;
		BARRIER();
		uint64_t position = (uint64_t)((char *)slot - (char *)self->lane);
		uint64_t low = copy[WORD_HEADER] & UINT32_MAX;
		*(volatile uint64_t *)slot = (uint64_t)(self->tag + (uint32_t)position) << 32 | low;
		self->open[i].slot = slot;
	}
}

static void lane_make_now(void *given)
{
	*(struct pooled **)given =
		lane_new(recorder.control->lane_size, LANE_FILLING, NULL, &(unsigned){0});
}

/* Hands the full lane over to the collector. False: there is no collector, or no other lane, and too many wait already to make
 * one. */
static bool lane_hand_over(struct thread *self, const struct encoded *encoded)
{
	struct control *control = recorder.control;
	if (!control_collects(control))
		return false;
	struct lane *left = self->lane;
	struct pooled *next = lane_take_free(0);
	if (!next && !recorder.quiet &&
	    __atomic_load_n(&control->lanes_full, __ATOMIC_RELAXED) * control->lane_size <
		    WAITING_MOST)
		detached_run(lane_make_now, &next);
	if (!next)
		return false;
	lane_change(self, next, encoded, LANE_TAKEN);
	lane_leave(left);
	return true;
}

/* After the lane's content has become a block: continues in the same lane, or in a full-sized one instead of a small one. */
static void lane_renew(struct thread *self, const struct encoded *encoded, struct lane_clock end)
{
	uint64_t size = recorder.control->lane_size;
	struct pooled *next = NULL;
	if (self->lane->size < size && !recorder.quiet) {
		next = lane_take_free(size);
		if (!next)
			detached_run(lane_make_now, &next);
	}
	if (next) {
		lane_change(self, next, encoded, LANE_FREE);
	} else {
		lane_advance(self->lane, encoded);
		lane_begin(self, end);
	}
}

/* Asks the encoder for the ordinals of the open calls. */
static struct encoded calls_ask(struct thread *self)
{
	struct encoded encoded = {0};
	for (uint32_t i = 0; i < self->open_count; i++) {
		const uint64_t *slot = self->open[i].slot;
		if (!slot)
			continue;
		uint64_t position = (uint64_t)((const char *)slot - (const char *)self->lane);
		/* A call of the parent: a handler forked during the recorder's work inside that call. Its record is not in this
		 * lane. */
		if (position >= self->lane->position ||
		    (uint32_t)(slot[WORD_HEADER] >> 32) != self->tag + (uint32_t)position) {
			self->open_count = i;
			break;
		}
		encoded.open[encoded.open_count++].position = position;
	}
	return encoded;
}

/* Cuts the lane without any system call: a filter that the program has set may kill it for one. */
static void lane_cut_quietly(struct thread *self)
{
	uint64_t from = clock_count(recorder.tsc);
	/* Signals cannot be blocked without a system call: calls of handlers are not recorded instead. */
	uintptr_t busy = self->busy;
	self->busy = BUSY_CUT;
	BARRIER();
	struct encoded encoded = calls_ask(self);
	const struct known *carrier = self->known;
	lane_look(self->lane, &encoded);
	calls_carry(self, &encoded);
	if (!lane_hand_over(self, &encoded)) {
		block_lost(VARVE_SYSTEM, 0, &encoded);
		lane_advance(self->lane, &encoded);
		lane_begin(self, clock_now());
	}
	calls_continue(self, carrier);
	own_record(self, from, CALL_varve_encode, (uint64_t[]){encoded.records, 0},
		   WORDS_varve_encode);
	BARRIER();
	self->busy = busy;
}

/* Without a collector, the process itself stops the recording when its time is over. */
static void time_look(void)
{
	struct control *control = recorder.control;
	if (UNLIKELY(control->choice.stop_after) && !control_collected(control))
		control_timed(control, clock_ns(CLOCK_MONOTONIC));
}

/* A block to be written to the trace. */
struct written {
	struct lane *lane;
	const uint8_t *block;
	size_t length;
	enum varve_status status;
	int error;
};

static void write_now(void *given)
{
	struct written *written = given;
	written->status =
		lane_write(written->lane, written->block, written->length, &written->error);
}

/* If writing needs a thread of the recorder, the block of a full lane waits in the stash. On request a block is written at once. */
static enum varve_status block_store(const struct thread *self, const uint8_t *block, size_t length,
				     int *error)
{
	struct written written = {.lane = self->lane, .block = block, .length = length};
	if (self->lane->position > self->limit && detached_needed() &&
	    lane_stash_put(self->lane, block, length))
		return VARVE_OK;
	detached_run(write_now, &written);
	*error = written.error;
	return written.status;
}

/* Writes the content to the trace, or hands the lane over to the collector. `leaves`: the process ends. What cannot be written then
 * stays in the lane, which the collector takes after the end; a lane that it takes before and cannot write either is lost. */
static void lane_cut_now(struct thread *self, bool leaves)
{
	uint64_t from = clock_count(recorder.tsc);
	struct workspace *workspace = workspace_take();
	if (!workspace) {
		lane_cut_quietly(self);
		return;
	}
	struct encoded encoded = calls_ask(self);
	const struct known *carrier = self->known;
	struct lane_clock end = clock_now();
	int error = 0;
	enum varve_status status = lane_encode(self->lane, workspace, end, &encoded);
	if (status == VARVE_OK)
		status = block_store(self, workspace->output, encoded.length, &error);
	if (leaves && status != VARVE_OK && status != VARVE_LIMIT &&
	    control_collects(recorder.control)) {
		workspace_give(workspace);
		return;
	}
	calls_carry(self, &encoded);
	if (status == VARVE_OK || status == VARVE_LIMIT || !lane_hand_over(self, &encoded)) {
		if (status != VARVE_OK)
			block_lost(status, error, &encoded);
		lane_renew(self, &encoded, end);
	}
	calls_continue(self, carrier);
	workspace_give(workspace);
	own_record(self, from, CALL_varve_encode, (uint64_t[]){encoded.records, encoded.length},
		   WORDS_varve_encode);
}

static void lane_cut_as(struct thread *self, bool leaves)
{
	const uint64_t every = ~0ull;
	uint64_t old;
	if (UNLIKELY(recorder.quiet)) {
		lane_cut_quietly(self);
		return;
	}
	sys_sigmask(SIG_SETMASK, &every, &old);
	lane_cut_now(self, leaves);
	time_look();
	pause_record(self);
	sys_sigmask(SIG_SETMASK, &old, NULL);
}

void lane_cut(struct thread *self)
{
	lane_cut_as(self, false);
}

void process_leave(void)
{
	struct thread *self = &thread_self;
	if (!recorder.control || recorder.control->collector_pid || recorder.quiet ||
	    self->vfork_pid || shared_caller(self) || self->busy)
		return;
	/* As in wrap_enter(): a handler that forks from here on gives the child a lane. */
	self->busy = (uintptr_t)__builtin_frame_address(0);
	BARRIER();
	/* The keeper collects what this process cannot write. */
	if (self->ready == self->pulse->alive &&
	    !(control_collects(recorder.control) && data_barred()))
		lane_cut_as(self, true);
	busy_release(self);
}
